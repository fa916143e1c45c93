//! Locating: text positions of the suffixes of rows.
//!
//! A row with a suffix-array sample is located at once. For another row, the suffix that is one base longer is looked
//! up, and so on until a row has a sample; each step reads another place of memory. In
//! [`FmIndex::locate_all`] many rows take turns, so that their waits for memory overlap.

use super::FmIndex;
use super::slices::IndexSlices;
use crate::turns::{Searches, take_turns};

impl FmIndex {
    /// Start of the suffix of a row of the forward transform, in indexed coordinates. The occurrences of an interval
    /// start at `locate(lo + i)` for `i < size`.
    pub fn locate(&self, row: u32) -> u32 {
        let index = self.slices();
        let mut search = PositionSearch::new(&index, 0, row);
        while !search.has_sample {
            search.step(&index);
        }
        search.position(&index)
    }

    /// Replaces each row by the start of its suffix, as [`locate`](Self::locate) gives it.
    pub fn locate_all(&self, rows: &mut [u32]) {
        take_turns(&mut RowSearches { index: self.slices(), rows, next: 0 });
    }
}

/// Searches for the positions of rows.
struct RowSearches<'i, 'r> {
    index: IndexSlices<'i>,
    /// Rows, and in their place the positions of those whose search has ended.
    rows: &'r mut [u32],
    /// Number of the next row.
    next: usize,
}

impl Searches for RowSearches<'_, '_> {
    type Search = PositionSearch;

    fn next(&mut self) -> Option<PositionSearch> {
        let &row = self.rows.get(self.next)?;
        let search = PositionSearch::new(&self.index, self.next, row);
        self.next += 1;
        Some(search)
    }

    #[inline]
    fn step(&mut self, search: &mut PositionSearch) -> bool {
        if search.has_sample {
            self.rows[search.number] = search.position(&self.index);
            return false;
        }
        search.step(&self.index);
        true
    }
}

/// The search for the position of a row.
struct PositionSearch {
    /// Number of the row among those that are located.
    number: usize,
    /// Row of the suffix that is `steps` bases longer.
    row: u32,
    steps: u32,
    /// Whether `row` has a sample, or none is to be sought further: the next step reads it.
    has_sample: bool,
}

impl PositionSearch {
    fn new(index: &IndexSlices<'_>, number: usize, row: u32) -> Self {
        let mut search = Self { number, row, steps: 0, has_sample: false };
        search.prefetch(index);
        search
    }

    /// Goes to the suffix that is one base longer.
    #[inline]
    fn step(&mut self, index: &IndexSlices<'_>) {
        self.row = index.previous(self.row);
        self.steps += 1;
        self.prefetch(index);
    }

    /// Starts to fetch what the next step reads.
    #[inline]
    fn prefetch(&mut self, index: &IndexSlices<'_>) {
        // No way is longer than the text, unless it goes in a circle and comes to no sample.
        self.has_sample = index.prefetch_if_sampled(self.row) || self.steps > index.rows();
        if !self.has_sample {
            index.prefetch_previous(self.row);
        }
    }

    /// Start of the suffix of the row that was sought, when `row` has a sample.
    #[inline]
    fn position(&self, index: &IndexSlices<'_>) -> u32 {
        let sampled = index.sampled_position(self.row).unwrap_or_default();
        index.stepped(sampled, self.steps)
    }
}
