//! Band of diagonals around the alignments of a group of pairs.

/// Band of the cells `(row, column)` with `lowest <= column - row <= highest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Band {
    lowest: i64,
    highest: i64,
}

impl Band {
    /// The band that holds every cell of any matrix.
    pub const WHOLE: Self = Self { lowest: i64::MIN / 2, highest: i64::MAX / 2 };

    /// First and last of the columns from 1 to `columns` that some of the rows after `top` have, up to `bottom`.
    pub fn columns(self, top: usize, bottom: usize, columns: usize) -> (usize, usize) {
        let first = (top as i64 + 1 + self.lowest).clamp(1, columns as i64);
        let last = (bottom as i64 + self.highest).clamp(first, columns as i64);
        (first as usize, last as usize)
    }
}
