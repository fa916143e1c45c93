//! Bidirectional search: a word's occurrences are an interval of rows of the text's transform and,
//! with the word reversed, one of equal size in the reversed text's; either end of the word can be
//! extended (Lam et al., "High throughput short read alignment via bi-directional BWT", 2009).

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use crate::rank::Bwt;

/// The rows of a word's occurrences in both transforms.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Interval {
    /// First row in the transform of the text.
    pub lo: u32,
    /// First row in the transform of the reversed text.
    pub lo_reverse: u32,
    /// Occurrences; 0 if the word does not occur, and then the other fields mean nothing.
    pub size: u32,
}

impl Interval {
    /// Whether the word does not occur.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    pub(crate) fn mirrored(self) -> Self {
        Self { lo: self.lo_reverse, lo_reverse: self.lo, size: self.size }
    }
}

/// The transforms of the text and of the reversed text: [`crate::FmIndex`] as loops of many
/// extensions want it, found in the image once.
#[derive(Debug, Clone, Copy)]
pub struct Transforms<'a> {
    pub(crate) forward: Bwt<'a>,
    pub(crate) reverse: Bwt<'a>,
}

impl Transforms<'_> {
    /// The intervals of the word with each code put before it.
    #[inline]
    pub fn extend_left(&self, interval: Interval) -> [Interval; 4] {
        extend(&self.forward, interval)
    }

    /// The intervals of the word with each code put after it.
    #[inline]
    pub fn extend_right(&self, interval: Interval) -> [Interval; 4] {
        extend(&self.reverse, interval.mirrored()).map(Interval::mirrored)
    }

    /// Tells the processor that the word of `interval` may soon be extended to the right, so that
    /// the wait for memory overlaps with other work. Changes nothing else.
    #[inline]
    pub fn expect_right(&self, interval: Interval) {
        expect(&self.reverse, interval.lo_reverse, interval.size);
    }

    /// The intervals of all words of a length, in order of the words.
    pub(crate) fn all_words(&self, root: Interval, length: usize) -> Vec<Interval> {
        let mut table = vec![Interval::default(); 1 << (2 * length)];
        self.fill(root, &mut table);
        table
    }

    /// Fills the entries of all words that start with the word of `interval`.
    fn fill(&self, interval: Interval, entries: &mut [Interval]) {
        /// Entries that are worth a task of their own.
        const TASK: usize = 1 << 12;
        if interval.is_empty() {
            return;
        }
        if let [entry] = entries {
            *entry = interval;
            return;
        }
        let children = self.extend_right(interval);
        let quarter = entries.len() / 4;
        if quarter >= TASK {
            let quarters = entries.par_chunks_mut(quarter);
            quarters.zip(children).for_each(|(entries, child)| self.fill(child, entries));
        } else {
            let quarters = entries.chunks_mut(quarter);
            quarters.zip(children).for_each(|(entries, child)| self.fill(child, entries));
        }
    }
}

/// Extends the words of `bwt`'s text to the left by each code.
#[inline]
fn extend(bwt: &Bwt<'_>, interval: Interval) -> [Interval; 4] {
    let (before, through, mut lo_reverse) = around(bwt, interval);
    [0, 1, 2, 3].map(|code| {
        let size = through[code] - before[code];
        let extended = Interval { lo: bwt.first[code] + before[code], lo_reverse, size };
        lo_reverse += size;
        extended
    })
}

/// Starts to fetch what it takes to extend a word of `bwt`'s text to the left.
#[inline]
pub(crate) fn expect(bwt: &Bwt<'_>, lo: u32, size: u32) {
    bwt.prefetch(lo);
    bwt.prefetch(lo + size);
}

/// Extends the word of `bwt`'s text to the left by one code.
#[inline]
pub(crate) fn extend_by(bwt: &Bwt<'_>, code: u8, interval: Interval) -> Interval {
    let (before, through, mut lo_reverse) = around(bwt, interval);
    let code = usize::from(code);
    for lower in 0..code {
        lo_reverse += through[lower] - before[lower];
    }
    let lo = bwt.first[code] + before[code];
    Interval { lo, lo_reverse, size: through[code] - before[code] }
}

/// Each code's count before the rows of a word and up to their end, and where, in the other transform, the
/// first of the words begins that a code before it makes.
#[inline]
fn around(bwt: &Bwt<'_>, interval: Interval) -> ([u32; 4], [u32; 4], u32) {
    let Interval { lo, lo_reverse, size } = interval;
    // There they follow one another in order of the new base, after the occurrence that has none: the one
    // at the text's start.
    let primary = bwt.primary();
    let has_start = lo <= primary && primary < lo + size;
    (bwt.rank4(lo), bwt.rank4(lo + size), lo_reverse + u32::from(has_start))
}
