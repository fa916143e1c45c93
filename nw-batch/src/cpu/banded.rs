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
//! sequences, at a small part of the cells. Where the other pairs of the batch tell what margin to expect (`expected_margin.rs`),
//! the alignments are computed in a band of that margin at once, and kept if their scores prove that it suffices.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::mem;

use rayon::prelude::*;

use super::band::{Band, ScoreBounds};
use super::engine::{BandResult, GroupEngine};
use super::expected_margin::{ExpectedMargin, FIRST_MARGIN, MarginSample, PROBED_GROUPS};
use super::group_fill::CodePair;
use crate::alignment::{Alignment, AlignmentEnd};
use crate::batch::PairBatch;
use crate::scoring::Scoring;

/// Margin of the narrowest band, so that bands of few differences are alike.
const LEAST_MARGIN: usize = 4;

/// Times by which a sufficient margin may exceed the one that was tried. Beyond it, the score is so low that a band of
/// [`MARGIN_GROWTH`] times the margin may find a better one, with which less is sufficient.
const MAX_MARGIN_GROWTH: usize = 16;

/// Times by which the margin grows to find a better score.
const MARGIN_GROWTH: usize = 4;

/// Cells of a band, among 16 of the matrix, for which the whole matrix is computed instead.
const WHOLE_FROM: usize = 10;

/// A pair of another size may add one of so many cells to each lane of a group.
const CELLS_FOR_ONE_MORE: usize = 8;

/// Groups that may take a pair.
const OPEN_GROUPS: usize = 8;

/// Pairs that a thread judges at a time.
const PAIRS_PER_PIECE: usize = 64;

/// Aligns the pairs of a batch.
pub(crate) struct BandedBatch<'a> {
    engine: &'a dyn GroupEngine,
    bounds: ScoreBounds<'a>,
    batch: PairBatch<'a>,
}

/// Margin of the band of a pair; `None` is the whole matrix.
pub(crate) type Margin = Option<usize>;

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
    /// None, since the other one has all best alignments, and so has one of this margin.
    Narrower(Margin),
    /// A band that has all best alignments.
    Sufficient(Margin),
    /// A band that may have a better score, by which a smaller margin is sufficient.
    Wider(Margin),
}

/// Pairs in bands that may suffice.
struct TriedPairs {
    pairs: Vec<BandedPair>,
    /// Whether the bands are expected to suffice for nearly all of them.
    is_expected: bool,
}

/// Pairs that share vectors, in a band that has the bands of all of them.
struct PairGroup {
    pairs: Vec<BandedPair>,
    shape: GroupShape,
    /// Size of the first pair, and the residues of its target.
    first: (SizeClass, usize),
}

/// Size of a pair. Pairs of one size fill few lanes with more cells than they have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct SizeClass {
    /// Residues of the query, rounded up to a power of two.
    power: usize,
    /// Residues of the query in eighths of the power, of at least eight residues each, rounded up.
    eighths: usize,
    /// Margin of the band, rounded up to a power of two; the greatest number for the whole matrix.
    margin: usize,
}

/// The matrices of a group, of which a lane has each, in their band.
#[derive(Debug, Clone, Copy)]
struct GroupShape {
    rows: usize,
    columns: usize,
    /// Least and greatest difference of a target's and a query's length, and 0.
    differences: (i64, i64),
    margin: Margin,
}

impl GroupShape {
    /// Shape of a pair alone.
    fn of_pair((m, n): (usize, usize), margin: Margin) -> Self {
        let difference = n as i64 - m as i64;
        Self { rows: m, columns: n, differences: (difference.min(0), difference.max(0)), margin }
    }

    /// Shape of two groups in one.
    fn with(self, other: Self) -> Self {
        let (least, greatest) = self.differences;
        Self {
            rows: self.rows.max(other.rows),
            columns: self.columns.max(other.columns),
            differences: (least.min(other.differences.0), greatest.max(other.differences.1)),
            margin: self.margin.zip(other.margin).map(|(margin, other)| margin.max(other)),
        }
    }

    /// Number of cells of each lane.
    fn cells(self) -> usize {
        let (least, greatest) = self.differences;
        let diagonals = |margin: usize| (greatest - least) as usize + 2 * margin + 1;
        self.rows * self.margin.map_or(self.columns, |it| self.columns.min(diagonals(it)))
    }
}

impl<'a> BandedBatch<'a> {
    pub fn new(scoring: &'a Scoring, engine: &'a dyn GroupEngine, batch: PairBatch<'a>) -> Self {
        Self { engine, bounds: ScoreBounds::new(scoring), batch }
    }

    /// Scores of the pairs, in their order.
    pub fn scores(&self) -> Vec<i32> {
        let mut scores = vec![0; self.batch.pairs.len()];
        let mut settle = |pair: BandedPair, score: i32, next: NextBand| match next {
            NextBand::Narrower(_) => {
                scores[pair.index] = score;
                None
            }
            NextBand::Sufficient(margin) | NextBand::Wider(margin) => Some(margin),
        };
        let (mut open, tried) = self.first_pairs(&mut settle);
        open.extend(tried.pairs);
        self.in_bands(open, settle);
        scores
    }

    /// Alignments of the pairs, in their order, with about `budget` bytes of memory for each thread.
    pub fn alignments(&self, budget: usize) -> Vec<Alignment> {
        let mut alignments = vec![Alignment::default(); self.batch.pairs.len()];
        let mut ready = Vec::new();
        let mut settle = |pair: BandedPair, _: i32, next: NextBand| match next {
            NextBand::Narrower(margin) | NextBand::Sufficient(margin) => {
                ready.push(BandedPair { margin, ..pair });
                None
            }
            NextBand::Wider(margin) => Some(margin),
        };
        let (mut open, mut tried) = self.first_pairs(&mut settle);
        if tried.is_expected {
            let groups = self.group_pairs(mem::take(&mut tried.pairs));
            let found = self.in_groups(&groups, |pairs, codes, band| {
                let is_proven = |place: usize, score| {
                    matches!(self.next_band(pairs[place], score), NextBand::Narrower(_))
                };
                self.engine.alignments(codes, band, budget, &is_proven)
            });
            for (pair, result) in found {
                match result {
                    BandResult::Aligned(alignment) => alignments[pair.index] = alignment,
                    BandResult::Unproven(score) => {
                        let margin = settle(pair, score, self.next_band(pair, score));
                        open.extend(margin.map(|margin| BandedPair { margin, ..pair }));
                    }
                }
            }
        }
        open.extend(tried.pairs);
        let (open, whole): (Vec<_>, Vec<_>) =
            open.into_iter().partition(|pair| pair.margin.is_some());
        self.in_bands(open, settle);
        ready.extend(whole);
        let groups = self.group_pairs(ready);
        let found = self.in_groups(&groups, |_, codes, band| {
            self.engine.alignments(codes, band, budget, &|_, _| true)
        });
        for (pair, result) in found {
            if let BandResult::Aligned(alignment) = result {
                alignments[pair.index] = alignment;
            }
        }
        alignments
    }

    /// Computes pairs in their bands, and passes their scores to `settle`, which returns the margin of another band if one is
    /// needed.
    fn in_bands(
        &self,
        mut open: Vec<BandedPair>,
        mut settle: impl FnMut(BandedPair, i32, NextBand) -> Option<Margin>,
    ) {
        while !open.is_empty() {
            open = self.in_groups_once(&self.group_pairs(open), &mut settle);
        }
    }

    /// Computes groups in their bands once. Returns the pairs that need another band, by `settle` (see [`Self::in_bands`]).
    fn in_groups_once(
        &self,
        groups: &[PairGroup],
        settle: &mut impl FnMut(BandedPair, i32, NextBand) -> Option<Margin>,
    ) -> Vec<BandedPair> {
        let found = self.in_groups(groups, |_, codes, band| self.engine.ends(codes, band));
        let judged = self.judged(found).into_iter();
        let next = |(pair, score, next): (BandedPair, i32, NextBand)| {
            settle(pair, score, next).map(|margin| BandedPair { margin, ..pair })
        };
        judged.filter_map(next).collect()
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

    /// All pairs, with the margins of their first bands, but for those that `settle` is done with (see [`Self::in_bands`]): pairs
    /// whose next bands are known, and pairs to try.
    ///
    /// Where pairs are many, a sample of their groups is computed, and tells what margins to expect of the others.
    fn first_pairs(
        &self,
        settle: &mut impl FnMut(BandedPair, i32, NextBand) -> Option<Margin>,
    ) -> (Vec<BandedPair>, TriedPairs) {
        let pairs = 0..self.batch.pairs.len();
        let first = |index| {
            let pair = BandedPair { index, margin: None };
            BandedPair { margin: self.worthwhile(pair, FIRST_MARGIN), ..pair }
        };
        let (banded, whole): (Vec<_>, Vec<_>) =
            pairs.map(first).partition(|pair| pair.margin.is_some());
        if banded.len() < PROBED_GROUPS * self.engine.lanes() {
            return (whole, TriedPairs { pairs: banded, is_expected: false });
        }
        let (mut probed, mut others) = (Vec::new(), Vec::new());
        for (number, group) in self.group_pairs(banded).into_iter().enumerate() {
            let is_probed = number % PROBED_GROUPS == PROBED_GROUPS / 2;
            if is_probed { probed.push(group) } else { others.extend(group.pairs) }
        }
        let mut sample = MarginSample::default();
        let mut known = self.in_groups_once(&probed, &mut |pair, score, next| {
            let margin = match next {
                NextBand::Narrower(margin) | NextBand::Sufficient(margin) => margin,
                NextBand::Wider(_) => None,
            };
            sample.add(self.shorter(pair), margin);
            settle(pair, score, next)
        });
        let expected = sample.expected();
        for pair in &mut others {
            let margin = expected.of_pair(self.shorter(*pair));
            pair.margin =
                margin.and_then(|margin| self.worthwhile(*pair, margin.max(LEAST_MARGIN)));
        }
        let (pairs, more_whole): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|pair| pair.margin.is_some());
        known.extend(whole.into_iter().chain(more_whole));
        (known, TriedPairs { pairs, is_expected: expected != ExpectedMargin::Unknown })
    }

    /// Number of residues of a pair's shorter sequence.
    fn shorter(&self, pair: BandedPair) -> usize {
        let (m, n) = self.lengths(pair);
        m.min(n)
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
        let Some(tried) = pair.margin else {
            return NextBand::Narrower(None);
        };
        let (query, target) = self.codes(pair);
        let sufficient = self.bounds.sufficient_margin(query, target, score);
        let sufficient_band = self.worthwhile(pair, sufficient.max(LEAST_MARGIN));
        if sufficient <= tried {
            return NextBand::Narrower(sufficient_band);
        }
        if sufficient <= MAX_MARGIN_GROWTH * tried {
            return NextBand::Sufficient(sufficient_band);
        }
        match self.worthwhile(pair, MARGIN_GROWTH * tried) {
            None => NextBand::Sufficient(None),
            wider => NextBand::Wider(wider),
        }
    }

    /// Results of `work` for each pair. It gets groups of pairs, in the band of their group, with their codes.
    fn in_groups<T: Send>(
        &self,
        groups: &[PairGroup],
        work: impl Fn(&[BandedPair], &[CodePair<'_>], Band) -> Vec<T> + Sync + Send,
    ) -> Vec<(BandedPair, T)> {
        let work = |group: &PairGroup| {
            let codes: Vec<_> = group.pairs.iter().map(|&pair| self.codes(pair)).collect();
            let lengths = group.pairs.iter().map(|&pair| self.lengths(pair));
            let margin = group.shape.margin;
            let band = margin.map_or(Band::WHOLE, |margin| Band::of_margin(margin, lengths));
            // The score is the best of the group's band.
            let pair = |pair: &BandedPair| BandedPair { margin, ..*pair };
            let pairs: Vec<_> = group.pairs.iter().map(pair).collect();
            let found = work(&pairs, &codes, band);
            pairs.into_iter().zip(found).collect::<Vec<_>>()
        };
        // A thread that is free takes the next group, so that small ones are left at the end.
        groups.iter().par_bridge().flat_map_iter(work).collect()
    }

    /// Size of a pair.
    fn size_class(&self, pair: BandedPair) -> SizeClass {
        let (m, _) = self.lengths(pair);
        let power = m.next_power_of_two();
        SizeClass {
            power,
            eighths: m.div_ceil((power / 8).max(8)),
            margin: pair.margin.map_or(usize::MAX, usize::next_power_of_two),
        }
    }

    /// Groups pairs so that lanes compute few cells outside of their own band, and that few lanes are empty. The groups with the
    /// most cells come first.
    ///
    /// Pairs come in the order of their sizes, the largest first. So a group takes pairs of its first one's size, and when these end
    /// smaller ones, for which it has most of the cells anyway.
    fn group_pairs(&self, mut pairs: Vec<BandedPair>) -> Vec<PairGroup> {
        pairs.par_sort_by_cached_key(|&pair| {
            let (m, n) = self.lengths(pair);
            (Reverse(self.size_class(pair)), n as i64 - m as i64, pair.index)
        });
        let mut groups: Vec<PairGroup> = Vec::new();
        let mut open: VecDeque<usize> = VecDeque::new();
        for pair in pairs {
            let (class, (m, n)) = (self.size_class(pair), self.lengths(pair));
            let shape = GroupShape::of_pair((m, n), pair.margin);
            let takes = |group: &PairGroup| {
                let (of_first, least) = group.first;
                // A target of more than twice the least length would make most of the other lanes padding.
                let is_similar = class == of_first && n <= 2 * least + 64;
                let cells = group.shape.cells();
                is_similar || group.shape.with(shape).cells() <= cells + cells / CELLS_FOR_ONE_MORE
            };
            if let Some(place) = open.iter().position(|&group| takes(&groups[group])) {
                let group = &mut groups[open[place]];
                group.shape = group.shape.with(shape);
                group.pairs.push(pair);
                if group.pairs.len() == self.engine.lanes() {
                    open.remove(place);
                }
            } else {
                open.truncate(OPEN_GROUPS - 1);
                open.push_front(groups.len());
                groups.push(PairGroup { pairs: vec![pair], shape, first: (class, n) });
            }
        }
        groups.sort_by_cached_key(|group| Reverse(group.shape.cells()));
        groups
    }
}
