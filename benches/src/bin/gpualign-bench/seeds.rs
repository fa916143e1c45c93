//! `gpualign-bench seeds`: finding the seeds of reads, and their chains, by stages.

use std::sync::Arc;

use anyhow::Result;
use clap::Args;
use gpualign_benches::{seeds, seeds_table};
use seed_extend::read::queries::Queries;

use crate::reads::ReadsBenchArguments;

/// The command line of `gpualign-bench seeds`.
#[derive(Debug, Args)]
pub struct SeedsBenchArguments {
    #[command(flatten)]
    pub reads: ReadsBenchArguments,
    /// On a GPU, also measure other settings of the streaming runtime than the program's
    #[arg(long)]
    pub other_settings: bool,
}

/// Finds the seeds and chains of all reads, and prints a table or JSON.
pub fn run(arguments: &SeedsBenchArguments) -> Result<()> {
    let SeedsBenchArguments { reads, other_settings } = arguments;
    let (device, index, batches) = reads.open()?;
    let batches: Vec<Arc<Queries>> = batches.into_iter().map(Arc::new).collect();
    let options = (reads.common.runs.into(), *other_settings);
    let measure =
        |progress: &mut dyn FnMut(&str)| seeds(&device, &index, &batches, options, progress);
    reads.common.print(measure, seeds_table)
}
