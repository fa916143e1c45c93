//! The signature of a template, which decides whether it is a duplicate.

use bytemuck::{Pod, Zeroable};
use xxhash_rust::xxh3::xxh3_64;

use super::flow_cell::FlowCellPosition;
use crate::input::Umis;
use crate::output::record::cigar;
use crate::output::record::fields::{
    FIRST, MATE_UNMAPPED, PAIRED, REVERSE, Record, SECONDARY, SUPPLEMENTARY, UNMAPPED,
};
use crate::tag_text;

/// Base qualities below this do not count for the best of duplicates.
const LEAST_QUALITY: u8 = 15;

/// The most that a read's qualities count, Picard's limit.
const MOST_SCORE: u32 = 16_383;

/// The 5' end of an aligned read as if nothing were clipped, in a number: the contig in 30 bits, the position in 33 and the
/// strand in the last. So ends are in the order of contigs, then of positions, then forward before reverse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct FivePrimeEnd(u64);

/// Added to positions, since clipped bases can lie before the contig's first base; a read has fewer bases than this.
const BEFORE_CONTIG: i64 = 1 << 16;

impl FivePrimeEnd {
    /// Behind all ends: no read has this one.
    pub const NONE: Self = Self(u64::MAX);

    /// The end at a base of a contig, from 0; below 0 or behind the contig's end if the bases that would lie there are clipped.
    pub fn new(contig: u32, base: i64, is_reverse: bool) -> Self {
        let place = (base + BEFORE_CONTIG) as u64;
        Self(u64::from(contig) << 34 | place << 1 | u64::from(is_reverse))
    }

    /// Whether the read's reverse complement is aligned.
    pub fn is_reverse(self) -> bool {
        self.0 & 1 == 1
    }
}

/// The ends of a template's aligned reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ends {
    /// Of a read that is aligned and has no mate that is.
    One(FivePrimeEnd),
    /// Of both reads of a pair, in order.
    Both([FivePrimeEnd; 2]),
}

/// The facts that decide whether a template is a duplicate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    pub ends: Ends,
    /// The number of its read group, from 0.
    pub group: u32,
    /// The sum of the base qualities of its aligned reads, of two qualities of 15 and more.
    pub score: u32,
    /// Whether the first read of a pair that has different strands is aligned reversely: pairs of both kinds can be
    /// duplicates, but not optical ones.
    pub is_first_reverse: bool,
    /// Its position on the flow cell, if that is in its name.
    pub position: Option<FlowCellPosition>,
    /// A hash of its UMI, if UMIs tell templates apart.
    pub umi: Option<u64>,
}

/// Counts of reads, as Picard's metrics name them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ExaminedReads {
    /// Aligned reads without an aligned mate.
    pub unpaired: u64,
    /// Aligned reads with an aligned mate: two for each pair.
    pub paired: u64,
    pub secondary_or_supplementary: u64,
    pub unmapped: u64,
}

/// Gathers the records of one template after the other.
#[derive(Debug, Default)]
pub struct SignatureBuilder {
    /// The aligned reads of the current template: the end, and whether it is the first of its pair.
    ends: Vec<(FivePrimeEnd, bool)>,
    score: u32,
    position: Option<FlowCellPosition>,
    umi: Option<u64>,
    counts: ExaminedReads,
    umis: Option<Umis>,
}

impl SignatureBuilder {
    /// A builder for templates with these UMIs, if they tell templates apart.
    pub fn new(umis: Option<Umis>) -> Self {
        Self { umis, ..Self::default() }
    }

    /// Adds a record of the current template.
    pub fn add(&mut self, record: &Record<'_>) {
        let flag = record.flag;
        if flag & UNMAPPED != 0 {
            self.counts.unmapped += 1;
            return;
        }
        if flag & (SECONDARY | SUPPLEMENTARY) != 0 {
            self.counts.secondary_or_supplementary += 1;
            return;
        }
        let has_mate = flag & PAIRED != 0 && flag & MATE_UNMAPPED == 0;
        if has_mate {
            self.counts.paired += 1;
        } else {
            self.counts.unpaired += 1;
        }
        let Some(end) = five_prime_end(record) else { return };
        if self.ends.is_empty() {
            let name = self.umis.map_or(record.name, |umis| umis.name_without(record.name));
            self.position = FlowCellPosition::of_name(name);
            self.umi = self.umis.and_then(|umis| {
                let comment = record.extra.comment;
                tag_text::find(comment, umis.tag).map(|tag| xxh3_64(&comment[tag]))
            });
        }
        self.ends.push((end, flag & FIRST != 0));
        self.score += sum_of_good(record.quality.unwrap_or_default()).min(MOST_SCORE);
    }

    /// Ends the current template and returns its signature, if a read of it is aligned.
    pub fn finish(&mut self, group: u32) -> Option<Signature> {
        let (ends, is_first_reverse) = match *self.ends.as_slice() {
            [] => return None,
            [(end, _)] => (Ends::One(end), false),
            [(one, is_first), (two, _), ..] => {
                let first = if is_first { one } else { two };
                let is_first_reverse = one.is_reverse() != two.is_reverse() && first.is_reverse();
                (Ends::Both([one.min(two), one.max(two)]), is_first_reverse)
            }
        };
        let &mut Self { score, position, umi, .. } = self;
        let signature = Signature { ends, group, score, is_first_reverse, position, umi };
        self.ends.clear();
        self.score = 0;
        Some(signature)
    }

    /// Takes the counts of all templates so far.
    pub fn take_counts(&mut self) -> ExaminedReads {
        std::mem::take(&mut self.counts)
    }
}

/// The sum of the base qualities of [`LEAST_QUALITY`] and more.
fn sum_of_good(quality: &[u8]) -> u32 {
    /// Qualities whose sum has 16 bits, in which a processor adds twice as many at a time as in 32.
    const TOGETHER: usize = 256;
    let counted = |&it: &u8| if it >= LEAST_QUALITY { u16::from(it) } else { 0 };
    quality.chunks(TOGETHER).map(|some| u32::from(some.iter().map(counted).sum::<u16>())).sum()
}

/// The 5' end of an aligned read as if nothing were clipped.
fn five_prime_end(record: &Record<'_>) -> Option<FivePrimeEnd> {
    let position = record.position?;
    let clipped = |runs: &mut dyn Iterator<Item = &u32>| -> i64 {
        runs.take_while(|&&run| cigar::is_clip(run))
            .map(|run| i64::from(run >> cigar::LENGTH_SHIFT))
            .sum()
    };
    let start = i64::from(position.base);
    let is_reverse = record.flag & REVERSE != 0;
    let base = if is_reverse {
        let last = start + i64::from(cigar::reference_length(record.cigar)) - 1;
        last + clipped(&mut record.cigar.iter().rev())
    } else {
        start - clipped(&mut record.cigar.iter())
    };
    Some(FivePrimeEnd::new(position.contig, base, is_reverse))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::record::fields::{ExtraTags, Position};

    fn run(length: u32, operation: u32) -> u32 {
        length << cigar::LENGTH_SHIFT | operation
    }

    #[test]
    fn qualities_from_15_on_count() {
        assert_eq!(sum_of_good(&[]), 0);
        assert_eq!(sum_of_good(&[14, 15, 0, 40, 93]), 15 + 40 + 93);
        // More than 16 bits hold, and more than are added together.
        assert_eq!(sum_of_good(&[255; 1000]), 255_000);
    }

    #[test]
    fn ends_are_in_order() {
        let ends =
            [(0, -65_535, false), (0, 0, false), (0, 0, true), (0, 1 << 32, true), (1, -5, false)];
        let ends = ends.map(|(contig, base, reverse)| FivePrimeEnd::new(contig, base, reverse));
        assert!(ends.is_sorted());
        assert_eq!(ends.map(FivePrimeEnd::is_reverse), [false, false, true, true, false]);
    }

    #[test]
    fn ends_count_clipped_bases() {
        let end = |flag, base, runs: &[u32]| {
            let record = Record {
                name: b"r",
                flag,
                position: Some(Position { contig: 1, base }),
                mapq: 0,
                cigar: runs,
                mate: None,
                sequence: &[],
                quality: None,
                tags: None,
                group: None,
                extra: ExtraTags::default(),
            };
            five_prime_end(&record)
        };
        let clipped = [run(3, cigar::SOFT_CLIP), run(10, cigar::MATCH), run(5, cigar::SOFT_CLIP)];
        let expected = |base, is_reverse| Some(FivePrimeEnd::new(1, base, is_reverse));
        assert_eq!(end(0, 1, &clipped), expected(-2, false));
        assert_eq!(end(REVERSE, 1, &clipped), expected(15, true));
        let skipping = [run(10, cigar::MATCH), run(7, cigar::SKIPPED), run(2, cigar::MATCH)];
        assert_eq!(end(0, 100, &skipping), expected(100, false));
        assert_eq!(end(REVERSE, 100, &skipping), expected(118, true));
    }
}
