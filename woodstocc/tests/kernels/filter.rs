//! The filter's device code, run on the CPU, finds what its Rust code finds.
// Launching a kernel is unsafe; the launch passes what the kernel takes.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::hint::black_box;
use std::sync::Arc;

use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{CpuExecutor, CudaExecutor, Items, Policy, Settings};
use fm_index::gpu::IndexView;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::{ShimBackend, reads};
use simt::{Argument, Launch};
use woodstocc::Read;
use woodstocc::filter::cuts::QueryCuts;
use woodstocc::filter::gpu::CutParameters;
use woodstocc::filter::stages::FilterDeviceContext;
use woodstocc::filter::{context, topology, windows};
use woodstocc::read::Queries;
use woodstocc::verify::Window;

const POISON: u32 = 0xDEAD_BEEF;

fn sorted(windows: &Items<Window>) -> Vec<Window> {
    let mut windows: Vec<Window> = windows.parts().flatten().copied().collect();
    windows.sort_unstable_by_key(|w| (w.query, w.first, w.starts, w.distances));
    windows
}

/// The address of host memory, as that of an array in device memory.
fn address<T>(start: *const T) -> DeviceAddress<T> {
    DeviceAddress::new(start.expose_provenance() as u64)
}

/// The bounds of all queries that the kernel `filter_cuts` writes, and 0 for queries that are not wanted.
fn cut_by_kernel(index: &FmIndex, queries: &Queries, wanted: &[u32], k: usize) -> Vec<u32> {
    let mut bounds = vec![POISON; queries.len() * (k + 2)];
    let parameters = CutParameters {
        index: IndexView::of_host(index),
        codes: address(queries.all_codes().as_ptr()),
        offsets: address(queries.offsets().as_ptr()),
        wanted: address(wanted.as_ptr()),
        bounds: address(bounds.as_mut_ptr()),
        wanted_count: wanted.len() as u32,
        k: k as u32,
    };
    let kernels = gpualign_tests::kernels("woodstocc", "cuts").expect("the build made it");
    let kernel = kernels.kernel("filter_cuts").expect("it is exported");
    // SAFETY: `filter_cuts` takes these parameters, and the arrays have the lengths that it asks for.
    unsafe { kernel.launch(&Launch::new(2, 3), &[Argument::value(parameters)]) }.expect("it runs");
    // The kernel wrote them behind the compiler's back.
    let mut bounds = black_box(bounds);
    for query in (0..queries.len()).filter(|&query| !wanted.contains(&(query as u32))) {
        let unwanted = &mut bounds[query * (k + 2)..][..k + 2];
        assert!(unwanted.iter().all(|&bound| bound == POISON), "query {query} is not cut");
        unwanted.fill(0);
    }
    bounds
}

/// Runs the same batch on the CPU and on the shim.
fn check(case: &str, letters: &[u8], reads: &[Vec<u8>], k: usize, settings: &Settings, seed: u64) {
    let reference = Reference::from_records([("text", letters)]).expect("a reference");
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
    let reads: Vec<Read<'_>> = reads.iter().map(|s| Read { name: b"", sequence: s }).collect();
    let queries = Arc::new(Queries::new(&reads));
    let wanted: Vec<u32> =
        (0..queries.len() as u32).filter(|&q| queries.codes(q as usize).len() > k).collect();
    let cuts = QueryCuts::cheapest(&index, &queries, &wanted, k);
    assert_eq!(cut_by_kernel(&index, &queries, &wanted, k), cuts.bounds(), "{case}: cuts");
    let bounds = address(cuts.bounds().as_ptr());
    let context = context(&index, &queries, k, cuts);
    let (app, sinks) = topology(&context);
    let cpu = CpuExecutor::new(&app, settings).expect("an executor");
    let all = windows(&wanted, k, (sinks, u64::MAX), |pieces| cpu.run(pieces)).expect("runs");
    let expected = sorted(&all.windows);

    let on_device = FilterDeviceContext {
        index: IndexView::of_host(&index),
        codes: address(queries.all_codes().as_ptr()),
        offsets: address(queries.offsets().as_ptr()),
        bounds,
        k: k as u32,
        padding: 0,
    };
    let kernels = gpualign_tests::kernels("woodstocc", "filter").expect("the build made it");
    let backend = ShimBackend::new(kernels, seed);
    let shim = CudaExecutor::with_backend(backend, &app, settings, "filter", &on_device)
        .expect("an executor");
    let all = windows(&wanted, k, (sinks, u64::MAX), |pieces| shim.run(pieces)).expect("runs");
    let found = sorted(&all.windows);
    assert_eq!(found, expected, "{case}");
    let matching = expected.iter().filter(|window| window.starts != 0).count();
    assert_eq!(matching, expected.len(), "{case}: windows have matches");
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

#[test]
fn frequent_pieces_are_dealt_out_in_parts() {
    let mut random = fastrand::Rng::with_seed(8);
    let mut letters: Vec<u8> = (0..400).map(|_| b"ACGT"[random.usize(..4)]).collect();
    letters.splice(200..200, b"ACGTTG".repeat(150));
    let settings = Settings { width: 64, blocks: 3, output_slots: 7, ..Settings::default() };
    let reads = [&letters[300..330], &letters[195..230], &letters[10..40]].map(<[u8]>::to_vec);
    check("a repeat", &letters, &reads, 2, &settings, 2);
}
