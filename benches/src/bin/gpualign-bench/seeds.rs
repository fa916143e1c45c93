//! `gpualign-bench seeds`: finding the seeds of reads, and their chains, by stages.

use std::sync::Arc;

use anyhow::Result;
use gpualign_benches::{seeds, seeds_table};
use seed_extend::read::queries::Queries;

use crate::reads::ReadsBenchArguments;

/// Finds the seeds and chains of all reads, and prints a table or JSON.
pub fn run(arguments: &ReadsBenchArguments) -> Result<()> {
    let (device, index, batches) = arguments.open()?;
    let batches: Vec<Arc<Queries>> = batches.into_iter().map(Arc::new).collect();
    let runs = arguments.common.runs.into();
    let measure = |progress: &mut dyn FnMut(&str)| seeds(&device, &index, &batches, runs, progress);
    arguments.common.print(measure, seeds_table)
}
