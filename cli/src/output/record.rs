//! The records of a read (SAM specification, section 1.4).
//!
//! [`Record`] is what a record says, whatever the format; [`super::text`] and [`super::hts`] write it.
//!
//! The primary alignment comes first. Flag 0x100 marks the others, which have MAPQ 0 and leave
//! sequence and quality to the primary one, as with `bwa mem -a`. An unaligned read has flag 4 and
//! no tags but `RG`.
//!
//! | tag | value |
//! |---|---|
//! | `NM` | edit distance; a base other than A, C, G, T differs from everything |
//! | `MD` | see [`super::md`] |
//! | `AS` | minus the edit distance |
//! | `NH` | alignments of the read, reported or not |
//! | `HI` | number of this one among the reported, from 1 |
//! | `RG` | the read group of `-R` |

use std::io;

use fm_index::{PlainStretches, Reference};
use woodstocc::{Alignment, CigarOp, CigarRun, Mapping, Path, Strand};

use crate::input::Read;
use crate::output::ReadGroup;
use crate::output::hts;
use crate::output::lines::Lines;
use crate::output::md;
use crate::output::reversed::Reversed;

pub const PAIRED: u16 = 0x1;
pub const PROPER: u16 = 0x2;
pub const UNMAPPED: u16 = 0x4;
pub const MATE_UNMAPPED: u16 = 0x8;
pub const REVERSE: u16 = 0x10;
pub const MATE_REVERSE: u16 = 0x20;
pub const FIRST: u16 = 0x40;
pub const LAST: u16 = 0x80;
pub const SECONDARY: u16 = 0x100;
pub const SUPPLEMENTARY: u16 = 0x800;

/// A record.
#[derive(Debug, Clone, Copy)]
pub struct Record<'a> {
    /// 1 to 254 bytes.
    pub name: &'a [u8],
    pub flag: u16,
    /// Number of the contig, and 0-based position on it.
    pub place: Option<(u32, u32)>,
    pub mapq: u8,
    /// In BAM's encoding.
    pub cigar: &'a [u32],
    /// Of a read that has one.
    pub mate: Option<Mate<'a>>,
    /// Upper-case IUPAC letters; empty is written as `*`.
    pub sequence: &'a [u8],
    /// Phred values, as many as bases; `None` is written as `*`.
    pub quality: Option<&'a [u8]>,
    /// Of an alignment.
    pub tags: Option<Tags<'a>>,
    /// The read group's ID.
    pub group: Option<&'a str>,
}

/// What a record says of the read's mate.
#[derive(Debug, Clone, Copy)]
pub struct Mate<'a> {
    /// Number of the contig, and 0-based position on it.
    pub place: Option<(u32, u32)>,
    /// `TLEN`: bases from the first to the last of the pair, negative for the one that ends it.
    pub span: i32,
    /// Its CIGAR (`MC`) and mapping quality (`MQ`), if it is aligned.
    pub alignment: Option<(&'a [u32], u8)>,
}

/// The tags of an alignment.
#[derive(Debug, Clone, Copy)]
pub struct Tags<'a> {
    /// `NM`.
    pub distance: u32,
    /// `MD`.
    pub md: &'a [u8],
    /// `AS`.
    pub score: i32,
    /// `XS`: the score of the second-best alignment.
    pub second: Option<i32>,
    /// `NH` and `HI`.
    pub count: Option<(u32, u32)>,
    /// `SA`: other parts of the read; empty for none.
    pub parts: &'a [u8],
    /// `XA`: alternatives; empty for none.
    pub alternatives: &'a [u8],
}

/// Makes records, in memory that is reused.
#[derive(Debug)]
pub struct Formatter<'a> {
    group: Option<&'a ReadGroup>,
    eqx: bool,
    stretches: PlainStretches<'a>,
    cigar: Vec<u32>,
    md: Lines,
    runs: Vec<CigarRun>,
    /// The read as it lies on the other strand.
    reversed: Reversed,
}

impl<'a> Formatter<'a> {
    /// With `eqx`, CIGARs have `=` and `X` instead of `M`.
    pub fn new(reference: &'a Reference, group: Option<&'a ReadGroup>, eqx: bool) -> Self {
        Self {
            group,
            eqx,
            stretches: PlainStretches::new(reference),
            cigar: Vec::new(),
            md: Lines::default(),
            runs: Vec::new(),
            reversed: Reversed::default(),
        }
    }

    /// Passes the records of a read on, at least one.
    pub fn records(
        &mut self,
        read: Read<'_>,
        mapping: &Mapping,
        mut write: impl FnMut(&Record<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        if mapping.is_empty() {
            return write(&self.unaligned(read));
        }
        // As in BAM, which cannot hold more.
        let total = u32::try_from(mapping.total).unwrap_or(u32::MAX);
        for (alignment, number) in mapping.alignments().zip(1..) {
            self.set_path(&alignment);
            let tags = Tags {
                distance: alignment.distance.into(),
                md: self.md.bytes(),
                score: -i32::from(alignment.distance),
                second: None,
                count: Some((total, number)),
                parts: &[],
                alternatives: &[],
            };
            let mut record = Record {
                flag: SECONDARY,
                place: Some((alignment.contig, alignment.start)),
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
            write(&record)?;
        }
        Ok(())
    }

    fn unaligned<'r>(&self, read: Read<'r>) -> Record<'r>
    where
        'a: 'r,
    {
        Record {
            name: read.name,
            flag: UNMAPPED,
            place: None,
            mapq: 0,
            cigar: &[],
            mate: None,
            sequence: read.sequence,
            quality: read.quality,
            tags: None,
            group: self.group.map(|group| group.id.as_str()),
        }
    }

    /// Takes an alignment's CIGAR and MD.
    fn set_path(&mut self, alignment: &Alignment<'_>) {
        match alignment.path {
            Path::Ungapped(path) => {
                md::of_ungapped(path, alignment.distance, &mut self.md);
                if self.eqx {
                    alignment.path.runs(&mut self.runs);
                    set_cigar(&self.runs, self.eqx, &mut self.cigar);
                } else {
                    self.cigar.clear();
                    self.cigar.push(path.len() << hts::CIGAR_SHIFT | hts::CIGAR_MATCH);
                }
            }
            Path::Runs(runs) => {
                let Self { stretches, md, .. } = self;
                let letter = |place| stretches.letter(alignment.contig, alignment.start + place);
                md::of_runs(runs, letter, md);
                set_cigar(runs, self.eqx, &mut self.cigar);
            }
        }
    }
}

/// A CIGAR in BAM's encoding, neighbours of one kind joined.
fn set_cigar(runs: &[CigarRun], eqx: bool, cigar: &mut Vec<u32>) {
    cigar.clear();
    push_runs(runs, eqx, cigar);
}

/// Appends to a CIGAR.
pub fn push_runs(runs: &[CigarRun], eqx: bool, cigar: &mut Vec<u32>) {
    for run in runs {
        let (op, count) = (run.op(), run.length());
        let code = match op {
            CigarOp::Equal if eqx => hts::CIGAR_EQUAL,
            CigarOp::Different if eqx => hts::CIGAR_DIFFERENT,
            CigarOp::Equal | CigarOp::Different => hts::CIGAR_MATCH,
            CigarOp::Insertion => hts::CIGAR_INSERTION,
            CigarOp::Deletion => hts::CIGAR_DELETION,
        };
        match cigar.last_mut() {
            Some(last) if *last & hts::CIGAR_KIND == code => *last += count << hts::CIGAR_SHIFT,
            _ => cigar.push(count << hts::CIGAR_SHIFT | code),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rust_htslib::bam;
    use rust_htslib::bam::record::Aux;
    use woodstocc::loci::Locus;
    use woodstocc::matches::Match;

    const READ_LETTERS: &[u8] = b"ACGTRYKMBVDHSWN";

    const QUALITY: &[u8] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14];

    const READ: Read<'_> = Read { name: b"r", sequence: READ_LETTERS, quality: Some(QUALITY) };

    /// A mapping to one place, on each of these strands, with this alignment.
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

    fn records(formatter: &mut Formatter<'_>, mapping: &Mapping) -> Vec<bam::Record> {
        let mut records = Vec::new();
        let write = |record: &Record<'_>| {
            records.push(hts::record(record)?);
            Ok(())
        };
        formatter.records(READ, mapping, write).expect("are made");
        records
    }

    #[test]
    fn primary_and_secondary_records_differ_as_documented() {
        let reference = reference();
        let cigar = [(CigarOp::Equal, 10), (CigarOp::Different, 3), (CigarOp::Insertion, 2)]
            .map(|(op, length)| CigarRun::new(op, length));
        let mapping = mapping(&[Strand::Reverse, Strand::Forward], &cigar, 70_000, 17);
        let group = "@RG\\tID:x".parse().expect("is fine");
        let mut formatter = Formatter::new(&reference, Some(&group), false);
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
        let cigar_of = |eqx| {
            let mut formatter = Formatter::new(&reference, None, eqx);
            records(&mut formatter, &mapping)[0].cigar().to_string()
        };
        assert_eq!(cigar_of(true), "9=1X2D5=");
        assert_eq!(cigar_of(false), "10M2D5M");
    }

    #[test]
    fn an_unaligned_read_keeps_its_letters() {
        let reference = reference();
        let mut formatter = Formatter::new(&reference, None, false);
        let records = records(&mut formatter, &Mapping::default());
        assert_eq!((records.len(), records[0].flags()), (1, 4));
        assert_eq!(records[0].seq().as_bytes(), READ_LETTERS);
        assert!(records[0].aux_iter().next().is_none());
    }
}
