//! `gpualign bench seeds`: finding the seeds of reads by stages.

use std::sync::Arc;

use aligner_core::Device;
use anyhow::Result;
use clap::Args;
use gpualign_benches::{seeds, seeds_table};
use seed_extend::queries::Queries;

use crate::args::Operands;
use crate::commands::bench_kernels::KernelBenchArguments;
use crate::commands::{bench_reads, start_threads};
use crate::console::Console;
use crate::input::{self, Reads};

/// The command line of `gpualign bench seeds`.
#[derive(Debug, Args)]
pub struct SeedsBenchArguments {
    #[command(flatten)]
    pub operands: Operands,
    #[command(flatten)]
    pub common: KernelBenchArguments,
}

/// Finds the seeds of all reads, and prints a table or JSON.
pub fn run(arguments: &SeedsBenchArguments) -> Result<()> {
    let SeedsBenchArguments { operands, common } = arguments;
    input::check(&operands.reads)?;
    let device = Device::open(common.device)?.device;
    start_threads(common.threads.count())?;
    let console = Console::new(common.messages);
    let (index, batches) = bench_reads::load(operands, &console)?;
    let queries = |reads: &Reads| Arc::new(Queries::new(reads.iter().map(|read| read.sequence)));
    let batches: Vec<Arc<Queries>> = batches.iter().map(queries).collect();
    let runs = common.runs.into();
    let measure = |progress: &mut dyn FnMut(&str)| {
        seeds(&device, &index, &batches, runs, progress).map(|timing| vec![timing])
    };
    common.print(measure, seeds_table)
}
