//! What blocks leave to each other at the end of the input.
//!
//! A block without a full ensemble gives what waits in its queues to the others, and goes on with a
//! full ensemble of one module if all rests together make one up. If they do not it is done. The
//! last block takes everything that is left, so only its ensembles need not be full.
//!
//! Items are taken into queues only while nothing waits in the block: then a loop holds no items
//! besides those that leave its head's reserve free, and cannot fill up (Cole 2017, 3.1.1).

use std::ops::Range;

use super::application::CpuApplication;
use super::queue::Queue;

#[derive(Debug)]
pub(super) struct RestPool {
    /// Items that wait for each node.
    nodes: Vec<Vec<u8>>,
    /// Blocks that are not done.
    active: usize,
}

/// What a block does after it has found no full ensemble left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextStep {
    /// Goes on with a full ensemble of others' items.
    Full,
    /// Is done.
    Over,
    /// Goes on with everything that is left, as no other block is active.
    Last,
}

impl RestPool {
    pub(super) fn new(nodes: usize, blocks: usize) -> Self {
        Self { nodes: vec![Vec::new(); nodes], active: blocks }
    }

    /// Takes the items of a block's queues, apart from those that are partly done.
    pub(super) fn give(&mut self, queues: &mut [Queue]) {
        for (queue, rest) in queues.iter_mut().zip(&mut self.nodes) {
            queue.give(rest);
        }
    }

    /// Finds out how a block with empty queues goes on. `is_full` says whether the items now in its
    /// queues make up a full ensemble that fits its sinks.
    pub(super) fn turn<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        queues: &mut [Queue],
        is_full: impl Fn(&[Queue]) -> bool,
    ) -> NextStep {
        for (module, &ensemble) in application.plan.modules.iter().zip(&application.ensembles) {
            self.fill(application, queues, module.nodes.clone(), ensemble);
            if is_full(queues) {
                return NextStep::Full;
            }
            self.give(queues);
        }
        self.active -= 1;
        if self.active > 0 { NextStep::Over } else { NextStep::Last }
    }

    /// Moves everything that there is room for to the queues, which are empty.
    pub(super) fn take_all<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        queues: &mut [Queue],
    ) {
        self.fill(application, queues, 0..queues.len(), u64::MAX);
    }

    /// Moves items of these nodes to their queues, until `elements` are there or there is no room.
    fn fill<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        queues: &mut [Queue],
        nodes: Range<usize>,
        elements: u64,
    ) {
        let mut filled = 0;
        for node in nodes {
            let planned = &application.plan.nodes[node];
            let room = u64::from(planned.capacity - planned.reserve);
            let rest = &mut self.nodes[node];
            while filled < elements && queues[node].len() < room && !rest.is_empty() {
                let item = rest.split_off(rest.len() - planned.slot_bytes);
                let weight = application.elements(node, &item);
                queues[node].push(&item, weight);
                filled += u64::from(weight);
            }
        }
    }
}
