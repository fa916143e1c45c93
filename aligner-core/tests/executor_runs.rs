//! Progress, cancellation, errors and metrics of runs on the CPU.
#![allow(clippy::expect_used, clippy::unwrap_used)]

mod common;

use std::ops::ControlFlow;

use aligner_core::stream::{
    Capacity, Channel, ChannelType, CpuExecutor, Metrics, ModuleMetrics, Policy, Progress, Push,
    RunError, Settings, SinkId, Site, Stage, Topology, oracle,
};
use bytemuck::{Pod, Zeroable};

use common::tokens::{Expand, Filter, Knob, Spin, Token, input};

const HALF: u32 = 1 << 31;

/// A loop, followed by five filters, each of which drops half of its input.
fn pipeline() -> (Topology<'static>, SinkId<Token>) {
    let mut topology = Topology::new("pipeline", &());
    let filter = topology.stage(Filter);
    let spin = topology.stage(Spin);
    let first = topology.node("spin", spin, Knob { seed: 1, threshold: HALF });
    topology.source::<Token>(first);
    topology.edge(first, "again", first);
    let mut last = (first, "out");
    for number in 0..5 {
        let knob = Knob { seed: 100 + number, threshold: HALF };
        let node = topology.node(&format!("filter{number}"), filter, knob);
        topology.edge(last.0, last.1, node);
        last = (node, "accept");
    }
    let sink = topology.sink::<Token>("end", last.0, last.1);
    (topology, sink)
}

fn inputs(count: u32) -> Vec<Token> {
    (0..count).map(input).collect()
}

#[test]
fn progress_is_monotone_and_ends_with_everything() {
    let (topology, sink) = pipeline();
    let settings = Settings { slice: 3, blocks: 4, output_slots: 16, ..Settings::default() };
    let executor = CpuExecutor::new(&topology, &settings).unwrap();
    let mut seen = Vec::new();
    let report = &mut |progress| {
        seen.push(progress);
        ControlFlow::Continue(())
    };
    let mut outputs = executor.run_with(&inputs(20_000), report).unwrap();
    assert!(seen.len() > 10);
    for pair in seen.windows(2) {
        assert!(pair[0].inputs_claimed <= pair[1].inputs_claimed);
        assert!(pair[0].outputs <= pair[1].outputs);
    }
    let last = seen.last().unwrap();
    assert_eq!((last.inputs_claimed, last.inputs), (20_000, 20_000));
    assert_eq!(last.outputs, outputs.take(sink).len() as u64);
    assert!(seen[0].inputs_claimed < 20_000);
}

#[test]
fn cancellation_stops_early() {
    let (topology, _) = pipeline();
    let settings = Settings { slice: 2, blocks: 2, ..Settings::default() };
    let executor = CpuExecutor::new(&topology, &settings).unwrap();
    let mut claimed = Vec::new();
    let report = &mut |progress: Progress| {
        claimed.push(progress.inputs_claimed);
        if claimed.len() == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let result = executor.run_with(&inputs(100_000), report);
    assert_eq!(result.unwrap_err(), RunError::Cancelled);
    assert_eq!(claimed.len(), 3);
    assert!(claimed[2] < 10_000, "{claimed:?}");
}

#[test]
fn inputs_of_another_type_are_refused() {
    let (topology, _) = pipeline();
    let executor = CpuExecutor::new(&topology, &Settings::default()).unwrap();
    let by_executor = executor.run(&[1_u64]).unwrap_err();
    assert_eq!(by_executor.to_string(), "the source takes Token and the input is u64");
    assert_eq!(oracle::interpret(&topology, &[1_u64]).unwrap_err(), by_executor);
}

/// Declares a gamma of 2, and emits three tokens for some inputs.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Boasting;

const MORE: Channel<Token> = Channel::new(0, "more", 2);

impl Stage for Boasting {
    type In = Token;
    type Node = Knob;
    type Global = ();
    const NAME: &'static str = "Boasting";

    fn channels() -> Vec<ChannelType> {
        vec![MORE.describe()]
    }

    fn run(&self, token: &Token, site: &Site<'_, Knob, ()>, push: &mut Push<'_>) {
        for _ in 0..2 + u32::from(token.hash < site.node.threshold) {
            push.to(MORE, *token);
        }
    }
}

#[test]
fn more_than_gamma_outputs_are_an_error_that_names_node_and_channel() {
    let topology = |threshold| {
        let mut topology = Topology::new("boasting", &());
        let (expand, boasting) = (topology.stage(Expand), topology.stage(Boasting));
        let root = topology.node("expand", expand, Knob { seed: 7, threshold: 0 });
        // The node that pushes too much is not the first one of its module type.
        let honest = topology.node("honest", boasting, Knob { seed: 0, threshold: 0 });
        let node = topology.node("boaster", boasting, Knob { seed: 0, threshold });
        topology.source::<Token>(root);
        topology.edge(root, "copies", honest);
        topology.edge(honest, "more", node);
        let sink = topology.sink::<Token>("end", node, "more");
        (topology, sink)
    };
    let (bad, _) = topology(HALF);
    let error = CpuExecutor::new(&bad, &Settings::default()).unwrap().run(&inputs(99)).unwrap_err();
    let expected =
        RunError::TooMany { node: "boaster".to_owned(), channel: "more".to_owned(), gamma: 2 };
    assert_eq!(error, expected);
    assert_eq!(oracle::interpret(&bad, &inputs(99)).unwrap_err(), expected);
    let (good, sink) = topology(0);
    let mut outputs =
        CpuExecutor::new(&good, &Settings::default()).unwrap().run(&inputs(99)).unwrap();
    assert!(outputs.take(sink).len() >= 99);
}

#[test]
fn metrics_balance_for_every_policy_and_size() {
    let (topology, sink) = pipeline();
    for policy in [Policy::Lazy, Policy::Naive] {
        for (capacity, share_rest) in [
            (Capacity::Minimum, true),
            (Capacity::Ensembles(1), false),
            (Capacity::Ensembles(4), true),
        ] {
            let metrics = true;
            let settings = Settings {
                policy,
                capacity,
                share_rest,
                metrics,
                blocks: 3,
                output_slots: 5,
                ..Settings::default()
            };
            let executor = CpuExecutor::new(&topology, &settings).unwrap();
            let mut outputs = executor.run(&inputs(3_000)).unwrap();
            let count = outputs.take(sink).len() as u64;
            let metrics = &outputs.metrics;
            assert_eq!((metrics.width, metrics.blocks), (128, 3));
            let sum =
                |of: fn(&ModuleMetrics) -> u64| -> u64 { metrics.modules.iter().map(of).sum() };
            assert_eq!(
                sum(|module| module.items_in) + count,
                sum(|module| module.items_out) + 3_000
            );
            for module in &metrics.modules {
                let occupancy = module.occupancy();
                assert!(occupancy > 0.0 && occupancy <= 1.0, "{settings:?} {module:?}");
                assert!(module.full_firings <= module.firings);
                assert!(module.firings <= module.ensembles);
                assert_eq!(module.lanes, module.items_in, "one element an item");
            }
            let shares = metrics.shares();
            assert!(shares.iter().all(|share| *share > 0.0), "{shares:?}");
            assert!(shares.iter().sum::<f64>() <= 1.0, "{shares:?}");
            assert!(metrics.launches > 1);
        }
    }
}

#[test]
fn without_metrics_nothing_is_measured() {
    let (topology, _) = pipeline();
    let outputs =
        CpuExecutor::new(&topology, &Settings::default()).unwrap().run(&inputs(100)).unwrap();
    assert_eq!(outputs.metrics, Metrics::default());
}

/// A pipeline of five filters as in Cole 2017, fig. 3.10 (`SameType`), all of one module type.
#[test]
fn lazy_firing_fills_nearly_all_ensembles() {
    let run = |policy| {
        let mut topology = Topology::new("filters", &());
        let filter = topology.stage(Filter);
        let nodes: Vec<_> = (0..5)
            .map(|number| {
                let knob = Knob { seed: 100 + number, threshold: HALF };
                topology.node(&format!("filter{number}"), filter, knob)
            })
            .collect();
        topology.source::<Token>(nodes[0]);
        for pair in nodes.windows(2) {
            topology.edge(pair[0], "accept", pair[1]);
        }
        topology.sink::<Token>("end", nodes[4], "accept");
        let settings = Settings { policy, blocks: 8, metrics: true, ..Settings::default() };
        let executor = CpuExecutor::new(&topology, &settings).unwrap();
        executor.run(&inputs(200_000)).unwrap().metrics
    };
    let (lazy, naive) = (run(Policy::Lazy), run(Policy::Naive));
    assert!(lazy.full_firings() > 0.93, "{lazy:?}");
    assert!(lazy.full_firings() > naive.full_firings(), "{naive:?}");
}
