//! Database files: the sections and numbers of a database as one checksummed image, the same in memory and on disk.

use aligner_core::container::{Container, ContainerBuilder, Format, SectionName};
use bytemuck::{Pod, Zeroable};

/// A complete database image, built in memory or mapped from a file.
pub(super) type Image = Container<DatabaseFormat, { DatabaseSection::ALL.len() }>;

/// A database image under construction.
pub(super) type ImageBuilder = ContainerBuilder<DatabaseFormat, { DatabaseSection::ALL.len() }>;

/// Bytes of zeros behind the last base, so that words can be read from any byte of bases.
pub(super) const SPARE_BYTES: usize = 8;

/// Version of files whose sequences have titles.
pub(super) const TITLES: u32 = 1;
/// Version of files whose sequences have definition lines in the place of titles.
pub(super) const DEFLINES: u32 = 2;

/// Format of database files.
#[derive(Debug)]
pub(super) struct DatabaseFormat;

impl Format for DatabaseFormat {
    const MAGIC: [u8; 8] = *b"GPBLASTN";
    const VERSION: u32 = DEFLINES;
    const OLDEST_VERSION: u32 = TITLES;
    const KIND: &'static str = "database";
    const COMMAND: &'static str = "gpualign makedb";
    type Parameters = DatabaseParameters;
    type Section = DatabaseSection;
}

/// Numbers that describe a database, in the header of its file.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct DatabaseParameters {
    /// Number of bases of all sequences.
    pub(super) letters: u64,
    /// Time when the database was made, in seconds since 1970.
    pub(super) made: u64,
}

/// A section of a database file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DatabaseSection {
    /// One [`Entry`] per sequence, and one more for the end of the last.
    Entries,
    /// Titles or definition lines of the sequences, end to end.
    Titles,
    /// [`Exception`]s, ascending within each sequence.
    Exceptions,
    /// Bases, four a byte, each sequence from a byte of its own on, and [`SPARE_BYTES`].
    Bases,
    /// Name of the database.
    Name,
}

impl SectionName for DatabaseSection {
    const ALL: &'static [Self] =
        &[Self::Entries, Self::Titles, Self::Exceptions, Self::Bases, Self::Name];

    #[inline]
    fn number(self) -> usize {
        self as usize
    }

    fn name(self) -> &'static str {
        match self {
            Self::Entries => "entries",
            Self::Titles => "titles",
            Self::Exceptions => "exceptions",
            Self::Bases => "bases",
            Self::Name => "name",
        }
    }

    fn element_bytes(self) -> usize {
        match self {
            Self::Entries => size_of::<Entry>(),
            Self::Exceptions => size_of::<Exception>(),
            Self::Titles | Self::Bases | Self::Name => size_of::<u8>(),
        }
    }
}

/// Location of a sequence in the sections of a database.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Entry {
    /// First byte of its bases.
    pub(super) bases: u64,
    /// First byte of its title.
    pub(super) title: u64,
    /// Number of its first exception.
    pub(super) exception: u32,
    /// Number of its bases.
    pub(super) length: u32,
}

/// A run of one letter other than A, C, G and T.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Exception {
    /// Position of its first letter in the sequence, 0-based.
    pub(super) start: u32,
    /// Number of letters in the run.
    pub(super) length: u32,
    /// Code of the letter, see [`crate::sequence::alphabet`].
    pub(super) letter: u32,
}
