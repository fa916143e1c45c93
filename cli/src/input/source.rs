//! Opening a file of reads: decompression and record format are told from the first bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use needletail::FastxReader;
use needletail::parser::{FastaReader, FastqReader};

use crate::input::is_stdin;

/// The records of a file or of standard input.
pub fn open(path: &Path) -> io::Result<Box<dyn FastxReader>> {
    let raw: Box<dyn Read + Send> =
        if is_stdin(path) { Box::new(io::stdin()) } else { Box::new(File::open(path)?) };
    let (first, text) = peek(decompress(BufReader::new(raw))?, 1)?;
    match first.first() {
        // An empty sequence at the end is legal, but needletail wants the end of its line.
        Some(b'>') => Ok(Box::new(FastaReader::new(text.chain(b"\n\n".as_slice())))),
        Some(b'@') => Ok(Box::new(FastqReader::new(text))),
        None => Err(io::Error::other("the file is empty")),
        Some(_) => Err(io::Error::other(
            "neither FASTQ nor FASTA (plain or compressed by gzip, bzip2 or zstd)",
        )),
    }
}

/// Decompresses all members, streams or frames of the input, if it is compressed.
fn decompress(raw: impl BufRead + Send + 'static) -> io::Result<Box<dyn Read + Send>> {
    let (magic, raw) = peek(raw, 4)?;
    let raw = BufReader::new(raw);
    Ok(match magic.as_slice() {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(raw)),
        [b'B', b'Z', b'h', _] => Box::new(MultiBzDecoder::new(raw)),
        [0x28, 0xb5, 0x2f, 0xfd] => Box::new(zstd::Decoder::with_buffer(raw)?),
        _ => Box::new(raw),
    })
}

/// The first bytes, as many as there are up to `count`, and the whole.
fn peek<R: Read>(mut bytes: R, count: u64) -> io::Result<(Vec<u8>, impl Read + use<R>)> {
    let mut first = Vec::new();
    bytes.by_ref().take(count).read_to_end(&mut first)?;
    Ok((first.clone(), Cursor::new(first).chain(bytes)))
}
