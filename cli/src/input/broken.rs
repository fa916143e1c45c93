//! A text that cannot be read, for tests.

use std::io::{self, Read};

/// A text whose reading fails at once; behind another text (`chain`) it fails at its end.
pub struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::InvalidData.into())
    }
}
