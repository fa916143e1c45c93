//! Where alignments end, and the way back through them, by the numbers of a [`Matrix`].

use aligner_core::cigar::{CigarOp, CigarRun, push_run};

use super::super::UNKNOWN;
use super::super::alignments::Place;
use super::super::banded::Banded;
use super::super::scoring::{Scoring, UNKNOWN_SCORE};
use super::super::task::Scored;
use super::across::Across;
use super::matrix::Matrix;
use super::word::Word;

/// Who finds the alignment of one lane.
pub(super) struct Walker<'a, W, const L: usize> {
    scoring: Scoring,
    matrix: &'a Matrix<W, L>,
    lane: usize,
    task: Banded,
    query: &'a [u8],
    window: &'a [u8],
}

/// The cell where an alignment ends, and its score.
#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    score: i32,
    row: usize,
    k: usize,
}

impl<'a, W: Word, const L: usize> Walker<'a, W, L> {
    /// For the matrix of these tasks.
    pub fn new(
        scoring: Scoring,
        matrix: &'a Matrix<W, L>,
        across: &'a Across<L>,
        lane: usize,
    ) -> Self {
        let task = across.tasks[lane];
        let (query, window) = (across.query_of(lane), across.window_of(lane));
        Self { scoring, matrix, lane, task, query, window }
    }

    /// Where the alignment ends, if one scores more than 0.
    pub fn end(&self) -> Option<End> {
        let clip = self.scoring.clip();
        let last = self.task.rows - 1;
        let (best, row) = self.matrix.best[self.lane];
        let mut end = End { score: best as i32 - 2 * clip, row, k: usize::MAX };
        for k in self.task.columns(last) {
            let score = self.pair(last, k) - clip;
            // An end further on in the query counts for more than a score that is no better.
            if score > end.score || (score == end.score && end.row < last) {
                end = End { score, row: last, k };
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

    /// The end as it is told.
    pub fn scored(&self, end: End) -> Scored {
        Scored {
            score: end.score,
            query_end: end.row as u32 + 1,
            window_end: self.window_place(end.row, end.k) + 1,
        }
    }

    /// The alignment that ends there, without its runs, which are written to `runs`.
    pub fn place(&self, end: End, runs: &mut Vec<CigarRun>) -> Place {
        runs.clear();
        let (mut row, mut k) = (end.row, end.k);
        loop {
            row = self.pairs(row, k, runs);
            if row == 0 || self.get(row - 1, k) == 0 {
                break;
            }
            row -= 1;
            // On to the next pair.
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
        let Scored { score, query_end, window_end } = self.scored(end);
        Place {
            score,
            query_begin: row as u32,
            query_end,
            window_begin: self.window_place(row, k),
            window_end,
            runs: runs.len() as u32,
            first_run: 0,
        }
    }

    /// Goes through the pairs on the diagonal `k` from that of `row` on; gives the row of the last one.
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

    fn get(&self, row: usize, k: usize) -> u32 {
        self.matrix.get(self.lane, row, k)
    }

    fn op(&self, row: usize, k: usize) -> CigarOp {
        if self.query[row] == self.window[row + k] { CigarOp::Equal } else { CigarOp::Different }
    }

    /// The number of a cell if its column is a pair; may be negative.
    fn pair(&self, row: usize, k: usize) -> i32 {
        let before = if row == 0 { self.scoring.clip() } else { self.get(row - 1, k) as i32 };
        let (q, w) = (self.query[row], self.window[row + k]);
        let score = if q == w {
            self.scoring.matched()
        } else if (q | w) & UNKNOWN != 0 {
            UNKNOWN_SCORE
        } else {
            -self.scoring.mismatch()
        };
        before + score
    }

    /// The shortest gap that ends in a cell whose column is no pair.
    fn gap(&self, row: usize, k: usize) -> (CigarOp, usize) {
        let value = self.get(row, k) as i32;
        let opened = |length: usize| (value + self.scoring.gap(length as u32)) as u32;
        let deletion = (1..=k).find(|&length| self.get(row, k - length) == opened(length));
        if let Some(length) = deletion {
            return (CigarOp::Deletion, length);
        }
        let most = row.min(self.task.width - 1 - k);
        let insertion =
            (1..=most).find(|&length| self.get(row - length, k + length) == opened(length));
        (CigarOp::Insertion, insertion.unwrap_or_else(|| unreachable!("a number without a source")))
    }

    fn window_place(&self, row: usize, k: usize) -> u32 {
        (self.task.low + (row + k) as i32) as u32
    }
}
