//! Locating: text positions of the suffixes of rows.
//!
//! A row with a suffix-array sample is located at once. For another row, the suffix that is one base longer is looked
//! up, and so on until a row has a sample; each step reads another place of memory. [`FmIndex::locate_all`] steps many
//! rows in turn, so that their waits for memory overlap.

use super::FmIndex;
use super::slices::IndexSlices;

/// Number of rows that are located in turn.
const INTERLEAVED_ROWS: usize = 32;

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
        let index = self.slices();
        let mut numbers = 0..rows.len();
        let mut next = |rows: &[u32]| {
            let number = numbers.next()?;
            Some(Search::new(&index, number, rows[number]))
        };
        let mut searches = Vec::with_capacity(INTERLEAVED_ROWS);
        while searches.len() < INTERLEAVED_ROWS
            && let Some(search) = next(rows)
        {
            searches.push(search);
        }
        while !searches.is_empty() {
            let mut place = 0;
            while let Some(search) = searches.get_mut(place) {
                if !search.has_sample {
                    search.step(&index);
                    place += 1;
                    continue;
                }
                let position = index.sampled_position(search.row).unwrap_or_default();
                rows[search.number] = index.stepped(position, search.steps);
                // Another row takes the place, so that there are always many waits to overlap.
                if let Some(another) = next(rows) {
                    *search = another;
                    place += 1;
                } else {
                    searches.swap_remove(place);
                }
            }
        }
    }
}

/// The search for the position of one of many rows. What its next step reads is on its way from memory.
struct Search {
    /// Number of the row among those that are located.
    number: usize,
    /// Row of the suffix that is `steps` bases longer.
    row: u32,
    steps: u32,
    /// Whether `row` has a sample, or none is to be sought further: the next step reads it.
    has_sample: bool,
}

impl Search {
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
        // As in `locate`.
        self.has_sample = index.prefetch_if_sampled(self.row) || self.steps > index.rows();
        if !self.has_sample {
            index.prefetch_previous(self.row);
        }
    }
}
