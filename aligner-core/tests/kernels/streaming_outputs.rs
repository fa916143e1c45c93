//! Input and output of the streaming runtime's device code: full sinks, slices, cancellation, few inputs. Run on the
//! CPU and, if ignored tests are asked for, on a GPU.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::ops::ControlFlow;

use aligner_core::gpu::Gpu;
use aligner_core::stream::{
    CudaExecutor, Item, Kernels, OutputScheme, Outputs, Policy, Progress, RunError, Settings,
    SinkId, Topology, oracle,
};
use gpualign_tests::ShimBackend;

use crate::stream_common::tokens::{Expand, Knob, Route, Token, input};

const SCHEMES: [OutputScheme; 3] =
    [OutputScheme::Regions, OutputScheme::Atomics, OutputScheme::CountThenWrite];

/// The pipeline `route --left--> expand --copies--> sink`, with a second sink on the channel "right" of `route`. The
/// first sink receives three times as many items as the second.
struct Fork {
    topology: Topology<'static>,
    sinks: [SinkId<Token>; 2],
}

impl Fork {
    fn new() -> Self {
        let mut topology = Topology::new("fork", &());
        let (route, expand) = (topology.stage(Route), topology.stage(Expand));
        let threshold = u32::MAX / 3 * 2;
        let route = topology.node("route", route, Knob { seed: 1, threshold });
        let expand = topology.node("expand", expand, Knob { seed: 2, threshold: 0 });
        topology.source::<Token>(route);
        topology.edge(route, "left", expand);
        let copies = topology.sink("copies", expand, "copies");
        let right = topology.sink("right", route, "right");
        Self { topology, sinks: [copies, right] }
    }

    /// The items of both sinks, sorted.
    fn take(&self, outputs: &mut Outputs) -> [Vec<Token>; 2] {
        self.sinks.map(|sink| {
            let mut items = outputs.take(sink);
            items.sort_unstable();
            items
        })
    }

    fn expected(&self, inputs: &[Token]) -> [Vec<Token>; 2] {
        self.take(&mut oracle::interpret(&self.topology, inputs).expect("it is legal"))
    }
}

fn inputs(count: u32) -> Vec<Token> {
    (0..count).map(input).collect()
}

type Report<'a> = &'a mut dyn FnMut(Progress) -> ControlFlow<()>;

/// The device that the application runs on.
enum Runner {
    Shim,
    Gpu(Gpu),
}

impl Runner {
    fn run_with<T: Item>(
        &self,
        fork: &Fork,
        settings: &Settings,
        inputs: &[T],
        report: Report<'_>,
    ) -> Result<Outputs, RunError> {
        match self {
            Self::Shim => {
                let module = gpualign_tests::kernels("tests", "tokens").expect("the build made it");
                let backend = ShimBackend::new(module, 1);
                CudaExecutor::with_backend(backend, &fork.topology, settings, "fork", &())?
                    .run_with(inputs, report)
            }
            Self::Gpu(gpu) => {
                let fatbin = include_bytes!("../../../tests/cuda/tokens.fatbin");
                let kernels = Kernels { name: "fork", fatbin };
                CudaExecutor::new(gpu, &fork.topology, settings, &kernels, &())?
                    .run_with(inputs, report)
            }
        }
    }

    /// Runs the application, and records the progress that was reported.
    fn run(&self, fork: &Fork, settings: &Settings, inputs: &[Token]) -> (Outputs, Vec<Progress>) {
        let mut seen = Vec::new();
        let report: Report<'_> = &mut |progress| {
            seen.push(progress);
            ControlFlow::Continue(())
        };
        let outputs = self
            .run_with(fork, settings, inputs, report)
            .unwrap_or_else(|error| panic!("{error}\n{settings:?}"));
        (outputs, seen)
    }
}

const BLOCKS: u32 = 2;

/// Regions hold all outputs, half of them, or very few: outputs that do not fit in the first launch take another one.
fn check_overflow(runner: &Runner, count: u32) {
    let (fork, inputs) = (Fork::new(), inputs(count));
    let expected = fork.expected(&inputs);
    let total: usize = expected.iter().map(Vec::len).sum();
    let half = expected[0].len() as u32 / (2 * BLOCKS);
    for outputs in SCHEMES {
        for (output_slots, overflow) in [(u32::MAX, 0), (half, 50), (1, 100)] {
            let settings = Settings {
                width: 32,
                blocks: BLOCKS,
                output_slots,
                outputs,
                metrics: true,
                ..Settings::default()
            };
            let what = format!("{outputs:?}, {overflow} %");
            let (mut found, seen) = runner.run(&fork, &settings, &inputs);
            assert!(fork.take(&mut found) == expected, "{what}");
            let launches = found.metrics.launches;
            assert_eq!(launches as usize, seen.len(), "{what}: {seen:?}");
            match (outputs, overflow) {
                (OutputScheme::Regions, 0) => assert_eq!(launches, 1, "{what}"),
                (OutputScheme::Regions, _) => {
                    assert!(launches >= 2, "{what}: {launches} launches");
                    let later = total as u64 - seen[0].outputs;
                    let share = 100.0 * later as f64 / total as f64;
                    let off = (share - f64::from(overflow)).abs();
                    assert!(off < 15.0, "{what}: {share} % of the outputs came later");
                }
                // The array that all blocks share was too short, so the run was repeated.
                (OutputScheme::Atomics, _) => {
                    assert_eq!(launches, 1 + u32::from(overflow > 0), "{what}");
                }
                (OutputScheme::CountThenWrite, _) => assert_eq!(launches, 2, "{what}"),
            }
        }
    }
}

/// With likely numbers of outputs, there is room for them at once, sink by sink.
fn check_likely(runner: &Runner, count: u32) {
    let (fork, inputs) = (Fork::new(), inputs(count));
    let expected = fork.expected(&inputs);
    let [copies, right] = [0, 1].map(|sink| expected[sink].len() as u64);
    for (likely_outputs, fits) in
        [(vec![copies, right], true), (vec![copies], false), (vec![0, right], false)]
    {
        let settings = Settings {
            width: 32,
            blocks: BLOCKS,
            output_slots: 1,
            likely_outputs,
            metrics: true,
            ..Settings::default()
        };
        let what = format!("{:?}", settings.likely_outputs);
        let (mut found, _) = runner.run(&fork, &settings, &inputs);
        assert!(fork.take(&mut found) == expected, "{what}");
        assert_eq!(found.metrics.launches == 1, fits, "{what}");
    }
}

/// Progress grows slice by slice, up to the whole input. Schemes that run twice report both runs.
fn check_slices(runner: &Runner, count: u32) {
    let (fork, inputs) = (Fork::new(), inputs(count));
    let expected = fork.expected(&inputs);
    let total: usize = expected.iter().map(Vec::len).sum();
    for outputs in SCHEMES {
        for slice in [1, 5] {
            let settings = Settings { width: 32, blocks: 3, slice, outputs, ..Settings::default() };
            let (mut found, seen) = runner.run(&fork, &settings, &inputs);
            assert!(fork.take(&mut found) == expected, "{settings:?}");
            let what = format!("{outputs:?}, slices of {slice}");
            assert!(seen.len() > 3, "{what}: {}", seen.len());
            let shrinks = |pair: &[Progress]| {
                pair[1].inputs_claimed < pair[0].inputs_claimed || pair[1].outputs < pair[0].outputs
            };
            let restarts = seen.windows(2).filter(|pair| shrinks(pair)).count();
            assert_eq!(restarts, usize::from(outputs == OutputScheme::CountThenWrite), "{what}");
            assert!(seen[0].inputs_claimed < u64::from(count), "{what}");
            assert!(seen.iter().all(|progress| progress.inputs == u64::from(count)), "{what}");
            let last = seen.last().unwrap();
            assert_eq!((last.inputs_claimed, last.outputs), (last.inputs, total as u64), "{what}");
        }
    }
}

fn check_cancellation(runner: &Runner, count: u32) {
    let (fork, inputs) = (Fork::new(), inputs(count));
    for outputs in SCHEMES {
        let settings = Settings { width: 32, blocks: 2, slice: 2, outputs, ..Settings::default() };
        let mut claimed = Vec::new();
        let report: Report<'_> = &mut |progress| {
            claimed.push(progress.inputs_claimed);
            if claimed.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let result = runner.run_with(&fork, &settings, &inputs, report);
        assert_eq!(result.err(), Some(RunError::Cancelled), "{outputs:?}");
        assert_eq!(claimed.len(), 3, "{outputs:?}");
        assert!(claimed[2] < u64::from(count), "{outputs:?}: {claimed:?}");
    }
}

/// Cancelling after the first of two runs ends the whole run.
fn check_cancellation_between_runs(runner: &Runner) {
    let (fork, inputs) = (Fork::new(), inputs(500));
    let settings =
        Settings { width: 32, outputs: OutputScheme::CountThenWrite, ..Settings::default() };
    let result = runner.run_with(&fork, &settings, &inputs, &mut |_| ControlFlow::Break(()));
    assert_eq!(result.err(), Some(RunError::Cancelled));
}

fn check_few_inputs(runner: &Runner) {
    let fork = Fork::new();
    for outputs in SCHEMES {
        for (count, blocks, policy) in [
            (0, 1, Policy::Lazy),
            (0, 3, Policy::Lazy),
            (0, 0, Policy::Naive),
            (1, 1, Policy::Naive),
            (1, 3, Policy::Lazy),
            (1, 0, Policy::Lazy),
            (2, 2, Policy::Lazy),
            (33, 0, Policy::Naive),
        ] {
            let settings = Settings {
                width: 32,
                blocks,
                policy,
                outputs,
                metrics: true,
                ..Settings::default()
            };
            let inputs = inputs(count);
            let (mut found, seen) = runner.run(&fork, &settings, &inputs);
            assert!(fork.take(&mut found) == fork.expected(&inputs), "{count}, {settings:?}");
            assert_eq!(seen[0].inputs, u64::from(count), "{settings:?}");
        }
    }
}

fn check_wrong_input(runner: &Runner) {
    let settings = Settings::default();
    let result =
        runner.run_with(&Fork::new(), &settings, &[1_u64], &mut |_| ControlFlow::Continue(()));
    let error = result.expect_err("it is refused");
    assert_eq!(error.to_string(), "the source takes Token and the input is u64");
}

/// Checks that the inputs and outputs of all modules balance.
fn check_metrics(runner: &Runner, count: u32) {
    let (fork, inputs) = (Fork::new(), inputs(count));
    for policy in [Policy::Lazy, Policy::Naive] {
        let settings =
            Settings { width: 64, blocks: 3, policy, metrics: true, ..Settings::default() };
        let (mut found, _) = runner.run(&fork, &settings, &inputs);
        let taken: usize = fork.take(&mut found).iter().map(Vec::len).sum();
        let metrics = &found.metrics;
        assert_eq!((metrics.width, metrics.blocks), (64, 3));
        let [route, expand] = &metrics.modules[..] else { panic!("{metrics:?}") };
        assert_eq!((route.items_in, route.items_out), (u64::from(count), u64::from(count)));
        assert_eq!(route.items_out + expand.items_out, expand.items_in + taken as u64);
        for module in [route, expand] {
            assert_eq!(module.lanes, module.items_in, "{module:?}");
            assert!(module.lanes <= module.ensembles * u64::from(module.ensemble), "{module:?}");
            assert!(module.full_firings <= module.firings, "{module:?}");
        }
    }
}

#[test]
fn overflow_loses_nothing() {
    check_overflow(&Runner::Shim, 3000);
}

#[test]
fn what_is_likely_has_room_at_once() {
    check_likely(&Runner::Shim, 3000);
}

#[test]
fn progress_grows_and_ends_with_everything() {
    check_slices(&Runner::Shim, 2000);
}

#[test]
fn cancellation_stops_early() {
    check_cancellation(&Runner::Shim, 4000);
    check_cancellation_between_runs(&Runner::Shim);
}

#[test]
fn no_input_and_few_inputs() {
    check_few_inputs(&Runner::Shim);
}

#[test]
fn inputs_of_another_type_are_refused() {
    check_wrong_input(&Runner::Shim);
}

#[test]
fn metrics_balance() {
    check_metrics(&Runner::Shim, 3000);
}

#[test]
#[ignore = "needs a GPU"]
fn the_same_on_a_gpu() {
    let runner = Runner::Gpu(Gpu::open(0).expect("a GPU"));
    check_overflow(&runner, 100_000);
    check_likely(&runner, 100_000);
    check_slices(&runner, 20_000);
    check_cancellation(&runner, 100_000);
    check_cancellation_between_runs(&runner);
    check_few_inputs(&runner);
    check_wrong_input(&runner);
    check_metrics(&runner, 100_000);
}
