//! Sequence files: opening FASTA and FASTQ, plain or compressed, and explaining what is wrong with a record.
//!
//! The crate needletail splits text into records. Decompression and recognition of the format are done here,
//! because needletail stops after the first of several bzip2 streams, calls a failed decompression an empty file,
//! wants a line end after a last FASTA sequence that is empty, and takes three blank lines after a last FASTQ record for
//! another record.

mod bgzf_text;
mod blank_end;
mod four_lines;
#[cfg(test)]
mod gzip_file;
mod gzip_text;

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::num::NonZero;
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use needletail::FastxReader;
use needletail::errors::{ParseError, ParseErrorKind};
use needletail::parser::{FastaReader, FastqReader, Format};
use thiserror::Error;

use self::bgzf_text::{BgzfText, block_bytes};
use self::blank_end::WithoutBlankEnd;
pub use self::four_lines::{check_four_lines, without_return};
use self::gzip_text::GzipText;
use crate::bgzf::HEADER_BYTES;

/// Bytes of a file that are read at a time.
const BUFFER_BYTES: usize = 1 << 17;

/// A file that cannot be opened as sequence records.
#[derive(Debug, Error)]
pub enum OpenError {
    /// Reading or decompressing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file has no bytes, once decompressed.
    #[error("the file is empty")]
    Empty,
    /// The first byte begins neither a FASTQ nor a FASTA record.
    #[error("neither FASTQ nor FASTA (plain or compressed by gzip, bzip2 or zstd)")]
    UnknownFormat,
}

/// Opens a file to read. A directory is refused at once: reading it would fail later.
///
/// # Errors
/// If there is no such file, or it cannot be opened.
pub fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    Ok(file)
}

/// Records of a FASTA or FASTQ file, given its bytes. Compression (all members of gzip, streams of bzip2, frames
/// of zstd) and format are told from the first bytes.
///
/// # Errors
/// If the first bytes cannot be read or are of no such format. Later errors come with the records; see
/// [`RecordProblem`].
pub fn records<'r>(bytes: impl Read + Send + 'r) -> Result<Box<dyn FastxReader + 'r>, OpenError> {
    match text(bytes)? {
        Text::Plain(text) | Text::Decompressed(text) => parse(text),
    }
}

/// Text of a sequence file.
pub enum Text<'r> {
    /// The file itself is text.
    Plain(Box<dyn Read + Send + 'r>),
    /// The file is compressed, and is decompressed while this is read.
    Decompressed(Box<dyn Read + Send + 'r>),
}

/// Text of records, so that an end without a line end, or with blank lines, is as good as any.
pub enum RecordText<'r> {
    /// Text of FASTA.
    Fasta(Box<dyn Read + Send + 'r>),
    /// Text of FASTQ.
    Fastq(Box<dyn Read + Send + 'r>),
}

impl<'r> RecordText<'r> {
    /// Text of FASTA or FASTQ that is not compressed.
    ///
    /// # Errors
    /// As for [`records`].
    pub fn new(text: impl Read + Send + 'r) -> Result<Self, OpenError> {
        let (first, text) = peek(text, 1)?;
        match first.first() {
            Some(b'>') => Ok(Self::Fasta(Box::new(text.chain(b"\n\n".as_slice())))),
            Some(b'@') => Ok(Self::Fastq(Box::new(WithoutBlankEnd::new(text)))),
            None => Err(OpenError::Empty),
            Some(_) => Err(OpenError::UnknownFormat),
        }
    }

    /// Text of FASTQ behind a byte that is no line end, of a text that begins with a record.
    pub fn rest_of_fastq(text: impl Read + Send + 'r) -> Self {
        Self::Fastq(Box::new(WithoutBlankEnd::new(text)))
    }

    /// The records of the text.
    pub fn records(self) -> Box<dyn FastxReader + 'r> {
        match self {
            Self::Fasta(text) => Box::new(FastaReader::new(text)),
            Self::Fastq(text) => Box::new(FastqReader::new(text)),
        }
    }
}

/// Records of FASTA or FASTQ text that is not compressed, see [`records`].
///
/// # Errors
/// As for [`records`].
pub fn parse<'r>(text: impl Read + Send + 'r) -> Result<Box<dyn FastxReader + 'r>, OpenError> {
    Ok(RecordText::new(text)?.records())
}

/// Text of a file, given its bytes: all members, streams or frames of it, if it is compressed.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn text<'r>(bytes: impl Read + Send + 'r) -> io::Result<Text<'r>> {
    let (magic, raw) = peek(bytes, 4)?;
    let raw = BufReader::with_capacity(BUFFER_BYTES, raw);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => Text::Decompressed(Box::new(GzipText::new(raw))),
        [b'B', b'Z', b'h', _] => Text::Decompressed(Box::new(MultiBzDecoder::new(raw))),
        [0x28, 0xb5, 0x2f, 0xfd] => Text::Decompressed(Box::new(zstd::Decoder::with_buffer(raw)?)),
        _ => Text::Plain(Box::new(raw)),
    })
}

/// Whether a file with these bytes begins as BGZF.
///
/// # Errors
/// If the first bytes cannot be read.
pub fn begins_as_bgzf(bytes: impl Read) -> io::Result<bool> {
    let (header, _) = peek(bytes, HEADER_BYTES as u64)?;
    Ok(block_bytes(&header).is_some())
}

/// Text of a file that [begins as BGZF](begins_as_bgzf). `threads` threads decompress its blocks ahead of this being read; members of gzip
/// that are not blocks of BGZF, and all that follows the first of them, are decompressed while this is read.
///
/// To drop the text waits for what is being read of the file, which a pipe may never have.
///
/// # Panics
/// If the system refuses a thread. There is one more, which reads.
pub fn bgzf_text(
    bytes: impl Read + Send + 'static,
    threads: NonZero<usize>,
) -> impl Read + Send + 'static {
    BgzfText::new(BufReader::with_capacity(BUFFER_BYTES, bytes), threads)
}

/// The first bytes, as many as there are up to `count`, and a reader of all bytes, these included.
fn peek<R: Read>(mut bytes: R, count: u64) -> io::Result<(Vec<u8>, impl Read + use<R>)> {
    let mut first = Vec::new();
    bytes.by_ref().take(count).read_to_end(&mut first)?;
    Ok((first.clone(), Cursor::new(first).chain(bytes)))
}

/// Reason why a record cannot be used, and its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordProblem {
    /// Number of the line in the file, from 1, if it is known.
    pub line: Option<u64>,
    /// The reason, in words that can follow "record 2: ".
    pub reason: String,
}

impl From<&ParseError> for RecordProblem {
    /// Explains a parser's error in this program's words.
    fn from(error: &ParseError) -> Self {
        let reason = match error.kind {
            ParseErrorKind::Io => format!("reading failed: {}", error.msg),
            ParseErrorKind::InvalidStart if error.format == Some(Format::Fasta) => {
                "the record does not begin with '>'".to_owned()
            }
            ParseErrorKind::InvalidStart => NO_START.to_owned(),
            ParseErrorKind::InvalidSeparator => NO_SEPARATOR.to_owned(),
            ParseErrorKind::UnequalLengths => UNEQUAL_LENGTHS.to_owned(),
            ParseErrorKind::UnexpectedEnd => "the file ends within the record".to_owned(),
            ParseErrorKind::UnknownFormat | ParseErrorKind::EmptyFile => error.msg.clone(),
        };
        Self { line: Some(error.position.line).filter(|&line| line > 0), reason }
    }
}

/// Why a record is not one of FASTQ.
const NO_START: &str = "the record does not begin with '@'";
const NO_SEPARATOR: &str = "the third line of the record does not begin with '+'";
const UNEQUAL_LENGTHS: &str = "sequence and quality differ in length";

/// Line of a residue within a raw sequence, which may have line ends (LF or CRLF) in it; the sequence's first line is
/// 1. `position` counts residues alone, from 0.
pub fn line_of_residue(raw: &[u8], position: usize) -> u64 {
    let (mut line, mut residues) = (1, 0);
    for &byte in raw {
        match byte {
            b'\n' => line += 1,
            b'\r' => {}
            _ if residues == position => break,
            _ => residues += 1,
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_the_first_of_the_sequence() {
        let raw = b"ACG\r\nTT\n\nA";
        let lines: Vec<u64> = (0..6).map(|position| line_of_residue(raw, position)).collect();
        assert_eq!(lines, [1, 1, 1, 2, 2, 4]);
    }
}
