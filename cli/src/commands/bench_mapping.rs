//! `gpualign bench mapping`: the stages between reads in memory and ranked alignments.

use aligner_core::Device;
use anyhow::Result;
use clap::Args;
use gpualign_benches::{mapping, mapping_table};
use seed_extend::queries::Queries;

use crate::args::Operands;
use crate::commands::bench_kernels::KernelBenchArguments;
use crate::commands::{bench_reads, start_threads};
use crate::console::Console;
use crate::input::{self, Reads};

/// The command line of `gpualign bench mapping`.
#[derive(Debug, Args)]
pub struct MappingBenchArguments {
    #[command(flatten)]
    pub operands: Operands,
    #[command(flatten)]
    pub common: KernelBenchArguments,
}

/// Measures each stage and all beside each other, and prints a table or JSON.
pub fn run(arguments: &MappingBenchArguments) -> Result<()> {
    let MappingBenchArguments { operands, common } = arguments;
    input::check(&operands.reads)?;
    let device = Device::open(common.device)?.device;
    start_threads(common.threads.count())?;
    let console = Console::new(common.messages);
    let (index, batches) = bench_reads::load(operands, &console)?;
    let queries = |reads: &Reads| Queries::new(reads.iter().map(|read| read.sequence));
    let batches: Vec<Queries> = batches.iter().map(queries).collect();
    let runs = common.runs.into();
    common.print(|progress| mapping(&device, &index, &batches, runs, progress), mapping_table)
}
