//! The command line of `gpualign evaluate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::truth::Truth;

/// The command line of `gpualign evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArguments {
    /// Alignments: SAM, BAM or CRAM; - is standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub alignments: PathBuf,
    /// How the names of reads tell where they are from
    #[arg(long, default_value = "wgsim", conflicts_with = "compare")]
    pub truth: Truth,
    /// Compare with where this file has the same reads, not with the truth; it is the first, the other
    /// the second
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub compare: Option<PathBuf>,
    /// MAPQ from which on a mapper is sure of a place
    #[arg(long, default_value_t = 30, requires = "compare")]
    pub mapq: u8,
    /// Bases that a place may be off
    #[arg(long, value_name = "BASES", default_value_t = 5)]
    pub tolerance: u32,
    /// How to print the counts
    #[arg(long, default_value = "tsv")]
    pub format: Form,
}

/// Values of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// A table
    Tsv,
    /// One JSON object
    Json,
}
