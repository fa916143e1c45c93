//! The fields that all records of a read have in common.

use super::alignment::RecordAlignment;
use crate::input::Read;
use crate::output::read_group::ReadGroups;
use crate::output::record::fields::{
    ExtraTags, MATE_REVERSE, MATE_UNMAPPED, Mate, MateAlignment, PAIRED, PROPER, REVERSE, Record,
    UNMAPPED,
};

/// A read with its alignments.
pub(super) struct MappedRead<'r> {
    pub read: Read<'r>,
    /// The primary alignment, followed by those of other parts of the read; empty if the read is not aligned.
    pub parts: Vec<RecordAlignment<'r>>,
    /// Alternatives to these alignments.
    pub alternatives: Vec<RecordAlignment<'r>>,
    /// Whether it lies properly to its mate.
    pub is_proper: bool,
}

/// The mate of a read.
#[derive(Clone, Copy)]
pub(super) struct PairedMate<'r> {
    /// The mate with its alignments.
    pub mapped: &'r MappedRead<'r>,
    /// The flag of the read whose mate it is: first or last of the pair.
    pub own_flag: u16,
}

/// The fields that all records of a read have in common.
pub(super) struct CommonFields<'r> {
    mapped: &'r MappedRead<'r>,
    /// The flags about the pair.
    flag: u16,
    is_paired: bool,
    /// The mate's primary alignment.
    mate_primary: Option<&'r RecordAlignment<'r>>,
    group: Option<&'r str>,
}

impl<'r> CommonFields<'r> {
    /// The common fields of the records of `mapped`.
    pub fn new(
        mapped: &'r MappedRead<'r>,
        mate: Option<PairedMate<'r>>,
        groups: &'r ReadGroups,
    ) -> Self {
        let mate_primary = mate.and_then(|mate| mate.mapped.parts.first());
        let mut flag = 0;
        if let Some(PairedMate { own_flag, .. }) = mate {
            flag |= PAIRED | own_flag;
            flag |= if mapped.is_proper { PROPER } else { 0 };
            flag |= match mate_primary {
                None => MATE_UNMAPPED,
                Some(primary) if primary.is_reverse() => MATE_REVERSE,
                Some(_) => 0,
            };
        }
        let group = mapped.read.group.map(|group| groups.get(group).id.as_str());
        Self { mapped, flag, is_paired: mate.is_some(), mate_primary, group }
    }

    /// The record of an alignment, with the read's own sequence; without an alignment, the record of the unaligned read,
    /// which gets the position of its mate.
    pub fn record<'p>(&self, alignment: Option<&'p RecordAlignment<'_>>) -> Record<'p>
    where
        'r: 'p,
    {
        let Read { name, sequence, quality, comment, .. } = self.mapped.read;
        let primary = self.mapped.parts.first();
        let mate = self.is_paired.then(|| Mate {
            // A mate that is not aligned has the position of this read's primary alignment.
            position: self.mate_primary.or(primary).map(RecordAlignment::position),
            span: alignment.zip(self.mate_primary).map_or(0, |(own, other)| own.span(other)),
            alignment: self
                .mate_primary
                .map(|primary| MateAlignment { cigar: &primary.cigar, mapq: primary.mapq }),
        });
        let own = match alignment {
            None => UNMAPPED,
            Some(alignment) if alignment.is_reverse() => REVERSE,
            Some(_) => 0,
        };
        Record {
            name,
            flag: self.flag | own,
            position: alignment.or(self.mate_primary).map(RecordAlignment::position),
            mapq: alignment.map_or(0, |alignment| alignment.mapq),
            cigar: alignment.map_or(&[], |alignment| &alignment.cigar),
            mate,
            sequence,
            quality,
            tags: alignment.map(RecordAlignment::tags),
            group: self.group,
            extra: ExtraTags { comment, description: &[] },
        }
    }
}
