//! Occurrences of words, one or many.

use super::FmIndex;
use super::interval::Interval;
use super::slices::IndexSlices;
use crate::turns::{Searches, take_turns};

impl IndexSlices<'_> {
    /// The interval of a word, or `None`, as [`FmIndex::search`] gives it.
    pub fn search(&self, word: &[u8]) -> Option<Interval> {
        let mut search = WordSearch::new(self, 0, word);
        while search.step(self) {}
        (!search.rows.is_empty()).then_some(search.rows)
    }
}

impl FmIndex {
    /// Interval of a word of codes; `None` if the word does not occur. [`UNKNOWN`](aligner_core::seq::UNKNOWN) occurs nowhere,
    /// and the empty word everywhere.
    pub fn search(&self, word: &[u8]) -> Option<Interval> {
        self.slices().search(word)
    }

    /// Intervals of words of codes, as [`search`](Self::search) gives them, and empty ones of words that do not occur. The
    /// searches take turns.
    pub fn search_all(&self, words: &[&[u8]]) -> Vec<Interval> {
        let found = vec![Interval::default(); words.len()];
        let mut searches = WordSearches { index: self.slices(), words, next: 0, found };
        take_turns(&mut searches);
        searches.found
    }
}

/// The searches for some words.
struct WordSearches<'i, 'w> {
    index: IndexSlices<'i>,
    words: &'w [&'w [u8]],
    /// Number of the next word.
    next: usize,
    /// Interval of each word whose search has ended.
    found: Vec<Interval>,
}

impl<'w> Searches for WordSearches<'_, 'w> {
    type Search = WordSearch<'w>;

    fn next(&mut self) -> Option<WordSearch<'w>> {
        let word = self.words.get(self.next)?;
        let search = WordSearch::new(&self.index, self.next, word);
        self.next += 1;
        Some(search)
    }

    fn step(&mut self, search: &mut WordSearch<'w>) -> bool {
        let goes_on = search.step(&self.index);
        if !goes_on {
            self.found[search.number] = search.rows;
        }
        goes_on
    }
}

/// The search for one word, from its end to its begin.
struct WordSearch<'w> {
    /// Number of the word among those that are sought.
    number: usize,
    /// Bases that are looked up at once, in the first step; none if the word is too short, and after that step.
    looked_up: &'w [u8],
    /// Bases before those, which are put before them one by one.
    rest: &'w [u8],
    /// Interval of the bases behind `rest`, once they are looked up.
    rows: Interval,
}

impl<'w> WordSearch<'w> {
    fn new(index: &IndexSlices<'_>, number: usize, word: &'w [u8]) -> Self {
        let split = word.len().checked_sub(index.table_length());
        let (rest, looked_up) = split.map_or((word, &word[..0]), |split| word.split_at(split));
        if !looked_up.is_empty() {
            index.prefetch_lookup(looked_up);
        }
        Self { number, looked_up, rest, rows: index.root() }
    }

    /// Looks the last bases up, or puts one base before those that are found. Returns whether there are more to put, and the
    /// word may occur.
    #[inline]
    fn step(&mut self, index: &IndexSlices<'_>) -> bool {
        if !self.looked_up.is_empty() {
            self.rows = index.lookup(self.looked_up);
            self.looked_up = &[];
        } else if let Some((&code, rest)) = self.rest.split_last() {
            self.rows = index.extend_by_any(true, code, self.rows);
            self.rest = rest;
        }
        if self.rows.is_empty() {
            self.rows = Interval::default();
            return false;
        }
        let goes_on = !self.rest.is_empty();
        if goes_on {
            index.prefetch(true, self.rows);
        }
        goes_on
    }
}
