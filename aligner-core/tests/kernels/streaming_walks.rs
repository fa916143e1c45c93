//! Walks in the streaming runtime's device code, run on the CPU, yield the items that the oracle yields.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::gpu::Gpu;
use aligner_core::stream::{
    Capacity, ChannelType, Children, CpuExecutor, CudaExecutor, Kernels, OutputScheme, Outputs,
    Push, RunError, Settings, Site, Topology, Walk, WalkLimits, WalkSettings, oracle,
};
use gpualign_tests::ShimBackend;
use rayon::prelude::*;

use crate::stream_common::settings::settings;
use crate::stream_common::walks::{Descend, Forest, Found, Hit, Pace, Walks, forests, limits};
use crate::streaming::cases;

/// Runs applications: on the shim, in an order of threads that the seed gives, or on a GPU.
enum Runner {
    Shim(u64),
    Gpu(Gpu),
}

impl Runner {
    fn run(
        &self,
        topology: &Topology<'_, u32>,
        app: &'static str,
        settings: &Settings,
        global: u32,
        inputs: &[Forest],
    ) -> Result<Outputs, RunError> {
        match self {
            Self::Shim(seed) => {
                let module = gpualign_tests::kernels("tests", "walk_test").expect("it was built");
                let backend = ShimBackend::new(module, *seed);
                CudaExecutor::with_backend(backend, topology, settings, app, &global)?.run(inputs)
            }
            Self::Gpu(gpu) => {
                let fatbin = include_bytes!("../../../tests/cuda/walk_test.fatbin");
                let kernels = Kernels { name: app, fatbin };
                CudaExecutor::new(gpu, topology, settings, &kernels, &global)?.run(inputs)
            }
        }
    }
}

fn expected(walks: &Walks<'_>, inputs: &[Forest]) -> Found {
    walks.found(&mut oracle::interpret(&walks.topology, inputs).expect("it is legal"))
}

/// Fails unless the outputs are the expected ones. The message names the case, since values may be long.
fn same(walks: &Walks<'_>, run: Result<Outputs, RunError>, expected: &Found, case: &str) {
    let mut outputs = run.unwrap_or_else(|error| panic!("{error}\n{case}"));
    let found = walks.found(&mut outputs);
    let lengths = |found: &Found| (found.0.len(), found.1.len(), found.2.len());
    assert_eq!(lengths(&found), lengths(expected), "{case}");
    assert!(found == *expected, "other items: {case}");
}

/// Random walks by random settings, on the CPU executor and by `runner`.
fn check(runner: &Runner, seed: u64, widths: &[u32], most: usize) {
    let rng = &mut fastrand::Rng::with_seed(seed);
    // Walks share by themselves.
    let settings = Settings { move_work: false, ..settings(rng, widths) };
    let (limits, global) = (limits(rng), rng.u32(..));
    let inputs = forests(rng, rng.clone().usize(0..=most), limits);
    let mortality = rng.u32(1..4);
    let is_alone = rng.bool();
    let (walks, app) = if is_alone {
        (Walks::alone(&global, limits, mortality), "descents")
    } else {
        (Walks::forests(&global, limits, mortality), "forests")
    };
    let case = format!(
        "seed {seed}, {app}, {} inputs, {limits:?}, {mortality}, {settings:?}",
        inputs.len()
    );
    let expected = expected(&walks, &inputs);
    let cpu = CpuExecutor::new(&walks.topology, &settings).and_then(|cpu| cpu.run(&inputs));
    same(&walks, cpu, &expected, &format!("CPU, {case}"));
    let run = runner.run(&walks.topology, app, &settings, global, &inputs);
    same(&walks, run, &expected, &case);
}

#[test]
fn random_walks_yield_what_they_mean() {
    for seed in cases(80) {
        println!("seed {seed}");
        check(&Runner::Shim(seed), seed, &[32, 32, 64, 128, 256], 12);
    }
}

#[test]
fn stacks_of_the_least_size_suffice() {
    // All items live at all children: the largest pods.
    let limits = WalkLimits { depth: 5, elements: 90 };
    let walks = Walks::alone(&3, limits, u32::MAX);
    let inputs: Vec<Forest> = (1..5).map(|seed| Forest { seed, elements: 90, depth: 5 }).collect();
    let expected = expected(&walks, &inputs);
    assert!(expected.0.len() > 500, "{} hits", expected.0.len());
    let stacks = [(1, 1, 1), (3, 7, 1), (64, 64, 1), (64, 64, 2), (64, 200, 9), (64, 8, 30)];
    let cases: Vec<_> =
        stacks.iter().flat_map(|stacks| [1, 300, 1 << 14].map(|slots| (stacks, slots))).collect();
    cases.into_par_iter().for_each(|(&(pods_at_once, items_at_once, slack), output_slots)| {
        let walk = WalkSettings { pods_at_once, items_at_once, slack, ..Default::default() };
        let capacity = Capacity::Minimum;
        let settings =
            Settings { width: 64, blocks: 2, walk, output_slots, capacity, ..Settings::default() };
        let case = format!("{settings:?}");
        let cpu = CpuExecutor::new(&walks.topology, &settings).and_then(|cpu| cpu.run(&inputs));
        same(&walks, cpu, &expected, &format!("CPU, {case}"));
        let shim = Runner::Shim(slack.into());
        let run = shim.run(&walks.topology, "descents", &settings, 3, &inputs);
        same(&walks, run, &expected, &case);
    });
}

#[test]
fn blocks_without_an_input_are_given_pods() {
    let limits = WalkLimits { depth: 8, elements: 300 };
    let walks = Walks::alone(&5, limits, 4);
    let inputs: Vec<Forest> = (1..4).map(|seed| Forest { seed, elements: 300, depth: 8 }).collect();
    let expected = expected(&walks, &inputs);
    let walk = WalkSettings { pods_at_once: 8, items_at_once: 32, steps: 2, ..Default::default() };
    let settings = Settings { width: 32, blocks: 5, slice: 4, walk, ..Settings::default() };
    let alone = WalkSettings { shares: false, ..walk };
    for (walk, outputs) in [
        (walk, OutputScheme::Regions),
        (walk, OutputScheme::Atomics),
        (walk, OutputScheme::CountThenWrite),
        (alone, OutputScheme::Regions),
    ] {
        let settings = Settings { walk, outputs, ..settings.clone() };
        let shares = walk.shares && outputs != OutputScheme::CountThenWrite;
        let run = Runner::Shim(1).run(&walks.topology, "descents", &settings, 5, &inputs);
        let metrics = run.as_ref().map(|outputs| outputs.metrics.walks.clone()).unwrap();
        same(&walks, run, &expected, &format!("{settings:?}"));
        let [metrics] = &metrics[..] else { panic!("{metrics:?}") };
        assert_eq!(metrics.shared > 0, shares, "{metrics:?}");
        assert_eq!(metrics.steps.len(), 5);
        assert_eq!(metrics.steps.iter().all(|&steps| steps > 0), shares, "{metrics:?}");
        assert!(metrics.visit_lanes >= metrics.visits && metrics.pod_lanes >= metrics.pods);
        let cpu = CpuExecutor::new(&walks.topology, &settings).unwrap().run(&inputs).unwrap();
        assert_eq!(cpu.metrics.walks[0].shared > 0, walk.shares, "{:?}", cpu.metrics.walks);
        if outputs == OutputScheme::Regions {
            assert_eq!(cpu.metrics.walks[0].visits, metrics.visits, "sharing costs no work");
        }
    }
}

#[test]
fn walks_beyond_their_limits_end_the_run() {
    let settings = Settings { width: 32, blocks: 1, ..Settings::default() };
    let walk = WalkSettings { pods_at_once: 4, items_at_once: 8, slack: 1, ..Default::default() };
    let settings = Settings { walk, ..settings };
    // Trees of depth 9, where stacks are for depth 1: they fill up.
    let shallow = Walks::alone(&3, WalkLimits { depth: 1, elements: 90 }, u32::MAX);
    let inputs: Vec<Forest> = (1..30).map(|seed| Forest { seed, elements: 90, depth: 9 }).collect();
    let cpu = CpuExecutor::new(&shallow.topology, &settings).unwrap().run(&inputs);
    assert!(matches!(cpu, Err(RunError::Stuck { .. })), "{:?}", cpu.err());
    let shim = Runner::Shim(1).run(&shallow.topology, "descents", &settings, 3, &inputs);
    assert!(matches!(shim, Err(RunError::Stuck { .. })), "{:?}", shim.err());
    let narrow = Walks::alone(&3, WalkLimits { depth: 9, elements: 89 }, 2);
    let refused = "node walk was given an input of more than 89 elements";
    let cpu = CpuExecutor::new(&narrow.topology, &settings).unwrap().run(&inputs).err();
    assert_eq!(cpu.unwrap().to_string(), refused);
    let shim = Runner::Shim(1).run(&narrow.topology, "descents", &settings, 3, &inputs).err();
    assert_eq!(shim.unwrap().to_string(), refused);
}

/// The stage of the kernel, but with trees of up to three children a node.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Thin;

impl Walk for Thin {
    type In = Forest;
    type Header = <Descend as Walk>::Header;
    type Element = <Descend as Walk>::Element;
    type Node = Pace;
    type Global = u32;
    const NAME: &'static str = Descend::NAME;
    const FAN: u32 = 3;

    fn channels() -> Vec<ChannelType> {
        Descend::channels()
    }

    fn enter(&self, input: &Forest, site: &Site<'_, Pace, u32>) -> (Self::Header, u32) {
        Descend.enter(input, site)
    }

    fn element(&self, input: &Forest, site: &Site<'_, Pace, u32>) -> Option<Self::Element> {
        Descend.element(input, site)
    }

    fn children(
        &self,
        header: &Self::Header,
        site: &Site<'_, Pace, u32>,
        children: &mut Children<Self::Header>,
    ) {
        Descend.children(header, site, children);
    }

    fn visit(
        &self,
        child: &Self::Header,
        item: Self::Element,
        site: &Site<'_, Pace, u32>,
        push: &mut Push<'_>,
    ) -> Option<Self::Element> {
        Descend.visit(child, item, site, push)
    }
}

#[test]
fn a_kernel_for_other_trees_is_refused() {
    let mut app = Topology::new("descents", &7);
    let thin = app.walk(Thin);
    let pace = Pace { mortality: 2, depth: 1 };
    let walk = app.walk_node("walk", thin, pace, WalkLimits { depth: 1, elements: 1 });
    app.source::<Forest>(walk);
    app.sink::<Hit>("hits", walk, "hits");
    app.sink::<Forest>("seeds", walk, "seeds");
    let run = Runner::Shim(1).run(&app, "descents", &Settings::default(), 7, &[]);
    let reason =
        "kernel descents does not match the topology: the fan of Descend is 4 there and 3 here";
    assert_eq!(run.err().map(|error| error.to_string()).as_deref(), Some(reason));
}

#[test]
fn settings_of_walks_are_checked() {
    let walks = Walks::alone(&3, WalkLimits { depth: 9, elements: 90 }, 2);
    let refused = |walk| {
        let settings = Settings { walk, ..Settings::default() };
        CpuExecutor::new(&walks.topology, &settings).err().map(|error| error.to_string())
    };
    let usual = WalkSettings::default();
    assert_eq!(refused(usual), None);
    let items = refused(WalkSettings { items_at_once: 4097, ..usual });
    assert_eq!(items.as_deref(), Some("steps of 4097 items at once: expected 1 to 4096"));
    let others = "pods_at_once, steps and slack of walks: expected 1 or more";
    for walk in [
        WalkSettings { pods_at_once: 0, ..usual },
        WalkSettings { steps: 0, ..usual },
        WalkSettings { slack: 0, ..usual },
    ] {
        assert_eq!(refused(walk).as_deref(), Some(others));
    }
    let moving = Settings { move_work: true, ..Settings::default() };
    let error = CpuExecutor::new(&walks.topology, &moving).err().map(|error| error.to_string());
    let reason = "move_work and walks, which share by themselves: set walk.shares";
    assert_eq!(error.as_deref(), Some(reason));
    let huge = Walks::alone(&3, WalkLimits { depth: u32::MAX, elements: 90 }, 2);
    let error = CpuExecutor::new(&huge.topology, &Settings::default()).err().unwrap();
    assert!(error.to_string().starts_with("the stacks of node walk would have "), "{error}");
    // Queues and stacks that are given less memory than one block needs.
    let settings = Settings { queue_bytes: 1000, ..Settings::default() };
    let error = Runner::Shim(1).run(&walks.topology, "descents", &settings, 3, &[]).err().unwrap();
    assert!(matches!(
        error,
        RunError::Device(aligner_core::DeviceError::OutOfMemory(Some(1001..)))
    ));
}

#[test]
#[ignore = "needs a GPU"]
fn random_walks_yield_what_they_mean_on_a_gpu() {
    let gpu = Gpu::open(0).expect("a GPU");
    for seed in 0..300 {
        println!("seed {seed}");
        check(&Runner::Gpu(gpu.clone()), seed, &[32, 64, 128, 256], 40);
    }
}
