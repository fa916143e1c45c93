//! Cells of a row, as arrays of 16-bit scores.

use super::lanes::{DEAD, LANES};

/// Cells of the last row, by column. Cells behind those that were ever live are dead.
#[derive(Debug, Default)]
pub(crate) struct SimdCells {
    /// Best scores of alignments that end in each cell.
    pub(super) best: Vec<i16>,
    /// Best scores of alignments whose next column skips a row.
    pub(super) gap: Vec<i16>,
}

impl SimdCells {
    /// Removes all cells.
    pub(crate) fn clear(&mut self) {
        self.best.clear();
        self.gap.clear();
    }

    /// Makes room for the cells before `end`; new cells are dead.
    pub(super) fn reach(&mut self, end: usize) {
        if self.best.len() < end {
            let end = end.next_multiple_of(8 * LANES);
            self.best.resize(end, DEAD as i16);
            self.gap.resize(end, DEAD as i16);
        }
    }

    /// Both scores of the cells from a column on, as many as there are lanes.
    pub(super) fn at(&mut self, column: usize) -> (&mut [i16], &mut [i16]) {
        self.reach(column + LANES);
        let range = column..column + LANES;
        (&mut self.best[range.clone()], &mut self.gap[range])
    }
}
