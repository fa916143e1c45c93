//! Seeds on the CPU: each thread has some searches in hand, whose words are in a list for each kind of step.
//!
//! | list | a step of its words | where they go |
//! |---|---|---|
//! | counted | reads whether some of its bases occur often enough | counted again, looked up, or the next word |
//! | looked up | reads the rows of its first or last bases | left, or rare |
//! | left | one base more to the left | settled; located if it occurs once |
//! | right | one base more to the right | settled; located if it occurs once |
//! | rare | one base more of a rare word | settled |
//! | located | one base towards a sampled position | settled, or compared |
//! | compared | is compared with the text | settled |
//!
//! A word that is settled is a seed or none, and gives place to the next word of its search: a counted one, or the same
//! word to the right. The states of words are drawn in [`growing_word`](super::growing_word).
//!
//! A round takes one step with each word in hand, list after list. What a word's next step reads arrives from memory
//! while the others take theirs; and since all words of a list take the same kind of step, the processor foresees which
//! instructions come next, as the lanes of a warp have them in common on a GPU ([application](super::application)).
//!
//! A few more steps come before a word is looked up. The index knows of words of some bases whether they occur never, once or
//! more often ([`IndexSlices::word_count`](fm_index::IndexSlices::word_count)). If the last bases of a match, or the first
//! ones of a rare word, occur too seldom, so does all that contains them, and the search goes on behind. The bases that lie
//! one or two bases further inside tell the same: on the wrong strand, six in ten of such words occur by chance, and each
//! count takes one access to memory where the look-up and the steps after it take five.

// Steps of searches are inlined into the loop that is compiled for a kind of processor.
#![allow(clippy::inline_always)]

use std::mem;
use std::ops::Range;

#[cfg(target_arch = "x86_64")]
use fm_index::Avx512;
use fm_index::{Portable, Ranks};

use super::context::{SeedContext, SeedSteps};
use super::growing_word::{GrowingWord, WordState};
use super::seeds::Seed;
use super::settle::{LookedUpWord, split};

/// Searches in hand: enough for the memory of a processor to be busy all the time.
const IN_HAND: usize = 64;

/// Counts that are read of a word, each a base further inside.
const COUNTS_OF_A_WORD: u8 = 3;

/// The seeds of some queries, sorted, found by the calling thread.
pub fn find(context: &SeedContext, queries: Range<u32>) -> Vec<Seed> {
    #[cfg(target_arch = "x86_64")]
    {
        if let Some(ranks) = Avx512::detect() {
            #[allow(unsafe_code)]
            // SAFETY: the processor has the instructions, since there are such ranks.
            return unsafe { find_avx512(context, ranks, queries) };
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has these instructions: all that have AVX2 and BMI2 have BMI1, too.
            return unsafe { find_bmi(context, queries) };
        }
    }
    search(context, Portable, queries)
}

/// [`find`] with instructions that do without copies of registers, a sixth fewer.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn find_bmi(context: &SeedContext, queries: Range<u32>) -> Vec<Seed> {
    search(context, Portable, queries)
}

/// [`find`] with ranks that are counted in registers of 64 bytes.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,avx2,bmi1,bmi2,popcnt")]
fn find_avx512(context: &SeedContext, ranks: Avx512, queries: Range<u32>) -> Vec<Seed> {
    search(context, ranks, queries)
}

#[inline(always)]
fn search(context: &SeedContext, ranks: impl Ranks, queries: Range<u32>) -> Vec<Seed> {
    let mut searches = QuerySearches {
        steps: context.steps(ranks),
        numbers: 2 * queries.start..2 * queries.end,
        splits: Vec::new(),
        seeds: Vec::new(),
        in_hand: 0,
        counted: Vec::new(),
        looked_up: Vec::new(),
        left: Vec::new(),
        right: Vec::new(),
        rare: Vec::new(),
        located: Vec::new(),
        compared: Vec::new(),
    };
    while searches.take_round() {}
    searches.seeds.sort_unstable();
    searches.seeds
}

/// A word that is to be looked up, unless some of its bases occur too seldom.
#[derive(Debug)]
struct CountedWord {
    word: GrowingWord,
    /// How far inside of the word its counted bases are.
    inside: u8,
    /// The counted bases, and others behind them.
    bases: u64,
    /// Whether the counted bases are known.
    are_known: bool,
}

/// Searches of some queries, and what they have found.
struct QuerySearches<'c, R> {
    steps: SeedSteps<'c, R>,
    /// Numbers of the searches that have not begun.
    numbers: Range<u32>,
    /// First words of searches that split a long seed, which have not begun.
    splits: Vec<GrowingWord>,
    seeds: Vec<Seed>,
    /// Searches that have begun and not ended. Each has a word in one of these lists, by the word's next step.
    in_hand: usize,
    counted: Vec<CountedWord>,
    looked_up: Vec<LookedUpWord>,
    left: Vec<GrowingWord>,
    right: Vec<GrowingWord>,
    rare: Vec<GrowingWord>,
    located: Vec<GrowingWord>,
    compared: Vec<GrowingWord>,
}

impl<'c, R: Ranks> QuerySearches<'c, R> {
    /// Takes a step with each word in hand. Returns whether there is any.
    #[inline(always)]
    fn take_round(&mut self) -> bool {
        // A word that goes from one list to another waits for memory, so its next step is of the next round.
        self.compare();
        self.grow(|it| &mut it.located, true, SeedSteps::step_to_position);
        self.grow(|it| &mut it.right, false, SeedSteps::extend_right);
        self.grow(|it| &mut it.rare, false, SeedSteps::extend_rare);
        self.grow(|it| &mut it.left, true, SeedSteps::extend_left);
        self.look_up();
        self.count();
        self.begin_searches();
        self.in_hand > 0
    }

    #[inline(always)]
    fn begin_searches(&mut self) {
        while self.in_hand < IN_HAND {
            let Self { steps, numbers, splits, .. } = self;
            let first = splits.pop().or_else(|| numbers.find_map(|it| steps.first_word(it)));
            let Some(word) = first else { return };
            self.in_hand += 1;
            self.begin_word(word);
        }
    }

    /// Takes a word that is to be looked up in hand.
    #[inline(always)]
    fn begin_word(&mut self, word: GrowingWord) {
        match self.steps.counted(word, 0) {
            Some(word) => self.counted.push(word),
            None => self.begin_look_up(word),
        }
    }

    #[inline(always)]
    fn begin_look_up(&mut self, word: GrowingWord) {
        self.looked_up.extend(self.steps.looked_up(&word));
    }

    #[inline(always)]
    fn count(&mut self) {
        let mut place = 0;
        while let Some(counted) = self.counted.get_mut(place) {
            let &mut CountedWord { word, inside, .. } = counted;
            let next = if self.steps.is_frequent(counted) {
                Some((word, inside + 1))
            } else {
                self.steps.behind_counted(&word, inside).map(|behind| (behind, 0))
            };
            if let Some((word, inside)) = next {
                if let Some(next) = self.steps.counted(word, inside) {
                    *counted = next;
                    place += 1;
                    continue;
                }
                self.begin_look_up(word);
            } else {
                self.in_hand -= 1;
            }
            self.counted.swap_remove(place);
        }
    }

    #[inline(always)]
    fn look_up(&mut self) {
        while let Some(word) = self.looked_up.pop() {
            let word = self.steps.look_up(&word);
            self.steps.prefetch_extension(&word);
            if word.state() == WordState::ExtendRare {
                self.rare.push(word);
            } else {
                self.left.push(word);
            }
        }
    }

    /// Takes a step with each word of a list, whose steps read the index as extending a word to the left does, or to the
    /// right. A word that goes on in another state is to be located.
    #[inline(always)]
    fn grow(
        &mut self,
        list: impl Fn(&mut Self) -> &mut Vec<GrowingWord>,
        to_left: bool,
        step: impl Fn(&SeedSteps<'c, R>, &mut GrowingWord) -> bool,
    ) {
        let mut words = mem::take(list(self));
        let mut place = 0;
        while let Some(word) = words.get_mut(place) {
            let before = word.state;
            let goes_on = step(&self.steps, word);
            if goes_on && word.state == before {
                self.steps.prefetch(to_left, word);
                place += 1;
                continue;
            }
            let word = words.swap_remove(place);
            if goes_on {
                self.steps.prefetch(true, &word);
                self.located.push(word);
            } else {
                self.end(word);
            }
        }
        mem::swap(list(self), &mut words);
        list(self).append(&mut words);
    }

    #[inline(always)]
    fn compare(&mut self) {
        while let Some(word) = self.compared.pop() {
            self.settle(word);
        }
    }

    /// Settles a word that cannot be extended, once the text that it is compared with has arrived.
    #[inline(always)]
    fn end(&mut self, word: GrowingWord) {
        if word.state() == WordState::LocateLeft {
            self.steps.prefetch_text(&word);
            self.compared.push(word);
        } else {
            self.settle(word);
        }
    }

    /// Keeps a word that cannot be extended if it is a seed, and goes on with the next one of its search.
    fn settle(&mut self, mut word: GrowingWord) {
        let settled = self.steps.settle(&mut word);
        if let Some(seed) = settled.seed {
            if self.steps.is_split(&word, &seed) {
                self.splits.push(split(&word, &seed));
            }
            self.seeds.push(seed);
        }
        match settled.next {
            Some(next) if next.state() == WordState::ExtendRight => {
                self.steps.prefetch(false, &next);
                self.right.push(next);
            }
            Some(next) => self.begin_word(next),
            None => self.in_hand -= 1,
        }
    }
}

impl<R: Ranks> SeedSteps<'_, R> {
    /// A word whose bases that lie `inside` bases inside of it are to be counted; the count is prefetched. `None` if the
    /// word is to be looked up without.
    #[inline(always)]
    fn counted(&self, word: GrowingWord, inside: u8) -> Option<CountedWord> {
        if inside == COUNTS_OF_A_WORD {
            return None;
        }
        let place = self.counted_bases(&word, inside)?;
        let length = self.index.counted_length();
        let (bases, are_known) = self.queries.bases_from(word.query, place, length);
        self.index.prefetch_word_count(bases);
        Some(CountedWord { word, inside, bases, are_known })
    }

    /// Where the bases begin whose count the index knows, of a word that is to be looked up: its last ones, or the first of a
    /// rare word, without the `inside` outermost. `None` if seeds may be so short that they do not contain these.
    #[inline(always)]
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

    /// Whether the counted bases of a word occur so often that the word can be one of a seed.
    #[inline(always)]
    fn is_frequent(&self, counted: &CountedWord) -> bool {
        let CountedWord { word, bases, are_known, .. } = counted;
        let is_rare = word.state() == WordState::LookUpRare;
        let least = if is_rare { 2 } else { word.min_occurrences.min(2) };
        *are_known && self.index.word_count(*bases) >= least
    }

    /// The next word to look up in a search whose word is not frequent.
    #[inline(always)]
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fm_index::{BuildOptions, FmIndex, Reference};

    use super::*;
    use crate::read::queries::Queries;
    use crate::seed::seeds::SeedOptions;

    /// Seeds are those that every processor finds, whatever instructions this one has.
    #[test]
    fn seeds_do_not_depend_on_the_processor() {
        let mut seeds = 0;
        for seed in 0..20 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut letters: Vec<u8> = (0..3000).map(|_| b"ACGT"[random.usize(..4)]).collect();
            // Copies with differences.
            for _ in 0..5 {
                let mut copy = letters[random.usize(..2000)..][..800].to_vec();
                copy[random.usize(..800)] = b'C';
                letters.extend(copy);
            }
            let reads: Vec<Vec<u8>> = (0..50)
                .map(|_| {
                    let mut read = letters[random.usize(..letters.len() - 150)..][..150].to_vec();
                    for _ in 0..random.usize(..4) {
                        read[random.usize(..150)] = b"ACGTN"[random.usize(..5)];
                    }
                    read
                })
                .collect();
            let text = String::from_utf8(letters).unwrap();
            let reference = Reference::from_records([("t", &text)]).unwrap();
            let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
            let queries = Arc::new(Queries::new(reads.iter().map(Vec::as_slice)));
            let context = SeedContext { index, queries, options: SeedOptions::default() };
            let found = find(&context, 0..100);
            assert_eq!(found, search(&context, Portable, 0..100), "seed {seed}");
            seeds += found.len();
        }
        assert!(seeds > 2000, "{seeds}");
    }
}
