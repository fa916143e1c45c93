//! The fields and flags of a record about the read's mate (SAM specification, section 1.4).

use crate::output::record::fields::{
    MATE_REVERSE, MATE_UNMAPPED, Mate, MateAlignment, PAIRED, Position,
};

/// The bases of the reference that an alignment covers, and its strand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// The contig's number, from 0.
    pub contig: u32,
    /// The first aligned base on the contig, from 0.
    pub start: u32,
    /// The end of the aligned bases on the contig, exclusive.
    pub end: u32,
    /// Whether the read's reverse complement is aligned.
    pub is_reverse: bool,
}

impl Placement {
    /// The leftmost aligned base.
    pub fn position(&self) -> Position {
        Position { contig: self.contig, base: self.start }
    }

    /// The position on the contig of the read's first aligned base: the 5' end of the read.
    fn five_prime(&self) -> i64 {
        if self.is_reverse { i64::from(self.end) - 1 } else { self.start.into() }
    }

    /// `TLEN` for the alignment of the mate: the signed distance of both 5' ends, 0 if the contigs differ.
    fn span(&self, mate: &Self) -> i32 {
        if self.contig != mate.contig {
            return 0;
        }
        let ahead = mate.five_prime() - self.five_prime();
        (ahead + ahead.signum()) as i32
    }
}

/// The primary alignment of a read, as records of its mate tell of it.
#[derive(Debug, Clone, Copy)]
pub struct PrimaryAlignment<'a> {
    pub placement: Placement,
    /// Its CIGAR in BAM's encoding.
    pub cigar: &'a [u32],
    pub mapq: u8,
}

/// The mate of a read.
#[derive(Debug, Clone, Copy)]
pub struct PairedMate<'a> {
    /// The flag of the read whose mate it is: first or last of the pair.
    pub own_flag: u16,
    /// `None` if the mate is not aligned.
    pub primary: Option<PrimaryAlignment<'a>>,
}

impl<'a> PairedMate<'a> {
    /// The flags of the read's records about the pair.
    pub fn flags(&self) -> u16 {
        let of_mate = match self.primary {
            None => MATE_UNMAPPED,
            Some(primary) if primary.placement.is_reverse => MATE_REVERSE,
            Some(_) => 0,
        };
        PAIRED | self.own_flag | of_mate
    }

    /// The fields about the mate in a record of an alignment, or of the unaligned read. `primary` is where the read's own
    /// primary alignment lies: a mate that is not aligned has its position.
    pub fn fields(&self, alignment: Option<Placement>, primary: Option<Placement>) -> Mate<'a> {
        let mate = self.primary.map(|mate| mate.placement);
        Mate {
            position: mate.or(primary).as_ref().map(Placement::position),
            span: alignment.zip(mate).map_or(0, |(own, mate)| own.span(&mate)),
            alignment: self
                .primary
                .map(|PrimaryAlignment { cigar, mapq, .. }| MateAlignment { cigar, mapq }),
        }
    }
}
