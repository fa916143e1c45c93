//! Seeds: maximal exact matches of a query that are not within one another.
//!
//! A word of a query is a *super-maximal match for `n`* if it occurs at least `n` times in the text and no
//! longer word around it does. Seeds are all super-maximal matches for 1 of at least
//! [`SeedOptions::min_length`] bases; and, because a repeat's copy may be hidden by a better one, for each
//! long and rare one of them those for one occurrence more that contain its middle (the re-seeding of Li,
//! "Aligning sequence reads, clone sequences and assembly contigs with BWA-MEM", 2013).
//!
//! [`seeding`](crate::seeding) finds them.

use bytemuck::{Pod, Zeroable};

/// Which seeds are wanted.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct SeedOptions {
    /// Bases of the shortest seed.
    pub min_length: u32,
    /// Seeds of at least this many bases are looked into again.
    pub split_length: u32,
    /// Unless they occur more often than this.
    pub split_occurrences: u32,
    /// Words that start where the one before ended are seeds once they occur less often than this.
    pub rare: u32,
}

impl Default for SeedOptions {
    fn default() -> Self {
        Self { min_length: 19, split_length: 28, split_occurrences: 10, rare: 20 }
    }
}

/// A word of a query that occurs in the text, as rows of the suffix array.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Pod, Zeroable)]
pub struct Seed {
    /// Number of the query.
    pub query: u32,
    /// Its first base in the query, from 0.
    pub begin: u16,
    /// Bases.
    pub length: u16,
    /// First row; of a seed that occurs once its position in the indexed text.
    pub first: u32,
    /// Occurrences, at least 1.
    pub size: u32,
}
