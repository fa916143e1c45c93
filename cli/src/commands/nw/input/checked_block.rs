//! Records of a block as sequences of letters, checked by the alphabets that they may be of.

use aligner_core::fastx::{RecordProblem, line_of_residue, without_return};
use aligner_core::seq::describe;
use memchr::memchr_iter;
use needletail::parser::SequenceRecord;
use nw_batch::{Alphabet, MAX_LENGTH, SequenceSet};

use super::record_blocks::RecordBlock;

/// Sequences of a block, up to the first record that is refused.
#[derive(Debug, Default)]
pub struct CheckedBlock {
    /// First word of each header.
    pub names: Vec<String>,
    /// Letters, without gap characters.
    pub letters: SequenceSet,
    /// Number of gap characters, which were left out.
    pub gaps: u64,
    /// Number of lines of the block.
    pub lines: u64,
    /// For each alphabet, the first letter that it lacks.
    pub missing: Vec<Option<BlockProblem>>,
    /// Why the next record is refused, if it is.
    pub refused: Option<BlockProblem>,
}

/// A problem of a record of a block.
#[derive(Debug)]
pub struct BlockProblem {
    /// Number of the record, from 0.
    pub record: usize,
    /// The reason, with the line in the block.
    pub problem: RecordProblem,
}

/// The alphabets that sequences may have.
pub struct LetterTable {
    /// For each byte, a bit for each alphabet that has it, and [`IS_RESIDUE`].
    classes: [u8; 256],
    count: usize,
}

/// Bit of a byte that is neither a gap character nor of a line end.
const IS_RESIDUE: u8 = 1 << 7;

impl CheckedBlock {
    /// Checks the records of a block.
    pub fn new(block: &RecordBlock, table: &LetterTable) -> Self {
        let mut checked = Self::default();
        checked.missing.resize_with(table.count, || None);
        let mut letters = Vec::new();
        let mut records = if block.is_empty() { None } else { Some(block.records()) };
        while let Some(record) = records.as_mut().and_then(|records| records.next()) {
            let added = match &record {
                Ok(record) => checked.add(record, table, &mut letters),
                Err(error) => Err(RecordProblem::from(error)),
            };
            if let Err(problem) = added {
                checked.refuse(problem);
                break;
            }
        }
        if let (None, Some(error)) = (&checked.refused, &block.failure) {
            let reason = format!("reading failed: {error}");
            checked.refuse(RecordProblem { line: None, reason });
        }
        checked.lines = block.lines();
        checked
    }

    /// Whether no later record needs to be read, since these are refused, whatever the alphabet.
    pub fn ends_input(&self) -> bool {
        let lacks_all = !self.missing.is_empty() && self.missing.iter().all(Option::is_some);
        self.refused.is_some() || lacks_all
    }

    /// Refuses the record after those that were added.
    fn refuse(&mut self, problem: RecordProblem) {
        self.refused = Some(BlockProblem { record: self.names.len(), problem });
    }

    /// Adds a record. `letters` is memory for its letters.
    fn add(
        &mut self,
        record: &SequenceRecord<'_>,
        table: &LetterTable,
        letters: &mut Vec<u8>,
    ) -> Result<(), RecordProblem> {
        let (line, sequence) = (record.start_line_number(), record.raw_seq());
        let refuse = |reason| Err(RecordProblem { line: Some(line), reason });
        let name = record.id().split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if name.is_empty() {
            return refuse("the sequence has no name".to_owned());
        }
        if let Some(&letter) = name.iter().find(|letter| !letter.is_ascii_graphic()) {
            return refuse(format!("{} is not allowed in a name", describe(letter)));
        }
        letters.clear();
        let Appended { common, gaps } = table.append(sequence, letters);
        if letters.len() > MAX_LENGTH {
            let length = letters.len();
            return refuse(format!("the sequence has {length} residues, more than {MAX_LENGTH}"));
        }
        for (bit, missing) in self.missing.iter_mut().enumerate() {
            if missing.is_none() && common >> bit & 1 == 0 {
                *missing = table.missing(bit, line, sequence).map(|problem| {
                    let record = self.names.len();
                    BlockProblem { record, problem }
                });
            }
        }
        self.names.push(String::from_utf8_lossy(name).into_owned());
        self.letters.push(letters);
        self.gaps += gaps;
        Ok(())
    }
}

/// Letters that were appended.
struct Appended {
    /// Bits of the alphabets that have all of them.
    common: u8,
    /// Number of gap characters between them, which were left out.
    gaps: u64,
}

impl LetterTable {
    /// The table of some alphabets, at most seven.
    pub fn new(alphabets: &[&Alphabet]) -> Self {
        let class = |letter: u8| {
            let has = |(bit, alphabet): (usize, &&Alphabet)| {
                u8::from(alphabet.code(letter).is_some()) << bit
            };
            let of_alphabets: u8 = alphabets.iter().enumerate().map(has).sum();
            match letter {
                b'\n' | b'\r' | b'-' | b'.' => 0,
                _ => of_alphabets | IS_RESIDUE,
            }
        };
        let mut classes = [0; 256];
        (0..=u8::MAX).zip(&mut classes).for_each(|(letter, entry)| *entry = class(letter));
        Self { classes, count: alphabets.len() }
    }

    /// Appends the letters of a sequence, without line ends and gap characters.
    fn append(&self, sequence: &[u8], letters: &mut Vec<u8>) -> Appended {
        let class = |letter: u8| self.classes[usize::from(letter)];
        let mut appended = Appended { common: u8::MAX, gaps: 0 };
        let mut begin = 0;
        for end in memchr_iter(b'\n', sequence).chain([sequence.len()]) {
            let line = without_return(&sequence[begin..end]);
            begin = end + 1;
            let common = line.iter().fold(u8::MAX, |common, &letter| common & class(letter));
            if common & IS_RESIDUE != 0 {
                appended.common &= common;
                letters.extend_from_slice(line);
                continue;
            }
            for &letter in line {
                match letter {
                    b'-' | b'.' => appended.gaps += 1,
                    b'\r' => {}
                    _ => {
                        appended.common &= class(letter);
                        letters.push(letter);
                    }
                }
            }
        }
        appended
    }

    /// The first letter of a sequence that an alphabet lacks. The record begins in this line.
    fn missing(&self, alphabet: usize, line: u64, sequence: &[u8]) -> Option<RecordProblem> {
        let mut residues = sequence.iter().filter(|byte| !matches!(byte, b'\n' | b'\r'));
        let is_missing = |letter: &u8| {
            !matches!(letter, b'-' | b'.')
                && self.classes[usize::from(*letter)] >> alphabet & 1 == 0
        };
        let position = residues.clone().position(is_missing)?;
        let letter = describe(*residues.nth(position)?);
        let place = position + 1;
        let reason = format!(
            "{letter} at residue {place} is no letter of the scoring: choose a --matrix that has it"
        );
        Some(RecordProblem { line: Some(line + line_of_residue(sequence, position)), reason })
    }
}
