//! Fingerprints of reference files, by which an index knows the file that it was built from.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::Xxh3Default;

/// Checksum and length of a FASTA file's raw (compressed) bytes. All zero for a reference that came from no file.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct FileFingerprint {
    /// 64-bit XXH3 of the bytes.
    pub checksum: u64,
    /// Length of the file in bytes.
    pub length: u64,
}

impl FileFingerprint {
    /// Reads a file and computes its fingerprint.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_file(path: impl AsRef<Path>) -> io::Result<Self> {
        FingerprintReader::new(File::open(path)?).finish()
    }
}

/// A reader that passes bytes through and computes their fingerprint.
pub(crate) struct FingerprintReader<R> {
    inner: R,
    hasher: Xxh3Default,
    length: u64,
}

impl<R: Read> FingerprintReader<R> {
    /// Begins with the next byte of `inner`.
    pub(crate) fn new(inner: R) -> Self {
        Self { inner, hasher: Xxh3Default::new(), length: 0 }
    }

    /// Reads the remaining bytes and returns the fingerprint of all.
    pub(crate) fn finish(self) -> io::Result<FileFingerprint> {
        // Large enough that system calls take no time, and small enough for a cache.
        let mut buffered = BufReader::with_capacity(256 << 10, self);
        io::copy(&mut buffered, &mut io::sink())?;
        let Self { hasher, length, .. } = buffered.into_inner();
        Ok(FileFingerprint { checksum: hasher.digest(), length })
    }
}

impl<R: Read> Read for FingerprintReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..count]);
        self.length += count as u64;
        Ok(count)
    }
}
