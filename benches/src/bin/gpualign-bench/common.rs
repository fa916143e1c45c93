//! The options that the benchmarks of kernels share: the device, the number of runs, and the form of the results.

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

/// Options of every benchmark of kernels.
#[derive(Debug, Args)]
pub struct KernelBenchArguments {
    /// Where to run: cuda or cuda:N; extensions also on the cpu
    #[arg(long, default_value = "cuda", help_heading = "Resources")]
    pub device: DeviceRequest,
    /// Timed runs of each case; the median counts
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
    /// Starts the threads and opens the GPU.
    pub fn gpu(&self) -> Result<Gpu> {
        let Device::Cuda(gpu) = Device::open(self.device)?.device else {
            bail!("this benchmark needs a GPU: add --device cuda");
        };
        start_threads(self.threads.count())?;
        Ok(gpu)
    }

    /// Runs `measure` with messages on its progress, and prints the results as JSON or as a table.
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
