//! Text of files of BGZF (SAM specification, section 4.1), whose blocks several threads decompress.
//!
//! The crate bgzf does so for files that are BGZF to their end. In a file of gzip, other members may follow the blocks, as by
//! `cat a.bgzf.gz b.gz`, so the crate gets the blocks alone, and [`GzipText`] the rest:
//!
//! ```text
//!   bytes   | block | block | ... | block | member | ...
//!           '------ BlockBytes -----------'------ rest
//! ```

use std::io::{self, BufRead, Cursor, ErrorKind, Read};
use std::num::NonZero;

use ::bgzf::MultithreadedReader;

use super::gzip_text::GzipText;
use crate::bgzf::{FOOTER_BYTES, HEADER_BYTES};

/// The bytes of the block that begins with this header, if it is one of BGZF: a member of gzip whose only extra field is
/// its size. Its text may have up to 65,536 bytes, as the specification says; more are an error.
pub fn block_bytes(header: &[u8]) -> Option<usize> {
    match *header {
        [0x1f, 0x8b, 8, 4, _, _, _, _, _, _, 6, 0, b'B', b'C', 2, 0, low, high] => {
            let bytes = usize::from(u16::from_le_bytes([low, high])) + 1;
            (bytes >= HEADER_BYTES + FOOTER_BYTES).then_some(bytes)
        }
        _ => None,
    }
}

/// Text of a file that begins with blocks of BGZF. Text before damaged data is read, and then the error, also if it is read once
/// more.
pub struct BgzfText<R: BufRead + Send + 'static>(UnreadText<R>);

/// Where the text that was not read yet comes from.
enum UnreadText<R: BufRead + Send + 'static> {
    Blocks(MultithreadedReader<BlockBytes<R>>),
    Rest(GzipText<io::Chain<Cursor<Vec<u8>>, R>>),
    None,
    /// Reading failed, for this reason.
    Failed(ErrorKind, String),
}

impl<R: BufRead + Send + 'static> BgzfText<R> {
    /// Starts `threads` threads that decompress blocks, and one that reads them, ahead of their use by about a block for each
    /// thread, and by 8 at least.
    ///
    /// # Panics
    /// If the system refuses a thread.
    pub fn new(bytes: R, threads: NonZero<usize>) -> Self {
        let blocks = BlockBytes {
            bytes,
            header: Vec::new(),
            header_taken: 0,
            block_left: 0,
            has_ended: false,
        };
        Self(UnreadText::Blocks(MultithreadedReader::with_worker_count(threads, blocks)))
    }

    /// Reads the text of blocks, and what follows them.
    fn read_on(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if let UnreadText::Blocks(blocks) = &mut self.0 {
            // The reader's own `read` would drop the text before an error.
            let count = blocks.fill_buf().map_err(of_block)?.read(to)?;
            blocks.consume(count);
            if count > 0 {
                return Ok(count);
            }
            let BlockBytes { bytes, header, .. } = blocks.finish()?;
            self.0 = if header.is_empty() {
                UnreadText::None
            } else {
                UnreadText::Rest(GzipText::new(Cursor::new(header).chain(bytes)))
            };
        }
        match &mut self.0 {
            UnreadText::Rest(rest) => rest.read(to),
            UnreadText::Blocks(_) | UnreadText::None => Ok(0),
            UnreadText::Failed(kind, reason) => Err(io::Error::new(*kind, reason.clone())),
        }
    }
}

impl<R: BufRead + Send + 'static> Read for BgzfText<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if to.is_empty() {
            return Ok(0);
        }
        let read = self.read_on(to);
        if let Err(error) = &read {
            self.0 = UnreadText::Failed(error.kind(), error.to_string());
        }
        read
    }
}

/// The error of a block. Those of the crate bgzf itself are of damage, others of reading the file.
fn of_block(error: io::Error) -> io::Error {
    match error.kind() {
        ErrorKind::Other => {
            io::Error::new(ErrorKind::InvalidData, format!("the file is damaged: {error}"))
        }
        _ => error,
    }
}

/// The bytes of a file up to its first member that is no block of BGZF, or to its end.
struct BlockBytes<R> {
    bytes: R,
    /// The header of the current block; at the end, the bytes that are there in place of one.
    header: Vec<u8>,
    /// Bytes of the header that were taken.
    header_taken: usize,
    /// Bytes of the current block, with its header, that were not taken.
    block_left: usize,
    /// Whether no block follows.
    has_ended: bool,
}

impl<R: Read> BlockBytes<R> {
    /// Reads the header of the next block.
    fn begin_block(&mut self) -> io::Result<()> {
        self.header.clear();
        self.header_taken = 0;
        self.bytes.by_ref().take(HEADER_BYTES as u64).read_to_end(&mut self.header)?;
        match block_bytes(&self.header) {
            Some(bytes) => self.block_left = bytes,
            None => self.has_ended = true,
        }
        Ok(())
    }
}

impl<R: Read> Read for BlockBytes<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.block_left == 0 && !self.has_ended {
            self.begin_block()?;
        }
        let most = to.len().min(self.block_left);
        if most == 0 {
            return Ok(0);
        }
        let count = if self.header_taken < self.header.len() {
            let count = (&self.header[self.header_taken..]).read(&mut to[..most])?;
            self.header_taken += count;
            count
        } else {
            self.bytes.read(&mut to[..most])?
        };
        if count == 0 {
            let reason =
                "the file ends within a block of BGZF: it was cut, or is still being written";
            return Err(io::Error::new(ErrorKind::UnexpectedEof, reason));
        }
        self.block_left -= count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use ::bgzf::{CompressionLevel, Compressor};
    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::super::gzip_file::{Failing, GzipFile, ReadText, read_in_parts};
    use super::*;

    fn push_blocks(file: &mut GzipFile, random: &mut fastrand::Rng, count: usize) {
        let level = CompressionLevel::new(random.u8(0..=6)).expect("a level");
        let mut compressor = Compressor::new(level);
        for _ in 0..count {
            let length = [0, 1, 100, 65_280][random.usize(..4)];
            let text = bases(random, length);
            let mut block = Vec::new();
            compressor.compress(&text, &mut block).expect("compresses");
            assert_eq!(block_bytes(&block[..HEADER_BYTES]), Some(block.len()));
            file.push(&block, &text);
        }
    }

    fn push_member(file: &mut GzipFile, random: &mut fastrand::Rng) {
        let text = bases(random, 5000);
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(&text).expect("memory");
        file.push(&encoder.finish().expect("memory"), &text);
    }

    /// A file of so many blocks.
    fn of_blocks(random: &mut fastrand::Rng, count: usize) -> GzipFile {
        let mut file = GzipFile::default();
        push_blocks(&mut file, random, count);
        file
    }

    /// Blocks, behind which there may be a member, and blocks once more.
    fn random_file(random: &mut fastrand::Rng) -> GzipFile {
        let count = random.usize(1..40);
        let mut file = of_blocks(random, count);
        if random.bool() {
            push_member(&mut file, random);
            push_blocks(&mut file, random, 3);
        }
        file
    }

    fn bases(random: &mut fastrand::Rng, length: usize) -> Vec<u8> {
        (0..length).map(|_| b"ACGT"[random.usize(..4)]).collect()
    }

    /// Reads a file by one to three threads.
    fn read(random: &mut fastrand::Rng, bytes: &[u8]) -> ReadText {
        let threads = NonZero::new(random.usize(1..4)).expect("not 0");
        let reader = BgzfText::new(Cursor::new(bytes.to_vec()), threads);
        read_in_parts(reader, || random.usize(1..100_000))
    }

    #[test]
    fn the_text_is_that_of_all_blocks_and_members() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let file = random_file(&mut random);
            file.check_whole(&read(&mut random, &file.bytes), seed);
        }
    }

    #[test]
    fn a_file_that_is_cut_is_an_error_but_for_its_whole_members() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let file = random_file(&mut random);
            let length = random.usize(HEADER_BYTES..file.bytes.len());
            let found = read(&mut random, &file.bytes[..length]);
            file.check_cut(length, &found, seed);
        }
    }

    #[test]
    fn a_damaged_block_is_an_error_or_has_its_text() {
        let mut errors = 0;
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut file = of_blocks(&mut random, 10);
            let place = random.usize(..file.bytes.len());
            file.bytes[place] ^= 1 << random.u32(..8);
            let (text, end) = read(&mut random, &file.bytes);
            assert!(file.text.starts_with(&text), "seed {seed}");
            file.check_before(place, &text, seed);
            match end {
                Err(_) => errors += 1,
                Ok(()) => assert!(text == file.text, "seed {seed}"),
            }
        }
        assert!(errors > 30, "{errors}");
    }

    #[test]
    fn only_blocks_of_bgzf_are_told_by_their_headers() {
        let file = of_blocks(&mut fastrand::Rng::with_seed(1), 1);
        let header: [u8; HEADER_BYTES] = file.bytes[..HEADER_BYTES].try_into().expect("fits");
        assert!(block_bytes(&header[..HEADER_BYTES - 1]).is_none());
        for place in [0, 1, 2, 3, 10, 11, 12, 13, 14, 15] {
            let mut other = header;
            other[place] ^= 1;
            assert!(block_bytes(&other).is_none(), "{place}");
        }
        let too_few = [&header[..16], &[25 - 1, 0]].concat();
        assert!(block_bytes(&too_few).is_none());
    }

    #[test]
    fn a_text_may_be_dropped_before_its_end() {
        let mut random = fastrand::Rng::with_seed(3);
        let file = of_blocks(&mut random, 500);
        let threads = NonZero::new(3).expect("not 0");
        let mut reader = BgzfText::new(Cursor::new(file.bytes), threads);
        let mut part = vec![0; 100];
        reader.read_exact(&mut part).expect("is longer");
        assert!(file.text.starts_with(&part));
    }

    #[test]
    fn an_error_of_the_file_is_told_as_it_is() {
        let file = of_blocks(&mut fastrand::Rng::with_seed(4), 9);
        let bytes = Cursor::new(file.bytes).chain(Failing);
        let threads = NonZero::new(2).expect("not 0");
        let mut reader = BgzfText::new(io::BufReader::new(bytes), threads);
        let mut text = Vec::new();
        let error = reader.read_to_end(&mut text).expect_err("fails");
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        assert!(text == file.text);
    }
}
