//! The pipeline's kernels, run by the SIMT shim, find what its Rust code finds.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::iter::once;
use std::sync::Arc;

use aligner_core::stream::{CpuExecutor, CudaExecutor, Outputs, Policy, Settings};
use blastn_pipeline::gpu::pipeline::items::{ExtendedSeed, UnalignedSeed};
use blastn_pipeline::gpu::pipeline::stages::{ChunkSequence, PipelineInputs};
use blastn_pipeline::gpu::pipeline::tables::{DatabaseChunk, PipelineArrays, packed_words};
use blastn_pipeline::gpu::pipeline::{PipelineBuild, PipelineSinks, slices, topology};
use blastn_pipeline::options::{BlastTask, SearchOptions};
use blastn_pipeline::query::batch::QueryBatch;
use blastn_pipeline::seed::lookup::Lookup;
use blastn_pipeline::sequence::fasta::FastaRecord;
use blastn_pipeline::statistics::DatabaseSize;
use blastn_pipeline::ungapped::extension::ByteScoreTable;
use fastrand::Rng;
use gpualign_tests::ShimBackend;

use crate::blast_common::lookup_table;

fn sorted(mut outputs: Outputs, sinks: PipelineSinks) -> (Vec<ExtendedSeed>, Vec<UnalignedSeed>) {
    let (mut extended, mut unaligned) = (Vec::new(), Vec::new());
    sinks.extended.into_iter().for_each(|sink| extended.append(&mut outputs.take(sink)));
    sinks.unaligned.into_iter().for_each(|sink| unaligned.append(&mut outputs.take(sink)));
    extended.sort_unstable();
    unaligned.sort_unstable();
    (extended, unaligned)
}

/// Random bases of a chunk, with parts of the queries in them.
fn chunk(random: &mut Rng, records: &[FastaRecord], length: usize) -> Vec<u8> {
    let mut bases: Vec<u8> = (0..length).map(|_| random.u8(..4)).collect();
    for _ in 0..length / 60 {
        let Some(record) = random.choice(records) else { break };
        let part = random.usize(8..80).min(record.letters.len()).min(length);
        let (from, to) =
            (random.usize(..=record.letters.len() - part), random.usize(..=length - part));
        let reversed = random.bool();
        for (place, &letter) in record.letters[from..from + part].iter().enumerate() {
            let letter = if random.u8(..15) == 0 { random.u8(..4) } else { letter.min(3) };
            let place = if reversed { to + part - 1 - place } else { to + place };
            bases[place] = if reversed { 3 - letter } else { letter };
        }
    }
    bases
}

/// Packs bases four a byte, with 4 spare bytes behind them.
fn packed(bases: &[u8]) -> Vec<u8> {
    let four = |four: &[u8]| {
        four.iter().enumerate().fold(0, |byte, (place, base)| byte | base << (6 - 2 * place))
    };
    bases.chunks(4).map(four).chain([0; 4]).collect()
}

/// Runs the same queries and chunks on the CPU and on the SIMT shim, in both builds; gives the seeds.
fn check(
    case: &str,
    options: &SearchOptions,
    records: &[FastaRecord],
    chunks: Vec<Vec<u8>>,
    settings: &Settings,
) -> (Vec<ExtendedSeed>, Vec<UnalignedSeed>) {
    let size = DatabaseSize { letters: 1_000_000, sequences: 10 };
    let batch = Arc::new(QueryBatch::new(records, options, size));
    let lookup = Lookup::new(&batch, options.word_size);
    let (mut all, mut device_chunks) = (Vec::new(), Vec::new());
    for bases in &chunks {
        let first = 4 * all.len() as u64;
        device_chunks.push(DatabaseChunk { first, length: bases.len() as u32, padding: 0 });
        all.extend(packed(bases));
    }
    let inputs = slices(&lookup, chunks.iter().map(|bases| bases.len() as u32));
    let context = PipelineInputs {
        batch,
        lookup: Arc::new(lookup),
        word_size: options.word_size,
        byte_scores: ByteScoreTable::new(options),
        chunks: chunks
            .into_iter()
            .map(|bases| ChunkSequence { packed: packed(&bases), bases })
            .collect(),
    };
    let (app, sinks) = topology(&context, PipelineBuild::Split);
    let cpu = CpuExecutor::new(&app, settings).expect("an executor");
    let expected = sorted(cpu.run(&inputs).expect("runs"), sinks);

    let words = packed_words(&all);
    let arrays = PipelineArrays::new(&context);
    let address = |start: *const u8| start.expose_provenance() as u64;
    let addresses = arrays.bytes().map(|array| address(array.as_ptr()));
    let (words, device_chunks) =
        (address(words.as_ptr().cast()), address(device_chunks.as_ptr().cast()));
    let (_lookup, of_lookup) = lookup_table(&context.batch, &context.lookup);
    let on_device = arrays.tables(&addresses, &of_lookup).with_database(words, device_chunks);
    for (build, name) in [(PipelineBuild::Split, "pipeline"), (PipelineBuild::Merged, "merged")] {
        let (app, sinks) = topology(&context, build);
        let kernels = gpualign_tests::kernels("blastn-pipeline", name).expect("the build made it");
        let shim = CudaExecutor::with_backend(
            ShimBackend::new(kernels, 5),
            &app,
            settings,
            name,
            &on_device,
        )
        .expect("an executor");
        let found = sorted(shim.run(&inputs).expect("runs"), sinks);
        assert_eq!(found, expected, "{case}, {build:?}");
    }
    expected
}

fn record(random: &mut Rng, length: usize) -> FastaRecord {
    let letter = |random: &mut Rng| if random.u8(..60) == 0 { 14 } else { random.u8(..4) };
    FastaRecord { letters: (0..length).map(|_| letter(random)).collect(), ..FastaRecord::default() }
}

#[test]
fn words_and_alignments_equal_those_of_the_cpu() {
    let (mut extended, mut unaligned) = (0, 0);
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        let mut options = SearchOptions::new(if seed % 4 == 3 {
            BlastTask::Megablast
        } else {
            BlastTask::Blastn
        });
        options.word_size = [11, 7, 16, 28][seed as usize % 4];
        options.masks_lower_case = true;
        let records: Vec<FastaRecord> = (0..random.usize(1..6))
            .map(|_| {
                let length = random.usize(1..400);
                record(&mut random, length)
            })
            .map(|record| {
                let length = record.letters.len() as u32;
                FastaRecord { lower_case: once(length / 3..length / 2).collect(), ..record }
            })
            .collect();
        let chunks = (0..random.usize(1..4))
            .map(|_| {
                let length = random.usize(0..3000);
                chunk(&mut random, &records, length)
            })
            .collect();
        let settings = Settings {
            width: [32, 64, 128][random.usize(..3)],
            blocks: 1 + random.u32(..3),
            policy: [Policy::Lazy, Policy::Naive][random.usize(..2)],
            output_slots: 1 + random.u32(..50),
            likely_outputs: (0..random.usize(..8)).map(|_| random.u64(..500)).collect(),
            ..Settings::default()
        };
        let found = check(&format!("seed {seed}"), &options, &records, chunks, &settings);
        extended += found.0.len();
        unaligned += found.1.len();
    }
    assert!(extended > 50 && unaligned > 50, "{extended} and {unaligned}");
}

#[test]
fn long_alignments_are_stretched() {
    let (mut longest, mut passed) = (Vec::new(), 0);
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        let length = random.usize(2500..4000);
        let mut query = record(&mut random, length);
        if seed % 3 > 0 {
            query.letters.iter_mut().for_each(|letter| *letter &= 3);
        }
        let mut bases: Vec<u8> = query.letters.iter().map(|&letter| letter.min(3)).collect();
        // Few differences everywhere, and stretches of many: scores drop nearly by too much, or by more.
        for _ in 0..length / 40 {
            bases[random.usize(..length)] = random.u8(..4);
        }
        for _ in 0..seed % 4 {
            let start = random.usize(..length - 40);
            let changed = random.usize(4..30);
            bases[start..start + changed].iter_mut().for_each(|base| *base = random.u8(..4));
        }
        let (before, behind) = (random.usize(..40), random.usize(..40));
        bases.splice(0..before, (0..2 * before).map(|_| random.u8(..4)));
        bases.truncate(bases.len() - behind);
        let settings = Settings { width: 32, blocks: 2, ..Settings::default() };
        let options = SearchOptions::new(BlastTask::Blastn);
        let found = check(&format!("seed {seed}"), &options, &[query], vec![bases], &settings);
        longest.push(found.0.iter().map(|extended| extended.length).max().unwrap_or(0));
        passed += found.1.iter().filter(|unaligned| !unaligned.tried()).count();
    }
    let stretched = longest.iter().filter(|&&length| length > 1500).count();
    assert!(stretched > 3, "alignments that a warp ends: {longest:?}");
    assert!(passed > 0, "words that they pass");
}

#[test]
fn the_shortest_sequences() {
    let mut random = Rng::with_seed(3);
    let settings = Settings { width: 32, blocks: 2, ..Settings::default() };
    let options = SearchOptions::new(BlastTask::Blastn);
    let queries = [record(&mut random, 40)];
    for chunks in [vec![], vec![vec![]], vec![vec![1]], vec![queries[0].letters[..11].to_vec()]] {
        let chunks: Vec<Vec<u8>> =
            chunks.into_iter().map(|c| c.into_iter().map(|l: u8| l.min(3)).collect()).collect();
        check(&format!("{chunks:?}"), &options, &queries, chunks, &settings);
    }
    let none = check("no queries", &options, &[], vec![vec![0; 100]], &settings);
    assert!(none.0.is_empty() && none.1.is_empty());
}
