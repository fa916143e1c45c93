//! `gpualign-bench mapping`: the stages between reads in memory and ranked alignments.

use anyhow::Result;
use gpualign_benches::{mapping, mapping_table};

use crate::reads::ReadsBenchArguments;

/// Measures each stage and all beside each other, and prints a table or JSON.
pub fn run(arguments: &ReadsBenchArguments) -> Result<()> {
    let (device, index, batches) = arguments.open()?;
    let runs = arguments.common.runs.into();
    let measure =
        |progress: &mut dyn FnMut(&str)| mapping(&device, &index, &batches, runs, progress);
    arguments.common.print(measure, mapping_table)
}
