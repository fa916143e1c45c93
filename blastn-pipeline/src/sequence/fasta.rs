//! Reading FASTA files of queries and subjects.

use std::io::{self, Read};
use std::path::Path;

use aligner_core::fastx::{self, RecordProblem};
use aligner_core::input_location::{InputLocation, is_stdin};
use aligner_core::seq::describe;

use crate::error::SequenceError;
use crate::sequence::alphabet;

/// Bases a sequence may have.
const MAX_LENGTH: usize = 1 << 30;

/// A sequence with its header.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Record {
    /// The header without its `>`.
    pub title: String,
    /// Letters, see [`alphabet`].
    pub letters: Vec<u8>,
    /// Which of them were lower case.
    pub lower: Vec<std::ops::Range<u32>>,
}

impl Record {
    /// The header's first word.
    pub fn name(&self) -> &str {
        self.title.split_whitespace().next().unwrap_or_default()
    }
}

/// Reads the records of a file; `-` is standard input.
///
/// # Errors
/// If the file cannot be read or is no FASTA, or a sequence has a letter that is no IUPAC nucleotide
/// code. Empty sequences are none.
pub fn read(path: &Path) -> Result<Vec<Record>, SequenceError> {
    let mut records = Vec::new();
    for_each(path, |record| records.push(record))?;
    Ok(records)
}

/// Passes the records of a file on, one by one.
///
/// # Errors
/// As [`read`].
pub(crate) fn for_each(path: &Path, mut take: impl FnMut(Record)) -> Result<(), SequenceError> {
    let in_file = |error: &dyn std::fmt::Display| SequenceError {
        location: InputLocation::in_file(path),
        problem: error.to_string(),
    };
    let at_record = |record, RecordProblem { line, reason }| SequenceError {
        location: InputLocation::in_file(path).at_record(record, line),
        problem: reason,
    };
    let bytes: Box<dyn Read + Send> = if is_stdin(path) {
        Box::new(io::stdin())
    } else {
        Box::new(fastx::open(path).map_err(|error| in_file(&error))?)
    };
    let mut records = fastx::records(bytes).map_err(|error| in_file(&error))?;
    let mut number = 0;
    while let Some(record) = records.next() {
        number += 1;
        let record = record.map_err(|error| at_record(number, RecordProblem::from(&error)))?;
        let line = record.start_line_number();
        let (letters, lower) = letters(record.raw_seq()).map_err(|(offset, reason)| {
            at_record(number, RecordProblem { line: Some(line + offset), reason })
        })?;
        if letters.len() > MAX_LENGTH {
            let reason = format!("the sequence has more than {MAX_LENGTH} bases");
            return Err(at_record(number, RecordProblem { line: Some(line), reason }));
        }
        let title = String::from_utf8_lossy(record.id()).trim_end().to_owned();
        take(Record { title, letters, lower });
    }
    Ok(())
}

type Letters = (Vec<u8>, Vec<std::ops::Range<u32>>);

/// The letters of a sequence with line ends and which are lower case; or the line, from 1, of one
/// that is no nucleotide, and what it is.
fn letters(raw: &[u8]) -> Result<Letters, (u64, String)> {
    let mut letters = Vec::with_capacity(raw.len());
    let mut lower: Vec<std::ops::Range<u32>> = Vec::new();
    for (place, &byte) in raw.iter().enumerate() {
        if matches!(byte, b'\n' | b'\r' | b' ' | b'\t') {
            continue;
        }
        let Some(code) = alphabet::encode(byte) else {
            let line = raw[..place].split(|&byte| byte == b'\n').count() as u64;
            let base = letters.len() + 1;
            let letter = describe(byte);
            return Err((line, format!("{letter} at base {base} is not a nucleotide letter")));
        };
        if byte.is_ascii_lowercase() {
            let place = letters.len() as u32;
            match lower.last_mut() {
                Some(run) if run.end == place => run.end += 1,
                _ => lower.push(place..place + 1),
            }
        }
        letters.push(code);
    }
    Ok((letters, lower))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_cases_and_line_ends() {
        let (codes, lower) = letters(b"ACgt\r\nNn\nuR").expect("nucleotides");
        assert_eq!(codes, [0, 1, 2, 3, 14, 14, 3, 4]);
        assert_eq!(lower, [2..4, 5..7]);
    }

    #[test]
    fn bad_letters_are_told_with_line_and_base() {
        let (line, problem) = letters(b"ACGT\nACE\n").expect_err("a protein");
        assert_eq!((line, problem.as_str()), (2, "'E' at base 7 is not a nucleotide letter"));
    }
}
