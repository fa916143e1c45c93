//! Chains: anchors of one query that may belong to one alignment.
//!
//! ```text
//!  query |   \                   The anchors of a query, sorted by position. Each joins, of the chains
//!        |    \    \             it can follow, the one whose last anchor is nearest in diagonal:
//!        |          \            it must begin later in query and text than that anchor, and be
//!        |           \           at most `band_width` diagonals away.
//!        '--------------- text
//! ```
//!
//! A chain that overlaps much of another in the read and weighs much less cannot be the best alignment, nor tell how
//! good the second best is, and is dropped; of the others, [`outscored`](super::outscored) drops more. This follows
//! BWA-MEM (Li, arXiv:1303.3997, section 2.2), with two changes: anchors are chained in the order of position and look
//! back at a bounded number of chains (`LOOK_BACK`), so that lanes of a GPU can do the same; `bwa` keeps chains in a
//! B-tree.

use std::cmp::Reverse;
use std::collections::VecDeque;

use aligner_core::device_struct;
use fm_index::Segments;

use crate::chain::anchors::Anchor;
use crate::read::packed::{PackedQuery, PackedText};
use crate::read::queries::is_reverse;

/// Options that decide which anchors are chained, and which chains are kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChainOptions {
    /// Distance of the diagonals of neighbours in a chain, at most. bwa's `-w`.
    pub band_width: u32,
    /// Fraction of the shorter of two chains, in the read, that they must share to compete. bwa's `mask_level`.
    pub min_overlap: f32,
    /// A chain is dropped if its weight is less than this fraction of a competitor's, and `drop_weight` allows it.
    /// bwa's `-D` (`drop_ratio`).
    pub drop_ratio: f32,
    /// A chain is dropped only if it weighs less than a competitor by at least this many bases. bwa's
    /// `2 * min_seed_len`.
    pub drop_weight: u32,
    /// Chains of a read that are kept, those of the greatest weight. `bwa` has no such limit.
    pub max_chains: usize,
}

impl Default for ChainOptions {
    fn default() -> Self {
        Self {
            band_width: 100,
            min_overlap: 0.5,
            drop_ratio: 0.5,
            drop_weight: 38,
            max_chains: 500,
        }
    }
}

/// Chains that an anchor may join: the last ones that were begun.
const LOOK_BACK: usize = 16;

device_struct! {
    /// Anchors of one query that may belong to one alignment.
    #[derive(PartialEq, Eq, Default)]
    pub struct Chain {
        /// The least diagonal of its anchors, in the indexed text.
        pub low: i64,
        /// The greatest diagonal of its anchors.
        pub high: i64,
        /// Number of the query: twice the read's, plus 1 for its reverse complement.
        pub query: u32,
        /// Number of the segment of the text ([`Segments`]).
        pub segment: u32,
        /// First base of the query in an anchor, from 0; of an [outscored](super::outscored) chain that stays, the first one that
        /// it keeps.
        pub begin: u32,
        /// End of the last anchor in the query, exclusive, or that of the bases that it keeps.
        pub end: u32,
        /// Bases of the query in its longest stretch without an anchor: between two anchors, before the first or
        /// after the last.
        pub gap: u32,
        /// Bases covered by anchors, of the query or of the text, whichever are fewer.
        pub weight: u32,
    }
}

/// A chain that more anchors may join.
#[derive(Debug, Clone, Copy)]
struct GrowingChain {
    chain: Chain,
    /// The anchor that joined last.
    last: Anchor,
    /// Bases covered by anchors, of the query and of the text.
    covered: [u32; 2],
}

impl GrowingChain {
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

    /// Whether an anchor adds nothing: it is on one of the chain's diagonals and within the chain in query and text.
    fn contains(&self, anchor: &Anchor) -> bool {
        let Chain { low, high, begin, end, .. } = self.chain;
        (low..=high).contains(&anchor.diagonal())
            && begin <= anchor.begin.into()
            && anchor.end() <= end
            && anchor.position_end() <= self.last.position_end()
    }

    /// Diagonals between an anchor and the chain's last one, if the anchor can join the chain.
    fn distance(&self, anchor: &Anchor, segment: u32, band_width: u32) -> Option<u64> {
        let distance = (anchor.diagonal() - self.last.diagonal()).unsigned_abs();
        // On another diagonal, an anchor that lies mostly within the last one is another copy of a repeat.
        let new = anchor.end().saturating_sub(self.last.end());
        let new = new.min(anchor.position_end().saturating_sub(self.last.position_end()));
        let follows = anchor.begin >= self.last.begin
            && (distance == 0 || 2 * new >= anchor.length.min(self.last.length).into());
        (self.chain.segment == segment && follows && distance <= band_width.into())
            .then_some(distance)
    }

    /// Adds an anchor at the end.
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
    /// Chains from one whose text is fetched from memory to the one that is compared with its text meanwhile.
    pub(crate) const AHEAD: usize = 8;

    /// Starts to fetch the text that lies opposite a query of so many bases on the least diagonal.
    pub(crate) fn prefetch(&self, text: PackedText<'_>, length: u32) {
        text.prefetch(self.low..self.low + i64::from(length));
    }

    /// Position of the text opposite the first base of the query, if the chain has one diagonal and all of the query has text
    /// opposite.
    pub(crate) fn begin_opposite(
        &self,
        query: PackedQuery<'_>,
        text: PackedText<'_>,
    ) -> Option<usize> {
        let begin = usize::try_from(self.low).ok()?;
        (self.low == self.high && begin + query.length <= text.length).then_some(begin)
    }

    /// First base and exclusive end of the chain in the read as sequenced, which has `length` bases.
    pub fn in_read(&self, length: u32) -> (u32, u32) {
        if is_reverse(self.query) {
            (length - self.end, length - self.begin)
        } else {
            (self.begin, self.end)
        }
    }
}

/// Appends the chains of a query of `length` bases, in the order of their first anchors. Anchors must be sorted by
/// position in the text, then by place in the query.
pub fn chain(
    anchors: &[Anchor],
    length: u32,
    segments: &Segments,
    options: &ChainOptions,
    chains: &mut Vec<Chain>,
) {
    // The chains that anchors may still join.
    let mut recent: VecDeque<GrowingChain> = VecDeque::with_capacity(LOOK_BACK);
    let mut done = |GrowingChain { mut chain, .. }: GrowingChain| {
        chain.gap = chain.gap.max(length - chain.end);
        chains.push(chain);
    };
    for &anchor in anchors {
        let segment = segments.number(anchor.position + u32::from(anchor.length) / 2);
        let (diagonal, band) = (anchor.diagonal(), i64::from(options.band_width));
        let is_near =
            |it: &GrowingChain| it.chain.low - band <= diagonal && diagonal <= it.chain.high + band;
        let is_contained = |it: &GrowingChain| it.chain.segment == segment && it.contains(&anchor);
        // Most anchors of repeats are near no other one.
        let nearest = if recent.iter().any(is_near) {
            if recent.iter().any(is_contained) {
                continue;
            }
            let joinable = recent.iter_mut().filter_map(|it| {
                let distance = it.distance(&anchor, segment, options.band_width)?;
                Some((distance, it))
            });
            joinable.min_by_key(|&(distance, _)| distance)
        } else {
            None
        };
        if let Some((_, growing)) = nearest {
            growing.push(anchor);
        } else {
            if recent.len() == LOOK_BACK {
                recent.pop_front().into_iter().for_each(&mut done);
            }
            recent.push_back(GrowingChain::new(anchor, segment));
        }
    }
    recent.into_iter().for_each(done);
}

/// A chain that is kept, while lighter ones are compared with it.
struct KeptChain {
    begin: u32,
    end: u32,
    weight: u32,
    /// Whether a chain that would have been dropped because of this one was kept, to tell how good the second best is.
    has_second: bool,
}

/// Drops the chains of a read of `length` bases that cannot matter and sorts the others by weight, the heaviest first.
/// The chains of each of the read's queries must come in the order of their first anchors.
pub fn keep_best(chains: &mut Vec<Chain>, length: u32, options: &ChainOptions) {
    chains.sort_by_key(|chain| Reverse(chain.weight));
    let mut kept: Vec<KeptChain> = Vec::new();
    chains.retain(|chain| {
        let (begin, end) = chain.in_read(length);
        for other in &mut kept {
            let shared = end.min(other.end).saturating_sub(begin.max(other.begin));
            let shorter = (end - begin).min(other.end - other.begin);
            let competes = shared > 0 && shared as f32 >= shorter as f32 * options.min_overlap;
            let is_light = (chain.weight as f32) < other.weight as f32 * options.drop_ratio
                && other.weight - chain.weight >= options.drop_weight;
            if competes && is_light {
                // The first such chain stays: it tells how good the second best alignment is.
                return !std::mem::replace(&mut other.has_second, true);
            }
        }
        kept.push(KeptChain { begin, end, weight: chain.weight, has_second: false });
        true
    });
    chains.truncate(options.max_chains);
}
