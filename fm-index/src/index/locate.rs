//! Locating: text positions of the suffixes of rows.
//!
//! A row with a suffix-array sample is located at once. For another row, the suffix that is one base longer is looked
//! up, and so on until a row has a sample; each step reads another place of memory. In
//! [`FmIndex::locate_all`] many rows take turns, so that their waits for memory overlap.

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use super::FmIndex;
#[cfg(target_arch = "x86_64")]
use super::ranks::Avx512;
use super::ranks::Ranks;
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
        #[cfg(target_arch = "x86_64")]
        if let Some(ranks) = Avx512::detect() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions, since there are such ranks.
            unsafe {
                locate_all_avx512(self.slices_with(ranks), rows);
            }
            return;
        }
        locate_all(self.slices(), rows);
    }
}

/// [`locate_all`] with ranks that are counted in registers of 64 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt")]
fn locate_all_avx512(index: IndexSlices<'_, Avx512>, rows: &mut [u32]) {
    locate_all(index, rows);
}

#[inline(always)]
fn locate_all<R: Ranks>(index: IndexSlices<'_, R>, rows: &mut [u32]) {
    take_turns(&mut RowSearches { index, rows, next: 0 });
}

/// Searches for the positions of rows.
struct RowSearches<'i, 'r, R> {
    index: IndexSlices<'i, R>,
    /// Rows, and in their place the positions of those whose search has ended.
    rows: &'r mut [u32],
    /// Number of the next row.
    next: usize,
}

impl<R: Ranks> Searches for RowSearches<'_, '_, R> {
    type Search = PositionSearch;

    fn next(&mut self) -> Option<PositionSearch> {
        let &row = self.rows.get(self.next)?;
        let search = PositionSearch::new(&self.index, self.next, row);
        self.next += 1;
        Some(search)
    }

    #[inline(always)]
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
    #[inline(always)]
    fn new(index: &IndexSlices<'_, impl Ranks>, number: usize, row: u32) -> Self {
        let mut search = Self { number, row, steps: 0, has_sample: false };
        search.prefetch(index);
        search
    }

    /// Goes to the suffix that is one base longer.
    #[inline(always)]
    fn step(&mut self, index: &IndexSlices<'_, impl Ranks>) {
        self.row = index.previous(self.row);
        self.steps += 1;
        self.prefetch(index);
    }

    /// Starts to fetch what the next step reads.
    #[inline(always)]
    fn prefetch(&mut self, index: &IndexSlices<'_, impl Ranks>) {
        // No way is longer than the text, unless it goes in a circle and comes to no sample.
        self.has_sample = index.prefetch_if_sampled(self.row) || self.steps > index.rows();
        if !self.has_sample {
            index.prefetch_previous(self.row);
        }
    }

    /// Start of the suffix of the row that was sought, when `row` has a sample.
    #[inline(always)]
    fn position(&self, index: &IndexSlices<'_, impl Ranks>) -> u32 {
        let sampled = index.sampled_position(self.row).unwrap_or_default();
        index.stepped(sampled, self.steps)
    }
}
