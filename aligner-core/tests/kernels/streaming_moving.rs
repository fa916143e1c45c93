//! Work moves between blocks, on the CPU, on the SIMT shim and on a GPU, and no item is lost or computed twice.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use aligner_core::stream::{
    Capacity, CpuExecutor, CudaExecutor, Kernels, Outputs, Policy, RunError, Settings, SinkId,
    Topology, oracle,
};

use crate::stream_common::tokens::{Token, input};
use crate::streaming::{full_trees, on_shim, sorted};

/// A device that runs an application with some settings; the number is a seed of its order of threads.
type Run<'r> = &'r dyn Fn(u64, &Topology<'_, ()>, &Settings, &[Token]) -> Result<Outputs, RunError>;

/// Inputs of which only the first few have trees, whose nodes are all items but a few.
fn few_trees(depth: u32) -> Vec<Token> {
    let hops = |id| if id < 3 { depth } else { 0 };
    (0..40).map(|id| Token { hops: hops(id), ..input(id) }).collect()
}

/// The longest time in which work has to move: on a busy machine one block may be done before another one starts.
const PATIENCE: Duration = Duration::from_mins(1);

/// Firings of the shortest launches.
const SHORTEST: u32 = 2;

/// Runs few large trees on more blocks with each of the settings until work has moved, and compares the items with those of
/// the oracle. The depth-first node is the root, or `behind` another one.
///
/// On a GPU it depends on the machine whether a block asks for work before one of the shortest launches ends: where work `may_stay`
/// then, these settings are run once.
fn few_trees_are_shared(
    (run, may_stay): (Run<'_>, bool),
    widths: &[u32],
    depth: u32,
    behind: bool,
) {
    let inputs = few_trees(depth);
    let (app, end): (Topology<'_>, SinkId<Token>) = full_trees(behind, depth);
    let expected = sorted(oracle::interpret(&app, &inputs).expect("it is legal").take(end));
    assert!(expected.len() > 1_000);
    for &width in widths {
        let base = Settings { width, blocks: 4, move_work: true, ..Settings::default() };
        let all = [
            base.clone(),
            Settings { policy: Policy::Naive, ..base.clone() },
            Settings { capacity: Capacity::Ensembles(1), slice: 50, ..base.clone() },
            Settings { capacity: Capacity::Ensembles(1), slice: SHORTEST, ..base.clone() },
            Settings { output_slots: 500, ..base },
        ];
        for settings in all {
            let (mut moved, must_move) = (0, settings.slice != SHORTEST || !may_stay);
            let start = Instant::now();
            for seed in 0.. {
                let mut outputs = run(seed, &app, &settings, &inputs)
                    .unwrap_or_else(|error| panic!("{error}: {settings:?}"));
                moved += outputs.metrics.packets;
                assert!(sorted(outputs.take(end)) == expected, "seed {seed}, {settings:?}");
                if moved > 0 || !must_move || start.elapsed() > PATIENCE {
                    break;
                }
            }
            // One processor runs one block after the other, and then nothing can move.
            let processors = std::thread::available_parallelism().map_or(1, usize::from);
            assert!(moved > 0 || !must_move || processors == 1, "nothing moved: {settings:?}");
        }
    }
}

#[test]
fn few_trees_are_shared_by_blocks_on_the_cpu() {
    let run: Run<'_> = &|_, app, settings, inputs| CpuExecutor::new(app, settings)?.run(inputs);
    for behind in [false, true] {
        few_trees_are_shared((run, false), &[32, 64], 8, behind);
    }
}

#[test]
fn few_trees_are_shared_by_blocks_on_the_shim() {
    let run: Run<'_> =
        &|seed, app, settings, inputs| on_shim("growing", seed, app, settings, inputs);
    for behind in [false, true] {
        few_trees_are_shared((run, false), &[32], 6, behind);
    }
}

#[test]
#[ignore = "needs a GPU"]
fn few_trees_are_shared_by_blocks_on_a_gpu() {
    let gpu = aligner_core::gpu::Gpu::open(0).expect("a GPU");
    let fatbin = include_bytes!("../../../tests/cuda/tokens.fatbin");
    let kernels = Kernels { name: "growing", fatbin };
    let run: Run<'_> = &|_, app, settings, inputs| {
        CudaExecutor::new(&gpu, app, settings, &kernels, &())?.run(inputs)
    };
    for behind in [false, true] {
        few_trees_are_shared((run, true), &[32, 128], 8, behind);
    }
}

#[test]
fn one_block_moves_nothing_and_ends() {
    let (app, end) = full_trees(true, 4);
    let inputs: Vec<Token> = (0..100).map(|id| Token { hops: 4, ..input(id) }).collect();
    let expected = sorted(oracle::interpret(&app, &inputs).expect("it is legal").take(end));
    for (slice, output_slots) in [(0, 1 << 14), (3, 1 << 14), (0, 1)] {
        let settings = Settings {
            width: 32,
            blocks: 1,
            slice,
            output_slots,
            move_work: true,
            ..Settings::default()
        };
        let cpu = CpuExecutor::new(&app, &settings).and_then(|cpu| cpu.run(&inputs));
        let shim = on_shim("growing", 1, &app, &settings, &inputs);
        for outputs in [cpu, shim] {
            let mut outputs = outputs.unwrap_or_else(|error| panic!("{error}: {settings:?}"));
            assert_eq!(outputs.metrics.packets, 0);
            assert!(sorted(outputs.take(end)) == expected, "{settings:?}");
        }
    }
}

#[test]
fn rests_are_not_shared_where_work_moves() {
    let (app, _) = full_trees(false, 1);
    let settings = Settings { move_work: true, share_rest: true, ..Settings::default() };
    let refused = CpuExecutor::new(&app, &settings).map(drop);
    let message = "share_rest and move_work: set one of them, or none";
    assert_eq!(refused, Err(RunError::Settings(message.to_owned())));
}
