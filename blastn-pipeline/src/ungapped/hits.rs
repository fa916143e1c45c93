//! Ungapped alignments, and the order in which they are extended with gaps.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

/// An ungapped alignment that scores at least the gap trigger.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct UngappedHit {
    /// Where the alignment begins in the letters of the batch.
    pub query: u32,
    /// Where the alignment begins in the subject, or in the chunk that is searched.
    pub subject: u32,
    /// Number of columns.
    pub length: u32,
    /// Raw score: the sum over the columns.
    pub score: i32,
    /// Where the word that it was extended from begins in the letters of the batch.
    pub seed_query: u32,
    /// Where that word begins in the subject or chunk.
    pub seed_subject: u32,
}

/// An ungapped alignment with a chunk of a database.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ChunkHit {
    /// Number of the chunk among those that are searched together.
    pub chunk: u32,
    /// The alignment, with positions in the chunk.
    pub hit: UngappedHit,
}

/// The order in which the ungapped alignments of a query and a chunk are extended with gaps: the best first (`score_compare_match`
/// in NCBI's `blast_extend.c`).
pub(crate) fn extension_order(one: &UngappedHit, other: &UngappedHit) -> Ordering {
    other
        .score
        .cmp(&one.score)
        .then(one.subject.cmp(&other.subject))
        .then(other.length.cmp(&one.length))
        .then(one.query.cmp(&other.query))
}
