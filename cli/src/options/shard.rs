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
    /// Size of the units that a shard has every N-th of [default: 65536 pairs of reads, or reads without mates, of a lane; of nw
    /// 65536 pairs of sequences, and fewer long ones]
    #[arg(long, value_name = "UNITS", requires = "shard", help_heading = "Shards",
        value_parser = clap::value_parser!(u32).range(1..))]
    shard_size: Option<u32>,
}

/// Items of a unit by default: large enough for a batch to fill a GPU.
const UNIT_SIZE: u64 = 1 << 16;

impl ShardOptions {
    /// The units to work on; `None` for all.
    pub fn share(&self) -> Option<Share> {
        let unit_size = self.shard_size.map_or(UNIT_SIZE, u64::from);
        self.shard.map(|shard| Share { shard, unit_size })
    }
}
