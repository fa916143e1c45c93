//! The plan of a run: a checked topology as executors use it, with nodes sorted by module type, edges by node and
//! channel, and the sizes of queues.

pub(crate) mod depth_first;
pub(crate) mod queue_sizes;
pub(crate) mod walk;

use std::ops::Range;

use self::depth_first::Descent;
use self::queue_sizes::queue_sizes;
use self::walk::PlannedWalk;
use crate::stream::graph::shape::{Shape, per_item};
use crate::stream::graph::topology::{Target, Topology};
use crate::stream::run::error::RunError;
use crate::stream::run::settings::{Capacity, Settings};
use crate::stream::stages::stage::Mapping;

/// The most items that a step of a walk takes of several pods, which a GPU's block has in shared memory.
const MOST_ITEMS_AT_ONCE: u32 = 1 << 12;

/// A topology whose nodes are sorted and whose queues are sized for some settings.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Number of items in an ensemble.
    pub(crate) width: u32,
    /// Node that takes the input.
    pub(crate) root: usize,
    /// Module types, in the order of the topology.
    pub(crate) modules: Vec<PlannedModule>,
    /// Nodes by module type, then by declaration.
    pub(crate) nodes: Vec<PlannedNode>,
    /// Edges by node, then by channel.
    pub(crate) edges: Vec<PlannedEdge>,
    /// Sinks, in the order of the topology.
    pub(crate) sinks: Vec<PlannedSink>,
}

/// A module type of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedModule {
    /// Nodes of the module type, in the order of the plan.
    pub(crate) nodes: Range<usize>,
    /// Whether an input takes as many lanes as it has elements.
    pub(crate) explodes: bool,
    /// The most elements of an input that a firing cannot divide.
    pub(crate) indivisible: u32,
}

/// A node of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedNode {
    /// Index of the node in the topology.
    pub(crate) declared: usize,
    pub(crate) module: usize,
    /// Rank among the nodes of the module type, below 32.
    pub(crate) tag: u8,
    /// Slots of the queue. 0 for a root that heads no loop, whose only input is the window.
    pub(crate) capacity: u32,
    /// Slots that only the back edge of the loop may use; 0 unless the node heads a loop.
    pub(crate) reserve: u32,
    /// Its channel back to itself, if it is depth-first.
    pub(crate) descent: Option<Descent>,
    /// Its stacks, if it walks.
    pub(crate) walk: Option<PlannedWalk>,
    /// Bytes of a slot.
    pub(crate) slot_bytes: usize,
    /// Index of the edge of channel 0.
    pub(crate) first_edge: usize,
}

/// The part of an edge in loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    /// The edge leads on.
    Forward,
    /// The edge closes a loop: it leads to a node that all ways to its own node pass, or back to its own node.
    Back,
    /// The edge leads from a depth-first node back to it.
    Descent,
}

/// An edge of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedEdge {
    /// Target, numbered as in the plan.
    pub(crate) to: Target,
    /// Gamma of the channel.
    pub(crate) gamma: u32,
    /// Sum of gammas over the channels of the node that lead to the target.
    pub(crate) node_gamma: u32,
    /// Sum of gammas over the channels of all nodes of the module type that lead to the target; for a back edge, its
    /// gamma alone.
    pub(crate) module_gamma: u32,
    pub(crate) kind: EdgeKind,
    /// Whether the gamma counts for each element of an input, or visit of a walk, not for the whole input.
    pub(crate) per_item: bool,
    /// Whether this is a back edge whose head has another in-edge from a node of the same module type, so that one
    /// firing may fill the queue along both. Then the back edge may use the reserve and nothing more, and forward edges
    /// leave the reserve alone.
    pub(crate) shared: bool,
}

/// A sink of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlannedSink {
    /// Bytes of an item.
    pub(crate) item_bytes: usize,
}

impl Plan {
    /// Plans a topology for some settings.
    ///
    /// # Errors
    /// If the topology is not legal, or the settings are out of range or do not suit it.
    pub(crate) fn new<G: Sync + ?Sized>(
        topology: &Topology<'_, G>,
        settings: &Settings,
    ) -> Result<Self, RunError> {
        let shape = topology.shape()?;
        check_settings(topology, settings)?;
        let sizes = queue_sizes(topology, &shape, settings)?;
        let mut sorted: Vec<usize> = (0..topology.nodes.len()).collect();
        sorted.sort_by_key(|node| topology.nodes[*node].module);
        let mut places = vec![0; sorted.len()];
        for (place, node) in sorted.iter().enumerate() {
            places[*node] = place;
        }
        let modules = modules(topology, &sorted);
        let mut nodes = Vec::new();
        let mut edges = Vec::new();
        for (place, &node) in sorted.iter().enumerate() {
            let module = topology.nodes[node].module;
            nodes.push(PlannedNode {
                declared: node,
                module,
                tag: (place - modules[module].nodes.start) as u8,
                capacity: sizes[node].capacity,
                reserve: sizes[node].reserve,
                descent: Descent::of(topology, &shape, node),
                walk: PlannedWalk::of(topology, node, settings.width, settings.walk)?,
                slot_bytes: topology.modules[module].input.size(),
                first_edge: edges.len(),
            });
            for (channel, &edge) in shape.edges[node].iter().enumerate() {
                let module_of = |node: usize| topology.nodes[node].module;
                let of_node = shape.joint_gamma(topology, edge, |from| from == node);
                let of_module = shape.joint_gamma(topology, edge, |from| module_of(from) == module);
                edges.push(PlannedEdge {
                    to: match topology.edges[edge].to {
                        Target::Node(to) => Target::Node(places[to]),
                        sink @ Target::Sink(_) => sink,
                    },
                    gamma: topology.modules[module].channels[channel].gamma,
                    node_gamma: joint(topology, edge, of_node)?,
                    module_gamma: joint(topology, edge, of_module)?,
                    kind: match (topology.edges[edge].depth, shape.is_back(edge)) {
                        (Some(_), _) => EdgeKind::Descent,
                        (None, true) => EdgeKind::Back,
                        (None, false) => EdgeKind::Forward,
                    },
                    per_item: per_item(&topology.modules[module], channel),
                    shared: shared(topology, &shape, edge),
                });
            }
        }
        let item_bytes = topology.sinks.iter().map(|sink| sink.item.size());
        Ok(Self {
            width: settings.width,
            root: places[shape.root],
            modules,
            nodes,
            edges,
            sinks: item_bytes.map(|item_bytes| PlannedSink { item_bytes }).collect(),
        })
    }

    /// The nodes that walk, in the order of the topology.
    pub(crate) fn walks(&self) -> Vec<usize> {
        let mut walks: Vec<usize> =
            (0..self.nodes.len()).filter(|&node| self.nodes[node].walk.is_some()).collect();
        walks.sort_by_key(|&node| self.nodes[node].declared);
        walks
    }

    /// Edges of a node, by channel.
    pub(crate) fn edges_of(&self, node: usize) -> &[PlannedEdge] {
        let end = self.nodes.get(node + 1).map_or(self.edges.len(), |next| next.first_edge);
        &self.edges[self.nodes[node].first_edge..end]
    }

    /// Number of inputs that a block claims at a time, of `inputs` in all, when `ensemble` inputs fill an ensemble of
    /// the root: up to four ensembles if each block gets many inputs, less than an ensemble if inputs explode, and one if
    /// the root walks.
    pub(crate) fn chunk(&self, inputs: usize, blocks: usize, ensemble: usize) -> usize {
        if self.nodes[self.root].walk.is_some() {
            // An input takes long, so blocks claim one when they need it.
            1
        } else if self.modules[self.nodes[self.root].module].explodes {
            (inputs / (4 * blocks)).clamp(1, ensemble)
        } else {
            ensemble * (inputs / (16 * blocks * ensemble)).clamp(1, 4)
        }
    }

    /// Slots of each sink in a block: the number that `asked` gives, but at least as many as one input, or pod, of
    /// each node of a module type can fill.
    pub(crate) fn regions(&self, asked: impl Fn(usize) -> u32) -> Vec<u32> {
        let mut regions: Vec<u32> = (0..self.sinks.len()).map(asked).collect();
        for (index, node) in self.nodes.iter().enumerate() {
            let indivisible = self.modules[node.module].indivisible;
            for edge in self.edges_of(index) {
                if let Target::Sink(sink) = edge.to {
                    let inputs = if edge.per_item { indivisible } else { 1 };
                    regions[sink] = regions[sink].max(inputs.saturating_mul(edge.module_gamma));
                }
            }
        }
        regions
    }
}

/// Checks that the settings are in range and suit the topology.
fn check_settings<G: Sync + ?Sized>(
    topology: &Topology<'_, G>,
    settings: &Settings,
) -> Result<(), RunError> {
    let wrong = |text: String| Err(RunError::Settings(text));
    let width = settings.width;
    if !(32..=1024).contains(&width) || !width.is_multiple_of(32) {
        return wrong(format!("ensemble width {width}: expected a multiple of 32 from 32 to 1024"));
    }
    if let Capacity::Ensembles(0) = settings.capacity {
        return wrong("capacity of 0 ensembles: expected 1 or more".to_owned());
    }
    if settings.share_rest && settings.move_work {
        return wrong("share_rest and move_work: set one of them, or none".to_owned());
    }
    let walk = settings.walk;
    if topology.modules.iter().any(|module| module.walk.is_some()) {
        if !(1..=MOST_ITEMS_AT_ONCE).contains(&walk.items_at_once) {
            return wrong(format!(
                "steps of {} items at once: expected 1 to {MOST_ITEMS_AT_ONCE}",
                walk.items_at_once
            ));
        }
        if settings.move_work {
            return wrong(
                "move_work and walks, which share by themselves: set walk.shares".to_owned(),
            );
        }
        if walk.pods_at_once == 0 || walk.steps == 0 || walk.slack == 0 {
            return wrong("pods_at_once, steps and slack of walks: expected 1 or more".to_owned());
        }
    }
    if let Some(module) = topology.modules.iter().find(|module| module.indivisible > width) {
        let (name, items) = (module.name, module.indivisible);
        return wrong(format!(
            "module type {name}: pods of up to {items} items do not fit ensembles of {width}"
        ));
    }
    Ok(())
}

/// The module types of a topology whose nodes are sorted by module type.
fn modules<G: Sync + ?Sized>(topology: &Topology<'_, G>, sorted: &[usize]) -> Vec<PlannedModule> {
    let before =
        |module: usize| sorted.partition_point(|node| topology.nodes[*node].module < module);
    let planned =
        |(index, module): (usize, &crate::stream::graph::topology::ModuleType<G>)| PlannedModule {
            nodes: before(index)..before(index + 1),
            explodes: matches!(
                module.mapping,
                Mapping::Explode | Mapping::Collect { .. } | Mapping::Reduce
            ),
            indivisible: module.indivisible,
        };
    topology.modules.iter().enumerate().map(planned).collect()
}

/// A sum of gammas at the target of an edge, if it is in range.
fn joint<G: Sync + ?Sized>(
    topology: &Topology<'_, G>,
    edge: usize,
    gamma: u64,
) -> Result<u32, RunError> {
    u32::try_from(gamma).map_err(|_| {
        let edge = topology.describe(edge);
        let text = "the edges to its target yield 2^32 items or more for one input of each node";
        RunError::Settings(format!("edge {edge}: {text}"))
    })
}

/// Whether an edge is a back edge whose head has another in-edge from a node of the same module type.
fn shared<G: Sync + ?Sized>(topology: &Topology<'_, G>, shape: &Shape, edge: usize) -> bool {
    let Some(closed) = shape.loops.iter().find(|closed| closed.back == edge) else { return false };
    let (head, tail) = (closed.head(), closed.tail());
    let module = |node: usize| topology.nodes[node].module;
    shape.in_edges[head].iter().any(|&edge| module(topology.edges[edge].from) == module(tail))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::expect_used)]

    use super::*;
    use crate::stream::Pod;
    use crate::stream::plan::queue_sizes::tests::{Emit, Pack, add};

    /// `first -> step -> last`, with a self-loop at `last`, which is of the module type of `first`.
    fn alternating() -> Topology<'static> {
        let mut topology = Topology::new("alternating", &());
        let steps = topology.stage(Emit::<2>);
        let forks = topology.stage(Emit::<1, 1>);
        let first = topology.node("first", forks, ());
        let step = topology.node("step", steps, ());
        let last = topology.node("last", forks, ());
        topology.source::<u64>(first);
        topology.edge(first, "a", step);
        topology.edge(step, "a", last);
        topology.edge(last, "b", last);
        topology.sink::<u64>("end", last, "a");
        topology.sink::<u64>("rest", first, "b");
        topology
    }

    #[test]
    fn nodes_are_sorted_by_module() {
        let plan = Plan::new(&alternating(), &Settings::default()).expect("legal");
        let nodes: Vec<_> = plan.nodes.iter().map(|n| (n.declared, n.module, n.tag)).collect();
        assert_eq!(nodes, [(1, 0, 0), (0, 1, 0), (2, 1, 1)]);
        assert_eq!((plan.width, plan.root), (128, 1));
        let modules: Vec<_> = plan.modules.iter().map(|m| m.nodes.clone()).collect();
        assert_eq!(modules, [0..1, 1..3]);
        assert!(plan.nodes.iter().all(|node| node.slot_bytes == 8));
        let first_edges: Vec<_> = plan.nodes.iter().map(|node| node.first_edge).collect();
        assert_eq!(first_edges, [0, 1, 3]);
    }

    #[test]
    fn edges_are_sorted_by_node_and_channel() {
        let plan = Plan::new(&alternating(), &Settings::default()).expect("legal");
        let edges: Vec<_> = plan.edges.iter().map(|e| (e.to, e.gamma, e.kind)).collect();
        let expected = [
            (Target::Node(2), 2, EdgeKind::Forward),
            (Target::Node(0), 1, EdgeKind::Forward),
            (Target::Sink(1), 1, EdgeKind::Forward),
            (Target::Sink(0), 1, EdgeKind::Forward),
            (Target::Node(2), 1, EdgeKind::Back),
        ];
        assert_eq!(edges, expected);
        assert_eq!(plan.sinks, [PlannedSink { item_bytes: 8 }, PlannedSink { item_bytes: 8 }]);
    }

    #[test]
    fn gammas_of_collected_channels_are_per_pod() {
        let mut topology = Topology::new("pods", &());
        let module = topology.collect(Pack);
        let node = topology.node("pack", module, ());
        topology.source::<Pod<u32, u32, 6>>(node);
        topology.sink::<Pod<u32, u32, 6>>("pods", node, "a");
        topology.sink::<u64>("numbers", node, "b");
        let plan = Plan::new(&topology, &Settings::default()).expect("legal");
        assert_eq!(plan.modules, [PlannedModule { nodes: 0..1, explodes: true, indivisible: 6 }]);
        let edges: Vec<_> = plan.edges.iter().map(|e| (e.gamma, e.per_item)).collect();
        assert_eq!(edges, [(3, false), (2, true)]);
        assert_eq!(plan.nodes[0].slot_bytes, 4 + 4 + 6 * 4);
    }

    /// `parent -> head -> tail -> head`, the head of another module than the other two.
    fn looped(same_module: bool) -> Plan {
        let mut topology = Topology::new("loop", &());
        let outer = topology.stage(Emit::<1, 1>);
        let parent = topology.node("parent", outer, ());
        let head = add(&mut topology, "head", Emit::<1>);
        let tails = if same_module { outer } else { topology.stage(Emit::<1, 1>) };
        let tail = topology.node("tail", tails, ());
        topology.source::<u64>(parent);
        topology.edge(parent, "a", head);
        topology.edge(head, "a", tail);
        topology.edge(tail, "a", head);
        topology.sink::<u64>("rest", parent, "b");
        topology.sink::<u64>("end", tail, "b");
        Plan::new(&topology, &Settings::default()).expect("legal")
    }

    #[test]
    fn a_head_fed_twice_by_one_module_is_known() {
        let shared = |plan: &Plan| -> Vec<usize> {
            (0..plan.edges.len()).filter(|edge| plan.edges[*edge].shared).collect()
        };
        let plan = looped(true);
        // parent 0 (edges 0, 1), tail 1 (edges 2, 3), head 2 (edge 4).
        assert_eq!(shared(&plan), [2]);
        assert_eq!(plan.edges[2].kind, EdgeKind::Back);
        assert_eq!(plan.edges[2].to, Target::Node(2));
        assert_eq!(shared(&looped(false)), [0; 0]);
        // A parent of another module fires at another time.
        let plan = Plan::new(&alternating(), &Settings::default()).expect("legal");
        assert_eq!(shared(&plan), [0; 0]);
    }

    #[test]
    fn pods_fit_an_ensemble() {
        let mut topology = Topology::new("pods", &());
        let module = topology.collect(Pack);
        let node = topology.node("pack", module, ());
        topology.source::<Pod<u32, u32, 6>>(node);
        topology.sink::<Pod<u32, u32, 6>>("pods", node, "a");
        topology.sink::<u64>("numbers", node, "b");
        topology.modules[0].indivisible = 33;
        let narrow = Settings { width: 32, ..Settings::default() };
        let message = "module type Pack: pods of up to 33 items do not fit ensembles of 32";
        let refused = Plan::new(&topology, &narrow).map(drop);
        assert_eq!(refused, Err(RunError::Settings(message.to_owned())));
        let wide = Settings { width: 64, ..Settings::default() };
        assert!(Plan::new(&topology, &wide).is_ok());
    }
}
