//! Build tasks, run as `cargo xtask TASK`.
//!
//! # Design
//!
//! Each task is a module with a function that takes the root of the workspace and the task's options:
//!
//! - [`kernels`] compiles every `crate/cuda/*.cu` and `crate/examples/*.cu` into a fatbin in the same folder, and
//!   records compiler, flags and sources in `kernels.lock` ([`manifest`]); with `--check` it tells whether the fatbins
//!   still match their sources;
//! - [`compiler`] runs the pinned compiler, which the crate `stream-build` fetches.
//!
//! The compiler runs from the root, on relative paths, so that it makes the same bytes in every checkout. A fatbin
//! holds machine code for compute capabilities 8.0, 9.0, 10.0 and 12.0, and PTX for other GPUs. Fatbins are committed, so a plain
//! `cargo build` needs no nvcc; `make kernels-check` compiles them again and compares.

mod compiler;
mod kernels;
mod manifest;
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
        Task::Nvcc => compiler::install(root),
    }
}
