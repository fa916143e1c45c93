//! Queues: rings of slots that hold items as bytes.

use std::collections::VecDeque;
use std::ops::Range;

use crate::stream::stages::stage::Mapping;

/// The way in which items of a queue fill the lanes of an ensemble: the weight of an item (see the vocabulary of
/// [`stream`](crate::stream)), and whether ensembles may divide it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weighing {
    /// An item takes one lane.
    Unit,
    /// As [`Weighing::Unit`], and the latest item leaves first.
    Latest,
    /// An item takes a lane for each of its elements; ensembles may divide it.
    Divisible,
    /// An item takes a lane for each of its elements, all in one ensemble.
    Whole,
}

impl From<Mapping> for Weighing {
    fn from(mapping: Mapping) -> Self {
        match mapping {
            Mapping::Each { .. } | Mapping::Walk { .. } => Self::Unit,
            Mapping::DepthFirst => Self::Latest,
            Mapping::Explode => Self::Divisible,
            Mapping::Collect { .. } | Mapping::Reduce => Self::Whole,
        }
    }
}

/// An amount of items and of their elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Amount {
    pub(super) items: u64,
    pub(super) elements: u64,
}

/// The elements that [`Queue::take`] has taken of the first item.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TakenElements {
    pub(super) elements: Range<u32>,
    /// Whether no element is left, so that the item has left the queue.
    pub(super) finished: bool,
}

/// A ring of slots, one item each. An item without elements never enters one.
#[derive(Debug)]
pub(super) struct Queue {
    weighing: Weighing,
    /// Size of a slot in bytes.
    stride: usize,
    capacity: usize,
    bytes: Vec<u8>,
    head: usize,
    len: usize,
    /// Number of elements of each item; empty for units.
    weights: VecDeque<u32>,
    /// Number of elements of the first item that were taken before.
    done: u32,
    /// Number of elements that wait.
    elements: u64,
}

impl Queue {
    /// An empty queue of `capacity` slots of `stride` bytes.
    pub(super) fn new(weighing: Weighing, stride: usize, capacity: usize) -> Self {
        Self {
            weighing,
            stride,
            capacity,
            bytes: vec![0; capacity * stride],
            head: 0,
            len: 0,
            weights: VecDeque::new(),
            done: 0,
            elements: 0,
        }
    }

    /// Number of items that wait.
    pub(super) fn len(&self) -> u64 {
        self.len as u64
    }

    /// Whether no item waits.
    pub(super) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Range of bytes of up to `count` slots from the slot of item `index` on, cut at the end of the ring.
    fn slots(&self, index: usize, count: usize) -> Range<usize> {
        let start = self.head + index;
        let start = if start < self.capacity { start } else { start - self.capacity };
        let count = count.min(self.capacity - start);
        start * self.stride..(start + count) * self.stride
    }

    /// Range of bytes of the slot of item `index`.
    fn slot(&self, index: usize) -> Range<usize> {
        self.slots(index, 1)
    }

    /// Removes the first `count` items.
    fn advance(&mut self, count: usize) {
        self.head += count;
        if self.head >= self.capacity {
            self.head -= self.capacity;
        }
        self.len -= count;
    }

    /// Appends an item of `weight` elements.
    ///
    /// # Panics
    /// If all slots are occupied, which the feasible counts of [`super::schedule`] exclude.
    pub(super) fn push(&mut self, item: &[u8], weight: u32) {
        self.append(item);
        self.elements += u64::from(weight);
        if !self.has_units() {
            self.weights.push_back(weight);
        }
    }

    /// Appends items of one element each, whose bytes follow each other in `items`.
    ///
    /// # Panics
    /// As [`push`](Self::push).
    pub(super) fn push_units(&mut self, items: &[u8]) {
        self.elements += self.append(items);
    }

    /// Copies items to the slots behind the last item, and returns their number.
    fn append(&mut self, items: &[u8]) -> u64 {
        let count = items.len() / self.stride;
        assert!(self.len + count <= self.capacity, "items were pushed to a full queue");
        let first = self.slots(self.len, count);
        let (to_end, others) = items.split_at(first.len());
        self.bytes[first].copy_from_slice(to_end);
        self.bytes[..others.len()].copy_from_slice(others);
        self.len += count;
        count as u64
    }

    /// Takes up to `limit` items of one element each, appends their bytes to `to`, and returns their number.
    pub(super) fn take_units(&mut self, limit: u64, to: &mut Vec<u8>) -> u64 {
        let count = self.len().min(limit) as usize;
        let latest = self.weighing == Weighing::Latest;
        let first = self.slots(if latest { self.len - count } else { 0 }, count);
        let others = count * self.stride - first.len();
        to.extend_from_slice(&self.bytes[first]);
        to.extend_from_slice(&self.bytes[..others]);
        if latest {
            self.len -= count;
        } else {
            self.advance(count);
        }
        self.elements -= count as u64;
        count as u64
    }

    /// Whether each item has one element.
    pub(super) fn has_units(&self) -> bool {
        matches!(self.weighing, Weighing::Unit | Weighing::Latest)
    }

    /// The largest amount from the front of the queue that is within `most`. Of items that may be divided, only
    /// elements are counted.
    pub(super) fn prefix(&self, most: Amount) -> Amount {
        match self.weighing {
            Weighing::Unit | Weighing::Latest => {
                let items = self.len().min(most.items).min(most.elements);
                Amount { items, elements: items }
            }
            Weighing::Divisible => Amount { items: 0, elements: self.elements.min(most.elements) },
            Weighing::Whole => {
                let mut prefix = Amount { items: 0, elements: 0 };
                for &weight in &self.weights {
                    let elements = prefix.elements + u64::from(weight);
                    if prefix.items == most.items || elements > most.elements {
                        break;
                    }
                    prefix = Amount { items: prefix.items + 1, elements };
                }
                prefix
            }
        }
    }

    /// Takes at most `limit` elements of the first item, and appends the bytes of the item to `to`. Takes nothing if
    /// the item must not be divided and has more elements.
    pub(super) fn take(&mut self, limit: u32, to: &mut Vec<u8>) -> Option<TakenElements> {
        if self.len == 0 || limit == 0 {
            return None;
        }
        let weight = self.weights.front().copied().unwrap_or(1);
        if self.weighing == Weighing::Whole && weight > limit {
            return None;
        }
        let elements = self.done..weight.min(self.done.saturating_add(limit));
        to.extend_from_slice(&self.bytes[self.slot(0)]);
        self.elements -= elements.len() as u64;
        let finished = elements.end == weight;
        self.done = if finished { 0 } else { elements.end };
        if finished {
            self.weights.pop_front();
            self.advance(1);
        }
        Some(TakenElements { elements, finished })
    }

    /// Takes up to `limit` of the oldest items of one element each, also of a stack, whose other items move down, and appends
    /// their bytes to `to`.
    pub(super) fn take_oldest(&mut self, limit: u64, to: &mut Vec<u8>) {
        if self.weighing != Weighing::Latest {
            self.take_units(limit, to);
            return;
        }
        let bytes = self.len().min(limit) as usize * self.stride;
        to.extend_from_slice(&self.bytes[..bytes]);
        self.bytes.copy_within(bytes..self.len * self.stride, 0);
        self.len -= bytes / self.stride;
        self.elements = self.len();
    }

    /// Removes all items of which no element was taken, and appends their bytes to `to`.
    pub(super) fn give(&mut self, to: &mut Vec<u8>) {
        let kept = usize::from(self.done > 0);
        for index in kept..self.len {
            to.extend_from_slice(&self.bytes[self.slot(index)]);
        }
        self.len = self.len.min(kept);
        if self.has_units() {
            self.elements = 0;
        } else {
            self.weights.truncate(kept);
            self.elements = self.weights.iter().map(|&weight| u64::from(weight - self.done)).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const ALL: Amount = Amount { items: u64::MAX, elements: u64::MAX };

    fn queue(weighing: Weighing, weights: &[u32]) -> Queue {
        let mut queue = Queue::new(weighing, 1, weights.len().max(4));
        for (item, &weight) in weights.iter().enumerate() {
            queue.push(&[item as u8], weight);
        }
        queue
    }

    #[test]
    fn items_leave_in_the_order_of_their_arrival_around_the_end_of_the_ring() {
        let mut queue = Queue::new(Weighing::Unit, 2, 3);
        let (mut next, mut seen) = (0_u8, Vec::new());
        for _ in 0..5 {
            while queue.len() < 3 {
                queue.push(&[next, !next], 1);
                next += 1;
            }
            for _ in 0..2 {
                assert_eq!(
                    queue.take(7, &mut seen),
                    Some(TakenElements { elements: 0..1, finished: true })
                );
            }
        }
        let expected: Vec<u8> = (0..10).flat_map(|item: u8| [item, !item]).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn units_go_many_at_a_time_around_the_end_of_the_ring() {
        let mut queue = Queue::new(Weighing::Unit, 2, 5);
        let (mut next, mut seen) = (0_u8, Vec::new());
        for count in [0, 3, 5, 1, 4, 5, 2] {
            let items: Vec<u8> = (next..next + count).flat_map(|item| [item, !item]).collect();
            next += count;
            queue.push_units(&items);
            assert_eq!((queue.len(), queue.prefix(ALL).elements), (count.into(), count.into()));
            assert_eq!(queue.take_units(2, &mut seen), u64::from(count.min(2)));
            assert_eq!(queue.take_units(9, &mut seen), u64::from(count.saturating_sub(2)));
        }
        assert!(queue.is_empty());
        let expected: Vec<u8> = (0..next).flat_map(|item| [item, !item]).collect();
        assert_eq!(seen, expected);
    }

    #[test]
    fn the_latest_items_leave_a_stack_first() {
        let mut stack = queue(Weighing::Latest, &[1, 1, 1]);
        let mut seen = Vec::new();
        assert_eq!(stack.take_units(2, &mut seen), 2);
        stack.push_units(&[8, 9, 7]);
        assert_eq!((stack.len(), stack.prefix(ALL).elements), (4, 4));
        assert_eq!(stack.take_units(3, &mut seen), 3);
        assert_eq!(seen, [1, 2, 8, 9, 7]);
        let mut given = Vec::new();
        stack.give(&mut given);
        assert_eq!((given, stack.is_empty()), (vec![0], true));
    }

    #[test]
    fn the_oldest_items_leave_a_ring_and_a_stack_alike() {
        for weighing in [Weighing::Unit, Weighing::Latest] {
            let mut queue = queue(weighing, &[1, 1, 1, 1, 1]);
            let mut seen = Vec::new();
            queue.take_oldest(2, &mut seen);
            assert_eq!(seen, [0, 1]);
            assert_eq!((queue.len(), queue.prefix(ALL).elements), (3, 3));
            queue.push_units(&[7, 8]);
            queue.take_oldest(3, &mut seen);
            queue.take_units(9, &mut seen);
            assert_eq!(seen, [0, 1, 2, 3, 4, 7, 8]);
        }
    }

    #[test]
    fn a_divided_head_remembers_what_was_taken_and_is_not_given_away() {
        let mut queue = queue(Weighing::Divisible, &[5, 3]);
        let (mut bytes, mut given) = (Vec::new(), Vec::new());
        assert_eq!(
            queue.take(2, &mut bytes),
            Some(TakenElements { elements: 0..2, finished: false })
        );
        assert_eq!(queue.prefix(ALL).elements, 6);
        queue.give(&mut given);
        assert_eq!((given, queue.len(), queue.prefix(ALL).elements), (vec![1], 1, 3));
        assert_eq!(
            queue.take(9, &mut bytes),
            Some(TakenElements { elements: 2..5, finished: true })
        );
        assert_eq!((bytes, queue.is_empty()), (vec![0, 0], true));
    }

    #[test]
    fn whole_items_stay_together() {
        let mut queue = queue(Weighing::Whole, &[4, 2, 6]);
        assert_eq!(queue.prefix(ALL), Amount { items: 3, elements: 12 });
        assert_eq!(queue.prefix(Amount { elements: 11, ..ALL }), Amount { items: 2, elements: 6 });
        assert_eq!(queue.prefix(Amount { items: 1, ..ALL }), Amount { items: 1, elements: 4 });
        assert_eq!(queue.prefix(Amount { elements: 3, ..ALL }), Amount { items: 0, elements: 0 });
        let mut bytes = Vec::new();
        assert_eq!(queue.take(3, &mut bytes), None);
        assert_eq!(
            queue.take(4, &mut bytes),
            Some(TakenElements { elements: 0..4, finished: true })
        );
    }

    #[test]
    #[should_panic(expected = "full queue")]
    fn a_full_queue_refuses() {
        let mut queue = queue(Weighing::Unit, &[1, 1, 1, 1]);
        queue.push(&[9], 1);
    }
}
