//! Locating: text positions of the suffixes of rows.
//!
//! A row with a suffix-array sample is located at once. For another row, the suffix that is one base longer is looked
//! up, and so on until a row has a sample; each step reads another place of memory. [`FmIndex::locate_all`] steps many
//! rows in turn, so that their waits for memory overlap.

use super::FmIndex;

/// Number of rows that are located at the same time.
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
        for rows in rows.chunks_mut(INTERLEAVED_ROWS) {
            let mut steps = [0; INTERLEAVED_ROWS];
            // Numbers of the rows that are not located yet: the first `count` elements.
            let mut open: [usize; INTERLEAVED_ROWS] = std::array::from_fn(|number| number);
            let mut count = rows.len();
            for &row in &*rows {
                index.prefetch_previous(row);
            }
            while count > 0 {
                let mut kept = 0;
                for place in 0..count {
                    let number = open[place];
                    let row = &mut rows[number];
                    // As in `locate`.
                    if index.prefetch_if_sampled(*row) || steps[number] > index.rows() {
                        continue;
                    }
                    *row = index.previous(*row);
                    index.prefetch_previous(*row);
                    steps[number] += 1;
                    open[kept] = number;
                    kept += 1;
                }
                count = kept;
            }
            for (row, steps) in rows.iter_mut().zip(steps) {
                *row = index.stepped(index.sampled_position(*row).unwrap_or_default(), steps);
            }
        }
    }
}
