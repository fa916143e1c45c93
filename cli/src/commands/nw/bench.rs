//! `gpualign bench nw`: the speed of the kernels of `gpualign nw`.

use std::io::{self, Write};

use aligner_core::{Device, DeviceRequest};
use anyhow::{Result, bail};
use clap::Args;
use gpualign_benches::{NwOptions, nw, nw_table};

use crate::args::{Messages, Threads};
use crate::commands::start_threads;
use crate::console::Console;

/// The command line of `gpualign bench nw`.
#[derive(Debug, Args)]
pub struct NwBenchArguments {
    /// Where to run: cuda or cuda:N
    #[arg(long, default_value = "cuda", help_heading = "Resources")]
    pub device: DeviceRequest,
    /// Sequences, each of which is aligned with all others
    #[arg(long, value_name = "N", default_value_t = 512,
        value_parser = clap::value_parser!(u32).range(2..=4096))]
    pub sequences: u32,
    /// Residues of a sequence, about
    #[arg(long, value_name = "N", default_value_t = 1500,
        value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub length: u32,
    /// Runs of each kernel, of which the median counts
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: u16,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub threads: Threads,
    #[command(flatten)]
    pub messages: Messages,
}

/// Measures all kernels and prints a table.
pub fn run(arguments: &NwBenchArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let Device::Cuda(gpu) = Device::open(arguments.device)?.device else {
        bail!("there is no GPU to measure: choose one by --device cuda");
    };
    let &NwBenchArguments { sequences, length, runs, .. } = arguments;
    let options = NwOptions { sequences, length, runs: runs.into() };
    start_threads(arguments.threads.count())?;
    let timings = nw(&gpu, options, &mut |step| console.start(step));
    console.finish();
    let timings = timings?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&timings)? + "\n"
    } else {
        nw_table(&timings)
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
