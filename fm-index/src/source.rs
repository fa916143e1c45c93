//! What the reference was read from.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::Xxh3Default;

/// Identifies a FASTA file by its raw (compressed) bytes. All zero for a reference that came from
/// no file.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Source {
    /// 64-bit XXH3 of the bytes.
    pub checksum: u64,
    /// Number of bytes.
    pub length: u64,
}

impl Source {
    /// Reads a file and identifies it.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn of_file(path: impl AsRef<Path>) -> io::Result<Self> {
        SourceReader::new(File::open(path)?).finish()
    }
}

/// Passes bytes through and takes their checksum.
pub(crate) struct SourceReader<R> {
    inner: R,
    hasher: Xxh3Default,
    length: u64,
}

impl<R: Read> SourceReader<R> {
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, hasher: Xxh3Default::new(), length: 0 }
    }

    /// Reads what is left and identifies the whole.
    pub(crate) fn finish(mut self) -> io::Result<Source> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(Source { checksum: self.hasher.digest(), length: self.length })
    }
}

impl<R: Read> Read for SourceReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.length += count as u64;
        Ok(count)
    }
}
