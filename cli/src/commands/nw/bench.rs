//! `gpualign bench nw`: the speed of the kernels of `gpualign nw`.

use std::io::{self, Write};

use aligner_core::{Device, DeviceRequest};
use anyhow::{Result, bail};
use clap::Args;
use gpualign_benches::{NwOptions, nw, nw_figures, nw_figures_table, nw_table};
use serde::Serialize;

use crate::args::{Messages, Threads};
use crate::commands::start_threads;
use crate::console::Console;

/// The command line of `gpualign bench nw`.
#[derive(Debug, Args)]
pub struct NwBenchArguments {
    /// Where to run: cuda or cuda:N
    #[arg(long, default_value = "cuda", help_heading = "Resources")]
    pub device: DeviceRequest,
    /// Compare the kernels as figures 8 to 12 of Li's dissertation do
    #[arg(long, conflicts_with_all = ["sequences", "length", "runs"])]
    pub figures: bool,
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
    let progress = &mut |step: &str| console.start(step);
    let text = if arguments.figures {
        nw_figures(&gpu, progress).map(|points| shown(&points, arguments.json, nw_figures_table))
    } else {
        nw(&gpu, options, progress).map(|timings| shown(&timings, arguments.json, nw_table))
    };
    console.finish();
    io::stdout().write_all(text??.as_bytes())?;
    Ok(())
}

/// Results as JSON, or as a table.
fn shown<T: Serialize>(results: &[T], json: bool, table: fn(&[T]) -> String) -> Result<String> {
    Ok(if json { serde_json::to_string_pretty(results)? + "\n" } else { table(results) })
}
