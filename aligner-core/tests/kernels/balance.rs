//! Balanced loops visit every inner iteration once, and share the long ones among the team.
// Launching a kernel is unsafe; the launch passes what both kernels in `kernels/balance.cu` take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use gpualign_tests::{BalanceParameters, input, output};
use simt::{Argument, Launch, Module};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("tests", "balance").expect("the build made it"));

/// Shapes of blocks: one warp, one thread, a warp and a thread, two warps, three dimensions, and the largest block.
const SHAPES: [[u32; 3]; 6] =
    [[32, 1, 1], [1, 1, 1], [33, 1, 1], [64, 1, 1], [5, 3, 7], [1024, 1, 1]];
const BLOCKS: u32 = 2;
const POISON: u32 = 0xCDCD_CDCD;
/// Cells after each array that no kernel may touch.
const MARGIN: usize = 64;
/// Number of times that the kernels run all loops.
const TIMES: u32 = 2;

/// Records of a launch. The kernel adds to the values before.
struct Records {
    /// For each iteration, how often it was visited.
    visits: Vec<u32>,
    /// For each iteration, the thread of the grid that visited it.
    threads: Vec<u32>,
    /// For each outer iteration, how often its size was asked for.
    asked: Vec<u32>,
}

fn offsets(sizes: &[u32]) -> Vec<u64> {
    let sums = sizes.iter().scan(0, |sum, &size| Some(std::mem::replace(sum, *sum + size as u64)));
    sums.collect()
}

fn launch(kernel: &str, shape: [u32; 3], seed: u64, sizes: &[u32], threshold: u32) -> Records {
    let iterations = sizes.iter().sum::<u32>() as usize;
    let offsets = offsets(sizes);
    let mut records = Records {
        visits: vec![POISON; iterations + MARGIN],
        threads: vec![POISON; iterations + MARGIN],
        asked: vec![POISON; sizes.len() + MARGIN],
    };
    let arguments = [Argument::value(BalanceParameters {
        sizes: input(sizes),
        offsets: input(&offsets),
        visits: output(&mut records.visits),
        threads: output(&mut records.threads),
        asked: output(&mut records.asked),
        count: sizes.len() as u32,
        threshold,
    })];
    let kernel = KERNELS.kernel(kernel).expect("it is exported");
    let shape = Launch { block: shape, ..Launch::new(BLOCKS, 1).seed(seed) };
    // SAFETY: the arrays have a cell for each iteration and each outer iteration.
    unsafe { kernel.launch(&shape, &arguments) }.expect("it has no bug");
    records
}

/// The first thread of the grid, and the number of threads, of each team.
fn teams(kernel: &str, threads: u32) -> Vec<(u32, u32)> {
    let width = if kernel == "by_warp" { 32 } else { threads };
    let in_block = |block| {
        (0..threads)
            .step_by(width as usize)
            .map(move |first| (block * threads + first, width.min(threads - first)))
    };
    (0..BLOCKS).flat_map(in_block).collect()
}

fn check(kernel: &str, shape: [u32; 3], seed: u64, sizes: &[u32], threshold: u32, case: &str) {
    let case = format!("{kernel}, {case}, block {shape:?}, threshold {threshold}, seed {seed}");
    let records = launch(kernel, shape, seed, sizes, threshold);
    let offsets = offsets(sizes);
    let teams = teams(kernel, shape.iter().product());
    let once = POISON + TIMES;
    let iterations = records.visits.len() - MARGIN;
    assert!(records.visits[..iterations].iter().all(|&visits| visits == once), "{case}");
    assert!(records.asked[..sizes.len()].iter().all(|&asked| asked == once), "{case}");
    for untouched in [
        &records.visits[iterations..],
        &records.threads[iterations..],
        &records.asked[sizes.len()..],
    ] {
        assert!(untouched.iter().all(|&cell| cell == POISON), "{case}: beyond the end");
    }
    for (team, &(first, width)) in teams.iter().enumerate() {
        let part = |team: usize| sizes.len() * team / teams.len();
        for i in part(team)..part(team + 1) {
            let start = offsets[i] as usize;
            let by = &records.threads[start..start + sizes[i] as usize];
            if sizes[i] <= threshold {
                let threads: BTreeSet<u32> = by.iter().copied().collect();
                assert!(threads.len() <= 1, "{case}: several threads ran the short loop {i}");
                assert!(threads.iter().all(|by| (first..first + width).contains(by)), "{case}");
            } else {
                let shared = (0..sizes[i]).map(|j| first + j % width);
                assert!(by.iter().copied().eq(shared), "{case}: loop {i} was not shared");
            }
        }
    }
}

/// Checks these sizes under both kernels and all block shapes.
fn check_all(sizes: &[u32], threshold: u32, case: &str) {
    for kernel in ["by_warp", "by_block"] {
        for shape in SHAPES {
            for seed in 0..3 {
                check(kernel, shape, seed, sizes, threshold, case);
            }
        }
    }
}

#[test]
fn loops_around_the_threshold() {
    for threshold in [0, 1, 32, 100] {
        let around = [0, 1, threshold, threshold + 1, 0, threshold + 1, threshold, 1, 0];
        for (case, sizes) in [
            ("no loops", &[][..]),
            ("one empty loop", &[0]),
            ("one short loop", &[threshold]),
            ("one long loop", &[threshold + 1]),
            ("around the threshold", &around),
        ] {
            check_all(sizes, threshold, case);
        }
    }
}

#[test]
fn a_huge_loop_among_short_ones() {
    let mut sizes = vec![1; 50];
    sizes[17] = 50_000;
    check_all(&sizes, 32, "a huge loop");
}

#[test]
fn more_loops_than_the_buffer_holds() {
    for (case, size) in [("all long", 40), ("all short", 3), ("all empty", 0)] {
        check_all(&[size; 200], 32, case);
    }
}

#[test]
fn any_threshold_for_mixed_loops() {
    let mut random = fastrand::Rng::with_seed(44);
    let size = |_| {
        let most = 1 << random.u32(0..8);
        random.u32(0..=most)
    };
    let sizes: Vec<u32> = (0..300).map(size).collect();
    for threshold in [0, 8, 32, u32::MAX] {
        check_all(&sizes, threshold, "mixed");
    }
}
