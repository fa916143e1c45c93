//! FASTA and FASTQ files of queries and subjects.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use aligner_core::fastx::{self, RecordProblem};
use aligner_core::input_location::{InputLocation, is_stdin};
use aligner_core::seq::describe;

use crate::error::SequenceError;
use crate::sequence::alphabet;

/// Greatest number of bases of a sequence.
pub(crate) const MAX_LENGTH: usize = 1 << 30;

/// A sequence with its header line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FastaRecord {
    /// Header line without `>`.
    pub title: String,
    /// Codes of the letters, see [`alphabet`].
    pub letters: Vec<u8>,
    /// Ranges of letters that were lower case in the file, ascending and apart from each other; positions count from 0.
    pub lower_case: Vec<Range<u32>>,
}

impl FastaRecord {
    /// A record from a title and the text of its sequence: IUPAC nucleotide letters in upper or lower case.
    ///
    /// # Errors
    /// If the text has a character that is no nucleotide letter.
    pub fn new(title: &str, text: &str) -> Result<Self, SequenceError> {
        let (letters, lower_case) = letters(text.as_bytes()).map_err(|(_, problem)| {
            let problem = format!("sequence {title}: {problem}");
            SequenceError { location: InputLocation::default(), problem }
        })?;
        Ok(Self { title: title.to_owned(), letters, lower_case })
    }

    /// The letters of a range of positions, from 0; what lies beyond the end of the sequence is left out.
    #[must_use]
    pub fn cut(&self, range: &Range<usize>) -> Self {
        let end = range.end.min(self.letters.len());
        let range = range.start.min(end)..end;
        let (start, end) = (range.start as u32, range.end as u32);
        let lower = self.lower_case.iter().map(|run| run.start.max(start)..run.end.min(end));
        let lower = lower.filter(|run| run.start < run.end);
        Self {
            title: self.title.clone(),
            letters: self.letters[range].to_vec(),
            lower_case: lower.map(|run| run.start - start..run.end - start).collect(),
        }
    }

    /// The first word of the header.
    pub fn name(&self) -> &str {
        self.title.split_whitespace().next().unwrap_or_default()
    }
}

/// The part of a header line that reports of NCBI's blastn show: up to a tab or another control character, without blanks around it.
pub fn shown_title(title: &str) -> &str {
    let end = title.find(|letter: char| letter.is_ascii_control()).unwrap_or(title.len());
    title[..end].trim()
}

/// Reads all records of a FASTA or FASTQ file, plain or compressed; `-` is standard input.
///
/// # Errors
/// If the file cannot be read, is neither FASTA nor FASTQ, or a sequence has a letter that is no IUPAC nucleotide code.
/// A sequence without letters is no error.
pub fn read(path: &Path) -> Result<Vec<FastaRecord>, SequenceError> {
    let mut records = Vec::new();
    for_each(path, |record| records.push(record))?;
    Ok(records)
}

/// Calls `take` with each record of a file, in order.
///
/// # Errors
/// As [`read`].
pub(crate) fn for_each(
    path: &Path,
    mut take: impl FnMut(FastaRecord),
) -> Result<(), SequenceError> {
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
        take(FastaRecord { title, letters, lower_case: lower });
    }
    Ok(())
}

/// Codes of letters, and the ranges of those that were lower case.
type LettersAndLowerCase = (Vec<u8>, Vec<Range<u32>>);

/// The letters of the text of a sequence, in which line ends and blanks are skipped.
///
/// # Errors
/// The line, from 1, and a description of the first character that is no nucleotide letter.
fn letters(raw: &[u8]) -> Result<LettersAndLowerCase, (u64, String)> {
    let mut letters = Vec::with_capacity(raw.len());
    let mut lower: Vec<Range<u32>> = Vec::new();
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
    fn a_cut_has_the_letters_and_cases_of_its_range() {
        let whole = FastaRecord::new("s", "ACgtacGT").expect("nucleotides");
        let cut = whole.cut(&(3..7));
        assert_eq!((cut.letters, cut.lower_case), (vec![3, 0, 1, 2], vec![0..3]));
        assert_eq!(whole.cut(&(6..99)).letters, [2, 3]);
        assert!(whole.cut(&(9..12)).letters.is_empty());
    }

    #[test]
    fn bad_letters_are_told_with_line_and_base() {
        let (line, problem) = letters(b"ACGT\nACE\n").expect_err("a protein");
        assert_eq!((line, problem.as_str()), (2, "'E' at base 7 is not a nucleotide letter"));
    }
}
