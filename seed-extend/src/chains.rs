//! Chains: occurrences of seeds that may belong to one alignment.
//!
//! ```text
//!  query |   \                   anchors of one query, by position; each goes to the chain whose
//!        |    \    \             last anchor is nearest in diagonal among those that it can follow:
//!        |          \            both places later, and no farther off in diagonal than `width`
//!        |           \
//!        '--------------- text
//! ```
//!
//! A chain that shares much of the read with one of much more weight cannot be the best, nor say how
//! good the second best is, and is dropped (after Li 2013, section 2.2, in our own way: ordered by place, with
//! a bounded look back, so that a thread of a GPU can do the same).

use std::cmp::Reverse;
use std::collections::VecDeque;

use bytemuck::{Pod, Zeroable};
use fm_index::Segments;

use crate::anchors::Anchor;
use crate::queries::is_reverse;

/// What makes a chain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainOptions {
    /// How far diagonals of neighbours in a chain may be from each other.
    pub width: u32,
    /// The share of the shorter of two chains' places in the read from which on they compete.
    pub overlap: f32,
    /// A chain is dropped if a competitor's weight times this is greater,
    pub drop_ratio: f32,
    /// and if it is greater by this much at least.
    pub drop_weight: u32,
    /// Chains of a read at most, those of the greatest weight.
    pub most: usize,
}

impl Default for ChainOptions {
    fn default() -> Self {
        Self { width: 100, overlap: 0.5, drop_ratio: 0.5, drop_weight: 38, most: 500 }
    }
}

/// Chains before an anchor that it may join.
const LOOK_BACK: usize = 16;

/// Anchors that may belong to one alignment.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Chain {
    /// The least diagonal of its anchors, in the indexed text.
    pub low: i64,
    /// The greatest.
    pub high: i64,
    /// Number of the query.
    pub query: u32,
    /// Number of the segment of the text.
    pub segment: u32,
    /// First place of the query in an anchor.
    pub begin: u32,
    /// Behind the last.
    pub end: u32,
    /// The most bases between two anchors, or before or behind all.
    pub gap: u32,
    /// Bases in anchors, of the query or of the text, whichever are fewer.
    pub weight: u32,
}

/// A chain that more anchors may join.
#[derive(Debug, Clone, Copy)]
struct Growing {
    chain: Chain,
    /// The last anchor.
    last: Anchor,
    /// Bases in anchors of the query and of the text.
    covered: [u32; 2],
}

impl Growing {
    fn new(anchor: Anchor, segment: u32) -> Self {
        let diagonal = anchor.diagonal();
        let chain = Chain {
            low: diagonal,
            high: diagonal,
            query: anchor.query,
            segment,
            begin: anchor.begin.into(),
            end: anchor.end(),
            gap: anchor.begin.into(),
            weight: anchor.length.into(),
        };
        Self { chain, last: anchor, covered: [anchor.length.into(); 2] }
    }

    /// Whether an anchor tells nothing new: it lies on one of the chain's diagonals, and within its places.
    fn contains(&self, anchor: &Anchor) -> bool {
        let Chain { low, high, begin, end, .. } = self.chain;
        (low..=high).contains(&anchor.diagonal())
            && begin <= anchor.begin.into()
            && anchor.end() <= end
            && anchor.position_end() <= self.last.position_end()
    }

    /// How far an anchor is off the last one's diagonal, if it can follow.
    fn distance(&self, anchor: &Anchor, segment: u32, width: u32) -> Option<u64> {
        let distance = (anchor.diagonal() - self.last.diagonal()).unsigned_abs();
        // On other diagonals, what is mostly in the last anchor is another copy of a repeat.
        let new = anchor.end().saturating_sub(self.last.end());
        let new = new.min(anchor.position_end().saturating_sub(self.last.position_end()));
        let follows = anchor.begin >= self.last.begin
            && (distance == 0 || 2 * new >= anchor.length.min(self.last.length).into());
        (self.chain.segment == segment && follows && distance <= width.into()).then_some(distance)
    }

    fn push(&mut self, anchor: Anchor) {
        let chain = &mut self.chain;
        let diagonal = anchor.diagonal();
        chain.low = chain.low.min(diagonal);
        chain.high = chain.high.max(diagonal);
        chain.gap = chain.gap.max(u32::from(anchor.begin).saturating_sub(chain.end));
        self.covered[0] += anchor.end().saturating_sub(chain.end.max(anchor.begin.into()));
        self.covered[1] +=
            anchor.position_end().saturating_sub(self.last.position_end().max(anchor.position));
        chain.weight = self.covered[0].min(self.covered[1]);
        chain.end = chain.end.max(anchor.end());
        self.last = anchor;
    }
}

impl Chain {
    /// Its places of the read, which has `length` bases, in the read's own direction.
    pub fn in_read(&self, length: u32) -> (u32, u32) {
        if is_reverse(self.query) {
            (length - self.end, length - self.begin)
        } else {
            (self.begin, self.end)
        }
    }
}

/// Appends the chains of a query, by their first anchors. Anchors come sorted by position, then place;
/// `length` is the query's.
pub fn chain(
    anchors: &[Anchor],
    length: u32,
    segments: &Segments,
    options: &ChainOptions,
    chains: &mut Vec<Chain>,
) {
    // The last ones; those before them are done.
    let mut recent: VecDeque<Growing> = VecDeque::new();
    let mut done = |Growing { mut chain, .. }: Growing| {
        chain.gap = chain.gap.max(length - chain.end);
        chains.push(chain);
    };
    for &anchor in anchors {
        let segment = segments.number(anchor.position + u32::from(anchor.length) / 2);
        let is_there = |it: &Growing| it.chain.segment == segment && it.contains(&anchor);
        if recent.iter().any(is_there) {
            continue;
        }
        let near = recent
            .iter_mut()
            .filter_map(|it| Some((it.distance(&anchor, segment, options.width)?, it)))
            .min_by_key(|&(distance, _)| distance);
        if let Some((_, growing)) = near {
            growing.push(anchor);
        } else {
            if recent.len() == LOOK_BACK {
                recent.pop_front().into_iter().for_each(&mut done);
            }
            recent.push_back(Growing::new(anchor, segment));
        }
    }
    recent.into_iter().for_each(done);
}

/// Keeps those chains of one read, of `length` bases, that may matter, by weight. Those of each of its
/// queries come by their first anchors.
pub fn keep_best(chains: &mut Vec<Chain>, length: u32, options: &ChainOptions) {
    chains.sort_by_key(|chain| Reverse(chain.weight));
    // Of each that is kept, its places, weight, and whether it stands for one that it shadows.
    let mut kept: Vec<(u32, u32, u32, bool)> = Vec::new();
    chains.retain(|chain| {
        let (begin, end) = chain.in_read(length);
        for (other_begin, other_end, weight, has_shadowed) in &mut kept {
            let shared = end.min(*other_end).saturating_sub(begin.max(*other_begin));
            let shorter = (end - begin).min(*other_end - *other_begin);
            let competes = shared > 0 && shared as f32 >= shorter as f32 * options.overlap;
            let is_light = (chain.weight as f32) < *weight as f32 * options.drop_ratio
                && *weight - chain.weight >= options.drop_weight;
            if competes && is_light {
                // The first of them tells how good the next best is.
                return !std::mem::replace(has_shadowed, true);
            }
        }
        kept.push((begin, end, chain.weight, false));
        true
    });
    chains.truncate(options.most);
}
