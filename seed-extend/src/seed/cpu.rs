//! Seeds on the CPU: each thread extends some words in turn.
//!
//! A step of a word takes about twenty nanoseconds, no more than it takes to put the word into a queue and out of it. So
//! the steps of the [application](super::application) follow each other here without queues: what a word needs next
//! arrives from memory while the other words take a step.
//!
//! A few more steps come before a word is looked up. The index knows of words of some bases whether they occur never, once or
//! more often ([`IndexSlices::word_count`](fm_index::IndexSlices::word_count)). If the last bases of a match, or the first
//! ones of a rare word, occur too seldom, so does all that contains them, and the search goes on behind. The bases that lie
//! one or two bases further inside tell the same: on the wrong strand, six in ten of such words occur by chance, and each
//! count takes one access to memory where the look-up and the steps after it take five.

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use std::ops::Range;

use fm_index::fetch;
use fm_index::turns::{Searches, take_turns};

use super::context::{SeedContext, SeedSteps};
use super::growing_word::{GrowingWord, WordState};
use super::seeds::Seed;
use super::settle::split;
use crate::read::packed::BASES;

/// Counts that are read of a word, each a base further inside.
const COUNTS_OF_A_WORD: u8 = 3;

/// The seeds of some queries, sorted, found by the calling thread.
pub fn find(context: &SeedContext, queries: Range<u32>) -> Vec<Seed> {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has these instructions: all that have AVX2 and BMI2 have BMI1, too.
            return unsafe { find_bmi(context, queries) };
        }
    }
    search(context, queries)
}

/// [`find`] with instructions that do without copies of registers, a sixth fewer.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn find_bmi(context: &SeedContext, queries: Range<u32>) -> Vec<Seed> {
    search(context, queries)
}

#[inline(always)]
fn search(context: &SeedContext, queries: Range<u32>) -> Vec<Seed> {
    let mut searches = QuerySearches {
        steps: context.steps(),
        numbers: 2 * queries.start..2 * queries.end,
        splits: Vec::new(),
        seeds: Vec::new(),
    };
    take_turns(&mut searches);
    searches.seeds.sort_unstable();
    searches.seeds
}

/// What the next step does with a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Reads whether its counted bases, this many bases inside of it, occur often enough for it to be looked up.
    Count(u8),
    /// Looks it up.
    LookUp,
    /// Extends it, or steps towards its position.
    Extend,
    /// Decides what it is: it cannot be extended.
    Settle,
}

/// A word of a search.
#[derive(Debug, Clone, Copy)]
struct SearchedWord {
    word: GrowingWord,
    next: Step,
}

/// Searches of some queries, and what they have found.
struct QuerySearches<'c> {
    steps: SeedSteps<'c>,
    /// Numbers of the searches that have not begun.
    numbers: Range<u32>,
    /// First words of searches that split a long seed, which have not begun.
    splits: Vec<GrowingWord>,
    seeds: Vec<Seed>,
}

impl Searches for QuerySearches<'_> {
    type Search = SearchedWord;

    fn next(&mut self) -> Option<SearchedWord> {
        let Self { steps, numbers, splits, .. } = self;
        let word = splits.pop().or_else(|| numbers.find_map(|number| steps.first_word(number)))?;
        Some(SearchedWord { word, next: steps.before_look_up(&word, 0) })
    }

    #[inline(always)]
    fn step(&mut self, SearchedWord { word, next }: &mut SearchedWord) -> bool {
        if *next == Step::Extend {
            if self.steps.extend(word) {
                self.steps.prefetch_extension(word);
                return true;
            }
            if word.state() == WordState::LocateLeft {
                self.steps.prefetch_text(word);
                *next = Step::Settle;
                return true;
            }
            return self.settle(word, next);
        }
        if *next == Step::Settle {
            return self.settle(word, next);
        }
        let Step::Count(inside) = *next else {
            *word = self.steps.look_up(word);
            self.steps.prefetch_extension(word);
            *next = Step::Extend;
            return true;
        };
        if self.steps.is_frequent(word, inside) {
            *next = self.steps.before_look_up(word, inside + 1);
        } else {
            let Some(behind) = self.steps.behind_counted(word, inside) else { return false };
            (*word, *next) = (behind, self.steps.before_look_up(&behind, 0));
        }
        true
    }
}

impl QuerySearches<'_> {
    /// Keeps a word that cannot be extended if it is a seed, and goes on with the next one of its search. Returns whether
    /// there is one.
    fn settle(&mut self, word: &mut GrowingWord, next: &mut Step) -> bool {
        let settled = self.steps.settle(word);
        if let Some(seed) = settled.seed {
            if self.steps.is_split(word, &seed) {
                self.splits.push(split(word, &seed));
            }
            self.seeds.push(seed);
        }
        let Some(following) = settled.next else { return false };
        *word = following;
        *next = if following.state() == WordState::ExtendRight {
            self.steps.prefetch_extension(&following);
            Step::Extend
        } else {
            self.steps.before_look_up(&following, 0)
        };
        true
    }
}

impl SeedSteps<'_> {
    /// The next step of a word that is to be looked up, once counts of its bases up to `inside` of them inside of it are
    /// read; what it reads is prefetched.
    fn before_look_up(&self, word: &GrowingWord, inside: u8) -> Step {
        if inside < COUNTS_OF_A_WORD
            && let Some(start) = self.counted_bases(word, inside)
        {
            let query = self.queries.packed(word.query);
            self.index.prefetch_word_count(fetch(query.words, start));
            Step::Count(inside)
        } else {
            self.prefetch_lookup(word);
            Step::LookUp
        }
    }

    /// Where the bases begin whose count the index knows, of a word that is to be looked up: its last ones, or the first of a
    /// rare word, without the `inside` outermost. `None` if seeds may be so short that they do not contain these.
    fn counted_bases(&self, word: &GrowingWord, inside: u8) -> Option<usize> {
        let length = self.index.counted_length() + usize::from(inside);
        if length > self.min_length() {
            return None;
        }
        match word.state() {
            WordState::LookUpRare => Some(usize::from(word.begin) + usize::from(inside)),
            _ => usize::from(word.end).checked_sub(length),
        }
    }

    /// Whether these bases of a word that is to be looked up occur so often that the word can be one of a seed.
    fn is_frequent(&self, word: &GrowingWord, inside: u8) -> bool {
        let Some(start) = self.counted_bases(word, inside) else { return true };
        let query = self.queries.packed(word.query);
        let unknown = fetch(query.unknown, start) << (2 * (BASES - self.index.counted_length()));
        let is_rare = word.state() == WordState::LookUpRare;
        let least = if is_rare { 2 } else { word.min_occurrences.min(2) };
        unknown == 0 && self.index.word_count(fetch(query.words, start)) >= least
    }

    /// The next word to look up in a search whose word is not frequent.
    fn behind_counted(&self, word: &GrowingWord, inside: u8) -> Option<GrowingWord> {
        let min_length = self.min_length();
        if word.state() == WordState::LookUpRare {
            return self.next(
                word,
                WordState::LookUpRare,
                usize::from(word.begin) + min_length + 1,
            );
        }
        // The longest frequent word that ends here begins behind the first of the counted bases, and as after any word that
        // is too short, the next match begins no earlier.
        let counted = self.index.counted_length() + usize::from(inside);
        let begin = usize::from(word.end) + 1 - counted;
        if begin > usize::from(word.last_begin) {
            return None;
        }
        self.next(word, WordState::LookUpMatch, begin + min_length)
    }
}
