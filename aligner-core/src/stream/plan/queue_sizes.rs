//! The number of slots of each queue, and the proof that nothing deadlocks.
//!
//! # Sizes
//!
//! With [`Capacity::Ensembles`]`(k)` a queue holds the items that `k` full ensembles of the root yield
//! there: the product of the gammas on the path from the root, summed over all paths of forward
//! edges, at most 64, times the width, times `k`. The edges of a loop have gamma 1, so the tail of a
//! loop yields no more than the predecessors of its head. The head of a loop gets two ensembles more:
//! one for items that come back, and one that is kept free. In any case, and with
//! [`Capacity::Minimum`] exactly, a queue holds the items that all nodes of one module type together
//! yield there if each fires one input, or one item of a walk, and the head of a loop one slot more. A root that heads no
//! loop needs no queue. Slots of a node over pods hold pods. The stack of a depth-first node has room for
//! the descent of an ensemble, or of one item, besides ([`super::depth_first`]); the items of its descent
//! count in no product of gammas. A walk counts as if each input had one item, which is visited at all children of one
//! node; its stacks are in [`super::walk`].
//!
//! Example: width 128, `k` = 4, and a pipeline `a -> b -> c -> sink` where `a` yields up to 3 items
//! for an input, `b` up to 2 to `c`, and `b` also sends items back to itself. Then
//!
//! | node | product | slots, `Ensembles(4)`   | reserve | slots, `Minimum` | reserve |
//! |------|---------|-------------------------|---------|------------------|---------|
//! | `a`  | 1       | 0                       | 0       | 0                | 0       |
//! | `b`  | 3       | 3 x 128 x 4 + 256 = 1792 | 128     | 3 + 1 = 4        | 1       |
//! | `c`  | 6       | 6 x 128 x 4 = 3072      | 0       | 2                | 0       |
//!
//! # Ways that merge
//!
//! Edges into one queue share its free slots, and must not promise a slot twice. Nodes of different
//! module types fire at different times, and each sees what the others have left. The nodes of one
//! module type fire at once. Let G be the sum of the gammas of all channels that lead from them to
//! the queue (twice that of a node with two such channels). A node that takes at most `free / G`
//! inputs fills at most its gamma times that, and all nodes together at most `free` slots. A GPU
//! counts so ([`PlannedEdge::module_gamma`]), since each node has a lane that counts on its own. The
//! CPU subtracts the slots that it has promised to earlier nodes of the firing, and divides by the
//! gammas of the node's own channels.
//!
//! Example: `a` yields up to 3 items for an input to `b` and up to 2 to `c`; both yield one to `d`.
//! The capacity of `d` has the factor 3 + 2. With [`Capacity::Minimum`] it is 1 slot if `b` and `c`
//! are of two module types, else 2 slots, one for each.
//!
//! # Why nothing deadlocks
//!
//! Suppose that items wait, sinks have room, and nothing can fire. A node with items cannot fire
//! because some target has less than G free slots. An empty queue has that room, so the target has
//! items itself; walk on from target to target. Forward edges form no cycle, so the walk must end up
//! going round a loop, and every queue of the loop lacks even the one slot that an edge of a loop
//! asks for: its nodes but the head have one in-edge, so G is 1 there, and a back edge counts alone.
//! But a loop is never that full. Items from outside, from the window or along one of the forward
//! edges to the head, enter at the head only, and only if the head keeps `reserve` free slots
//! afterwards; and between such entries the items on a loop do not multiply. So the loop as a whole
//! has as many free slots now as it had then (Cole 2017, 3.1.1). A depth-first node never waits for its
//! own stack ([`super::depth_first`]), so the walk goes on along its forward edges.
//!
//! A node X that is both the tail of one loop, with head M, and the head of another loop needs more.
//! X waits for M if M is full; M waits for X if X has only its reserve left; and all free slots may
//! be elsewhere on the loop of X. Therefore M reserves as many slots as all other queues of both
//! loops have. Then all items on the two loops fit into M at any time, and X never waits for M.
//! Items on the two loops together do not multiply as long as X sends an input round one of them; a
//! stage that sends an input round both may fill queues of any size.
//!
//! The back edge and a forward edge to a head may come from two nodes of one module type, which fire
//! at once and see the same free slots. Such a back edge is marked `shared`, and an executor must not
//! give out slots twice: it counts the slots that it has promised to earlier nodes of the firing, or
//! it limits the back edge to the reserve, which forward edges leave alone. One slot of reserve is
//! enough for the argument above.
//!
//! [`PlannedEdge::module_gamma`]: super::PlannedEdge::module_gamma

use crate::stream::graph::shape::{Loop, Shape, smallest_part};
use crate::stream::graph::topology::Topology;
use crate::stream::plan::depth_first::Descent;
use crate::stream::run::error::RunError;
use crate::stream::run::settings::{Capacity, Settings};

/// Upper bound of the product of gammas in the size of a queue.
const MOST_GAIN: u64 = 64;

/// The size of a queue in slots; only the back edge of the loop may use the last `reserve` of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct QueueSize {
    pub(crate) capacity: u32,
    pub(crate) reserve: u32,
}

/// Size of each node's queue, numbered as in the topology.
pub(crate) fn queue_sizes<G: Sync + ?Sized>(
    topology: &Topology<'_, G>,
    shape: &Shape,
    settings: &Settings,
) -> Result<Vec<QueueSize>, RunError> {
    let width = u64::from(settings.width);
    let gains = gains(topology, shape);
    let mut sizes = vec![QueueSize::default(); topology.nodes.len()];
    // Descendants first: the reserve of a head may depend on the queues below it.
    for &node in shape.order.iter().rev() {
        let closed = shape.loops.iter().find(|closed| closed.head() == node);
        if node == shape.root && closed.is_none() {
            continue;
        }
        // A root takes inputs one by one.
        let least = shape.in_edges[node].iter().map(|&edge| least(topology, shape, edge)).max();
        let least = least.unwrap_or(1);
        let descent = Descent::of(topology, shape, node);
        let (slots, margin, reserve) = match settings.capacity {
            Capacity::Ensembles(k) => (least.max(gains[node] * width * u64::from(k)), width, width),
            Capacity::Minimum => (least, 0, 1),
        };
        let (margin, reserve) = match closed {
            Some(closed) => match descent {
                Some(descent) => (0, descent.spare + descent.of_items(margin)),
                None => (margin, reserve.max(touching(shape, closed, &sizes))),
            },
            None => (0, 0),
        };
        let fit = |slots: u64| {
            u32::try_from(slots).map_err(|_| {
                let name = &topology.nodes[node].name;
                RunError::Settings(format!("the queue of node {name} would have {slots} slots"))
            })
        };
        sizes[node] =
            QueueSize { capacity: fit(slots + margin + reserve)?, reserve: fit(reserve)? };
    }
    Ok(sizes)
}

/// The free slots that a forward edge asks for before an input is fired: one input of each node of the module type that
/// the edge leaves must fit.
fn least<G: Sync + ?Sized>(topology: &Topology<'_, G>, shape: &Shape, edge: usize) -> u64 {
    let module_of = |node: usize| topology.nodes[node].module;
    let from = module_of(topology.edges[edge].from);
    let (module, channel) = shape.leaves(topology, edge);
    shape.joint_gamma(topology, edge, |node| module_of(node) == from)
        * smallest_part(module, channel)
}

/// For each node, the most items that one input of the application yields there, up to [`MOST_GAIN`].
fn gains<G: Sync + ?Sized>(topology: &Topology<'_, G>, shape: &Shape) -> Vec<u64> {
    let mut gains = vec![1; topology.nodes.len()];
    for &node in shape.order.iter().filter(|node| **node != shape.root) {
        let along = |&edge: &usize| {
            let (module, channel) = shape.leaves(topology, edge);
            // An item that walks is visited at up to as many children as a node has.
            let visits = module.walk.as_ref().map_or(1, |walk| u64::from(walk.fan));
            gains[topology.edges[edge].from] * visits * u64::from(module.channels[channel].gamma)
        };
        gains[node] = shape.in_edges[node].iter().map(along).sum::<u64>().min(MOST_GAIN);
    }
    gains
}

/// Number of slots outside the head on this loop and on the loops that begin at its tail; 0 if no loop begins there.
fn touching(shape: &Shape, closed: &Loop, sizes: &[QueueSize]) -> u64 {
    let inner = |outer: &Loop| {
        let apart = outer.tail() != outer.head();
        shape.loops.iter().find(|inner| apart && inner.head() == outer.tail())
    };
    let slots = |closed: &Loop| -> u64 {
        let rest = &closed.nodes[..closed.nodes.len() - 1];
        rest.iter().map(|node| u64::from(sizes[*node].capacity)).sum()
    };
    let Some(first) = inner(closed) else { return 0 };
    let chain = std::iter::successors(Some(first), |outer| inner(outer));
    slots(closed) + chain.map(slots).sum::<u64>()
}

#[cfg(test)]
pub(in crate::stream) mod tests;
