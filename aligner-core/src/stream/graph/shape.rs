//! The shape of a topology's graph: the tree from its root, and the loops that back edges close.

use crate::stream::graph::error::TopologyError;
use crate::stream::graph::topology::{ModuleType, Target, Topology};
use crate::stream::stages::stage::Mapping;

/// The shape of a legal graph. Nodes and edges are numbered as in the topology.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Node that takes the input.
    pub(crate) root: usize,
    /// All nodes, ancestors before descendants.
    pub(crate) order: Vec<usize>,
    /// Edges by node and channel.
    pub(crate) edges: Vec<Vec<usize>>,
    /// For each node, the edge from its parent; `None` for the root.
    pub(crate) parents: Vec<Option<usize>>,
    pub(crate) loops: Vec<Loop>,
}

/// A back edge and the path that it closes.
#[derive(Debug)]
pub(crate) struct Loop {
    /// Back edge that closes the loop.
    pub(crate) back: usize,
    /// Edges of the loop, the back edge first, then against their direction.
    pub(crate) edges: Vec<usize>,
    /// Nodes of the loop, from the tail, which the back edge leaves, to the head, which it leads to.
    pub(crate) nodes: Vec<usize>,
}

impl Loop {
    /// The node that the back edge leads to.
    pub(crate) fn head(&self) -> usize {
        self.nodes[self.nodes.len() - 1]
    }

    /// The node that the back edge leaves.
    pub(crate) fn tail(&self) -> usize {
        self.nodes[0]
    }
}

impl Shape {
    /// Finds the shape of a topology with this root and these edges by node and channel, and checks that it is legal.
    pub(crate) fn new<G: Sync + ?Sized>(
        topology: &Topology<'_, G>,
        root: usize,
        edges: Vec<Vec<usize>>,
    ) -> Result<Self, TopologyError> {
        let parents = vec![None; topology.nodes.len()];
        let mut shape = Self { root, order: vec![root], edges, parents, loops: Vec::new() };
        shape.walk(topology)?;
        let reached = |node: &usize| shape.order.contains(node);
        if let Some(node) = (0..topology.nodes.len()).find(|node| !reached(node)) {
            return Err(TopologyError::Unreachable { node: topology.nodes[node].name.clone() });
        }
        shape.check_apart(topology)?;
        shape.check_gammas(topology)?;
        Ok(shape)
    }

    /// Visits all nodes from the root, breadth first. An edge to a visited node closes a loop or is illegal.
    fn walk<G: Sync + ?Sized>(&mut self, topology: &Topology<'_, G>) -> Result<(), TopologyError> {
        let mut next = 0;
        while let Some(&node) = self.order.get(next) {
            next += 1;
            for edge in self.edges[node].clone() {
                let Target::Node(to) = topology.edges[edge].to else { continue };
                if !self.order.contains(&to) {
                    self.parents[to] = Some(edge);
                    self.order.push(to);
                    continue;
                }
                let second = topology.describe(edge);
                let Some(closed) = self.close(topology, edge, node, to) else {
                    // Only the root has no parent, and it is an ancestor of all.
                    let first = self.parents[to].map_or_else(String::new, |e| topology.describe(e));
                    return Err(TopologyError::Join { first, second });
                };
                if let Some(other) = self.loops.iter().find(|other| other.head() == to) {
                    let first = topology.describe(other.back);
                    return Err(TopologyError::TwoBackEdges { first, second });
                }
                self.loops.push(closed);
            }
        }
        Ok(())
    }

    /// The loop that edge `back` closes, if it leads from `tail` to one of its ancestors or to itself.
    fn close<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
        back: usize,
        tail: usize,
        head: usize,
    ) -> Option<Loop> {
        let mut closed = Loop { back, edges: vec![back], nodes: vec![tail] };
        let mut node = tail;
        while node != head {
            let edge = self.parents[node]?;
            node = topology.edges[edge].from;
            closed.edges.push(edge);
            closed.nodes.push(node);
        }
        Some(closed)
    }

    /// Checks that two loops share no node, unless it is the head of one and the tail of the other.
    fn check_apart<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
    ) -> Result<(), TopologyError> {
        for (index, one) in self.loops.iter().enumerate() {
            for two in &self.loops[..index] {
                let touches = |node: usize| {
                    (one.head() == node && two.tail() == node)
                        || (two.head() == node && one.tail() == node)
                };
                let shared =
                    one.nodes.iter().find(|node| two.nodes.contains(node) && !touches(**node));
                if let Some(&node) = shared {
                    let (first, second) = (one.back.min(two.back), one.back.max(two.back));
                    return Err(TopologyError::Loops {
                        first: topology.describe(first),
                        second: topology.describe(second),
                        node: topology.nodes[node].name.clone(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Checks that an input of a node on a loop yields at most one item along the loop.
    fn check_gammas<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
    ) -> Result<(), TopologyError> {
        for &edge in self.loops.iter().flat_map(|closed| &closed.edges) {
            let (module, channel) = self.leaves(topology, edge);
            let name = topology.describe(edge);
            if module.mapping == Mapping::Explode {
                return Err(TopologyError::LoopExplodes { edge: name });
            }
            let most = yields(module, channel);
            if most > 1 {
                return Err(TopologyError::LoopGamma { edge: name, most });
            }
        }
        Ok(())
    }

    /// The module type and the channel that an edge leaves.
    pub(crate) fn leaves<'t, G: Sync + ?Sized>(
        &self,
        topology: &'t Topology<'_, G>,
        edge: usize,
    ) -> (&'t ModuleType<G>, usize) {
        let from = topology.edges[edge].from;
        let channel = self.edges[from].iter().take_while(|other| **other != edge).count();
        (&topology.modules[topology.nodes[from].module], channel)
    }
}

/// Whether a channel's gamma is for each element of an input, not for the whole input.
pub(crate) fn per_item<G: ?Sized>(module: &ModuleType<G>, channel: usize) -> bool {
    match module.mapping {
        Mapping::Each { .. } | Mapping::Reduce => false,
        Mapping::Explode => true,
        Mapping::Collect { .. } => channel > 0,
    }
}

/// The most items on a channel for the smallest part of an input that a firing can take.
pub(crate) fn yields<G: ?Sized>(module: &ModuleType<G>, channel: usize) -> u64 {
    let elements = if per_item(module, channel) { module.indivisible.max(1) } else { 1 };
    u64::from(module.channels[channel].gamma) * u64::from(elements)
}
