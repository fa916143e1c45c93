//! The records of everyday mapping (SAM specification, sections 1.4 and 1.5), as `bwa mem` writes them.
//!
//! The primary alignment of a read comes first, with what is clipped soft. Other parts of the read are
//! supplementary (0x800), clipped hard. Alternatives are left out, or in `XA`, or records of their own
//! (0x100). A read that is not aligned has the place of its mate.
//!
//! | tag | value |
//! |---|---|
//! | `NM`, `MD` | as in [`crate::output::record`], of what is aligned |
//! | `AS`, `XS` | the score of the alignment, and the best of those that overlap it in the read |
//! | `MC`, `MQ` | CIGAR and mapping quality of the mate |
//! | `SA` | the other parts of a read that is split |
//! | `XA` | alternatives, on request: those of at least four fifths of the score, if they are five at most |

mod aligned;
mod common;

use std::io;

use aligner_core::cigar::push_run;
use aligner_core::seq::encode;
use clap::ValueEnum;
use fm_index::{PlainStretches, Reference, Segments};
use seed_extend::read::queries::is_reverse;
use seed_extend::region::ranking;
use seed_extend::region::regions::Region;
use seed_extend::{MappedReads, ReportedRegion};
use woodstocc::{CigarOp, CigarRun};

use self::aligned::{Aligned, harden};
use self::common::{Common, Mapped};
use crate::input::Read;
use crate::output::lines::Lines;
use crate::output::record::{FIRST, LAST, Mate, PROPER, Record, SECONDARY, SUPPLEMENTARY};
use crate::output::reversed::Reversed;
use crate::output::{ReadGroup, hts, md};

/// What becomes of alternatives to a primary alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Alternatives {
    /// They are left out
    None,
    /// In the XA tag, if they are five at most
    Tag,
    /// As secondary records
    Records,
}

/// Alternatives in `XA`, at most.
const MAX_ALTERNATIVES: usize = 5;

/// Makes records.
#[derive(Debug)]
pub struct Everyday<'a> {
    group: Option<&'a ReadGroup>,
    eqx: bool,
    alternatives: Alternatives,
    segments: &'a Segments,
    stretches: PlainStretches<'a>,
    /// Of the record that is being made.
    reversed: Reversed,
    md: Lines,
    runs: Vec<CigarRun>,
}

impl<'a> Everyday<'a> {
    /// With `eqx`, CIGARs have `=` and `X` instead of `M`.
    pub fn new(
        reference: &'a Reference,
        segments: &'a Segments,
        group: Option<&'a ReadGroup>,
        eqx: bool,
        alternatives: Alternatives,
    ) -> Self {
        Self {
            group,
            eqx,
            alternatives,
            segments,
            stretches: PlainStretches::new(reference),
            reversed: Reversed::default(),
            md: Lines::default(),
            runs: Vec::new(),
        }
    }

    /// Passes on the records of a read, or of the two reads of a pair. `first` is the number of the first
    /// one in the batch.
    pub fn records(
        &mut self,
        reads: &[Read<'_>],
        resolved: &MappedReads,
        first: usize,
        mut write: impl FnMut(&Record<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mapped: Vec<Mapped<'_>> = reads
            .iter()
            .zip(first..)
            .map(|(&read, number)| self.mapped(read, resolved, number))
            .collect();
        match mapped.as_slice() {
            [first, second] => {
                self.records_of(first, Some((second, FIRST)), &mut write)?;
                self.records_of(second, Some((first, LAST)), &mut write)
            }
            all => all.iter().try_for_each(|read| self.records_of(read, None, &mut write)),
        }
    }

    /// Finds places and columns of what is to be reported of a read.
    fn mapped<'r>(
        &mut self,
        read: Read<'r>,
        resolved: &'r MappedReads,
        number: usize,
    ) -> Mapped<'r> {
        let wanted = self.alternatives;
        let mut place = |placed: ReportedRegion| self.aligned(read, resolved, number, placed);
        let parts =
            resolved.primary_and_supplementary(number).into_iter().map(&mut place).collect();
        let alternatives = match wanted {
            Alternatives::None => Vec::new(),
            Alternatives::Tag | Alternatives::Records => {
                resolved.secondary(number).into_iter().map(&mut place).collect()
            }
        };
        Mapped { read, parts, alternatives, is_proper: resolved.is_proper(number) }
    }

    fn aligned<'r>(
        &mut self,
        read: Read<'_>,
        resolved: &'r MappedReads,
        number: usize,
        placed: ReportedRegion,
    ) -> Aligned<'r> {
        let regions = resolved.regions.of(number);
        let (region, mapq) = (&regions[placed.region], placed.mapq);
        let second = ranking::second_best_score(regions, placed.region);
        let segment = self.segments.get(region.segment);
        let (contig, start) = (segment.contig, segment.in_contig(region.begin));
        let end = segment.in_contig(region.end);
        let runs = resolved.regions.runs(region);
        self.runs.clear();
        self.runs.extend_from_slice(runs);
        let plain = self.stretches.at_contig_position(contig, start);
        if plain.is_none_or(|plain| plain.end < region.end) {
            self.compare(read, region, contig, start);
        }
        let Self { stretches, md, runs, .. } = self;
        md::of_runs(runs, |place| stretches.letter(contig, start + place), md);
        let differs = |run: &&CigarRun| run.op() != CigarOp::Equal;
        let distance = runs.iter().filter(differs).map(|run| run.length()).sum();
        let cigar = self.cigar(region, read.sequence.len() as u32);
        let md = self.md.bytes().to_vec();
        Aligned { region, second, contig, start, end, mapq, distance, cigar, md }
    }

    /// Tells equal columns from others by the reference's own letters, where the text has stand-ins.
    fn compare(&mut self, read: Read<'_>, region: &Region, contig: u32, start: u32) {
        let Self { reversed, stretches, runs, .. } = self;
        let (sequence, _) = oriented(read, is_reverse(region.query), reversed);
        let (mut query, mut place) = (region.query_begin as usize, start);
        let mut compared: Vec<CigarRun> = Vec::new();
        for &run in &*runs {
            let (op, count) = (run.op(), run.length());
            let counts = match op {
                CigarOp::Equal | CigarOp::Different => &vec![1; count as usize],
                CigarOp::Insertion | CigarOp::Deletion => &vec![count],
            };
            for &count in counts {
                let op = match op {
                    CigarOp::Equal | CigarOp::Different => {
                        let letter = stretches.letter(contig, place);
                        let is_equal = encode(letter) < 4 && letter == sequence[query];
                        if is_equal { CigarOp::Equal } else { CigarOp::Different }
                    }
                    gap => gap,
                };
                query += if op == CigarOp::Deletion { 0 } else { count as usize };
                place += if op == CigarOp::Insertion { 0 } else { count };
                push_run(&mut compared, op, count);
            }
        }
        *runs = compared;
    }

    /// The CIGAR of a region, whose runs were taken, with soft clips.
    fn cigar(&self, region: &Region, length: u32) -> Vec<u32> {
        let mut cigar = Vec::new();
        let clip = |count: u32| count << hts::CIGAR_SHIFT | hts::CIGAR_SOFT_CLIP;
        if region.query_begin > 0 {
            cigar.push(clip(region.query_begin));
        }
        crate::output::record::push_runs(&self.runs, self.eqx, &mut cigar);
        if region.query_end < length {
            cigar.push(clip(length - region.query_end));
        }
        cigar
    }

    /// Passes on the records of one read. Of a pair, `mate` is the other one, with the flag of this.
    fn records_of(
        &mut self,
        mapped: &Mapped<'_>,
        mate: Option<(&Mapped<'_>, u16)>,
        write: &mut impl FnMut(&Record<'_>) -> io::Result<()>,
    ) -> io::Result<()> {
        let common = Common::new(mapped, mate, self.group);
        if mapped.parts.is_empty() {
            return write(&common.record(None));
        }
        let reference = self.stretches.reference();
        let mut hard = Vec::new();
        let alternatives = match self.alternatives {
            Alternatives::Tag if mapped.alternatives.len() <= MAX_ALTERNATIVES => {
                mapped.alternatives.iter().flat_map(|it| it.as_alternative(reference)).collect()
            }
            _ => Vec::new(),
        };
        for (number, part) in mapped.parts.iter().enumerate() {
            let others = mapped.parts.iter().enumerate().filter(|&(place, _)| place != number);
            let others: Vec<u8> = others.flat_map(|(_, other)| other.as_part(reference)).collect();
            let mut record = common.record(Some(part));
            (record.sequence, record.quality) =
                oriented(mapped.read, part.is_reverse(), &mut self.reversed);
            let mut tags = part.tags();
            (tags.second, tags.parts) = (Some(part.second), &others);
            if number == 0 {
                tags.alternatives = &alternatives;
            } else {
                let aligned = part.region.query_begin as usize..part.region.query_end as usize;
                harden(&part.cigar, &mut hard);
                record.flag |= SUPPLEMENTARY;
                record.cigar = &hard;
                record.sequence = &record.sequence[aligned.clone()];
                record.quality = record.quality.map(|quality| &quality[aligned]);
            }
            record.tags = Some(tags);
            write(&record)?;
        }
        if self.alternatives == Alternatives::Records {
            for part in &mapped.alternatives {
                harden(&part.cigar, &mut hard);
                let record = common.record(Some(part));
                write(&Record {
                    flag: (record.flag | SECONDARY) & !PROPER,
                    cigar: &hard,
                    mate: record.mate.map(|mate| Mate { span: 0, ..mate }),
                    sequence: &[],
                    quality: None,
                    ..record
                })?;
            }
        }
        Ok(())
    }
}

/// A read's letters and qualities as they lie on the forward strand.
fn oriented<'r>(
    read: Read<'r>,
    is_reverse: bool,
    reversed: &'r mut Reversed,
) -> (&'r [u8], Option<&'r [u8]>) {
    if is_reverse { reversed.set(read) } else { (read.sequence, read.quality) }
}
