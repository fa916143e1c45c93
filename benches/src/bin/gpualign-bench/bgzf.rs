//! `gpualign-bench bgzf`: compressing blocks of BGZF.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueHint};
use flate2::read::MultiGzDecoder;
use gpualign_benches::{BgzfOptions, bgzf, bgzf_table};

use crate::common::KernelBenchArguments;

/// The command line of `gpualign-bench bgzf`.
#[derive(Debug, Args)]
pub struct BgzfBenchArguments {
    /// File to compress, such as BAM; what is compressed already is decompressed first
    #[arg(value_hint = ValueHint::FilePath)]
    pub file: PathBuf,
    /// Contents of blocks in all, taken from the file in turn
    #[arg(long, value_name = "N", default_value_t = 8192,
        value_parser = clap::value_parser!(u32).range(1..))]
    pub contents: u32,
    /// Contents of blocks that are compressed together
    #[arg(long, value_name = "N", default_value_t = 256,
        value_parser = clap::value_parser!(u16).range(1..))]
    pub batch: u16,
    #[command(flatten)]
    pub common: KernelBenchArguments,
}

/// Compresses the file, and prints a table or JSON.
pub fn run(arguments: &BgzfBenchArguments) -> Result<()> {
    let named = || arguments.file.display().to_string();
    let mut input = fs::read(&arguments.file).with_context(named)?;
    if input.starts_with(b"\x1f\x8b") {
        let compressed = std::mem::take(&mut input);
        MultiGzDecoder::new(&compressed[..]).read_to_end(&mut input).with_context(named)?;
    }
    ensure!(!input.is_empty(), "{}: is empty: there is nothing to compress", named());
    let options = BgzfOptions {
        contents: arguments.contents as usize,
        batch: arguments.batch.into(),
        runs: arguments.common.runs.into(),
    };
    let gpu = arguments.common.gpu()?;
    let measure = |progress: &mut dyn FnMut(&str)| bgzf(&gpu, &input, options, progress);
    arguments.common.print(measure, bgzf_table)
}
