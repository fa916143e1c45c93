//! Memory of extensions with affine gap costs, and the sources of cells that it keeps.

#[cfg(target_arch = "x86_64")]
use super::simd::cells::SimdCells;

/// A score that is below all others.
pub(super) const DEAD: i32 = i32::MIN / 2;

/// As the source of a cell: the best alignment that ends there ends with a pair.
pub(crate) const PAIR: u8 = 0;
/// As the source of a cell: the last column is a gap in the columns' sequence, which skips a row.
pub(crate) const SKIP_ROW: u8 = 1;
/// As the source of a cell: the last column is a gap in the rows' sequence, which skips a column.
pub(crate) const SKIP_COLUMN: u8 = 2;
/// Mask of these sources.
pub(super) const SOURCE: u8 = 3;
/// Set in the source of a cell if a gap through it that skips rows began before it.
pub(crate) const ROW_GOES_ON: u8 = 4;
/// Set in the source of a cell if a gap through it that skips columns began before it.
pub(crate) const COLUMN_GOES_ON: u8 = 8;

/// Scores of a cell.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    /// Best score of an alignment that ends here.
    pub(super) best: i32,
    /// Best score of an alignment whose next column skips a row.
    pub(super) gap: i32,
}

/// Memory of extensions with affine gap costs, which the next one reuses.
#[derive(Debug, Default)]
pub struct AffineBuffers {
    /// Cells of the last row, by column.
    pub(super) cells: Vec<Cell>,
    /// Cells of the last row for SIMD, with scores of 16 bits.
    #[cfg(target_arch = "x86_64")]
    pub(super) simd_cells: SimdCells<i16>,
    /// Cells of the last row for SIMD, with scores of 8 bits.
    #[cfg(target_arch = "x86_64")]
    pub(super) byte_cells: SimdCells<i8>,
    /// Sources of the cells of all rows, one row after the other.
    pub(crate) sources: Vec<u8>,
    /// Of each row, the index of its first source minus its first column.
    rows: Vec<isize>,
}

impl AffineBuffers {
    /// Empties it for an extension.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        #[cfg(target_arch = "x86_64")]
        {
            self.simd_cells.clear();
            self.byte_cells.clear();
        }
        self.sources.clear();
        self.rows.clear();
    }

    /// Sets a cell of the last row, or appends it.
    pub(super) fn set(&mut self, column: usize, cell: Cell) {
        if column < self.cells.len() {
            self.cells[column] = cell;
        } else {
            self.cells.push(cell);
        }
    }

    /// Begins the sources of a row whose first column is `first`.
    pub(crate) fn begin_row(&mut self, first: usize) {
        self.rows.push(self.sources.len() as isize - first as isize);
    }

    /// The number of rows that were scored with sources, and the one before all letters.
    #[cfg(test)]
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The source of a cell.
    pub(super) fn source(&self, row: usize, column: usize) -> u8 {
        self.sources[(self.rows[row] + column as isize) as usize]
    }
}
