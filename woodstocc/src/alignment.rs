//! What mapping one read yields.

pub use aligner_core::cigar::Op;
use smallvec::SmallVec;

/// The strand of the reference that a read matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strand {
    /// The read as given matches the reference.
    Forward,
    /// The reverse complement of the read matches the reference.
    Reverse,
}

/// An alignment as runs of equal operations, from its start on the reference. The read side is the
/// read as it lies on the forward strand (reverse-complemented for [`Strand::Reverse`]).
/// Few differences need no memory of their own.
pub type Cigar = SmallVec<[(Op, u32); 8]>;

/// One place where a read matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alignment {
    /// The contig's number in the reference.
    pub contig: u32,
    /// First reference base of the alignment, 0-based within the contig.
    pub start: u32,
    /// The strand.
    pub strand: Strand,
    /// The edit distance, SAM's `NM`.
    pub distance: u8,
    /// The alignment.
    pub cigar: Cigar,
}

/// All that is reported of one read. The read is unaligned if [`alignments`](Self::alignments) is
/// empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Mapping {
    /// The primary alignment first; then, unless only the best was asked for, all others by contig,
    /// start and strand.
    pub alignments: Vec<Alignment>,
    /// How many there are in all (SAM's `NH`), reported or not: loci, or every match under
    /// [`Report::AllStarts`](crate::Report::AllStarts).
    pub total: u64,
    /// Mapping quality of the primary alignment.
    pub mapq: u8,
}

impl Mapping {
    /// Makes it that of an unaligned read, and keeps its memory.
    pub(crate) fn clear(&mut self) {
        self.alignments.clear();
        self.total = 0;
        self.mapq = 0;
    }
}
