//! Words that a query and a part of the text have in common, counted along each diagonal.

use std::ops::Range;

use crate::packed::{BASES, Packed, Text, fetch};

/// Bases of a word.
pub const WORD: usize = 8;

/// All words that there are.
const ALL: usize = 1 << (2 * WORD);

/// Words in common on each of some diagonals.
#[derive(Debug, Clone, Default)]
pub struct Common {
    /// How many.
    pub counts: Vec<u32>,
    /// The diagonals that have enough, in any order, by their places in `counts`.
    pub often: Vec<u32>,
}

/// The place of each word of a query: a list for each, through one array.
#[derive(Debug)]
pub struct Words {
    /// Whether a word is in the query, a bit each: small enough to be at hand, and most are not.
    is_there: Vec<u64>,
    /// The last place of each word, from 1; 0 for none.
    last: Vec<u32>,
    /// For each place the one before that has the same word, from 1; 0 for none.
    before: Vec<u32>,
    /// The words that are there.
    own: Vec<u16>,
}

impl Default for Words {
    fn default() -> Self {
        let (is_there, last) = (vec![0; ALL / 64], vec![0; ALL]);
        Self { is_there, last, before: Vec::new(), own: Vec::new() }
    }
}

impl Words {
    /// Forgets the query from before and takes another's words, but for those with bases that match
    /// nothing.
    pub fn take(&mut self, query: Packed<'_>) {
        for word in self.own.drain(..).map(usize::from) {
            self.is_there[word / 64] = 0;
            self.last[word] = 0;
        }
        let places = (query.length + 1).saturating_sub(WORD);
        self.before.clear();
        self.before.resize(places, 0);
        for place in 0..places {
            if fetch(query.unknown, place) as u16 == 0 {
                let own = fetch(query.words, place) as u16;
                let word = usize::from(own);
                self.is_there[word / 64] |= 1 << (word % 64);
                self.before[place] = std::mem::replace(&mut self.last[word], place as u32 + 1);
                self.own.push(own);
            }
        }
    }

    /// How many words the query has in common with the text on each of these diagonals: the positions of
    /// its first base, which may be before the text or so near to its end that the query reaches beyond. From
    /// `enough` words on, at least 1, a diagonal is listed.
    pub fn count(&self, text: Text<'_>, diagonals: Range<i64>, enough: u32, common: &mut Common) {
        let Common { counts, often } = common;
        often.clear();
        counts.clear();
        counts.resize((diagonals.end - diagonals.start).max(0) as usize, 0);
        let Some(most) = self.before.len().checked_sub(1) else { return };
        let end = (diagonals.end + most as i64).min((text.length + 1) as i64 - WORD as i64);
        for first in (diagonals.start.max(0)..end).step_by(BASES + 1 - WORD) {
            let mut bases = fetch(text.words, first as usize);
            for position in first..end.min(first + (BASES + 1 - WORD) as i64) {
                let word = usize::from(bases as u16);
                bases >>= 2;
                if self.is_there[word / 64] >> (word % 64) & 1 == 0 {
                    continue;
                }
                let mut next = self.last[word];
                while next > 0 {
                    let place = next - 1;
                    // Of a diagonal before the first one this is too great a number.
                    let diagonal = (position - i64::from(place) - diagonals.start) as usize;
                    if let Some(count) = counts.get_mut(diagonal) {
                        *count += 1;
                        if *count == enough {
                            often.push(diagonal as u32);
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
    use crate::queries::Queries;

    #[test]
    fn words_in_common_are_counted_on_every_diagonal() {
        let mut words = Words::default();
        let mut common = Common::default();
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
            let text = Text { words: queries.packed(0).words, length };
            words.take(queries.packed(2));
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
            let Common { counts, often } = &mut common;
            assert_eq!(*counts, expected.collect::<Vec<_>>(), "seed {seed}");
            often.sort_unstable();
            let has_enough = |&diagonal: &u32| counts[diagonal as usize] >= enough;
            let expected = (0..counts.len() as u32).filter(has_enough);
            assert_eq!(*often, expected.collect::<Vec<_>>(), "seed {seed}");
        }
    }
}
