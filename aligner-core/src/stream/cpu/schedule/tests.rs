#![allow(clippy::unwrap_used)]

use super::super::queue::Weighing;
use super::*;
use crate::stream::plan::{EdgeKind, PlannedEdge, PlannedModule, PlannedNode, PlannedSink};

/// A node of module 0, and its one edge.
fn node(tag: usize, capacity: u32, reserve: u32) -> PlannedNode {
    let first_edge = tag;
    let tag = tag as u8;
    PlannedNode {
        declared: 0,
        module: 0,
        tag,
        capacity,
        reserve,
        descent: None,
        walk: None,
        slot_bytes: 1,
        first_edge,
    }
}

fn edge(to: Target, gamma: u32, back: bool) -> PlannedEdge {
    let (node_gamma, module_gamma) = (gamma, gamma);
    let kind = if back { EdgeKind::Back } else { EdgeKind::Forward };
    PlannedEdge { to, gamma, node_gamma, module_gamma, kind, per_item: false, shared: false }
}

/// Modules of these numbers of nodes, in a pipeline of gamma `gamma` to one sink. Queues have 8
/// slots, ensembles 4 elements.
fn pipeline(modules: &[usize], gamma: u32) -> Plan {
    let count = modules.iter().sum();
    let mut start = 0;
    let modules: Vec<_> = modules
        .iter()
        .map(|nodes| {
            start += nodes;
            PlannedModule { nodes: start - nodes..start, explodes: false, indivisible: 1 }
        })
        .collect();
    let nodes = (0..count).map(|index| {
        let module = modules.iter().position(|module| module.nodes.contains(&index)).unwrap();
        PlannedNode { module, ..node(index, 8, 0) }
    });
    let edges = (1..=count).map(|next| {
        edge(if next < count { Target::Node(next) } else { Target::Sink(0) }, gamma, false)
    });
    Plan {
        width: 32,
        root: 0,
        nodes: nodes.collect(),
        edges: edges.collect(),
        sinks: vec![PlannedSink { item_bytes: 1 }],
        modules,
    }
}

fn queue(waiting: u32) -> Queue {
    let mut queue = Queue::new(Weighing::Unit, 1, 100);
    (0..waiting).for_each(|_| queue.push(&[0], 1));
    queue
}

/// Summary of a decision: the module, its parts, whether it is full, and the most ensembles.
fn decide(
    plan: &Plan,
    (waiting, window, space): (&[u32], u32, u64),
    (policy, order): (Policy, Priority),
) -> Option<Firing> {
    let queues: Vec<Queue> = waiting.iter().map(|&waiting| queue(waiting)).collect();
    let (window, ensembles) = (&queue(window), &vec![4; plan.modules.len()]);
    let (space, regions) = (&[space], &[space]);
    BlockView { plan, queues: &queues, stacks: &[], window, space, regions, ensembles }
        .decide(policy, order)
}

fn part(origin: Origin, elements: u64) -> FiringPart {
    FiringPart { origin, elements, visits: 0 }
}

const LAZY: (Policy, Priority) = (Policy::Lazy, Priority::MostFeasible);

#[test]
fn the_source_goes_first_if_it_fills_an_ensemble() {
    let plan = pipeline(&[1, 1], 1);
    let firing = decide(&plan, (&[0, 3], 9, 100), LAZY).unwrap();
    assert_eq!((firing.module, firing.elements, firing.ensembles), (0, 5, 1));
    // Five slots are left, of which one ensemble of four is used; with one less, none is.
    let firing = decide(&plan, (&[0, 5], 9, 100), LAZY).unwrap();
    assert_eq!((firing.module, firing.elements, firing.ensembles), (1, 5, 1));
    let firing = decide(&plan, (&[0, 5], 9, 100), (Policy::Naive, Priority::MostFeasible));
    assert_eq!(firing.map(|firing| firing.ensembles), Some(u64::MAX));
}

#[test]
fn without_a_full_ensemble_most_or_the_first_is_fired() {
    let plan = pipeline(&[1, 1, 1], 1);
    let state = (&[0, 1, 3][..], 0, 100);
    let firing = decide(&plan, state, LAZY).unwrap();
    assert_eq!((firing.module, firing.full, firing.ensembles), (2, false, u64::MAX));
    let firing = decide(&plan, state, (Policy::Lazy, Priority::Upstream)).unwrap();
    assert_eq!((firing.module, firing.full), (1, false));
    let firing = decide(&plan, (&[0, 2, 2], 0, 100), LAZY).unwrap();
    assert_eq!(firing.module, 1, "of equals the first");
    let firing = decide(&plan, (&[0, 1, 4], 0, 100), (Policy::Lazy, Priority::Upstream)).unwrap();
    assert_eq!((firing.module, firing.full), (2, true));
}

#[test]
fn outputs_bound_what_is_feasible() {
    let plan = pipeline(&[1, 1], 3);
    let firing = decide(&plan, (&[0, 8], 0, 20), LAZY).unwrap();
    assert_eq!(firing.elements, 6, "20 slots of the sink, at 3 an input");
    assert_eq!(decide(&plan, (&[0, 8], 2, 2), LAZY), None, "no room for the outputs of one");
    assert_eq!(decide(&plan, (&[0, 0], 0, 2), LAZY), None, "nothing waits");
}

#[test]
fn nodes_of_a_module_are_fired_together_the_window_first_only_for_the_source() {
    let plan = pipeline(&[3], 1);
    let firing = decide(&plan, (&[0, 2, 1], 5, 100), LAZY).unwrap();
    let (window, second, third) =
        (part(Origin::Window, 5), part(Origin::Node(1), 2), part(Origin::Node(2), 1));
    assert_eq!((firing.parts.to_vec(), firing.ensembles), (vec![window, second.clone(), third], 2));
    // No room below the root for the window's part, and none for an ensemble.
    let firing = decide(&plan, (&[0, 8, 0], 5, 3), LAZY).unwrap();
    assert_eq!(firing.parts[..], [part(Origin::Node(1), 8)]);
    let firing = decide(&plan, (&[0, 1, 0], 1, 100), LAZY).unwrap();
    assert_eq!(
        firing.parts[..],
        [second, part(Origin::Window, 1)].map(|p| FiringPart { elements: 1, ..p })
    );
}

/// A root with a loop to itself; its queue has 8 slots, 2 of them reserved.
#[test]
fn the_window_enters_a_loop_only_where_the_reserve_stays_free() {
    let mut plan = pipeline(&[1], 1);
    plan.nodes[0].reserve = 2;
    plan.edges[0] = edge(Target::Node(0), 1, true);
    let parts = |waiting, window| {
        decide(&plan, (&[waiting], window, 0), LAZY).map(|firing| firing.parts.to_vec())
    };
    assert_eq!(parts(0, 9), Some(vec![part(Origin::Window, 6)]));
    assert_eq!(parts(6, 9), Some(vec![part(Origin::Node(0), 2)]), "two may come back");
    let both = vec![part(Origin::Window, 3), part(Origin::Node(0), 2)];
    assert_eq!(parts(3, 9), Some(both), "8 - 3 in all");
    assert_eq!(parts(8, 9), None);
}

/// A parent and the tail of a loop, of one module, both feed the head.
#[test]
fn two_nodes_that_feed_one_queue_share_its_slots() {
    let mut plan = pipeline(&[2, 1], 1);
    plan.nodes[2].reserve = 2;
    plan.edges[0] = edge(Target::Node(2), 1, false);
    plan.edges[1] = edge(Target::Node(2), 1, true);
    plan.edges[2] = edge(Target::Node(1), 1, false);
    let firing = decide(&plan, (&[0, 8, 1], 9, 0), LAZY).unwrap();
    assert_eq!(firing.parts[..], [part(Origin::Window, 5), part(Origin::Node(1), 2)]);
}
