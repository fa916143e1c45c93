//! Input of `gpualign nw`: the scoring, and sequences as codes with their names.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use aligner_core::fastx::{RecordProblem, line_of_residue};
use aligner_core::input_location::{InputLocation, input_name};
use aligner_core::seq::describe;
use anyhow::{Context, Result, anyhow, bail};
use nw_batch::{Alphabet, MAX_LENGTH, Scoring, SequenceSet, SubstitutionMatrix};

use crate::commands::nw::args::NwOptions;
use crate::input;

/// Sequences of a file, with their names.
#[derive(Debug, Default)]
pub struct NamedSequences {
    /// First word of each header.
    pub names: Vec<String>,
    /// Codes of each sequence.
    pub sequences: SequenceSet,
}

/// The scoring that the options ask for.
///
/// # Errors
/// If a score, a cost or the matrix is refused.
pub fn scoring(options: &NwOptions) -> Result<Scoring> {
    let scoring = match &options.matrix {
        Some(name) => Scoring::with_matrix(matrix(name)?, options.gaps())?,
        None => options.match_mismatch()?,
    };
    Ok(scoring.with_free_ends(options.free_ends()))
}

/// Matrix that is built in, or in a file.
fn matrix(name: &Path) -> Result<SubstitutionMatrix> {
    if let Some(matrix) = name.to_str().and_then(SubstitutionMatrix::built_in) {
        return Ok(matrix?);
    }
    let text = fs::read_to_string(name)
        .with_context(|| format!("{} (and no matrix of this name is built in)", name.display()))?;
    SubstitutionMatrix::parse(&text).with_context(|| name.display().to_string())
}

/// Reads the sequences of a file, and checks them.
///
/// # Errors
/// If the file cannot be read or a record is refused, with the record and line.
pub fn read(path: &Path, alphabet: &Alphabet) -> Result<NamedSequences> {
    let mut records = input::open(path)?;
    let mut read = NamedSequences::default();
    let mut number = 0;
    while let Some(record) = records.next() {
        number += 1;
        let checked = match &record {
            Ok(record) => check(record, alphabet),
            Err(error) => Err(RecordProblem::from(error)),
        };
        let (name, codes) = checked.map_err(|problem| {
            let location = InputLocation::in_file(path).at_record(number, problem.line);
            anyhow!("{location}{}", problem.reason)
        })?;
        read.names.push(name);
        read.sequences.push(&codes);
    }
    Ok(read)
}

/// Name and codes of a record.
fn check(
    record: &needletail::parser::SequenceRecord<'_>,
    alphabet: &Alphabet,
) -> Result<(String, Vec<u8>), RecordProblem> {
    let line = record.start_line_number();
    let at = |offset: u64, reason: String| RecordProblem { line: Some(line + offset), reason };
    let name = record.id().split(u8::is_ascii_whitespace).next().unwrap_or_default();
    if name.is_empty() {
        return Err(at(0, "the sequence has no name".to_owned()));
    }
    if let Some(&letter) = name.iter().find(|letter| !letter.is_ascii_graphic()) {
        return Err(at(0, format!("{} is not allowed in a name", describe(letter))));
    }
    let letters = record.seq();
    let codes = alphabet.encode(&letters).map_err(|unknown| {
        let (letter, place) = (describe(unknown.letter), unknown.position + 1);
        let offset = line_of_residue(record.raw_seq(), unknown.position);
        at(offset, format!("{letter} at residue {place} is no letter of the scoring: choose a --matrix that has it"))
    })?;
    if codes.len() > MAX_LENGTH {
        let length = codes.len();
        return Err(at(0, format!("the sequence has {length} residues, more than {MAX_LENGTH}")));
    }
    Ok((String::from_utf8_lossy(name).into_owned(), codes))
}

/// Refuses two records of the same name.
///
/// # Errors
/// Names the two records.
pub fn names_differ(path: &Path, names: &[String]) -> Result<()> {
    let mut seen = HashMap::new();
    for (number, name) in names.iter().enumerate() {
        if let Some(first) = seen.insert(name, number) {
            bail!(
                "{}: records {} and {} have the same name '{name}'",
                input_name(path),
                first + 1,
                number + 1
            );
        }
    }
    Ok(())
}
