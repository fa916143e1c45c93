//! Regular files of FASTQ that are not compressed, of which several threads read blocks at the same time.
//!
//! Most of the time of reading goes into the copy of each byte, and into memory that is touched for the first time. So threads
//! fill the blocks of a text where it lies, and count line feeds while a block is in the cache of its thread:
//!
//! ```text
//!   file   ...|  block 0  |  block 1  |  block 2  |  block 3  |...
//!                  |           |           |           |            pread, line feeds counted
//!   text  rest |  block 0  |  block 1  |  block 2  |  block 3  |    a sum over line feeds, in order
//! ```
//!
//! Everything that is not plain is left to a stream that goes on behind the last good block ([`PlainFile::into_text`]), and
//! tells what is wrong: the end of the file and blank lines there, what cannot be read, and lines that are too long.

use std::borrow::Borrow;
use std::fs::File;
use std::io::{self, Read};
use std::num::NonZero;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use aligner_core::fastx::RecordText;
use aligner_core::input_location::is_stdin;
use anyhow::Result;
use memchr::memrchr;
use rayon::ThreadPool;
use rayon::prelude::*;

use super::limit::LimitedText;
use super::lined_text::{LinedText, count_line_feeds, fill};
use super::progress::{CountedFile, InputProgress};
use crate::options::thread_pool;

/// Bytes that a thread reads at a time: few enough to be in its cache when line feeds are counted, and of which a thread parses
/// the records that begin there. Lines that are longer are left to the stream.
pub const BLOCK: usize = 1 << 17;

/// Threads that read blocks of a file at the same time.
#[derive(Debug)]
pub struct BlockReaders(Option<ThreadPool>);

impl BlockReaders {
    /// The calling thread alone.
    pub const ONE: Self = Self(None);

    /// Starts so many threads, or none if it is one.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn start(threads: usize) -> Result<Self> {
        if threads <= 1 {
            return Ok(Self::ONE);
        }
        thread_pool(threads, "that read").map(|pool| Self(Some(pool)))
    }

    /// The number of the threads.
    pub fn threads(&self) -> NonZero<usize> {
        let threads = self.0.as_ref().map_or(1, ThreadPool::current_num_threads);
        NonZero::new(threads).unwrap_or(NonZero::<usize>::MIN)
    }

    /// Fills `room` with the bytes of a file from this offset on, and returns its blocks in order.
    fn read(&self, file: &File, offset: u64, room: &mut [u8]) -> Vec<Block> {
        let read = |(number, room): (usize, &mut [u8])| {
            let bytes = fill_from(file, offset + (number * BLOCK) as u64, room);
            Block { is_whole: bytes == room.len(), bytes, lines: count_line_feeds(&room[..bytes]) }
        };
        match &self.0 {
            Some(pool) if room.len() > BLOCK => {
                pool.install(|| room.par_chunks_mut(BLOCK).enumerate().map(read).collect())
            }
            _ => room.chunks_mut(BLOCK).enumerate().map(read).collect(),
        }
    }
}

/// A block of a file that was read.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Whether all its bytes were read.
    is_whole: bool,
    bytes: usize,
    /// Line feeds in these bytes.
    lines: usize,
}

/// Reads the bytes of a file from this offset on, and returns how many there are before the end or an error.
fn fill_from(file: &File, offset: u64, room: &mut [u8]) -> usize {
    // Who reads on from there meets the error again, and tells it.
    let (filled, _) = fill(&mut FileRest { file, offset }, room);
    filled
}

/// A regular file that begins as FASTQ and is not compressed.
#[derive(Debug)]
pub struct PlainFile {
    file: File,
    /// Bytes of the file when it was opened.
    size: u64,
    /// Bytes that were read; the last one is no line end.
    offset: u64,
    /// Line feeds in them.
    lines: u64,
    /// Bytes behind the last line feed.
    part: usize,
    progress: Arc<InputProgress>,
}

impl PlainFile {
    /// Opens a file, whose bytes are counted as they are read; `None` if it is no such file or cannot be read.
    pub fn open(path: &Path, progress: &Arc<InputProgress>) -> Option<Self> {
        if is_stdin(path) {
            return None;
        }
        let file = File::open(path).ok()?;
        let metadata = file.metadata().ok()?;
        let mut first = [0];
        let is_plain = metadata.is_file() && fill_from(&file, 0, &mut first) == 1 && first == *b"@";
        let progress = Arc::clone(progress);
        let size = metadata.len();
        is_plain.then_some(Self { file, size, offset: 0, lines: 0, part: 0, progress })
    }

    /// Reads and appends up to `size` bytes. Returns whether there were some; else the rest of the file is
    /// [a text](Self::into_text).
    pub fn read(&mut self, to: &mut LinedText, size: usize, readers: &BlockReaders) -> bool {
        let left = self.size.saturating_sub(self.offset);
        let size = usize::try_from(left).unwrap_or(usize::MAX).min(size);
        let (begin, lines) = (to.len(), to.lines());
        for block in readers.read(&self.file, self.offset, to.room(size)) {
            // A line that has no end in a block may be too long.
            if block.lines > 0 {
                to.append_room(block.bytes, block.lines);
            }
            if block.lines == 0 || !block.is_whole {
                break;
            }
        }
        // Blank lines may be the end of the file, which they are left out of.
        let is_blank = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let blank = to.bytes()[begin..].iter().rev().take_while(|byte| is_blank(byte)).count();
        to.truncate(to.len() - blank);
        let text = &to.bytes()[begin..];
        self.part = match memrchr(b'\n', text) {
            Some(line_feed) => text.len() - line_feed - 1,
            None => self.part + text.len(),
        };
        self.lines += (to.lines() - lines) as u64;
        self.offset += text.len() as u64;
        self.progress.add_bytes(text.len() as u64);
        !text.is_empty()
    }

    /// The rest of the file.
    pub fn into_text(self) -> RecordText<'static> {
        let Self { file, offset, lines, part, progress, .. } = self;
        let bytes = CountedFile::new(FileRest { file, offset }, &progress);
        RecordText::rest_of_fastq(LimitedText::rest_of_fastq(bytes, lines + 1, part))
    }
}

/// The bytes of a file from an offset on.
#[derive(Debug)]
struct FileRest<F> {
    file: F,
    offset: u64,
}

impl<F: Borrow<File>> Read for FileRest<F> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.file.borrow().read_at(to, self.offset)?;
        self.offset += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::limit::MAX_RECORD_PART;
    use super::*;

    /// The text of a file.
    struct FileText {
        /// The text of all blocks.
        blocks: Vec<u8>,
        /// The rest of the text, with the error that ended it.
        rest: Vec<u8>,
    }

    /// Reads a file in pieces of random sizes up to `most`.
    fn read(path: &Path, most: usize, readers: &BlockReaders) -> FileText {
        let progress = Arc::new(InputProgress::new(&[]));
        let mut file = PlainFile::open(path, &progress).expect("is plain");
        let mut random = fastrand::Rng::with_seed(most as u64);
        let mut text = LinedText::default();
        while file.read(&mut text, random.usize(1..=most), readers) {
            assert_eq!(text.lines(), count_line_feeds(text.bytes()));
        }
        let mut rest = Vec::new();
        let (RecordText::Fasta(mut end) | RecordText::Fastq(mut end)) = file.into_text();
        let read = end.read_to_end(&mut rest);
        let error = read.err().map(|error| error.to_string()).unwrap_or_default();
        FileText { blocks: text.bytes().to_vec(), rest: [&rest, error.as_bytes()].concat() }
    }

    /// Records whose reads have up to `longest` bases.
    fn records(random: &mut fastrand::Rng, count: usize, longest: usize) -> String {
        let letters = |length| "A".repeat(length);
        let lengths = (0..count).map(|_| random.usize(..=longest)).collect::<Vec<_>>();
        let record = |length| format!("@r\n{}\n+\n{}\n", letters(length), letters(length));
        lengths.into_iter().map(record).collect()
    }

    #[test]
    fn the_text_of_blocks_and_of_the_rest_is_that_of_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reads.fq");
        let mut random = fastrand::Rng::with_seed(5);
        let readers = BlockReaders::start(3).expect("starts");
        for ends in ["", "\n", "\n\n\r\n", "@", "@r\nA\n+\nI", "\n\n@r\nA\n+\nI\n\n"] {
            for (count, longest) in [(1, 0), (2000, 300), (9, 10_000), (9000, 0)] {
                let text = records(&mut random, count, longest) + ends;
                fs::write(&path, &text).expect("writes");
                let end = text.trim_end_matches(['\n', '\r']).len();
                let expected = [&text.as_bytes()[..end], b"\n"].concat();
                for (most, readers) in [
                    (BLOCK / 3, &BlockReaders::ONE),
                    (9 * BLOCK, &BlockReaders::ONE),
                    (9 * BLOCK, &readers),
                ] {
                    let FileText { blocks, rest } = read(&path, most, readers);
                    let mut found = [blocks, rest].concat();
                    if found.last() != Some(&b'\n') {
                        found.push(b'\n');
                    }
                    assert!(found == expected, "{ends:?} {count} {longest} {most}");
                }
            }
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_told_by_the_rest() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reads.fq");
        let before = "@r\nACGT\n+\nIIII\n".repeat(30_000);
        let long = "@r ".to_owned() + &"x".repeat(MAX_RECORD_PART) + "\nA\n";
        fs::write(&path, before.clone() + &long).expect("writes");
        let readers = BlockReaders::start(2).expect("starts");
        let FileText { blocks, rest } = read(&path, 1 << 26, &readers);
        assert!((before.len()..before.len() + BLOCK).contains(&blocks.len()), "{}", blocks.len());
        let rest = String::from_utf8_lossy(&rest);
        let told = "line 120001: the line has more than 4194304 bytes";
        assert!(rest.contains(told), "{}", &rest[rest.len().saturating_sub(200)..]);
    }

    #[test]
    fn other_files_are_not_plain() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reads");
        let progress = Arc::new(InputProgress::new(&[]));
        for text in ["", ">r\nA\n", "\u{1f}\u{8b}"] {
            fs::write(&path, text).expect("writes");
            assert!(PlainFile::open(&path, &progress).is_none(), "{text:?}");
        }
        for other in [folder.path(), Path::new("-"), Path::new("/dev/null"), Path::new("none")] {
            assert!(PlainFile::open(other, &progress).is_none(), "{}", other.display());
        }
    }

    #[test]
    fn a_file_that_is_cut_while_it_is_read_ends_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reads.fq");
        let text = "@r\nACGT\n+\nIIII\n".repeat(40_000);
        fs::write(&path, &text).expect("writes");
        let progress = Arc::new(InputProgress::new(&[]));
        let mut file = PlainFile::open(&path, &progress).expect("is plain");
        let mut read = LinedText::default();
        assert!(file.read(&mut read, BLOCK, &BlockReaders::ONE));
        let end = 3 * BLOCK + 17;
        File::options()
            .write(true)
            .open(&path)
            .and_then(|it| it.set_len(end as u64))
            .expect("cuts");
        while file.read(&mut read, 1 << 20, &BlockReaders::ONE) {}
        let (RecordText::Fasta(mut rest) | RecordText::Fastq(mut rest)) = file.into_text();
        let mut found = read.bytes().to_vec();
        rest.read_to_end(&mut found).expect("reads");
        assert!(found == text.as_bytes()[..end]);
    }
}
