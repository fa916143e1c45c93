//! Two-bit text: 32 bases a 64-bit word, the first base in the lowest two bits.

use std::ops::Range;

/// Bases in one word.
const BASES: usize = 32;

/// Words that hold this many bases.
pub(crate) const fn words_for(bases: usize) -> usize {
    bases.div_ceil(BASES)
}

/// A two-bit text that grows at its end.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    words: Vec<u64>,
    bases: usize,
}

impl Packer {
    /// Appends one code, 0 to 3.
    pub(crate) fn push(&mut self, code: u8) {
        let place = self.bases % BASES;
        if place == 0 {
            self.words.push(0);
        }
        if let Some(word) = self.words.last_mut() {
            *word |= u64::from(code) << (2 * place);
        }
        self.bases += 1;
    }

    /// The words; the bits above the last base are 0.
    pub(crate) fn into_words(self) -> Vec<u64> {
        self.words
    }
}

/// The code at one place.
#[inline]
pub(crate) fn get(words: &[u64], place: usize) -> u8 {
    (words[place / BASES] >> (2 * (place % BASES))) as u8 & 3
}

/// Writes the codes of a range of places; `codes` is as long as the range.
pub(crate) fn unpack(words: &[u64], places: Range<usize>, codes: &mut [u8]) {
    let (head, body) =
        codes.split_at_mut(((BASES - places.start % BASES) % BASES).min(places.len()));
    for (i, code) in head.iter_mut().enumerate() {
        *code = get(words, places.start + i);
    }
    let first = (places.start + head.len()) / BASES;
    for (chunk, &word) in body.chunks_mut(BASES).zip(&words[first..]) {
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
        let mut packer = Packer::default();
        for &code in &codes {
            packer.push(code);
        }
        let words = packer.into_words();
        assert_eq!(words.len(), words_for(codes.len()));
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
