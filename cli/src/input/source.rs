//! Opening a file of reads.

use std::fs::File;
use std::io;
use std::path::Path;

use aligner_core::fastx::{self, OpenError};
use needletail::FastxReader;

use crate::input::is_stdin;

/// The records of a file or of standard input.
pub fn open(path: &Path) -> Result<Box<dyn FastxReader>, OpenError> {
    if is_stdin(path) { fastx::records(io::stdin()) } else { fastx::records(File::open(path)?) }
}
