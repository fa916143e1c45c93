//! Blocks of BGZF (SAM specification, section 4.1), and a kernel that compresses many of them at a time.
//!
//! A block is a member of gzip whose extra field has the size of the block. BAM consists of such blocks; an empty one,
//! [`END`], ends the file.
//!
//! ```text
//!   | HEADER | size - 1 |  deflate (RFC 1951)  | CRC-32 | length |
//!   '-- HEADER_BYTES ---'                      '- FOOTER_BYTES --'
//! ```
//!
//! # The kernel
//!
//! [`DeviceCompressor`] gives each content to a block of 512 threads (`cuda/deflate.cu`), which keeps it in shared memory:
//!
//! ```text
//!   content --> CRC-32        slices of all threads, combined                              bgzf/crc.cuh
//!           --> matches       positions sorted by the hash of their next four bytes; each has its  bgzf/matches.cuh
//!                             longest match with the eight positions before it in this order
//!           --> parse         a lane a segment of 2 KiB: the cheapest literals and matches, by the  bgzf/parse.cuh
//!                             frequencies of bytes without a match
//!           --> codes         Huffman codes of the tokens                                           bgzf/huffman.cuh
//!           --> block         a prefix sum over the bits of all tokens places them                  bgzf/header.cuh, bits.cuh
//! ```
//!
//! Contents come from the host, or a [`ContentGatherer`] puts them together from bytes in the memory of the device: records of BAM, for
//! example, in another order than that in which they came there.
//!
//! The content is stored if that is not longer. A block depends on its content alone, but it is not the block that the CPU
//! makes of it. On BAM, blocks are from 3% smaller to hardly larger than those of samtools' level 6: all positions look for matches
//! at the same time, so that looking longer is cheap, and no match is taken that costs more than literals.
//!
//! A content of 64 KiB takes about this work; a thread block has 0.5 MiB of scratch memory beside, for matches and tokens:
//!
//! | step | device memory | shared memory |
//! |---|---|---|
//! | content, CRC-32 | 64 KiB read | 2 reads a byte |
//! | a sort of two passes | 8 bytes a position read, 4 scattered | 14 accesses a position |
//! | matches | 4 bytes a position scattered; candidates from the first-level cache | 2 to 4 reads a candidate, 8 candidates at most; half a read for a byte of a match |
//! | parse | 12 bytes a position read, 4 written | 5 to 7 accesses a position |
//! | tokens | about a quarter of the positions, 4 bytes each, written once and read twice | 5 to 10 reads a token |
//!
//! A content needs 64 KiB in, 15 to 25 KiB out, and about 2 MiB of traffic with memory that the second-level cache
//! mostly holds: at 10 GB/s of content, 0.3 TB/s. Time is latency, which two contents on each multiprocessor hide in part: of
//! 1.8 ms on an H200, when there was a second parse, the search for matches took 30%, the sort 15%, and more than a quarter went
//! to the one warp of the parses, whose lanes go through 2,048 positions, each of which needs the costs of those behind it.

mod compressor;
mod gatherer;

pub use compressor::{CompressedBlocks, DeviceCompressor};
pub use gatherer::{ContentGatherer, ContentSource};

/// The most bytes of a block's content; htslib's blocks have as many. Room is left for contents that cannot be compressed.
pub const CONTENT_BYTES: usize = 0xff00;

/// The most bytes of a block.
pub const BLOCK_BYTES: usize = 1 << 16;

/// The empty block that ends a file.
pub const END: &[u8; 28] =
    b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0\x1b\0\x03\0\0\0\0\0\0\0\0\0";

/// Bytes before a block's size: the header of gzip, and an extra field that ends in the size.
pub const HEADER: &[u8; 16] = b"\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0";

/// Bytes of a block before the compressed data: [`HEADER`], and the size of the block less 1 in two bytes.
pub const HEADER_BYTES: usize = HEADER.len() + 2;

/// Bytes of a block after the compressed data: CRC-32 and length of its content.
pub const FOOTER_BYTES: usize = 8;
