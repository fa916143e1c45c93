//! Work that moves between blocks during the run ([`Settings::move_work`](crate::stream::Settings::move_work)).
//!
//! A block that has run dry is *hungry*: it waits for a *packet*, items of one node that another block gives away. As
//! on a GPU, where `cuda/include/stream/moving.cuh` has the rules and the proof that queues do not overflow, nothing
//! deadlocks and no item is lost. A hungry block waits for blocks that have started and work. It does not wait while
//! blocks hold items that have not started in this round, because they may need its thread; and never longer than
//! [`PATIENCE`], as the code of a stage may itself wait for the thread.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::queue::Queue;

/// A block gives items of a node at which more than so many ensembles wait, as on a GPU.
pub(super) const GENEROUS: u64 = 2;

/// The longest time that a hungry block waits for others to give or end. To wait less costs parallel work, not items.
const PATIENCE: Duration = Duration::from_secs(1);

/// Items of one node that move from one block to another.
#[derive(Debug)]
struct Packet {
    node: usize,
    items: Vec<u8>,
}

/// The packets that wait, and the numbers of blocks in each state.
#[derive(Debug, Default)]
struct MovingState {
    packets: VecDeque<Packet>,
    /// Blocks that have started in this round, and are neither hungry nor stopped.
    working: usize,
    /// Blocks that have stopped with items.
    holding: usize,
    /// Packets that were given in all.
    given: u64,
}

/// The place where blocks leave packets for others.
#[derive(Debug, Default)]
pub(super) struct WorkPool {
    state: Mutex<MovingState>,
    changed: Condvar,
    /// Blocks that wait for packets.
    hungry: AtomicUsize,
}

/// The next step of a hungry block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meal {
    /// It goes on with the items that it got.
    Packet,
    /// Its round is over, but other blocks hold items, of which it may get some in the next round.
    NextRound,
    /// No block has items that it could give.
    Nothing,
}

impl WorkPool {
    fn state(&self) -> MutexGuard<'_, MovingState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a block waits for a packet. The number may be an old one.
    pub(super) fn has_hungry(&self) -> bool {
        self.hungry.load(Ordering::Relaxed) > 0
    }

    /// Packets that were given in all.
    pub(super) fn given(&self) -> u64 {
        self.state().given
    }

    /// Counts a block among those that work; `held` tells whether it has stopped with items before.
    pub(super) fn start(&self, held: bool) {
        let mut state = self.state();
        state.working += 1;
        state.holding -= usize::from(held);
    }

    /// Counts out a block that worked, and stops with or without items.
    pub(super) fn stop(&self, holds: bool) {
        let mut state = self.state();
        state.working -= 1;
        state.holding += usize::from(holds);
        self.changed.notify_all();
    }

    /// Gives up to `most` of the oldest items of a node away, unless there are packets for all hungry blocks.
    pub(super) fn give(&self, node: usize, queue: &mut Queue, most: u64) {
        let mut state = self.state();
        if state.packets.len() >= self.hungry.load(Ordering::Relaxed) {
            return;
        }
        let mut items = Vec::new();
        queue.take_oldest(most, &mut items);
        state.packets.push_back(Packet { node, items });
        state.given += 1;
        self.changed.notify_one();
    }

    /// Waits for a packet for a block that works and whose queues are empty, and moves its items to the queues. A block
    /// that gets none no longer counts among those that work.
    pub(super) fn take(&self, queues: &mut [Queue]) -> Meal {
        let mut state = self.state();
        state.working -= 1;
        self.hungry.fetch_add(1, Ordering::Relaxed);
        self.changed.notify_all();
        let mut patience = PATIENCE;
        let meal = loop {
            if let Some(Packet { node, items }) = state.packets.pop_front() {
                queues[node].push_units(&items);
                state.working += 1;
                break Meal::Packet;
            }
            if state.working == 0 && state.holding == 0 {
                break Meal::Nothing;
            }
            if state.working == 0 || state.holding > 0 || patience.is_zero() {
                break Meal::NextRound;
            }
            let start = std::time::Instant::now();
            state = self
                .changed
                .wait_timeout(state, patience)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
            patience = patience.saturating_sub(start.elapsed());
        };
        self.hungry.fetch_sub(1, Ordering::Relaxed);
        meal
    }
}

#[cfg(test)]
mod tests {
    use super::super::queue::Weighing;
    use super::*;

    fn queue(items: &[u8]) -> Queue {
        let mut queue = Queue::new(Weighing::Unit, 1, 8);
        queue.push_units(items);
        queue
    }

    #[test]
    fn a_hungry_block_gets_the_oldest_items_of_another() {
        let pool = WorkPool::default();
        pool.start(false);
        pool.start(false);
        let mut giver = queue(&[1, 2, 3, 4, 5]);
        // Nobody is hungry.
        pool.give(0, &mut giver, 2);
        assert_eq!(giver.len(), 5);
        std::thread::scope(|scope| {
            let taker = scope.spawn(|| {
                let mut queues = [queue(&[]), queue(&[])];
                let meal = pool.take(&mut queues);
                let mut items = Vec::new();
                queues[1].take_units(9, &mut items);
                (meal, items)
            });
            while !pool.has_hungry() {
                std::thread::yield_now();
            }
            pool.give(1, &mut giver, 2);
            // One packet is enough for one block.
            pool.give(1, &mut giver, 2);
            let (meal, items) = taker.join().expect("it does not panic");
            assert_eq!((meal, items), (Meal::Packet, vec![1, 2]));
        });
        assert_eq!(giver.len(), 3);
        assert_eq!(pool.given(), 1);
    }

    #[test]
    fn nobody_waits_for_blocks_that_have_not_started() {
        let pool = WorkPool::default();
        pool.start(false);
        assert_eq!(pool.take(&mut [queue(&[])]), Meal::Nothing);
        // Another block stops with items: it goes on in the next round.
        pool.start(false);
        pool.start(false);
        pool.stop(true);
        assert_eq!(pool.take(&mut [queue(&[])]), Meal::NextRound);
        // There it ends without items.
        pool.start(true);
        pool.stop(false);
        pool.start(false);
        assert_eq!(pool.take(&mut [queue(&[])]), Meal::Nothing);
    }
}
