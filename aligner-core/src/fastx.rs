//! Opening sequence files: FASTA and FASTQ, plain or compressed.
//!
//! needletail splits text into records. What comes before is done here, because it stops after the
//! first of several bzip2 streams, calls a failed decompression an empty file, and wants a line end
//! after the last, empty, FASTA sequence.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use needletail::FastxReader;
use needletail::parser::{FastaReader, FastqReader};
use thiserror::Error;

/// Bytes that cannot be read as sequence records.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Reading or decompressing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// There is nothing.
    #[error("the file is empty")]
    Empty,
    /// Another format.
    #[error("neither FASTQ nor FASTA (plain or compressed by gzip, bzip2 or zstd)")]
    UnknownFormat,
}

/// Opens a file to read. A directory is refused at once: reading it would fail later.
///
/// # Errors
/// If there is none, or it cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// The records of FASTA or FASTQ text. Compression (all members of gzip, streams of bzip2, frames
/// of zstd) and format are told from the first bytes.
///
/// # Errors
/// If the first bytes cannot be read or are of no such format. Later errors come with the records.
pub fn records<'r>(bytes: impl Read + Send + 'r) -> Result<Box<dyn FastxReader + 'r>, OpenError> {
    match text(bytes)? {
        Text::Plain(text) | Text::Decompressed(text) => parse(text),
    }
}

/// What was in a file, as text, and how it gets there.
pub enum Text<'r> {
    /// As it stands there.
    Plain(Box<dyn Read + Send + 'r>),
    /// Decompressed while it is read.
    Decompressed(Box<dyn Read + Send + 'r>),
}

/// The records of text that is no longer compressed, see [`records`].
///
/// # Errors
/// As for [`records`].
pub fn parse<'r>(text: impl Read + Send + 'r) -> Result<Box<dyn FastxReader + 'r>, OpenError> {
    let (first, text) = peek(text, 1)?;
    match first.first() {
        Some(b'>') => Ok(Box::new(FastaReader::new(text.chain(b"\n\n".as_slice())))),
        Some(b'@') => Ok(Box::new(FastqReader::new(text))),
        None => Err(OpenError::Empty),
        Some(_) => Err(OpenError::UnknownFormat),
    }
}

/// The text of a file: all members, streams or frames of it, if it is compressed.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn text<'r>(bytes: impl Read + Send + 'r) -> io::Result<Text<'r>> {
    let (magic, raw) = peek(bytes, 4)?;
    let raw = BufReader::new(raw);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => Text::Decompressed(Box::new(MultiGzDecoder::new(raw))),
        [b'B', b'Z', b'h', _] => Text::Decompressed(Box::new(MultiBzDecoder::new(raw))),
        [0x28, 0xb5, 0x2f, 0xfd] => Text::Decompressed(Box::new(zstd::Decoder::with_buffer(raw)?)),
        _ => Text::Plain(Box::new(raw)),
    })
}

/// The first bytes, as many as there are up to `count`, and the whole.
fn peek<R: Read>(mut bytes: R, count: u64) -> io::Result<(Vec<u8>, impl Read + use<R>)> {
    let mut first = Vec::new();
    bytes.by_ref().take(count).read_to_end(&mut first)?;
    Ok((first.clone(), Cursor::new(first).chain(bytes)))
}
