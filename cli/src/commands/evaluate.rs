//! `gpualign evaluate`: how well reads were placed.

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum, ValueHint};
use serde::Serialize;

use crate::evaluate::accuracy::Accuracy;
use crate::evaluate::alignments::Alignments;
use crate::evaluate::comparison::Comparison;
use crate::evaluate::truth::Truth;

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

/// Prints what is asked for.
pub fn run(arguments: &EvaluateArguments) -> Result<()> {
    let &EvaluateArguments { truth, mapq, tolerance, format, .. } = arguments;
    let mut alignments = Alignments::open(&arguments.alignments)?;
    match &arguments.compare {
        None => {
            let accuracy = Accuracy::of(&mut alignments, truth, tolerance)?;
            print(format, &accuracy, Accuracy::tsv)
        }
        Some(path) => {
            let mut first = Alignments::open(path)?;
            let comparison = Comparison::of(&mut first, &mut alignments, mapq, tolerance)?;
            print(format, &comparison, Comparison::tsv)
        }
    }
}

fn print<T: Serialize>(format: Form, counts: &T, tsv: impl Fn(&T) -> String) -> Result<()> {
    let text = match format {
        Form::Tsv => tsv(counts),
        Form::Json => serde_json::to_string(counts)? + "\n",
    };
    io::stdout().write_all(text.as_bytes()).context("standard output")
}
