//! Index files: the sections and numbers of an index as one checksummed image, the same in memory and on disk.

use aligner_core::container::{Container, ContainerBuilder, Format, SectionName};
use bytemuck::{Pod, Zeroable};

use crate::fingerprint::FileFingerprint;
use crate::index::interval::Interval;
use crate::index::rank::RankBlock;
use crate::reference::exception::Exception;

/// A complete index image, built in memory or mapped from a file.
pub(crate) type IndexImage = Container<IndexFormat, { IndexSection::ALL.len() }>;

/// An index image under construction.
pub(crate) type IndexImageBuilder = ContainerBuilder<IndexFormat, { IndexSection::ALL.len() }>;

/// Format of index files.
#[derive(Debug)]
pub(crate) struct IndexFormat;

impl Format for IndexFormat {
    const MAGIC: [u8; 8] = *b"GPXINDEX";
    const VERSION: u32 = 2;
    const KIND: &'static str = "index";
    const COMMAND: &'static str = "gpualign index";
    type Parameters = IndexParameters;
    type Section = IndexSection;
}

/// A section of an index image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexSection {
    /// One [`ContigRecord`] per contig, see [`crate::index::stored_reference`].
    Contigs,
    /// Names of the contigs, end to end.
    Names,
    /// [`Exception`]s of the reference, ascending.
    Exceptions,
    /// The indexed text, 32 bases a `u64`.
    Text,
    /// [`RankBlock`]s of the text's transform.
    Forward,
    /// [`RankBlock`]s of the reversed text's transform.
    Reverse,
    /// Suffix-array samples: text position, as `u32`, of each `sample_rate`-th row of the text's transform.
    Samples,
    /// [`Interval`] of each word of the look-up table's length.
    Table,
    /// Two bits for each word of a longer length, see [`crate::index::word_counts`].
    WordCounts,
}

impl SectionName for IndexSection {
    const ALL: &'static [Self] = &[
        Self::Contigs,
        Self::Names,
        Self::Exceptions,
        Self::Text,
        Self::Forward,
        Self::Reverse,
        Self::Samples,
        Self::Table,
        Self::WordCounts,
    ];

    #[inline]
    fn number(self) -> usize {
        self as usize
    }

    fn name(self) -> &'static str {
        match self {
            Self::Contigs => "contigs",
            Self::Names => "names",
            Self::Exceptions => "exceptions",
            Self::Text => "text",
            Self::Forward => "forward",
            Self::Reverse => "reverse",
            Self::Samples => "samples",
            Self::Table => "table",
            Self::WordCounts => "word counts",
        }
    }

    fn element_bytes(self) -> usize {
        match self {
            Self::Contigs => size_of::<ContigRecord>(),
            Self::Names => size_of::<u8>(),
            Self::Exceptions => size_of::<Exception>(),
            Self::Text | Self::WordCounts => size_of::<u64>(),
            Self::Forward | Self::Reverse => size_of::<RankBlock>(),
            Self::Samples => size_of::<u32>(),
            Self::Table => size_of::<Interval>(),
        }
    }
}

/// Numbers that describe an index, in the header of its image.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct IndexParameters {
    /// The FASTA file that the reference was read from.
    pub(crate) source: FileFingerprint,
    /// Bases of the indexed text.
    pub(crate) bases: u32,
    /// Row of the whole text in the text's transform.
    pub(crate) forward_primary: u32,
    /// Row of the whole reversed text in its transform.
    pub(crate) reverse_primary: u32,
    /// Rows between suffix-array samples: a power of two from 1 to 64.
    pub(crate) sample_rate: u32,
    /// For each code, the first row whose suffix begins with it, the same in both transforms.
    pub(crate) first: [u32; 4],
    /// Bases of a word of the look-up table, 1 to 12.
    pub(crate) table_length: u32,
    /// Bases of a word that is counted, 1 to 16.
    pub(crate) counted_length: u32,
}

/// A contig in an index image.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(crate) struct ContigRecord {
    /// Reference coordinate of its first base.
    pub(crate) offset: u32,
    /// Number of its bases.
    pub(crate) length: u32,
    /// End of its name in the names section; the name starts where the previous contig's name ends.
    pub(crate) name_end: u64,
    /// MD5 of its letters in upper case.
    pub(crate) md5: [u8; 16],
}
