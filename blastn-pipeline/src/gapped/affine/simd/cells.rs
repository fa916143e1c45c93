//! Cells of a row, as arrays of scores.

use std::fmt::Debug;

/// A score of a cell, of as many bits as a lane has.
pub(crate) trait CellScore: Copy + Debug {
    /// The score of a dead cell: the least number.
    const DEAD: Self;
    /// Number of scores in a vector.
    const LANES: usize;
}

impl CellScore for i8 {
    const DEAD: Self = Self::MIN;
    const LANES: usize = 32;
}

impl CellScore for i16 {
    const DEAD: Self = Self::MIN;
    const LANES: usize = 16;
}

/// Cells of the last row, by column. Cells behind those that were ever live are dead.
#[derive(Debug)]
pub(crate) struct SimdCells<Score> {
    /// Best scores of alignments that end in each cell.
    pub(super) best: Vec<Score>,
    /// Best scores of alignments whose next column skips a row.
    pub(super) gap: Vec<Score>,
}

impl<Score> Default for SimdCells<Score> {
    fn default() -> Self {
        Self { best: Vec::new(), gap: Vec::new() }
    }
}

impl<Score: CellScore> SimdCells<Score> {
    /// Removes all cells, for the next extension.
    pub(crate) fn clear(&mut self) {
        self.best.clear();
        self.gap.clear();
    }

    /// Makes room for the cells before `end`; new cells are dead.
    pub(super) fn reach(&mut self, end: usize) {
        if self.best.len() < end {
            let end = end.next_multiple_of(8 * Score::LANES);
            self.best.resize(end, Score::DEAD);
            self.gap.resize(end, Score::DEAD);
        }
    }

    /// Both scores of the cells from a column on, as many as there are lanes.
    pub(super) fn at(&mut self, column: usize) -> (&mut [Score], &mut [Score]) {
        self.reach(column + Score::LANES);
        let range = column..column + Score::LANES;
        (&mut self.best[range.clone()], &mut self.gap[range])
    }
}
