//! Volumes: the files `.nin`, `.nsq` and `.nhr` that makeblastdb writes, versions 4 and 5.
//!
//! ```text
//!   NAME.nin   numbers, title and date; where each sequence begins in the other two files
//!   NAME.nsq   bases, four a byte, then the ambiguous letters, of each sequence
//!   NAME.nhr   definition lines of each sequence
//! ```
//!
//! Numbers are big-endian, but for the number of all letters.

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use aligner_core::input_location::InputLocation;
use aligner_core::path::extended;

use super::NcbiDatabaseError;
use crate::database::defline::Defline;
use crate::sequence::fasta::MAX_LENGTH;
use crate::sequence::packed;

/// Versions of the format that are read.
const VERSIONS: [u32; 2] = [4, 5];
/// The number that says that a volume has nucleotides.
const NUCLEOTIDES: u32 = 0;

/// The bit of the number of words of ambiguous letters that says that a run takes two words.
const LONG_RUNS: u32 = 1 << 31;

/// A volume whose files are in memory.
#[derive(Debug)]
pub(super) struct Volume {
    /// The name of its files without their extensions.
    path: PathBuf,
    /// Title, as reports show it.
    pub(super) title: String,
    /// Date and time when it was made, as reports show it.
    pub(super) posted: String,
    /// Number of letters of all sequences.
    pub(super) letters: u64,
    /// First byte of each sequence's definition lines in `headers`, and the end of the last.
    header_offsets: Vec<u32>,
    /// First byte of each sequence's bases in `bases`, and the end of the last sequence.
    base_offsets: Vec<u32>,
    /// First byte of each sequence's ambiguous letters in `bases`, which is the end of its bases; one more, which says
    /// nothing.
    ambiguity_offsets: Vec<u32>,
    bases: Vec<u8>,
    headers: Vec<u8>,
}

/// A run of one ambiguous letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AmbiguousRun {
    pub(super) start: u32,
    pub(super) length: u32,
    /// The bases that the letter may stand for, a bit each: A 1, C 2, G 4, T 8.
    pub(super) bases: u8,
}

impl Volume {
    /// Reads the three files of a volume. `path` is their name without extensions.
    pub(super) fn read(path: &Path) -> Result<Self, NcbiDatabaseError> {
        let index = read(&extended(path, "nin"))?;
        let mut fields = IndexFields(&index);
        let (bases, headers) = (read(&extended(path, "nsq"))?, read(&extended(path, "nhr"))?);
        let volume = Self::parse(path, &mut fields, bases, headers);
        let volume = volume.map_err(|problem| malformed(&extended(path, "nin"), problem))?;
        volume.check_offsets()?;
        Ok(volume)
    }

    /// Parses an index. Errors tell what is wrong with it, as part of a sentence.
    fn parse(
        path: &Path,
        fields: &mut IndexFields<'_>,
        bases: Vec<u8>,
        headers: Vec<u8>,
    ) -> Result<Self, String> {
        let version = fields.number()?;
        if !VERSIONS.contains(&version) {
            return Err(format!(
                "version {version} of NCBI's databases is unknown: 4 and 5 are read"
            ));
        }
        if fields.number()? != NUCLEOTIDES {
            return Err("a database of proteins, where blastn searches nucleotides".to_owned());
        }
        if version > 4 {
            fields.number()?; // The number of the volume among those of the database.
        }
        let title = fields.text()?;
        if version > 4 {
            fields.text()?; // The name of the file that maps accessions to sequences.
        }
        let posted = fields.text()?.trim_end_matches('\0').to_owned();
        let sequences = fields.number()? as usize;
        let letters = fields.letters()?;
        fields.number()?; // The length of the longest sequence.
        Ok(Self {
            path: path.to_owned(),
            title,
            posted,
            letters,
            header_offsets: fields.offsets(sequences)?,
            base_offsets: fields.offsets(sequences)?,
            ambiguity_offsets: fields.offsets(sequences)?,
            bases,
            headers,
        })
    }

    /// Checks that all sequences lie in their files one behind the other, that they have as many letters as the index says, and
    /// that none is too long.
    fn check_offsets(&self) -> Result<(), NcbiDatabaseError> {
        let file = |extension| extended(&self.path, extension);
        let (bases, headers) = (self.bases.len(), self.headers.len());
        let last = |offsets: &[u32]| offsets.last().map_or(0, |&last| last as usize);
        if last(&self.base_offsets) > bases {
            return Err(malformed(&file("nsq"), "the file is truncated"));
        }
        if last(&self.header_offsets) > headers {
            return Err(malformed(&file("nhr"), "the file is truncated"));
        }
        let mut letters = 0;
        for number in 0..self.len() {
            let [start, end] = [self.base_offsets[number], self.base_offsets[number + 1]];
            let ambiguous = self.ambiguity_offsets[number];
            let is_ascending = start < ambiguous
                && ambiguous <= end
                && self.header_offsets[number] <= self.header_offsets[number + 1];
            // Offsets ascend, so all are inside the files if the last ones are.
            if !is_ascending {
                let location = InputLocation::in_file(&file("nin"));
                let location = location.at_record(number as u64 + 1, None);
                let problem = "the sequence ends before its begin".to_owned();
                return Err(NcbiDatabaseError::Malformed { location, problem });
            }
            let length = self.length(number);
            if length > MAX_LENGTH {
                let problem = format!("the sequence has more than {MAX_LENGTH} bases");
                return Err(self.malformed("nsq", number, problem));
            }
            letters += length as u64;
        }
        if letters != self.letters {
            let stated = self.letters;
            let problem = format!("it states {stated} letters, but the sequences have {letters}");
            return Err(malformed(&file("nin"), problem));
        }
        Ok(())
    }

    /// Number of sequences.
    pub(super) fn len(&self) -> usize {
        self.header_offsets.len() - 1
    }

    /// Number of letters of a sequence. The last byte of its bases holds the number of bases in that byte.
    pub(super) fn length(&self, number: usize) -> usize {
        let (start, end) = (self.base_offsets[number], self.ambiguity_offsets[number]);
        let whole = (end - start - 1) as usize;
        whole * packed::BASES + usize::from(self.bases[end as usize - 1] & 3)
    }

    /// Copies the packed bases of a sequence. Behind the last base are zeros.
    pub(super) fn copy_packed(&self, number: usize, into: &mut [u8]) {
        let start = self.base_offsets[number] as usize;
        into.copy_from_slice(&self.bases[start..start + into.len()]);
        let in_last_byte = self.length(number) % packed::BASES;
        if let (Some(last), 1..) = (into.last_mut(), in_last_byte) {
            *last &= !(0xff >> (2 * in_last_byte));
        }
    }

    /// The bytes of the definition lines of a sequence.
    pub(super) fn header(&self, number: usize) -> &[u8] {
        &self.headers
            [self.header_offsets[number] as usize..self.header_offsets[number + 1] as usize]
    }

    /// The definition lines of a sequence.
    pub(super) fn deflines(&self, number: usize) -> Result<Vec<Defline>, NcbiDatabaseError> {
        Defline::decode_set(self.header(number))
            .map_err(|_| self.malformed("nhr", number, "its definition lines are malformed"))
    }

    /// The runs of ambiguous letters of a sequence, ascending.
    ///
    /// A run takes a word: letter, length less one and position in 4, 4 and 24 bits. In long sequences it takes two words:
    /// letter and length less one in 4 and 12 bits, 16 bits that are not used, and the position.
    pub(super) fn ambiguous_runs(
        &self,
        number: usize,
    ) -> Result<Vec<AmbiguousRun>, NcbiDatabaseError> {
        let refused = || self.malformed("nsq", number, "its ambiguous letters are malformed");
        let range = self.ambiguity_offsets[number] as usize..self.base_offsets[number + 1] as usize;
        let bytes = &self.bases[range];
        if bytes.is_empty() {
            return Ok(Vec::new());
        }
        let mut words = bytes
            .chunks_exact(4)
            .map(|word| word.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)));
        let count = words.next().ok_or_else(refused)?;
        let words: Vec<u32> = words.collect();
        if (count & !LONG_RUNS) as usize != words.len() || !bytes.len().is_multiple_of(4) {
            return Err(refused());
        }
        let mut runs = Vec::new();
        if count & LONG_RUNS == 0 {
            runs.extend(words.iter().map(|word| AmbiguousRun {
                start: word & 0x00ff_ffff,
                length: (word >> 24 & 0xf) + 1,
                bases: (word >> 28) as u8,
            }));
        } else {
            if !words.len().is_multiple_of(2) {
                return Err(refused());
            }
            runs.extend(words.chunks_exact(2).map(|two| AmbiguousRun {
                start: two[1],
                length: (two[0] >> 16 & 0xfff) + 1,
                bases: (two[0] >> 28) as u8,
            }));
        }
        let mut behind = 0;
        for run in &runs {
            let end = u64::from(run.start) + u64::from(run.length);
            let is_right = u64::from(run.start) >= behind
                && end <= self.length(number) as u64
                && run.bases != 0;
            if !is_right {
                return Err(refused());
            }
            behind = end;
        }
        Ok(runs)
    }

    /// The error of a sequence of a file.
    fn malformed(
        &self,
        extension: &str,
        number: usize,
        problem: impl Into<String>,
    ) -> NcbiDatabaseError {
        let location = InputLocation::in_file(&extended(&self.path, extension));
        let location = location.at_record(number as u64 + 1, None);
        NcbiDatabaseError::Malformed { location, problem: problem.into() }
    }
}

/// The error of a whole file.
fn malformed(path: &Path, problem: impl Into<String>) -> NcbiDatabaseError {
    NcbiDatabaseError::Malformed { location: InputLocation::in_file(path), problem: problem.into() }
}

/// Reads a file.
fn read(path: &Path) -> Result<Vec<u8>, NcbiDatabaseError> {
    fs::read(path)
        .map_err(|source: io::Error| NcbiDatabaseError::Read { path: path.to_owned(), source })
}

/// The fields of an index that were not read yet.
struct IndexFields<'a>(&'a [u8]);

impl<'a> IndexFields<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("the file is truncated")?;
        self.0 = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, String> {
        Ok(self.take(4)?.iter().fold(0, |number, &byte| number << 8 | u32::from(byte)))
    }

    /// The number of all letters, which is little-endian.
    fn letters(&mut self) -> Result<u64, String> {
        let bytes = self.take(8)?.iter().rev();
        Ok(bytes.fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    fn text(&mut self) -> Result<String, String> {
        let length = self.number()? as usize;
        Ok(String::from_utf8_lossy(self.take(length)?).into_owned())
    }

    /// A list of offsets: one for each sequence and one more.
    fn offsets(&mut self, sequences: usize) -> Result<Vec<u32>, String> {
        let range: Range<usize> = 0..(sequences + 1).saturating_mul(4);
        let bytes = self.take(range.len())?;
        let number =
            |word: &[u8]| word.iter().fold(0, |number, &byte| number << 8 | u32::from(byte));
        Ok(bytes.chunks_exact(4).map(number).collect())
    }
}
