//! `gpualign-bench blastn`: the speed of the filter pipeline of `gpualign blastn`.

use std::path::PathBuf;

use anyhow::Result;
use clap::{Args, ValueHint};
use gpualign_benches::{BlastnOptions, blastn, blastn_table};

use crate::common::KernelBenchArguments;
use gpualign::{open_database, read_queries};

/// The command line of `gpualign-bench blastn`.
#[derive(Debug, Args)]
pub struct BlastnBenchArguments {
    /// A database of `gpualign makedb`; pieces of it are the queries unless --query is given
    #[arg(value_name = "DB", value_hint = ValueHint::FilePath)]
    pub database: PathBuf,
    /// FASTA file with queries, which are searched together
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub query: Option<PathBuf>,
    /// Threads of a block
    #[arg(long, value_name = "N", default_value_t = 256,
        value_parser = clap::value_parser!(u32).range(32..=256))]
    pub width: u32,
    /// Also measure other settings of the streaming runtime than the program's
    #[arg(long)]
    pub other_settings: bool,
    #[command(flatten)]
    pub common: KernelBenchArguments,
}

/// Measures both builds of the pipeline and prints a table.
pub fn run(arguments: &BlastnBenchArguments) -> Result<()> {
    let BlastnBenchArguments { database, query, width, other_settings, common } = arguments;
    let gpu = common.gpu()?;
    let database = open_database(&database.to_string_lossy())?;
    let queries = query.as_deref().map_or_else(|| Ok(Vec::new()), read_queries)?;
    let (width, other_settings) = (*width, *other_settings);
    let options = BlastnOptions { width, runs: common.runs.into(), other_settings };
    common.print(|progress| blastn(&gpu, &database, queries, options, progress), blastn_table)
}
