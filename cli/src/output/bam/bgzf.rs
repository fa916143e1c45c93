//! Compressing blocks of BGZF on the CPU.

use aligner_core::bgzf::{BLOCK_BYTES, FOOTER_BYTES, HEADER, HEADER_BYTES};
use libdeflater::{CompressionLvl, Compressor};

/// libdeflate's level for each of the levels 0 to 9 that samtools knows; htslib's choice.
const LEVELS: [i32; 10] = [0, 1, 2, 3, 5, 6, 7, 8, 10, 12];

/// How well blocks are compressed: 0 not at all, to 9.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Level(u8);

impl Default for Level {
    /// The fastest level that compresses: files are up to 10% larger than those of samtools by default.
    fn default() -> Self {
        Self(1)
    }
}

impl Level {
    /// The level for a number from 0 to 9; `None` for others.
    pub fn new(number: u8) -> Option<Self> {
        (usize::from(number) < LEVELS.len()).then_some(Self(number))
    }

    /// Whether a GPU compresses in place of the CPU: its blocks are about as small as those of level 6.
    pub fn is_of_gpu(self) -> bool {
        (1..=6).contains(&self.0)
    }
}

/// Compresses blocks; reuses its memory.
pub struct BlockCompressor {
    compressor: Compressor,
}

impl std::fmt::Debug for BlockCompressor {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("BlockCompressor").finish_non_exhaustive()
    }
}

impl BlockCompressor {
    /// A compressor with this level.
    pub fn new(Level(level): Level) -> Self {
        // All numbers of the table are levels of libdeflate.
        let level = CompressionLvl::new(LEVELS[usize::from(level)]).unwrap_or_default();
        Self { compressor: Compressor::new(level) }
    }

    /// The block with this content of at most [`CONTENT_BYTES`](aligner_core::bgzf::CONTENT_BYTES).
    pub fn block(&mut self, content: &[u8]) -> Vec<u8> {
        let mut block = vec![0; BLOCK_BYTES];
        let room = &mut block[HEADER_BYTES..BLOCK_BYTES - FOOTER_BYTES];
        let compressed = self.compressor.deflate_compress(content, room);
        let size = compressed.unwrap_or_else(|_| store(content, room));
        block[..HEADER.len()].copy_from_slice(HEADER);
        block.truncate(HEADER_BYTES + size + FOOTER_BYTES);
        let last = (block.len() - 1) as u16;
        block[HEADER.len()..HEADER_BYTES].copy_from_slice(&last.to_le_bytes());
        let mut crc = libdeflater::Crc::new();
        crc.update(content);
        let footer = &mut block[HEADER_BYTES + size..];
        footer[..4].copy_from_slice(&crc.sum().to_le_bytes());
        footer[4..].copy_from_slice(&(content.len() as u32).to_le_bytes());
        block
    }
}

/// Writes content that cannot be compressed as it is, and returns its size (RFC 1951, section 3.2.4).
fn store(content: &[u8], room: &mut [u8]) -> usize {
    let length = content.len() as u16;
    room[0] = 1;
    room[1..3].copy_from_slice(&length.to_le_bytes());
    room[3..5].copy_from_slice(&(!length).to_le_bytes());
    room[5..5 + content.len()].copy_from_slice(content);
    5 + content.len()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use aligner_core::bgzf::{CONTENT_BYTES, END};

    use super::*;

    #[test]
    fn blocks_are_read_back() {
        let mut random = fastrand::Rng::with_seed(5);
        for level in 0..10 {
            let mut compressor = BlockCompressor::new(Level::new(level).expect("a level"));
            let mut file = Vec::new();
            let mut expected = Vec::new();
            for length in [0, 1, 1000, CONTENT_BYTES] {
                for letters in [1, 4, 256] {
                    let content: Vec<u8> =
                        (0..length).map(|_| random.u16(..letters) as u8).collect();
                    let block = compressor.block(&content);
                    assert!(block.len() <= BLOCK_BYTES, "{level} {length} {letters}");
                    file.extend(block);
                    expected.extend(content);
                }
            }
            file.extend(END);
            let mut read = Vec::new();
            flate2::read::MultiGzDecoder::new(&file[..]).read_to_end(&mut read).expect("is gzip");
            assert!(read == expected, "{level}");
        }
        assert_eq!(Level::new(10), None);
    }
}
