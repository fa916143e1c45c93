//! Nodes that walk: the sizes of their stacks, and the proof that these never fill up.
//!
//! # The stacks
//!
//! The pods of a walk that wait lie on a stack, and their items on another one, in the same order. A step takes pods from
//! the end, up to [`WalkSettings::pods_at_once`](crate::stream::WalkSettings) of them with up to `items_at_once` items
//! together, and puts their children with live items in their place. If the last pod alone has more items, the step takes
//! the last of its items, and the pod stays with the others; or it takes the pod as a whole, if there is room.
//!
//! # Their sizes
//!
//! Let nodes of the tree have at most `f` children, and let [`WalkLimits::depth`](crate::stream::WalkLimits) be `D`. An
//! input is taken only when the stacks are empty, so at first they hold one pod, of depth 0, with at most `elements`
//! items. Call the pods that one step pushes, or what is left of them, a *layer*, and let its *level* be the least depth
//! of the pods that the step took, and one more. All pods of a layer are at least as deep as its level.
//!
//! *Levels grow from the bottom of the stack to its top.* A step takes all of some layers at the top, and maybe a part of
//! the layer below these. All pods that it takes are at least as deep as the level of the lowest layer that it takes
//! from, so the new layer, on top of what is left of that layer, has a higher level.
//!
//! Levels are 1 to `D`, because only pods of depth `D` or less have live items. So there are at most `D` layers.
//!
//! - A layer has at most `f pods_at_once` pods. With the first pod, `f pods_at_once D + 1` pods wait at most. A step writes
//!   its layer where the pods were that it takes, so `f pods_at_once` more are enough for it.
//! - A layer of a step that takes at most `items_at_once` items has at most `f items_at_once` items. The part of the
//!   stack that is called its *reserve* has room for `D + 1` of these. So `D` layers fit, and so does one more step.
//! - A pod with more items is taken as a whole only if `f` times its items fit above the stack and leave the reserve
//!   free. So such layers, with the layers between them, never use the reserve; and there is room for the first pod, and
//!   for more, in what is left besides the reserve: `slack` times `elements` items.
//!
//! A step is made only if `f` times what it takes fits above the stacks. By the above that is always so, unless a stage
//! goes deeper than declared; then the run ends with [`RunError::Stuck`](crate::stream::RunError::Stuck).
//!
//! Blocks may give the first half of their pods to a block whose stacks are empty. That leaves the layers on both sides
//! in order.
//!
//! # Targets
//!
//! A step that takes `n` items visits at most `f n` items, each of which pushes at most gamma items. Nothing deadlocks as
//! long as a step of one item fits empty targets, and a target that is not empty can be emptied. Small steps would take
//! as long as large ones, so a step waits until the targets have room for one of `items_at_once` items, or for as many
//! as they ever have room for.

use std::cmp::Reverse;

use crate::stream::graph::topology::Topology;
use crate::stream::run::error::RunError;
use crate::stream::run::settings::WalkSettings;

/// Bytes that the items of a stack, or the headers, may take in a block, because kernels count them in 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;

/// A block that gives half of the pods of a node to a block that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalkGift {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) node: usize,
}

/// The gifts to all blocks that are done, from those that have most pods. `blocks` has, for each block, the most pods that a
/// walk of it has with the node of that walk, if any node walks, and whether the block is done.
pub(crate) fn walk_gifts(
    blocks: impl IntoIterator<Item = (Option<(u64, usize)>, bool)>,
) -> Vec<WalkGift> {
    let (mut givers, mut takers) = (Vec::new(), Vec::new());
    for (block, (largest, is_done)) in blocks.into_iter().enumerate() {
        givers
            .extend(largest.filter(|&(pods, _)| pods > 1).map(|(pods, node)| (pods, block, node)));
        takers.extend(is_done.then_some(block));
    }
    givers.sort_by_key(|&(pods, ..)| Reverse(pods));
    let gift = |((_, from, node), to): ((u64, usize, usize), usize)| WalkGift { from, to, node };
    givers.into_iter().zip(takers).map(gift).collect()
}

/// The walk of a node, with the sizes of its stacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlannedWalk {
    /// The most children of a node of the tree.
    pub(crate) fan: u32,
    /// Bytes of a header.
    pub(crate) header_bytes: u32,
    /// Bytes of an item.
    pub(crate) item_bytes: u32,
    /// The most elements of an input.
    pub(crate) elements: u32,
    /// Pods that the stack has room for.
    pub(crate) pods_room: u32,
    /// Items that the stack has room for.
    pub(crate) items_room: u32,
    /// The part of `items_room` that steps of `items_at_once` items may need.
    pub(crate) items_reserve: u32,
    /// The most pods that a step takes.
    pub(crate) pods_at_once: u32,
    /// The most items of a step that takes several pods.
    pub(crate) items_at_once: u32,
    /// The most steps of a firing.
    pub(crate) steps: u32,
}

impl PlannedWalk {
    /// The walk of a node, numbered as in the topology, if its module type walks.
    pub(crate) fn of<G: Sync + ?Sized>(
        topology: &Topology<'_, G>,
        node: usize,
        width: u32,
        settings: WalkSettings,
    ) -> Result<Option<Self>, RunError> {
        let declared = &topology.nodes[node];
        let (Some(walk), Some(limits)) =
            (&topology.modules[declared.module].walk, declared.walk_limits)
        else {
            return Ok(None);
        };
        let pods_at_once = settings.pods_at_once.min(width);
        let (fan, layers) = (u64::from(walk.fan), u64::from(limits.depth) + 1);
        let pods = fan * u64::from(pods_at_once) * layers + 1;
        let reserve = fan * u64::from(settings.items_at_once) * layers;
        let items = reserve + u64::from(settings.slack) * u64::from(limits.elements.max(1));
        let (header_bytes, item_bytes) = (walk.header.size() as u64, walk.item.size() as u64);
        if pods * header_bytes.max(4) > MOST_BYTES || items * item_bytes > MOST_BYTES {
            let name = &declared.name;
            return Err(RunError::Settings(format!(
                "the stacks of node {name} would have {pods} pods and {items} items, more than 4 GiB"
            )));
        }
        Ok(Some(Self {
            fan: walk.fan,
            header_bytes: header_bytes as u32,
            item_bytes: item_bytes as u32,
            elements: limits.elements,
            pods_room: pods as u32,
            items_room: items as u32,
            items_reserve: reserve as u32,
            pods_at_once,
            items_at_once: settings.items_at_once,
            steps: settings.steps,
        }))
    }

    /// The most items that a step may take of a stack with `items` items, if it may visit `visits` items at children.
    pub(crate) fn most_items(&self, items: u64, visits: u64) -> u64 {
        let open = u64::from(self.items_room).saturating_sub(items);
        u64::from(self.items_at_once).min(visits.min(open) / u64::from(self.fan))
    }

    /// The most pods that a step may take of a stack with `pods` pods.
    pub(crate) fn most_pods(&self, pods: u64) -> u64 {
        let open = u64::from(self.pods_room).saturating_sub(pods);
        u64::from(self.pods_at_once).min(open / u64::from(self.fan))
    }

    /// The visits that targets must have room for before a step of a walk with `items` items, if they have room for
    /// `whole` when they are empty.
    pub(crate) fn wanted_visits(&self, items: u64, whole: u64) -> u64 {
        (u64::from(self.fan) * items.min(self.items_at_once.into())).min(whole)
    }
}
