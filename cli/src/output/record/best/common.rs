//! The fields that all records of a read have in common.

use super::alignment::{AlignmentTexts, RecordAlignment};
use crate::input::Read;
use crate::output::read_group::ReadGroups;
use crate::output::record::fields::{ExtraTags, PROPER, REVERSE, Record, UNMAPPED};
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
    texts: &'r AlignmentTexts,
}

impl<'r> CommonFields<'r> {
    /// The common fields of the records of `mapped`.
    pub fn new(
        mapped: &'r MappedRead<'r>,
        mate: Option<PairedMate<'r>>,
        groups: &'r ReadGroups,
        texts: &'r AlignmentTexts,
    ) -> Self {
        let proper = if mate.is_some() && mapped.is_proper { PROPER } else { 0 };
        let flag = mate.map_or(0, |mate| mate.flags()) | proper;
        let group = mapped.read.group.map(|group| groups.get(group).id.as_str());
        Self { mapped, flag, mate, group, texts }
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
        Record {
            name,
            flag: self.flag | own,
            position: match &placement {
                Some(placement) => Some(placement.position()),
                None => mate.and_then(|mate| mate.position),
            },
            mapq: alignment.map_or(0, |alignment| alignment.mapq),
            cigar: alignment.map_or(&[], |alignment| alignment.cigar(self.texts)),
            mate,
            sequence,
            quality,
            tags: alignment.map(|alignment| alignment.tags(self.texts)),
            group: self.group,
            extra: ExtraTags { comment, description: &[] },
        }
    }
}
