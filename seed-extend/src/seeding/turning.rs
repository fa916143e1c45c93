//! Words that grow no further: what they are, and which ones are looked up next.

use fm_index::Interval;

use super::growing::{Growing, Way};
use super::stages::Context;
use crate::packed::{Text, equal_after, equal_before};
use crate::seeds::Seed;

/// What comes of a word that grows no further.
#[derive(Debug, Default)]
pub(super) struct Settled {
    /// What it is, if it is one.
    pub(super) seed: Option<Seed>,
    /// What its hunt goes on with: the same word to the right, or the next one, which is to be looked up.
    pub(super) next: Option<Growing>,
}

impl Context {
    /// A word that is to be looked up, as it begins to grow; others as they are. Of one to the left only the
    /// last bases are looked up, and none of them if they do not occur often enough.
    pub(super) fn look_up(&self, it: &Growing) -> Growing {
        let Some((begin, word)) = self.word_of_table(it) else { return *it };
        let rows = if word.is_empty() { Interval::default() } else { self.index.lookup(word) };
        if it.way() == Way::Rare {
            let end = begin + word.len();
            Growing { end: end as u16, rows, ..it.on(Way::Rarer) }
        } else if rows.size >= it.least {
            Growing { begin: begin as u16, rows, ..it.on(Way::Left) }
        } else {
            Growing { begin: it.end, rows: self.index.root(), ..it.on(Way::Left) }
        }
    }

    /// What is looked up of a word, and where it begins; nothing of a match that is too short.
    fn word_of_table(&self, it: &Growing) -> Option<(usize, &[u8])> {
        let (codes, table) = (self.queries.codes(it.query), self.index.table_length());
        let begin = match it.way() {
            Way::Rare => Some(usize::from(it.begin)),
            Way::Match => usize::from(it.end).checked_sub(table),
            _ => return None,
        };
        Some(begin.map_or((0, &[]), |begin| (begin, &codes[begin..begin + table])))
    }

    /// Tells the processor that a word is soon to be looked up.
    pub(super) fn expect_to_look_up(&self, it: &Growing) {
        if let Some((_, word)) = self.word_of_table(it).filter(|(_, word)| !word.is_empty()) {
            self.index.prefetch_lookup(word);
        }
    }

    /// Whether the query has room for a word that is to be looked up: a match that ends at `place`, or a
    /// rare word that begins there.
    fn next(&self, it: &Growing, way: Way, place: usize) -> Option<Growing> {
        let length = self.queries.codes(it.query).len();
        let fits = if way == Way::Rare {
            place + self.index.table_length().max(self.min_length() + 1) <= length
        } else {
            place <= length
        };
        fits.then(|| {
            let (it, place) = (Growing { steps: 0, ..it.on(way) }, place as u16);
            if way == Way::Rare {
                Growing { begin: place, ..it }
            } else {
                Growing { end: place, ..it }
            }
        })
    }

    /// What comes of a word. Where a match occurs once, the text tells how far it reaches, to both sides,
    /// and it grows so far.
    pub(super) fn settle(&self, it: &mut Growing) -> Settled {
        let (size, min_length) = (it.rows.size, self.min_length());
        let mut first = it.rows.lo;
        if matches!(it.way(), Way::Unique | Way::Matched) {
            first = self.place(it);
        }
        if it.way() == Way::Unique {
            first -= self.grow_left(it, first);
        }
        let is_long = it.length() >= min_length;
        let is_seed = match it.way() {
            Way::Left | Way::Unique if it.begin > it.last => return Settled::default(),
            Way::Left if is_long => {
                return Settled { seed: None, next: Some(it.on(Way::Right)) };
            }
            Way::Unique if is_long => {
                self.grow_right(it, first);
                true
            }
            Way::Right | Way::Matched => true,
            Way::Rarer => it.length() > min_length && size > 1 && self.is_rare(it),
            Way::Match | Way::Rare | Way::Left | Way::Unique => false,
        };
        let Growing { query, .. } = *it;
        let (begin, end) = (usize::from(it.begin), usize::from(it.end));
        let (way, place) = match it.way() {
            Way::Match => (Way::Match, end),
            Way::Rare => (Way::Rare, begin),
            Way::Rarer => (Way::Rare, end.max(begin + min_length + 1)),
            // What begins before a short word ends before it.
            _ => (Way::Match, if is_seed { end + 1 } else { begin + min_length }),
        };
        let (begin, length) = (it.begin, it.length() as u16);
        let seed = is_seed.then_some(Seed { query, begin, length, first, size });
        Settled { seed, next: self.next(it, way, place) }
    }

    /// Lets a word that occurs at a position of the text, and only there, grow to the left as far as the
    /// text is equal, and by how many bases.
    fn grow_left(&self, it: &mut Growing, position: u32) -> u32 {
        let (begin, query) = (usize::from(it.begin), self.queries.packed(it.query));
        let before = equal_before(query, begin, Text::of(&self.index), position as usize);
        it.begin -= before as u16;
        before as u32
    }

    /// The same to the right.
    fn grow_right(&self, it: &mut Growing, position: u32) {
        let (end, query) = (usize::from(it.end), self.queries.packed(it.query));
        let place = position as usize + it.length();
        it.end += equal_after(query, end, Text::of(&self.index), place) as u16;
    }

    pub(super) fn is_looked_into_again(&self, it: &Growing, seed: &Seed) -> bool {
        let is_match = it.way() != Way::Rarer && it.least == 1;
        let is_long = u32::from(seed.length) >= self.options.split_length;
        is_match && is_long && seed.size <= self.options.split_occurrences
    }
}

/// A hunt for matches that contain the middle of a seed and occur more often.
pub(super) fn again(it: &Growing, seed: &Seed) -> Growing {
    let middle = seed.begin + seed.length / 2;
    let (least, end, last) = (seed.size + 1, middle + 1, middle);
    Growing { least, end, last, steps: 0, ..it.on(Way::Match) }
}
