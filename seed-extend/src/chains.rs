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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chain {
    /// Number of the query.
    pub query: u32,
    /// Number of the segment of the text.
    pub segment: u32,
    /// First place of the query in an anchor.
    pub begin: u32,
    /// Behind the last.
    pub end: u32,
    /// The least diagonal of its anchors, in the indexed text.
    pub low: i64,
    /// The greatest.
    pub high: i64,
    /// The most bases between two anchors, or before or behind all.
    pub gap: u32,
    /// Bases in anchors, of the query or of the text, whichever are fewer.
    pub weight: u32,
    /// The last anchor.
    last: Anchor,
    /// Bases in anchors of the query and of the text.
    covered: [u32; 2],
    /// Position of the first anchor.
    start: u32,
}

impl Chain {
    fn new(anchor: Anchor, segment: u32) -> Self {
        let diagonal = anchor.diagonal();
        Self {
            query: anchor.query,
            segment,
            begin: anchor.begin.into(),
            end: anchor.end(),
            low: diagonal,
            high: diagonal,
            gap: anchor.begin.into(),
            weight: anchor.length.into(),
            last: anchor,
            covered: [anchor.length.into(); 2],
            start: anchor.position,
        }
    }

    /// Whether an anchor tells nothing new: it lies on one of the chain's diagonals, and within its places.
    fn contains(&self, anchor: &Anchor) -> bool {
        (self.low..=self.high).contains(&anchor.diagonal())
            && self.begin <= anchor.begin.into()
            && anchor.end() <= self.end
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
        (self.segment == segment && follows && distance <= width.into()).then_some(distance)
    }

    fn push(&mut self, anchor: Anchor) {
        let diagonal = anchor.diagonal();
        self.low = self.low.min(diagonal);
        self.high = self.high.max(diagonal);
        self.gap = self.gap.max(u32::from(anchor.begin).saturating_sub(self.end));
        self.covered[0] += anchor.end().saturating_sub(self.end.max(anchor.begin.into()));
        self.covered[1] +=
            anchor.position_end().saturating_sub(self.last.position_end().max(anchor.position));
        self.weight = self.covered[0].min(self.covered[1]);
        self.end = self.end.max(anchor.end());
        self.last = anchor;
    }

    /// Its places of the read, which has `length` bases, in the read's own direction.
    pub fn in_read(&self, length: u32) -> (u32, u32) {
        if is_reverse(self.query) {
            (length - self.end, length - self.begin)
        } else {
            (self.begin, self.end)
        }
    }
}

/// Appends the chains of a query. Anchors come sorted by position, then place; `length` is the query's.
pub fn chain(
    anchors: &[Anchor],
    length: u32,
    segments: &Segments,
    options: &ChainOptions,
    chains: &mut Vec<Chain>,
) {
    let first = chains.len();
    for &anchor in anchors {
        let segment = segments.number(anchor.position + u32::from(anchor.length) / 2);
        let recent = first.max(chains.len().saturating_sub(LOOK_BACK));
        let recent = &mut chains[recent..];
        if recent.iter().any(|chain| chain.segment == segment && chain.contains(&anchor)) {
            continue;
        }
        let near = recent
            .iter_mut()
            .filter_map(|chain| Some((chain.distance(&anchor, segment, options.width)?, chain)))
            .min_by_key(|&(distance, _)| distance);
        match near {
            Some((_, chain)) => chain.push(anchor),
            None => chains.push(Chain::new(anchor, segment)),
        }
    }
    for chain in &mut chains[first..] {
        chain.gap = chain.gap.max(length - chain.end);
    }
}

/// Keeps those chains of one read, of `length` bases, that may matter, by weight.
pub fn keep_best(chains: &mut Vec<Chain>, length: u32, options: &ChainOptions) {
    chains.sort_by_key(|chain| (u32::MAX - chain.weight, chain.query, chain.start, chain.begin));
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
