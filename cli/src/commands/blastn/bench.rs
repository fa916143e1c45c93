//! `gpualign bench blastn`: the speed of the filter pipeline of `gpualign blastn`.

use std::io::{self, Write};
use std::path::PathBuf;

use aligner_core::{Device, DeviceRequest};
use anyhow::{Result, bail};
use clap::{Args, ValueHint};
use gpualign_benches::{BlastnOptions, blastn, blastn_table};

use super::open;
use crate::args::{Messages, Threads};
use crate::commands::start_threads;
use crate::console::Console;

/// The command line of `gpualign bench blastn`.
#[derive(Debug, Args)]
pub struct BlastnBenchArguments {
    /// A database of `gpualign makedb`, of which pieces are the queries
    #[arg(value_name = "DB", value_hint = ValueHint::FilePath)]
    pub database: PathBuf,
    /// Where to run: cuda or cuda:N
    #[arg(long, default_value = "cuda", help_heading = "Resources")]
    pub device: DeviceRequest,
    /// Threads of a block
    #[arg(long, value_name = "N", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(32..=512))]
    pub width: u32,
    /// Runs of each, of which the median counts
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

/// Measures both builds of the pipeline and prints a table.
pub fn run(arguments: &BlastnBenchArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let Device::Cuda(gpu) = Device::open(arguments.device)?.device else {
        bail!("there is no GPU to measure: choose one by --device cuda");
    };
    start_threads(arguments.threads.count())?;
    let database = open(&arguments.database)?;
    let options = BlastnOptions { width: arguments.width, runs: arguments.runs.into() };
    let timings = blastn(&gpu, &database, options, &mut |step| console.start(step));
    console.finish();
    let timings = timings?;
    let text = if arguments.json {
        serde_json::to_string_pretty(&timings)? + "\n"
    } else {
        blastn_table(&timings)
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
