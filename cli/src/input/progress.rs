//! How far reading has come, by the bytes of the files.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::lane::Lane;

/// How much of the files was read, of which other threads are told while one reads.
#[derive(Debug)]
pub struct InputProgress {
    /// Bytes of all files; `None` if one is not a regular file, such as a pipe, or its bytes are not counted.
    size: Option<u64>,
    /// Bytes that were read. Those of a compressed file are compressed.
    bytes: AtomicU64,
    /// Reads that were made of these bytes.
    reads: AtomicU64,
}

impl InputProgress {
    /// The beginning of reading these lanes.
    pub fn new(lanes: &[Lane]) -> Self {
        let size = |path: &Path| {
            let metadata = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
            Some(metadata.len())
        };
        let sizes = lanes.iter().flat_map(Lane::files).map(|path| size(path)).sum::<Option<u64>>();
        let size = sizes.filter(|_| lanes.iter().all(Lane::counts_bytes));
        Self { size, bytes: AtomicU64::new(0), reads: AtomicU64::new(0) }
    }

    /// Counts bytes that were read.
    pub fn add_bytes(&self, count: u64) {
        self.bytes.fetch_add(count, Ordering::Relaxed);
    }

    /// Counts reads that were made of the bytes that were read.
    pub fn add_reads(&self, count: u64) {
        self.reads.fetch_add(count, Ordering::Relaxed);
    }

    /// The number of reads in all files, estimated from those that were read so far; exact at the end. `None` if it cannot be
    /// told.
    pub fn expected_reads(&self) -> Option<u64> {
        let [bytes, reads] = [&self.bytes, &self.reads].map(|count| count.load(Ordering::Relaxed));
        let size = self.size.filter(|_| bytes > 0 && reads > 0)?.max(bytes);
        Some((reads as f64 * (size as f64 / bytes as f64)).round() as u64)
    }

    /// The number of reads that are not made yet, estimated as [`expected_reads`](Self::expected_reads).
    pub fn reads_left(&self) -> Option<u64> {
        let reads = self.reads.load(Ordering::Relaxed);
        self.expected_reads().map(|expected| expected.saturating_sub(reads))
    }
}

/// A file whose bytes are counted as they are read.
#[derive(Debug)]
pub struct CountedFile<R> {
    file: R,
    progress: Arc<InputProgress>,
}

impl<R: Read> CountedFile<R> {
    /// Counts the bytes of this file.
    pub fn new(file: R, progress: &Arc<InputProgress>) -> Self {
        Self { file, progress: Arc::clone(progress) }
    }
}

impl<R: Read> Read for CountedFile<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(to)?;
        self.progress.add_bytes(count as u64);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::batches;

    #[test]
    fn reads_are_estimated_from_the_bytes_of_regular_files() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reads.fq");
        let text: String = (0..10_000).map(|n| format!("@{n:05}\nACGT\n+\nIIII\n")).collect();
        fs::write(&path, zstd::encode_all(text.as_bytes(), 1).expect("compresses"))
            .expect("writes");
        let lane = Lane::of_file(path);
        let input = batches(vec![lane.clone(), lane], 100);
        let mut expected = Vec::new();
        assert_eq!(InputProgress::new(&[]).expected_reads(), None);
        for batch in input.batches {
            assert!(!batch.checked().expect("is fine").is_empty());
            expected.push(input.progress.expected_reads().expect("is a file"));
        }
        // The first batch has 25 reads, of which the first of two files may be read completely.
        assert!(expected.iter().all(|&count| count >= 50));
        assert_eq!(expected.last(), Some(&20_000));
        let pipe = Lane::of_file("/dev/null".into());
        let progress = InputProgress::new(&[pipe]);
        progress.add_reads(5);
        progress.add_bytes(9);
        assert_eq!(progress.expected_reads(), None);
    }
}
