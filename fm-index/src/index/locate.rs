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
        let (mut row, mut steps) = (row, 0);
        loop {
            if let Some(position) = index.sampled_position(row) {
                return index.stepped(position, steps);
            }
            // No way is longer than the text, unless it goes in a circle and comes to no sample.
            if steps > index.rows() {
                return index.stepped(0, steps);
            }
            row = index.previous(row);
            steps += 1;
        }
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
        let mut search = PositionSearch { number: self.next, row, steps: 0, has_sample: false };
        search.prefetch(&self.index);
        self.next += 1;
        Some(search)
    }

    #[inline]
    fn step(&mut self, search: &mut PositionSearch) -> bool {
        let index = &self.index;
        if search.has_sample {
            let position = index.sampled_position(search.row).unwrap_or_default();
            self.rows[search.number] = index.stepped(position, search.steps);
            return false;
        }
        search.row = index.previous(search.row);
        search.steps += 1;
        search.prefetch(index);
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
    /// Starts to fetch what the next step reads.
    #[inline]
    fn prefetch(&mut self, index: &IndexSlices<'_>) {
        // As in `locate`.
        self.has_sample = index.prefetch_if_sampled(self.row) || self.steps > index.rows();
        if !self.has_sample {
            index.prefetch_previous(self.row);
        }
    }
}
