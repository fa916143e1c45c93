//! The header of an index image, and the sections it lists.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, bytes_of};
use xxhash_rust::xxh3::xxh3_64;

use crate::source::Source;

/// First bytes of an index file.
pub(crate) const MAGIC: [u8; 8] = *b"GPXINDEX";
/// Version of the format; any change of any section raises it.
pub(crate) const VERSION: u32 = 1;
/// As a machine of the same byte order reads it.
pub(crate) const BYTE_ORDER: u32 = 0x0102_0304;

/// Header and sections are whole cache lines of this many bytes.
pub(crate) const LINE: usize = 64;

/// A part of the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    /// `ContigRecord`s.
    Contigs,
    /// Contig names, end to end.
    Names,
    /// `Exception`s.
    Exceptions,
    /// The indexed text, 32 bases a `u64`.
    Text,
    /// `RankBlock`s of the text.
    Forward,
    /// `RankBlock`s of the reversed text.
    Reverse,
    /// `u32` text positions of every n-th row of `Forward`.
    Samples,
    /// `Interval`s of all words of the table's length.
    Table,
}

impl Section {
    pub(crate) const ALL: [Self; 8] = [
        Self::Contigs,
        Self::Names,
        Self::Exceptions,
        Self::Text,
        Self::Forward,
        Self::Reverse,
        Self::Samples,
        Self::Table,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Contigs => "contigs",
            Self::Names => "names",
            Self::Exceptions => "exceptions",
            Self::Text => "text",
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::Samples => "samples",
            Self::Table => "table",
        }
    }
}

/// Where a section is.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct Extent {
    /// Bytes from the start of the image.
    offset: u64,
    /// Bytes without padding.
    length: u64,
    /// XXH3 of the section with its padding.
    pub(crate) checksum: u64,
}

impl Extent {
    /// Its bytes without padding.
    #[inline]
    pub(crate) fn exact(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.length) as usize
    }

    /// Its bytes with padding.
    pub(crate) fn padded(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.length).next_multiple_of(LINE as u64) as usize
    }
}

/// The numbers that describe an index.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct Numbers {
    pub(crate) source: Source,
    /// Bases of the indexed text.
    pub(crate) bases: u32,
    pub(crate) forward_primary: u32,
    pub(crate) reverse_primary: u32,
    pub(crate) sample_rate: u32,
    pub(crate) first: [u32; 4],
    /// Bases of a word of the table.
    pub(crate) table_length: u32,
    unused: u32,
}

/// The first bytes of the image.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct Header {
    pub(crate) magic: [u8; 8],
    pub(crate) version: u32,
    pub(crate) byte_order: u32,
    /// Bytes of the whole image.
    pub(crate) file_length: u64,
    pub(crate) numbers: Numbers,
    /// In the order of [`Section::ALL`].
    pub(crate) extents: [Extent; 8],
    unused: [u64; 5],
    /// XXH3 of the header's bytes before this field.
    pub(crate) checksum: u64,
}

/// Bytes of the header.
pub(crate) const HEADER: usize = size_of::<Header>();
const _: () = assert!(HEADER.is_multiple_of(LINE));

impl Header {
    /// A header for sections of these lengths in bytes; its numbers and checksums are 0.
    pub(crate) fn new(lengths: [u64; 8]) -> Self {
        let mut end = HEADER as u64;
        let extents = lengths.map(|length| {
            let extent = Extent { offset: end, length, checksum: 0 };
            end += length.next_multiple_of(LINE as u64);
            extent
        });
        Self {
            magic: MAGIC,
            version: VERSION,
            byte_order: BYTE_ORDER,
            file_length: end,
            extents,
            ..Self::zeroed()
        }
    }

    /// The checksum that the header should have.
    pub(crate) fn own_checksum(&self) -> u64 {
        xxh3_64(&bytes_of(self)[..HEADER - size_of::<u64>()])
    }
}
