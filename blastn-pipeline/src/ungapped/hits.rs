//! Ungapped alignments, and the order in which they are extended with gaps.

use std::cmp::Ordering;

use aligner_core::device_struct;

device_struct! {
    /// An ungapped alignment of a strand and a subject, or a chunk of one, that scores at least the
    /// [gap trigger](crate::query::context::ContextStatistics), and so is extended with gaps.
    #[derive(PartialEq, Eq)]
    pub struct UngappedHit {
        /// Where it begins, as the index of a letter of the batch.
        pub query: u32,
        /// Where it begins in the subject or chunk.
        pub subject: u32,
        /// Number of its columns.
        pub length: u32,
        /// Sum of its columns' scores.
        pub score: i32,
        /// Where the exact match begins that it was extended from, as the index of a letter of the batch.
        pub seed_query: u32,
        /// Where that exact match begins in the subject or chunk.
        pub seed_subject: u32,
    }
}

device_struct! {
    /// An ungapped alignment with one of several chunks of a database.
    #[derive(PartialEq, Eq)]
    pub struct ChunkHit {
        /// Index of the chunk.
        pub chunk: u32,
        /// The alignment.
        pub hit: UngappedHit,
    }
}

/// The order in which the ungapped alignments of a query and a chunk are extended with gaps: the best first
/// (`score_compare_match` in NCBI's `blast_extend.c`).
pub(crate) fn extension_order(one: &UngappedHit, other: &UngappedHit) -> Ordering {
    other
        .score
        .cmp(&one.score)
        .then(one.subject.cmp(&other.subject))
        .then(other.length.cmp(&one.length))
        .then(one.query.cmp(&other.query))
}
