//! Records of mode all (SAM specification, section 1.4).
//!
//! The primary alignment comes first. Flag 0x100 marks the others, which have MAPQ 0 and no sequence and quality, as with
//! `bwa mem -a`. An unaligned read has flag 4, no tags of an alignment, and the position of its mate if that is aligned. Mates
//! are aligned each by itself, so none are flagged as properly paired (0x2); what all records of a read say about its mate is
//! of the mate's primary alignment.
//!
//! | tag | value |
//! |---|---|
//! | `NM` | edit distance; a base other than A, C, G, T differs from everything |
//! | `MD` | see [`super::md`] |
//! | `AS` | minus the edit distance |
//! | `NH` | number of alignments of the read, reported or not |
//! | `HI` | number of this alignment among the reported ones, from 1 |
//! | `MC`, `MQ` | CIGAR and mapping quality of the mate |
//! | `RG` | the read group of the read |

use aligner_core::cigar::CigarRun;
use fm_index::{PlainStretches, Reference};
use woodstocc::{Alignment, AlignmentPath, Mapping, Strand};

use crate::input::Read;
use crate::output::lines::Lines;
use crate::output::read_group::ReadGroups;
use crate::output::record::cigar;
use crate::output::record::fields::{
    AlignmentCount, ExtraTags, FIRST, LAST, Mate, REVERSE, Record, SECONDARY, Tags, UNMAPPED,
};
use crate::output::record::mate::{PairedMate, Placement, PrimaryAlignment};
use crate::output::record::md;
use crate::output::record::reverse_strand::ReverseStrand;

/// The primary alignment of a read, kept while the records of its mate are made.
#[derive(Debug, Default)]
pub struct KeptPrimary {
    /// `None` of a read that is not aligned.
    placement: Option<Placement>,
    cigar: Vec<u32>,
    mapq: u8,
}

/// The place of a read in its pair, and the primary alignments of both.
#[derive(Debug, Clone, Copy)]
pub struct PlaceInPair<'k> {
    /// The flag of the first or of the last read of the pair.
    flag: u16,
    own: &'k KeptPrimary,
    mate: &'k KeptPrimary,
}

impl<'k> PlaceInPair<'k> {
    /// The places of both reads of a pair, in order.
    pub fn of_both([first, last]: [&'k KeptPrimary; 2]) -> [Self; 2] {
        [Self { flag: FIRST, own: first, mate: last }, Self { flag: LAST, own: last, mate: first }]
    }

    /// The mate of the read.
    fn mate(&self) -> PairedMate<'k> {
        let KeptPrimary { placement, ref cigar, mapq } = *self.mate;
        let primary = placement.map(|placement| PrimaryAlignment { placement, cigar, mapq });
        PairedMate { own_flag: self.flag, primary }
    }
}

/// Makes the records of mode all; reuses its memory from read to read.
#[derive(Debug)]
pub struct AllRecordFormatter<'a> {
    groups: &'a ReadGroups,
    eqx: bool,
    stretches: PlainStretches<'a>,
    cigar: Vec<u32>,
    md: Lines,
    runs: Vec<CigarRun>,
    reversed: ReverseStrand,
}

impl<'a> AllRecordFormatter<'a> {
    /// A formatter for reads of these groups. With `eqx`, CIGARs have `=` and `X` instead of `M`.
    pub fn new(reference: &'a Reference, groups: &'a ReadGroups, eqx: bool) -> Self {
        Self {
            groups,
            eqx,
            stretches: PlainStretches::new(reference),
            cigar: Vec::new(),
            md: Lines::default(),
            runs: Vec::new(),
            reversed: ReverseStrand::default(),
        }
    }

    /// Replaces what is kept of a read's primary alignment by that of this mapping, whose first alignment it is.
    pub fn keep_primary(&mut self, mapping: &Mapping, kept: &mut KeptPrimary) {
        kept.cigar.clear();
        kept.mapq = mapping.mapq;
        let primary = mapping.alignments().next();
        kept.placement = primary.map(|primary| {
            self.set_path(&primary);
            kept.cigar.extend_from_slice(&self.cigar);
            self.placement(&primary)
        });
    }

    /// Passes the records of a read to `write`, at least one. A mapping may be a part of a longer one, with `before`
    /// alignments before it. A read that has a mate has a place in its pair.
    pub fn records(
        &mut self,
        read: Read<'_>,
        (mapping, before): (&Mapping, u32),
        pair: Option<PlaceInPair<'_>>,
        mut write: impl FnMut(&Record<'_>),
    ) {
        let mate = pair.map(|pair| pair.mate());
        if mapping.is_empty() {
            write(&self.unaligned(read, mate));
            return;
        }
        let of_pair = mate.map_or(0, |mate| mate.flags());
        let primary = pair.and_then(|pair| pair.own.placement);
        // BAM cannot store more in `NH`.
        let total = u32::try_from(mapping.total).unwrap_or(u32::MAX);
        for (alignment, number) in mapping.alignments().zip(before + 1..) {
            self.set_path(&alignment);
            let placement = self.placement(&alignment);
            let mate = mate.map(|mate| mate.fields(Some(placement), primary));
            let tags = Tags {
                distance: alignment.distance.into(),
                md: self.md.bytes(),
                score: -i32::from(alignment.distance),
                second: None,
                count: Some(AlignmentCount { total, number }),
                parts: &[],
                alt_ratio: None,
                alternatives: &[],
            };
            let mut record = Record {
                flag: of_pair | SECONDARY,
                position: Some(placement.position()),
                cigar: &self.cigar,
                mate: mate.map(|mate| Mate { span: 0, ..mate }),
                sequence: &[],
                quality: None,
                tags: Some(tags),
                ..self.unaligned(read, None)
            };
            if number == 1 {
                (record.flag, record.mapq, record.mate) = (of_pair, mapping.mapq, mate);
                (record.sequence, record.quality) = if placement.is_reverse {
                    self.reversed.set(read)
                } else {
                    (read.sequence, read.quality)
                };
            }
            if placement.is_reverse {
                record.flag |= REVERSE;
            }
            write(&record);
        }
    }

    /// The record of a read that is not aligned.
    fn unaligned<'r>(&self, read: Read<'r>, mate: Option<PairedMate<'r>>) -> Record<'r>
    where
        'a: 'r,
    {
        let of_mate = mate.map(|mate| mate.fields(None, None));
        Record {
            name: read.name,
            flag: UNMAPPED | mate.map_or(0, |mate| mate.flags()),
            position: of_mate.and_then(|mate| mate.position),
            mapq: 0,
            cigar: &[],
            mate: of_mate,
            sequence: read.sequence,
            quality: read.quality,
            tags: None,
            group: read.group.map(|group| self.groups.get(group).id.as_str()),
            extra: ExtraTags { comment: read.comment, description: &[] },
        }
    }

    /// Where an alignment lies, whose CIGAR was set.
    fn placement(&self, alignment: &Alignment<'_>) -> Placement {
        let &Alignment { contig, start, strand, .. } = alignment;
        let end = start + cigar::reference_length(&self.cigar);
        Placement { contig, start, end, is_reverse: strand == Strand::Reverse }
    }

    /// Sets the CIGAR and the `MD` string to those of an alignment.
    fn set_path(&mut self, alignment: &Alignment<'_>) {
        match alignment.path {
            AlignmentPath::Ungapped(path) => {
                md::of_ungapped(path, alignment.distance, &mut self.md);
                if self.eqx {
                    alignment.path.runs(&mut self.runs);
                    cigar::set_runs(&self.runs, self.eqx, &mut self.cigar);
                } else {
                    self.cigar.clear();
                    self.cigar.push(path.len() << cigar::LENGTH_SHIFT | cigar::MATCH);
                }
            }
            AlignmentPath::Runs(runs) => {
                let Self { stretches, md, .. } = self;
                let letter = |place| stretches.letter(alignment.contig, alignment.start + place);
                md.clear();
                md::append_runs(runs, letter, md);
                cigar::set_runs(runs, self.eqx, &mut self.cigar);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aligner_core::cigar::CigarOp;
    use rust_htslib::bam;
    use rust_htslib::bam::record::Aux;
    use woodstocc::locus::loci::Locus;
    use woodstocc::locus::matches::Match;

    use crate::output::bam::records::EncodedRecords;
    use crate::output::bam::view;
    use crate::output::hts;

    const READ_LETTERS: &[u8] = b"ACGTRYKMBVDHSWN";

    const QUALITY: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];

    const READ: Read<'_> = Read {
        name: b"r",
        sequence: READ_LETTERS,
        quality: Some(QUALITY),
        comment: b"",
        group: None,
    };

    /// A mapping to one locus, on each of these strands, with these runs.
    fn mapping(strands: &[Strand], runs: &[CigarRun], total: u64, mapq: u8) -> Mapping {
        let mut mapping = Mapping::default();
        (mapping.total, mapping.mapq) = (total, mapq);
        for &strand in strands {
            let best = Match { contig: 1, start: 2, distance: 3 };
            mapping.push_runs(Locus { best, strand }, runs);
        }
        mapping
    }

    fn reference() -> Reference {
        let contigs = [("a", "ACGTACGT".repeat(4)), ("b", "TTGACCA".repeat(4))];
        Reference::from_records(contigs).expect("is fine")
    }

    fn records(
        formatter: &mut AllRecordFormatter<'_>,
        read: Read<'_>,
        mapping: &Mapping,
    ) -> Vec<bam::Record> {
        let mut encoded = EncodedRecords::default();
        formatter.records(read, (mapping, 0), None, |record| encoded.push(record, false));
        view::records(encoded.bytes()).map(|it| hts::record(it).expect("is made")).collect()
    }

    #[test]
    fn primary_and_secondary_records_differ_as_documented() {
        let reference = reference();
        let cigar = [(CigarOp::Equal, 10), (CigarOp::Different, 3), (CigarOp::Insertion, 2)]
            .map(|(op, length)| CigarRun::new(op, length));
        let mapping = mapping(&[Strand::Reverse, Strand::Forward], &cigar, 70_000, 17);
        let mut groups = ReadGroups::default();
        groups.add(&"@RG\\tID:x".parse().expect("is fine")).expect("is added");
        let mut formatter = AllRecordFormatter::new(&reference, &groups, false);
        let records = records(&mut formatter, Read { group: Some(0), ..READ }, &mapping);
        let [primary, secondary] = records.as_slice() else { panic!("two records") };
        assert_eq!((primary.flags(), secondary.flags()), (0x10, 0x100));
        assert_eq!((primary.mapq(), secondary.mapq()), (17, 0));
        assert_eq!((primary.tid(), primary.pos()), (1, 2));
        assert_eq!(primary.seq().as_bytes(), b"NWSDHBVKMRYACGT");
        assert_eq!(primary.qual()[0], 14);
        assert_eq!(secondary.seq_len(), 0);
        assert_eq!(primary.cigar().to_string(), "13M2I");
        assert_eq!(primary.aux(b"NM"), Ok(Aux::U8(3)));
        assert_eq!(primary.aux(b"MD"), Ok(Aux::String("10C0A0T0")));
        assert_eq!(primary.aux(b"AS"), Ok(Aux::I8(-3)));
        assert_eq!(primary.aux(b"NH"), Ok(Aux::U32(70_000)));
        assert_eq!(secondary.aux(b"HI"), Ok(Aux::U8(2)));
        assert_eq!(secondary.aux(b"RG"), Ok(Aux::String("x")));
    }

    #[test]
    fn eqx_names_both_kinds_of_match() {
        let reference = reference();
        let cigar = [
            (CigarOp::Equal, 9),
            (CigarOp::Different, 1),
            (CigarOp::Deletion, 2),
            (CigarOp::Equal, 5),
        ]
        .map(|(op, length)| CigarRun::new(op, length));
        let mapping = mapping(&[Strand::Forward], &cigar, 1, 60);
        let groups = ReadGroups::default();
        let cigar_of = |eqx| {
            let mut formatter = AllRecordFormatter::new(&reference, &groups, eqx);
            records(&mut formatter, READ, &mapping)[0].cigar().to_string()
        };
        assert_eq!(cigar_of(true), "9=1X2D5=");
        assert_eq!(cigar_of(false), "10M2D5M");
    }

    #[test]
    fn an_unaligned_read_keeps_its_letters() {
        let reference = reference();
        let groups = ReadGroups::default();
        let mut formatter = AllRecordFormatter::new(&reference, &groups, false);
        let records = records(&mut formatter, READ, &Mapping::default());
        assert_eq!((records.len(), records[0].flags()), (1, 4));
        assert_eq!(records[0].seq().as_bytes(), READ_LETTERS);
        assert!(records[0].aux_iter().next().is_none());
    }
}
