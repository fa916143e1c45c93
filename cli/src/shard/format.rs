//! The parts of a file of a shard.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::share::Shard;

/// The first bytes of a file, with the version of the format. They are no text, so that no program takes it for one.
pub const MAGIC: [u8; 8] = *b"\x89GPSHRD1";

/// The last bytes of a complete file.
pub const END_MAGIC: [u8; 8] = *b"\x89GPSHEND";

/// The work that a run does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// `gpualign READS REF`.
    Mapping,
    /// `gpualign nw`.
    Nw,
    /// `gpualign blastn`.
    Blastn,
}

impl Kind {
    /// The command in messages.
    pub fn command(self) -> &'static str {
        match self {
            Self::Mapping => "gpualign READS REF",
            Self::Nw => "gpualign nw",
            Self::Blastn => "gpualign blastn",
        }
    }
}

/// A hash of something that all shards of a run have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// What was hashed, in the plural: "options".
    pub of: String,
    pub hash: u64,
}

impl Fingerprint {
    /// The fingerprint of something by its hash.
    pub fn new(of: &str, hash: u64) -> Self {
        Self { of: of.to_owned(), hash }
    }
}

/// What is known before the first block of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of the program.
    pub version: String,
    pub kind: Kind,
    pub shard: Shard,
    /// Items of a unit.
    pub unit_size: u64,
    /// What all shards of the run have in common.
    pub fingerprints: Vec<Fingerprint>,
    /// The facts that merging needs, which are the same for all shards of a run. Their form depends on the kind.
    pub content: Value,
}

/// What is known behind the last block of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trailer {
    /// What all shards of the run have in common.
    pub fingerprints: Vec<Fingerprint>,
    /// The numbers of this shard. Their form depends on the kind.
    pub content: Value,
}

/// The beginning of a block.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct BlockHead {
    pub lane: u64,
    pub unit: u64,
    /// Bytes of the content.
    pub size: u64,
    /// Bytes of the compressed content, which follows.
    pub compressed: u64,
    /// The XXH3 hash of the compressed content.
    pub checksum: u64,
}

/// The end of a file, behind the trailer.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct End {
    /// The XXH3 hash of the trailer.
    pub checksum: u64,
    /// Bytes of the trailer.
    pub size: u64,
    /// [`END_MAGIC`].
    pub magic: [u8; 8],
}

/// The most bytes of the content of a block: more than records of BAM that are written together take.
pub const MAX_BLOCK: u64 = 1 << 32;
