//! `gpualign index`: builds the index of a reference and saves it.

use std::path::PathBuf;
use std::time::Instant;

use anyhow::Result;
use clap::{Args, ValueHint};
use fm_index::BuildOptions;

use crate::console::Console;
use crate::index;
use crate::options::{Messages, Threads, start_threads};
use crate::staging::Outputs;

/// The command line of `gpualign index`.
#[derive(Debug, Args)]
pub struct IndexArguments {
    /// Reference: FASTA, plain or gz, bz2, zst
    #[arg(value_name = "REF", value_hint = ValueHint::FilePath)]
    pub reference: PathBuf,
    /// Write the index to FILE [default: REF.gpx]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Keep every N-th row of the suffix array, a power of two up to 64: more is smaller and slower
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = parse_sample_rate)]
    pub sample_rate: u32,
    /// How many threads build it.
    #[command(flatten)]
    pub threads: Threads,
    /// How many messages to print.
    #[command(flatten)]
    pub messages: Messages,
}

/// Builds and saves an index, and prints the sizes of its sections.
pub fn run(arguments: &IndexArguments) -> Result<()> {
    let console = Console::new(arguments.messages);
    let start = Instant::now();
    let path = arguments.output.clone().unwrap_or_else(|| index::path_for(&arguments.reference));
    let target = Outputs::new([arguments.reference.as_path()]).target(Some(&path))?;
    let name = target.name();
    console.start("building the index");
    let options = BuildOptions { sample_rate: arguments.sample_rate, ..index::build_options() };
    start_threads(arguments.threads.count())?;
    let built = index::build(&arguments.reference, options)?;
    index::save(&built, target)?;
    console.finish();
    index::report(&console, &built, &name, start);
    Ok(())
}

fn parse_sample_rate(value: &str) -> Result<u32, String> {
    let rate: u32 = value.parse().map_err(|_| "not a number".to_owned())?;
    if rate.is_power_of_two() && rate <= 64 {
        Ok(rate)
    } else {
        Err("not a power of two from 1 to 64".to_owned())
    }
}
