//! Reading a reference: FASTA records are checked and packed one contig at a time.

use std::collections::HashSet;
use std::io;
use std::ops::Range;
use std::path::Path;

use aligner_core::fastx::{self, OpenError};
use aligner_core::seq::{UNKNOWN, encode, is_iupac};
use md5::{Digest, Md5};
use needletail::errors::{ParseError, ParseErrorKind};
use needletail::parser::Format;

use crate::coordinates::{Exception, cut, substitute};
use crate::error::{Place, ReferenceError, ReferenceProblem};
use crate::packed::Packer;
use crate::reference::{Contig, MAX_BASES, Reference};
use crate::source::{Source, SourceReader};

/// Reads a FASTA file.
pub(crate) fn read(path: &Path) -> Result<Reference, ReferenceError> {
    let at = |record, line, problem| ReferenceError {
        place: Place { file: Some(path.to_owned()), record, line },
        problem,
    };
    let unreadable = |error: io::Error| at(None, None, ReferenceProblem::Io(error.to_string()));

    let mut file = SourceReader::new(fastx::open(path).map_err(unreadable)?);
    let mut assembler = Assembler::default();
    let mut number = 0;
    {
        let mut records = fastx::records(&mut file).map_err(|error| {
            let problem = match error {
                OpenError::Io(error) => ReferenceProblem::Read(error.to_string()),
                OpenError::Empty => ReferenceProblem::EmptyFile,
                OpenError::UnknownFormat => ReferenceProblem::NotFasta,
            };
            at(None, None, problem)
        })?;
        while let Some(record) = records.next() {
            number += 1;
            let record = record.map_err(|error| {
                let line = Some(error.position.line).filter(|&line| line > 0);
                at(Some(number), line, explain(&error))
            })?;
            let header_line = record.start_line_number();
            if record.format() == Format::Fastq {
                return Err(at(Some(number), Some(header_line), ReferenceProblem::Fastq));
            }
            assembler.add(record.id(), &record.seq()).map_err(|problem| {
                let line = match problem {
                    ReferenceProblem::Letter { .. } => header_line + 1 + bad_line(record.raw_seq()),
                    _ => header_line,
                };
                at(Some(number), Some(line), problem)
            })?;
        }
    }
    let source = file.finish().map_err(unreadable)?;
    assembler.finish(source).map_err(|problem| at(None, None, problem))
}

/// Takes records from memory.
pub(crate) fn collect<N: AsRef<[u8]>, L: AsRef<[u8]>>(
    records: impl IntoIterator<Item = (N, L)>,
) -> Result<Reference, ReferenceError> {
    let at =
        |record, problem| ReferenceError { place: Place { record, ..Place::default() }, problem };
    let mut assembler = Assembler::default();
    for (i, (header, letters)) in records.into_iter().enumerate() {
        assembler
            .add(header.as_ref(), letters.as_ref())
            .map_err(|problem| at(Some(i as u64 + 1), problem))?;
    }
    assembler.finish(Source::default()).map_err(|problem| at(None, problem))
}

/// A parser's error in our words.
fn explain(error: &ParseError) -> ReferenceProblem {
    match error.kind {
        ParseErrorKind::Io => ReferenceProblem::Read(error.msg.clone()),
        _ if error.format == Some(Format::Fastq) => ReferenceProblem::Fastq,
        _ => ReferenceProblem::NotFasta,
    }
}

/// Line breaks before the first bad letter.
fn bad_line(raw: &[u8]) -> u64 {
    let letters = raw.split(|&byte| byte == b'\n');
    let is_good = |line: &&[u8]| line.iter().all(|&byte| byte == b'\r' || is_iupac(byte));
    letters.take_while(is_good).count() as u64
}

/// Gathers contigs into a [`Reference`].
#[derive(Default)]
struct Assembler {
    contigs: Vec<Contig>,
    names: HashSet<String>,
    exceptions: Vec<Exception>,
    text: Packer,
    length: u32,
    /// A run of exceptions that may go on, its bases not yet in the text.
    gap: Range<u32>,
    bases: u64,
}

impl Assembler {
    fn add(&mut self, header: &[u8], letters: &[u8]) -> Result<(), ReferenceProblem> {
        let name = header.split(u8::is_ascii_whitespace).next().unwrap_or_default();
        if name.is_empty() {
            return Err(ReferenceProblem::NoName);
        }
        let printable = String::from_utf8_lossy(name).escape_debug().to_string();
        if !name.iter().all(u8::is_ascii_graphic) {
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
        if let Some(place) = letters.iter().position(|&letter| !is_iupac(letter)) {
            return Err(ReferenceProblem::Letter {
                contig: name,
                letter: letters[place],
                position: place as u64 + 1,
            });
        }
        let offset = self.length;
        for run in letters.chunk_by(|&left, &right| class(left) == class(right)) {
            let class = class(run[0]);
            if class == BASE {
                self.close_gap();
                for &letter in run {
                    self.text.push(encode(letter));
                }
                self.bases += run.len() as u64;
            } else {
                self.extend_gap(class, run.len() as u32);
            }
            self.length += run.len() as u32;
        }
        let upper = letters.to_ascii_uppercase();
        let md5 = Md5::digest(&upper).into();
        self.contigs.push(Contig { name, offset, length: letters.len() as u32, md5 });
        Ok(())
    }

    /// Takes a run of one exception letter at the end of the reference.
    fn extend_gap(&mut self, letter: u8, length: u32) {
        let start = self.length;
        if self.gap.end != start {
            self.close_gap();
            self.gap = start..start;
        }
        self.gap.end = start + length;
        self.exceptions.push(Exception { start, length, letter: u32::from(letter) });
    }

    /// Puts the substitutes of the gap's bases into the text, without its cut.
    fn close_gap(&mut self) {
        let gap = std::mem::take(&mut self.gap);
        let cut = cut(&gap);
        for position in (gap.start..cut.start).chain(cut.end..gap.end) {
            self.text.push(substitute(position));
        }
    }

    fn finish(mut self, source: Source) -> Result<Reference, ReferenceProblem> {
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

/// The class of A, C, G, T and U.
const BASE: u8 = 0;

/// [`BASE`], or the upper-case letter of an exception.
fn class(letter: u8) -> u8 {
    if encode(letter) == UNKNOWN { letter.to_ascii_uppercase() } else { BASE }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bases_than_coordinates_are_refused() {
        let full = || Assembler { length: MAX_BASES - 3, ..Assembler::default() };
        assert!(full().add(b"fits", b"ACG").is_ok());
        assert!(matches!(full().add(b"too_long", b"ACGT"), Err(ReferenceProblem::TooLong)));
        assert_eq!(u64::from(MAX_BASES), (1 << 32) - (1 << 16));
    }
}
