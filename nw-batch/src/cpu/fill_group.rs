//! Whole matrices of a group of pairs, a SIMD lane for each pair: ends of the alignments, and directions if wanted.

use super::fill_rows::{Lanes, MatchMismatch, MatrixRow, PairScorer, ScoreTable, fill_rows};
use super::lane_word::LaneWord;
use crate::alignment::AlignmentEnd;
use crate::scoring::alphabet::UNKNOWN;
use crate::scoring::bias::ScoreBias;
use crate::scoring::{CODES, FreeEnds, Scoring};

/// Rows computed at a time; values between them stay in registers.
const ROWS: usize = 4;

/// Scoring, in biased words of one width.
pub(crate) struct LaneScoring<'a, W> {
    pub scoring: &'a Scoring,
    pub bias: ScoreBias,
    /// Scores of matches and mismatches, unless the scoring has a matrix.
    match_mismatch: Option<MatchMismatch<W>>,
    /// Scores of all pairs of codes.
    table: Box<[W; CODES * CODES]>,
}

/// Pair scores of a [`LaneScoring`], of either kind.
pub(crate) enum PairScores<'a, W> {
    MatchMismatch(MatchMismatch<W>),
    Table(ScoreTable<'a, W>),
}

/// Directions of all cells of a group (see [`super::traceback`]).
pub(crate) struct Directions<const L: usize> {
    /// A byte for each lane of each cell, row after row, from row and column 1 on.
    pub cells: Vec<[u8; L]>,
    /// Cells of a row.
    pub columns: usize,
}

/// Sequences of a group of pairs, ready to fill their matrices.
struct GroupFill<'a, 'b, W, const L: usize> {
    scoring: &'b LaneScoring<'a, W>,
    /// Codes of the queries, residue after residue.
    query: Vec<Lanes<W, L>>,
    /// Codes of the targets, residue after residue.
    target: Vec<Lanes<W, L>>,
    /// Residues of each lane's query and target.
    lengths: [(usize, usize); L],
    directions: Option<&'b mut Directions<L>>,
}

impl<'a, W: LaneWord> LaneScoring<'a, W> {
    /// The scoring with these parameters of the biased recurrence.
    pub fn new(scoring: &'a Scoring, bias: ScoreBias) -> Self {
        let shifted = |score: i32| W::of(score + 2 * bias.extend);
        let match_mismatch = scoring.match_and_mismatch().map(|(equal, different)| MatchMismatch {
            equal: shifted(equal),
            different: shifted(different),
        });
        let mut table = Box::new([W::of(0); CODES * CODES]);
        for (word, score) in table.iter_mut().zip(scoring.score_table()) {
            *word = shifted(score);
        }
        Self { scoring, bias, match_mismatch, table }
    }

    /// Scores of aligned pairs of residues.
    pub fn pair_scores(&self) -> PairScores<'_, W> {
        match self.match_mismatch {
            Some(scores) => PairScores::MatchMismatch(scores),
            None => PairScores::Table(ScoreTable { scores: &self.table }),
        }
    }

    /// Code of a target's residue as the pair scores take it: an unknown residue must equal none of the query, so
    /// [`MatchMismatch`] gets another code for it.
    pub fn target_code(&self, code: u8) -> W {
        let unknown = self.match_mismatch.is_some() && code == UNKNOWN;
        W::of(i32::from(code) + i32::from(unknown))
    }

    /// Fills the matrices of up to `L` pairs, and `directions` if there are any; returns where each alignment ends.
    pub fn fill<const L: usize>(
        &self,
        pairs: &[(&[u8], &[u8])],
        directions: Option<&mut Directions<L>>,
    ) -> [AlignmentEnd; L] {
        let mut lengths = [(0, 0); L];
        for (lane, (query, target)) in pairs.iter().enumerate() {
            lengths[lane] = (query.len(), target.len());
        }
        fill_with_best_instructions(GroupFill {
            scoring: self,
            query: interleaved(pairs.iter().map(|pair| pair.0), |code| W::of(code.into())),
            target: interleaved(pairs.iter().map(|pair| pair.1), |code| self.target_code(code)),
            lengths,
            directions,
        })
    }
}

/// Interleaves the codes of several sequences: a lane for each sequence, residue after residue.
fn interleaved<'s, W: LaneWord, const L: usize>(
    sequences: impl Iterator<Item = &'s [u8]> + Clone,
    word: impl Fn(u8) -> W,
) -> Vec<Lanes<W, L>> {
    let longest = sequences.clone().map(<[u8]>::len).max().unwrap_or(0);
    let mut all = vec![[W::of(0); L]; longest];
    for (lane, sequence) in sequences.enumerate() {
        for (lanes, &code) in all.iter_mut().zip(sequence) {
            lanes[lane] = word(code);
        }
    }
    all
}

/// Fills the matrices with the best instructions that this processor has.
fn fill_with_best_instructions<W: LaneWord, const L: usize>(
    group: GroupFill<'_, '_, W, L>,
) -> [AlignmentEnd; L] {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has these instructions.
            return unsafe { fill_avx2(group) };
        }
    }
    fill_by_kind(group)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn fill_avx2<W: LaneWord, const L: usize>(group: GroupFill<'_, '_, W, L>) -> [AlignmentEnd; L] {
    fill_by_kind(group)
}

/// Fills the matrices by the code that is compiled for this kind of scoring.
#[allow(clippy::inline_always)] // Into the function for a kind of processor.
#[inline(always)]
fn fill_by_kind<W: LaneWord, const L: usize>(group: GroupFill<'_, '_, W, L>) -> [AlignmentEnd; L] {
    let is_linear = group.scoring.scoring.gaps().is_linear();
    let trace = group.directions.is_some();
    match (group.scoring.pair_scores(), is_linear, trace) {
        (PairScores::MatchMismatch(scores), true, false) => {
            fill_all_rows::<W, _, L, false, false>(group, scores)
        }
        (PairScores::MatchMismatch(scores), true, true) => {
            fill_all_rows::<W, _, L, false, true>(group, scores)
        }
        (PairScores::MatchMismatch(scores), false, false) => {
            fill_all_rows::<W, _, L, true, false>(group, scores)
        }
        (PairScores::MatchMismatch(scores), false, true) => {
            fill_all_rows::<W, _, L, true, true>(group, scores)
        }
        // Matrices are rarely used with linear gaps, so they share the code for affine gaps.
        (PairScores::Table(scores), _, false) => {
            fill_all_rows::<W, _, L, true, false>(group, scores)
        }
        (PairScores::Table(scores), _, true) => fill_all_rows::<W, _, L, true, true>(group, scores),
    }
}

/// Fills the matrices with one kind of pair scores and gaps; with `TRACE`, also the directions.
#[allow(clippy::inline_always)] // Into the function for a kind of processor.
#[inline(always)]
fn fill_all_rows<
    W: LaneWord,
    P: PairScorer<W>,
    const L: usize,
    const AFFINE: bool,
    const TRACE: bool,
>(
    group: GroupFill<'_, '_, W, L>,
    pair_scores: P,
) -> [AlignmentEnd; L] {
    let GroupFill { scoring, query, target, lengths, directions } = group;
    let (bias, free) = (&scoring.bias, scoring.scoring.free_ends());
    let columns = target.len();
    let mut none = Directions { cells: Vec::new(), columns };
    let directions = directions.unwrap_or(&mut none);
    if TRACE {
        directions.columns = columns;
        directions.cells.resize(query.len() * columns, [0; L]);
    }
    let mut ends = BestEnds::new(bias, free, lengths);
    let mut row = MatrixRow::first(bias, columns);
    ends.update(0, &row);
    let mut done = 0;
    while done < query.len() {
        let from = if TRACE { done * columns } else { 0 };
        // Ends are looked for only in the last row of those computed together, so no row before it may have one.
        let next = done..query.len().min(done + ROWS);
        let whole = next.len() == ROWS && !next.clone().any(|before| ends.may_be_in(before + 1));
        if let (true, Some(query)) = (whole, query[done..].first_chunk::<ROWS>()) {
            fill_rows::<W, P, L, ROWS, AFFINE, TRACE>(
                bias,
                pair_scores,
                done + 1,
                query,
                &target,
                &mut row,
                &mut directions.cells[from..],
            );
            done += ROWS;
        } else {
            let query = &[query[done]];
            fill_rows::<W, P, L, 1, AFFINE, TRACE>(
                bias,
                pair_scores,
                done + 1,
                query,
                &target,
                &mut row,
                &mut directions.cells[from..],
            );
            done += 1;
            ends.update(done, &row);
        }
    }
    ends.best
}

/// Best end of each lane's alignment in the rows up to now.
struct BestEnds<'b, const L: usize> {
    bias: &'b ScoreBias,
    free: FreeEnds,
    lengths: [(usize, usize); L],
    best: [AlignmentEnd; L],
}

impl<'b, const L: usize> BestEnds<'b, L> {
    fn new(bias: &'b ScoreBias, free: FreeEnds, lengths: [(usize, usize); L]) -> Self {
        Self { bias, free, lengths, best: [AlignmentEnd { score: i32::MIN, row: 0, column: 0 }; L] }
    }

    /// Whether an alignment of some lane may end in this row.
    fn may_be_in(&self, row: usize) -> bool {
        self.free.query_end || self.lengths.iter().any(|&(m, _)| m == row)
    }

    /// Compares with the ends in one more row.
    fn update<W: LaneWord>(&mut self, row: usize, values: &MatrixRow<W, L>) {
        for (lane, (&(m, n), best)) in self.lengths.iter().zip(&mut self.best).enumerate() {
            let first = match row.cmp(&m) {
                std::cmp::Ordering::Less if self.free.query_end => n,
                std::cmp::Ordering::Equal if self.free.target_end => 0,
                std::cmp::Ordering::Equal => n,
                _ => continue,
            };
            for column in first..=n {
                let value = values.best[column][lane].get();
                let score = self.bias.score(value, row, column);
                let (row, column) = (row as u32, column as u32);
                *best = (*best).max(AlignmentEnd { score, row, column });
            }
        }
    }
}
