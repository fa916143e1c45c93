//! The filter's device code, run on the CPU, finds what its Rust code finds.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;

use aligner_core::stream::{CpuExecutor, CudaExecutor, Policy, Settings};
use fm_index::gpu::View;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::ShimBackend;
use woodstocc::Query;
use woodstocc::filter::band::Window;
use woodstocc::filter::stages::DeviceContext;
use woodstocc::filter::{context, pieces, topology};
use woodstocc::query::Queries;

fn sorted(mut windows: Vec<Window>) -> Vec<Window> {
    windows.sort_unstable_by_key(|w| (w.query, w.first, w.starts, w.distances));
    windows
}

/// Runs the same batch on the CPU and on the shim.
fn check(case: &str, letters: &[u8], reads: &[Vec<u8>], k: usize, settings: &Settings, seed: u64) {
    let reference = Reference::from_records([("text", letters)]).expect("a reference");
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
    let reads: Vec<Query<'_>> = reads.iter().map(|s| Query { name: b"", sequence: s }).collect();
    let queries = Arc::new(Queries::new(&reads));
    let wanted: Vec<u32> =
        (0..queries.len() as u32).filter(|&q| queries.codes(q as usize).len() > k).collect();
    let context = context(&index, &queries, k);
    let (app, sink) = topology(&context);
    let inputs = pieces(&wanted, k);
    let cpu = CpuExecutor::new(&app, settings).expect("an executor");
    let expected = sorted(cpu.run(&inputs).expect("runs").take(sink));

    let address = |start: *const u8| start.expose_provenance() as u64;
    let codes = address(queries.all_codes().as_ptr());
    let offsets = address(queries.offsets().as_ptr().cast());
    let on_device = DeviceContext::new(View::of_host(&index), codes, offsets, k);
    let kernels = gpualign_tests::kernels("woodstocc", "filter").expect("the build made it");
    let backend = ShimBackend::new(kernels, seed);
    let shim = CudaExecutor::with_backend(backend, &app, settings, "filter", &on_device)
        .expect("an executor");
    let found = sorted(shim.run(&inputs).expect("runs").take(sink));
    assert_eq!(found, expected, "{case}");
    let matching = expected.iter().filter(|window| window.starts != 0).count();
    assert_eq!(matching, expected.len(), "{case}: windows have matches");
}

fn reads(random: &mut fastrand::Rng, text: &[u8], count: usize, longest: usize) -> Vec<Vec<u8>> {
    (0..count)
        .map(|_| {
            let start = random.usize(..text.len());
            let length = 1 + random.usize(..longest);
            let mut read = text[start..text.len().min(start + length)].to_vec();
            for _ in 0..random.usize(..4) {
                let at = random.usize(..read.len());
                match random.usize(..3) {
                    0 => read.insert(at, b'A'),
                    1 if read.len() > 1 => drop(read.remove(at)),
                    _ => read[at] = b"ACGTN"[random.usize(..5)],
                }
            }
            read
        })
        .collect()
}

#[test]
fn windows_equal_those_of_the_cpu() {
    let settings = |random: &mut fastrand::Rng| Settings {
        width: [32, 64, 128][random.usize(..3)],
        blocks: 1 + random.u32(..3),
        policy: [Policy::Lazy, Policy::Naive][random.usize(..2)],
        output_slots: 1 + random.u32(..50),
        ..Settings::default()
    };
    for (seed, k) in (0..=15).enumerate() {
        let mut random = fastrand::Rng::with_seed(seed as u64);
        let mut letters: Vec<u8> = (0..900).map(|_| b"ACGT"[random.usize(..4)]).collect();
        letters.extend_from_within(100..300);
        letters.extend([b'C'; 40]);
        letters[500..510].fill(b'N');
        let reads = reads(&mut random, &letters, 12, 120);
        let case = format!("seed {seed}, k {k}");
        let settings = settings(&mut random);
        check(&case, &letters, &reads, k, &settings, seed as u64);
    }
}

#[test]
fn the_shortest_and_the_longest_queries() {
    let mut random = fastrand::Rng::with_seed(5);
    let letters: Vec<u8> = (0..1500).map(|_| b"ACGT"[random.usize(..4)]).collect();
    let settings = Settings { width: 32, blocks: 2, ..Settings::default() };
    for (text, read, k) in [
        (&letters[..1], &letters[..1], 0),
        (&letters[..3], &letters[..2], 1),
        (&letters[..40], &letters[20..36], 15),
        (&letters[..], &letters[200..1200], 15),
    ] {
        let case = format!("{} bases, k {k}", read.len());
        check(&case, text, &[read.to_vec()], k, &settings, 1);
    }
    check("no query", &letters, &[], 3, &settings, 1);
}
