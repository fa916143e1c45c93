//! Depth-first nodes: how many inputs they may fire, how large their stacks are, and the proof that they never fill up.
//!
//! # The stack
//!
//! A depth-first node sends up to `g` items back to itself for each input. Its queue is a stack: a firing takes its last
//! items, and the items that it sends back take their places. Items that have gone round `d` times have depth `d`, which
//! is at most `D` ([`Topology::descent`](crate::stream::Topology::descent)). Inputs from outside have depth 0.
//!
//! ```text
//!   slot        0   1   2   3   4                  g = 3: one item at a time needs 2 slots more a level,
//!   stack       x   y   z                          and gives all of them back before y is fired
//!   z fired     x   y   z1  z2  z3
//!   z3 fired    x   y   z1  z2  z31 z32 z33
//! ```
//!
//! Breadth-first, a level may have `g` times as many items as the one before, and no queue holds a whole level. Depth
//! first, one item at a time, the descent of an item in slot `i` never goes beyond slot `i + (g - 1) (D + 1 - d)`: the
//! item makes room for the last of its children, and each level leaves at most `g - 1` others behind.
//!
//! # Why it never fills up
//!
//! Let the stack have `C + 1` slots. The runtime keeps this *invariant*: each waiting item, in slot `i` and with depth
//! `d`, has `i + 1 + (g - 1) (D + 1 - d) <= C`. So its descent fits while all items below it wait. The runtime does not
//! know depths, but it need not:
//!
//! - *From outside* an item enters only if `(g - 1) (D + 1)` of `C` slots are free afterwards, which is the invariant
//!   for depth 0.
//! - *One input* may always be fired. The last item, in slot `count - 1`, is replaced by up to `g` items of depth `d +
//!   1`, the last of them in slot `count + g - 2`, and `count + g - 1 + (g - 1) (D - d) <= C` is the invariant of the
//!   input. While it is fired, its slot is not yet free, and `count + g <= C + 1` slots are enough.
//! - *More inputs*, `q` from the stack and `w` from the window of the input, leave up to `count + q (g - 1) + w g` items.
//!   Those that are new have depth 1 or more. Their invariant holds if that number is at most `C - (g - 1) D`.
//!
//! Hence some input can be fired unless another target of the node lacks room. The walk in
//! [`queue_sizes`](mod@super::queue_sizes) goes on from there along forward edges, and ends. If a stage goes deeper than declared, the stack may fill up; then the run
//! ends with [`RunError::Stuck`](crate::stream::RunError::Stuck), which names the node.
//!
//! # Items that move to another stack
//!
//! With [`Settings::move_work`](crate::stream::Settings::move_work) a block gives away the first items of a stack, from slot
//! 0 on. They go to the same slots of the empty stack of another block, and the items above them move down. The invariant
//! asks less of an item in an earlier slot, so it holds for both stacks.
//!
//! # Full ensembles
//!
//! One input at a time would leave lanes idle. With [`Capacity::Ensembles`](crate::stream::Capacity::Ensembles) inputs
//! from outside leave room for the descent of a whole ensemble. A firing takes one ensemble, or more if so many descents
//! fit side by side, so that the free slots last until the deepest level.

use crate::stream::graph::shape::Shape;
use crate::stream::graph::topology::Topology;

/// The channel on which a depth-first node sends items back to itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descent {
    /// Gamma of the channel, at least 2.
    pub(crate) gamma: u64,
    /// Slots that the descent of one item may fill, and one more: `(g - 1) (D + 1) + 1`.
    pub(crate) spare: u64,
}

/// Inputs that a depth-first node may fire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DepthFirstInputs {
    /// The most from its stack.
    pub(crate) queued: u64,
    /// The most from the window, if so many from the stack are fired as well.
    pub(crate) window: u64,
}

impl Descent {
    /// The descent of a node, if it is depth-first.
    pub(crate) fn of<G: Sync + ?Sized>(
        topology: &Topology<'_, G>,
        shape: &Shape,
        node: usize,
    ) -> Option<Self> {
        shape.edges[node].iter().find_map(|&edge| {
            let depth = topology.edges[edge].depth?;
            let (module, channel) = shape.leaves(topology, edge);
            let gamma = u64::from(module.channels[channel].gamma);
            Some(Self { gamma, spare: (gamma - 1) * (u64::from(depth) + 1) + 1 })
        })
    }

    /// Slots that a descent of `items` items side by side may fill, without the one slot more.
    pub(crate) fn of_items(&self, items: u64) -> u64 {
        (self.spare - 1) * items
    }

    /// The inputs that may be fired when `waiting` items wait in the stack and `open` slots are free. At least one item
    /// of the stack is among them, unless the stage has gone deeper than declared.
    pub(crate) fn feasible(&self, waiting: u64, open: u64, ensemble: u64) -> DepthFirstInputs {
        let Self { gamma, spare } = *self;
        // Slots by which the stack may grow, if more than one input is fired.
        let growth = (open + gamma - 1).saturating_sub(spare);
        let wide = (open.saturating_sub(spare) / spare).max(ensemble);
        let most = wide.min(open / gamma);
        let queued = waiting.min(most).min((growth / (gamma - 1)).max(1));
        let left = growth.saturating_sub(queued * (gamma - 1));
        DepthFirstInputs { queued, window: (left / gamma).min(most - queued) }
    }
}

#[cfg(test)]
mod tests;
