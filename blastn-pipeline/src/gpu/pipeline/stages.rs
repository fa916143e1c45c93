//! What the nodes of the pipeline do; `cuda/pipeline.cu` is the same for a GPU.

use std::sync::Arc;

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};

use super::items::{ExtendedSeed, FoundWord, PartialExtension, ChunkSlice, UnalignedSeed, SeedHit};
use crate::query::batch::Batch;
use crate::seed::lookup::{Lookup, LookupHit};
use crate::seed::word_hits::Run;
use crate::sequence::packed;
use crate::ungapped::extension::{Chunk, Extension, Fours};
use crate::ungapped::hits::UngappedHit;

/// Places whose words a thread of [`Seed`] looks up.
pub const LOOKS: u32 = 8;

/// Places of a word in the queries that a thread of [`Widen`] takes.
pub const PLACES: u32 = 2;

/// What all nodes know.
#[derive(Debug)]
pub struct PipelineInputs {
    /// The queries.
    pub batch: Arc<Batch>,
    /// Their words.
    pub lookup: Arc<Lookup>,
    /// ChunkBases that an alignment must have in a row.
    pub word: usize,
    /// How extensions are tried.
    pub fours: Fours,
    /// The database; nothing if a device is to know it.
    pub chunks: Vec<ChunkBases>,
}

/// A chunk of the database.
#[derive(Debug, Clone)]
pub struct ChunkBases {
    /// Four a byte, and 4 bytes to spare.
    pub packed: Vec<u8>,
    /// One a byte.
    pub bases: Vec<u8>,
}

impl ChunkBases {
    /// The first `length` of packed bases.
    pub fn new(packed: &[u8], length: usize) -> Self {
        let mut bases = Vec::new();
        packed::unpack(packed, length, &mut bases);
        let packed = &packed[..length.div_ceil(packed::BASES)];
        Self { packed: [packed, &[0; 4]].concat(), bases }
    }
}

impl PipelineInputs {
    fn chunk(&self, number: u32) -> Chunk<'_> {
        let ChunkBases { packed, bases } = &self.chunks[number as usize];
        Chunk { packed, bases }
    }

    /// A word of a slice, if it is in the queries.
    fn found(&self, slice: ChunkSlice, number: u32) -> Option<FoundWord> {
        let subject = slice.first + number * self.lookup.stride() as u32;
        let places = self.lookup.at(self.chunk(slice.chunk).packed, subject as usize);
        let (start, count) = (places.start as u32, places.len() as u32);
        (count > 0).then_some(FoundWord { chunk: slice.chunk, subject, start, count })
    }

    /// Enough equal bases around the place at `entry` of the table of a word, if it may be tried.
    fn widened(&self, &FoundWord { chunk, subject, .. }: &FoundWord, entry: u32) -> Option<SeedHit> {
        let Self { batch, lookup, word, .. } = self;
        let run = Run { batch, lookup, word: *word, bases: self.chunk(chunk).bases };
        let hit = LookupHit { query: lookup.place(entry), subject };
        let word = run.through(hit)?;
        run.may_be_tried(hit).then(|| SeedHit::new(chunk, word))
    }

    /// A word's alignment, if it scores enough and an extension from before is not likely to pass here.
    fn extended(&self, word: SeedHit) -> Result<ExtendedSeed, UnalignedSeed> {
        let Self { batch, fours, .. } = self;
        let extension = Extension { batch, fours, chunk: self.chunk(word.chunk) };
        if extension.follows(&word.hit(self.word), self.word, WINDOW) {
            return Err(UnalignedSeed::new(word, false));
        }
        let hit = extension.of(&word.hit(self.word)).ok_or(UnalignedSeed::new(word, true))?;
        let UngappedHit { query, subject, length, score, .. } = hit;
        Ok(ExtendedSeed { word, query, subject, length, score })
    }

    /// Pushes what becomes of a word: to [`LONG`] what has more columns than `most`.
    fn push_extended(&self, word: SeedHit, most: Option<usize>, push: &mut Push<'_>) {
        match self.extended(word) {
            Ok(extended) if most.is_some_and(|most| extended.length as usize > most) => {
                push.to(LONG, PartialExtension { word, reached: [0; 8] });
            }
            Ok(extended) => push.to(EXTENDED, extended),
            Err(spent) => push.to(SPENT, spent),
        }
    }
}

/// Columns to each side of a word's beginning that [`Extend`] looks at.
pub const WINDOW: usize = 32;

/// Columns to each side by which [`Lengthen`] extends at most.
pub const MORE: usize = 512;

/// Places of a word that a thread of [`Merged`] takes through all stages: as many as the papers' stages
/// take at all (000, section 3.4.2).
pub const MERGED: u32 = 16;

const ALL_FOUND: Channel<FoundWord> = Channel::new(0, "found", 1);
const ALL_EXTENDED: Channel<ExtendedSeed> = Channel::new(1, "extended", MERGED);
const ALL_SPENT: Channel<UnalignedSeed> = Channel::new(2, "spent", MERGED);

const FOUND: Channel<FoundWord> = Channel::new(0, "found", LOOKS);
const WORDS: Channel<SeedHit> = Channel::new(0, "words", PLACES);
const EXTENDED: Channel<ExtendedSeed> = Channel::new(0, "extended", 1);
const SPENT: Channel<UnalignedSeed> = Channel::new(1, "spent", 1);
const LONG: Channel<PartialExtension> = Channel::new(2, "long", 1);

/// Stage 1: looks up words of the database in the queries' table, [`LOOKS`] a thread.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Seed;

/// Stages 2 and 3: lists the places of a word in the queries, [`PLACES`] a thread, and keeps what is part of enough
/// equal bases in a row, but for hits whose turn never comes, as they are in a row that another one is tried for.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Widen;

/// Stage 4: extends without gaps, but for words that an extension from before is likely to pass: most
/// words of a long alignment. What does not score enough leaves as spent: of a diagonal, it still keeps
/// others from being tried. What is not decided within [`WINDOW`]
/// columns to each side leaves as long.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Extend;

/// Goes on with what does not end within the window: alone, so that lanes with short extensions do not wait for
/// it, and only so far. What was reached travels along on a device; on the CPU an extension begins again.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Lengthen;

/// Ends long extensions, a warp each: its lanes look at many columns at once.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Stretch;

/// All four stages, for the first [`MERGED`] places of a word.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Merged;

impl Stage for Seed {
    type In = ChunkSlice;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Seed";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![FOUND.describe()]
    }

    fn size(&self, slice: &ChunkSlice, _: &Site<'_, (), PipelineInputs>) -> u32 {
        slice.words.div_ceil(LOOKS)
    }

    fn run(&self, slice: &ChunkSlice, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        let first = site.element * LOOKS;
        for number in first..slice.words.min(first + LOOKS) {
            if let Some(found) = site.global.found(*slice, number) {
                push.to(FOUND, found);
            }
        }
    }
}

impl Stage for Widen {
    type In = FoundWord;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Widen";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![WORDS.describe()]
    }

    fn size(&self, found: &FoundWord, _: &Site<'_, (), PipelineInputs>) -> u32 {
        found.count.div_ceil(PLACES)
    }

    fn run(&self, found: &FoundWord, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        let first = site.element * PLACES;
        for place in first..found.count.min(first + PLACES) {
            if let Some(word) = site.global.widened(found, found.start + place) {
                push.to(WORDS, word);
            }
        }
    }
}

impl Stage for Extend {
    type In = SeedHit;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Extend";

    fn channels() -> Vec<ChannelType> {
        vec![EXTENDED.describe(), SPENT.describe(), LONG.describe()]
    }

    fn run(&self, word: &SeedHit, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        site.global.push_extended(*word, Some(WINDOW), push);
    }
}

impl Stage for Lengthen {
    type In = PartialExtension;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Lengthen";

    fn channels() -> Vec<ChannelType> {
        vec![EXTENDED.describe(), SPENT.describe(), LONG.describe()]
    }

    fn run(&self, long: &PartialExtension, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        site.global.push_extended(long.word, Some(MORE), push);
    }
}

impl Stage for Stretch {
    type In = PartialExtension;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Stretch";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: 32 };

    fn channels() -> Vec<ChannelType> {
        vec![EXTENDED.describe(), SPENT.describe()]
    }

    fn run(&self, long: &PartialExtension, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        if site.lane == 0 {
            site.global.push_extended(long.word, None, push);
        }
    }
}

impl Stage for Merged {
    type In = ChunkSlice;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Merged";
    const MAPPING: Mapping = Mapping::Explode;

    fn channels() -> Vec<ChannelType> {
        vec![ALL_FOUND.describe(), ALL_EXTENDED.describe(), ALL_SPENT.describe()]
    }

    fn size(&self, slice: &ChunkSlice, _: &Site<'_, (), PipelineInputs>) -> u32 {
        slice.words
    }

    fn run(&self, slice: &ChunkSlice, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        let context = site.global;
        let Some(found) = context.found(*slice, site.element) else { return };
        let FoundWord { start, count, .. } = found;
        let own = count.min(MERGED);
        for entry in start..start + own {
            let Some(word) = context.widened(&found, entry) else { continue };
            match context.extended(word) {
                Ok(extended) => push.to(ALL_EXTENDED, extended),
                Err(spent) => push.to(ALL_SPENT, spent),
            }
        }
        if count > own {
            push.to(ALL_FOUND, FoundWord { start: start + own, count: count - own, ..found });
        }
    }
}
