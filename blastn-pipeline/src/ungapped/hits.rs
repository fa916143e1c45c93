//! Ungapped alignments, and the order in which gaps are tried.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

/// An ungapped alignment that may become a gapped one.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct UngappedHit {
    /// Where it begins in the batch's letters.
    pub query: u32,
    /// Where it begins in the subject.
    pub subject: u32,
    /// Its columns.
    pub length: u32,
    /// The sum over its columns.
    pub score: i32,
    /// The word it was extended from: place in the batch's letters.
    pub seed_query: u32,
    /// And in the subject.
    pub seed_subject: u32,
}

/// An ungapped alignment with a chunk of a database.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ChunkHit {
    /// The chunk's number.
    pub chunk: u32,
    /// The alignment.
    pub hit: UngappedHit,
}

/// The order in which ungapped alignments of a query and a chunk are extended with gaps.
pub(crate) fn order(one: &UngappedHit, other: &UngappedHit) -> Ordering {
    other
        .score
        .cmp(&one.score)
        .then(one.subject.cmp(&other.subject))
        .then(other.length.cmp(&one.length))
        .then(one.query.cmp(&other.query))
}
