//! The header of a database file, and the sections it lists.

use std::ops::Range;

use bytemuck::{Pod, Zeroable, bytes_of};
use xxhash_rust::xxh3::xxh3_64;

/// First bytes of a database file.
pub(super) const MAGIC: [u8; 8] = *b"GPBLASTN";
/// Version of the format; any change of any section raises it.
pub(super) const VERSION: u32 = 1;
/// As a machine of the same byte order reads it.
pub(super) const BYTE_ORDER: u32 = 0x0102_0304;
/// Header and sections are whole numbers of this many bytes.
pub(super) const LINE: usize = 64;

/// A part of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Section {
    /// [`super::Entry`]s, and one behind the last.
    Entries,
    /// Titles of the sequences, end to end.
    Titles,
    /// [`super::Exception`]s.
    Exceptions,
    /// Bases, each sequence from a byte on, and some bytes of 0.
    Bases,
    /// What the database is called.
    Name,
}

impl Section {
    pub(super) const ALL: [Self; 5] =
        [Self::Entries, Self::Titles, Self::Exceptions, Self::Bases, Self::Name];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Entries => "entries",
            Self::Titles => "titles",
            Self::Exceptions => "exceptions",
            Self::Bases => "bases",
            Self::Name => "name",
        }
    }
}

/// Where a section is.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Extent {
    offset: u64,
    /// Bytes without padding.
    length: u64,
    /// XXH3 of the section with its padding.
    pub(super) checksum: u64,
}

impl Extent {
    /// Its bytes without padding.
    pub(super) fn exact(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.length) as usize
    }

    /// Its bytes with padding.
    pub(super) fn padded(&self) -> Range<usize> {
        self.offset as usize..(self.offset + self.length).next_multiple_of(LINE as u64) as usize
    }
}

/// The first bytes of the file.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Header {
    pub(super) magic: [u8; 8],
    pub(super) version: u32,
    pub(super) byte_order: u32,
    pub(super) file_length: u64,
    /// Bases of all sequences.
    pub(super) letters: u64,
    /// When it was made, in seconds since 1970.
    pub(super) made: u64,
    /// In the order of [`Section::ALL`].
    pub(super) extents: [Extent; 5],
    unused: [u64; 3],
    /// XXH3 of the header's bytes before this field.
    pub(super) checksum: u64,
}

/// Bytes of the header.
pub(super) const HEADER: usize = size_of::<Header>();
const _: () = assert!(HEADER.is_multiple_of(LINE) && HEADER == 192);

impl Header {
    /// A header for sections of these lengths in bytes; its checksums are 0.
    pub(super) fn new(lengths: [u64; 5], letters: u64, made: u64) -> Self {
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
            letters,
            made,
            extents,
            ..Self::zeroed()
        }
    }

    /// The checksum that the header should have.
    pub(super) fn own_checksum(&self) -> u64 {
        xxh3_64(&bytes_of(self)[..HEADER - size_of::<u64>()])
    }
}
