//! Positions of rows.
//!
//! A row without a sample is located from that of the suffix one base longer, and so on, each in another
//! place of memory. Many rows take turns, so that they wait together instead of one after the other.

use crate::header::Section;
use crate::index::FmIndex;
use crate::rank::prefetch;

/// Rows that take turns.
const TOGETHER: usize = 32;

impl FmIndex {
    /// Where the suffix of a row of the forward transform starts, in indexed coordinates. The
    /// occurrences of an interval start at `locate(lo + i)` for `i < size`.
    pub fn locate(&self, row: u32) -> u32 {
        let bwt = self.forward();
        let (mut row, mut steps) = (row, 0);
        loop {
            if let Some(position) = self.sampled(row) {
                return position + steps;
            }
            row = bwt.previous(row);
            steps += 1;
        }
    }

    /// Sets each of some rows to what [`locate`](Self::locate) gives for it.
    pub fn locate_all(&self, rows: &mut [u32]) {
        let bwt = self.forward();
        for rows in rows.chunks_mut(TOGETHER) {
            let mut steps = [0; TOGETHER];
            let mut open: [usize; TOGETHER] = std::array::from_fn(|number| number);
            let mut count = rows.len();
            for &row in &*rows {
                bwt.prefetch(row);
            }
            while count > 0 {
                let mut kept = 0;
                for place in 0..count {
                    let number = open[place];
                    let row = &mut rows[number];
                    if self.expect_sampled(*row) {
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
                *row = self.sampled(*row).unwrap_or_default() + steps;
            }
        }
    }

    /// Where the suffix of a row starts, if that is known without a step in the transform: each
    /// [`sample_rate`](Self::sample_rate)th row has a sample, and that of the whole text needs none.
    #[inline]
    pub fn sampled(&self, row: u32) -> Option<u32> {
        if let Some(sample) = self.sample(row) {
            return Some(*sample);
        }
        self.is_whole_text(row).then_some(0)
    }

    /// Whether [`sampled`](Self::sampled) knows a row; if so, it may soon be asked, and the wait for memory
    /// overlaps with other work.
    #[inline]
    pub fn expect_sampled(&self, row: u32) -> bool {
        let sample = self.sample(row);
        if let Some(sample) = sample {
            prefetch(sample);
        }
        sample.is_some() || self.is_whole_text(row)
    }

    #[inline]
    fn sample(&self, row: u32) -> Option<&u32> {
        let rate = self.sample_rate();
        // A power of two.
        let is_sampled = row & (rate - 1) == 0;
        is_sampled.then(|| &self.image().section::<u32>(Section::Samples)[(row / rate) as usize])
    }

    #[inline]
    fn is_whole_text(&self, row: u32) -> bool {
        row == self.image().numbers().forward_primary
    }
}
