//! Reading a reference: FASTA records are checked and packed one contig at a time.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::Path;

use aligner_core::fastx::{self, OpenError, line_of_residue};
use aligner_core::input_location::InputLocation;
use aligner_core::seq::{UNKNOWN, encode, is_iupac};
use md5::{Digest, Md5};
use needletail::errors::{ParseError, ParseErrorKind};
use needletail::parser::Format;
use rayon::prelude::*;

use super::Reference;
use super::contig::{Contig, MAX_BASES};
use super::error::{ReferenceError, ReferenceProblem};
use super::exception::{Exception, cut, substitute};
use super::packed::PackedText;
use crate::fingerprint::{FileFingerprint, FingerprintReader};

impl Reference {
    /// Reads a FASTA file, plain or compressed by gzip (BGZF included), bzip2 or zstd, which is
    /// told from its first bytes. Line ends may be LF or CRLF, letters in either case.
    ///
    /// # Errors
    /// [`ReferenceError`] with file, record and line: see [`ReferenceProblem`].
    pub fn from_fasta(path: impl AsRef<Path>) -> Result<Self, ReferenceError> {
        read(path.as_ref())
    }

    /// Takes records from memory: headers, whose first words are the contigs' names, and letters.
    ///
    /// # Errors
    /// As [`Reference::from_fasta`], without file and line.
    pub fn from_records<N: AsRef<[u8]>, L: AsRef<[u8]>>(
        records: impl IntoIterator<Item = (N, L)>,
    ) -> Result<Self, ReferenceError> {
        collect(records)
    }
}

/// Reads a FASTA file.
fn read(path: &Path) -> Result<Reference, ReferenceError> {
    let file_location = InputLocation { file: Some(path.to_owned()), ..InputLocation::default() };
    let in_file = |problem| ReferenceError { location: file_location.clone(), problem };
    let at_record = |record, line, problem| ReferenceError {
        location: file_location.clone().at_record(record, line),
        problem,
    };
    let unreadable = |error: io::Error| in_file(ReferenceProblem::Io(error.to_string()));

    let mut file = FingerprintReader::new(fastx::open(path).map_err(unreadable)?);
    let mut builder = ReferenceBuilder::default();
    let mut number = 0;
    {
        let mut records = fastx::records(&mut file).map_err(|error| {
            let problem = match error {
                OpenError::Io(error) => ReferenceProblem::Read(error.to_string()),
                OpenError::Empty => ReferenceProblem::EmptyFile,
                OpenError::UnknownFormat => ReferenceProblem::NotFasta,
            };
            in_file(problem)
        })?;
        while let Some(record) = records.next() {
            number += 1;
            let record = record.map_err(|error| {
                let line = fastx::RecordProblem::from(&error).line;
                at_record(number, line, problem_of(&error))
            })?;
            let header_line = record.start_line_number();
            if record.format() == Format::Fastq {
                return Err(at_record(number, Some(header_line), ReferenceProblem::Fastq));
            }
            builder.add(record.id(), &record.seq()).map_err(|problem| {
                let line = match problem {
                    ReferenceProblem::Letter { position, .. } => {
                        header_line + line_of_residue(record.raw_seq(), position as usize - 1)
                    }
                    _ => header_line,
                };
                at_record(number, Some(line), problem)
            })?;
        }
    }
    let source = file.finish().map_err(unreadable)?;
    builder.finish(source).map_err(in_file)
}

/// Takes records from memory.
fn collect<N: AsRef<[u8]>, L: AsRef<[u8]>>(
    records: impl IntoIterator<Item = (N, L)>,
) -> Result<Reference, ReferenceError> {
    let in_memory = InputLocation::default;
    let mut builder = ReferenceBuilder::default();
    for (i, (header, letters)) in records.into_iter().enumerate() {
        builder.add(header.as_ref(), letters.as_ref()).map_err(|problem| ReferenceError {
            location: in_memory().at_record(i as u64 + 1, None),
            problem,
        })?;
    }
    builder
        .finish(FileFingerprint::default())
        .map_err(|problem| ReferenceError { location: in_memory(), problem })
}

/// The problem behind a parser's error. A reference tells FASTQ from other text, and needs no more: unlike reads,
/// whose errors [`RecordProblem`](fastx::RecordProblem) explains in detail, it may not be FASTQ at all.
fn problem_of(error: &ParseError) -> ReferenceProblem {
    match error.kind {
        ParseErrorKind::Io => ReferenceProblem::Read(error.msg.clone()),
        _ if error.format == Some(Format::Fastq) => ReferenceProblem::Fastq,
        _ => ReferenceProblem::NotFasta,
    }
}

/// A [`Reference`] to which contigs are added one by one.
#[derive(Default)]
struct ReferenceBuilder {
    contigs: Vec<Contig>,
    /// Names of the contigs so far.
    names: HashSet<String>,
    exceptions: Vec<Exception>,
    /// The indexed text without `gap`.
    text: PackedText,
    /// Bases of all contigs so far, exceptions included.
    length: u32,
    /// Run of exceptions at the end, which may go on; its substitutes are not in the text yet.
    gap: Range<u32>,
    /// Number of A, C, G and T so far.
    bases: u64,
}

impl ReferenceBuilder {
    /// Adds a contig with this header and these letters.
    fn add(&mut self, header: &[u8], letters: &[u8]) -> Result<(), ReferenceProblem> {
        let name = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if name.is_empty() {
            return Err(ReferenceProblem::NoName);
        }
        let printable = String::from_utf8_lossy(name).escape_debug().to_string();
        if !Contig::is_name(name) {
            return Err(ReferenceProblem::Name(printable));
        }
        let name = String::from_utf8_lossy(name).into_owned();
        if !self.names.insert(name.clone()) {
            return Err(ReferenceProblem::DuplicateName(name));
        }
        if letters.is_empty() {
            return Err(ReferenceProblem::EmptyContig(name));
        }
        if letters.len() as u64 > u64::from(MAX_BASES - self.length) {
            return Err(ReferenceProblem::TooLong);
        }
        if let Some(place) = find_first(letters, |letter| !is_iupac(letter)) {
            return Err(ReferenceProblem::Letter {
                contig: name,
                letter: letters[place],
                position: place as u64 + 1,
            });
        }
        let offset = self.length;
        let (md5, ()) = rayon::join(
            || Md5::digest(letters.to_ascii_uppercase()).into(),
            || self.add_letters(letters),
        );
        self.contigs.push(Contig { name, offset, length: letters.len() as u32, md5 });
        Ok(())
    }

    /// Adds the letters of a contig.
    fn add_letters(&mut self, mut letters: &[u8]) {
        while let Some(&first) = letters.first() {
            let of_run = class(first);
            let end = find_first(letters, |letter| class(letter) != of_run);
            let (run, rest) = letters.split_at(end.unwrap_or(letters.len()));
            if of_run == BASE {
                self.close_gap();
                self.text.extend_with_letters(run);
                self.bases += run.len() as u64;
            } else {
                self.extend_gap(of_run, run.len() as u32);
            }
            self.length += run.len() as u32;
            letters = rest;
        }
    }

    /// Adds a run of one exception letter at the end of the reference.
    fn extend_gap(&mut self, letter: u8, length: u32) {
        let start = self.length;
        if self.gap.end != start {
            self.close_gap();
            self.gap = start..start;
        }
        self.gap.end = start + length;
        self.exceptions.push(Exception { start, length, letter: u32::from(letter) });
    }

    /// Appends the substitutes of the gap's letters, but for its cut, to the text.
    fn close_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        let cut = cut(&gap);
        for position in (gap.start..cut.start).chain(cut.end..gap.end) {
            self.text.push(substitute(position));
        }
    }

    /// Completes the reference, which came from the file of this fingerprint.
    fn finish(mut self, source: FileFingerprint) -> Result<Reference, ReferenceProblem> {
        if self.contigs.is_empty() {
            return Err(ReferenceProblem::NoRecords);
        }
        if self.bases == 0 {
            return Err(ReferenceProblem::NoBases);
        }
        self.close_gap();
        Ok(Reference::new(self.contigs, self.exceptions, self.text.into_words(), source))
    }
}

/// Letters that a thread looks at in a piece.
const PIECE: usize = 1 << 16;

/// The place of the first letter that is so, on the current rayon pool.
fn find_first(letters: &[u8], is_so: impl Fn(u8) -> bool + Sync) -> Option<usize> {
    let in_piece = |(number, piece): (usize, &[u8])| {
        piece.iter().position(|&letter| is_so(letter)).map(|place| number * PIECE + place)
    };
    // Runs of other letters than bases are short, but for those at the ends of chromosomes.
    in_piece((0, &letters[..letters.len().min(PIECE)]))
        .or_else(|| letters.par_chunks(PIECE).enumerate().skip(1).find_map_first(in_piece))
}

/// Class of A, C, G, T and U, see [`class`].
const BASE: u8 = 0;

/// Class of a letter: [`BASE`], or the upper-case letter of an exception.
fn class(letter: u8) -> u8 {
    if encode(letter) == UNKNOWN { letter.to_ascii_uppercase() } else { BASE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bases_than_coordinates_are_refused() {
        let full = || ReferenceBuilder { length: MAX_BASES - 3, ..ReferenceBuilder::default() };
        assert!(full().add(b"fits", b"ACG").is_ok());
        assert!(matches!(full().add(b"too_long", b"ACGT"), Err(ReferenceProblem::TooLong)));
        assert_eq!(u64::from(MAX_BASES), (1 << 32) - (1 << 16));
    }
}
