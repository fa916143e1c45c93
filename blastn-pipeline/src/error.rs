//! Errors of sequence files, databases and searches.

use std::fmt;
use std::io;
use std::path::PathBuf;

use aligner_core::DeviceError;
use thiserror::Error;

/// Where in a file something is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, or what it is called.
    pub file: String,
    /// The record, from 1.
    pub record: Option<u64>,
    /// The line, from 1.
    pub line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file)?;
        if let Some(record) = self.record {
            write!(f, ": record {record}")?;
        }
        if let Some(line) = self.line {
            write!(f, ", line {line}")?;
        }
        Ok(())
    }
}

/// A file of sequences that cannot be used.
#[derive(Debug, Error)]
#[error("{place}: {problem}")]
pub struct SequenceError {
    /// Where.
    pub place: Place,
    /// What is wrong.
    pub problem: String,
}

/// A database that cannot be made or used.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// Reading or writing failed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The sequences cannot be used.
    #[error(transparent)]
    Sequences(#[from] SequenceError),
    /// Another kind of file.
    #[error("{}: not a database of gpualign makedb", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// Written on a machine of the other byte order.
    #[error("{}: made on a machine of another byte order; make it again", path.display())]
    ByteOrder {
        /// The file.
        path: PathBuf,
    },
    /// Another version of the format.
    #[error("{}: format version {found}, but this program reads {expected}; make the database again",
        path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// This program's.
        expected: u32,
    },
    /// Cut short or grown.
    #[error("{}: {found} bytes, but should have {expected}", path.display())]
    Length {
        /// The file.
        path: PathBuf,
        /// Its bytes.
        found: u64,
        /// As its header says.
        expected: u64,
    },
    /// A checksum does not fit.
    #[error("{}: damaged (checksum of the {part})", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The part.
        part: &'static str,
    },
}

/// A search that cannot be started.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The device failed or has too little memory.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// No statistics are tabulated for these match and mismatch scores.
    #[error(
        "match and mismatch scores {reward} and {penalty} are not supported, as no statistics are known for them; \
        use for example 1 and -2, 1 and -3, or 2 and -3"
    )]
    Scores {
        /// Score of a match.
        reward: i32,
        /// Score of a mismatch.
        penalty: i32,
    },
    /// No statistics are tabulated for these gap costs.
    #[error(
        "gap costs {open} and {extend} are not supported with match and mismatch scores {reward} and {penalty}; \
        supported are {supported}, and all greater than the last pair"
    )]
    GapCosts {
        /// Score of a match.
        reward: i32,
        /// Score of a mismatch.
        penalty: i32,
        /// Cost of opening a gap.
        open: i32,
        /// Cost of a column of a gap.
        extend: i32,
        /// Supported gap costs: pairs of opening and extending.
        supported: String,
    },
}
