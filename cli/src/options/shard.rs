//! The options of shards.

use clap::Args;

use crate::shard::{Shard, Share};

/// Which part of a run to do.
#[derive(Debug, Clone, Copy, Default, Args)]
pub struct ShardOptions {
    /// Do part I of N of the run and write it to a file of its own, FILE of -o. All shards may run at the same time, each with the same
    /// options and inputs; gpualign merge makes the output of their files
    #[arg(long, value_name = "I/N", help_heading = "Shards")]
    pub shard: Option<Shard>,
    /// Size of the units of the input that a shard has every N-th of, the same for all shards [default: 65536 pairs of reads, or
    /// reads without mates, of a lane; of nw 65536 pairs of sequences, fewer if they are long; of blastn 64 queries]
    #[arg(long, value_name = "SIZE", requires = "shard", help_heading = "Shards",
        value_parser = clap::value_parser!(u32).range(1..))]
    shard_size: Option<u32>,
}

/// Reads, pairs of reads or pairs of sequences of a unit by default: enough for a batch to fill a GPU.
const PAIRS: u64 = 1 << 16;

/// Queries of blastn of a unit by default.
const QUERIES: u64 = 64;

impl ShardOptions {
    /// The units of reads, pairs of reads or pairs of sequences to work on; `None` for all.
    pub fn share(&self) -> Option<Share> {
        self.share_of(PAIRS)
    }

    /// The units of queries to work on; `None` for all.
    pub fn share_of_queries(&self) -> Option<Share> {
        self.share_of(QUERIES)
    }

    fn share_of(&self, default: u64) -> Option<Share> {
        let unit_size = self.shard_size.map_or(default, u64::from);
        self.shard.map(|shard| Share { shard, unit_size })
    }
}
