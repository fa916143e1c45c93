//! The stages of the application that finds seeds; `cuda/seeds.cu` has the same stages for a GPU.

use aligner_core::device_struct;
use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::Portable;

use super::context::SeedContext;
use super::growing_word::GrowingWord;
use super::settle::split;
use crate::seed::seeds::Seed;

device_struct! {
    /// Input of the application: consecutive searches. Search `2q` is for the matches of query `q`, search `2q + 1`
    /// for its rare words.
    #[derive(PartialEq, Eq)]
    pub struct SeedSearches {
        /// Number of the first search.
        pub first: u32,
        /// Number of consecutive searches.
        pub count: u32,
    }
}

const WORDS: Channel<GrowingWord> = Channel::new(0, "words", 1);
const GROWING: Channel<GrowingWord> = Channel::new(0, "growing", 1);
const GROWN: Channel<GrowingWord> = Channel::new(1, "grown", 1);
const SEEDS: Channel<Seed> = Channel::new(1, "seeds", 1);
const SPLIT: Channel<GrowingWord> = Channel::new(2, "again", 1);

/// Stage that begins each search with its first word.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Begin;

/// Stage that looks words up in the index's table of words.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct LookUp;

/// Stage that extends a word.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Grow;

/// Stage that decides what a word is that cannot be extended further, and which word comes next.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Settle;

impl Stage for Begin {
    type In = SeedSearches;
    type Node = ();
    type Global = SeedContext;
    const NAME: &'static str = "Begin";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![WORDS.describe()]
    }

    fn size(&self, searches: &SeedSearches, _: &Site<'_, (), SeedContext>) -> u32 {
        searches.count
    }

    fn run(&self, searches: &SeedSearches, site: &Site<'_, (), SeedContext>, push: &mut Push<'_>) {
        let search = searches.first + site.element;
        if let Some(word) = site.global.steps(Portable).first_word(search) {
            push.to(WORDS, word);
        }
    }
}

impl Stage for LookUp {
    type In = GrowingWord;
    type Node = ();
    type Global = SeedContext;
    const NAME: &'static str = "LookUp";

    fn channels() -> Vec<ChannelType> {
        vec![GROWING.describe()]
    }

    fn run(&self, word: &GrowingWord, site: &Site<'_, (), SeedContext>, push: &mut Push<'_>) {
        let steps = site.global.steps(Portable);
        let word = steps.looked_up(word).map_or(*word, |word| steps.look_up(&word));
        steps.prefetch_extension(&word);
        push.to(GROWING, word);
    }
}

impl Stage for Grow {
    type In = GrowingWord;
    type Node = ();
    type Global = SeedContext;
    const NAME: &'static str = "Grow";

    fn channels() -> Vec<ChannelType> {
        vec![GROWING.describe(), GROWN.describe()]
    }

    fn run(&self, word: &GrowingWord, site: &Site<'_, (), SeedContext>, push: &mut Push<'_>) {
        let steps = site.global.steps(Portable);
        let mut word = *word;
        // One base a firing: what the next base needs arrives from memory while other words are extended.
        let goes_on = steps.extend(&mut word);
        if goes_on {
            steps.prefetch_extension(&word);
        }
        push.to(if goes_on { GROWING } else { GROWN }, word);
    }
}

impl Stage for Settle {
    type In = GrowingWord;
    type Node = ();
    type Global = SeedContext;
    const NAME: &'static str = "Settle";

    fn channels() -> Vec<ChannelType> {
        vec![WORDS.describe(), SEEDS.describe(), SPLIT.describe()]
    }

    fn run(&self, word: &GrowingWord, site: &Site<'_, (), SeedContext>, push: &mut Push<'_>) {
        let steps = site.global.steps(Portable);
        let mut word = *word;
        let settled = steps.settle(&mut word);
        if let Some(seed) = settled.seed {
            push.to(SEEDS, seed);
            if steps.is_split(&word, &seed) {
                push.to(SPLIT, split(&word, &seed));
            }
        }
        if let Some(next) = settled.next {
            push.to(WORDS, next);
        }
    }
}
