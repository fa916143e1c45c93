//! `gpualign evaluate`: the accuracy of a mapper on simulated reads, or a comparison of two mappers.
//!
//! [`alignments`] reads SAM, BAM and CRAM, [`aligned_span`] is where a read is aligned, and [`read_name`] where a simulated
//! read is from. [`accuracy`] and [`comparison`] count.

mod accuracy;
mod aligned_span;
mod alignments;
pub mod args;
mod comparison;
mod read_name;

use anyhow::Result;
use serde::Serialize;

use self::accuracy::Accuracy;
use self::alignments::AlignmentFile;
use self::args::{EvaluateArguments, OutputForm};
use self::comparison::Comparison;
use crate::staging;

/// Prints the accuracy of a file, or the comparison of two.
pub fn run(arguments: &EvaluateArguments) -> Result<()> {
    let &EvaluateArguments { truth, mapq, tolerance, format, .. } = arguments;
    let mut alignments = AlignmentFile::open(&arguments.alignments)?;
    match &arguments.compare {
        None => {
            let accuracy = Accuracy::of(&mut alignments, truth, tolerance)?;
            print(format, &accuracy, Accuracy::tsv)
        }
        Some(path) => {
            let mut first = AlignmentFile::open(path)?;
            let comparison = Comparison::of(&mut first, &mut alignments, mapq, tolerance)?;
            print(format, &comparison, Comparison::tsv)
        }
    }
}

fn print<T: Serialize>(format: OutputForm, counts: &T, tsv: impl Fn(&T) -> String) -> Result<()> {
    let text = match format {
        OutputForm::Tsv => tsv(counts),
        OutputForm::Json => serde_json::to_string(counts)? + "\n",
    };
    staging::print(text.as_bytes())
}

/// Counts the alignments of a file in both ways, for its fuzz target.
#[cfg(feature = "fuzzing")]
pub fn count(path: &std::path::Path) {
    for truth in [read_name::NameForm::Wgsim, read_name::NameForm::Ours] {
        let Ok(mut file) = AlignmentFile::open(path) else { return };
        let _ = Accuracy::of(&mut file, truth, u32::MAX).map(|accuracy| accuracy.tsv());
    }
    if let [Ok(mut first), Ok(mut second)] = [0; 2].map(|_| AlignmentFile::open(path)) {
        let counts = Comparison::of(&mut first, &mut second, 30, u32::MAX);
        let _ = counts.map(|counts| counts.tsv());
    }
}
