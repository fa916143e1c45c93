//! The records of everyday mapping (SAM specification, sections 1.4 and 1.5), as `bwa mem` writes them.
//!
//! The primary alignment of a read comes first, with what is clipped soft. Other parts of the read are
//! supplementary (0x800), clipped hard. Alternatives are left out, or in `XA`, or records of their own
//! (0x100). A read that is not aligned has the place of its mate.
//!
//! | tag | value |
//! |---|---|
//! | `NM`, `MD` | as in [`super::record`], of what is aligned |
//! | `AS`, `XS` | the score of the alignment, and the best of those that overlap it in the read |
//! | `MC`, `MQ` | CIGAR and mapping quality of the mate |
//! | `SA` | the other parts of a read that is split |
//! | `XA` | alternatives, on request: those of at least four fifths of the score, if they are five at most |

use std::io;

use aligner_core::seq::encode;
use clap::ValueEnum;
use fm_index::{PlainStretches, Reference, Segments};
use seed_extend::queries::is_reverse;
use seed_extend::regions::Region;
use seed_extend::{Placed, Resolved};
use woodstocc::{Op, Run};

use crate::input::Read;
use crate::output::lines::Lines;
use crate::output::record::{
    FIRST, LAST, MATE_REVERSE, MATE_UNMAPPED, Mate, PAIRED, PROPER, REVERSE, Record, SECONDARY,
    SUPPLEMENTARY, Tags, UNMAPPED,
};
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
    runs: Vec<Run>,
}

/// An alignment's place and columns.
#[derive(Debug, Clone)]
struct Aligned<'r> {
    region: &'r Region,
    contig: u32,
    start: u32,
    end: u32,
    mapq: u8,
    distance: u32,
    /// With soft clips.
    cigar: Vec<u32>,
    md: Vec<u8>,
}

impl Aligned<'_> {
    fn is_reverse(&self) -> bool {
        is_reverse(self.region.query)
    }

    /// The place of the read's first base, or of the first that is aligned.
    fn five_prime(&self) -> i64 {
        if self.is_reverse() { i64::from(self.end) - 1 } else { self.start.into() }
    }
}

/// A read with what was found for it.
struct Mapped<'r> {
    read: Read<'r>,
    /// The primary alignment, if it is aligned, then other parts.
    parts: Vec<Aligned<'r>>,
    alternatives: Vec<Aligned<'r>>,
    is_proper: bool,
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
        resolved: &Resolved,
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
    fn mapped<'r>(&mut self, read: Read<'r>, resolved: &'r Resolved, number: usize) -> Mapped<'r> {
        let wanted = self.alternatives;
        let mut place = |placed: Placed| {
            let region = &resolved.regions.of(number)[placed.region];
            self.aligned(read, resolved, region, placed.mapq)
        };
        let parts = resolved.parts(number).into_iter().map(&mut place).collect();
        let alternatives = match wanted {
            Alternatives::None => Vec::new(),
            Alternatives::Tag | Alternatives::Records => {
                resolved.alternatives(number).into_iter().map(&mut place).collect()
            }
        };
        Mapped { read, parts, alternatives, is_proper: resolved.is_proper(number) }
    }

    fn aligned<'r>(
        &mut self,
        read: Read<'_>,
        resolved: &Resolved,
        region: &'r Region,
        mapq: u8,
    ) -> Aligned<'r> {
        let segment = self.segments.get(region.segment);
        let (contig, start) = (segment.contig, segment.in_contig(region.begin));
        let end = segment.in_contig(region.end);
        let runs = resolved.regions.runs(region);
        self.runs.clear();
        self.runs.extend(runs.iter().map(|run| (run.op(), run.count())));
        let plain = self.stretches.at_place(contig, start);
        if plain.is_none_or(|plain| plain.end < region.end) {
            self.compare(read, region, contig, start);
        }
        let Self { stretches, md, runs, .. } = self;
        md::of_runs(runs, |place| stretches.letter(contig, start + place), md);
        let differs = |&&(op, _): &&Run| op != Op::Equal;
        let distance = runs.iter().filter(differs).map(|&(_, count)| count).sum();
        let cigar = self.cigar(region, read.sequence.len() as u32);
        let md = self.md.bytes().to_vec();
        Aligned { region, contig, start, end, mapq, distance, cigar, md }
    }

    /// Tells equal columns from others by the reference's own letters, where the text has stand-ins.
    fn compare(&mut self, read: Read<'_>, region: &Region, contig: u32, start: u32) {
        let Self { reversed, stretches, runs, .. } = self;
        let (sequence, _) = oriented(read, is_reverse(region.query), reversed);
        let (mut query, mut place) = (region.query_begin as usize, start);
        let mut compared: Vec<Run> = Vec::new();
        for &(op, count) in &*runs {
            let counts = match op {
                Op::Equal | Op::Different => &vec![1; count as usize],
                Op::Insertion | Op::Deletion => &vec![count],
            };
            for &count in counts {
                let op = match op {
                    Op::Equal | Op::Different => {
                        let letter = stretches.letter(contig, place);
                        let is_equal = encode(letter) < 4 && letter == sequence[query];
                        if is_equal { Op::Equal } else { Op::Different }
                    }
                    gap => gap,
                };
                query += if op == Op::Deletion { 0 } else { count as usize };
                place += if op == Op::Insertion { 0 } else { count };
                match compared.last_mut() {
                    Some(last) if last.0 == op => last.1 += count,
                    _ => compared.push((op, count)),
                }
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
        super::record::push_runs(&self.runs, self.eqx, &mut cigar);
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
        let group = self.group.map(|group| group.id.as_str());
        let primary = mapped.parts.first();
        let other = mate.and_then(|(mate, _)| mate.parts.first());
        let mut flag = 0;
        if let Some((_, end)) = mate {
            flag |= PAIRED | end;
            flag |= if mapped.is_proper { PROPER } else { 0 };
            flag |= match other {
                None => MATE_UNMAPPED,
                Some(other) if other.is_reverse() => MATE_REVERSE,
                Some(_) => 0,
            };
        }
        let mate = |own: Option<&Aligned<'_>>| {
            mate.map(|_| Mate {
                place: other.or(primary).map(|it| (it.contig, it.start)),
                span: own.zip(other).map_or(0, |(own, other)| span(own, other)),
                alignment: None,
            })
        };
        let alignment = other.map(|other| (other.cigar.as_slice(), other.mapq));
        let Some(primary) = primary else {
            let Read { name, sequence, quality } = mapped.read;
            return write(&Record {
                name,
                flag: flag | UNMAPPED,
                place: other.map(|other| (other.contig, other.start)),
                mapq: 0,
                cigar: &[],
                mate: mate(None).map(|mate| Mate { alignment, ..mate }),
                sequence,
                quality,
                tags: None,
                group,
            });
        };
        let Self { reversed, alternatives, .. } = self;
        let (mut text, mut cigar) = (Vec::new(), Vec::new());
        let tag = match alternatives {
            Alternatives::Tag if mapped.alternatives.len() <= MAX_ALTERNATIVES => {
                let all = mapped.alternatives.iter();
                all.flat_map(|it| alternative(it, self.stretches.reference())).collect()
            }
            _ => Vec::new(),
        };
        for (number, part) in mapped.parts.iter().enumerate() {
            let reverse = if part.is_reverse() { REVERSE } else { 0 };
            let (sequence, quality) = oriented(mapped.read, part.is_reverse(), reversed);
            let region = part.region;
            let aligned = region.query_begin as usize..region.query_end as usize;
            text.clear();
            for (place, other) in mapped.parts.iter().enumerate() {
                if place != number {
                    text.extend(other_part(other, self.stretches.reference()));
                }
            }
            let mut record = Record {
                name: mapped.read.name,
                flag: flag | reverse,
                place: Some((part.contig, part.start)),
                mapq: part.mapq,
                cigar: &part.cigar,
                mate: mate(Some(part)).map(|mate| Mate { alignment, ..mate }),
                sequence,
                quality,
                tags: Some(Tags {
                    distance: part.distance,
                    md: &part.md,
                    score: region.score,
                    second: Some(region.sub),
                    count: None,
                    parts: &text,
                    alternatives: if number == 0 { &tag } else { &[] },
                }),
                group,
            };
            if number > 0 {
                cigar.clear();
                cigar.extend(part.cigar.iter().map(|&run| harden(run)));
                record.flag |= SUPPLEMENTARY;
                record.cigar = &cigar;
                record.sequence = &sequence[aligned.clone()];
                record.quality = quality.map(|quality| &quality[aligned]);
            }
            write(&record)?;
        }
        if *alternatives == Alternatives::Records {
            for part in &mapped.alternatives {
                let reverse = if part.is_reverse() { REVERSE } else { 0 };
                cigar.clear();
                cigar.extend(part.cigar.iter().map(|&run| harden(run)));
                write(&Record {
                    name: mapped.read.name,
                    flag: (flag | reverse | SECONDARY) & !PROPER,
                    place: Some((part.contig, part.start)),
                    mapq: 0,
                    cigar: &cigar,
                    mate: mate(Some(primary)).map(|mate| Mate { alignment, span: 0, ..mate }),
                    sequence: &[],
                    quality: None,
                    tags: Some(Tags {
                        distance: part.distance,
                        md: &part.md,
                        score: part.region.score,
                        second: None,
                        count: None,
                        parts: &[],
                        alternatives: &[],
                    }),
                    group,
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

/// `TLEN` of an alignment whose mate is the other one; 0 on another contig.
fn span(own: &Aligned<'_>, other: &Aligned<'_>) -> i32 {
    if own.contig != other.contig {
        return 0;
    }
    let ahead = other.five_prime() - own.five_prime();
    (ahead + ahead.signum()) as i32
}

/// A run of a CIGAR, hard if it is a soft clip.
fn harden(run: u32) -> u32 {
    if run & hts::CIGAR_KIND == hts::CIGAR_SOFT_CLIP {
        run & !hts::CIGAR_KIND | hts::CIGAR_HARD_CLIP
    } else {
        run
    }
}

fn name_of<'r>(aligned: &Aligned<'_>, reference: &'r Reference) -> &'r str {
    &reference.contigs()[aligned.contig as usize].name
}

/// An alignment as `SA` has it.
fn other_part(aligned: &Aligned<'_>, reference: &Reference) -> Vec<u8> {
    let strand = if aligned.is_reverse() { '-' } else { '+' };
    let (name, place) = (name_of(aligned, reference), aligned.start + 1);
    let Aligned { mapq, distance, .. } = aligned;
    let cigar = hts::cigar_text(&aligned.cigar);
    format!("{name},{place},{strand},{cigar},{mapq},{distance};").into_bytes()
}

/// An alignment as `XA` has it.
fn alternative(aligned: &Aligned<'_>, reference: &Reference) -> Vec<u8> {
    let strand = if aligned.is_reverse() { '-' } else { '+' };
    let (name, place) = (name_of(aligned, reference), aligned.start + 1);
    let cigar = hts::cigar_text(&aligned.cigar);
    format!("{name},{strand}{place},{cigar},{};", aligned.distance).into_bytes()
}
