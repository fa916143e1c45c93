//! Extending a word by one base.

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use fm_index::{Interval, Ranks};

use super::context::SeedSteps;
use super::growing_word::{GrowingWord, WordState};
use crate::read::packed::BASES;

/// Bases from which on a word that occurs once is compared with the text. Shorter words are likely to end before it
/// pays to find their position.
const COMPARE_FROM: usize = 16;

impl<R: Ranks> SeedSteps<'_, R> {
    /// Extends a word by one base on its side, or takes one step towards its position. Returns whether the word is to
    /// be extended further.
    pub(super) fn extend(&self, word: &mut GrowingWord) -> bool {
        match word.state() {
            WordState::ExtendLeft => self.extend_left(word),
            WordState::ExtendRight => self.extend_right(word),
            WordState::ExtendRare => self.extend_rare(word),
            WordState::LocateLeft | WordState::LocateMatch => self.step_to_position(word),
            WordState::LookUpMatch | WordState::LookUpRare => false,
        }
    }

    /// Extends the longest word that ends somewhere, unless its position is to be sought.
    #[inline(always)]
    pub(super) fn extend_left(&self, word: &mut GrowingWord) -> bool {
        if word.rows.size == 1 && word.length() >= COMPARE_FROM {
            *word = word.in_state(WordState::LocateLeft);
            return self.step_to_position(word);
        }
        let Some(place) = word.begin.checked_sub(1) else { return false };
        let longer = self.longer(word, place);
        let occurs = longer.size >= word.min_occurrences;
        if occurs {
            word.rows = longer;
            word.begin = place;
        }
        occurs
    }

    /// Extends a match that begins somewhere.
    #[inline(always)]
    pub(super) fn extend_right(&self, word: &mut GrowingWord) -> bool {
        let longer = self.longer(word, word.end);
        let occurs = longer.size >= word.min_occurrences;
        if occurs {
            word.rows = longer;
            word.end += 1;
        } else if word.rows.size == 1 {
            *word = word.in_state(WordState::LocateMatch);
            return true;
        }
        occurs
    }

    /// Extends a rare word.
    #[inline(always)]
    pub(super) fn extend_rare(&self, word: &mut GrowingWord) -> bool {
        let is_done = word.length() > self.min_length() && self.is_rare(word);
        let at_end = usize::from(word.end) == self.queries.length(word.query);
        if word.rows.size < 2 || is_done || at_end {
            return false;
        }
        word.rows = self.longer(word, word.end);
        word.end += 1;
        true
    }

    /// Rows of a word with the base of its query at `place`, which is directly before or behind it. Empty if there is
    /// no such base or it is unknown.
    #[inline(always)]
    fn longer(&self, word: &GrowingWord, place: u16) -> Interval {
        match self.queries.code(word.query, usize::from(place)) {
            Some(code) => self.index.extend_by_any(place < word.begin, code, word.rows),
            None => Interval::default(),
        }
    }

    /// Puts one more base of the text before a word that occurs once, unless the index has a sampled position for its
    /// row. Returns whether it did.
    #[inline(always)]
    pub(super) fn step_to_position(&self, word: &mut GrowingWord) -> bool {
        // No way is longer than the text, unless the index contradicts itself: it then goes in a circle.
        if self.index.prefetch_if_sampled(word.rows.lo) || word.steps > self.index.rows() {
            return false;
        }
        word.rows.lo = self.index.previous(word.rows.lo);
        word.steps += 1;
        true
    }

    /// Position in the text of a word whose row has a sampled position.
    pub(super) fn position(&self, word: &GrowingWord) -> u32 {
        let sampled = self.index.sampled_position(word.rows.lo);
        sampled.map_or(0, |position| self.index.stepped(position, word.steps))
    }

    /// Prefetches the text on both sides of a word whose row has a sampled position.
    pub(super) fn prefetch_text(&self, word: &GrowingWord) {
        let begin = i64::from(self.position(word));
        let end = begin + word.length() as i64;
        self.text.prefetch(begin - BASES as i64..end + BASES as i64);
    }

    /// Prefetches what extending a word will read from the index.
    #[inline(always)]
    pub(super) fn prefetch_extension(&self, word: &GrowingWord) {
        let is_rightward = matches!(word.state(), WordState::ExtendRight | WordState::ExtendRare);
        self.prefetch(!is_rightward, word);
    }

    /// Prefetches what extending a word to one side will read from the index.
    #[inline(always)]
    pub(super) fn prefetch(&self, to_left: bool, word: &GrowingWord) {
        self.index.prefetch(to_left, word.rows);
    }

    /// Whether a word occurs seldom enough for a seed of the third kind.
    pub(super) fn is_rare(&self, word: &GrowingWord) -> bool {
        word.rows.size < self.options.rare_occurrences
    }
}
