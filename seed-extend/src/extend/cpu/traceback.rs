//! Traceback: where an alignment ends, and the way back through the numbers of a [`Matrix`] to its begin.

use aligner_core::cigar::{CigarOp, CigarRun, push_run};

use super::interleaved::InterleavedCodes;
use super::lane_value::LaneValue;
use super::matrix::Matrix;
use crate::extend::UNKNOWN;
use crate::extend::alignments::AlignmentSpan;
use crate::extend::banded_task::BandedTask;
use crate::extend::columns::judged;
use crate::extend::scoring::{GapPenalty, Scoring, UNKNOWN_SCORE};
use crate::extend::tasks::AlignmentEnd;

/// Finds the best alignment of one lane.
pub(super) struct Walker<'a, W, const L: usize> {
    scoring: Scoring,
    matrix: &'a Matrix<W, L>,
    lane: usize,
    task: BandedTask,
    query: &'a [u8],
    window: &'a [u8],
}

/// The cell where an alignment ends, in column `k`, and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlignmentCell {
    score: i32,
    row: usize,
    k: usize,
}

impl<'a, W: LaneValue, const L: usize> Walker<'a, W, L> {
    /// A walker through the matrix of a lane, filled for these codes.
    pub fn new(
        scoring: Scoring,
        matrix: &'a Matrix<W, L>,
        interleaved: &'a InterleavedCodes<L>,
        lane: usize,
    ) -> Self {
        let task = interleaved.tasks[lane];
        let (query, window) = (interleaved.query_of(lane), interleaved.window_of(lane));
        Self { scoring, matrix, lane, task, query, window }
    }

    /// The cell where the best alignment ends; `None` if no alignment scores more than 0.
    pub fn end(&self) -> Option<AlignmentCell> {
        let clips = self.task.clips(self.scoring);
        let last = self.task.rows - 1;
        let (best, row) = self.matrix.best[self.lane];
        let mut end =
            AlignmentCell { score: best as i32 - clips.begin - clips.end, row, k: usize::MAX };
        for k in self.task.columns(last) {
            let score = self.pair(last, k) - clips.begin;
            // Of equal scores, the one that ends earlier in the query is better.
            if score > end.score {
                end = AlignmentCell { score, row: last, k };
            }
        }
        if end.score <= 0 {
            return None;
        }
        if end.row < last {
            end.k = (0..self.task.width).find(|&k| self.get(row, k) == best)?;
        }
        Some(end)
    }

    /// Score and end of the alignment that ends in a cell.
    pub fn end_of(&self, end: AlignmentCell) -> AlignmentEnd {
        AlignmentEnd {
            score: end.score,
            query_end: end.row as u32 + 1,
            window_end: self.window_place(end.row, end.k) + 1,
        }
    }

    /// The alignment that ends in a cell. Its CIGAR runs are written to `runs`, and its `first_run` is 0.
    pub fn alignment(&self, end: AlignmentCell, runs: &mut Vec<CigarRun>) -> AlignmentSpan {
        runs.clear();
        let (mut row, mut k) = (end.row, end.k);
        loop {
            row = self.pairs(row, k, runs);
            if row == 0 || self.get(row - 1, k) == 0 {
                break;
            }
            row -= 1;
            // Back through gaps to the next pair.
            while self.pair(row, k) != self.get(row, k) as i32 {
                let (op, count) = self.gap(row, k);
                push_run(runs, op, count as u32);
                if op == CigarOp::Deletion {
                    k -= count;
                } else {
                    (row, k) = (row - count, k + count);
                }
            }
        }
        runs.reverse();
        let AlignmentEnd { score, query_end, window_end } = self.end_of(end);
        let span = AlignmentSpan {
            score,
            query_begin: row as u32,
            query_end,
            window_begin: self.window_place(row, k),
            window_end,
            run_count: runs.len() as u32,
            ..AlignmentSpan::default()
        };
        judged(span, runs, &self.task.task, self.scoring)
    }

    /// Goes back through the pairs in column `k`, from that of `row` on, and returns the row of the last one.
    fn pairs(&self, mut row: usize, k: usize, runs: &mut Vec<CigarRun>) -> usize {
        let (mut op, mut count) = (self.op(row, k), 1);
        while row > 0 {
            let value = self.get(row - 1, k);
            if value == 0 || self.pair(row - 1, k) != value as i32 {
                break;
            }
            row -= 1;
            let next = self.op(row, k);
            if next != op {
                push_run(runs, op, count);
                (op, count) = (next, 0);
            }
            count += 1;
        }
        push_run(runs, op, count);
        row
    }

    /// The number of a cell.
    fn get(&self, row: usize, k: usize) -> u32 {
        self.matrix.get(self.lane, row, k)
    }

    /// The operation of a pair.
    fn op(&self, row: usize, k: usize) -> CigarOp {
        if self.query[row] == self.window[row + k] { CigarOp::Equal } else { CigarOp::Different }
    }

    /// The number that a pair gives a cell; it may be negative.
    fn pair(&self, row: usize, k: usize) -> i32 {
        let before = if row == 0 {
            self.task.clips(self.scoring).begin
        } else {
            self.get(row - 1, k) as i32
        };
        let (q, w) = (self.query[row], self.window[row + k]);
        let score = if q == w {
            self.scoring.match_score()
        } else if (q | w) & UNKNOWN != 0 {
            UNKNOWN_SCORE
        } else {
            -self.scoring.mismatch_penalty()
        };
        before + score
    }

    /// The shortest gap that ends in a cell which no pair gives its number; rather a deletion than an insertion.
    fn gap(&self, row: usize, k: usize) -> (CigarOp, usize) {
        let value = self.get(row, k) as i32;
        let before = |gap: GapPenalty, length: usize| (value + gap.of(length as u32)) as u32;
        let (deletion, insertion) = (self.scoring.deletion(), self.scoring.insertion());
        let deletion =
            (1..=k).find(|&length| self.get(row, k - length) == before(deletion, length));
        if let Some(length) = deletion {
            return (CigarOp::Deletion, length);
        }
        let max_length = row.min(self.task.width - 1 - k);
        let insertion = (1..=max_length)
            .find(|&length| self.get(row - length, k + length) == before(insertion, length));
        (CigarOp::Insertion, insertion.unwrap_or_else(|| unreachable!("a number without a source")))
    }

    /// The place in the window of a cell.
    fn window_place(&self, row: usize, k: usize) -> u32 {
        (self.task.low + (row + k) as i32) as u32
    }
}
