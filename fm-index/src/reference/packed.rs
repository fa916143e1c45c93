//! Two-bit text: 32 bases in each 64-bit word, the first base in the lowest two bits.

use std::ops::Range;

use aligner_core::seq::encode;
use rayon::prelude::*;

/// Bases of one 64-bit word.
const BASES_PER_WORD: usize = 32;

/// Words that a thread packs at a time.
const WORDS_PER_TASK: usize = 1 << 14;

/// Number of 64-bit words that hold this many bases.
pub(crate) const fn words_for(bases: usize) -> usize {
    bases.div_ceil(BASES_PER_WORD)
}

/// A two-bit text that grows at its end.
#[derive(Debug, Default)]
pub(crate) struct PackedText {
    words: Vec<u64>,
    /// Number of bases so far.
    bases: usize,
}

impl PackedText {
    /// Appends one code, 0 to 3.
    pub(crate) fn push(&mut self, code: u8) {
        let place = self.bases % BASES_PER_WORD;
        if place == 0 {
            self.words.push(0);
        }
        if let Some(word) = self.words.last_mut() {
            *word |= u64::from(code) << (2 * place);
        }
        self.bases += 1;
    }

    /// Appends the codes of letters, each of which is a base, on the current rayon pool.
    pub(crate) fn extend_with_letters(&mut self, letters: &[u8]) {
        let room = self.words.len() * BASES_PER_WORD - self.bases;
        let (first, rest) = letters.split_at(room.min(letters.len()));
        for &letter in first {
            self.push(encode(letter));
        }
        let word = |letters: &[u8]| {
            letters.iter().rev().fold(0, |word, &letter| word << 2 | u64::from(encode(letter)))
        };
        self.words
            .par_extend(rest.par_chunks(BASES_PER_WORD).with_min_len(WORDS_PER_TASK).map(word));
        self.bases += rest.len();
    }

    /// The words; the bits above the last base are 0.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }
}

/// Code, 0 to 3, of the base at a position, from 0.
#[inline]
pub(crate) fn get(words: &[u64], position: usize) -> u8 {
    (words[position / BASES_PER_WORD] >> (2 * (position % BASES_PER_WORD))) as u8 & 3
}

/// The 32 bases from a position on, the first in the lowest bits; bases behind the last word are 0.
#[inline]
pub fn fetch(words: &[u64], position: usize) -> u64 {
    let (word, shift) = (position / BASES_PER_WORD, 2 * (position % BASES_PER_WORD));
    let at = |word: usize| words.get(word).copied().unwrap_or_default();
    if shift == 0 { at(word) } else { at(word) >> shift | at(word + 1) << (64 - shift) }
}

/// The bases of a word in the opposite order: the first one is in the highest bits.
#[inline]
pub fn with_first_base_highest(word: u64) -> u64 {
    const FOUR_BITS: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    const BASES: u64 = 0x3333_3333_3333_3333;
    // Bytes, halves of bytes, and their halves change places.
    let word = word.swap_bytes();
    let word = word >> 4 & FOUR_BITS | (word & FOUR_BITS) << 4;
    word >> 2 & BASES | (word & BASES) << 2
}

/// Writes the codes, 0 to 3, of a range of positions to `codes`, which is as long as the range.
pub(crate) fn unpack(words: &[u64], positions: Range<usize>, codes: &mut [u8]) {
    // Codes before the first whole word.
    let head = (BASES_PER_WORD - positions.start % BASES_PER_WORD) % BASES_PER_WORD;
    let (head, body) = codes.split_at_mut(head.min(positions.len()));
    for (i, code) in head.iter_mut().enumerate() {
        *code = get(words, positions.start + i);
    }
    let first = (positions.start + head.len()) / BASES_PER_WORD;
    for (chunk, &word) in body.chunks_mut(BASES_PER_WORD).zip(&words[first..]) {
        for (i, code) in chunk.iter_mut().enumerate() {
            *code = (word >> (2 * i)) as u8 & 3;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_range_unpacks_to_what_was_pushed() {
        let codes: Vec<u8> =
            (0..131u32).map(|i| (i.wrapping_mul(0x9E37_79B1) >> 30) as u8).collect();
        let mut text = PackedText::default();
        for &code in &codes {
            text.push(code);
        }
        let words = text.into_words();
        assert_eq!(words.len(), words_for(codes.len()));
        let letters: Vec<u8> = codes.iter().map(|&code| b"AcGu"[code as usize]).collect();
        for middle in 0..=letters.len() {
            let mut text = PackedText::default();
            text.extend_with_letters(&letters[..middle]);
            text.extend_with_letters(&letters[middle..]);
            assert_eq!((text.bases, text.into_words()), (codes.len(), words.clone()));
        }
        for start in 0..=codes.len() {
            for end in start..=codes.len() {
                let mut out = vec![9; end - start];
                unpack(&words, start..end, &mut out);
                assert_eq!(out, codes[start..end], "{start}..{end}");
            }
        }
        for (place, &code) in codes.iter().enumerate() {
            assert_eq!(get(&words, place), code);
        }
    }
}
