//! What a block fires next: a pure function of what waits and of what is free (Cole 2017, 4.4.1
//! and 4.5).
//!
//! A count is in *elements*: inputs of modules that map one by one, elements of those that explode,
//! collect or reduce. A node's feasible count is bounded by what waits there and, for each of its
//! channels, by the free slots at the other end divided by gamma. Nodes of one module that feed the
//! same queue (a head's parent and the tail of its loop) share those slots: each is counted after
//! the ones before it, so that the nodes of a firing fit together.
//!
//! Only the window decides whether more input may come: blocks claim before they schedule, so an
//! empty window says that the input is exhausted.

use smallvec::SmallVec;

use super::queue::{Amount, Queue};
use crate::stream::graph::topology::Target;
use crate::stream::plan::Plan;
use crate::stream::run::settings::Policy;

/// What a block's schedule depends on.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockView<'a> {
    pub(super) plan: &'a Plan,
    /// The queue of each node.
    pub(super) queues: &'a [Queue],
    /// The inputs that the block has claimed; they go to the root.
    pub(super) window: &'a Queue,
    /// Free slots of each sink.
    pub(super) space: &'a [u64],
    /// Elements that fill an ensemble of each module.
    pub(super) ensembles: &'a [u64],
}

/// Where a firing finds inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    Window,
    Node(usize),
}

/// What a firing takes from one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FiringPart {
    pub(super) origin: Origin,
    pub(super) elements: u64,
}

/// What a firing takes, place by place. Decisions are many, and most have a part: it needs no memory of its own.
pub(super) type FiringParts = SmallVec<[FiringPart; 2]>;

/// A module to be fired: from where, and in how many ensembles at most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Firing {
    pub(super) module: usize,
    pub(super) parts: FiringParts,
    pub(super) elements: u64,
    pub(super) ensembles: u64,
    /// It can fill an ensemble.
    pub(super) full: bool,
}

/// Which module goes first when none can fill an ensemble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Priority {
    /// The one with most feasible elements; of equals the first declared.
    MostFeasible,
    /// The first declared, which as a rule lies upstream: what it emits then fills ensembles below.
    Upstream,
}

impl BlockView<'_> {
    /// What to fire; nothing if nothing is feasible.
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
        // Of equals the first.
        let chosen = feasible
            .filter(|firing| firing.elements > 0)
            .reduce(|best, firing| if rank(&firing) > rank(&best) { firing } else { best })?;
        Some(self.limited(chosen, policy))
    }

    /// The firing, of full ensembles only if the policy asks for that and there is one.
    fn limited(&self, firing: Firing, policy: Policy) -> Firing {
        let full = firing.elements / self.ensembles[firing.module];
        let ensembles = if policy == Policy::Lazy && firing.full { full } else { u64::MAX };
        Firing { ensembles, ..firing }
    }

    /// All that a module can take now. The window comes before the queues or after them.
    fn feasible(&self, module: usize, window_first: bool) -> Firing {
        let nodes = self.plan.modules[module].nodes.clone();
        let has_window = nodes.contains(&self.plan.root);
        let window = |is_here: bool| (has_window && is_here).then_some(Origin::Window);
        let queues = nodes.map(Origin::Node);
        let origins = window(window_first).into_iter().chain(queues).chain(window(!window_first));
        let mut used = PromisedSlots::default();
        let mut parts = FiringParts::new();
        for origin in origins {
            let elements = self.part(origin, &mut used);
            if elements > 0 {
                parts.push(FiringPart { origin, elements });
            }
        }
        let elements = parts.iter().map(|part| part.elements).sum();
        let full = elements >= self.ensembles[module];
        Firing { module, parts, elements, ensembles: u64::MAX, full }
    }

    /// The elements that can be taken from one place, after what `used` says; adds their outputs.
    fn part(&self, origin: Origin, used: &mut PromisedSlots) -> u64 {
        let (node, queue) = match origin {
            Origin::Window => (self.plan.root, self.window),
            Origin::Node(node) => (node, &self.queues[node]),
        };
        if queue.is_empty() {
            return 0;
        }
        let explodes = self.plan.modules[self.plan.nodes[node].module].explodes;
        let mut most = Amount { items: u64::MAX, elements: u64::MAX };
        if origin == Origin::Window && self.plan.nodes[node].reserve > 0 {
            // As though they went through the queue of the loop's head.
            most.items = self.free(Target::Node(node), false, used);
        }
        for edge in self.plan.edges_of(node) {
            let inputs = self.free(edge.to, edge.back, used) / u64::from(edge.gamma);
            let bound =
                if explodes && edge.per_item { &mut most.elements } else { &mut most.items };
            *bound = inputs.min(*bound);
        }
        let taken = queue.prefix(most);
        for edge in self.plan.edges_of(node) {
            let inputs = if explodes && edge.per_item { taken.elements } else { taken.items };
            used.add(edge.to, inputs * u64::from(edge.gamma));
        }
        taken.elements
    }

    /// Slots of a target that an edge may still fill.
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

/// Slots that the parts of a firing will fill at most, of the few targets that they have.
#[derive(Default)]
struct PromisedSlots(SmallVec<[(Target, u64); 4]>);

impl PromisedSlots {
    fn of(&self, target: Target) -> u64 {
        self.0.iter().find(|(other, _)| *other == target).map_or(0, |&(_, slots)| slots)
    }

    fn add(&mut self, target: Target, slots: u64) {
        match self.0.iter_mut().find(|(other, _)| *other == target) {
            Some((_, all)) => *all += slots,
            None => self.0.push((target, slots)),
        }
    }
}

#[cfg(test)]
mod tests;
