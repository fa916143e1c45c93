//! Packed bases, 32 a word with the first in the lowest two bits, and how far two sequences of them are equal.

use std::iter::from_fn;
use std::ops::Range;

use fm_index::{FmIndex, fetch, prefetch};

use crate::read::encoding::unpack;

/// Bases in a word.
pub const BASES: usize = 32;

/// The lower bit of every base.
pub(crate) const LOWER: u64 = 0x5555_5555_5555_5555;

/// One query, 32 bases a word.
#[derive(Debug, Clone, Copy)]
pub struct PackedQuery<'q> {
    /// The bases; unused bits behind the last one are 0.
    pub words: &'q [u64],
    /// The lower bit of each unknown base, which matches nothing.
    pub unknown: &'q [u64],
    /// The number of bases, without unused ones.
    pub length: usize,
}

/// A packed text without unknown bases.
#[derive(Debug, Clone, Copy)]
pub struct PackedText<'t> {
    /// The bases, 32 a word.
    pub words: &'t [u64],
    /// The number of bases, without unused ones.
    pub length: usize,
}

impl<'t> PackedText<'t> {
    /// The text of an index.
    pub fn of(index: &'t FmIndex) -> Self {
        let reference = index.reference();
        Self { words: reference.packed_text(), length: reference.indexed_len() as usize }
    }

    /// Starts to fetch the first and the last of these positions into the cache; those outside of the text are left out.
    #[inline]
    pub fn prefetch(&self, positions: Range<i64>) {
        for position in [positions.start, positions.end] {
            if let Some(word) =
                usize::try_from(position).ok().and_then(|it| self.words.get(it / BASES))
            {
                prefetch(word);
            }
        }
    }
}

impl PackedQuery<'_> {
    /// Appends the codes of the bases, a byte each.
    pub fn append_codes(self, codes: &mut Vec<u8>) {
        let begin = codes.len();
        codes.resize(begin + self.length, 0);
        unpack([self.words, self.unknown], &mut codes[begin..]);
    }

    /// Whether some base is unknown.
    pub fn has_unknown(&self) -> bool {
        self.unknown.iter().any(|&word| word != 0)
    }

    /// Whether the base at a place is unknown.
    pub fn is_unknown(&self, place: u32) -> bool {
        fetch(self.unknown, place as usize) & 1 != 0
    }
}

/// Compares 32 bases of the query, from `place` on, with those of the text from `position` on: sets the lower bit of
/// each that differs or is unknown.
#[inline]
fn different(query: PackedQuery<'_>, place: usize, text: PackedText<'_>, position: usize) -> u64 {
    let either = fetch(query.words, place) ^ fetch(text.words, position);
    (either | either >> 1) & LOWER | fetch(query.unknown, place)
}

/// The bits of so many bases of a word, or all.
pub(crate) fn first_bases(count: usize) -> u64 {
    if count < BASES { (1 << (2 * count)) - 1 } else { u64::MAX }
}

/// The places of a query, from 0, that differ from the text or are unknown, in ascending order. Position `begin` of the text is
/// opposite the first base of the query, and the text reaches as far as the places.
#[inline]
pub(crate) fn different_places<'q>(
    query: PackedQuery<'q>,
    text: PackedText<'q>,
    begin: usize,
    places: Range<u32>,
) -> impl Iterator<Item = u32> {
    let (mut next, end) = (places.start as usize, places.end as usize);
    let (mut first, mut differences) = (0, 0);
    from_fn(move || {
        while differences == 0 {
            if next >= end {
                return None;
            }
            first = next;
            differences = different(query, first, text, begin + first) & first_bases(end - first);
            next += BASES;
        }
        let place = first as u32 + differences.trailing_zeros() / 2;
        differences &= differences - 1;
        Some(place)
    })
}

/// As [`different_places`], for the places before `end` in descending order.
#[inline]
pub(crate) fn different_places_before<'q>(
    query: PackedQuery<'q>,
    text: PackedText<'q>,
    begin: usize,
    end: u32,
) -> impl Iterator<Item = u32> {
    let (mut first, mut differences) = (end as usize, 0);
    from_fn(move || {
        while differences == 0 {
            let count = BASES.min(first);
            if count == 0 {
                return None;
            }
            first -= count;
            differences = different(query, first, text, begin + first) & first_bases(count);
        }
        let in_word = (u64::BITS - 1 - differences.leading_zeros()) / 2;
        differences ^= 1 << (2 * in_word);
        Some(first as u32 + in_word)
    })
}

/// Number of equal bases to the right: of the query from `place` on and of the text from `position` on; 0 behind the text.
#[inline]
pub fn equal_after(
    query: PackedQuery<'_>,
    place: usize,
    text: PackedText<'_>,
    position: usize,
) -> usize {
    let limit = (query.length - place).min(text.length.saturating_sub(position));
    let mut equal = 0;
    while equal < limit {
        let differences = different(query, place + equal, text, position + equal);
        if differences != 0 {
            return limit.min(equal + differences.trailing_zeros() as usize / 2);
        }
        equal += BASES;
    }
    limit
}

/// Number of equal bases to the left: of the query before `place` and of the text before `position`.
#[inline]
pub fn equal_before(
    query: PackedQuery<'_>,
    place: usize,
    text: PackedText<'_>,
    position: usize,
) -> usize {
    let limit = place.min(position);
    let mut equal = 0;
    while equal < limit {
        let count = BASES.min(limit - equal);
        let (place, position) = (place - equal - count, position - equal - count);
        let differences = different(query, place, text, position) << (2 * (BASES - count));
        if differences != 0 {
            return equal + differences.leading_zeros() as usize / 2;
        }
        equal += count;
    }
    limit
}

/// The only place where a query differs from the text that begins at `position`: `None` if there are several, and
/// `Some(None)` if there is none. The text must have as many bases from there on as the query.
#[inline]
pub fn only_difference(
    query: PackedQuery<'_>,
    text: PackedText<'_>,
    position: usize,
) -> Option<Option<u32>> {
    let mut places = different_places(query, text, position, 0..query.length as u32);
    match (places.next(), places.next()) {
        (None, _) => Some(None),
        (Some(place), None) => Some(Some(place)),
        (Some(_), Some(_)) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::queries::Queries;

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
            let text = PackedText { words: queries.packed(0).words, length: 150 };
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
        let text = PackedText { words: queries.packed(0).words, length: 10 };
        let only = |read: u32| only_difference(queries.packed(2 * read), text, 2);
        assert_eq!([1, 2, 3, 4].map(only), [Some(Some(4)), Some(None), None, Some(Some(0))]);
    }
}
