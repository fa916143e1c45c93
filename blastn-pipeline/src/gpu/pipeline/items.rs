//! What goes from node to node.
//!
//! What is in queues behind the first stage, and in sinks, is a multiple of 16 bytes, which a thread reads and
//! writes at once: most of what gathering and scattering take is these accesses.

use bytemuck::{Pod, Zeroable};

use crate::seed::word_hits::WordHit;
use crate::ungapped::hits::UngappedHit;

/// Input: a part of a chunk of the database.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ChunkSlice {
    /// Number of the chunk.
    pub chunk: u32,
    /// The first place whose word is looked up.
    pub first: u32,
    /// Words to look up, at least 1.
    pub words: u32,
}

/// A word of the database that is in a query.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct FoundWord {
    /// Number of the chunk.
    pub chunk: u32,
    /// Its place in the chunk.
    pub subject: u32,
    /// Where its places in the queries begin in the look-up table.
    pub start: u32,
    /// How many there are, at least 1.
    pub count: u32,
}

/// A [`WordHit`] of a chunk, without its end, which its length tells.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct SeedHit {
    /// Number of the chunk.
    pub chunk: u32,
    /// Where it begins in the batch's letters.
    pub query: u32,
    /// Where it begins in the chunk.
    pub subject: u32,
    /// [`WordHit::probe`].
    pub probe: u32,
}

/// A word hit with its ungapped alignment, which scores enough.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct ExtendedSeed {
    /// The word.
    pub word: SeedHit,
    /// Where the alignment begins in the batch's letters.
    pub query: u32,
    /// And in the chunk.
    pub subject: u32,
    /// Its columns.
    pub length: u32,
    /// Its score.
    pub score: i32,
}

/// A word hit without an alignment.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct UnalignedSeed {
    /// The word; [`TRIED`] is added to `probe` if it was extended.
    marked: SeedHit,
}

/// More than any place in a chunk.
const TRIED: u32 = 1 << 31;

/// A word on its way to both sides.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct PartialExtension {
    /// The word.
    pub word: SeedHit,
    /// For a device, what was reached so far.
    pub(super) reached: [u32; 8],
}

impl SeedHit {
    /// A word hit of a chunk.
    pub(super) fn new(chunk: u32, hit: WordHit) -> Self {
        let WordHit { query, subject, probe, .. } = hit;
        Self { chunk, query, subject, probe }
    }

    /// Without its chunk, as a run of `length` bases.
    pub fn hit(self, length: usize) -> WordHit {
        let Self { query, subject, probe, .. } = self;
        WordHit { query, subject, end: subject + length as u32, probe }
    }
}

impl UnalignedSeed {
    /// A word that was extended and did not score enough, or was left to an extension from before.
    pub fn new(word: SeedHit, tried: bool) -> Self {
        let probe = if tried { word.probe | TRIED } else { word.probe };
        Self { marked: SeedHit { probe, ..word } }
    }

    /// Whether it was extended.
    pub fn tried(self) -> bool {
        self.marked.probe & TRIED != 0
    }
}

impl ExtendedSeed {
    /// The alignment.
    pub fn hit(&self) -> UngappedHit {
        let &Self { word, query, subject, length, score } = self;
        let (seed_query, seed_subject) = (word.query, word.subject);
        UngappedHit { query, subject, length, score, seed_query, seed_subject }
    }
}
