//! What goes from node to node.

use bytemuck::{Pod, Zeroable};

use crate::ungapped::UngappedHit;
use crate::words::WordHit;

/// Input: a part of a chunk of the database.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct Slice {
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
pub struct Found {
    /// Number of the chunk.
    pub chunk: u32,
    /// Its place in the chunk.
    pub subject: u32,
    /// Where its places in the queries begin in the look-up table.
    pub start: u32,
    /// How many there are, at least 1.
    pub count: u32,
}

/// A word of the database with one of its places in the queries.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Hit {
    /// Number of the chunk.
    pub chunk: u32,
    /// Place in the batch's letters.
    pub query: u32,
    /// Place in the chunk.
    pub subject: u32,
}

/// A [`WordHit`] of a chunk.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct Word {
    /// Number of the chunk.
    pub chunk: u32,
    /// Where it begins in the batch's letters.
    pub query: u32,
    /// Where it begins in the chunk.
    pub subject: u32,
    /// Where it ends in the chunk.
    pub end: u32,
    /// [`WordHit::probe`].
    pub probe: u32,
}

/// A word hit with its ungapped alignment, which scores enough.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
pub struct Extended {
    /// The word.
    pub word: Word,
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
pub struct Spent {
    /// The word.
    pub word: Word,
    /// 1 if it was extended and did not score enough, 0 if it was left to an extension from before.
    pub tried: u32,
}

/// A word on its way to both sides.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub struct Long {
    /// The word.
    pub word: Word,
    /// For a device, what was reached so far.
    pub(super) reached: [u32; 8],
}

impl Word {
    /// A word hit of a chunk.
    pub(super) fn new(chunk: u32, hit: WordHit) -> Self {
        let WordHit { query, subject, end, probe } = hit;
        Self { chunk, query, subject, end, probe }
    }

    /// Without its chunk.
    pub fn hit(self) -> WordHit {
        let Self { query, subject, end, probe, .. } = self;
        WordHit { query, subject, end, probe }
    }
}

impl Extended {
    /// The alignment.
    pub fn hit(&self) -> UngappedHit {
        let &Self { word, query, subject, length, score } = self;
        let (seed_query, seed_subject) = (word.query, word.subject);
        UngappedHit { query, subject, length, score, seed_query, seed_subject }
    }
}
