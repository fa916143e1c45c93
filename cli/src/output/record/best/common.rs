//! The fields that all records of a read have in common.

use super::RecordStyle;
use super::alignment::{AlignmentTexts, RecordAlignment};
use crate::input::Read;
use crate::output::read_group::ReadGroups;
use crate::output::record::fields::{
    ExtraTags, MATE_REVERSE, MATE_UNMAPPED, PROPER, REVERSE, Record, UNMAPPED,
};
use crate::output::record::mate::PairedMate;

/// A read with its alignments.
pub(super) struct MappedRead<'r> {
    pub read: Read<'r>,
    /// The primary alignment; `None` if the read is not aligned.
    pub primary: Option<RecordAlignment<'r>>,
    /// The alignments of other parts of the read.
    pub others: Vec<RecordAlignment<'r>>,
    /// Alternatives to these alignments.
    pub alternatives: Vec<RecordAlignment<'r>>,
    /// Whether it lies properly to its mate.
    pub is_proper: bool,
}

impl<'r> MappedRead<'r> {
    /// The primary alignment, followed by those of other parts of the read.
    pub fn parts(&self) -> impl Iterator<Item = &RecordAlignment<'r>> {
        self.primary.iter().chain(&self.others)
    }

    /// The read as the mate of another one, the first or the last of their pair by its flag.
    pub fn as_mate_of<'t>(&self, own_flag: u16, texts: &'t AlignmentTexts) -> PairedMate<'t> {
        let primary = self.primary.as_ref().map(|primary| primary.as_primary(texts));
        PairedMate { own_flag, primary }
    }
}

/// The fields that all records of a read have in common.
pub(super) struct CommonFields<'r> {
    mapped: &'r MappedRead<'r>,
    /// The flags about the pair.
    flag: u16,
    mate: Option<PairedMate<'r>>,
    group: Option<&'r str>,
    /// The descriptions of all contigs, if they are wanted.
    descriptions: &'r [Vec<u8>],
    texts: &'r AlignmentTexts,
}

impl<'r> CommonFields<'r> {
    /// The common fields of the records of a read, whose mate is given if it has one.
    pub fn new(
        (mapped, mate): (&'r MappedRead<'r>, Option<PairedMate<'r>>),
        groups: &'r ReadGroups,
        style: &RecordStyle<'r>,
        texts: &'r AlignmentTexts,
    ) -> Self {
        let mut flag = mate.map_or(0, |mate| mate.flags());
        if mate.is_some() && mapped.is_proper {
            flag |= PROPER;
        }
        let is_reverse = mapped.primary.as_ref().is_some_and(RecordAlignment::is_reverse);
        if flag & MATE_UNMAPPED != 0 && is_reverse {
            // A mate that is not aligned lies on the strand of this read, as at its position.
            flag |= MATE_REVERSE;
        }
        let group = mapped.read.group.map(|group| groups.get(group).id.as_str());
        Self { mapped, flag, mate, group, descriptions: style.descriptions, texts }
    }

    /// The record of an alignment, with the read's own sequence; without an alignment, the record of the unaligned read,
    /// which gets the position of its mate.
    pub fn record(&self, alignment: Option<&RecordAlignment<'_>>) -> Record<'r> {
        let Read { name, sequence, quality, comment, .. } = self.mapped.read;
        let placement = alignment.map(RecordAlignment::placement);
        let primary = self.mapped.primary.as_ref().map(RecordAlignment::placement);
        let mate = self.mate.map(|mate| mate.fields(placement, primary));
        let own = match alignment {
            None => UNMAPPED,
            Some(alignment) if alignment.is_reverse() => REVERSE,
            Some(_) => 0,
        };
        let position = match &placement {
            Some(placement) => Some(placement.position()),
            None => mate.and_then(|mate| mate.position),
        };
        let contig = position.map(|position| position.contig as usize);
        let description = contig.and_then(|contig| self.descriptions.get(contig));
        Record {
            name,
            flag: self.flag | own,
            position,
            mapq: alignment.map_or(0, |alignment| alignment.mapq),
            cigar: alignment.map_or(&[], |alignment| alignment.cigar(self.texts)),
            mate,
            sequence,
            quality,
            tags: alignment.map(|alignment| alignment.tags(self.texts)),
            group: self.group,
            extra: ExtraTags { comment, description: description.map_or(&[], Vec::as_slice) },
        }
    }
}
