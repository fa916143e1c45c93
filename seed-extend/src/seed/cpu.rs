//! Seeds on the CPU: each thread extends some words in turn.
//!
//! A step of a word takes about twenty nanoseconds, no more than it takes to put the word into a queue and out of it. So
//! the steps of the [application](super::application) follow each other here without queues: what a word needs next
//! arrives from memory while the other words take a step.

use std::ops::Range;

use super::context::{SeedContext, SeedSteps};
use super::growing_word::{GrowingWord, WordState};
use super::seeds::Seed;
use super::settle::split;

/// Words that a thread extends in turn. Their waits for memory overlap.
const WORDS_IN_TURN: usize = 32;

/// The seeds of some queries, sorted, found by the calling thread.
pub fn find(context: &SeedContext, queries: Range<u32>) -> Vec<Seed> {
    let mut searches = Searches {
        steps: context.steps(),
        numbers: 2 * queries.start..2 * queries.end,
        splits: Vec::new(),
        seeds: Vec::new(),
    };
    let mut words = Vec::with_capacity(WORDS_IN_TURN);
    while words.len() < WORDS_IN_TURN
        && let Some(word) = searches.next_word()
    {
        words.push(word);
    }
    while !words.is_empty() {
        let mut number = 0;
        while let Some(word) = words.get_mut(number) {
            if let Some(next) = searches.step(*word).or_else(|| searches.next_word()) {
                *word = next;
                number += 1;
            } else {
                words.swap_remove(number);
            }
        }
    }
    searches.seeds.sort_unstable();
    searches.seeds
}

/// Searches of some queries, and what they have found.
struct Searches<'c> {
    steps: SeedSteps<'c>,
    /// Numbers of the searches that have not begun.
    numbers: Range<u32>,
    /// First words of searches that split a long seed, which have not begun.
    splits: Vec<GrowingWord>,
    seeds: Vec<Seed>,
}

impl Searches<'_> {
    /// The first word of a search that has not begun; `None` if there is none.
    fn next_word(&mut self) -> Option<GrowingWord> {
        let Self { steps, numbers, splits, .. } = self;
        let word = splits.pop().or_else(|| numbers.find_map(|number| steps.first_word(number)))?;
        steps.prefetch_lookup(&word);
        Some(word)
    }

    /// Takes one step of a word. Returns the word that its search goes on with; `None` if the search ends.
    #[inline]
    fn step(&mut self, mut word: GrowingWord) -> Option<GrowingWord> {
        let steps = &self.steps;
        let is_looked_up = matches!(word.state(), WordState::LookUpMatch | WordState::LookUpRare);
        if is_looked_up {
            word = steps.look_up(&word);
        }
        if is_looked_up || steps.extend(&mut word) {
            steps.prefetch_extension(&word);
            return Some(word);
        }
        let settled = steps.settle(&mut word);
        if let Some(seed) = settled.seed {
            if steps.is_split(&word, &seed) {
                self.splits.push(split(&word, &seed));
            }
            self.seeds.push(seed);
        }
        let next = settled.next?;
        if next.state() == WordState::ExtendRight {
            steps.prefetch_extension(&next);
        } else {
            steps.prefetch_lookup(&next);
        }
        Some(next)
    }
}
