//! Records of mode all (SAM specification, section 1.4).
//!
//! The primary alignment comes first. Flag 0x100 marks the others, which have MAPQ 0 and no sequence and quality, as with
//! `bwa mem -a`. An unaligned read has flag 4 and no tags but `RG`.
//!
//! | tag | value |
//! |---|---|
//! | `NM` | edit distance; a base other than A, C, G, T differs from everything |
//! | `MD` | see [`super::md`] |
//! | `AS` | minus the edit distance |
//! | `NH` | number of alignments of the read, reported or not |
//! | `HI` | number of this alignment among the reported ones, from 1 |
//! | `RG` | the read group of the read |

use aligner_core::cigar::CigarRun;
use fm_index::{PlainStretches, Reference};
use woodstocc::{Alignment, AlignmentPath, Mapping, Strand};

use crate::input::Read;
use crate::output::lines::Lines;
use crate::output::read_group::ReadGroups;
use crate::output::record::cigar;
use crate::output::record::fields::{
    AlignmentCount, ExtraTags, Position, REVERSE, Record, SECONDARY, Tags, UNMAPPED,
};
use crate::output::record::md;
use crate::output::record::reverse_strand::ReverseStrand;

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

    /// Passes the records of a read to `write`, at least one. A mapping may be a part of a longer one, with `before`
    /// alignments before it.
    pub fn records(
        &mut self,
        read: Read<'_>,
        (mapping, before): (&Mapping, u32),
        mut write: impl FnMut(&Record<'_>),
    ) {
        if mapping.is_empty() {
            write(&self.unaligned(read));
            return;
        }
        // BAM cannot store more in `NH`.
        let total = u32::try_from(mapping.total).unwrap_or(u32::MAX);
        for (alignment, number) in mapping.alignments().zip(before + 1..) {
            self.set_path(&alignment);
            let tags = Tags {
                distance: alignment.distance.into(),
                md: self.md.bytes(),
                score: -i32::from(alignment.distance),
                second: None,
                count: Some(AlignmentCount { total, number }),
                parts: &[],
                alternatives: &[],
            };
            let mut record = Record {
                flag: SECONDARY,
                position: Some(Position { contig: alignment.contig, base: alignment.start }),
                cigar: &self.cigar,
                sequence: &[],
                quality: None,
                tags: Some(tags),
                ..self.unaligned(read)
            };
            let is_reverse = alignment.strand == Strand::Reverse;
            if number == 1 {
                (record.flag, record.mapq) = (0, mapping.mapq);
                (record.sequence, record.quality) = if is_reverse {
                    self.reversed.set(read)
                } else {
                    (read.sequence, read.quality)
                };
            }
            if is_reverse {
                record.flag |= REVERSE;
            }
            write(&record);
        }
    }

    /// The record of a read that is not aligned.
    fn unaligned<'r>(&self, read: Read<'r>) -> Record<'r>
    where
        'a: 'r,
    {
        Record {
            name: read.name,
            flag: UNMAPPED,
            position: None,
            mapq: 0,
            cigar: &[],
            mate: None,
            sequence: read.sequence,
            quality: read.quality,
            tags: None,
            group: read.group.map(|group| self.groups.get(group).id.as_str()),
            extra: ExtraTags { comment: read.comment, description: &[] },
        }
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
                md::of_runs(runs, letter, md);
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
        group: Some(0),
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

    fn records(formatter: &mut AllRecordFormatter<'_>, mapping: &Mapping) -> Vec<bam::Record> {
        let mut encoded = EncodedRecords::default();
        formatter.records(READ, (mapping, 0), |record| encoded.push(record, false));
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
        let records = records(&mut formatter, &mapping);
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
            records(&mut formatter, &mapping)[0].cigar().to_string()
        };
        assert_eq!(cigar_of(true), "9=1X2D5=");
        assert_eq!(cigar_of(false), "10M2D5M");
    }

    #[test]
    fn an_unaligned_read_keeps_its_letters() {
        let reference = reference();
        let groups = ReadGroups::default();
        let mut formatter = AllRecordFormatter::new(&reference, &groups, false);
        let records = records(&mut formatter, &Mapping::default());
        assert_eq!((records.len(), records[0].flags()), (1, 4));
        assert_eq!(records[0].seq().as_bytes(), READ_LETTERS);
        assert!(records[0].aux_iter().next().is_none());
    }
}
