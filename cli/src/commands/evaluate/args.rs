//! The command line of `gpualign evaluate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::read_name::NameForm;

/// The command line of `gpualign evaluate`.
#[derive(Debug, Args)]
pub struct EvaluateArguments {
    /// Alignments: SAM, BAM or CRAM; - is standard input
    #[arg(value_hint = ValueHint::FilePath)]
    pub alignments: PathBuf,
    /// Form of the read names, which encode the origin of each read
    #[arg(long, default_value = "wgsim", conflicts_with = "compare")]
    pub truth: NameForm,
    /// Compare with the alignments of the same reads in FILE: FILE is A, ALIGNMENTS is B
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub compare: Option<PathBuf>,
    /// MAPQ from which on a mapper counts as confident of a locus
    #[arg(long, default_value_t = 30, requires = "compare")]
    pub mapq: u8,
    /// Bases that a correct locus may be off
    #[arg(long, value_name = "BASES", default_value_t = 5)]
    pub tolerance: u32,
    /// Output format of the counts
    #[arg(long, default_value = "tsv")]
    pub format: OutputForm,
}

/// Output formats of the counts: values of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputForm {
    /// A table
    Tsv,
    /// One JSON object
    Json,
}
