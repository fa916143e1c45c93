//! The sections of an index that searches read, as slices.

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use aligner_core::seq::UNKNOWN;

use super::FmIndex;
use super::interval::{Interval, extend_by, prefetch_extension};
use super::rank::{Bwt, prefetch};
use super::ranks::{Portable, Ranks};
use super::word_counts::WordCounts;
use crate::image::IndexSection;
use crate::reference::packed::with_first_base_highest;

/// The sections of an index that searches read, for loops of many steps: unlike [`FmIndex`], it need not find them in
/// the image each time.
#[derive(Debug, Clone, Copy)]
pub struct IndexSlices<'a, R = Portable> {
    ranks: R,
    forward: Bwt<'a>,
    reverse: Bwt<'a>,
    table: &'a [Interval],
    table_length: usize,
    samples: &'a [u32],
    sample_shift: u32,
    word_counts: WordCounts<'a>,
    bases: u32,
}

impl FmIndex {
    /// The sections of the index that searches read.
    pub fn slices(&self) -> IndexSlices<'_> {
        self.slices_with(Portable)
    }

    /// The sections of the index for searches that count ranks in this way.
    pub fn slices_with<R: Ranks>(&self, ranks: R) -> IndexSlices<'_, R> {
        let parameters = self.image().parameters();
        IndexSlices {
            ranks,
            forward: self.forward(),
            reverse: self.reverse(),
            table: self.image().section(IndexSection::Table),
            table_length: parameters.table_length as usize,
            samples: self.image().section(IndexSection::Samples),
            // The rate is a power of two.
            sample_shift: parameters.sample_rate.ilog2(),
            word_counts: WordCounts {
                elements: self.image().section(IndexSection::WordCounts),
                length: parameters.counted_length,
            },
            bases: parameters.bases,
        }
    }
}

impl<R: Ranks> IndexSlices<'_, R> {
    /// Number of rows of either transform: one more than bases of the indexed text.
    #[inline]
    pub fn rows(&self) -> u32 {
        self.bases + 1
    }

    /// Interval of the empty word: all rows.
    #[inline]
    pub fn root(&self) -> Interval {
        Interval { lo: 0, lo_reverse: 0, size: self.rows() }
    }

    /// Interval of the word of `interval` with one code, 0 to 3, put before it or after it: one of the intervals of
    /// [`FmIndex::extend_left`] or [`FmIndex::extend_right`].
    #[inline(always)]
    pub fn extend(&self, to_left: bool, code: u8, interval: Interval) -> Interval {
        if to_left {
            extend_by(self.ranks, &self.forward, code, interval)
        } else {
            extend_by(self.ranks, &self.reverse, code, interval.mirrored()).mirrored()
        }
    }

    /// [`extend`](Self::extend) for a code that may be [`UNKNOWN`], with which no word occurs.
    #[inline(always)]
    pub fn extend_by_any(&self, to_left: bool, code: u8, interval: Interval) -> Interval {
        if code < UNKNOWN { self.extend(to_left, code, interval) } else { Interval::default() }
    }

    /// Starts to fetch into the cache what it takes to extend the word of `interval` to one side, so that the wait for
    /// memory overlaps with other work. The results of queries do not change.
    #[inline(always)]
    pub fn prefetch(&self, to_left: bool, interval: Interval) {
        if to_left {
            prefetch_extension(&self.forward, interval.lo, interval.size);
        } else {
            prefetch_extension(&self.reverse, interval.lo_reverse, interval.size);
        }
    }

    /// Length of the words of the look-up table, 1 to 12 bases.
    #[inline]
    pub fn table_length(&self) -> usize {
        self.table_length
    }

    /// Interval of a word of [`table_length`](Self::table_length) codes, from the look-up table; empty if one of the codes
    /// is [`UNKNOWN`].
    ///
    /// # Panics
    /// If the word has another length.
    #[inline]
    pub fn lookup(&self, word: &[u8]) -> Interval {
        self.table_entry(word).map_or_else(Interval::default, |entry| self.entry(entry))
    }

    /// Starts to fetch the entry of a word of the look-up table into the cache.
    ///
    /// # Panics
    /// If the word has another length than [`table_length`](Self::table_length).
    #[inline]
    pub fn prefetch_lookup(&self, word: &[u8]) {
        if let Some(entry) = self.table_entry(word) {
            self.prefetch_entry(entry);
        }
    }

    /// Number of the entry of the look-up table for the first [`table_length`](Self::table_length) of 32 packed bases, the
    /// first of which is in the lowest bits ([`fetch`](crate::fetch)).
    #[inline(always)]
    pub fn entry_of(&self, bases: u64) -> usize {
        (with_first_base_highest(bases) >> (u64::BITS - 2 * self.table_length as u32)) as usize
    }

    /// The interval of the word with this [entry](Self::entry_of) of the look-up table.
    #[inline(always)]
    pub fn entry(&self, entry: usize) -> Interval {
        self.table[entry]
    }

    /// Starts to fetch this [entry](Self::entry_of) into the cache.
    #[inline(always)]
    pub fn prefetch_entry(&self, entry: usize) {
        if let Some(entry) = self.table.get(entry) {
            prefetch(entry);
        }
    }

    /// Number of a word's entry in the look-up table: its codes as digits of base 4. `None` if one of the codes is
    /// [`UNKNOWN`].
    #[inline]
    fn table_entry(&self, word: &[u8]) -> Option<usize> {
        assert_eq!(word.len(), self.table_length, "length of a word of the look-up table");
        let add = |entry, &code: &u8| (code < UNKNOWN).then_some(entry << 2 | usize::from(code));
        word.iter().try_fold(0, add)
    }

    /// Bases of a word that [`word_count`](Self::word_count) knows, 1 to 16.
    #[inline]
    pub fn counted_length(&self) -> usize {
        self.word_counts.length as usize
    }

    /// How often a word of [`counted_length`](Self::counted_length) bases occurs: 0, 1, or 2 for more often. It is the first
    /// bases of `bases`, 32 packed bases with the first in the lowest bits ([`fetch`](crate::fetch)).
    #[inline]
    pub fn word_count(&self, bases: u64) -> u32 {
        self.word_counts.of(bases)
    }

    /// Starts to fetch what [`word_count`](Self::word_count) reads into the cache.
    #[inline]
    pub fn prefetch_word_count(&self, bases: u64) {
        self.word_counts.prefetch(bases);
    }

    /// Row of the suffix that is one base longer than the suffix of `row`, in the transform of the text; `row` is not that
    /// of the whole text.
    #[inline(always)]
    pub fn previous(&self, row: u32) -> u32 {
        let code = self.forward.symbol(row);
        self.forward.first[usize::from(code)] + self.ranks.rank(&self.forward, code, row)
    }

    /// Starts to fetch what [`previous`](Self::previous) reads.
    #[inline(always)]
    pub fn prefetch_previous(&self, row: u32) {
        self.forward.prefetch(row);
    }

    /// Start of the suffix of a row, in indexed coordinates, if it is known without a step in the transform: each
    /// [`sample_rate`](FmIndex::sample_rate)th row has a sample, and the whole text starts at 0.
    #[inline]
    pub fn sampled_position(&self, row: u32) -> Option<u32> {
        if let Some(&sample) = self.sample(row) {
            return Some(sample);
        }
        self.is_whole_text(row).then_some(0)
    }

    /// Whether [`sampled_position`](Self::sampled_position) knows a row; if so, starts to fetch the position into the
    /// cache.
    #[inline(always)]
    pub fn prefetch_if_sampled(&self, row: u32) -> bool {
        let sample = self.sample(row);
        if let Some(sample) = sample {
            prefetch(sample);
        }
        sample.is_some() || self.is_whole_text(row)
    }

    /// Position of a suffix that is `steps` bases shorter than that of `position`. In an index that contradicts itself
    /// (see the module `check`) it would be behind the text, and is that of the text's last base.
    #[inline]
    pub fn stepped(&self, position: u32, steps: u32) -> u32 {
        if steps == 0 { position } else { position.saturating_add(steps).min(self.bases - 1) }
    }

    /// Sample of a row, if it has one.
    #[inline(always)]
    fn sample(&self, row: u32) -> Option<&u32> {
        let sample = row >> self.sample_shift;
        (sample << self.sample_shift == row).then(|| &self.samples[sample as usize])
    }

    /// Whether the suffix of a row is the whole text.
    #[inline(always)]
    fn is_whole_text(&self, row: u32) -> bool {
        row == self.forward.primary
    }
}
