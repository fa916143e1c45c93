//! Sizes worked out by hand, and a search for states in which nothing can fire.
#![allow(clippy::expect_used)]

use std::collections::HashSet;

use super::*;
use crate::stream::graph::topology::Target;
use crate::stream::{Channel, ChannelType, Collect, Keep, Mapping, NodeId, Pod, Push, Site, Stage};

/// Channels "a", "b" and "c" of these gammas; none where the gamma is 0.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(in crate::stream) struct Emit<const A: u32, const B: u32 = 0, const C: u32 = 0>;
#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<const A: u32, const B: u32, const C: u32> bytemuck::Zeroable for Emit<A, B, C> {}
#[allow(unsafe_code)]
// SAFETY: it has no bytes.
unsafe impl<const A: u32, const B: u32, const C: u32> bytemuck::Pod for Emit<A, B, C> {}

impl<const A: u32, const B: u32, const C: u32> Stage for Emit<A, B, C> {
    type In = u64;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Emit";
    const MAPPING: Mapping = Mapping::ONE_TO_ONE;

    fn channels() -> Vec<ChannelType> {
        let gammas = [("a", A), ("b", B), ("c", C)].into_iter().filter(|(_, gamma)| *gamma > 0);
        gammas.map(|(name, gamma)| Channel::<u64>::new(0, name, gamma).describe()).collect()
    }

    fn run(&self, _: &u64, _: &Site<'_, (), ()>, _: &mut Push<'_>) {}
}

/// Packs pods of up to 6 items, and pushes up to 2 numbers, "b", for each item.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(in crate::stream) struct Pack;

impl Collect for Pack {
    type In = Pod<u32, u32, 6>;
    type Out = Pod<u32, u32, 6>;
    type Node = ();
    type Global = ();
    const NAME: &'static str = "Pack";
    const FAN: u32 = 3;
    const COLLECTED: &'static str = "a";

    fn channels() -> Vec<ChannelType> {
        vec![Channel::<u64>::new(1, "b", 2).describe()]
    }

    fn run(&self, _: &u32, _: &u32, _: &Site<'_, (), ()>, _: &mut Keep<u32>, _: &mut Push<'_>) {}

    fn header(&self, _: &u32, _: u32, _: &Site<'_, (), ()>) -> u32 {
        0
    }
}

/// Adds a node of a module type of its own.
pub(in crate::stream) fn add<S: Stage<Node = (), Global = ()>>(
    topology: &mut Topology<'_>,
    name: &str,
    stage: S,
) -> NodeId {
    let module = topology.stage(stage);
    topology.node(name, module, ())
}

/// The pipeline of the module's documentation.
fn example() -> Topology<'static> {
    let mut topology = Topology::new("example", &());
    let a = add(&mut topology, "a", Emit::<3>);
    let b = add(&mut topology, "b", Emit::<2, 1>);
    let c = add(&mut topology, "c", Emit::<1>);
    topology.source::<u64>(a);
    topology.edge(a, "a", b);
    topology.edge(b, "a", c);
    topology.edge(b, "b", b);
    topology.sink::<u64>("end", c, "a");
    topology
}

/// `m -> x -> ... -> x -> m`: x ends the loop of `m` and begins one with `between` more nodes. The
/// input goes to `m`, or to another node before it.
fn touching(between: usize, before: bool) -> Topology<'static> {
    let mut topology = Topology::new("touching", &());
    let m = add(&mut topology, "m", Emit::<1>);
    let x = add(&mut topology, "x", Emit::<1, 1, 1>);
    topology.edge(m, "a", x);
    topology.edge(x, "a", m);
    topology.sink::<u64>("end", x, "c");
    let mut last = (x, "b");
    for i in 0..between {
        let y = add(&mut topology, &format!("y{i}"), Emit::<1>);
        topology.edge(last.0, last.1, y);
        last = (y, "a");
    }
    topology.edge(last.0, last.1, x);
    if before {
        let start = add(&mut topology, "start", Emit::<1>);
        topology.source::<u64>(start);
        topology.edge(start, "a", m);
    } else {
        topology.source::<u64>(m);
    }
    topology
}

fn sized(topology: &Topology<'_>, width: u32, capacity: Capacity) -> Vec<QueueSize> {
    let settings = Settings { width, capacity, ..Settings::default() };
    let shape = topology.shape().expect("legal");
    queue_sizes(topology, &shape, &settings).expect("sizes")
}

fn slots(topology: &Topology<'_>, width: u32, capacity: Capacity) -> Vec<(u32, u32)> {
    let sizes = sized(topology, width, capacity);
    sizes.iter().map(|size| (size.capacity, size.reserve)).collect()
}

#[test]
fn the_documented_example() {
    let ensembles = slots(&example(), 128, Capacity::Ensembles(4));
    assert_eq!(ensembles, [(0, 0), (1792, 128), (3072, 0)]);
    assert_eq!(slots(&example(), 128, Capacity::Minimum), [(0, 0), (4, 1), (2, 0)]);
}

#[test]
fn products_are_limited_and_one_input_always_fits() {
    let mut topology = Topology::new("wide", &());
    let a = add(&mut topology, "a", Emit::<40>);
    let b = add(&mut topology, "b", Emit::<40>);
    let c = add(&mut topology, "c", Emit::<60_000>);
    let d = add(&mut topology, "d", Emit::<1>);
    topology.source::<u64>(a);
    for (from, to) in [(a, b), (b, c), (c, d)] {
        topology.edge(from, "a", to);
    }
    topology.sink::<u64>("end", d, "a");
    let expected = [(0, 0), (40 * 32 * 2, 0), (64 * 32 * 2, 0), (60_000, 0)];
    assert_eq!(slots(&topology, 32, Capacity::Ensembles(2)), expected);
}

#[test]
fn what_all_items_of_a_pod_yield_fits() {
    let mut topology = Topology::new("pods", &());
    let module = topology.collect(Pack);
    let [a, b] = ["a", "b"].map(|name| topology.node(name, module, ()));
    topology.source::<Pod<u32, u32, 6>>(a);
    let c = add(&mut topology, "c", Emit::<1>);
    topology.edge(a, "a", b);
    topology.edge(a, "b", c);
    topology.sink::<Pod<u32, u32, 6>>("pods", b, "a");
    topology.sink::<u64>("numbers", b, "b");
    topology.sink::<u64>("more numbers", c, "a");
    assert_eq!(slots(&topology, 32, Capacity::Minimum), [(0, 0), (3, 0), (2 * 6, 0)]);
    let expected = [(0, 0), (3 * 32, 0), (2 * 32, 0)];
    assert_eq!(slots(&topology, 32, Capacity::Ensembles(1)), expected);
}

#[test]
fn a_head_holds_all_that_is_on_touching_loops() {
    // y: 1; x: 1 + 1; m: 1 + (1 + 2).
    assert_eq!(slots(&touching(1, false), 32, Capacity::Minimum), [(4, 3), (2, 1), (1, 0)]);
    // y: 32; x: 32 + 64; m: 32 + 32 + (32 + 96).
    let expected = [(192, 128), (96, 32), (32, 0)];
    assert_eq!(slots(&touching(1, false), 32, Capacity::Ensembles(1)), expected);
}

/// A state that firings of single items lead to, with more input at any time or not, in which
/// items wait and none can fire. Outputs are any that gammas allow, but on at most one loop.
fn stuck(topology: &Topology<'_>, sizes: &[QueueSize]) -> Option<Vec<u32>> {
    let shape = topology.shape().expect("legal");
    let looped: Vec<usize> = shape.loops.iter().flat_map(|l| l.edges.clone()).collect();
    let mut seen = HashSet::from([vec![0; sizes.len()]]);
    let mut states: Vec<Vec<u32>> = seen.iter().cloned().collect();
    while let Some(state) = states.pop() {
        let free = |node: usize, back: bool| {
            let reserve = if back { 0 } else { sizes[node].reserve };
            sizes[node].capacity.saturating_sub(state[node] + reserve)
        };
        let fits = |node: usize| {
            shape.edges[node].iter().all(|&edge| match topology.edges[edge].to {
                Target::Sink(_) => true,
                Target::Node(to) => {
                    let module = |node: usize| topology.nodes[node].module;
                    let gamma =
                        shape.joint_gamma(topology, edge, |from| module(from) == module(node));
                    u64::from(free(to, shape.is_back(edge))) >= gamma
                }
            })
        };
        let mut sources: Vec<(usize, u32)> =
            (0..sizes.len()).filter(|n| state[*n] > 0 && fits(*n)).map(|n| (n, 1)).collect();
        if sources.is_empty() && state.iter().any(|count| *count > 0) {
            return Some(state);
        }
        let head = sizes[shape.root].reserve > 0;
        if fits(shape.root) && (!head || free(shape.root, false) > 0) {
            sources.push((shape.root, 0));
        }
        for (node, taken) in sources {
            let edges = &shape.edges[node];
            for chosen in 0..1 << edges.len() {
                let pushed = edges.iter().enumerate().filter(|(c, _)| chosen >> c & 1 == 1);
                if pushed.clone().filter(|(_, edge)| looped.contains(edge)).count() > 1 {
                    continue;
                }
                let mut next = state.clone();
                next[node] -= taken;
                for (channel, &edge) in pushed {
                    if let Target::Node(to) = topology.edges[edge].to {
                        next[to] += shape.leaves(topology, edge).0.channels[channel].gamma;
                    }
                }
                assert!(next.iter().zip(sizes).all(|(count, size)| *count <= size.capacity));
                if seen.insert(next.clone()) {
                    states.push(next);
                }
            }
        }
    }
    None
}

/// `a` yields to `b` and to `c`, which merge at `d`; `b` and `c` are of one module type or of two.
fn diamond(one_type: bool) -> Topology<'static> {
    let mut topology = Topology::new("diamond", &());
    let a = add(&mut topology, "a", Emit::<3, 2>);
    let ones = topology.stage(Emit::<1>);
    let others = if one_type { ones } else { topology.stage(Emit::<1>) };
    let (b, c) = (topology.node("b", ones, ()), topology.node("c", others, ()));
    let d = add(&mut topology, "d", Emit::<1>);
    topology.source::<u64>(a);
    topology.edge(a, "a", b);
    topology.edge(a, "b", c);
    topology.edge(b, "a", d);
    topology.edge(c, "a", d);
    topology.sink::<u64>("end", d, "a");
    topology
}

/// `a -> b` along two channels, of gamma 2 and 1, and `a -> c -> b`; `b` is the head of a loop with `between` more
/// nodes.
fn merging(between: usize) -> Topology<'static> {
    let mut topology = Topology::new("merging", &());
    let a = add(&mut topology, "a", Emit::<2, 1, 1>);
    let b = add(&mut topology, "b", Emit::<1, 1>);
    let c = add(&mut topology, "c", Emit::<2>);
    topology.source::<u64>(a);
    topology.edge(a, "a", b);
    topology.edge(a, "b", b);
    topology.edge(a, "c", c);
    topology.edge(c, "a", b);
    topology.sink::<u64>("end", b, "a");
    let mut last = (b, "b");
    for i in 0..between {
        let y = add(&mut topology, &format!("y{i}"), Emit::<1>);
        topology.edge(last.0, last.1, y);
        last = (y, "a");
    }
    topology.edge(last.0, last.1, b);
    topology
}

#[test]
fn queues_where_ways_merge() {
    let ensembles = |topology| slots(&topology, 32, Capacity::Ensembles(1));
    let minimum = |topology| slots(&topology, 32, Capacity::Minimum);
    let gains = [0, 3, 2, 3 + 2].map(|gain| (gain * 32, 0));
    assert_eq!(ensembles(diamond(true)), gains);
    assert_eq!(ensembles(diamond(false)), gains);
    assert_eq!(minimum(diamond(false)), [(0, 0), (3, 0), (2, 0), (1, 0)]);
    assert_eq!(minimum(diamond(true)), [(0, 0), (3, 0), (2, 0), (2, 0)]);
    // b: 2 + 1 by way of a, 2 by way of c.
    assert_eq!(ensembles(merging(0)), [(0, 0), (5 * 32 + 64, 32), (32, 0)]);
    assert_eq!(minimum(merging(0)), [(0, 0), (3 + 1, 1), (1, 0)]);
}

#[test]
fn no_reachable_state_is_stuck_where_ways_merge() {
    let diamonds = [true, false].map(diamond);
    for topology in diamonds.into_iter().chain((0..4).map(merging)) {
        assert_eq!(stuck(&topology, &sized(&topology, 32, Capacity::Minimum)), None);
    }
    // A reserve is needed as on a path.
    let mut sizes = sized(&merging(1), 32, Capacity::Minimum);
    sizes[1].reserve = 0;
    assert!(stuck(&merging(1), &sizes).is_some());
    // A queue without room for an input of each node of a module type would let none of them fire.
    let mut sizes = sized(&diamond(true), 32, Capacity::Minimum);
    sizes[3].capacity = 1;
    assert!(stuck(&diamond(true), &sizes).is_some());
}

#[test]
fn no_reachable_state_is_stuck() {
    let touching = (0..4).flat_map(|between| [true, false].map(|start| touching(between, start)));
    for topology in touching.chain([example()]) {
        assert_eq!(stuck(&topology, &sized(&topology, 32, Capacity::Minimum)), None);
    }
}

#[test]
fn reserves_are_needed() {
    let mut sizes = sized(&example(), 32, Capacity::Minimum);
    sizes[1].reserve = 0;
    // The loop is full.
    assert_eq!(stuck(&example(), &sizes), Some(vec![0, 4, 0]));
    // A reserve of one slot, enough for a loop alone, is not for loops that touch.
    let topology = touching(1, true);
    let mut sizes = sized(&topology, 32, Capacity::Minimum);
    sizes[0] = QueueSize { capacity: 2, reserve: 1 };
    assert_eq!(stuck(&topology, &sizes), Some(vec![2, 1, 0, 0]));
}
