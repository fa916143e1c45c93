//! What the benchmarks of kernels have in common: a GPU, runs, and how results are shown.

use std::io::{self, Write};

use aligner_core::gpu::Gpu;
use aligner_core::{Device, DeviceRequest};
use anyhow::{Result, bail};
use clap::Args;
use gpualign_benches::BenchError;
use serde::Serialize;

use gpualign::console::Console;
use gpualign::options::start_threads;
use gpualign::options::{Messages, Threads};

/// Their options.
#[derive(Debug, Args)]
pub struct KernelBenchArguments {
    /// Where to run: cuda or cuda:N; extensions also on the cpu
    #[arg(long, default_value = "cuda", help_heading = "Resources")]
    pub device: DeviceRequest,
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

impl KernelBenchArguments {
    /// The GPU, once the threads are there.
    pub fn gpu(&self) -> Result<Gpu> {
        let Device::Cuda(gpu) = Device::open(self.device)?.device else {
            bail!("there is no GPU to measure: choose one by --device cuda");
        };
        start_threads(self.threads.count())?;
        Ok(gpu)
    }

    /// Measures, telling what comes next, and prints the results as JSON or as a table.
    pub fn print<T: Serialize>(
        &self,
        measure: impl FnOnce(&mut dyn FnMut(&str)) -> Result<Vec<T>, BenchError>,
        table: fn(&[T]) -> String,
    ) -> Result<()> {
        let console = Console::new(self.messages);
        let results = measure(&mut |step| console.start(step));
        console.finish();
        let results = results?;
        let text = if self.json {
            serde_json::to_string_pretty(&results)? + "\n"
        } else {
            table(&results)
        };
        io::stdout().write_all(text.as_bytes())?;
        Ok(())
    }
}
