//! The facts that the file of a shard of `gpualign nw` has besides its results.

use anyhow::Result;
use serde::{Deserialize, Serialize};

use crate::commands::nw::args::NwFormat;
use crate::commands::nw::format::MatrixValues;
use crate::shard::{Fingerprint, Header, Kind, Share, Trailer};

/// The facts that merging needs, which are the same for all shards of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct NwShard {
    pub format: NwFormat,
    /// The text before the first pair.
    pub heading: String,
    /// The names of the sequences, if the format is a matrix; results are then its values.
    pub names: Vec<String>,
    /// What the values of a matrix are.
    pub values: MatrixValues,
}

impl NwShard {
    /// The header of the file of a shard, given the hash of everything that the output depends on.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn header(&self, share: Share, output_hash: u64) -> Result<Header> {
        Ok(Header {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: Kind::Nw,
            shard: share.shard,
            unit_size: share.unit_size,
            fingerprints: vec![Fingerprint::new("options or sequences", output_hash)],
            content: serde_json::to_value(self)?,
        })
    }
}

/// The trailer of the file of a shard.
pub fn trailer() -> Trailer {
    Trailer { fingerprints: Vec::new(), content: serde_json::Value::Null }
}
