//! `gpualign-bench reading`: reading files of FASTQ in batches, which are dropped as they come.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::{Context, Error, Result};
use clap::{Args, ValueHint};
use gpualign::input::{self, BatchLimit, Lane, Layout, RecordRules};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use serde::Serialize;

/// The command line of `gpualign-bench reading`.
#[derive(Debug, Args)]
pub struct ReadingBenchArguments {
    /// File of reads, or two files of mates
    #[arg(required = true, num_args = 1..=2, value_hint = ValueHint::FilePath)]
    pub files: Vec<PathBuf>,
    /// Threads that read a file at the same time
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=64))]
    pub readers: u16,
    /// Reads of a batch
    #[arg(long, value_name = "N", default_value_t = 1 << 16,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub batch_size: u32,
    /// Runs, each of which is told
    #[arg(long, value_name = "N", default_value_t = 5,
        value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: u16,
}

/// The size and the times of one run.
#[derive(Debug, Serialize)]
struct ReadingRun {
    batches: usize,
    bytes: u64,
    seconds: f64,
    /// Seconds of all threads in the program.
    user_seconds: f64,
    /// Seconds of all threads in the system.
    system_seconds: f64,
}

/// Seconds that this process has spent in the program and in the system.
fn processor_seconds() -> io::Result<[f64; 2]> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok([usage.user_time(), usage.system_time()].map(|time| time.num_microseconds() as f64 / 1e6))
}

/// Reads the files, and prints JSON.
pub fn run(arguments: &ReadingBenchArguments) -> Result<()> {
    input::check(&arguments.files)?;
    let size =
        |path: &PathBuf| Ok(fs::metadata(path).with_context(|| path.display().to_string())?.len());
    let bytes = arguments.files.iter().map(size).sum::<Result<u64>>()?;
    let runs = (0..arguments.runs).map(|_| read(arguments, bytes)).collect::<Result<Vec<_>>>()?;
    writeln!(io::stdout(), "{}", serde_json::to_string_pretty(&runs)?)?;
    Ok(())
}

/// Reads the files once.
fn read(arguments: &ReadingBenchArguments, bytes: u64) -> Result<ReadingRun> {
    let files = arguments.files.clone();
    let layout = if files.len() == 2 { Layout::Pairs } else { Layout::Single };
    let lane = Lane::new(layout, vec![files]).map_err(Error::msg)?;
    let ([user, system], begin) = (processor_seconds()?, Instant::now());
    let (size, readers) = (arguments.batch_size as usize, arguments.readers.into());
    let input = input::batches_by_rules(
        vec![lane],
        BatchLimit::new(size),
        RecordRules::default(),
        None,
        readers,
    );
    let (mut batches, mut last) = (0, None);
    for batch in input.batches {
        batches += 1;
        last = Some(batch);
    }
    let (seconds, [user_end, system_end]) = (begin.elapsed().as_secs_f64(), processor_seconds()?);
    if let Some(batch) = last {
        // An error of reading ends the last batch.
        batch.checked()?;
    }
    Ok(ReadingRun {
        batches,
        bytes,
        seconds,
        user_seconds: user_end - user,
        system_seconds: system_end - system,
    })
}
