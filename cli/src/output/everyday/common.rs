//! What all records of a read have in common.

use super::aligned::Aligned;
use crate::input::Read;
use crate::output::ReadGroup;
use crate::output::record::{
    MATE_REVERSE, MATE_UNMAPPED, Mate, PAIRED, PROPER, REVERSE, Record, UNMAPPED,
};

/// A read with what was found for it.
pub(super) struct Mapped<'r> {
    pub read: Read<'r>,
    /// The primary alignment, if it is aligned, then other parts.
    pub parts: Vec<Aligned<'r>>,
    pub alternatives: Vec<Aligned<'r>>,
    pub is_proper: bool,
}

/// What all records of a read have in common.
pub(super) struct Common<'r> {
    mapped: &'r Mapped<'r>,
    flag: u16,
    is_paired: bool,
    /// The mate's primary alignment.
    other: Option<&'r Aligned<'r>>,
    group: Option<&'r str>,
}

impl<'r> Common<'r> {
    /// Of a pair, `mate` is the other read, with the flag of this.
    pub fn new(
        mapped: &'r Mapped<'r>,
        mate: Option<(&'r Mapped<'r>, u16)>,
        group: Option<&'r ReadGroup>,
    ) -> Self {
        let other = mate.and_then(|(mate, _)| mate.parts.first());
        let mut flag = 0;
        if let Some((_, end)) = mate {
            flag |= PAIRED | end;
            flag |= if mapped.is_proper { PROPER } else { 0 };
            flag |= match other {
                None => MATE_UNMAPPED,
                Some(other) if other.is_reverse() => MATE_REVERSE,
                Some(_) => 0,
            };
        }
        let group = group.map(|group| group.id.as_str());
        Self { mapped, flag, is_paired: mate.is_some(), other, group }
    }

    /// The record of an alignment with the read as it is, or of the unaligned read, which has the place of its
    /// mate.
    pub fn record<'p>(&self, part: Option<&'p Aligned<'_>>) -> Record<'p>
    where
        'r: 'p,
    {
        let Read { name, sequence, quality } = self.mapped.read;
        let place = |aligned: &Aligned<'_>| (aligned.contig, aligned.start);
        // A mate that is not aligned has the place of the primary alignment.
        let primary = self.mapped.parts.first();
        let mate = self.is_paired.then(|| Mate {
            place: self.other.or(primary).map(place),
            span: part.zip(self.other).map_or(0, |(own, other)| own.span(other)),
            alignment: self.other.map(|other| (other.cigar.as_slice(), other.mapq)),
        });
        let own = match part {
            None => UNMAPPED,
            Some(part) if part.is_reverse() => REVERSE,
            Some(_) => 0,
        };
        Record {
            name,
            flag: self.flag | own,
            place: part.map(place).or(self.other.map(place)),
            mapq: part.map_or(0, |part| part.mapq),
            cigar: part.map_or(&[], |part| &part.cigar),
            mate,
            sequence,
            quality,
            tags: part.map(Aligned::tags),
            group: self.group,
        }
    }
}
