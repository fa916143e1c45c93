//! Records of mode best (SAM specification, sections 1.4 and 1.5), as `bwa mem` writes them.
//!
//! The primary alignment of a read comes first, with soft clips. Other parts of the read are supplementary (0x800), with
//! hard clips; on ALT contigs with soft ones. Alternatives are left out, listed in `XA`, or written as secondary records
//! (0x100). A read that is not aligned has the position of its mate, and lies on its strand.
//!
//! | tag | value |
//! |---|---|
//! | `NM`, `MD` | as in [`super::all`], of the aligned bases |
//! | `AS`, `XS` | the score of the alignment, and the best of the alignments that overlap it in the read |
//! | `MC`, `MQ` | CIGAR and mapping quality of the mate |
//! | `SA` | the other parts of a read whose parts align to different loci |
//! | `pa` | the score divided by that of a better alignment on an ALT contig |
//! | `XA` | on request, alternatives with at least 80% of the score, if there are at most five (200 with one on an ALT contig) |
//! | `XR` | on request, the description of the contig in the reference |
//!
//! [`RecordStyle`] has the choices that bwa offers.

mod alignment;
mod common;

use std::ops::Range;

use aligner_core::cigar::{CigarOp, CigarRun, push_run};
use aligner_core::seq::{decode, encode};
use clap::ValueEnum;
use fm_index::{PlainStretches, Reference, Segments, fetch, prefetch};
use seed_extend::read::packed::BASES;
use seed_extend::read::queries::is_reverse;
use seed_extend::region::ranking;
use seed_extend::region::regions::Region;
use seed_extend::{MappedReads, ReportedRegion};

use self::alignment::{AlignmentTexts, RecordAlignment};
use self::common::{CommonFields, MappedRead};
use crate::input::Read;
use crate::output::read_group::ReadGroups;
use crate::output::record::fields::{
    FIRST, LAST, MATE_REVERSE, Mate, PROPER, REVERSE, Record, SECONDARY, SUPPLEMENTARY,
};
use crate::output::record::mate::PairedMate;
use crate::output::record::reverse_strand::ReverseStrand;
use crate::output::record::{cigar, md};

/// How to report alternatives to an alignment: values of `--alternatives`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Alternatives {
    /// Leave them out
    None,
    /// List them in the XA tag, if there are at most five (bwa mem's default)
    Tag,
    /// Write them as secondary records (bwa mem -a)
    Records,
}

/// The most alternatives that are listed in `XA` by default; none are if there are more.
const MAX_ALTERNATIVES: usize = 5;

/// As [`MAX_ALTERNATIVES`], if one of them is on an ALT contig.
const MAX_ALTERNATIVES_WITH_ALT: usize = 200;

/// How records of mode best are written.
#[derive(Debug, Clone, Copy)]
pub struct RecordStyle<'a> {
    /// Whether CIGARs have `=` and `X` instead of `M`.
    pub eqx: bool,
    /// How to report alternatives.
    pub alternatives: Alternatives,
    /// The most alternatives that are listed in `XA`; none are if there are more. bwa's `-h`.
    pub max_alternatives: usize,
    /// The most alternatives that are listed in `XA` if one of them is on an ALT contig. bwa's second number of `-h`.
    pub max_alternatives_with_alt: usize,
    /// Whether other parts of a read are flagged as secondary, not as supplementary. bwa's `-M`.
    pub marks_parts_secondary: bool,
    /// Whether other parts of a read have soft clips. bwa's `-Y`.
    pub clips_softly: bool,
    /// The descriptions of all contigs, for `XR`; empty for none. bwa's `-V`.
    pub descriptions: &'a [Vec<u8>],
}

impl Default for RecordStyle<'_> {
    fn default() -> Self {
        Self {
            eqx: false,
            alternatives: Alternatives::None,
            max_alternatives: MAX_ALTERNATIVES,
            max_alternatives_with_alt: MAX_ALTERNATIVES_WITH_ALT,
            marks_parts_secondary: false,
            clips_softly: false,
            descriptions: &[],
        }
    }
}

/// Makes the records of mode best; reuses its memory from read to read.
#[derive(Debug)]
pub struct BestRecordFormatter<'a> {
    groups: &'a ReadGroups,
    style: RecordStyle<'a>,
    segments: &'a Segments,
    stretches: PlainStretches<'a>,
    /// The read of the current record, if its reverse complement is aligned.
    reversed: ReverseStrand,
    /// The CIGARs and `MD` strings of the current read, or pair.
    texts: AlignmentTexts,
}

impl<'a> BestRecordFormatter<'a> {
    /// A formatter for reads of these groups.
    pub fn new(
        reference: &'a Reference,
        segments: &'a Segments,
        groups: &'a ReadGroups,
        style: RecordStyle<'a>,
    ) -> Self {
        Self {
            groups,
            style,
            segments,
            stretches: PlainStretches::new(reference),
            reversed: ReverseStrand::default(),
            texts: AlignmentTexts::default(),
        }
    }

    /// Passes the records of a read, or of the two reads of a pair, to `write`. `first` is the number of the first read
    /// in the batch.
    pub fn records(
        &mut self,
        reads: &[Read<'_>],
        resolved: &MappedReads,
        first: usize,
        mut write: impl FnMut(&Record<'_>),
    ) {
        let next = first + reads.len();
        self.prefetch(resolved, next, reads.len());
        self.texts.clear();
        match *reads {
            [one, two] => {
                let one = self.mapped(one, resolved, first);
                let two = self.mapped(two, resolved, first + 1);
                let (writer, reversed) = self.writer();
                let mates =
                    [two.as_mate_of(FIRST, writer.texts), one.as_mate_of(LAST, writer.texts)];
                writer.records_of(&one, Some(mates[0]), reversed, &mut write);
                writer.records_of(&two, Some(mates[1]), reversed, &mut write);
            }
            _ => {
                for (&read, number) in reads.iter().zip(first..) {
                    let mapped = self.mapped(read, resolved, number);
                    let (writer, reversed) = self.writer();
                    writer.records_of(&mapped, None, reversed, &mut write);
                }
            }
        }
    }

    /// A writer of the records of mapped reads, and memory for their reverse complements.
    fn writer(&mut self) -> (RecordWriter<'_>, &mut ReverseStrand) {
        let Self { groups, style, stretches, reversed, texts, .. } = self;
        (RecordWriter { groups, style, reference: stretches.reference(), texts }, reversed)
    }

    /// Starts to fetch what makes records of the next `count` reads wait for memory: the runs of their primary alignments, and the
    /// bases of the reference there; and the primary alignments, which tell these, of as many reads behind them. The records of
    /// the reads before give it time to arrive.
    fn prefetch(&self, resolved: &MappedReads, next: usize, count: usize) {
        let text = self.stretches.reference().packed_text();
        let primary_of = |number: usize| {
            let primary = (*resolved.primaries.get(number)?)?;
            resolved.regions.of(number).get(primary.region)
        };
        (next + count..next + 2 * count).filter_map(primary_of).for_each(prefetch);
        for region in (next..next + count).filter_map(primary_of) {
            resolved.regions.runs(region).first().into_iter().for_each(prefetch);
            let words = [region.begin, region.end].map(|base| text.get(base as usize / BASES));
            words.into_iter().flatten().for_each(prefetch);
        }
    }

    /// The alignments to report of a read, which has this number in the batch.
    #[inline]
    fn mapped<'r>(
        &mut self,
        read: Read<'r>,
        resolved: &'r MappedReads,
        number: usize,
    ) -> MappedRead<'r> {
        let wanted = self.style.alternatives;
        let mut part = |reported: ReportedRegion| {
            let mut part = self.aligned(read, resolved, number, reported);
            if wanted == Alternatives::Tag {
                part.alternatives = self.listed(read, resolved, number, reported.region);
            }
            part
        };
        let primary = resolved.primary(number).map(&mut part);
        let others = resolved.supplementary(number).map(part).collect();
        let alternatives = if wanted == Alternatives::Records {
            let place = |reported| self.aligned(read, resolved, number, reported);
            resolved.secondary(number).into_iter().map(place).collect()
        } else {
            Vec::new()
        };
        MappedRead { read, primary, others, alternatives, is_proper: resolved.is_proper(number) }
    }

    /// The items of the tag `XA` of a part of a read; none if they are too many.
    fn listed(
        &mut self,
        read: Read<'_>,
        resolved: &MappedReads,
        number: usize,
        part: usize,
    ) -> Vec<u8> {
        let RecordStyle { max_alternatives, max_alternatives_with_alt, .. } = self.style;
        let (found, regions) = (resolved.alternatives(number, part), resolved.regions.of(number));
        let has_alt = found.iter().any(|it| regions[it.region].is_alt);
        let most = if has_alt {
            max_alternatives_with_alt
        } else {
            max_alternatives.min(max_alternatives_with_alt)
        };
        if found.len() > most {
            return Vec::new();
        }
        let reference = self.stretches.reference();
        let item = |reported| {
            let alternative = self.aligned(read, resolved, number, reported);
            alternative.alternative_item(reference, &self.texts)
        };
        found.into_iter().flat_map(item).collect()
    }

    /// One alignment of a read, in the terms of a record.
    #[inline]
    fn aligned<'r>(
        &mut self,
        read: Read<'_>,
        resolved: &'r MappedReads,
        number: usize,
        reported: ReportedRegion,
    ) -> RecordAlignment<'r> {
        let regions = resolved.regions.of(number);
        let (region, mapq) = (&regions[reported.region], reported.mapq);
        let second = ranking::second_best_score(regions, reported.region);
        let segment = self.segments.get(region.segment);
        let (contig, start) = (segment.contig, segment.in_contig(region.begin));
        let end = segment.in_contig(region.end);
        let plain = self.stretches.at_contig_position(contig, start);
        let is_plain = plain.is_some_and(|plain| region.end <= plain.end);
        let without_gaps = [CigarRun::new(CigarOp::Equal, region.end - region.begin)];
        let known = resolved.regions.runs(region);
        let known = if region.is_compared() { known } else { &without_gaps };
        let compared;
        let runs = if region.is_compared() && is_plain {
            known
        } else {
            compared = self.compare((read, region), known, (contig, start));
            &compared
        };
        let cigar = self.push_cigar(region, runs, read.sequence.len() as u32);
        let Self { stretches, texts: AlignmentTexts { md, .. }, .. } = self;
        let md_begin = md.end();
        let distance = if is_plain {
            let text = stretches.reference().packed_text();
            let letter = |place| decode((fetch(text, (region.begin + place) as usize) & 3) as u8);
            md::append_runs(runs, letter, md)
        } else {
            md::append_runs(runs, |place| stretches.letter(contig, start + place), md)
        };
        let (md, alternatives) = (md_begin..md.end(), Vec::new());
        RecordAlignment {
            region,
            second,
            contig,
            start,
            end,
            mapq,
            distance,
            cigar,
            md,
            alternatives,
        }
    }

    /// The runs of an alignment with matches and mismatches told apart by the reference's own letters: the indexed text has
    /// other letters in place of ambiguous ones, or nothing has told them apart yet.
    fn compare(
        &mut self,
        (read, region): (Read<'_>, &Region),
        runs: &[CigarRun],
        (contig, start): (u32, u32),
    ) -> Vec<CigarRun> {
        let Self { reversed, stretches, .. } = self;
        let (sequence, _) = oriented(read, is_reverse(region.query), reversed);
        let (mut query, mut place) = (region.query_begin as usize, start);
        let mut compared: Vec<CigarRun> = Vec::new();
        for &run in runs {
            let count = run.length();
            match run.op() {
                CigarOp::Equal | CigarOp::Different => {
                    for _ in 0..count {
                        let letter = stretches.letter(contig, place);
                        let is_equal = encode(letter) < 4 && letter == sequence[query];
                        let op = if is_equal { CigarOp::Equal } else { CigarOp::Different };
                        push_run(&mut compared, op, 1);
                        (query, place) = (query + 1, place + 1);
                    }
                }
                CigarOp::Insertion => {
                    push_run(&mut compared, CigarOp::Insertion, count);
                    query += count as usize;
                }
                CigarOp::Deletion => {
                    push_run(&mut compared, CigarOp::Deletion, count);
                    place += count;
                }
            }
        }
        compared
    }

    /// Appends the CIGAR of a region with these runs, with soft clips up to the ends of a read of `length` bases, to the texts,
    /// and returns where it is there.
    fn push_cigar(&mut self, region: &Region, runs: &[CigarRun], length: u32) -> Range<usize> {
        let Self { style, texts: AlignmentTexts { cigars, .. }, .. } = self;
        let clip = |count: u32| count << cigar::LENGTH_SHIFT | cigar::SOFT_CLIP;
        let begin = cigars.len();
        // Clips are not joined with runs, nor runs with those of the CIGAR before.
        cigars.push(clip(region.query_begin));
        cigar::push_runs(runs, style.eqx, cigars);
        if region.query_end < length {
            cigars.push(clip(length - region.query_end));
        }
        begin + usize::from(region.query_begin == 0)..cigars.len()
    }
}

/// Makes the records of mapped reads.
#[derive(Debug, Clone, Copy)]
struct RecordWriter<'w> {
    groups: &'w ReadGroups,
    style: &'w RecordStyle<'w>,
    reference: &'w Reference,
    texts: &'w AlignmentTexts,
}

impl RecordWriter<'_> {
    /// Passes the records of one read to `write`.
    fn records_of(
        &self,
        mapped: &MappedRead<'_>,
        mate: Option<PairedMate<'_>>,
        reversed: &mut ReverseStrand,
        write: &mut impl FnMut(&Record<'_>),
    ) {
        let common = CommonFields::new((mapped, mate), self.groups, self.style, self.texts);
        if mapped.primary.is_none() {
            let mut record = common.record(None);
            if record.flag & MATE_REVERSE != 0 {
                record.flag |= REVERSE;
                (record.sequence, record.quality) = oriented(mapped.read, true, reversed);
            }
            write(&record);
            return;
        }
        let mut hard = Vec::new();
        for (number, part) in mapped.parts().enumerate() {
            // Few reads are split.
            let mut others = Vec::new();
            if !mapped.others.is_empty() {
                for (_, other) in mapped.parts().enumerate().filter(|&(place, _)| place != number) {
                    others.extend(other.supplementary_item(self.reference, self.texts));
                }
            }
            let mut record = common.record(Some(part));
            (record.sequence, record.quality) = oriented(mapped.read, part.is_reverse(), reversed);
            let mut tags = part.tags(self.texts);
            (tags.second, tags.parts) = (Some(part.second), &others);
            (tags.alt_ratio, tags.alternatives) = (part.alt_ratio(), &part.alternatives);
            if number > 0 {
                let is_secondary = self.style.marks_parts_secondary;
                record.flag |= if is_secondary { SECONDARY } else { SUPPLEMENTARY };
                if !self.style.clips_softly && !part.region.is_alt {
                    let aligned = part.region.query_begin as usize..part.region.query_end as usize;
                    cigar::set_hard_clipped(part.cigar(self.texts), &mut hard);
                    record.cigar = &hard;
                    record.sequence = &record.sequence[aligned.clone()];
                    record.quality = record.quality.map(|quality| &quality[aligned]);
                }
            }
            record.tags = Some(tags);
            write(&record);
        }
        if self.style.alternatives == Alternatives::Records {
            for part in &mapped.alternatives {
                let record = common.record(Some(part));
                let clipped = if self.style.clips_softly {
                    part.cigar(self.texts)
                } else {
                    cigar::set_hard_clipped(part.cigar(self.texts), &mut hard);
                    &hard
                };
                write(&Record {
                    flag: (record.flag | SECONDARY) & !PROPER,
                    cigar: clipped,
                    mate: record.mate.map(|mate| Mate { span: 0, ..mate }),
                    sequence: &[],
                    quality: None,
                    ..record
                });
            }
        }
    }
}

/// The sequence and qualities of a read as they lie on the reference's forward strand.
fn oriented<'r>(
    read: Read<'r>,
    is_reverse: bool,
    reversed: &'r mut ReverseStrand,
) -> (&'r [u8], Option<&'r [u8]>) {
    if is_reverse { reversed.set(read) } else { (read.sequence, read.quality) }
}
