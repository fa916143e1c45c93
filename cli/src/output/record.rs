//! The records of a read (SAM specification, section 1.4).
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

use anyhow::Result;
use fm_index::Reference;
use rust_htslib::bam::Record;
use rust_htslib::bam::record::Aux;
use woodstocc::{Alignment, Mapping, Op, Strand};

use crate::input::Read;
use crate::output::ReadGroup;
use crate::output::hts::{self, Fields};
use crate::output::md::md;

const REVERSE: u16 = 0x10;
const UNMAPPED: u16 = 0x4;
const SECONDARY: u16 = 0x100;

/// Makes records.
#[derive(Debug, Clone, Copy)]
pub struct Formatter<'a> {
    reference: &'a Reference,
    group: Option<&'a ReadGroup>,
    eqx: bool,
}

impl<'a> Formatter<'a> {
    /// With `eqx`, CIGARs have `=` and `X` instead of `M`.
    pub fn new(reference: &'a Reference, group: Option<&'a ReadGroup>, eqx: bool) -> Self {
        Self { reference, group, eqx }
    }

    /// The records of a read, at least one.
    pub fn records(&self, read: &Read, mapping: &Mapping) -> Result<Vec<Record>> {
        if mapping.alignments.is_empty() {
            return Ok(vec![self.unaligned(read)?]);
        }
        (0..mapping.alignments.len()).map(|number| self.aligned(read, mapping, number)).collect()
    }

    fn unaligned(&self, read: &Read) -> Result<Record> {
        let mut record = hts::record(&Fields {
            name: &read.name,
            flag: UNMAPPED,
            contig: -1,
            position: -1,
            mapq: 0,
            cigar: &[],
            sequence: &read.sequence,
            quality: read.quality.as_deref(),
        })?;
        self.tag_group(&mut record)?;
        Ok(record)
    }

    fn aligned(&self, read: &Read, mapping: &Mapping, number: usize) -> Result<Record> {
        let alignment = &mapping.alignments[number];
        let cigar = self.cigar(alignment);
        let mut fields = Fields {
            name: &read.name,
            flag: 0,
            contig: alignment.contig as i32,
            position: i64::from(alignment.start),
            mapq: 0,
            cigar: &cigar,
            sequence: &[],
            quality: None,
        };
        let is_reverse = alignment.strand == Strand::Reverse;
        if is_reverse {
            fields.flag |= REVERSE;
        }
        let oriented = (is_reverse && number == 0).then(|| reverse(read));
        if number == 0 {
            let read = oriented.as_ref().unwrap_or(read);
            fields.mapq = mapping.mapq;
            fields.sequence = &read.sequence;
            fields.quality = read.quality.as_deref();
        } else {
            fields.flag |= SECONDARY;
        }
        let mut record = hts::record(&fields)?;
        let distance = alignment.distance;
        record.push_aux_unchecked(b"NM", Aux::U8(distance))?;
        record.push_aux_unchecked(b"MD", Aux::String(&self.md(alignment)))?;
        record.push_aux_unchecked(b"AS", Aux::I8(-(distance as i8)))?;
        record.push_aux_unchecked(b"NH", integer(mapping.total))?;
        record.push_aux_unchecked(b"HI", integer(number as u64 + 1))?;
        self.tag_group(&mut record)?;
        Ok(record)
    }

    fn tag_group(&self, record: &mut Record) -> Result<()> {
        if let Some(group) = self.group {
            record.push_aux_unchecked(b"RG", Aux::String(&group.id))?;
        }
        Ok(())
    }

    /// The CIGAR in BAM's encoding, neighbours of one kind joined.
    fn cigar(&self, alignment: &Alignment) -> Vec<u32> {
        let mut runs: Vec<(u32, u32)> = Vec::with_capacity(alignment.cigar.len());
        for &(op, count) in &alignment.cigar {
            let code = match op {
                Op::Equal if self.eqx => hts::CIGAR_EQUAL,
                Op::Different if self.eqx => hts::CIGAR_DIFFERENT,
                Op::Equal | Op::Different => hts::CIGAR_MATCH,
                Op::Insertion => hts::CIGAR_INSERTION,
                Op::Deletion => hts::CIGAR_DELETION,
            };
            match runs.last_mut() {
                Some((last, length)) if *last == code => *length += count,
                _ => runs.push((code, count)),
            }
        }
        runs.into_iter().map(|(code, length)| length << hts::CIGAR_SHIFT | code).collect()
    }

    fn md(&self, alignment: &Alignment) -> String {
        let start = self.reference.contigs()[alignment.contig as usize].offset + alignment.start;
        let covered: u32 = alignment
            .cigar
            .iter()
            .filter(|(op, _)| op.consumes_reference())
            .map(|(_, count)| count)
            .sum();
        md(&alignment.cigar, &self.reference.letters(start..start + covered))
    }
}

/// The smallest BAM type for a number; one beyond 32 bits, which BAM cannot hold, becomes the
/// greatest of them.
fn integer(value: u64) -> Aux<'static> {
    if let Ok(value) = u8::try_from(value) {
        Aux::U8(value)
    } else if let Ok(value) = u16::try_from(value) {
        Aux::U16(value)
    } else {
        Aux::U32(u32::try_from(value).unwrap_or(u32::MAX))
    }
}

/// A read as it lies on the other strand.
fn reverse(read: &Read) -> Read {
    Read {
        name: Vec::new(),
        sequence: read.sequence.iter().rev().map(|&letter| complement(letter)).collect(),
        quality: read.quality.as_ref().map(|quality| quality.iter().rev().copied().collect()),
    }
}

/// The complement of an upper-case IUPAC letter.
fn complement(letter: u8) -> u8 {
    match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        b'R' => b'Y',
        b'Y' => b'R',
        b'K' => b'M',
        b'M' => b'K',
        b'B' => b'V',
        b'V' => b'B',
        b'D' => b'H',
        b'H' => b'D',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ_LETTERS: &[u8] = b"ACGTRYKMBVDHSWN";

    fn read() -> Read {
        let quality = (0..READ_LETTERS.len() as u8).collect();
        Read { name: b"r".to_vec(), sequence: READ_LETTERS.to_vec(), quality: Some(quality) }
    }

    fn alignment(strand: Strand, cigar: &[(Op, u32)]) -> Alignment {
        Alignment { contig: 1, start: 2, strand, distance: 3, cigar: cigar.to_vec() }
    }

    fn reference() -> Reference {
        let contigs = [("a", "ACGTACGT".repeat(4)), ("b", "TTGACCA".repeat(4))];
        Reference::from_records(contigs).expect("is fine")
    }

    #[test]
    fn complements_keep_ambiguity_and_undo_themselves() {
        let there = reverse(&read());
        assert_eq!(there.sequence, b"NWSDHBVKMRYACGT");
        let back = reverse(&there);
        assert_eq!((back.sequence, back.quality), (read().sequence, read().quality));
    }

    #[test]
    fn primary_and_secondary_records_differ_as_documented() {
        let reference = reference();
        let cigar = [(Op::Equal, 10), (Op::Different, 3), (Op::Insertion, 2)];
        let mapping = Mapping {
            alignments: vec![
                alignment(Strand::Reverse, &cigar),
                alignment(Strand::Forward, &cigar),
            ],
            total: 70_000,
            mapq: 17,
        };
        let group = "@RG\\tID:x".parse().expect("is fine");
        let formatter = Formatter::new(&reference, Some(&group), false);
        let records = formatter.records(&read(), &mapping).expect("are made");
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
        let cigar = [(Op::Equal, 9), (Op::Different, 1), (Op::Deletion, 2), (Op::Equal, 5)];
        let mapping =
            Mapping { alignments: vec![alignment(Strand::Forward, &cigar)], total: 1, mapq: 60 };
        let cigar_of = |eqx| {
            let formatter = Formatter::new(&reference, None, eqx);
            formatter.records(&read(), &mapping).expect("is made")[0].cigar().to_string()
        };
        assert_eq!(cigar_of(true), "9=1X2D5=");
        assert_eq!(cigar_of(false), "10M2D5M");
    }

    #[test]
    fn an_unaligned_read_keeps_its_letters() {
        let reference = reference();
        let formatter = Formatter::new(&reference, None, false);
        let records = formatter.records(&read(), &Mapping::default()).expect("is made");
        assert_eq!((records.len(), records[0].flags()), (1, 4));
        assert_eq!(records[0].seq().as_bytes(), READ_LETTERS);
        assert!(records[0].aux_iter().next().is_none());
    }
}
