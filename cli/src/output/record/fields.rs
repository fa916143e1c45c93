//! The fields of a record (SAM specification, section 1.4).

/// Flag of a read that has a mate.
pub const PAIRED: u16 = 0x1;
/// Flag of mates that are aligned in the orientation and at the distance of the library.
pub const PROPER: u16 = 0x2;
/// Flag of a read that is not aligned.
pub const UNMAPPED: u16 = 0x4;
/// Flag of a read whose mate is not aligned.
pub const MATE_UNMAPPED: u16 = 0x8;
/// Flag of an alignment of the read's reverse complement.
pub const REVERSE: u16 = 0x10;
/// Flag of a read of whose mate the reverse complement is aligned.
pub const MATE_REVERSE: u16 = 0x20;
/// Flag of the first mate of a pair.
pub const FIRST: u16 = 0x40;
/// Flag of the second mate of a pair.
pub const LAST: u16 = 0x80;
/// Flag of an alternative to the primary alignment.
pub const SECONDARY: u16 = 0x100;
/// Flag of a template that is a copy of another one.
pub const DUPLICATE: u16 = 0x400;
/// Flag of a further part of a read whose parts align to different loci.
pub const SUPPLEMENTARY: u16 = 0x800;

/// One record: a line of SAM.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// The read's name, 1 to 254 bytes.
    pub name: &'a [u8],
    /// The sum of its flags.
    pub flag: u16,
    /// The leftmost aligned base; `None` of a read without a place.
    pub position: Option<Position>,
    /// The mapping quality, 0 to 255.
    pub mapq: u8,
    /// The CIGAR in BAM's encoding; see [`cigar`](super::cigar).
    pub cigar: &'a [u32],
    /// The read's mate, if it has one.
    pub mate: Option<Mate<'a>>,
    /// Upper-case IUPAC letters; empty is written as `*`.
    pub sequence: &'a [u8],
    /// Phred values, as many as bases; `None` is written as `*`.
    pub quality: Option<&'a [u8]>,
    /// The tags of an alignment; `None` of an unaligned read.
    pub tags: Option<Tags<'a>>,
    /// The read group's ID.
    pub group: Option<&'a str>,
    /// Tags that are not of the alignment.
    pub extra: ExtraTags<'a>,
}

#[cfg(test)]
impl<'a> Record<'a> {
    /// A record of four bases with this name and position, and nothing else.
    pub fn of_four_bases(name: &'a [u8], position: Option<Position>) -> Self {
        Self {
            name,
            flag: 0,
            position,
            mapq: 0,
            cigar: &[],
            mate: None,
            sequence: b"ACGT",
            quality: None,
            tags: None,
            group: None,
            extra: ExtraTags::default(),
        }
    }
}

/// Tags of a record that come from the files of reads and of the reference.
#[derive(Debug, Clone, Copy, Default)]
pub struct ExtraTags<'a> {
    /// The tags of the read's comment, as text; empty for none.
    pub comment: &'a [u8],
    /// `XR`: the description of the contig in the reference; empty for none.
    pub description: &'a [u8],
}

/// A base of the reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The contig's number in the header, from 0.
    pub contig: u32,
    /// The base's number in the contig, from 0.
    pub base: u32,
}

/// The fields of a record about the read's mate.
#[derive(Debug, Clone, Copy)]
pub struct Mate<'a> {
    /// The leftmost aligned base of the mate's primary alignment.
    pub position: Option<Position>,
    /// `TLEN`: bases from the first to the last of the pair, negative for the mate that ends it.
    pub span: i32,
    /// The mate's primary alignment, if it is aligned.
    pub alignment: Option<MateAlignment<'a>>,
}

/// The tags of a record about the alignment of the read's mate.
#[derive(Debug, Clone, Copy)]
pub struct MateAlignment<'a> {
    /// `MC`: its CIGAR in BAM's encoding.
    pub cigar: &'a [u32],
    /// `MQ`: its mapping quality.
    pub mapq: u8,
}

/// The tags of an alignment.
#[derive(Debug, Clone, Copy)]
pub struct Tags<'a> {
    /// `NM`: edit distance to the reference.
    pub distance: u32,
    /// `MD`: mismatched and deleted reference bases, see [`md`](super::md).
    pub md: &'a [u8],
    /// `AS`: the score of the alignment.
    pub score: i32,
    /// `XS`: the score of the second-best alignment.
    pub second: Option<i32>,
    /// `NH` and `HI`: the alignments of the read.
    pub count: Option<AlignmentCount>,
    /// `SA`: the alignments of other parts of the read; empty for none.
    pub parts: &'a [u8],
    /// `pa`: the score of the alignment, divided by that of a better one on an ALT contig, in thousandths that are rounded.
    pub alt_ratio: Option<f32>,
    /// `XA`: alternatives to this alignment; empty for none.
    pub alternatives: &'a [u8],
}

impl Tags<'_> {
    /// Bytes of the values that are text.
    pub fn text_bytes(&self) -> usize {
        self.md.len() + self.parts.len() + self.alternatives.len()
    }
}

/// One of several alignments of a read.
#[derive(Debug, Clone, Copy)]
pub struct AlignmentCount {
    /// `NH`: the number of alignments of the read, reported or not.
    pub total: u32,
    /// `HI`: the number of this alignment among the reported ones, from 1.
    pub number: u32,
}
