//! `gpualign evaluate`: how well reads were placed, against the truth in their names or by one mapper against another.
//!
//! [`alignments`] reads SAM, BAM and CRAM, [`place`] is where a record lies and whether that is where
//! another one does, [`truth`] what a simulated read's name tells, [`accuracy`] and [`comparison`] count.

mod accuracy;
mod alignments;
pub mod args;
mod comparison;
mod place;
mod truth;

use std::io::{self, Write};

use anyhow::{Context, Result};
use serde::Serialize;

use self::accuracy::Accuracy;
use self::alignments::Alignments;
use self::args::{EvaluateArguments, Form};
use self::comparison::Comparison;

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
