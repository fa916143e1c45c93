//! Criterion benchmarks of small steps, on one thread: looking up the index, matrix rows, queues and parsing. `cargo bench -p
//! gpualign-benches --bench micro` runs them; making lines of SAM is measured by the benchmark `lines` of the package gpualign.

#![allow(missing_docs, reason = "criterion's macros make functions without")]
#![allow(clippy::expect_used, reason = "what a benchmark cannot set up ends it")]

use std::hint::black_box;
use std::io::Cursor;

use aligner_core::stream::{CpuExecutor, Settings};
use aligner_core::{fastx, seq};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_benches::App;
use gpualign_benches::runtime::quote::{self, Model};
use woodstocc::trie::row::{Profiles, RowBand};

/// Bases of the reference: so many that its rank blocks do not fit into a core's own caches.
const BASES: usize = 4 << 20;

/// Steps, rows or quotes of an iteration.
const STEPS: u32 = 10_000;

fn letters(count: usize, seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..count).map(|_| b"ACGT"[random.usize(..4)]).collect()
}

fn rank(criterion: &mut Criterion) {
    let reference = Reference::from_records([("genome", letters(BASES, 1))]).expect("has bases");
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("can be built");
    let mut random = fastrand::Rng::with_seed(2);
    let rows: Vec<u32> = (0..STEPS).map(|_| random.u32(..index.rows())).collect();
    let words: Vec<Vec<u8>> =
        (0..STEPS / 10).map(|word| seq::encode_all(&letters(20, word.into()))).collect();
    let mut group = criterion.benchmark_group("index");
    group.throughput(Throughput::Elements(rows.len() as u64));
    group.bench_function("rank4, random rows", |bencher| {
        let forward = index.forward();
        bencher.iter(|| rows.iter().map(|&row| forward.rank4(row)[0]).fold(0, u32::wrapping_add));
    });
    group.throughput(Throughput::Elements(words.len() as u64));
    group.bench_function("search for a word of 20 bases", |bencher| {
        bencher.iter(|| words.iter().filter(|word| index.search(word).is_some()).count());
    });
    group.bench_function("locate", |bencher| {
        let rows = &rows[..words.len()];
        bencher.iter(|| rows.iter().map(|&row| index.locate(row)).fold(0, u32::wrapping_add));
    });
    group.finish();
}

fn row(criterion: &mut Criterion) {
    let (k, length) = (3, 100);
    let query = seq::encode_all(&letters(length, 3));
    let mut profiles = Profiles::new(length);
    profiles.push(&query);
    let band = RowBand::<u64>::new(k);
    let mut group = criterion.benchmark_group("matrix");
    group.throughput(Throughput::Elements(length as u64));
    group.bench_function("banded rows of a read along the reference, k = 3", |bencher| {
        bencher.iter(|| {
            let mut row = band.root(length);
            for (depth, &code) in (1..).zip(black_box(&query)) {
                let equal = profiles.equal(0, code.into(), depth, k);
                row = band.step(row, equal, length + k - depth);
            }
            row
        });
    });
    group.finish();
}

fn queues(criterion: &mut Criterion) {
    let inputs = quote::inputs(STEPS);
    let mut group = criterion.benchmark_group("streaming on the CPU");
    group.throughput(Throughput::Elements(STEPS.into()));
    // Nodes without work leave gathering, scattering and scheduling to be measured.
    let model = Model::new(0, 0.5);
    for (name, app) in [("five nodes and their queues", App::DiffType), ("none", App::Merged)] {
        let built = app.build(&model);
        let settings = Settings { blocks: 1, ..Settings::default() };
        let executor = CpuExecutor::new(&built.topology, &settings).expect("is a topology");
        group.bench_function(name, |bencher| {
            bencher.iter(|| executor.run(&inputs).expect("runs"));
        });
    }
    group.finish();
}

fn parsing(criterion: &mut Criterion) {
    let mut text = Vec::new();
    for read in 0..STEPS / 10 {
        text.extend_from_slice(format!("@read{read}\n").as_bytes());
        text.extend_from_slice(&letters(150, read.into()));
        text.extend_from_slice(b"\n+\n");
        text.extend_from_slice(&[b'F'; 150]);
        text.push(b'\n');
    }
    let mut group = criterion.benchmark_group("parsing");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("FASTQ, 150 bases a read", |bencher| {
        bencher.iter(|| {
            let mut records = fastx::parse(Cursor::new(&text)).expect("is FASTQ");
            let mut bases = 0;
            while let Some(record) = records.next() {
                bases += record.expect("is a record").num_bases();
            }
            bases
        });
    });
    let bases = letters(1 << 16, 4);
    group.throughput(Throughput::Bytes(bases.len() as u64));
    group.bench_function("letters to codes", |bencher| {
        bencher.iter(|| seq::encode_all(black_box(&bases)));
    });
    group.bench_function("codes to those of the other strand", |bencher| {
        let codes = seq::encode_all(&bases);
        bencher.iter(|| seq::reverse_complement(black_box(&codes)));
    });
    group.finish();
}

criterion_group!(benches, rank, row, queues, parsing);
criterion_main!(benches);
