//! The GPU yields what the CPU does. Needs a GPU: `cargo test -p woodstocc --test gpu -- --ignored`.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use std::sync::Arc;

use aligner_core::{Device, DeviceRequest};
use common::{Random, index, queries};
use fm_index::FmIndex;
use woodstocc::{Mapper, Params, Report, Strategy};

fn mapper(index: &Arc<FmIndex>, params: Params, request: DeviceRequest) -> Mapper {
    let device = Device::open(request).expect("a GPU").device;
    Mapper::new(Arc::clone(index), params, device).expect("a mapper")
}

fn compare(case: &str, index: &Arc<FmIndex>, reads: &[Vec<u8>], params: Params) {
    let cpu = mapper(index, params, DeviceRequest::Cpu).map(&queries(reads)).expect("maps");
    let on_gpu = mapper(index, params, DeviceRequest::Cuda(0));
    let gpu = on_gpu.map(&queries(reads)).expect("maps");
    assert_eq!(on_gpu.failure(), None, "{case}: the GPU did the work");
    assert_eq!(cpu, gpu, "{case}");
}

#[test]
#[ignore = "needs a GPU"]
fn random_reads_map_alike() {
    for seed in 0..4_u64 {
        let mut random = Random(seed);
        let mut contigs = vec![random.bases(30_000, b"ACGT"), random.bases(60, b"ACGT")];
        contigs.push(
            [random.bases(3000, b"ACGT"), vec![b'N'; 300], random.bases(500, b"AC")].concat(),
        );
        let index = index(&contigs);
        for k in 0..8 {
            let reads: Vec<Vec<u8>> = (0..60)
                .map(|_| {
                    let longest = if random.one_in(5) { 400 } else { 60 };
                    let length = 1 + random.below(longest);
                    random.read(&contigs, length.max(2 * k), k + 1)
                })
                .chain([Vec::new(), vec![b'N'; 40]])
                .collect();
            for report in [Report::Best, Report::All, Report::AllStarts] {
                for strategy in [Strategy::Trie, Strategy::Filter, Strategy::Scheme] {
                    let params = Params { k: k as u8, report, strategy, seed, ..Params::default() };
                    let case = format!("seed {seed}, k {k}, {report:?}, {strategy:?}");
                    compare(&case, &index, &reads, params);
                }
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn filter_and_scheme_find_repeats_with_many_differences() {
    let mut random = Random(77);
    let unit = random.bases(900, b"ACGT");
    let mut contig: Vec<u8> = Vec::new();
    for _ in 0..300 {
        let mut copy = unit.clone();
        for _ in 0..random.below(60) {
            let at = random.below(copy.len());
            copy[at] = random.bases(1, b"ACGT")[0];
        }
        contig.extend(copy);
    }
    contig.extend(vec![b'A'; 5000]);
    let index = index(&[contig.clone()]);
    let reads: Vec<Vec<u8>> = (0..400)
        .map(|_| {
            let length = 100 + random.below(200);
            random.read(&[contig.clone()], length, 12)
        })
        .collect();
    for k in [8, 12, 15] {
        for strategy in [Strategy::Filter, Strategy::Scheme] {
            let params = Params { k, report: Report::AllStarts, strategy, ..Params::default() };
            compare(&format!("k {k}, {strategy:?}"), &index, &reads, params);
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn hits_beyond_the_room_made_for_them_are_not_lost() {
    // Few queries with very many hits each: far more than the first launch has room for.
    let mut random = Random(3);
    let unit = random.bases(37, b"ACGT");
    let mut contig: Vec<u8> = Vec::new();
    for _ in 0..600 {
        let at = random.below(37);
        let mut copy = unit.clone();
        copy[at] = random.bases(1, b"ACGT")[0];
        contig.extend(copy);
    }
    let index = index(&[contig.clone()]);
    let reads: Vec<Vec<u8>> = (0..40)
        .map(|_| {
            let length = 30 + random.below(40);
            random.read(&[contig.clone()], length, 2)
        })
        .collect();
    let params =
        Params { k: 5, report: Report::AllStarts, strategy: Strategy::Trie, ..Params::default() };
    compare("repeats", &index, &reads, params);
}

#[test]
#[ignore = "needs a GPU"]
fn the_longest_reads_map_alike() {
    let mut random = Random(9);
    let contigs = vec![random.bases(100_000, b"ACGT")];
    let reads: Vec<Vec<u8>> = (0..40).map(|_| random.read(&contigs, 1000, 5)).collect();
    for strategy in [Strategy::Trie, Strategy::Filter, Strategy::Scheme] {
        let params = Params { k: 5, report: Report::All, strategy, ..Params::default() };
        compare(&format!("1,000 bases, {strategy:?}"), &index(&contigs), &reads, params);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn one_batch_is_searched_for_while_another_is_resolved() {
    let mut random = Random(31);
    let unit = random.bases(500, b"ACGT");
    let contig: Vec<u8> = (0..60).flat_map(|_| unit.clone()).collect();
    let contigs = vec![random.bases(200_000, b"ACGT"), contig];
    let index = index(&contigs);
    // Of different sizes, so that memory that is used again is too short or too long.
    let batches: Vec<Vec<Vec<u8>>> = (0..24)
        .map(|number| (0..=400 * (number % 5)).map(|_| random.read(&contigs, 80, 4)).collect())
        .collect();
    for strategy in [Strategy::Filter, Strategy::Trie] {
        let params = Params { k: 3, report: Report::All, strategy, ..Params::default() };
        let cpu = mapper(&index, params, DeviceRequest::Cpu);
        let on_gpu = mapper(&index, params, DeviceRequest::Cuda(0));
        let (sender, receiver) = std::sync::mpsc::sync_channel(2);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for batch in &batches {
                    let prepared = on_gpu.prepare(&queries(batch)).expect("a batch");
                    sender.send(on_gpu.search(&prepared).expect("searches")).expect("is wanted");
                }
                drop(sender);
            });
            for (batch, searched) in batches.iter().zip(receiver) {
                let found = searched.by_query();
                let mut resolver = on_gpu.resolver();
                let expected = cpu.map(&queries(batch)).expect("maps");
                for (number, expected) in expected.iter().enumerate() {
                    let mapping =
                        resolver.mapping(&found, number, &batch[number]).expect("is mapped");
                    assert_eq!(mapping, expected, "{strategy:?}, read {number}");
                }
            }
        });
        assert_eq!(on_gpu.failure(), None, "{strategy:?}: the GPU did the work");
    }
}
