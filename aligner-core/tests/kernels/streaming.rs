//! The streaming runtime's device code, run on the CPU, yields the items that the oracle yields.
#![allow(clippy::expect_used, clippy::unwrap_used)]

use aligner_core::stream::{
    Capacity, CpuExecutor, CudaExecutor, Kernels, Outputs, Policy, RunError, Settings, SinkId,
    Topology, oracle,
};
use gpualign_tests::ShimBackend;

use crate::stream_common::random::{Case, StageTypes, layered_case, random_case};
use crate::stream_common::settings::settings;
use crate::stream_common::tokens::{
    Burst, Expand, Filter, Grow, Knob, Narrow, Route, Spin, Token, Wide, input,
};

pub fn sorted(mut items: Vec<Token>) -> Vec<Token> {
    items.sort_unstable();
    items
}

/// The seeds to try: `STREAM_CASES` of them, from `STREAM_SEED` on.
pub fn cases(count: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
    let first = number("STREAM_SEED").unwrap_or(0);
    first..first + number("STREAM_CASES").unwrap_or(count)
}

/// A function that makes a random application.
type Generate = fn(&mut fastrand::Rng) -> Case;

/// Random applications of all module types.
fn any(rng: &mut fastrand::Rng) -> Case {
    random_case(rng, StageTypes::All)
}

/// Applications in layers of all module types.
fn layered(rng: &mut fastrand::Rng) -> Case {
    layered_case(rng, StageTypes::All)
}

/// Random applications with depth-first nodes, half of them in layers.
fn growing(rng: &mut fastrand::Rng) -> Case {
    let case = if rng.bool() { random_case } else { layered_case };
    case(rng, StageTypes::Growing)
}

/// Runs random topologies, which `generate` makes, by `run`, and compares their outputs with the oracle's.
fn check(
    cases: std::ops::Range<u64>,
    (generate, widths): (Generate, &[u32]),
    run: impl Fn(u64, &Topology<'_, ()>, &Settings, &[Token]) -> Result<Outputs, RunError>,
) {
    for seed in cases {
        let rng = &mut fastrand::Rng::with_seed(seed);
        let case = generate(rng);
        let settings = settings(rng, widths);
        let context =
            format!("seed {seed}, {} inputs, {settings:?}\n{}", case.inputs.len(), case.text);
        let mut outputs = run(seed, &case.topology, &settings, &case.inputs)
            .unwrap_or_else(|error| panic!("{error}\n{context}"));
        let mut expected = oracle::interpret(&case.topology, &case.inputs).expect("it is legal");
        for (index, &sink) in case.sinks.iter().enumerate() {
            let (found, expected) = (sorted(outputs.take(sink)), sorted(expected.take(sink)));
            assert_eq!(found.len(), expected.len(), "sink {index}\n{context}");
            assert!(found == expected, "sink {index}\n{context}");
        }
    }
}

pub fn on_shim(
    kernel: &'static str,
    seed: u64,
    topology: &Topology<'_, ()>,
    settings: &Settings,
    inputs: &[Token],
) -> Result<Outputs, RunError> {
    let module = gpualign_tests::kernels("tests", "tokens").expect("the build made it");
    let backend = ShimBackend::new(module, seed);
    CudaExecutor::with_backend(backend, topology, settings, kernel, &())?.run(inputs)
}

#[test]
fn random_topologies_yield_what_they_mean() {
    check(cases(60), (any, &[32, 32, 64, 128, 256]), |seed, topology, settings, inputs| {
        on_shim("tokens", seed, topology, settings, inputs)
    });
}

#[test]
fn ways_that_merge_from_one_module_lose_nothing() {
    check(cases(150), (layered, &[32, 64]), |seed, topology, settings, inputs| {
        on_shim("tokens", seed, topology, settings, inputs)
    });
}

#[test]
fn depth_first_nodes_yield_whole_trees() {
    check(cases(100), (growing, &[32, 64, 128]), |seed, topology, settings, inputs| {
        on_shim("growing", seed, topology, settings, inputs)
    });
}

/// A depth-first node whose trees are full. It is the root, or gets half of the inputs and sends all to a sink, so that
/// only its stack limits what it fires. The other module types of the kernel are in a chain.
pub fn full_trees(behind: bool, depth: u32) -> (Topology<'static, ()>, SinkId<Token>) {
    let mut app = Topology::new("growing", &());
    let (filter, route) = (app.stage(Filter), app.stage(Route));
    let (expand, spin, burst) = (app.stage(Expand), app.stage(Spin), app.stage(Burst));
    let (wide, narrow, grow) = (app.stage(Wide), app.stage(Narrow), app.stage(Grow));
    let knob = |threshold| Knob { seed: 7, threshold };
    let tree = app.node("tree", grow, knob(0));
    let split = app.node("split", route, knob(1 << 31));
    // One token of 128 passes.
    let first = app.node("first", filter, knob(1 << 25));
    app.descent(tree, "children", depth);
    let end = if behind {
        app.source::<Token>(split);
        app.edge(split, "left", tree);
        app.edge(split, "right", first);
        app.sink::<Token>("end", tree, "grown")
    } else {
        app.source::<Token>(tree);
        app.edge(tree, "grown", split);
        app.edge(split, "left", first);
        app.sink::<Token>("end", split, "right")
    };
    let mut last = (first, "accept");
    for (name, module, channel) in [
        ("narrow", narrow, "accept"),
        ("wide", wide, "lanes"),
        ("burst", burst, "parts"),
        ("expand", expand, "copies"),
        ("spin", spin, "out"),
    ] {
        let node = app.node(name, module, knob(1 << 31));
        app.edge(last.0, last.1, node);
        last = (node, channel);
    }
    app.edge(last.0, "again", last.0);
    app.edge_to_sink(last.0, "out", end);
    (app, end)
}

#[test]
fn full_trees_fit_the_stack() {
    for (seed, behind) in [(0, false), (1, true)] {
        for depth in [1, 3, 5] {
            let (app, end) = full_trees(behind, depth);
            let inputs: Vec<Token> = (0..40).map(|id| Token { hops: depth, ..input(id) }).collect();
            let mut expected = oracle::interpret(&app, &inputs).expect("it is legal");
            let expected = sorted(expected.take(end));
            assert!(!expected.is_empty(), "depth {depth}");
            for (capacity, policy) in [
                (Capacity::Minimum, Policy::Lazy),
                (Capacity::Minimum, Policy::Naive),
                (Capacity::Ensembles(1), Policy::Lazy),
            ] {
                let settings =
                    Settings { width: 32, blocks: 2, capacity, policy, ..Settings::default() };
                let cpu = CpuExecutor::new(&app, &settings).and_then(|cpu| cpu.run(&inputs));
                let shim = on_shim("growing", seed, &app, &settings, &inputs);
                for (device, outputs) in [("CPU", cpu), ("shim", shim)] {
                    let what = format!("{device}, depth {depth}, behind: {behind}, {settings:?}");
                    let mut outputs = outputs.unwrap_or_else(|error| panic!("{error}: {what}"));
                    assert!(sorted(outputs.take(end)) == expected, "{what}");
                }
            }
            // A stack for half the depth fills up, and the run says so.
            if depth == 5 {
                let (app, _) = full_trees(behind, 2);
                let settings = Settings { width: 32, blocks: 1, ..Settings::default() };
                let settings = Settings { capacity: Capacity::Minimum, ..settings };
                let error = on_shim("growing", seed, &app, &settings, &inputs).err();
                assert!(matches!(error, Some(RunError::Stuck { .. })), "{error:?}");
                let cpu = CpuExecutor::new(&app, &settings).and_then(|cpu| cpu.run(&inputs));
                assert!(matches!(cpu, Err(RunError::Stuck { .. })), "{:?}", cpu.err());
            }
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn random_topologies_yield_what_they_mean_on_a_gpu() {
    let gpu = aligner_core::gpu::Gpu::open(0).expect("a GPU");
    let fatbin = include_bytes!("../../../tests/cuda/tokens.fatbin");
    let widths = &[32, 64, 128, 256, 512, 1024];
    let apps: [(Generate, _); 3] = [(any, "tokens"), (layered, "tokens"), (growing, "growing")];
    for (generate, name) in apps {
        check(cases(300), (generate, widths), |_, topology, settings, inputs| {
            let kernels = Kernels { name, fatbin };
            CudaExecutor::new(&gpu, topology, settings, &kernels, &())?.run(inputs)
        });
    }
}
