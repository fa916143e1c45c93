//! Checking, opening and decompressing files of reads.

use std::fs::{self, File};
use std::io::{self, Cursor, PipeReader, Read};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use aligner_core::fastx::{self, OpenError, RecordText, Text};
use aligner_core::input_location::{input_name, is_stdin};
use anyhow::{Context, Error, Result, anyhow, bail};
use needletail::FastxReader;

use crate::input::ahead::ReadAhead;
use crate::input::alignments::AlignmentReads;
use crate::input::limit::LimitedText;
use crate::input::progress::{CountedFile, InputProgress};
use crate::options::check_threads;

/// The first bytes of files of SAM, BAM and CRAM, once decompressed. A read of FASTQ would hardly have such a header.
const ALIGNMENT_BEGINS: [&[u8]; 7] =
    [b"BAM\x01", b"CRAM", b"@HD\tVN:", b"@SQ\tSN:", b"@RG\tID:", b"@PG\tID:", b"@CO\t"];

/// Enough bytes to compare with [`ALIGNMENT_BEGINS`].
const LONGEST_BEGIN: u64 = 7;

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

/// A file of reads that is open.
pub enum OpenReads {
    /// Text of FASTQ or FASTA, perhaps compressed.
    Text(Box<dyn Read + Send>),
    /// Records of SAM, BAM or CRAM.
    Alignments(Box<AlignmentReads>),
}

/// Whether a regular file is of SAM, BAM or CRAM, by its first bytes. If it cannot be read, it is none, and who reads it
/// tells why.
pub fn has_alignments(path: &Path) -> bool {
    is_regular(path) && File::open(path).is_ok_and(begins_as_alignments)
}

/// Whether a regular file begins as BGZF. If it cannot be read, it does not, and who reads it tells why.
fn is_bgzf(path: &Path) -> bool {
    let begins_as_bgzf = || fastx::begins_as_bgzf(File::open(path)?);
    is_regular(path) && begins_as_bgzf().unwrap_or(false)
}

fn is_regular(path: &Path) -> bool {
    !is_stdin(path) && fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

/// Whether a file can be read only once: standard input (`-`) or a pipe.
pub fn is_stream(path: &Path) -> bool {
    let is_pipe = |metadata: fs::Metadata| !metadata.is_file() && !metadata.is_dir();
    is_stdin(path) || fs::metadata(path).is_ok_and(is_pipe)
}

/// Whether bytes begin as a file of SAM, BAM or CRAM. Of a stream, it takes what it can get at once.
fn begins_as_alignments(bytes: impl Read + Send) -> bool {
    let begin = || {
        let (Text::Plain(text) | Text::Decompressed(text)) = fastx::text(bytes)?;
        let mut begin = Vec::new();
        text.take(LONGEST_BEGIN).read_to_end(&mut begin)?;
        Ok::<_, io::Error>(begin)
    };
    begin().is_ok_and(|begin| ALIGNMENT_BEGINS.iter().any(|magic| begin.starts_with(magic)))
}

/// Opens a regular file of SAM, BAM or CRAM, whose records up to `threads` threads decode.
///
/// # Errors
/// If it cannot be read.
pub fn open_alignments(path: &Path, threads: usize) -> Result<AlignmentReads> {
    let file = File::open(path).with_context(|| input_name(path))?;
    AlignmentReads::open(path, file.into(), threads)
}

/// Opens a file that can be read only once: standard input (`-`) or a pipe. Up to `threads` threads decode records of SAM, BAM
/// and CRAM.
///
/// # Errors
/// If it cannot be read.
pub fn open_stream(path: &Path, threads: usize) -> Result<OpenReads> {
    let bytes = bytes(path).with_context(|| input_name(path))?;
    let mut bytes = Recording { bytes, read: Vec::new() };
    let has_alignments = begins_as_alignments(&mut bytes);
    let whole = Cursor::new(bytes.read).chain(bytes.bytes);
    if !has_alignments {
        return Ok(OpenReads::Text(Box::new(whole)));
    }
    let pipe = pipe(whole).with_context(|| input_name(path))?;
    Ok(OpenReads::Alignments(Box::new(AlignmentReads::open(path, pipe.into(), threads)?)))
}

/// Bytes that remembers which of them were read.
struct Recording<R> {
    bytes: R,
    read: Vec<u8>,
}

impl<R: Read> Read for Recording<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.bytes.read(to)?;
        self.read.extend_from_slice(&to[..count]);
        Ok(count)
    }
}

/// A pipe with these bytes, which a thread writes into it, for who reads descriptors alone.
fn pipe(mut bytes: impl Read + Send + 'static) -> io::Result<PipeReader> {
    let (reader, mut writer) = io::pipe()?;
    // If the bytes end with an error, or early, the end of the file is missing, which the reader tells.
    thread::Builder::new().spawn(move || io::copy(&mut bytes, &mut writer))?;
    Ok(reader)
}

/// The records of a file, or of standard input (`-`), of any length. A compressed file has a decompression thread of its own.
///
/// # Errors
/// If it cannot be read, or is neither FASTQ nor FASTA.
pub fn open(path: &Path) -> Result<Box<dyn FastxReader>> {
    Ok(open_text(path)?.records())
}

/// The text of the records that [`open`] parses.
///
/// # Errors
/// As [`open`].
pub fn open_text(path: &Path) -> Result<RecordText<'static>> {
    let records = || RecordText::new(text(bytes(path)?)?);
    records().with_context(|| input_name(path))
}

/// The text of the records of a file of reads as by [`open`], or of its bytes if it is open already; a record that is far too
/// long for a read is an error, and a file without any bytes has no records. The bytes are counted as they are read.
/// If `threads` is 2 or more, so many decompress a regular file of BGZF; else one thread does, as any other compressed file.
///
/// # Errors
/// As [`open`], but for an empty file.
pub fn open_reads(
    path: &Path,
    open: Option<Box<dyn Read + Send>>,
    progress: &Arc<InputProgress>,
    threads: usize,
) -> Result<RecordText<'static>> {
    let records = || {
        let bytes = match open {
            Some(bytes) => bytes,
            None => bytes(path)?,
        };
        let bytes = CountedFile::new(bytes, progress);
        let several = NonZero::new(threads).filter(|threads| threads.get() > 1);
        let text: Box<dyn Read + Send> = match several {
            Some(threads) if is_bgzf(path) => {
                // One more reads for those that decompress.
                check_threads(threads.get() + 1)?;
                Box::new(fastx::bgzf_text(bytes, threads))
            }
            _ => text(bytes)?,
        };
        match RecordText::new(LimitedText::new(text)) {
            Err(OpenError::Empty) => Ok(RecordText::Fastq(Box::new(io::empty()))),
            opened => opened,
        }
    };
    records().map_err(|error| {
        let name = input_name(path);
        if matches!(error, OpenError::UnknownFormat) {
            anyhow!("{name}: {error}, nor SAM, BAM or CRAM (which a pipe can be if it is the only file of reads)")
        } else {
            Error::new(error).context(name)
        }
    })
}

/// The bytes of a file.
fn bytes(path: &Path) -> io::Result<Box<dyn Read + Send>> {
    Ok(if is_stdin(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) })
}

/// The text of a file with these bytes. A compressed file has a decompression thread of its own.
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
