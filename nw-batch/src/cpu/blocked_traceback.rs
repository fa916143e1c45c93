//! Alignment of one pair whose matrix is too large for a group's traceback, by checkpoints.
//!
//! The way down saves a few rows. On the way up, each block of rows between two saved ones is computed again, divided
//! into smaller blocks until the flags of a block fit. The alignment is the same as with all flags at once.
//! Hirschberg's algorithm (Commun. ACM 18, 1975) saves memory as well, but of several equally good alignments its
//! halves may find another one than a traceback through all flags does.

use super::traceback::{DELETION_OPENS, INSERTION_OPENS, IS_DELETION, IS_PAIR, Traceback};
use crate::alignment::{Alignment, AlignmentEnd};
use crate::scoring::bias::ScoreBias;
use crate::scoring::{CODES, Scoring};

/// Greatest number of rows saved at each level of division.
const MAX_SAVED_ROWS: usize = 64;

/// One row of the matrix, columns 0 and on.
#[derive(Debug, Clone)]
struct MatrixRow {
    /// Best biased scores `H'` of the prefixes.
    best: Vec<i32>,
    /// `F'` of the cells in the next row.
    insertion: Vec<i32>,
}

/// Pair of sequences whose matrix is traced back block by block.
struct BlockedTraceback<'a> {
    bias: ScoreBias,
    /// Biased scores of pairs of codes.
    pair_scores: Vec<i32>,
    query: &'a [u8],
    target: &'a [u8],
    /// Bytes of flags that may be in memory at a time.
    budget: usize,
}

/// Alignment of one pair, which ends in a known cell, with at most about `budget` bytes of flags in memory at a time, and some
/// rows of the target's length.
pub(crate) fn align(
    scoring: &Scoring,
    (query, target): (&[u8], &[u8]),
    end: AlignmentEnd,
    budget: usize,
) -> Alignment {
    let bias = ScoreBias::wide(scoring);
    let pair_scores = scoring.score_table().iter().map(|score| score + 2 * bias.extend).collect();
    let blocks = BlockedTraceback { bias, pair_scores, query, target, budget };
    let mut traceback = Traceback::new(scoring, query, target, end);
    let best: Vec<i32> = (0..=end.column as usize).map(|column| bias.first_row(column)).collect();
    let insertion = best.iter().map(|best| best - bias.opening).collect();
    let first = MatrixRow { best, insertion };
    blocks.trace(0, end.row as usize, &first, &mut traceback);
    traceback.finish()
}

impl BlockedTraceback<'_> {
    /// Continues the traceback, which is at row `bottom` or above, to row `top`, whose values are `first`.
    fn trace(&self, top: usize, bottom: usize, first: &MatrixRow, traceback: &mut Traceback<'_>) {
        let columns = traceback.column;
        if columns == 0 || bottom == top {
            return;
        }
        let rows = bottom - top;
        let mut row = first.first_columns(columns);
        if rows == 1 || rows.saturating_mul(columns) <= self.budget {
            let mut flags = vec![0; rows * columns];
            for (number, cells) in (top + 1..).zip(flags.chunks_exact_mut(columns)) {
                self.fill_row::<true>(number, &mut row, cells);
            }
            traceback.follow(top, |row, column| {
                let flags = flags[(row - top - 1) * columns + column - 1];
                move |flag| flags >> flag & 1 != 0
            });
            return;
        }
        let step = rows.div_ceil(MAX_SAVED_ROWS);
        let mut saved = Vec::new();
        for number in top + 1..=bottom {
            if (number - top - 1).is_multiple_of(step) {
                saved.push((number - 1, row.clone()));
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

    /// Computes the row `number` (from 1) from the row above it, which `row` holds; with `TRACE`, also the flags of its cells, a
    /// bit for each.
    fn fill_row<const TRACE: bool>(&self, number: usize, row: &mut MatrixRow, flags: &mut [u8]) {
        let opening = self.bias.opening;
        let code = usize::from(self.query[number - 1]);
        let scores = &self.pair_scores[code * CODES..][..CODES];
        let mut diagonal = row.best[0];
        row.best[0] = self.bias.first_column(number);
        let mut deletion = row.best[0] - opening;
        let cells = self.target.iter().zip(&mut row.best[1..]).zip(&mut row.insertion[1..]);
        for (column, ((&code, best), insertion)) in cells.enumerate() {
            let through = diagonal + scores[usize::from(code)];
            let gap = deletion.max(*insertion);
            let here = through.max(gap);
            let opened = here - opening;
            if TRACE {
                flags[column] = u8::from(through == here) << IS_PAIR
                    | u8::from(deletion == gap) << IS_DELETION
                    | u8::from(opened >= deletion) << DELETION_OPENS
                    | u8::from(opened >= *insertion) << INSERTION_OPENS;
            }
            diagonal = *best;
            *best = here;
            deletion = deletion.max(opened);
            *insertion = opened.max(*insertion);
        }
    }
}

impl MatrixRow {
    /// Copies the columns `0..=columns`.
    fn first_columns(&self, columns: usize) -> Self {
        let first = |values: &[i32]| values[..=columns].to_vec();
        Self { best: first(&self.best), insertion: first(&self.insertion) }
    }
}
