//! Module types of the pipeline: what each node does with an item. `cuda/include/blastn/pipeline/stages.cuh` has the same for
//! a GPU.

use std::sync::Arc;

use aligner_core::stream::{Channel, ChannelType, Mapping, Push, Site, Stage};
use bytemuck::{Pod, Zeroable};

use super::items::{ChunkSlice, ExtendedSeed, FoundWord, PartialExtension, SeedHit, UnalignedSeed};
use crate::query::batch::QueryBatch;
use crate::seed::lookup::{Lookup, LookupHit};
use crate::seed::word_hits::WordWidener;
use crate::sequence::packed;
use crate::ungapped::extension::{ByteScoreTable, ChunkBases, UngappedExtender};
use crate::ungapped::hits::UngappedHit;

/// Words that a thread of [`Seed`] looks up.
pub const LOOKS: u32 = 8;

/// Places of a word in the queries that a thread of [`Widen`] takes. They have the bases around the word in the database in
/// common, which are loaded once. With more than two places, lanes idle where words have few.
pub const PLACES: u32 = 2;

/// Queries, lookup table and chunks that all nodes read.
#[derive(Debug)]
pub struct PipelineInputs {
    /// The batch of queries.
    pub batch: Arc<QueryBatch>,
    /// Lookup table of their words.
    pub lookup: Arc<Lookup>,
    /// Bases that an alignment must have in a row: the option `word_size`.
    pub word_size: usize,
    /// Score table of the quad test: whether an extension by four columns at a time scores enough, as in NCBI's
    /// `s_NuclUngappedExtend`.
    pub byte_scores: ByteScoreTable,
    /// Chunks of the database; empty if a device has them.
    pub chunks: Vec<ChunkSequence>,
}

/// Bases of a chunk of the database.
#[derive(Debug, Clone)]
pub struct ChunkSequence {
    /// Bases, four a byte, and 4 bytes to spare.
    pub packed: Vec<u8>,
    /// Bases, one a byte.
    pub bases: Vec<u8>,
}

impl ChunkSequence {
    /// The first `length` of some bases, which are four a byte.
    pub fn new(packed: &[u8], length: usize) -> Self {
        let mut bases = Vec::new();
        packed::unpack(packed, length, &mut bases);
        let packed = &packed[..length.div_ceil(packed::BASES)];
        Self { packed: [packed, &[0; 4]].concat(), bases }
    }
}

impl PipelineInputs {
    fn chunk(&self, number: u32) -> ChunkBases<'_> {
        let ChunkSequence { packed, bases } = &self.chunks[number as usize];
        ChunkBases { packed, bases }
    }

    /// The `number`-th word of a slice, if the queries have it.
    fn found(&self, slice: ChunkSlice, number: u32) -> Option<FoundWord> {
        let subject = slice.first + number * self.lookup.stride() as u32;
        let places = self.lookup.at(self.chunk(slice.chunk).packed, subject as usize);
        let (start, count) = (places.start as u32, places.len() as u32);
        (count > 0).then_some(FoundWord { chunk: slice.chunk, subject, start, count })
    }

    /// The seed around a word at the place of the queries that `entry` of the lookup table has; nothing if its exact match is
    /// too short, or another hit represents it.
    fn widened(
        &self,
        &FoundWord { chunk, subject, .. }: &FoundWord,
        entry: u32,
    ) -> Option<SeedHit> {
        let Self { batch, lookup, word_size, .. } = self;
        let run =
            WordWidener { batch, lookup, word_size: *word_size, bases: self.chunk(chunk).bases };
        let hit = LookupHit { query: lookup.position(entry), subject };
        let word = run.widen(hit)?;
        run.may_be_extended(hit).then(|| SeedHit::new(chunk, word))
    }

    /// A seed's alignment, if it scores enough and the extension of an earlier seed will probably not pass this one.
    fn extended(&self, seed: SeedHit) -> Result<ExtendedSeed, UnalignedSeed> {
        let Self { batch, byte_scores, .. } = self;
        let extension = UngappedExtender { batch, byte_scores, chunk: self.chunk(seed.chunk) };
        if extension.is_likely_passed(&seed.hit(self.word_size), self.word_size, WINDOW) {
            return Err(UnalignedSeed::new(seed, false));
        }
        let hit =
            extension.extend(&seed.hit(self.word_size)).ok_or(UnalignedSeed::new(seed, true))?;
        let UngappedHit { query, subject, length, score, .. } = hit;
        Ok(ExtendedSeed { seed, query, subject, length, score })
    }

    /// Pushes a seed's alignment, or the seed if it has none; to [`LONG`] an alignment of more columns than `most`.
    fn push_extended(&self, seed: SeedHit, most: Option<usize>, push: &mut Push<'_>) {
        match self.extended(seed) {
            Ok(extended) if most.is_some_and(|most| extended.length as usize > most) => {
                push.to(LONG, PartialExtension::new(seed));
            }
            Ok(extended) => push.to(EXTENDED, extended),
            Err(unaligned) => push.to(UNALIGNED, unaligned),
        }
    }
}

/// Columns to each side of a seed's begin that [`Extend`] compares. Random loads bound that stage, so a seed's 64 columns are
/// loaded once, and kept as a bit each in registers.
pub const WINDOW: usize = 32;

/// Columns to each side by which [`Lengthen`] extends at most.
pub const MORE: usize = 512;

/// Places of a word that a thread of [`Merged`] takes through all stages. The papers' stages take 16 (Cole 2017, 3.4.1), of one
/// word a thread; here a thread has [`LOOKS`] words, as in [`Seed`], and may push at most 32 items.
pub const MERGED: u32 = 4;

const ALL_FOUND: Channel<FoundWord> = Channel::new(0, "found", LOOKS);
const ALL_EXTENDED: Channel<ExtendedSeed> = Channel::new(1, "extended", LOOKS * MERGED);
const ALL_UNALIGNED: Channel<UnalignedSeed> = Channel::new(2, "unaligned", LOOKS * MERGED);

const FOUND: Channel<FoundWord> = Channel::new(0, "found", LOOKS);
const SEEDS: Channel<SeedHit> = Channel::new(0, "words", PLACES);
const EXTENDED: Channel<ExtendedSeed> = Channel::new(0, "extended", 1);
const UNALIGNED: Channel<UnalignedSeed> = Channel::new(1, "unaligned", 1);
const LONG: Channel<PartialExtension> = Channel::new(2, "long", 1);

/// Stage 1: looks up words of the database in the lookup table of the queries, [`LOOKS`] a thread.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Seed;

/// Stages 2 and 3: takes the places of a word in the queries, [`PLACES`] a thread, and keeps those that are part of an exact
/// match of the word size, one for each exact match: its representative hits.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Widen;

/// Stage 4, begun: extends seeds without gaps, but for those that the extension of an earlier seed will probably pass, which are most
/// seeds of a long alignment. Seeds without an alignment leave, too, as they keep later seeds of their diagonals from being
/// extended. Extensions that do not end within [`WINDOW`] columns to each side leave by the channel `long`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Extend;

/// Stage 4, continued: goes on with extensions that do not end within the window, by up to [`MORE`] columns to each side: in a node of its own, so
/// that lanes with short extensions do not wait for them.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Lengthen;

/// Stage 4, ended: ends long extensions, a warp each: every lane scores 16 columns at a time, and prefix sums of totals and maxima tell
/// whether, and where, the score may fall by more than the X-drop. A single lane of one block would extend over an alignment
/// of 10,000 columns for a third of the pipeline's time.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Stretch;

/// All nodes in one, for [`LOOKS`] words a thread, and the first [`MERGED`] places of each.
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
        vec![SEEDS.describe()]
    }

    fn size(&self, found: &FoundWord, _: &Site<'_, (), PipelineInputs>) -> u32 {
        found.count.div_ceil(PLACES)
    }

    fn run(&self, found: &FoundWord, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        let first = site.element * PLACES;
        for place in first..found.count.min(first + PLACES) {
            if let Some(seed) = site.global.widened(found, found.start + place) {
                push.to(SEEDS, seed);
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
        vec![EXTENDED.describe(), UNALIGNED.describe(), LONG.describe()]
    }

    fn run(&self, seed: &SeedHit, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        site.global.push_extended(*seed, Some(WINDOW), push);
    }
}

impl Stage for Lengthen {
    type In = PartialExtension;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Lengthen";

    fn channels() -> Vec<ChannelType> {
        vec![EXTENDED.describe(), UNALIGNED.describe(), LONG.describe()]
    }

    fn run(
        &self,
        long: &PartialExtension,
        site: &Site<'_, (), PipelineInputs>,
        push: &mut Push<'_>,
    ) {
        site.global.push_extended(long.seed, Some(MORE), push);
    }
}

impl Stage for Stretch {
    type In = PartialExtension;
    type Node = ();
    type Global = PipelineInputs;
    const NAME: &'static str = "Stretch";
    const MAPPING: Mapping = Mapping::Each { items: 1, threads: 32 };

    fn channels() -> Vec<ChannelType> {
        vec![EXTENDED.describe(), UNALIGNED.describe()]
    }

    fn run(
        &self,
        long: &PartialExtension,
        site: &Site<'_, (), PipelineInputs>,
        push: &mut Push<'_>,
    ) {
        if site.lane == 0 {
            site.global.push_extended(long.seed, None, push);
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
        vec![ALL_FOUND.describe(), ALL_EXTENDED.describe(), ALL_UNALIGNED.describe()]
    }

    fn size(&self, slice: &ChunkSlice, _: &Site<'_, (), PipelineInputs>) -> u32 {
        slice.words.div_ceil(LOOKS)
    }

    fn run(&self, slice: &ChunkSlice, site: &Site<'_, (), PipelineInputs>, push: &mut Push<'_>) {
        let inputs = site.global;
        let first = site.element * LOOKS;
        for number in first..slice.words.min(first + LOOKS) {
            let Some(found) = inputs.found(*slice, number) else { continue };
            let FoundWord { start, count, .. } = found;
            let own = count.min(MERGED);
            for entry in start..start + own {
                let Some(seed) = inputs.widened(&found, entry) else { continue };
                match inputs.extended(seed) {
                    Ok(extended) => push.to(ALL_EXTENDED, extended),
                    Err(unaligned) => push.to(ALL_UNALIGNED, unaligned),
                }
            }
            if count > own {
                let rest = FoundWord { start: start + own, count: count - own, ..found };
                push.to(ALL_FOUND, rest);
            }
        }
    }
}
