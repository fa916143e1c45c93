//! References that cannot be used; each error prints as one line.

use aligner_core::input_location::InputLocation;
use aligner_core::seq::describe;
use thiserror::Error;

use super::contig::MAX_BASES;

/// A reference that cannot be used: the location in the input and the problem.
#[derive(Debug, Error)]
#[error("{location}{problem}")]
pub struct ReferenceError {
    /// File, record and line, as far as they are known.
    pub location: InputLocation,
    /// Why the reference cannot be used.
    pub problem: ReferenceProblem,
}

/// Reason of a [`ReferenceError`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ReferenceProblem {
    /// The file cannot be opened.
    #[error("{0}")]
    Io(String),
    /// Reading failed within the file: mostly, compressed data that is cut short or damaged.
    #[error("reading failed: {0}")]
    Read(String),
    /// The file has no data, once decompressed.
    #[error("no FASTA data: the file is empty")]
    EmptyFile,
    /// The file is neither FASTA nor FASTA compressed by gzip, bzip2 or zstd.
    #[error("not a FASTA file (plain or compressed by gzip, bzip2 or zstd)")]
    NotFasta,
    /// The file is FASTQ.
    #[error(
        "this is FASTQ, but a reference must be FASTA: give the reference as the last file, after the reads"
    )]
    Fastq,
    /// A header without a name.
    #[error("the contig has no name")]
    NoName,
    /// A name that SAM does not allow.
    #[error(
        "the contig name '{0}' has characters that SAM does not allow there: rename it in the FASTA file"
    )]
    Name(String),
    /// Two contigs of the same name.
    #[error("a second contig is named '{0}'")]
    DuplicateName(String),
    /// A contig of length 0.
    #[error("contig '{0}' has no bases")]
    EmptyContig(String),
    /// A character that is no IUPAC nucleotide letter.
    #[error("contig '{contig}' has {} at base {position}, which is not a nucleotide letter",
        describe(*letter))]
    Letter {
        /// Name of the contig.
        contig: String,
        /// The character found there.
        letter: u8,
        /// Position of the character in the contig, from 1.
        position: u64,
    },
    /// More bases than 32-bit coordinates hold.
    #[error("the reference has more than {MAX_BASES} bases")]
    TooLong,
    /// The input has no record.
    #[error("the reference has no records")]
    NoRecords,
    /// The input has only ambiguous letters, to which nothing can be aligned.
    #[error("the reference has no A, C, G or T")]
    NoBases,
}
