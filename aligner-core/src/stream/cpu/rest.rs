//! Rests: the partial ensembles that blocks share at the end of the input.
//!
//! A block without a full ensemble gives its waiting items to a pool. If the pool has a full ensemble of one module
//! type, the block takes it and goes on; else the block is done. The last block takes everything that is left, so only
//! its ensembles may be partly empty.
//!
//! A block takes items only while its queues are empty. So a loop holds only items that leave its head's reserve free,
//! and cannot fill up (Cole 2017, 3.1.1).

use std::ops::Range;

use super::application::CpuApplication;
use super::queue::Queue;

/// The pool of items that blocks share.
#[derive(Debug)]
pub(super) struct RestPool {
    /// For each node, bytes of the items that wait for it.
    nodes: Vec<Vec<u8>>,
    /// Number of blocks that are not done.
    active: usize,
}

/// The next step of a block that has given its items to the pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NextStep {
    /// The block goes on with a full ensemble out of the pool.
    FullEnsemble,
    /// The block is done.
    Done,
    /// No other block is active: the block goes on with everything that is left.
    TakeAll,
}

impl RestPool {
    /// A pool without items, for so many nodes and blocks.
    pub(super) fn new(nodes: usize, blocks: usize) -> Self {
        Self { nodes: vec![Vec::new(); nodes], active: blocks }
    }

    /// Moves the items of a block's queues to the pool, except for items of which a part was taken.
    pub(super) fn give(&mut self, queues: &mut [Queue]) {
        for (queue, rest) in queues.iter_mut().zip(&mut self.nodes) {
            queue.give(rest);
        }
    }

    /// Decides how a block with empty queues goes on, and fills the queues if it goes on. `is_full` tells whether the
    /// items now in the queues make a full ensemble whose outputs fit the sinks.
    pub(super) fn next_step<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        queues: &mut [Queue],
        is_full: impl Fn(&[Queue]) -> bool,
    ) -> NextStep {
        for (module, &ensemble) in application.plan.modules.iter().zip(&application.ensembles) {
            self.fill(application, queues, module.nodes.clone(), ensemble);
            if is_full(queues) {
                return NextStep::FullEnsemble;
            }
            self.give(queues);
        }
        self.active -= 1;
        if self.active > 0 { NextStep::Done } else { NextStep::TakeAll }
    }

    /// Moves all items for which there is room to the queues, which are empty.
    pub(super) fn take_all<G: Sync + ?Sized>(
        &mut self,
        application: &CpuApplication<'_, '_, G>,
        queues: &mut [Queue],
    ) {
        self.fill(application, queues, 0..queues.len(), u64::MAX);
    }

    /// Moves items of these nodes to their queues, until `elements` elements are there or there is no room.
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
