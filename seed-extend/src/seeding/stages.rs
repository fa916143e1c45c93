//! What the nodes do; `cuda/seeds.cu` is the same for a GPU.

use std::sync::Arc;

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};
use fm_index::FmIndex;
use fm_index::gpu::View;

use super::growing::{Growing, Way};
use super::turning::again;
use crate::queries::Queries;
use crate::seeds::{Seed, SeedOptions};

/// Input to [`Begin`]: hunts that follow one another. Hunt `2q` is for the matches of query `q`, hunt
/// `2q + 1` for its rare words.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Hunts {
    /// Number of the first.
    pub first: u32,
    /// How many.
    pub count: u32,
}

/// What all nodes know.
#[derive(Debug)]
pub struct Context {
    /// The index.
    pub index: FmIndex,
    /// The queries; none if a device is to know them.
    pub queries: Arc<Queries>,
    /// Which seeds are wanted.
    pub options: SeedOptions,
}

/// The same as a device sees it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct DeviceContext {
    /// The index, in the device's memory.
    pub index: View,
    /// Addresses of [`Queries::words`], [`Queries::unknown`], [`Queries::word_offsets`] and
    /// [`Queries::offsets`].
    pub queries: [u64; 4],
    /// Which seeds are wanted.
    pub options: SeedOptions,
}

impl Context {
    pub(super) fn min_length(&self) -> usize {
        self.options.min_length as usize
    }
}

const WORDS: Channel<Growing> = Channel::new(0, "words", 1);
const GROWING: Channel<Growing> = Channel::new(0, "growing", 1);
const GROWN: Channel<Growing> = Channel::new(1, "grown", 1);
const SEEDS: Channel<Seed> = Channel::new(1, "seeds", 1);
const AGAIN: Channel<Growing> = Channel::new(2, "again", 1);

/// Begins hunts.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Begin;

/// Looks words up.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct LookUp;

/// Lets a word grow.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Grow;

/// Decides what a word is that grows no further, and which word comes after it.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Turn;

impl Stage for Begin {
    type In = Hunts;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Begin";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![WORDS.describe()]
    }

    fn size(&self, hunts: &Hunts, _: &Site<'_, (), Context>) -> u32 {
        hunts.count
    }

    fn run(&self, hunts: &Hunts, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let hunt = hunts.first + site.element;
        let query = hunt / 2;
        let length = context.queries.codes(query).len();
        if length >= context.min_length() {
            let way = if hunt.is_multiple_of(2) { Way::Match } else { Way::Rare };
            let (end, last) = (context.min_length() as u16, length as u16);
            push.to(WORDS, Growing { query, least: 1, end, last, ..Growing::zeroed().on(way) });
        }
    }
}

impl Stage for LookUp {
    type In = Growing;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "LookUp";

    fn channels() -> Vec<ChannelType> {
        vec![GROWING.describe()]
    }

    fn run(&self, word: &Growing, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let growing = context.look_up(word);
        context.expect_to_grow(&growing);
        push.to(GROWING, growing);
    }
}

impl Stage for Grow {
    type In = Growing;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Grow";

    fn channels() -> Vec<ChannelType> {
        vec![GROWING.describe(), GROWN.describe()]
    }

    fn run(&self, growing: &Growing, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let mut it = *growing;
        // One base: what the next one needs arrives while other words grow.
        let goes_on = context.grow(&mut it);
        if goes_on {
            context.expect_to_grow(&it);
        }
        push.to(if goes_on { GROWING } else { GROWN }, it);
    }
}

impl Stage for Turn {
    type In = Growing;
    type Node = ();
    type Global = Context;
    const NAME: &'static str = "Turn";

    fn channels() -> Vec<ChannelType> {
        vec![WORDS.describe(), SEEDS.describe(), AGAIN.describe()]
    }

    fn run(&self, grown: &Growing, site: &Site<'_, (), Context>, push: &mut Push<'_>) {
        let context = site.global;
        let mut it = *grown;
        let settled = context.settle(&mut it);
        if let Some(seed) = settled.seed {
            push.to(SEEDS, seed);
            if context.is_looked_into_again(&it, &seed) {
                push.to(AGAIN, again(&it, &seed));
            }
        }
        if let Some(next) = settled.next {
            context.expect_to_look_up(&next);
            push.to(WORDS, next);
        }
    }
}
