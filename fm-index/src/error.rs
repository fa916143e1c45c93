//! What can go wrong: each error prints as one line.

use std::fmt;
use std::io;
use std::path::PathBuf;

use aligner_core::seq::describe;
use thiserror::Error;

/// Where in the input a reference is wrong.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The file, unless the records came from memory.
    pub file: Option<PathBuf>,
    /// The record, counted from 1.
    pub record: Option<u64>,
    /// The line, counted from 1.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        match (self.record, self.line) {
            (Some(record), Some(line)) => write!(f, "record {record} (line {line}): "),
            (Some(record), None) => write!(f, "record {record}: "),
            (None, Some(line)) => write!(f, "line {line}: "),
            (None, None) => Ok(()),
        }
    }
}

/// A reference that cannot be used: the place and the problem.
#[derive(Debug, Error)]
#[error("{place}{problem}")]
pub struct ReferenceError {
    /// Where.
    pub place: Place,
    /// What.
    pub problem: ReferenceProblem,
}

/// What is wrong with a reference.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReferenceProblem {
    /// The file cannot be opened.
    #[error("{0}")]
    Io(String),
    /// Reading failed in the middle: mostly, compressed data that is cut short or damaged.
    #[error("reading failed: {0}")]
    Read(String),
    /// No data at all, once decompressed.
    #[error("no FASTA data: the file is empty")]
    EmptyFile,
    /// Neither FASTA nor FASTA compressed by gzip, bzip2 or zstd.
    #[error("not a FASTA file (plain or compressed by gzip, bzip2 or zstd)")]
    NotFasta,
    /// FASTQ where FASTA is wanted.
    #[error("the reference is a FASTQ file, a FASTA file is needed")]
    Fastq,
    /// A header without a name.
    #[error("the contig has no name")]
    NoName,
    /// A name with control characters or bytes outside ASCII.
    #[error("the contig name '{0}' has characters that are not printable ASCII")]
    Name(String),
    /// Two contigs of one name.
    #[error("a second contig is named '{0}'")]
    DuplicateName(String),
    /// A contig of length 0.
    #[error("contig '{0}' has no bases")]
    EmptyContig(String),
    /// A character that is no IUPAC nucleotide letter.
    #[error("contig '{contig}' has {} at base {position}, which is not a nucleotide letter",
        describe(*letter))]
    Letter {
        /// The contig.
        contig: String,
        /// The character.
        letter: u8,
        /// Its place in the contig, counted from 1.
        position: u64,
    },
    /// More bases than 32-bit coordinates hold.
    #[error("the reference has more than {} bases", crate::reference::MAX_BASES)]
    TooLong,
    /// Not one record.
    #[error("the reference has no records")]
    NoRecords,
    /// Nothing to align to.
    #[error("the reference has no A, C, G or T")]
    NoBases,
}

/// An index that cannot be built, saved or opened.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Another kind of file.
    #[error("{}: not a gpualign index", path.display())]
    NotAnIndex {
        /// The file.
        path: PathBuf,
    },
    /// Written by another version of the format.
    #[error("{}: index format {found}, this program reads format {expected}; build it again",
        path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The version that this program reads and writes.
        expected: u32,
    },
    /// Written on a machine of the other byte order.
    #[error("{}: the index has another byte order than this machine; build it again", path.display())]
    ByteOrder {
        /// The file.
        path: PathBuf,
    },
    /// Not as long as the header says, or too short to have one.
    #[error("{}: the index is {}: it has {found} bytes, not {expected}", path.display(),
        if found < expected { "truncated" } else { "too long" })]
    Length {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        found: u64,
        /// The bytes it should have.
        expected: u64,
    },
    /// The header does not have the checksum it says, or contradicts itself.
    #[error("{}: the index header is damaged", path.display())]
    DamagedHeader {
        /// The file.
        path: PathBuf,
    },
    /// A section does not have the checksum that the header says.
    #[error("{}: section '{section}' of the index is damaged", path.display())]
    DamagedSection {
        /// The file.
        path: PathBuf,
        /// The section.
        section: &'static str,
    },
    /// [`crate::BuildOptions::sample_rate`] is not one of 1, 2, 4, ..., 64.
    #[error("the sample rate must be a power of two from 1 to 64, not {0}")]
    SampleRate(u32),
    /// The suffix array could not be built.
    #[error("building the suffix array failed: {0}")]
    SuffixArray(&'static str),
}
