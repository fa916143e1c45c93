//! Seeds found by the stages of seed-extend, run on the CPU as a GPU would, are those that the CPU finds.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;

use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{CudaExecutor, Settings};
use fm_index::gpu::IndexView;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::{ShimBackend, kernels, reads};
use seed_extend::read::queries::{PackedQueries, Queries};
use seed_extend::seed::context::{SeedContext, SeedParameters};
use seed_extend::seed::seeds::{Seed, SeedOptions};
use seed_extend::seed::{cpu, searches, topology};

use crate::stream_common::settings::settings;

/// Address of an array, as kernels on the CPU see it.
fn address<T>(array: &[T]) -> DeviceAddress<T> {
    DeviceAddress::new(array.as_ptr().expose_provenance() as u64)
}

/// Compares what the stages find with what the CPU does; gives the seeds, and how many of them were found
/// by looking again.
fn check(
    letters: &[u8],
    reads: &[Vec<u8>],
    options: SeedOptions,
    settings: &Settings,
    name: &str,
) -> (Vec<Seed>, usize) {
    let reference = Reference::from_records([("text", letters)]).expect("a reference");
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
    let queries = Arc::new(Queries::new(reads.iter().map(Vec::as_slice)));
    let context = SeedContext { index: index.clone(), queries: Arc::clone(&queries), options };
    let expected = cpu::find(&context, 0..queries.len() as u32);

    let known = SeedParameters {
        index: IndexView::of_host(&index),
        queries: PackedQueries {
            words: address(queries.words()),
            unknown: address(queries.unknown()),
            word_offsets: address(queries.word_offsets()),
            offsets: address(queries.offsets()),
        },
        options,
    };
    // The host's part knows no query, as with a GPU.
    let context = SeedContext { index: index.clone(), queries: Arc::default(), options };
    let (app, sinks) = topology(&context);
    let backend = ShimBackend::new(kernels("seed-extend", "seeds").expect("it is built"), 3);
    let executor = CudaExecutor::with_backend(backend, &app, settings, "seeds", &known);
    let outputs = executor.expect("an executor").run(&searches(0..queries.len() as u32));
    let mut outputs = outputs.expect("it runs");
    assert!(outputs.take(sinks.none).is_empty(), "{name}");
    let again = outputs.take(sinks.again);
    let mut found = [outputs.take(sinks.first), again.clone()].concat();
    found.sort_unstable();
    assert_eq!(found, expected, "{name}");
    (found, again.len())
}

#[test]
fn seeds_equal_those_of_the_cpu() {
    let (mut seeds, mut again) = (0, 0);
    for seed in 0..16 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut letters: Vec<u8> = (0..900).map(|_| b"ACGT"[random.usize(..4)]).collect();
        for _ in 0..6 {
            let copy = letters.len();
            letters.extend_from_within(100..200);
            letters[copy + random.usize(..100)] = b'G';
        }
        letters.extend([b'C'; 40]);
        let mut reads = reads(&mut random, &letters, 30, 160);
        reads.extend([Vec::new(), b"A".to_vec(), vec![b'N'; 70], letters.clone()]);
        let options = SeedOptions {
            min_length: [9, 16, 19][random.usize(..3)],
            split_length: 20,
            max_split_occurrences: 6,
            rare_occurrences: 4,
        };
        let settings = settings(&mut random, &[32, 64, 128]);
        let (found, looked) = check(&letters, &reads, options, &settings, &format!("seed {seed}"));
        seeds += found.len();
        again += looked;
    }
    assert!(seeds > 1000 && again > 200, "{seeds} seeds, {again} by looking again");
}

#[test]
fn the_shortest_text_the_longest_read_and_no_reads_have_the_same_seeds() {
    let options = SeedOptions {
        min_length: 1,
        split_length: 2,
        max_split_occurrences: 9,
        rare_occurrences: 9,
    };
    let settings = Settings { width: 32, blocks: 2, ..Settings::default() };
    let ends =
        |text: &[u8], reads: &[Vec<u8>], name| check(text, reads, options, &settings, name).0;
    assert_eq!(ends(b"A", &[], "no reads"), []);
    // One base is in either orientation of one of these.
    assert_eq!(ends(b"A", &[b"A".to_vec(), b"T".to_vec(), Vec::new()], "one base").len(), 2);
    let mut random = fastrand::Rng::with_seed(1);
    let letters: Vec<u8> = (0..65_535).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let found = check(
        &letters,
        std::slice::from_ref(&letters),
        SeedOptions::default(),
        &settings,
        "longest",
    )
    .0;
    assert!(found.iter().any(|seed| seed.length == 65_535), "the read is a seed");
}
