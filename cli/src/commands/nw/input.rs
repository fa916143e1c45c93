//! Input of `gpualign nw`: sequences as codes, with their names.
//!
//! Records are read in batches. While one is read, all threads check the letters of the batch before it. The alphabet is chosen
//! when all files are read, so sequences are letters first and become codes then.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use aligner_core::fastx::{RecordProblem, line_of_residue};
use aligner_core::input_location::{InputLocation, input_name};
use aligner_core::seq::describe;
use anyhow::{Result, anyhow, bail};
use needletail::FastxReader;
use nw_batch::{Alphabet, MAX_LENGTH, SequenceSet};
use rayon::prelude::*;

use crate::input;

/// Bytes of records at which a batch is complete.
const BATCH_BYTES: usize = 1 << 23;

/// Sequences of a file, with their names.
#[derive(Debug, Default)]
pub struct NamedSequences {
    /// First word of each header.
    pub names: Vec<String>,
    /// Codes of each sequence.
    pub sequences: SequenceSet,
    /// Letters of each sequence, if the output shows them.
    pub letters: Option<SequenceSet>,
}

/// Sequences of a file, whose alphabet is not known yet.
#[derive(Debug)]
pub struct SequenceFile {
    names: Vec<String>,
    /// Letters, without gap characters.
    letters: SequenceSet,
    /// For each alphabet, the first letter that it lacks, as an error.
    problems: Vec<Option<String>>,
    /// Number of gap characters, which were left out.
    pub gaps: u64,
}

/// Records as they are in the file.
#[derive(Debug, Default)]
struct RawBatch {
    bytes: Vec<u8>,
    records: Vec<RawRecord>,
    /// Why no record follows, if it is an error.
    problem: Option<RecordProblem>,
}

/// A record in the bytes of a batch.
#[derive(Debug)]
struct RawRecord {
    /// Number of its first line.
    line: u64,
    header: Range<usize>,
    /// The sequence, with line ends.
    sequence: Range<usize>,
}

/// A record whose letters are known to be of an alphabet, or not.
struct CheckedRecord {
    name: String,
    letters: Vec<u8>,
    gaps: u64,
    /// For each alphabet, the first letter that it lacks.
    problems: Vec<Option<RecordProblem>>,
}

/// The alphabets that sequences may have.
struct LetterTable {
    /// For each byte, a bit for each alphabet that has it.
    alphabets: [u8; 256],
    count: usize,
}

/// Reads the sequences of a file. Gap characters (`-` and `.`) are left out, as by EMBOSS.
///
/// # Errors
/// If the file cannot be read, or a record is refused or has letters that none of the alphabets has, with the record and line.
pub fn read(path: &Path, alphabets: &[&Alphabet]) -> Result<SequenceFile> {
    let table = LetterTable::new(alphabets);
    let mut records = input::open(path)?;
    let mut file = SequenceFile {
        names: Vec::new(),
        letters: SequenceSet::default(),
        problems: vec![None; alphabets.len()],
        gaps: 0,
    };
    let mut batch = RawBatch::read(records.as_mut());
    while !batch.records.is_empty() || batch.problem.is_some() {
        let (checked, next) =
            rayon::join(|| batch.check(&table), || batch.read_next(records.as_mut()));
        let located = |number: usize, problem: RecordProblem| {
            let location = InputLocation::in_file(path).at_record(number as u64, problem.line);
            format!("{location}{}", problem.reason)
        };
        for record in checked {
            let number = file.names.len() + 1;
            let record = record.map_err(|problem| anyhow!(located(number, problem)))?;
            for (first, problem) in file.problems.iter_mut().zip(record.problems) {
                if let (None, Some(problem)) = (&first, problem) {
                    *first = Some(located(number, problem));
                }
            }
            if let Some(Some(problem)) = file.problems.last()
                && file.problems.iter().all(Option::is_some)
            {
                bail!("{problem}");
            }
            file.names.push(record.name);
            file.letters.push(&record.letters);
            file.gaps += record.gaps;
        }
        if let Some(problem) = batch.problem {
            bail!(located(file.names.len() + 1, problem));
        }
        batch = next;
    }
    Ok(file)
}

impl SequenceFile {
    /// Number of sequences.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The first letter that an alphabet, by its place among those that the file was read with, lacks, as an error.
    pub fn problem(&self, alphabet: usize) -> Option<&str> {
        self.problems[alphabet].as_deref()
    }

    /// The sequences as codes of an alphabet that has all their letters, and as letters if they are to be kept.
    pub fn encode(self, alphabet: &Alphabet, are_letters_kept: bool) -> NamedSequences {
        let letters = are_letters_kept.then(|| self.letters.clone());
        let mut sequences = self.letters;
        // The alphabet has all letters.
        sequences.replace_codes(|letter| alphabet.code(letter).unwrap_or_default());
        NamedSequences { names: self.names, sequences, letters }
    }
}

impl RawBatch {
    /// Reads records until there are many bytes, or no more records.
    fn read(records: &mut dyn FastxReader) -> Self {
        let mut batch = Self::default();
        while batch.bytes.len() < BATCH_BYTES {
            let record = match records.next() {
                None => break,
                Some(Ok(record)) => record,
                Some(Err(error)) => {
                    batch.problem = Some(RecordProblem::from(&error));
                    break;
                }
            };
            let mut append = |bytes: &[u8]| {
                let begin = batch.bytes.len();
                batch.bytes.extend_from_slice(bytes);
                begin..batch.bytes.len()
            };
            let (header, sequence) = (append(record.id()), append(record.raw_seq()));
            batch.records.push(RawRecord { line: record.start_line_number(), header, sequence });
        }
        batch
    }

    /// Reads the batch after this one; nothing follows an error.
    fn read_next(&self, records: &mut dyn FastxReader) -> Self {
        if self.problem.is_some() { Self::default() } else { Self::read(records) }
    }

    /// Checks all records, in parallel.
    fn check(&self, table: &LetterTable) -> Vec<Result<CheckedRecord, RecordProblem>> {
        let check = |record: &RawRecord| {
            let bytes = |range: &Range<usize>| &self.bytes[range.clone()];
            table.check(record.line, bytes(&record.header), bytes(&record.sequence))
        };
        self.records.par_iter().with_min_len(64).map(check).collect()
    }
}

impl LetterTable {
    fn new(alphabets: &[&Alphabet]) -> Self {
        let bits = |letter: u8| {
            let has = |(bit, alphabet): (usize, &&Alphabet)| {
                u8::from(alphabet.code(letter).is_some()) << bit
            };
            alphabets.iter().enumerate().map(has).sum()
        };
        let mut table = [0; 256];
        (0..=u8::MAX).zip(&mut table).for_each(|(letter, entry)| *entry = bits(letter));
        Self { alphabets: table, count: alphabets.len() }
    }

    /// Checks the record that begins at a line.
    fn check(
        &self,
        line: u64,
        header: &[u8],
        sequence: &[u8],
    ) -> Result<CheckedRecord, RecordProblem> {
        let at = |offset: u64, reason: String| RecordProblem { line: Some(line + offset), reason };
        let name = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if name.is_empty() {
            return Err(at(0, "the sequence has no name".to_owned()));
        }
        if let Some(&letter) = name.iter().find(|letter| !letter.is_ascii_graphic()) {
            return Err(at(0, format!("{} is not allowed in a name", describe(letter))));
        }
        let (mut letters, mut gaps) = (Vec::with_capacity(sequence.len()), 0);
        let mut common = u8::MAX;
        for &byte in sequence {
            match byte {
                b'\n' | b'\r' => {}
                b'-' | b'.' => gaps += 1,
                letter => {
                    common &= self.alphabets[usize::from(letter)];
                    letters.push(letter);
                }
            }
        }
        if letters.len() > MAX_LENGTH {
            let length = letters.len();
            return Err(at(
                0,
                format!("the sequence has {length} residues, more than {MAX_LENGTH}"),
            ));
        }
        let problem = |bit: usize| {
            if common >> bit & 1 != 0 {
                return None;
            }
            let mut residues = sequence.iter().filter(|byte| !matches!(byte, b'\n' | b'\r'));
            let is_missing = |letter: &u8| {
                !matches!(letter, b'-' | b'.')
                    && self.alphabets[usize::from(*letter)] >> bit & 1 == 0
            };
            let position = residues.clone().position(is_missing)?;
            let letter = describe(*residues.nth(position)?);
            let place = position + 1;
            let reason = format!(
                "{letter} at residue {place} is no letter of the scoring: choose a --matrix that has it"
            );
            Some(at(line_of_residue(sequence, position), reason))
        };
        let problems = (0..self.count).map(problem).collect();
        let name = String::from_utf8_lossy(name).into_owned();
        Ok(CheckedRecord { name, letters, gaps, problems })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_every_batch_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.fa");
        // Three batches, with a letter of proteins in the second and a wrong one in the last.
        let longest = "ACGT-".repeat(MAX_LENGTH / 4);
        let mut text = String::new();
        for number in 0..20 {
            let end = if number == 9 { "E" } else { "" };
            text.extend([&format!(">s{number} of many\n"), &longest[end.len()..], "\n", end, "\n"]);
        }
        std::fs::write(&path, &text).expect("writes");
        let alphabets =
            [Alphabet::nucleotides(), Alphabet::from_letters(b"ACGTE").expect("letters")];
        let alphabets: Vec<&Alphabet> = alphabets.iter().collect();
        let file = read(&path, &alphabets).expect("is read");
        assert!(
            file.problem(0).is_some_and(|problem| problem.contains("record 10 (line 30): 'E'"))
        );
        assert_eq!(
            (file.problem(1), file.len(), file.gaps),
            (None, 20, 20 * MAX_LENGTH as u64 / 4)
        );
        let sequences = file.encode(alphabets[1], true);
        assert_eq!(sequences.names[19], "s19");
        assert!(sequences.sequences.get(19).chunks(4).all(|codes| codes == [0, 1, 2, 3]));
        let letters = sequences.letters.expect("they were kept");
        assert!(letters.get(9).ends_with(b"ACGTE"));

        std::fs::write(&path, text + ">last\nAC\nG?\n").expect("writes");
        let error = read(&path, &alphabets).expect_err("a wrong letter").to_string();
        assert!(error.contains("x.fa: record 21 (line 63): '?' at residue 4"), "{error}");
    }
}
