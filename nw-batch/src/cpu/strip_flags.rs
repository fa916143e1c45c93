//! Flags of the cells of a group's matrices, strip after strip.

/// Flags of the cells of some strips of `R` rows. A word has the flag of a cell for each lane; the flags of a cell follow each other, then
/// the cells of a column, then the columns of a strip.
#[derive(Debug)]
pub(crate) struct StripFlags<F, const R: usize> {
    words: Vec<F>,
    /// Number of words in use.
    used: usize,
    strips: Vec<FlaggedStrip>,
    /// Rows above the first strip.
    top: usize,
    /// Flags of a cell.
    cell_flags: usize,
}

/// A strip with flags.
#[derive(Debug, Clone, Copy)]
struct FlaggedStrip {
    /// Index of its first word.
    offset: usize,
    /// Number of its first column.
    first: usize,
}

impl<F: Copy + Default + Into<u64>, const R: usize> StripFlags<F, R> {
    /// No strips, of cells with so many flags.
    pub fn new(cell_flags: usize) -> Self {
        Self { words: Vec::new(), used: 0, strips: Vec::new(), top: 0, cell_flags }
    }

    /// Removes all strips, and makes room for `count` words. The next strip begins below the row `top`.
    pub fn begin(&mut self, top: usize, count: usize) {
        (self.used, self.top) = (0, top);
        self.strips.clear();
        if self.words.len() < count {
            // Not resized, since none of the words is needed any more. What a group does not use is never touched, and takes no
            // memory; so there may be room for the next groups.
            self.words = Vec::new();
            self.words = vec![F::default(); count.next_power_of_two()];
        }
    }

    /// Appends a strip that begins with the column `first`; returns its `count` words, which may have any flags.
    ///
    /// # Panics
    /// If there is no room for them.
    pub fn push(&mut self, first: usize, count: usize) -> &mut [F] {
        let offset = self.used;
        self.strips.push(FlaggedStrip { offset, first });
        self.used += count;
        &mut self.words[offset..self.used]
    }

    /// Words with the flags of a cell, by its row and column.
    pub fn of_cell(&self, row: usize, column: usize) -> &[F] {
        let below = row - 1 - self.top;
        let strip = self.strips[below / R];
        let cell = (column - strip.first) * R + below % R;
        &self.words[strip.offset + cell * self.cell_flags..][..self.cell_flags]
    }
}
