//! Alignment of one pair whose matrix is too large for a group's traceback, by checkpoints.
//!
//! The way down saves a few rows. On the way up, each block of rows between two saved ones is computed again, divided
//! into smaller blocks until the flags of a block fit. The alignment is the same as with all flags at once. Only a band of the
//! matrix is computed, which has all best alignments; no alignment counts that leaves it.
//! Hirschberg's algorithm (Commun. ACM 18, 1975) saves memory as well, but of several equally good alignments its
//! halves may find another one than a traceback through all flags does.

use std::hint;

use super::band::Band;
use super::traceback::{DELETION_OPENS, INSERTION_OPENS, IS_DELETION, IS_PAIR, Traceback};
use crate::alignment::{Alignment, AlignmentEnd};
use crate::scoring::bias::ScoreBias;
use crate::scoring::{CODES, Scoring};

/// Greatest number of rows saved at each level of division.
const MAX_SAVED_ROWS: usize = 64;

/// Stands for no alignment: less than every value of a matrix, also when a cost is subtracted.
const NEVER: i32 = i32::MIN / 2;

/// One row of the matrix, columns 0 and on.
#[derive(Debug)]
struct MatrixRow {
    /// Best biased scores `H'` of the prefixes.
    best: Vec<i32>,
    /// `F'` of the cells in the next row.
    insertion: Vec<i32>,
}

/// Saved part of a row: the columns that the next row needs.
#[derive(Debug)]
struct SavedRow {
    /// Number of the first of these columns.
    first: usize,
    part: MatrixRow,
}

/// The greater number, without a branch: which one it is cannot be predicted near a good alignment.
fn greater(a: i32, b: i32) -> i32 {
    hint::select_unpredictable(a > b, a, b)
}

/// Pair of sequences whose matrix is traced back block by block.
struct BlockedTraceback<'a> {
    bias: ScoreBias,
    /// Biased scores of pairs of codes.
    pair_scores: Vec<i32>,
    query: &'a [u8],
    target: &'a [u8],
    /// Band that has all best alignments.
    band: Band,
    /// Bytes of flags that may be in memory at a time.
    budget: usize,
}

/// Alignment of one pair, which ends in a known cell, and is within a band, with at most about `budget` bytes of flags in memory
/// at a time, and some rows of the target's length.
pub(crate) fn align(
    scoring: &Scoring,
    (query, target): (&[u8], &[u8]),
    band: Band,
    end: AlignmentEnd,
    budget: usize,
) -> Alignment {
    let bias = ScoreBias::wide(scoring);
    let pair_scores = scoring.score_table().iter().map(|score| score + 2 * bias.extend).collect();
    let blocks = BlockedTraceback { bias, pair_scores, query, target, band, budget };
    let mut traceback = Traceback::new(scoring, query, target, end);
    let best: Vec<i32> = (0..=end.column as usize).map(|column| bias.first_row(column)).collect();
    let insertion = best.iter().map(|best| best - bias.opening).collect();
    let first = SavedRow { first: 0, part: MatrixRow { best, insertion } };
    blocks.trace(0, end.row as usize, &first, &mut traceback);
    traceback.finish()
}

impl BlockedTraceback<'_> {
    /// Columns of a row, from 1, that are in the band.
    fn columns(&self, row: usize, columns: usize) -> (usize, usize) {
        self.band.columns(row - 1, row, columns)
    }

    /// Continues the traceback, which is at row `bottom` or above, to row `top`, whose values are `first`.
    fn trace(&self, top: usize, bottom: usize, first: &SavedRow, traceback: &mut Traceback<'_>) {
        let columns = traceback.column;
        if columns == 0 || bottom == top {
            return;
        }
        let rows = bottom - top;
        let mut row = first.with_columns(columns);
        // Where the flags of each row begin, and where those of the last row end.
        let mut bytes = 0;
        let starts: Vec<usize> = (top + 1..=bottom)
            .map(|row| {
                let (first, last) = self.columns(row, columns);
                let start = bytes;
                bytes += last + 1 - first;
                start
            })
            .collect();
        if rows == 1 || bytes <= self.budget {
            let mut flags = vec![0; bytes];
            for (number, &start) in (top + 1..).zip(&starts) {
                self.fill_row::<true>(number, &mut row, &mut flags[start..]);
            }
            traceback.follow(top, |row, column| {
                let first = self.columns(row, columns).0;
                let flags = flags[starts[row - top - 1] + column - first];
                move |flag| flags >> flag & 1 != 0
            });
            return;
        }
        drop(starts);
        let step = rows.div_ceil(MAX_SAVED_ROWS);
        let mut saved = Vec::new();
        for number in top + 1..=bottom {
            if (number - top - 1).is_multiple_of(step) {
                saved.push((number - 1, self.save(number - 1, &row)));
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

    /// The part of a row that the rows below it need.
    fn save(&self, number: usize, row: &MatrixRow) -> SavedRow {
        let columns = row.best.len() - 1;
        let (first, last) = if number == 0 { (0, columns) } else { self.columns(number, columns) };
        // The column before the band, or column 0.
        let first = first.saturating_sub(1);
        let part = |values: &[i32]| values[first..=last].to_vec();
        SavedRow {
            first,
            part: MatrixRow { best: part(&row.best), insertion: part(&row.insertion) },
        }
    }

    /// Computes the row `number` (from 1) from the row above it, which `row` holds; with `TRACE`, also the flags of its cells in
    /// the band, a bit for each.
    fn fill_row<const TRACE: bool>(&self, number: usize, row: &mut MatrixRow, flags: &mut [u8]) {
        let opening = self.bias.opening;
        let code = usize::from(self.query[number - 1]);
        let scores = &self.pair_scores[code * CODES..][..CODES];
        let columns = row.best.len() - 1;
        let (first, last) = self.columns(number, columns);
        if number > 1 {
            // The row above does not have them.
            let above = self.columns(number - 1, columns).1;
            for column in above + 1..=last {
                (row.best[column], row.insertion[column]) = (NEVER, NEVER);
            }
        }
        // The row above has the column before the first: bands move by at most one column.
        let mut diagonal = row.best[first - 1];
        let mut deletion = NEVER;
        if first == 1 {
            row.best[0] = self.bias.first_column(number);
            deletion = row.best[0] - opening;
        }
        let best = &mut row.best[first..=last];
        let cells = self.target[first - 1..last].iter().zip(best);
        let cells = cells.zip(&mut row.insertion[first..=last]);
        for (column, ((&code, best), insertion)) in cells.enumerate() {
            let through = diagonal + scores[usize::from(code)];
            // Opening a gap behind a deletion costs, so the next deletion needs not wait for the best score here.
            let before = greater(through, *insertion);
            let here = greater(before, deletion);
            let opened = here - opening;
            if TRACE {
                flags[column] = u8::from(through == here) << IS_PAIR
                    | u8::from(deletion >= *insertion) << IS_DELETION
                    | u8::from(opened >= deletion) << DELETION_OPENS
                    | u8::from(opened >= *insertion) << INSERTION_OPENS;
            }
            diagonal = *best;
            *best = here;
            deletion = greater(deletion, before - opening);
            *insertion = greater(opened, *insertion);
        }
    }
}

impl SavedRow {
    /// The row with the columns `0..=columns`.
    fn with_columns(&self, columns: usize) -> MatrixRow {
        let row = |part: &[i32]| {
            let mut values = vec![NEVER; columns + 1];
            let count = part.len().min((columns + 1).saturating_sub(self.first));
            values[columns.min(self.first)..][..count].copy_from_slice(&part[..count]);
            values
        };
        MatrixRow { best: row(&self.part.best), insertion: row(&self.part.insertion) }
    }
}
