//! Comparing packed bases: 32 a word, the first in the lowest two bits.

use fm_index::FmIndex;

/// Bases in a word.
pub const BASES: usize = 32;

/// The lower bit of every base.
pub(crate) const LOWER: u64 = 0x5555_5555_5555_5555;

/// A packed query.
#[derive(Debug, Clone, Copy)]
pub struct Packed<'q> {
    /// The bases; what is behind the last is 0.
    pub words: &'q [u64],
    /// The lower bit of each base that matches nothing.
    pub unknown: &'q [u64],
    /// Bases.
    pub length: usize,
}

/// A packed text without unknown bases.
#[derive(Debug, Clone, Copy)]
pub struct Text<'t> {
    /// The bases.
    pub words: &'t [u64],
    /// Bases.
    pub length: usize,
}

impl<'t> Text<'t> {
    /// That of an index.
    pub fn of(index: &'t FmIndex) -> Self {
        let reference = index.reference();
        Self { words: reference.packed_text(), length: reference.indexed_len() as usize }
    }
}

/// 32 bases from a place on; what is behind the last word is 0.
#[inline]
pub(crate) fn fetch(words: &[u64], place: usize) -> u64 {
    let (word, shift) = (place / BASES, 2 * (place % BASES));
    let at = |word: usize| words.get(word).copied().unwrap_or_default();
    if shift == 0 { at(word) } else { at(word) >> shift | at(word + 1) << (64 - shift) }
}

impl Packed<'_> {
    /// Whether some base matches nothing.
    pub fn has_unknown(&self) -> bool {
        self.unknown.iter().any(|&word| word != 0)
    }
}

/// The lower bit of each of 32 bases that differ, from a place of the query and one of the text on.
#[inline]
fn different(query: Packed<'_>, place: usize, text: Text<'_>, position: usize) -> u64 {
    let either = fetch(query.words, place) ^ fetch(text.words, position);
    (either | either >> 1) & LOWER | fetch(query.unknown, place)
}

/// How many bases from a place of the query and one of the text on are equal.
#[inline]
pub fn equal_after(query: Packed<'_>, place: usize, text: Text<'_>, position: usize) -> usize {
    let most = (query.length - place).min(text.length - position);
    let mut equal = 0;
    while equal < most {
        let differences = different(query, place + equal, text, position + equal);
        if differences != 0 {
            return most.min(equal + differences.trailing_zeros() as usize / 2);
        }
        equal += BASES;
    }
    most
}

/// How many bases before a place of the query and one of the text are equal.
#[inline]
pub fn equal_before(query: Packed<'_>, place: usize, text: Text<'_>, position: usize) -> usize {
    let most = place.min(position);
    let mut equal = 0;
    while equal < most {
        let count = BASES.min(most - equal);
        let (place, position) = (place - equal - count, position - equal - count);
        let differences = different(query, place, text, position) << (2 * (BASES - count));
        if differences != 0 {
            return equal + differences.leading_zeros() as usize / 2;
        }
        equal += count;
    }
    most
}

/// The place where a query differs from the text from a position on, if it is just one; `None` if there
/// are more, and `Some(None)` if there is none. The text has as many bases as the query from there on.
#[inline]
pub fn only_difference(query: Packed<'_>, text: Text<'_>, position: usize) -> Option<Option<u32>> {
    let first = equal_after(query, 0, text, position);
    if first == query.length {
        return Some(None);
    }
    let rest = equal_after(query, first + 1, text, position + first + 1);
    (first + 1 + rest == query.length).then_some(Some(first as u32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queries::Queries;

    /// Equal bases are counted as one by one, at words' borders, ends and unknown bases too.
    #[test]
    fn equal_bases_are_counted() {
        for seed in 0..2000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut letters = |from: &[u8], length| -> Vec<u8> {
                (0..length).map(|_| *random.choice(from).unwrap()).collect()
            };
            let text = letters(b"AAAAAAAAAAAAAAAAAC", 150);
            let mut read = letters(b"AAAAAAAAAAAAAAAAAAAAAAAAAAC", 100);
            if seed % 3 == 0 {
                read[random.usize(..100)] = b'N';
            }
            let queries = Queries::new([text.as_slice(), &read]);
            let (query, codes) = (queries.packed(2), queries.codes(2));
            let text = Text { words: queries.packed(0).words, length: 150 };
            let text_codes = queries.codes(0);
            let (place, position) = (random.usize(..=100), random.usize(..=150));
            let is_equal = |(a, b): &(&u8, &u8)| a == b && **a < 4;
            let after = codes[place..].iter().zip(&text_codes[position..]);
            assert_eq!(
                equal_after(query, place, text, position),
                after.take_while(is_equal).count(),
                "seed {seed}"
            );
            let before = codes[..place].iter().rev().zip(text_codes[..position].iter().rev());
            assert_eq!(
                equal_before(query, place, text, position),
                before.take_while(is_equal).count(),
                "seed {seed}"
            );
        }
    }

    #[test]
    fn one_difference_is_told_from_none_and_more() {
        let queries =
            Queries::new([b"ACGTACGTAC".as_slice(), b"GTACC", b"GTACG", b"GAACC", b"CTACG"]);
        let text = Text { words: queries.packed(0).words, length: 10 };
        let only = |read: u32| only_difference(queries.packed(2 * read), text, 2);
        assert_eq!([1, 2, 3, 4].map(only), [Some(Some(4)), Some(None), None, Some(Some(0))]);
    }
}
