//! Checking, opening and decompressing files of reads.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aligner_core::fastx::{self, OpenError, Text};
use aligner_core::input_location::{input_name, is_stdin};
use anyhow::{Context, Result, bail};
use needletail::FastxReader;
use needletail::parser::FastqReader;

use crate::input::ahead::ReadAhead;
use crate::input::limit::LimitedText;
use crate::input::progress::{CountedFile, InputProgress};

/// Checks that the files exist, and that standard input (`-`) is among them at most once.
///
/// # Errors
/// Names the file, and why it cannot be read.
pub fn check(paths: &[PathBuf]) -> Result<()> {
    if paths.iter().filter(|path| is_stdin(path)).count() > 1 {
        bail!("standard input can be read only once");
    }
    for path in paths.iter().filter(|path| !is_stdin(path)) {
        let metadata = fs::metadata(path).with_context(|| input_name(path))?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory))
                .with_context(|| input_name(path));
        }
    }
    Ok(())
}

/// The records of a file, or of standard input (`-`), of any length. A compressed file has its own decompression thread.
///
/// # Errors
/// If it cannot be read, or is neither FASTQ nor FASTA.
pub fn open(path: &Path) -> Result<Box<dyn FastxReader>> {
    let records = || fastx::parse(text(bytes(path)?)?);
    records().with_context(|| input_name(path))
}

/// The records of a file of reads as by [`open`]; a record that is far too long for a read is an error, and a file without
/// any bytes has no records. Its bytes are counted as they are read.
///
/// # Errors
/// As [`open`], but for an empty file.
pub fn open_reads(path: &Path, progress: &Arc<InputProgress>) -> Result<Box<dyn FastxReader>> {
    let records = || {
        let counted = CountedFile::new(bytes(path)?, progress);
        match fastx::parse(LimitedText::new(text(counted)?)) {
            Err(OpenError::Empty) => Ok(Box::new(FastqReader::new(io::empty())) as Box<_>),
            opened => opened,
        }
    };
    records().with_context(|| input_name(path))
}

/// The bytes of a file.
fn bytes(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(if is_stdin(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// The text of a file with these bytes, decompressed.
fn text(bytes: impl Read + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    Ok(match fastx::text(bytes)? {
        Text::Plain(text) => text,
        Text::Decompressed(text) => Box::new(ReadAhead::new(text)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn standard_input_is_read_once() {
        let twice = check(&["-".into(), "-".into()]).expect_err("is refused");
        assert_eq!(twice.to_string(), "standard input can be read only once");
        assert!(check(&["-".into()]).is_ok());
    }
}
