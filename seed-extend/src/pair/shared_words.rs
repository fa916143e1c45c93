//! Words that a query and a window of the text have in common, counted along each diagonal.
//!
//! Counting words of 8 bases takes the place of a matrix of the whole window, and ranks several diagonals near which a
//! mate may align ([`crate::pair::rescue`]). The text is fetched 32 bases at a time.

use std::ops::Range;

use fm_index::fetch;

use crate::read::packed::{BASES, PackedQuery, PackedText};

/// Bases of a word.
pub const WORD: usize = 8;

/// Number of different words.
const ALL_WORDS: usize = 1 << (2 * WORD);

/// Number of words that begin among the first bases of a fetch and lie in it as a whole.
const FETCHED_WORDS: usize = BASES + 1 - WORD;

/// Numbers of words in common on consecutive diagonals.
#[derive(Debug, Clone, Default)]
pub struct SharedWords {
    /// Words in common on each diagonal.
    pub counts: Vec<u32>,
    /// Indices in `counts` of the diagonals with enough words, in any order.
    pub candidates: Vec<u32>,
}

/// The words of a query, each with a linked list of its places.
#[derive(Debug)]
pub struct QueryWords {
    /// Whether the query has a word, one bit each: small enough for the fastest cache, and most words are not in it.
    is_there: Box<[u64; ALL_WORDS / 64]>,
    /// Last place of each word in the query, from 1; 0 for a word that the query does not have.
    last: Vec<u32>,
    /// For each place, the place before it that has the same word, from 1; 0 if there is none.
    before: Vec<u32>,
    /// All words of the query, to clear the tables.
    own: Vec<u16>,
}

impl Default for QueryWords {
    fn default() -> Self {
        let (is_there, last) = (Box::new([0; _]), vec![0; ALL_WORDS]);
        Self { is_there, last, before: Vec::new(), own: Vec::new() }
    }
}

impl QueryWords {
    /// Replaces the words by those of another query. Words with an unknown base are left out.
    pub fn set_query(&mut self, query: PackedQuery<'_>) {
        for word in self.own.drain(..).map(usize::from) {
            self.is_there[word / 64] = 0;
            self.last[word] = 0;
        }
        let places = (query.length + 1).saturating_sub(WORD);
        self.before.clear();
        self.before.resize(places, 0);
        for first in (0..places).step_by(FETCHED_WORDS) {
            let (mut bases, mut unknown) = (fetch(query.words, first), fetch(query.unknown, first));
            for place in first..places.min(first + FETCHED_WORDS) {
                if unknown as u16 == 0 {
                    let own = bases as u16;
                    let word = usize::from(own);
                    self.is_there[word / 64] |= 1 << (word % 64);
                    self.before[place] = std::mem::replace(&mut self.last[word], place as u32 + 1);
                    self.own.push(own);
                }
                (bases, unknown) = (bases >> 2, unknown >> 2);
            }
        }
    }

    /// A bit for each word of a fetch, the first in the lowest one: whether the query has the word.
    #[inline]
    fn among(&self, bases: u64) -> u32 {
        (0..FETCHED_WORDS).fold(0, |found, number| {
            let word = usize::from((bases >> (2 * number)) as u16);
            found | ((self.is_there[word / 64] >> (word % 64) & 1) as u32) << number
        })
    }

    /// Counts the words that the query has in common with the text on each of these diagonals, into `shared`. A
    /// diagonal is the position of the query's first base; the query may reach beyond the text on either side.
    /// Diagonals with at least `min_words` words, at least 1, become candidates.
    pub fn count(
        &self,
        text: PackedText<'_>,
        diagonals: Range<i64>,
        min_words: u32,
        shared: &mut SharedWords,
    ) {
        let SharedWords { counts, candidates } = shared;
        candidates.clear();
        counts.clear();
        counts.resize((diagonals.end - diagonals.start).max(0) as usize, 0);
        let Some(last_place) = self.before.len().checked_sub(1) else { return };
        let end = (diagonals.end + last_place as i64).min((text.length + 1) as i64 - WORD as i64);
        for first in (diagonals.start.max(0)..end).step_by(FETCHED_WORDS) {
            let bases = fetch(text.words, first as usize);
            let before_end = FETCHED_WORDS.min((end - first) as usize);
            let mut found = self.among(bases) & ((1 << before_end) - 1);
            while found != 0 {
                let number = found.trailing_zeros();
                found &= found - 1;
                let position = first + i64::from(number);
                let mut next = self.last[usize::from((bases >> (2 * number)) as u16)];
                while next > 0 {
                    let place = next - 1;
                    // A diagonal before the first one wraps to a number that is out of range.
                    let diagonal = (position - i64::from(place) - diagonals.start) as usize;
                    if let Some(count) = counts.get_mut(diagonal) {
                        *count += 1;
                        if *count == min_words {
                            candidates.push(diagonal as u32);
                        }
                    }
                    next = self.before[place as usize];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::queries::Queries;

    #[test]
    fn words_in_common_are_counted_on_every_diagonal() {
        let mut words = QueryWords::default();
        let mut common = SharedWords::default();
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut letters = |length: usize| -> Vec<u8> {
                (0..length).map(|_| *random.choice(b"AAAAAAAAAAAC").unwrap()).collect()
            };
            let length = [130, 7, 100][seed as usize / 8 % 3];
            let text = letters(length);
            let mut read = letters(0);
            let bases = [0, 7, 8, 31, 32, 33, 57, 100][seed as usize % 8];
            read.extend(letters(bases));
            if seed % 3 == 0 && bases > 0 {
                read[bases / 2] = b'N';
            }
            let queries = Queries::new([text.as_slice(), &read]);
            let (codes, text_codes) = (queries.codes(2), queries.codes(0));
            let text = PackedText { words: queries.packed(0).words, length };
            words.set_query(queries.packed(2));
            let (first, end) = [(-110, 140), (-3, 5), (20, 60), (9, 9), (9, 8)][seed as usize % 5];
            let enough = 1 + seed as u32 % 4;
            words.count(text, first..end, enough, &mut common);
            let expected = (first..end).map(|diagonal: i64| {
                let is_common = |&place: &usize| {
                    (place..place + WORD).all(|place| {
                        let position = usize::try_from(diagonal + place as i64).ok();
                        let opposite = position.and_then(|position| text_codes.get(position));
                        codes[place] < 4 && opposite == Some(&codes[place])
                    })
                };
                (0..(bases + 1).saturating_sub(WORD)).filter(is_common).count() as u32
            });
            let SharedWords { counts, candidates } = &mut common;
            assert_eq!(*counts, expected.collect::<Vec<_>>(), "seed {seed}");
            candidates.sort_unstable();
            let has_enough = |&diagonal: &u32| counts[diagonal as usize] >= enough;
            let expected = (0..counts.len() as u32).filter(has_enough);
            assert_eq!(*candidates, expected.collect::<Vec<_>>(), "seed {seed}");
        }
    }
}
