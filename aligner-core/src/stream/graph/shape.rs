//! The shape of a topology's graph: its forward edges, which form no cycle, and the loops that back edges close.

use crate::stream::graph::error::TopologyError;
use crate::stream::graph::topology::{Edge, ModuleType, Node, Target, Topology};
use crate::stream::stages::stage::Mapping;

/// The shape of a legal graph. Nodes and edges are numbered as in the topology.
#[derive(Debug)]
pub(crate) struct Shape {
    /// Node that takes the input.
    pub(crate) root: usize,
    /// All nodes; each before those that its forward edges lead to.
    pub(crate) order: Vec<usize>,
    /// Edges by node and channel.
    pub(crate) edges: Vec<Vec<usize>>,
    /// For each node, the forward edges that lead to it, by declaration; none for the root.
    pub(crate) in_edges: Vec<Vec<usize>>,
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

/// The progress of the walk at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Visit {
    NotReached,
    OnPath,
    Finished,
}

impl Shape {
    /// Finds the shape of a topology with this root and these edges by node and channel, and checks that it is legal.
    pub(crate) fn new<G: Sync + ?Sized>(
        topology: &Topology<'_, G>,
        root: usize,
        edges: Vec<Vec<usize>>,
    ) -> Result<Self, TopologyError> {
        let in_edges = vec![Vec::new(); topology.nodes.len()];
        let mut shape = Self { root, order: Vec::new(), edges, in_edges, loops: Vec::new() };
        for back in shape.walk(topology)? {
            let closed = shape.close(topology, back)?;
            if let Some(other) = shape.loops.iter().find(|other| other.head() == closed.head()) {
                let (first, second) = (topology.describe(other.back), topology.describe(back));
                return Err(TopologyError::TwoBackEdges { first, second });
            }
            shape.loops.push(closed);
        }
        shape.check_apart(topology)?;
        shape.check_descents(topology)?;
        shape.check_gammas(topology)?;
        Ok(shape)
    }

    /// Visits all nodes from the root, depth first, and returns the back edges, by declaration. An edge to a node on
    /// the path from the root is a back edge. All other edges are forward edges: they lead to nodes that the walk
    /// finishes earlier, so they form no cycle, and nodes in the reverse order of finishing come before their targets.
    fn walk<G: Sync + ?Sized>(
        &mut self,
        topology: &Topology<'_, G>,
    ) -> Result<Vec<usize>, TopologyError> {
        let mut visits = vec![Visit::NotReached; topology.nodes.len()];
        let mut back = Vec::new();
        let mut path = vec![(self.root, 0)];
        visits[self.root] = Visit::OnPath;
        while let Some((node, channel)) = path.last_mut() {
            let Some(&edge) = self.edges[*node].get(*channel) else {
                visits[*node] = Visit::Finished;
                self.order.push(*node);
                path.pop();
                continue;
            };
            *channel += 1;
            let Target::Node(to) = topology.edges[edge].to else { continue };
            if visits[to] == Visit::OnPath {
                back.push(edge);
                continue;
            }
            self.in_edges[to].push(edge);
            if visits[to] == Visit::NotReached {
                visits[to] = Visit::OnPath;
                path.push((to, 0));
            }
        }
        if let Some(node) = visits.iter().position(|visit| *visit == Visit::NotReached) {
            return Err(TopologyError::Unreachable { node: topology.nodes[node].name.clone() });
        }
        self.order.reverse();
        self.in_edges.iter_mut().for_each(|edges| edges.sort_unstable());
        back.sort_unstable();
        Ok(back)
    }

    /// The loop that a back edge closes. Its nodes are found against the direction of edges, from tail to head; each of
    /// them but the head must have one in-edge.
    fn close<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
        back: usize,
    ) -> Result<Loop, TopologyError> {
        let (tail, head) = match topology.edges[back] {
            Edge { from, to: Target::Node(to), .. } => (from, to),
            Edge { from, .. } => (from, from),
        };
        let mut closed = Loop { back, edges: vec![back], nodes: vec![tail] };
        let mut node = tail;
        while node != head {
            if let [first, second, ..] = self.in_edges[node][..] {
                return Err(TopologyError::LoopEntry {
                    node: topology.nodes[node].name.clone(),
                    back: topology.describe(back),
                    first: topology.describe(first),
                    second: topology.describe(second),
                });
            }
            // The walk from the root reached the tail by way of the head, so the root comes no earlier.
            let Some(&edge) = self.in_edges[node].first() else { break };
            node = topology.edges[edge].from;
            closed.edges.push(edge);
            closed.nodes.push(node);
        }
        Ok(closed)
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

    /// Checks that descents belong to depth-first nodes, and that each of these has one and is on no other loop.
    fn check_descents<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
    ) -> Result<(), TopologyError> {
        for (node, Node { name, module, .. }) in topology.nodes.iter().enumerate() {
            let declared = &topology.modules[*module];
            let wrong = |reason| Err(TopologyError::Descent { node: name.clone(), reason });
            let is_descent = |edge: &&usize| topology.edges[**edge].depth.is_some();
            let own = match (
                self.edges[node].iter().find(is_descent),
                declared.mapping == Mapping::DepthFirst,
            ) {
                (None, false) => continue,
                (None, true) => {
                    return wrong(
                        "is depth-first and has no descent, which leads a channel back to it",
                    );
                }
                (Some(_), false) => {
                    return wrong("has a descent, and its module type is not depth-first");
                }
                (Some(&own), true) => own,
            };
            if self.loops.iter().any(|closed| closed.back != own && closed.nodes.contains(&node)) {
                return wrong("is depth-first and on a loop besides its descent");
            }
            let (_, channel) = self.leaves(topology, own);
            if declared.channels[channel].gamma == 1 {
                return wrong(
                    "has a descent of gamma 1: a loop that multiplies nothing is an edge",
                );
            }
            let of_own_type =
                |edge: &usize| topology.nodes[topology.edges[*edge].from].module == *module;
            if self.in_edges[node].iter().any(of_own_type) {
                return wrong("is depth-first and has an in-edge from a node of its module type");
            }
        }
        Ok(())
    }

    /// Checks that an input of a node on a loop yields at most one item along the loop, unless that is a descent.
    fn check_gammas<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
    ) -> Result<(), TopologyError> {
        let is_descent = |edge: usize| topology.edges[edge].depth.is_some();
        let looped = self.loops.iter().flat_map(|closed| &closed.edges);
        for &edge in looped.filter(|edge| !is_descent(**edge)) {
            let (module, channel) = self.leaves(topology, edge);
            let name = topology.describe(edge);
            if matches!(module.mapping, Mapping::Explode | Mapping::Walk { .. }) {
                return Err(TopologyError::LoopExplodes { edge: name });
            }
            let most = yields(module, channel);
            if most > 1 {
                return Err(TopologyError::LoopGamma { edge: name, most });
            }
        }
        Ok(())
    }

    /// The most items that one input yields at the target of a forward edge, summed over the forward edges that lead
    /// there from the nodes that `counts` accepts.
    pub(crate) fn joint_gamma<G: Sync + ?Sized>(
        &self,
        topology: &Topology<'_, G>,
        edge: usize,
        counts: impl Fn(usize) -> bool,
    ) -> u64 {
        let target = topology.edges[edge].to;
        let gamma = |edge: usize| {
            let (module, channel) = self.leaves(topology, edge);
            u64::from(module.channels[channel].gamma)
        };
        if self.is_back(edge) {
            return gamma(edge);
        }
        let together = |&other: &usize| {
            let Edge { from, to, .. } = topology.edges[other];
            to == target && counts(from) && !self.is_back(other)
        };
        (0..topology.edges.len()).filter(together).map(gamma).sum()
    }

    /// Whether an edge closes a loop.
    pub(crate) fn is_back(&self, edge: usize) -> bool {
        self.loops.iter().any(|closed| closed.back == edge)
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

/// Whether a channel's gamma is for each element of an input, or for each visit of a walk, not for the whole input.
pub(crate) fn per_item<G: ?Sized>(module: &ModuleType<G>, channel: usize) -> bool {
    match module.mapping {
        Mapping::Each { .. } | Mapping::DepthFirst | Mapping::Reduce => false,
        Mapping::Explode | Mapping::Walk { .. } => true,
        Mapping::Collect { .. } => channel > 0,
    }
}

/// The most items on a channel for the smallest part of an input that a firing can take.
pub(crate) fn yields<G: ?Sized>(module: &ModuleType<G>, channel: usize) -> u64 {
    u64::from(module.channels[channel].gamma) * smallest_part(module, channel)
}

/// How often the gamma of a channel counts for the smallest part of an input that a firing can take.
pub(crate) fn smallest_part<G: ?Sized>(module: &ModuleType<G>, channel: usize) -> u64 {
    let elements = if per_item(module, channel) { module.indivisible.max(1) } else { 1 };
    u64::from(elements)
}
