//! Alignments whose directions do not fit into memory: rows are saved on the way down, and on the
//! way back up each block of rows between two of them is computed again, in ever smaller blocks,
//! until its directions fit. The alignment is the same as with all of them.

use super::fill::Model;
use super::rows::{Pairing, Row, Simple, Table, advance};
use super::trace::{End, Walk};
use crate::cigar::{Alignment, Cigar};

/// Rows saved at each level, at most.
const SAVED: usize = 64;

/// A pair whose alignment is sought.
struct Block<'b, 'a> {
    model: &'b Model<'a, i32>,
    query: &'b [u8],
    target: Vec<[i32; 1]>,
    /// Bytes of directions.
    budget: usize,
}

/// The alignment of one pair, with at most about `budget` bytes of directions, and a multiple of
/// the target's length besides.
pub(crate) fn align(
    model: &Model<'_, i32>,
    query: &[u8],
    target: &[u8],
    budget: usize,
) -> Alignment {
    let end: [End; 1] = model.fill(&[(query, target)], None);
    let mut walk = Walk::new(model.scoring, query, target, end[0]);
    let codes = target.iter().map(|&code| [model.target_code(code)]).collect();
    let block = Block { model, query, target: codes, budget };
    let first = Row::first(&model.bias, end[0].column);
    block.walk(0, end[0].row, &first, &mut walk);
    let cigar: Cigar = walk.finish();
    Alignment { score: end[0].score, cigar }
}

impl Block<'_, '_> {
    /// Takes the walk, which is at most at row `bottom`, to row `top`, whose values are `first`.
    fn walk(&self, top: usize, bottom: usize, first: &Row<i32, 1>, walk: &mut Walk<'_>) {
        let columns = walk.column;
        if columns == 0 || bottom == top {
            return;
        }
        let rows = bottom - top;
        let mut row = cut(first, columns);
        if rows == 1 || rows.saturating_mul(columns) <= self.budget {
            let mut directions = vec![[0]; rows * columns];
            for (number, cells) in (top + 1..).zip(directions.chunks_exact_mut(columns)) {
                self.advance::<true>(number, &mut row, cells);
            }
            walk.go(top, |row, column| directions[(row - top - 1) * columns + column - 1][0]);
            return;
        }
        let step = rows.div_ceil(SAVED);
        let mut saved = Vec::new();
        for number in top + 1..=bottom {
            if (number - top - 1).is_multiple_of(step) {
                saved.push((number - 1, cut(&row, columns)));
            }
            self.advance::<false>(number, &mut row, &mut []);
        }
        drop(row);
        while let Some((start, values)) = saved.pop() {
            let bottom = walk.row;
            if bottom > start {
                self.walk(start, bottom, &values, walk);
            }
        }
    }

    /// Computes the row `number` from the one above it.
    fn advance<const TRACE: bool>(
        &self,
        number: usize,
        row: &mut Row<i32, 1>,
        cells: &mut [[u8; 1]],
    ) {
        let code = [[i32::from(self.query[number - 1])]];
        match self.model.pairing() {
            Ok(pairing) => self.advance_by::<Simple<i32>, TRACE>(pairing, number, code, row, cells),
            Err(pairing) => {
                self.advance_by::<Table<'_, i32>, TRACE>(pairing, number, code, row, cells);
            }
        }
    }

    fn advance_by<P: Pairing<i32>, const TRACE: bool>(
        &self,
        pairing: P,
        number: usize,
        code: [[i32; 1]; 1],
        row: &mut Row<i32, 1>,
        cells: &mut [[u8; 1]],
    ) {
        let target = &self.target[..row.best.len() - 1];
        let bias = &self.model.bias;
        advance::<i32, P, 1, 1, true, TRACE>(bias, pairing, number, &code, target, row, cells);
    }
}

/// The columns `0..=columns` of a row.
fn cut(row: &Row<i32, 1>, columns: usize) -> Row<i32, 1> {
    Row { best: row.best[..=columns].to_vec(), insertion: row.insertion[..=columns].to_vec() }
}
