//! The scheduler of a block: a pure function from waiting items and free slots to the next firing (Cole 2017, 4.4.1 and
//! 4.5).
//!
//! Counts are in *elements*: inputs, for modules that take items one by one, or elements of inputs, for modules that
//! explode, collect or reduce. The feasible count of a node is bounded by the elements that wait there and, for each of
//! its channels, by the free slots at the target divided by gamma; gammas of channels with one target are added. Nodes
//! of one module that feed the same queue share its free slots: slots promised to a node are not promised again.
//!
//! A node that walks counts the items that wait in its stack or, if there are none, takes an input. It is given the number
//! of items that it may visit, for whose outputs there is room.
//!
//! A block claims input before it schedules, so an empty window means that the input is exhausted.

use smallvec::SmallVec;

use super::queue::{Amount, Queue};
use crate::stream::graph::topology::Target;
use crate::stream::plan::walk::PlannedWalk;
use crate::stream::plan::{EdgeKind, Plan};
use crate::stream::run::settings::Policy;
use crate::stream::stages::walking::WalkStacks;

/// The state of a block that its schedule depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockView<'a> {
    pub(super) plan: &'a Plan,
    /// Queue of each node.
    pub(super) queues: &'a [Queue],
    /// Stacks of each node that walks.
    pub(super) stacks: &'a [WalkStacks],
    /// Inputs that the block has claimed, for the root.
    pub(super) window: &'a Queue,
    /// Number of free slots of each sink.
    pub(super) space: &'a [u64],
    /// Number of slots of each sink.
    pub(super) regions: &'a [u64],
    /// Number of elements that fill an ensemble of each module.
    pub(super) ensembles: &'a [u64],
}

/// The place from which a firing takes inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// The window of the input.
    Window,
    /// The queue of a node.
    Node(usize),
    /// The stack of a node that walks.
    Stack(usize),
}

/// The elements that a firing takes from one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FiringPart {
    pub(super) origin: Origin,
    pub(super) elements: u64,
    /// Items that a walk may visit; 0 for other nodes.
    pub(super) visits: u64,
}

/// The parts of a firing, one for each place. Most firings have one or two, which need no heap memory; decisions are
/// frequent.
pub(super) type FiringParts = SmallVec<[FiringPart; 2]>;

/// A firing: the module, the parts that it takes, and the most ensembles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Firing {
    pub(super) module: usize,
    pub(super) parts: FiringParts,
    pub(super) elements: u64,
    pub(super) ensembles: u64,
    /// Whether it can fill an ensemble.
    pub(super) full: bool,
}

/// The rule that chooses a module when none can fill an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// The module with most feasible elements; of equals, the module declared first.
    MostFeasible,
    /// The module declared first, which most often is upstream, so that its outputs fill ensembles downstream.
    Upstream,
}

impl BlockView<'_> {
    /// Chooses the next firing; `None` if nothing is feasible.
    pub(super) fn decide(&self, policy: Policy, order: Priority) -> Option<Firing> {
        let root = self.plan.nodes[self.plan.root].module;
        let source = self.feasible(root, true);
        if source.full && source.parts[0].origin == Origin::Window {
            return Some(self.limited(source, policy));
        }
        let modules = 0..self.plan.modules.len();
        let feasible = modules.map(|module| self.feasible(module, false));
        let rank = |firing: &Firing| {
            let counts = firing.full || order == Priority::MostFeasible;
            (firing.full, if counts { firing.elements } else { 0 })
        };
        // Of equals, the module declared first.
        let chosen = feasible
            .filter(|firing| firing.elements > 0)
            .reduce(|best, firing| if rank(&firing) > rank(&best) { firing } else { best })?;
        Some(self.limited(chosen, policy))
    }

    /// Limits a firing to full ensembles if it has one and the policy is lazy.
    fn limited(&self, firing: Firing, policy: Policy) -> Firing {
        let full = firing.elements / self.ensembles[firing.module];
        let ensembles = if policy == Policy::Lazy && firing.full { full } else { u64::MAX };
        Firing { ensembles, ..firing }
    }

    /// The firing of everything that a module can take now, with the window before the queues or after them.
    fn feasible(&self, module: usize, window_first: bool) -> Firing {
        let nodes = self.plan.modules[module].nodes.clone();
        if self.plan.nodes[nodes.start].walk.is_some() {
            return self.feasible_walks(module);
        }
        let has_window = nodes.contains(&self.plan.root);
        let root_descends = self.plan.nodes[self.plan.root].descent.is_some();
        // The deepest items come first, and the window has items of depth 0.
        let window_first = window_first && !root_descends;
        let window = |is_here: bool| (has_window && is_here).then_some(Origin::Window);
        let queues = nodes.map(Origin::Node);
        let origins = window(window_first).into_iter().chain(queues).chain(window(!window_first));
        let mut used = PromisedSlots::default();
        let mut parts = FiringParts::new();
        for origin in origins {
            let elements = self.part(origin, &mut used, &parts);
            if elements > 0 {
                parts.push(FiringPart { origin, elements, visits: 0 });
            }
        }
        let elements = parts.iter().map(|part| part.elements).sum();
        let full = elements >= self.ensembles[module];
        Firing { module, parts, elements, ensembles: u64::MAX, full }
    }

    /// The firing of everything that a module that walks can do now: of each node, the walk that it is at or, if that is
    /// over, the walk of another input.
    fn feasible_walks(&self, module: usize) -> Firing {
        let mut used = PromisedSlots::default();
        let mut parts = FiringParts::new();
        for node in self.plan.modules[module].nodes.clone() {
            if let Some(walk) = &self.plan.nodes[node].walk {
                parts.extend(self.walk(node, walk, &mut used));
            }
        }
        let elements = parts.iter().map(|part| part.elements).sum();
        let full = elements >= self.ensembles[module];
        Firing { module, parts, elements, ensembles: u64::MAX, full }
    }

    /// The part of a firing that a node which walks can take, with the slots that it promises.
    fn walk(
        &self,
        node: usize,
        walk: &PlannedWalk,
        used: &mut PromisedSlots,
    ) -> Option<FiringPart> {
        let stack = &self.stacks[node];
        let (origin, elements) = if !stack.is_empty() {
            (Origin::Stack(node), stack.items())
        } else if !self.queues[node].is_empty() {
            (Origin::Node(node), walk.items_at_once.into())
        } else if node == self.plan.root && !self.window.is_empty() {
            (Origin::Window, walk.items_at_once.into())
        } else {
            return None;
        };
        let (mut visits, mut whole) = (u64::MAX, u64::MAX);
        for edge in self.plan.edges_of(node) {
            // Nodes of the module type may all need the room that one of them finds in an empty target.
            whole = whole.min(self.room(edge.to) / u64::from(edge.module_gamma));
            visits = visits.min(self.free(edge.to, false, used) / u64::from(edge.node_gamma));
        }
        // No more than the steps of a firing need, so that other nodes get slots, too.
        visits = visits.min(u64::from(walk.fan * walk.steps) * u64::from(walk.items_at_once));
        let fits = stack.is_empty()
            || (walk.most_pods(stack.pods()) > 0 && walk.most_items(stack.items(), visits) > 0);
        if !fits || visits < walk.wanted_visits(elements, whole) {
            return None;
        }
        for edge in self.plan.edges_of(node) {
            used.add(edge.to, visits * u64::from(edge.gamma));
        }
        Some(FiringPart { origin, elements, visits })
    }

    /// Number of slots of a target that forward edges may fill.
    fn room(&self, target: Target) -> u64 {
        match target {
            Target::Sink(sink) => self.regions[sink],
            Target::Node(node) => {
                let planned = &self.plan.nodes[node];
                (planned.capacity - planned.reserve).into()
            }
        }
    }

    /// Number of elements that can be taken from one place so that their outputs fit the free slots that are not
    /// promised yet. Promises slots for them. `parts` are those that the firing takes from other places.
    fn part(&self, origin: Origin, used: &mut PromisedSlots, parts: &[FiringPart]) -> u64 {
        let (node, queue) = match origin {
            Origin::Window => (self.plan.root, self.window),
            Origin::Node(node) | Origin::Stack(node) => (node, &self.queues[node]),
        };
        if queue.is_empty() {
            return 0;
        }
        let explodes = self.plan.modules[self.plan.nodes[node].module].explodes;
        let mut most = Amount { items: u64::MAX, elements: u64::MAX };
        if origin == Origin::Window && self.plan.nodes[node].reserve > 0 {
            // Input enters a loop only where its head's queue would let an item in.
            most.items = self.free(Target::Node(node), false, used);
        }
        if let Some(descent) = self.plan.nodes[node].descent {
            let (stack, planned) = (&self.queues[node], &self.plan.nodes[node]);
            let open = u64::from(planned.capacity) - stack.len();
            let own = Origin::Node(node);
            let queued = parts.iter().find(|part| part.origin == own).map(|part| part.elements);
            let waiting = if origin == own { stack.len() } else { queued.unwrap_or(0) };
            let inputs = descent.feasible(waiting, open, self.ensembles[planned.module]);
            most.items = most.items.min(if origin == own { inputs.queued } else { inputs.window });
        }
        for edge in self.plan.edges_of(node).iter().filter(|edge| edge.kind != EdgeKind::Descent) {
            let inputs =
                self.free(edge.to, edge.kind == EdgeKind::Back, used) / u64::from(edge.node_gamma);
            let bound =
                if explodes && edge.per_item { &mut most.elements } else { &mut most.items };
            *bound = inputs.min(*bound);
        }
        let taken = queue.prefix(most);
        for edge in self.plan.edges_of(node).iter().filter(|edge| edge.kind != EdgeKind::Descent) {
            let inputs = if explodes && edge.per_item { taken.elements } else { taken.items };
            used.add(edge.to, inputs * u64::from(edge.gamma));
        }
        taken.elements
    }

    /// Number of free slots of a target that an edge may fill, without slots that were promised.
    fn free(&self, target: Target, back: bool, used: &PromisedSlots) -> u64 {
        let all = match target {
            Target::Sink(sink) => self.space[sink],
            Target::Node(node) => {
                let planned = &self.plan.nodes[node];
                let reserve = if back { 0 } else { planned.reserve };
                u64::from(planned.capacity)
                    .saturating_sub(self.queues[node].len() + u64::from(reserve))
            }
        };
        all.saturating_sub(used.of(target))
    }
}

/// For each target of a firing, the number of slots that its parts fill at most.
#[derive(Default)]
struct PromisedSlots(SmallVec<[(Target, u64); 4]>);

impl PromisedSlots {
    /// Number of slots of a target that were promised.
    fn of(&self, target: Target) -> u64 {
        self.0.iter().find(|(other, _)| *other == target).map_or(0, |&(_, slots)| slots)
    }

    /// Promises more slots of a target.
    fn add(&mut self, target: Target, slots: u64) {
        match self.0.iter_mut().find(|(other, _)| *other == target) {
            Some((_, all)) => *all += slots,
            None => self.0.push((target, slots)),
        }
    }
}

#[cfg(test)]
mod tests;
