//! Settling words that cannot be extended further: which of them are seeds, and which words are looked up next. The
//! states of words are drawn in [`growing_word`](super::growing_word), the kinds of seeds defined in
//! [`seeds`](super::seeds).

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use bytemuck::Zeroable;
use fm_index::{Interval, Ranks};

use super::context::SeedSteps;
use super::growing_word::{GrowingWord, WordState};
use crate::read::packed::{equal_after, equal_before};
use crate::seed::seeds::Seed;

/// Outcome of a word that cannot be extended further.
#[derive(Debug, Default)]
pub(super) struct SettledWord {
    /// The seed that it is, if it is one.
    pub(super) seed: Option<Seed>,
    /// The word that its search goes on with: the same word, now to the right, or the next one to look up.
    pub(super) next: Option<GrowingWord>,
}

/// A word that is to be looked up in the table of words.
#[derive(Debug, Clone, Copy)]
pub(super) struct LookedUpWord {
    word: GrowingWord,
    /// The first of the bases that are looked up; `None` if the query has too few.
    begin: Option<u16>,
    /// The entry of these bases; `None` if there are none, or one of them is unknown.
    entry: Option<u32>,
}

impl<R: Ranks> SeedSteps<'_, R> {
    /// The first word of a search: number `2q` is for the matches of query `q`, number `2q + 1` for its rare words. `None`
    /// if the query is too short for a seed.
    pub(super) fn first_word(&self, search: u32) -> Option<GrowingWord> {
        let query = search / 2;
        let length = self.queries.length(query);
        (length >= self.min_length()).then(|| {
            let is_match = search.is_multiple_of(2);
            let state = if is_match { WordState::LookUpMatch } else { WordState::LookUpRare };
            let (end, last_begin) = (self.min_length() as u16, length as u16);
            let word = GrowingWord::zeroed().in_state(state);
            GrowingWord { query, min_occurrences: 1, end, last_begin, ..word }
        })
    }

    /// The bases of a word that are looked up in the table of words; what is read there is prefetched. `None` for a word
    /// that is not to be looked up.
    #[inline(always)]
    pub(super) fn looked_up(&self, word: &GrowingWord) -> Option<LookedUpWord> {
        let length = self.index.table_length();
        let begin = match word.state() {
            WordState::LookUpRare => Some(usize::from(word.begin)),
            WordState::LookUpMatch => usize::from(word.end).checked_sub(length),
            _ => return None,
        };
        let entry = begin.and_then(|begin| {
            let (bases, are_known) = self.queries.bases_from(word.query, begin, length);
            are_known.then(|| self.index.entry_of(bases))
        });
        if let Some(entry) = entry {
            self.index.prefetch_entry(entry);
        }
        let begin = begin.map(|begin| begin as u16);
        Some(LookedUpWord { word: *word, begin, entry: entry.map(|entry| entry as u32) })
    }

    /// A word after its first or last bases are looked up in the table of words. A match whose last bases occur too seldom
    /// starts empty instead.
    #[inline(always)]
    pub(super) fn look_up(
        &self,
        LookedUpWord { word, begin, entry }: &LookedUpWord,
    ) -> GrowingWord {
        let rows = entry.map_or_else(Interval::default, |entry| self.index.entry(entry as usize));
        if word.state() == WordState::LookUpRare {
            let end = word.begin + self.index.table_length() as u16;
            GrowingWord { rows, end, ..word.in_state(WordState::ExtendRare) }
        } else if let &Some(begin) = begin
            && rows.size >= word.min_occurrences
        {
            GrowingWord { rows, begin, ..word.in_state(WordState::ExtendLeft) }
        } else {
            let rows = self.index.root();
            GrowingWord { begin: word.end, rows, ..word.in_state(WordState::ExtendLeft) }
        }
    }

    /// The next word to look up in the search of `word`: a match that ends at `place`, or a rare word that begins
    /// there. `None` if the query has no room for it.
    pub(super) fn next(
        &self,
        word: &GrowingWord,
        state: WordState,
        place: usize,
    ) -> Option<GrowingWord> {
        let length = self.queries.length(word.query);
        let fits = if state == WordState::LookUpRare {
            place + self.index.table_length().max(self.min_length() + 1) <= length
        } else {
            place <= length
        };
        fits.then(|| {
            let word = GrowingWord { steps: 0, ..word.in_state(state) };
            if state == WordState::LookUpRare {
                GrowingWord { begin: place as u16, ..word }
            } else {
                GrowingWord { end: place as u16, ..word }
            }
        })
    }

    /// Decides whether a word that cannot be extended further is a seed, and what its search goes on with. A match
    /// that occurs once is first extended to both sides as far as the text itself is equal.
    pub(super) fn settle(&self, word: &mut GrowingWord) -> SettledWord {
        let (size, min_length) = (word.rows.size, self.min_length());
        let mut first = word.rows.lo;
        if matches!(word.state(), WordState::LocateLeft | WordState::LocateMatch) {
            first = self.position(word);
        }
        if word.state() == WordState::LocateLeft {
            first -= self.extend_left_in_text(word, first);
        }
        let is_long = word.length() >= min_length;
        let is_seed = match word.state() {
            WordState::ExtendLeft | WordState::LocateLeft if word.begin > word.last_begin => {
                return SettledWord::default();
            }
            WordState::ExtendLeft if is_long => {
                let next = Some(word.in_state(WordState::ExtendRight));
                return SettledWord { seed: None, next };
            }
            WordState::LocateLeft if is_long => {
                self.extend_right_in_text(word, first);
                true
            }
            WordState::ExtendRight | WordState::LocateMatch => true,
            WordState::ExtendRare => word.length() > min_length && size > 1 && self.is_rare(word),
            WordState::LookUpMatch
            | WordState::LookUpRare
            | WordState::ExtendLeft
            | WordState::LocateLeft => false,
        };
        let GrowingWord { query, .. } = *word;
        let (begin, end) = (usize::from(word.begin), usize::from(word.end));
        let (state, place) = match word.state() {
            WordState::LookUpMatch => (WordState::LookUpMatch, end),
            WordState::LookUpRare => (WordState::LookUpRare, begin),
            WordState::ExtendRare => (WordState::LookUpRare, end.max(begin + min_length + 1)),
            // The match after a seed ends at least one base later. Words that begin before a too short word end before
            // it does, so the next match begins no earlier than it, and ends at least `min_length` bases after that.
            _ => (WordState::LookUpMatch, if is_seed { end + 1 } else { begin + min_length }),
        };
        let (begin, length) = (word.begin, word.length() as u16);
        let seed = is_seed.then_some(Seed { query, begin, length, first, size });
        SettledWord { seed, next: self.next(word, state, place) }
    }

    /// Extends a word that occurs once, at `position` of the text, to the left as far as the text is equal. Returns
    /// the number of bases.
    fn extend_left_in_text(&self, word: &mut GrowingWord, position: u32) -> u32 {
        let (begin, query) = (usize::from(word.begin), self.queries.packed(word.query));
        let before = equal_before(query, begin, self.text, position as usize);
        word.begin -= before as u16;
        before as u32
    }

    /// Extends a word that occurs once, at `position` of the text, to the right as far as the text is equal.
    fn extend_right_in_text(&self, word: &mut GrowingWord, position: u32) {
        let (end, query) = (usize::from(word.end), self.queries.packed(word.query));
        let position_end = position as usize + word.length();
        word.end += equal_after(query, end, self.text, position_end) as u16;
    }

    /// Whether re-seeding is to split a seed: it is of the first kind ([`seeds`](crate::seed::seeds)), long, and not
    /// frequent.
    pub(super) fn is_split(&self, word: &GrowingWord, seed: &Seed) -> bool {
        let is_first_kind = word.state() != WordState::ExtendRare && word.min_occurrences == 1;
        let is_long = u32::from(seed.length) >= self.options.split_length;
        is_first_kind && is_long && seed.size <= self.options.max_split_occurrences
    }
}

/// The search for matches that contain the middle of a seed and occur more often than it.
pub(super) fn split(word: &GrowingWord, seed: &Seed) -> GrowingWord {
    let middle = seed.begin + seed.length / 2;
    let (min_occurrences, end, last_begin) = (seed.size + 1, middle + 1, middle);
    let word = word.in_state(WordState::LookUpMatch);
    GrowingWord { min_occurrences, end, last_begin, steps: 0, ..word }
}
