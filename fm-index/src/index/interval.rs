//! Bidirectional search: the occurrences of a word are an interval of rows of the text's transform, and the occurrences
//! of the reversed word are an interval of the same size in the reversed text's transform. With both, either end of the
//! word can be extended (Lam et al., "High throughput short read alignment via bi-directional BWT", 2009).

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use aligner_core::device_struct;
use rayon::prelude::*;

use super::rank::{Bwt, SymbolCounts};
use super::ranks::Ranks;

device_struct! {
    /// Rows of a word's occurrences in both transforms.
    #[derive(PartialEq, Eq, Default)]
    pub struct Interval {
        /// First row in the transform of the text.
        pub lo: u32,
        /// First row in the transform of the reversed text.
        pub lo_reverse: u32,
        /// Number of rows, which is the number of occurrences. If it is 0, the other fields mean nothing.
        pub size: u32,
    }
}

impl Interval {
    /// Whether the word does not occur.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// Interval of the reversed word in an index of the reversed text.
    #[inline(always)]
    pub(crate) fn mirrored(self) -> Self {
        Self { lo: self.lo_reverse, lo_reverse: self.lo, size: self.size }
    }
}

/// Transforms of the text and of the reversed text, for loops of many extensions: unlike
/// [`FmIndex`](crate::FmIndex), it need not find them in the image each time.
#[derive(Debug, Clone, Copy)]
pub struct Transforms<'a> {
    pub(crate) forward: Bwt<'a>,
    pub(crate) reverse: Bwt<'a>,
}

impl Transforms<'_> {
    /// Intervals of the word of `interval` with each code, 0 to 3, put before it.
    #[inline]
    pub fn extend_left(&self, interval: Interval) -> [Interval; 4] {
        extend(&self.forward, interval)
    }

    /// Intervals of the word of `interval` with each code, 0 to 3, put after it.
    #[inline]
    pub fn extend_right(&self, interval: Interval) -> [Interval; 4] {
        extend(&self.reverse, interval.mirrored()).map(Interval::mirrored)
    }

    /// Starts to fetch into the cache what it takes to extend the word of `interval` to the right, so that the wait for
    /// memory overlaps with other work. The results of queries do not change.
    #[inline]
    pub fn prefetch_right(&self, interval: Interval) {
        prefetch_extension(&self.reverse, interval.lo_reverse, interval.size);
    }

    /// Intervals of all words of a length, in lexicographic order of the words; `root` is the interval of the empty word.
    pub(crate) fn all_words(&self, root: Interval, length: usize) -> Vec<Interval> {
        let mut table = vec![Interval::default(); 1 << (2 * length)];
        self.fill(root, &mut table);
        table
    }

    /// Sets the entries of all words that begin with the word of `interval`.
    fn fill(&self, interval: Interval, entries: &mut [Interval]) {
        /// Minimum number of entries that are filled as a rayon task of their own.
        const MIN_TASK_ENTRIES: usize = 1 << 12;
        if interval.is_empty() {
            return;
        }
        if let [entry] = entries {
            *entry = interval;
            return;
        }
        let children = self.extend_right(interval);
        let quarter = entries.len() / 4;
        if quarter >= MIN_TASK_ENTRIES {
            let quarters = entries.par_chunks_mut(quarter);
            quarters.zip(children).for_each(|(entries, child)| self.fill(child, entries));
        } else {
            let quarters = entries.chunks_mut(quarter);
            quarters.zip(children).for_each(|(entries, child)| self.fill(child, entries));
        }
    }
}

/// Intervals of a word of the text of `bwt` with each code put before it.
#[inline]
fn extend(bwt: &Bwt<'_>, interval: Interval) -> [Interval; 4] {
    let ExtensionCounts { before, through, mut lo_reverse } = count_extensions(bwt, interval);
    [0, 1, 2, 3].map(|code| {
        let size = through[code] - before[code];
        let extended = Interval { lo: bwt.first[code] + before[code], lo_reverse, size };
        lo_reverse += size;
        extended
    })
}

/// Starts to fetch into the cache what it takes to extend a word of the text of `bwt` to the left; the word's rows are
/// `lo..lo + size`.
#[inline(always)]
pub(crate) fn prefetch_extension(bwt: &Bwt<'_>, lo: u32, size: u32) {
    bwt.prefetch(lo);
    bwt.prefetch(lo + size);
}

/// Interval of a word of the text of `bwt` with one code put before it.
#[inline(always)]
pub(crate) fn extend_by(
    ranks: impl Ranks,
    bwt: &Bwt<'_>,
    code: u8,
    interval: Interval,
) -> Interval {
    let Interval { lo, lo_reverse, size } = interval;
    let (before, SymbolCounts { equal, smaller }) = ranks.ranks(bwt, code, lo, size);
    Interval {
        lo: bwt.first[usize::from(code)] + before,
        lo_reverse: lo_reverse + u32::from(has_start(bwt, interval)) + smaller,
        size: equal,
    }
}

/// Whether a word of the text of `bwt` is at the text's start. In the other transform the words with one base more before
/// them follow one another in order of that base, after the occurrence that has no base before it.
#[inline(always)]
fn has_start(bwt: &Bwt<'_>, Interval { lo, size, .. }: Interval) -> bool {
    let primary = bwt.primary();
    lo <= primary && primary < lo + size
}

/// Counts that the extensions of one word to the left are computed from.
struct ExtensionCounts {
    /// Count of each code among the symbols before the word's rows.
    before: [u32; 4],
    /// Count of each code among the symbols up to the end of the word's rows.
    through: [u32; 4],
    /// First row, in the other transform, of the word with code 0 put before it.
    lo_reverse: u32,
}

/// Counts what the extensions of a word of the text of `bwt` to the left are computed from.
#[inline]
fn count_extensions(bwt: &Bwt<'_>, interval: Interval) -> ExtensionCounts {
    let Interval { lo, lo_reverse, size } = interval;
    ExtensionCounts {
        before: bwt.rank4(lo),
        through: bwt.rank4(lo + size),
        lo_reverse: lo_reverse + u32::from(has_start(bwt, interval)),
    }
}
