//! The number of threads.

use std::num::NonZero;
use std::thread;

use anyhow::{Context, Result};
use clap::Args;
use rayon::ThreadPoolBuilder;

/// How many threads to use.
#[derive(Debug, Args)]
pub struct Threads {
    /// Number of threads [default: all cores]
    #[arg(short, long, value_name = "N", help_heading = "Resources",
        value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
}

impl Threads {
    /// The number that was asked for, or else the number of cores.
    pub fn count(&self) -> usize {
        let cores = || thread::available_parallelism().map_or(1, NonZero::get);
        self.threads.map_or_else(cores, usize::from)
    }
}

/// Starts the global rayon pool, which does all parallel work of the process from then on.
///
/// # Errors
/// If the pool was started before, or the system refuses threads.
pub fn start_threads(threads: usize) -> Result<()> {
    let pool = ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global().context("cannot start threads")
}
