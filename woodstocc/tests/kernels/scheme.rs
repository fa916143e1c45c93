//! The device code of search schemes, run on the CPU, finds what the Rust code finds, in as many steps.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

use std::sync::Arc;

use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{CpuExecutor, CudaExecutor, Items, Policy, Settings};
use fm_index::gpu::IndexView;
use fm_index::{BuildOptions, FmIndex, Reference};
use gpualign_tests::{ShimBackend, reads};
use woodstocc::Read;
use woodstocc::read::Queries;
use woodstocc::scheme::stages::{SchemeCounts, SchemeDeviceContext};
use woodstocc::scheme::{SchemeWindows, context, searches, topology};
use woodstocc::verify::Window;

fn sorted(windows: &Items<Window>) -> Vec<Window> {
    let mut windows: Vec<Window> = windows.parts().flatten().copied().collect();
    windows.sort_unstable_by_key(|w| (w.query, w.first, w.starts, w.distances));
    windows
}

/// The address of host memory, as that of an array in device memory.
fn address<T>(start: *const T) -> DeviceAddress<T> {
    DeviceAddress::new(start.expose_provenance() as u64)
}

/// One batch, to be run on the CPU and on the shim.
struct Case<'a> {
    name: String,
    letters: &'a [u8],
    reads: &'a [Vec<u8>],
    k: usize,
    rare_limit: u32,
    settings: Settings,
}

/// Compares windows and work of both devices. Returns the number of branches extended.
fn check(case: &Case<'_>, seed: u64) -> u64 {
    let &Case { ref name, letters, reads, k, rare_limit, ref settings } = case;
    let reference = Reference::from_records([("text", letters)]).expect("a reference");
    let index = FmIndex::build(reference, &BuildOptions::default()).expect("an index");
    let reads: Vec<Read<'_>> = reads.iter().map(|s| Read { name: b"", sequence: s }).collect();
    let queries = Arc::new(Queries::new(&reads));
    let wanted: Vec<u32> =
        (0..queries.len() as u32).filter(|&q| queries.codes(q as usize).len() > k).collect();
    let context = context(&index, &queries, k, rare_limit);
    let (app, windows) = topology(&context);
    let inputs = searches(&wanted, k);
    let outputs = CpuExecutor::new(&app, settings).expect("an executor").run(&inputs);
    let expected = SchemeWindows::new(outputs.expect("runs"), windows, context.effort.counts());

    // The counters begin poisoned.
    let poison = 0x5EED_0000_u64;
    let mut counts = SchemeCounts { nodes: poison, lines: poison };
    let on_device = SchemeDeviceContext {
        codes: address(queries.all_codes().as_ptr()),
        offsets: address(queries.offsets().as_ptr()),
        plans: address(context.plans.as_ptr()),
        counts: address(&raw mut counts),
        ..SchemeDeviceContext::new(IndexView::of_host(&index), &context)
    };
    let kernels = gpualign_tests::kernels("woodstocc", "scheme").expect("the build made it");
    let backend = ShimBackend::new(kernels, seed);
    let shim = CudaExecutor::with_backend(backend, &app, settings, "scheme", &on_device)
        .expect("an executor");
    let outputs = shim.run(&inputs).expect("runs");
    // The kernels wrote them behind the compiler's back.
    let SchemeCounts { nodes, lines } = std::hint::black_box(counts);
    let counts = SchemeCounts { nodes: nodes - poison, lines: lines - poison };
    let found = SchemeWindows::new(outputs, windows, counts);
    assert_eq!(found.counts, expected.counts, "{name}: effort");
    let expected = sorted(&expected.found.windows);
    assert_eq!(sorted(&found.found.windows), expected, "{name}");
    assert!(expected.iter().all(|window| window.starts != 0), "{name}: windows have matches");
    counts.nodes
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
        let rare_limit = [0, 1, 4, 50][random.usize(..4)];
        let settings = Settings {
            width: [32, 64, 128][random.usize(..3)],
            blocks: 1 + random.u32(..3),
            policy: [Policy::Lazy, Policy::Naive][random.usize(..2)],
            output_slots: 1 + random.u32(..50),
            ..Settings::default()
        };
        let name = format!("seed {seed}, k {k}, rare_limit {rare_limit}");
        nodes +=
            check(&Case { name, letters: &letters, reads: &reads, k, rare_limit, settings }, seed);
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
        check(
            &Case { name, letters: text, reads: &[read.to_vec()], k, rare_limit: 0, settings },
            1,
        );
    }
    let settings = Settings { width: 32, blocks: 2, ..Settings::default() };
    let name = "no query".to_owned();
    check(&Case { name, letters: &letters, reads: &[], k: 3, rare_limit: 4, settings }, 1);
}
