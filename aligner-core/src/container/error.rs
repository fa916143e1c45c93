//! Reasons for which a container cannot be written or opened.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use super::format::Format;

/// A container file that cannot be written or opened. Prints as one line that begins with the path.
#[derive(Debug)]
pub struct ContainerError {
    /// Path of the file.
    pub path: PathBuf,
    /// Word for such a file, from [`Format::KIND`].
    pub kind: &'static str,
    /// Command that makes such a file, from [`Format::COMMAND`].
    pub command: &'static str,
    /// Why the file cannot be written or opened.
    pub problem: ContainerProblem,
}

/// Reason of a [`ContainerError`].
#[derive(Debug)]
pub enum ContainerProblem {
    /// Reading or writing failed.
    Io(io::Error),
    /// Another kind of file: the magic number differs.
    OtherKind,
    /// Written by another version of the format.
    Version {
        /// Version of the file.
        found: u32,
        /// Newest version that this program reads.
        expected: u32,
    },
    /// Written on a machine of the other byte order.
    ByteOrder,
    /// Not as long as the header says, or too short to have a header.
    Length {
        /// Length of the file, in bytes.
        found: u64,
        /// Length that it should have, in bytes.
        expected: u64,
    },
    /// The header does not match its checksum.
    DamagedHeader,
    /// The section of this name does not match its checksum.
    DamagedSection(&'static str),
    /// All checksums match, but the contents contradict each other, as this text tells.
    Inconsistent(String),
}

impl ContainerError {
    /// The error of a file of format `F`.
    pub fn new<F: Format>(path: &Path, problem: ContainerProblem) -> Self {
        Self { path: path.to_owned(), kind: F::KIND, command: F::COMMAND, problem }
    }

    /// Names the file by another path: the one by which the user knows it.
    #[must_use]
    pub fn with_path(self, path: &Path) -> Self {
        Self { path: path.to_owned(), ..self }
    }
}

impl fmt::Display for ContainerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, kind, command, problem } = self;
        write!(f, "{}: ", path.display())?;
        match problem {
            ContainerProblem::Io(source) => return write!(f, "{source}"),
            ContainerProblem::OtherKind => return write!(f, "not a gpualign {kind}"),
            ContainerProblem::Version { found, expected } => {
                write!(f, "{kind} format {found}, this program reads format {expected}")
            }
            ContainerProblem::ByteOrder => {
                write!(f, "the {kind} has another byte order than this machine")
            }
            ContainerProblem::Length { found, expected } => {
                let state = if found < expected { "truncated" } else { "too long" };
                write!(f, "the {kind} is {state}: it has {found} bytes, not {expected}")
            }
            ContainerProblem::DamagedHeader => write!(f, "the {kind} header is damaged"),
            ContainerProblem::DamagedSection(section) => {
                write!(f, "section '{section}' of the {kind} is damaged")
            }
            ContainerProblem::Inconsistent(reason) => {
                write!(f, "the {kind} contradicts itself: {reason}")
            }
        }?;
        write!(f, "; build it again by '{command}'")
    }
}

impl Error for ContainerError {}
