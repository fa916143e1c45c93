//! Traceback for matrices whose directions do not fit into memory, by checkpoints.
//!
//! The way down saves a few rows. On the way up, each block of rows between two saved ones is computed again, divided
//! into smaller blocks until the directions of a block fit. The alignment is the same as with all directions at once.
//! Hirschberg's algorithm (Commun. ACM 18, 1975) saves memory as well, but of several equally good alignments its
//! halves may find another one than a traceback through all directions does.

use super::fill_group::{LaneScoring, PairScores};
use super::fill_rows::{MatrixRow, PairScorer, fill_rows};
use super::traceback::Traceback;
use crate::alignment::{Alignment, AlignmentEnd};

/// Greatest number of rows saved at each level of division.
const MAX_SAVED_ROWS: usize = 64;

/// Pair of sequences whose matrix is traced back block by block.
struct BlockedTraceback<'b, 'a> {
    scoring: &'b LaneScoring<'a, i32>,
    query: &'b [u8],
    /// Codes of the target as the pair scores take them.
    target: Vec<[i32; 1]>,
    /// Bytes of directions that may be in memory at a time.
    budget: usize,
}

/// Alignment of one pair, with at most about `budget` bytes of directions in memory at a time, and some rows of the
/// target's length.
pub(crate) fn align(
    scoring: &LaneScoring<'_, i32>,
    query: &[u8],
    target: &[u8],
    budget: usize,
) -> Alignment {
    let [end]: [AlignmentEnd; 1] = scoring.fill(&[(query, target)], None);
    let mut traceback = Traceback::new(scoring.scoring, query, target, end);
    let codes = target.iter().map(|&code| [scoring.target_code(code)]).collect();
    let blocks = BlockedTraceback { scoring, query, target: codes, budget };
    let first = MatrixRow::first(&scoring.bias, end.column as usize);
    blocks.trace(0, end.row as usize, &first, &mut traceback);
    Alignment { score: end.score, cigar: traceback.finish() }
}

impl BlockedTraceback<'_, '_> {
    /// Continues the traceback, which is at row `bottom` or above, to row `top`, whose values are `first`.
    fn trace(
        &self,
        top: usize,
        bottom: usize,
        first: &MatrixRow<i32, 1>,
        traceback: &mut Traceback<'_>,
    ) {
        let columns = traceback.column;
        if columns == 0 || bottom == top {
            return;
        }
        let rows = bottom - top;
        let mut row = first_columns(first, columns);
        if rows == 1 || rows.saturating_mul(columns) <= self.budget {
            let mut directions = vec![[0]; rows * columns];
            for (number, cells) in (top + 1..).zip(directions.chunks_exact_mut(columns)) {
                self.fill_row::<true>(number, &mut row, cells);
            }
            traceback
                .follow(top, |row, column| directions[(row - top - 1) * columns + column - 1][0]);
            return;
        }
        let step = rows.div_ceil(MAX_SAVED_ROWS);
        let mut saved = Vec::new();
        for number in top + 1..=bottom {
            if (number - top - 1).is_multiple_of(step) {
                saved.push((number - 1, first_columns(&row, columns)));
            }
            self.fill_row::<false>(number, &mut row, &mut []);
        }
        drop(row);
        while let Some((start, values)) = saved.pop() {
            let bottom = traceback.row;
            if bottom > start {
                self.trace(start, bottom, &values, traceback);
            }
        }
    }

    /// Computes the row `number` (from 1) from the row above it, which `row` holds; with `TRACE`, also its directions.
    fn fill_row<const TRACE: bool>(
        &self,
        number: usize,
        row: &mut MatrixRow<i32, 1>,
        cells: &mut [[u8; 1]],
    ) {
        let code = [[i32::from(self.query[number - 1])]];
        match self.scoring.pair_scores() {
            PairScores::MatchMismatch(scores) => {
                self.fill_row_by::<_, TRACE>(scores, number, code, row, cells);
            }
            PairScores::Table(scores) => {
                self.fill_row_by::<_, TRACE>(scores, number, code, row, cells);
            }
        }
    }

    /// [`Self::fill_row`] by one kind of pair scores.
    fn fill_row_by<P: PairScorer<i32>, const TRACE: bool>(
        &self,
        pair_scores: P,
        number: usize,
        code: [[i32; 1]; 1],
        row: &mut MatrixRow<i32, 1>,
        cells: &mut [[u8; 1]],
    ) {
        let target = &self.target[..row.best.len() - 1];
        let bias = &self.scoring.bias;
        fill_rows::<i32, P, 1, 1, true, TRACE>(
            bias,
            pair_scores,
            number,
            &code,
            target,
            row,
            cells,
        );
    }
}

/// Copies the columns `0..=columns` of a row.
fn first_columns(row: &MatrixRow<i32, 1>, columns: usize) -> MatrixRow<i32, 1> {
    MatrixRow { best: row.best[..=columns].to_vec(), insertion: row.insertion[..=columns].to_vec() }
}
