//! `gpualign-bench nw`: the speed of the kernels of `gpualign nw`.

use anyhow::Result;
use clap::Args;
use gpualign_benches::{NwOptions, nw, nw_figures, nw_figures_table, nw_lengths, nw_table};

use crate::common::KernelBenchArguments;

/// The command line of `gpualign-bench nw`.
#[derive(Debug, Args)]
pub struct NwBenchArguments {
    /// Compare the kernels as figures 8 to 12 of Li 2016 do
    #[arg(long, conflicts_with_all = ["sequences", "length", "runs"])]
    pub figures: bool,
    /// Align sequences of mixed lengths, 50 to 20,000, and one pair of 1,000,000 residues
    #[arg(long, conflicts_with_all = ["figures", "sequences", "length"])]
    pub lengths: bool,
    /// Sequences, each of which is aligned with all others
    #[arg(long, value_name = "N", default_value_t = 512,
        value_parser = clap::value_parser!(u32).range(2..=4096))]
    pub sequences: u32,
    /// Residues of a sequence, about
    #[arg(long, value_name = "N", default_value_t = 1500,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub length: u32,
    #[command(flatten)]
    pub common: KernelBenchArguments,
}

/// Measures all kernels and prints a table.
pub fn run(arguments: &NwBenchArguments) -> Result<()> {
    let &NwBenchArguments { figures, lengths, sequences, length, ref common } = arguments;
    let gpu = common.gpu()?;
    if figures {
        return common.print(|progress| nw_figures(&gpu, progress), nw_figures_table);
    }
    let runs = common.runs.into();
    if lengths {
        return common.print(|progress| nw_lengths(&gpu, runs, progress), nw_table);
    }
    let options = NwOptions { sequences, length, runs };
    common.print(|progress| nw(&gpu, options, progress), nw_table)
}
