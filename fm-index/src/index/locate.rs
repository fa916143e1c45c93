//! Locating: text positions of the suffixes of rows.
//!
//! A row with a suffix-array sample is located at once. For another row, the suffix that is one base longer is looked
//! up, and so on until a row has a sample; each step reads another place of memory. [`FmIndex::locate_all`] steps many
//! rows in turn, so that their waits for memory overlap.

use super::FmIndex;
use super::rank::prefetch;
use crate::image::IndexSection;

/// Number of rows that are located at the same time.
const INTERLEAVED_ROWS: usize = 32;

impl FmIndex {
    /// Start of the suffix of a row of the forward transform, in indexed coordinates. The occurrences of an interval
    /// start at `locate(lo + i)` for `i < size`.
    pub fn locate(&self, row: u32) -> u32 {
        let bwt = self.forward();
        let (mut row, mut steps) = (row, 0);
        loop {
            if let Some(position) = self.sampled_position(row) {
                return self.stepped(position, steps);
            }
            if steps > self.rows() {
                return self.stepped(0, steps);
            }
            row = bwt.previous(row);
            steps += 1;
        }
    }

    /// Position of a suffix that is `steps` bases shorter than that of `position`. In an index that contradicts itself
    /// (see the module `check`) it would be behind the text, and is that of the text's last base.
    #[inline]
    pub fn stepped(&self, position: u32, steps: u32) -> u32 {
        let bases = self.rows() - 1;
        if steps == 0 { position } else { position.saturating_add(steps).min(bases - 1) }
    }

    /// Replaces each row by the start of its suffix, as [`locate`](Self::locate) gives it.
    pub fn locate_all(&self, rows: &mut [u32]) {
        let bwt = self.forward();
        for rows in rows.chunks_mut(INTERLEAVED_ROWS) {
            let mut steps = [0; INTERLEAVED_ROWS];
            // Numbers of the rows that are not located yet: the first `count` elements.
            let mut open: [usize; INTERLEAVED_ROWS] = std::array::from_fn(|number| number);
            let mut count = rows.len();
            for &row in &*rows {
                bwt.prefetch(row);
            }
            while count > 0 {
                let mut kept = 0;
                for place in 0..count {
                    let number = open[place];
                    let row = &mut rows[number];
                    // No way is longer than the text, unless it goes in a circle and comes to no sample.
                    if self.prefetch_if_sampled(*row) || steps[number] > self.rows() {
                        continue;
                    }
                    *row = bwt.previous(*row);
                    bwt.prefetch(*row);
                    steps[number] += 1;
                    open[kept] = number;
                    kept += 1;
                }
                count = kept;
            }
            for (row, steps) in rows.iter_mut().zip(steps) {
                *row = self.stepped(self.sampled_position(*row).unwrap_or_default(), steps);
            }
        }
    }

    /// Start of the suffix of a row, in indexed coordinates, if it is known without a step in the transform: each
    /// [`sample_rate`](Self::sample_rate)th row has a sample, and the whole text starts at 0.
    #[inline]
    pub fn sampled_position(&self, row: u32) -> Option<u32> {
        if let Some(sample) = self.sample(row) {
            return Some(*sample);
        }
        self.is_whole_text(row).then_some(0)
    }

    /// Whether [`sampled_position`](Self::sampled_position) knows a row; if so, starts to fetch the position into the
    /// cache, so that the wait for memory overlaps with other work.
    #[inline]
    pub fn prefetch_if_sampled(&self, row: u32) -> bool {
        let sample = self.sample(row);
        if let Some(sample) = sample {
            prefetch(sample);
        }
        sample.is_some() || self.is_whole_text(row)
    }

    /// Sample of a row, if it has one.
    #[inline]
    fn sample(&self, row: u32) -> Option<&u32> {
        let rate = self.sample_rate();
        // The rate is a power of two.
        let is_sampled = row & (rate - 1) == 0;
        is_sampled
            .then(|| &self.image().section::<u32>(IndexSection::Samples)[(row / rate) as usize])
    }

    /// Whether the suffix of a row is the whole text.
    #[inline]
    fn is_whole_text(&self, row: u32) -> bool {
        row == self.image().parameters().forward_primary
    }
}
