//! The device code of search schemes, run on the CPU, finds what the Rust code finds, in as many steps.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aligner_core::stream::{CpuExecutor, CudaExecutor, Items, Policy, Settings};
use fm_index::gpu::View;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::{ShimBackend, reads};
use woodstocc::Query;
use woodstocc::filter::band::Window;
use woodstocc::query::Queries;
use woodstocc::scheme::stages::{Addresses, DeviceContext};
use woodstocc::scheme::{Schemed, context, starts, topology};

fn sorted(windows: &Items<Window>) -> Vec<Window> {
    let mut windows: Vec<Window> = windows.parts().flatten().copied().collect();
    windows.sort_unstable_by_key(|w| (w.query, w.first, w.starts, w.distances));
    windows
}

/// One batch, to be run on the CPU and on the shim.
struct Case<'a> {
    name: String,
    letters: &'a [u8],
    reads: &'a [Vec<u8>],
    k: usize,
    few: u32,
    settings: Settings,
}

/// Returns how many nodes were extended.
fn check(case: &Case<'_>, seed: u64) -> u64 {
    let &Case { ref name, letters, reads, k, few, ref settings } = case;
    let reference = Reference::from_records([("text", letters)]).expect("a reference");
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
    let reads: Vec<Query<'_>> = reads.iter().map(|s| Query { name: b"", sequence: s }).collect();
    let queries = Arc::new(Queries::new(&reads));
    let wanted: Vec<u32> =
        (0..queries.len() as u32).filter(|&q| queries.codes(q as usize).len() > k).collect();
    let context = context(&index, &queries, k, few);
    let (app, sinks) = topology(&context);
    let inputs = starts(&wanted, k);
    let outputs = CpuExecutor::new(&app, settings).expect("an executor").run(&inputs);
    let effort = [&context.effort.nodes, &context.effort.lines].map(|c| c.load(Ordering::Relaxed));
    let expected = Schemed::new(outputs.expect("runs"), sinks, effort[0], effort[1]);

    let address = |start: *const u8| start.expose_provenance() as u64;
    // The counters begin poisoned.
    let poison = 0x5EED_0000_u64;
    let mut counters = [poison; 2];
    let addresses = Addresses {
        codes: address(queries.all_codes().as_ptr()),
        offsets: address(queries.offsets().as_ptr().cast()),
        plans: address(context.plans.as_ptr().cast()),
        effort: counters.as_mut_ptr().expose_provenance() as u64,
    };
    let on_device = DeviceContext::new(View::of_host(&index), &context, addresses);
    let kernels = gpualign_tests::kernels("woodstocc", "scheme").expect("the build made it");
    let backend = ShimBackend::new(kernels, seed);
    let shim = CudaExecutor::with_backend(backend, &app, settings, "scheme", &on_device)
        .expect("an executor");
    let outputs = shim.run(&inputs).expect("runs");
    // The kernels wrote them behind the compiler's back.
    let effort = std::hint::black_box(&counters).map(|counter| counter - poison);
    let found = Schemed::new(outputs, sinks, effort[0], effort[1]);
    assert_eq!((found.nodes, found.lines), (expected.nodes, expected.lines), "{name}: effort");
    let expected = sorted(&expected.found.windows);
    assert_eq!(sorted(&found.found.windows), expected, "{name}");
    assert!(expected.iter().all(|window| window.starts != 0), "{name}: windows have matches");
    effort[0]
}

/// A text with repeats, so that searches go on for long.
fn text(random: &mut fastrand::Rng) -> Vec<u8> {
    let mut letters: Vec<u8> = (0..700).map(|_| b"ACGT"[random.usize(..4)]).collect();
    for _ in 0..4 {
        let copy = letters.len();
        letters.extend_from_within(100..200);
        letters[copy + random.usize(..100)] = b'G';
    }
    letters.extend([b'C'; 40]);
    letters[500..510].fill(b'N');
    letters
}

#[test]
fn windows_and_effort_equal_those_of_the_cpu() {
    let mut nodes = 0;
    for seed in 0..32 {
        let k = seed as usize % 16;
        let mut random = fastrand::Rng::with_seed(seed);
        let letters = text(&mut random);
        let reads = reads(&mut random, &letters, 8, 120);
        let few = [0, 1, 4, 50][random.usize(..4)];
        let settings = Settings {
            width: [32, 64, 128][random.usize(..3)],
            blocks: 1 + random.u32(..3),
            policy: [Policy::Lazy, Policy::Naive][random.usize(..2)],
            output_slots: 1 + random.u32(..50),
            ..Settings::default()
        };
        let name = format!("seed {seed}, k {k}, few {few}");
        nodes += check(&Case { name, letters: &letters, reads: &reads, k, few, settings }, seed);
    }
    assert!(nodes > 10_000, "{nodes} nodes in all: searches that go round the loop");
}

#[test]
fn the_shortest_and_the_longest_queries() {
    let mut random = fastrand::Rng::with_seed(5);
    let letters: Vec<u8> = (0..1500).map(|_| b"ACGT"[random.usize(..4)]).collect();
    for (text, read, k) in [
        (&letters[..1], &letters[..1], 0),
        (&letters[..3], &letters[..2], 1),
        (&letters[..40], &letters[20..36], 15),
        (&letters[..], &letters[200..1200], 15),
        (&letters[..], &letters[200..1200], 3),
    ] {
        let name = format!("{} bases, k {k}", read.len());
        let settings = Settings { width: 32, blocks: 2, ..Settings::default() };
        check(&Case { name, letters: text, reads: &[read.to_vec()], k, few: 0, settings }, 1);
    }
    let settings = Settings { width: 32, blocks: 2, ..Settings::default() };
    let name = "no query".to_owned();
    check(&Case { name, letters: &letters, reads: &[], k: 3, few: 4, settings }, 1);
}
