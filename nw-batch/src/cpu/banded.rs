//! Alignments of a batch in bands that are proven to have all best ones.
//!
//! ```text
//!   all pairs --> scores in a narrow band --> margin that suffices, by the score (band.rs)
//!                    ^                          |
//!                    |  a wider band, or        |  the margin is within the band: the score is right
//!                    `---- the whole matrix ----+
//!                                               `--> alignments in a band of this margin
//! ```
//!
//! The score of any alignment tells a margin that suffices, and the narrow band has one that is nearly the best for similar
//! sequences, at a small part of the cells.

use rayon::prelude::*;

use super::band::{Band, ScoreBounds};
use super::engine::GroupEngine;
use super::group_fill::CodePair;
use crate::alignment::{Alignment, AlignmentEnd};
use crate::batch::PairBatch;
use crate::scoring::Scoring;

/// Margin of the first band.
const FIRST_MARGIN: usize = 16;

/// Times by which a sufficient margin may exceed the one that was tried. Beyond it, the score is so low that a band of
/// [`MARGIN_GROWTH`] times the margin may find a better one, with which less is sufficient.
const MAX_MARGIN_GROWTH: usize = 16;

/// Times by which the margin grows to find a better score.
const MARGIN_GROWTH: usize = 4;

/// Cells of a band, among 16 of the matrix, for which the whole matrix is computed instead.
const WHOLE_FROM: usize = 10;

/// Pairs that a thread judges at a time.
const PAIRS_PER_PIECE: usize = 64;

/// Aligns the pairs of a batch.
pub(crate) struct BandedBatch<'a> {
    engine: &'a dyn GroupEngine,
    bounds: ScoreBounds<'a>,
    batch: PairBatch<'a>,
}

/// Margin of the band of a pair; `None` is the whole matrix.
type Margin = Option<usize>;

/// A pair to align in a band.
#[derive(Debug, Clone, Copy)]
struct BandedPair {
    /// Index in the batch.
    index: usize,
    margin: Margin,
}

/// Band to compute after another one.
#[derive(Debug, Clone, Copy)]
enum NextBand {
    /// None, since the other one has all best alignments.
    Same,
    /// A band that has all best alignments.
    Sufficient(Margin),
    /// A band that may have a better score, by which a smaller margin is sufficient.
    Wider(Margin),
}

/// Pairs of similar size that share vectors, in a band that has the bands of all of them.
struct PairGroup {
    pairs: Vec<BandedPair>,
    margin: Margin,
}

impl<'a> BandedBatch<'a> {
    pub fn new(scoring: &'a Scoring, engine: &'a dyn GroupEngine, batch: PairBatch<'a>) -> Self {
        Self { engine, bounds: ScoreBounds::new(scoring), batch }
    }

    /// Scores of the pairs, in their order.
    pub fn scores(&self) -> Vec<i32> {
        let mut scores = vec![0; self.batch.pairs.len()];
        let mut open = self.first_pairs();
        while !open.is_empty() {
            let found = self.in_groups(open, |pairs, band| self.engine.ends(pairs, band));
            open = Vec::new();
            for (pair, score, next) in self.judged(found) {
                match next {
                    NextBand::Same => scores[pair.index] = score,
                    NextBand::Sufficient(margin) | NextBand::Wider(margin) => {
                        open.push(BandedPair { margin, ..pair });
                    }
                }
            }
        }
        scores
    }

    /// Alignments of the pairs, in their order, with about `budget` bytes of memory for each thread.
    pub fn alignments(&self, budget: usize) -> Vec<Alignment> {
        let (mut open, mut ready): (Vec<_>, Vec<_>) =
            self.first_pairs().into_iter().partition(|pair| pair.margin.is_some());
        while !open.is_empty() {
            let found = self.in_groups(open, |pairs, band| self.engine.ends(pairs, band));
            open = Vec::new();
            for (pair, _, next) in self.judged(found) {
                match next {
                    NextBand::Same => ready.push(pair),
                    NextBand::Sufficient(margin) => ready.push(BandedPair { margin, ..pair }),
                    NextBand::Wider(margin) => open.push(BandedPair { margin, ..pair }),
                }
            }
        }
        let found =
            self.in_groups(ready, |pairs, band| self.engine.alignments(pairs, band, budget));
        let mut alignments = vec![Alignment::default(); self.batch.pairs.len()];
        for (pair, alignment) in found {
            alignments[pair.index] = alignment;
        }
        alignments
    }

    /// Codes of a pair's sequences.
    fn codes(&self, pair: BandedPair) -> CodePair<'a> {
        self.batch.sequences(self.batch.pairs[pair.index])
    }

    /// Numbers of residues of a pair's query and target.
    fn lengths(&self, pair: BandedPair) -> (usize, usize) {
        let (m, n) = self.batch.lengths(pair.index as u32);
        (m as usize, n as usize)
    }

    /// All pairs, with the margins of their first bands.
    fn first_pairs(&self) -> Vec<BandedPair> {
        let pairs = 0..self.batch.pairs.len();
        let first = |index| {
            let pair = BandedPair { index, margin: None };
            BandedPair { margin: self.worthwhile(pair, FIRST_MARGIN), ..pair }
        };
        pairs.map(first).collect()
    }

    /// A margin, if its band saves much of a pair's matrix.
    fn worthwhile(&self, pair: BandedPair, margin: usize) -> Margin {
        let (m, n) = self.lengths(pair);
        let diagonals = 2 * margin + m.abs_diff(n) + 1;
        (16 * diagonals < WHOLE_FROM * m.max(n)).then_some(margin)
    }

    /// The pairs with their scores in a band, and what band to compute next.
    fn judged(&self, found: Vec<(BandedPair, AlignmentEnd)>) -> Vec<(BandedPair, i32, NextBand)> {
        let judge = |(pair, end): (BandedPair, AlignmentEnd)| {
            (pair, end.score, self.next_band(pair, end.score))
        };
        found.into_par_iter().with_min_len(PAIRS_PER_PIECE).map(judge).collect()
    }

    /// The band to compute after the one in which a pair has this score.
    fn next_band(&self, pair: BandedPair, score: i32) -> NextBand {
        let Some(tried) = pair.margin else { return NextBand::Same };
        let (query, target) = self.codes(pair);
        let sufficient = self.bounds.sufficient_margin(query, target, score);
        if sufficient <= tried {
            return NextBand::Same;
        }
        if sufficient <= MAX_MARGIN_GROWTH * tried {
            return NextBand::Sufficient(self.worthwhile(pair, sufficient));
        }
        match self.worthwhile(pair, MARGIN_GROWTH * tried) {
            None => NextBand::Sufficient(None),
            wider => NextBand::Wider(wider),
        }
    }

    /// Results of `work` for each pair, which gets groups of pairs with their band.
    fn in_groups<T: Send>(
        &self,
        pairs: Vec<BandedPair>,
        work: impl Fn(&[CodePair<'_>], Band) -> Vec<T> + Sync + Send,
    ) -> Vec<(BandedPair, T)> {
        let groups = self.group_pairs(pairs);
        let work = |group: &PairGroup| {
            let codes: Vec<_> = group.pairs.iter().map(|&pair| self.codes(pair)).collect();
            let lengths = group.pairs.iter().map(|&pair| self.lengths(pair));
            let band = group.margin.map_or(Band::WHOLE, |margin| Band::of_margin(margin, lengths));
            // The score is the best of the group's band.
            let pair = |pair: &BandedPair| BandedPair { margin: group.margin, ..*pair };
            group.pairs.iter().map(pair).zip(work(&codes, band)).collect::<Vec<_>>()
        };
        // Large groups come last, and should start first.
        let found = groups.par_iter().rev().with_max_len(1).map(work);
        found.collect::<Vec<_>>().into_iter().flatten().collect()
    }

    /// Groups pairs of similar size and margin, so that lanes compute few cells outside of their own band.
    fn group_pairs(&self, mut pairs: Vec<BandedPair>) -> Vec<PairGroup> {
        let class_of = |pair: BandedPair| {
            let (m, _) = self.lengths(pair);
            let power = m.next_power_of_two();
            // Queries whose lengths differ by less than an eighth are of one class.
            (
                power,
                m.div_ceil((power / 8).max(8)),
                pair.margin.map_or(usize::MAX, usize::next_power_of_two),
            )
        };
        pairs.par_sort_by_cached_key(|&pair| {
            let (m, n) = self.lengths(pair);
            (class_of(pair), n as i64 - m as i64, pair.index)
        });
        let mut groups: Vec<PairGroup> = Vec::new();
        let mut last = None;
        for pair in pairs {
            let (class, (_, n)) = (class_of(pair), self.lengths(pair));
            let fits = last.is_some_and(|(of_group, least)| {
                // A target of more than twice the least length would make most of the other lanes padding.
                of_group == class && n <= 2 * least + 64
            });
            match groups.last_mut() {
                Some(group) if fits && group.pairs.len() < self.engine.lanes() => {
                    group.margin = group.margin.max(pair.margin);
                    group.pairs.push(pair);
                }
                _ => {
                    last = Some((class, n));
                    groups.push(PairGroup { pairs: vec![pair], margin: pair.margin });
                }
            }
        }
        groups
    }
}
