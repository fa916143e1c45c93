//! `gpualign-bench extend`: the speed of extensions in bands, on the CPU or a GPU.

use aligner_core::Device;
use anyhow::Result;
use clap::Args;
use gpualign_benches::{ExtendOptions, extend, extend_table};

use crate::common::KernelBenchArguments;
use gpualign::options::start_threads;

/// The command line of `gpualign-bench extend`.
#[derive(Debug, Args)]
pub struct ExtendBenchArguments {
    /// Reads, each with one window
    #[arg(long, value_name = "N", default_value_t = 1_000_000,
        value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub tasks: u32,
    /// Bases of a read
    #[arg(long, value_name = "N", default_value_t = 150,
        value_parser = clap::value_parser!(u32).range(1..=400))]
    pub length: u32,
    /// Diagonals of a band
    #[arg(long, value_name = "N", default_value_t = 32,
        value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub width: u32,
    #[command(flatten)]
    pub common: KernelBenchArguments,
}

/// Measures scores and alignments, and prints a table or JSON.
pub fn run(arguments: &ExtendBenchArguments) -> Result<()> {
    let &ExtendBenchArguments { tasks, length, width, ref common } = arguments;
    let device = Device::open(common.device)?.device;
    start_threads(common.threads.count())?;
    let options = ExtendOptions { tasks: tasks as usize, length, width, runs: common.runs.into() };
    common.print(|progress| extend(&device, options, progress), extend_table)
}
