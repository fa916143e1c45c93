//! Opening a file of reads.

use std::fs::File;
use std::io;
use std::path::Path;

use aligner_core::fastx::{self, OpenError, Text};
use aligner_core::input_location::is_stdin;
use needletail::FastxReader;

use crate::input::ahead::Ahead;

/// The records of a file or of standard input. What is compressed is decompressed on a thread of its
/// own.
pub fn open(path: &Path) -> Result<Box<dyn FastxReader>, OpenError> {
    let text =
        if is_stdin(path) { fastx::text(io::stdin()) } else { fastx::text(File::open(path)?) };
    match text? {
        Text::Plain(text) => fastx::parse(text),
        Text::Decompressed(text) => fastx::parse(Ahead::new(text)),
    }
}
