//! Seeds: maximal exact matches of a query that are not within one another.
//!
//! A word of a query is a *super-maximal match for `n`* if it occurs at least `n` times in the text and no
//! longer word around it does. Seeds are all super-maximal matches for 1 of at least
//! [`SeedOptions::min_length`] bases; and, because a repeat's copy may be hidden by a better one, for each
//! long and rare one of them those for one occurrence more that contain its middle (the re-seeding of Li,
//! "Aligning sequence reads, clone sequences and assembly contigs with BWA-MEM", 2013).
//!
//! They are found from their ends: going to the left from an end, the index tells the longest word that
//! occurs. If that is shorter than asked for, no word of that length ends before the one that begins
//! where it does, so short matches are skipped, mostly after one look into the table of words (Gagie,
//! "How to find long maximal exact matches and ignore short ones", 2024). Once a word occurs only once,
//! the text itself is compared, which costs one memory access instead of two a base.

use aligner_core::seq::UNKNOWN;
use bytemuck::{Pod, Zeroable};
use fm_index::{FmIndex, Interval, Transforms};

use crate::packed::{Packed, Text, equal_after, equal_before};
use crate::queries::Queries;

/// Which seeds are wanted.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct SeedOptions {
    /// Bases of the shortest seed.
    pub min_length: u32,
    /// Seeds of at least this many bases are looked into again.
    pub split_length: u32,
    /// Unless they occur more often than this.
    pub split_occurrences: u32,
    /// Words that start where the one before ended are seeds once they occur less often than this.
    pub rare: u32,
}

impl Default for SeedOptions {
    fn default() -> Self {
        Self { min_length: 19, split_length: 28, split_occurrences: 10, rare: 20 }
    }
}

/// A word of a query that occurs in the text, as rows of the suffix array.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
pub struct Seed {
    /// Number of the query.
    pub query: u32,
    /// Its first base in the query, from 0.
    pub begin: u16,
    /// Bases.
    pub length: u16,
    /// First row; of a seed that occurs once its position in the indexed text.
    pub first: u32,
    /// Occurrences, at least 1.
    pub size: u32,
}

/// A word with its occurrences.
#[derive(Debug, Clone, Copy)]
enum Found {
    /// Rows.
    Rows(Interval),
    /// The one position in the indexed text.
    At(usize),
}

/// Bases of a word that occurs once from which on the text is compared: shorter ones are likely to end
/// before finding their place would have paid.
pub(crate) const COMPARE_FROM: usize = 16;

/// Finds seeds.
#[derive(Debug, Clone, Copy)]
pub struct Seeder<'i> {
    index: &'i FmIndex,
    transforms: Transforms<'i>,
    text: Text<'i>,
    options: SeedOptions,
}

impl<'i> Seeder<'i> {
    /// For the text of this index.
    pub fn new(index: &'i FmIndex, options: SeedOptions) -> Self {
        let reference = index.reference();
        let text = Text { words: reference.words(), length: reference.indexed_len() as usize };
        Self { index, transforms: index.transforms(), text, options }
    }

    /// Appends the seeds of a query: super-maximal matches for 1 by place, each followed by those that
    /// were found by looking into it again.
    pub fn seeds(&self, queries: &Queries, query: u32, seeds: &mut Vec<Seed>) {
        let word = Word { codes: queries.codes(query), packed: queries.packed(query) };
        if word.codes.len() < self.options.min_length as usize {
            return;
        }
        let first = seeds.len();
        self.matches(word, query, self.options.min_length as usize, word.codes.len(), 1, seeds);
        for number in first..seeds.len() {
            let Seed { begin, length, size, .. } = seeds[number];
            let is_long = u32::from(length) >= self.options.split_length;
            if is_long && size <= self.options.split_occurrences {
                let middle = usize::from(begin) + usize::from(length) / 2;
                self.matches(word, query, middle + 1, middle, size + 1, seeds);
            }
        }
        self.rare(word, query, seeds);
    }

    /// Appends words that follow one another, each as long as it takes to be rare, but for those that occur
    /// only once: these lie in other seeds.
    fn rare(&self, word: Word<'_>, query: u32, seeds: &mut Vec<Seed>) {
        let (table, least) = (self.index.table_length(), self.options.min_length as usize + 1);
        let mut begin = 0;
        while begin + least.max(table) <= word.codes.len() {
            let mut interval = self.index.lookup(&word.codes[begin..begin + table]);
            let mut end = begin + table;
            let is_done = |interval: Interval, end: usize| {
                interval.size < 2 || (end - begin >= least && interval.size < self.options.rare)
            };
            while !is_done(interval, end) && end < word.codes.len() {
                let code = usize::from(word.codes[end]);
                let longer = self.transforms.extend_right(interval);
                interval = longer.get(code).copied().unwrap_or_default();
                end += 1;
            }
            if end - begin >= least && (2..self.options.rare).contains(&interval.size) {
                let (length, first) = ((end - begin) as u16, interval.lo);
                seeds.push(Seed { query, begin: begin as u16, length, first, size: interval.size });
            }
            begin = end.max(begin + least);
        }
    }

    /// Appends super-maximal matches for `least`, by place: those that end at `end` or later and begin
    /// at `last` or earlier.
    fn matches(
        &self,
        word: Word<'_>,
        query: u32,
        end: usize,
        last: usize,
        least: u32,
        seeds: &mut Vec<Seed>,
    ) {
        let min_length = self.options.min_length as usize;
        let mut end = end;
        while end <= word.codes.len() {
            let (begin, found) = self.leftwards(word, end, least);
            if begin > last {
                return;
            }
            if end - begin < min_length {
                // What begins before `begin` ends before `end`.
                end = begin + min_length;
                continue;
            }
            let (to, found) = self.rightwards(word, end, found, least);
            let (first, size) = match found {
                Found::Rows(Interval { lo, size: 1, .. }) => (self.index.locate(lo), 1),
                Found::Rows(interval) => (interval.lo, interval.size),
                Found::At(position) => ((position - (end - begin)) as u32, 1),
            };
            let (begin, length) = (begin as u16, (to - begin) as u16);
            seeds.push(Seed { query, begin, length, first, size });
            end = to + 1;
        }
    }

    /// The longest word that ends at `end` and occurs `least` times: its begin, and what was found, which
    /// is the position of `end` if it is one.
    fn leftwards(&self, word: Word<'_>, end: usize, least: u32) -> (usize, Found) {
        let table = self.index.table_length();
        let looked_up = end.checked_sub(table).map(|begin| {
            let interval = self.index.lookup(&word.codes[begin..end]);
            (begin, interval)
        });
        let (mut begin, mut interval) = match looked_up {
            Some((begin, interval)) if interval.size >= least => (begin, interval),
            _ => (end, self.index.root()),
        };
        while begin > 0 {
            if interval.size == 1 && end - begin >= COMPARE_FROM {
                let position = self.index.locate(interval.lo) as usize;
                let more = equal_before(word.packed, begin, self.text, position);
                return (begin - more, Found::At(position + (end - begin)));
            }
            let code = word.codes[begin - 1];
            if code >= UNKNOWN {
                break;
            }
            let longer = self.transforms.extend_left(interval)[usize::from(code)];
            if longer.size < least {
                break;
            }
            (begin, interval) = (begin - 1, longer);
        }
        (begin, Found::Rows(interval))
    }

    /// The longest continuation behind `end` that occurs `least` times: its end and what was found, which
    /// is still the position of `end` if it is one.
    fn rightwards(&self, word: Word<'_>, end: usize, found: Found, least: u32) -> (usize, Found) {
        let mut interval = match found {
            Found::Rows(interval) => interval,
            Found::At(position) => {
                return (end + equal_after(word.packed, end, self.text, position), found);
            }
        };
        let mut to = end;
        while to < word.codes.len() && word.codes[to] < UNKNOWN {
            let code = usize::from(word.codes[to]);
            let longer = self.transforms.extend_right(interval)[code];
            if longer.size < least {
                break;
            }
            (to, interval) = (to + 1, longer);
        }
        (to, Found::Rows(interval))
    }
}

/// A query's bases.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Word<'q> {
    pub(crate) codes: &'q [u8],
    pub(crate) packed: Packed<'q>,
}
