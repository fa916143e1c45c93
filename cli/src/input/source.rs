//! Opening and decompressing a file of reads.

use std::fs::File;
use std::io;
use std::path::Path;

use aligner_core::fastx::{self, OpenError, Text};
use aligner_core::input_location::is_stdin;
use needletail::FastxReader;

use crate::input::ahead::ReadAhead;

/// The records of a file, or of standard input (`-`). A compressed file has its own decompression thread.
///
/// # Errors
/// If it cannot be read, or is neither FASTQ nor FASTA.
pub fn open(path: &Path) -> Result<Box<dyn FastxReader>, OpenError> {
    let text =
        if is_stdin(path) { fastx::text(io::stdin()) } else { fastx::text(File::open(path)?) };
    match text? {
        Text::Plain(text) => fastx::parse(text),
        Text::Decompressed(text) => fastx::parse(ReadAhead::new(text)),
    }
}
