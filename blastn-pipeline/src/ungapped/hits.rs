//! Ungapped alignments, and the order in which gaps are tried.

use std::cmp::Ordering;

use bytemuck::{Pod, Zeroable};

use crate::ungapped::UngappedHit;

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
