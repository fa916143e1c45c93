//! Build tasks, run as `cargo xtask TASK`.
//!
//! # Design
//!
//! One module a task, each with a `run` that is given the workspace's root and its options:
//!
//! - [`kernels`] compiles every `crate/cuda/*.cu` and `crate/examples/*.cu` into a fatbin beside it, and records in
//!   `kernels.lock` ([`manifest`]) what each was made of; with `--check` it says whether the
//!   fatbins still are what their sources give;
//! - [`nvcc`] is the pinned compiler: installing it, and running it.
//!
//! The same compiler makes the same bytes in every checkout: it is run from the root, on relative
//! paths.

mod kernels;
mod manifest;
mod nvcc;
mod usage;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// Build tasks of gpualign.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Compile the CUDA kernels into fatbins, or check them
    Kernels(kernels::Options),
    /// Install the pinned CUDA compiler into target/cuda
    Nvcc,
}

fn main() -> ExitCode {
    match run(&Arguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: &Task) -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("xtask has no workspace")?;
    match task {
        Task::Kernels(options) => kernels::run(root, options),
        Task::Nvcc => nvcc::install(root),
    }
}
