//! Counts of words: whether a word of some length occurs in the text never, once or more often.
//!
//! Most words of a read's wrong strand, and most that hold an error, are too long to occur by chance. Two bits of memory
//! tell so at once, where a search of the index takes a step for each base.
//!
//! ```text
//!   a word of L bases  -->  its number: its bases as digits of base 4, the first in the lowest digit
//!   counts             -->  two bits for each number, 32 numbers in 64 bits:  00 never, 01 once, 11 more often
//! ```

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::rank::prefetch;
use crate::reference::packed::fetch;

/// Numbers whose counts are in 64 bits.
const NUMBERS_PER_ELEMENT: usize = 32;

/// Bases of the longest words that are counted: their counts take 1 GiB.
pub(crate) const MAX_COUNTED_LENGTH: u32 = 16;

/// Starts of words that one rayon task counts.
const STARTS_PER_TASK: usize = 1 << 16;

/// Length of the words that are counted in a text of `bases` bases: the shortest of which there are at least as many as
/// bases, so that most words that are not the text's own do not occur in it.
pub(crate) fn counted_length(bases: u32) -> u32 {
    let digits = (u32::BITS - bases.leading_zeros()).div_ceil(2);
    digits.clamp(1, MAX_COUNTED_LENGTH)
}

/// Elements of 64 bits that hold the counts of all words of a length.
pub(crate) const fn elements(length: u32) -> usize {
    (1usize << (2 * length)).div_ceil(NUMBERS_PER_ELEMENT)
}

/// Counts the words of a length in a packed text of `bases` bases, on the current rayon pool.
pub(crate) fn count(text: &[u64], bases: usize, length: u32) -> Vec<u64> {
    let counts: Vec<AtomicU64> = (0..elements(length)).map(|_| AtomicU64::new(0)).collect();
    let starts = (bases + 1).saturating_sub(length as usize);
    (0..starts.div_ceil(STARTS_PER_TASK)).into_par_iter().for_each(|task| {
        let first = task * STARTS_PER_TASK;
        for start in first..starts.min(first + STARTS_PER_TASK) {
            let (element, shift) = place(fetch(text, start), length);
            let count = &counts[element];
            let earlier = count.load(Ordering::Relaxed) >> shift & 3;
            // Several threads may count one word. Each sets the lower bit; those that find it set, also the upper one.
            if earlier == 0 && count.fetch_or(1 << shift, Ordering::Relaxed) >> shift & 1 == 0 {
                continue;
            }
            if earlier < 3 {
                count.fetch_or(2 << shift, Ordering::Relaxed);
            }
        }
    });
    counts.into_iter().map(AtomicU64::into_inner).collect()
}

/// Element, and first bit in it, of the count of the first `length` of 32 packed bases.
#[inline]
fn place(bases: u64, length: u32) -> (usize, u32) {
    let number = (bases & (u64::MAX >> (u64::BITS - 2 * length))) as usize;
    (number / NUMBERS_PER_ELEMENT, 2 * (number % NUMBERS_PER_ELEMENT) as u32)
}

/// Counts of all words of a length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WordCounts<'a> {
    pub(crate) elements: &'a [u64],
    pub(crate) length: u32,
}

impl WordCounts<'_> {
    /// How often the word of the first bases of 32 packed ones occurs: 0, 1, or 2 for more often.
    #[inline]
    pub(crate) fn of(&self, bases: u64) -> u32 {
        let (element, shift) = place(bases, self.length);
        (self.elements[element] >> shift & 3).count_ones()
    }

    /// Starts to fetch what [`of`](Self::of) reads into the cache.
    #[inline]
    pub(crate) fn prefetch(&self, bases: u64) {
        prefetch(&self.elements[place(bases, self.length).0]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::packed::PackedText;

    /// Counts of all words of all lengths that can be, in texts with and without repeats, are those of a list of words.
    #[test]
    fn words_are_counted() {
        for seed in 0..40 {
            let mut random = fastrand::Rng::with_seed(seed);
            let letters = random.u8(1..=4);
            let codes: Vec<u8> = (0..random.usize(1..300)).map(|_| random.u8(..letters)).collect();
            let mut text = PackedText::default();
            for &code in &codes {
                text.push(code);
            }
            let text = text.into_words();
            for length in 1..=6 {
                let elements = count(&text, codes.len(), length);
                let counts = WordCounts { elements: &elements, length };
                for number in 0..1u64 << (2 * length) {
                    let word: Vec<u8> =
                        (0..length).map(|place| (number >> (2 * place)) as u8 & 3).collect();
                    let occurs = codes.windows(word.len()).filter(|it| *it == word).count();
                    // Bases behind the word make no difference.
                    let bases = number | random.u64(..) << (2 * length);
                    assert_eq!(counts.of(bases), occurs.min(2) as u32, "seed {seed}, {word:?}");
                }
            }
        }
    }

    #[test]
    fn lengths_grow_with_the_text() {
        let lengths = [1, 4, 5, 16, 17, 65_536, 65_537, u32::MAX].map(counted_length);
        assert_eq!(lengths, [1, 2, 2, 3, 3, 9, 9, 16]);
    }
}
