//! The stages of everyday mapping, each on a thread of its own.
//!
//! ```text
//!   read --> prepare --> search --> [library] --> resolve --> format --> write
//! ```
//!
//! They are those of [`super::pipeline`], with one more for mates. Before it, the batches with the first
//! [`SAMPLE`] pairs wait, until the library's insert sizes are known: so these do not depend on batches.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::Receiver;
use std::thread;

use anyhow::Result;
use rayon::prelude::*;
use seed_extend::insert::SAMPLE;
use seed_extend::queries::Queries;
use seed_extend::{Library, Mapper, Resolved, Sample, Searched, salt};

use super::pipeline::{PART, TOGETHER, Totals, Wanted, stage, stage_of_parts};
use crate::console::Console;
use crate::input::{self, Batches, Read, Reads};
use crate::output::{Alternatives, Everyday, Format, Output, Piece, ReadGroup, Spares, Written};
use crate::timeline::{Step, Timeline};

/// What the stages share.
#[derive(Debug)]
pub struct Pipeline<'a> {
    pub mapper: &'a Mapper<'a>,
    /// Whether each two reads are mates.
    pub paired: bool,
    pub seed: u64,
    pub group: Option<&'a ReadGroup>,
    pub eqx: bool,
    pub alternatives: Alternatives,
    pub format: Format,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
}

/// A batch on its way.
struct Job<T> {
    number: usize,
    reads: Reads,
    work: T,
}

/// What becomes of a part of a batch.
struct Formatted {
    number: usize,
    pieces: Vec<Piece>,
    totals: Totals,
}

impl<'a> Pipeline<'a> {
    /// Maps all batches and writes and closes the file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(Totals, Written)> {
        let spares = Spares::default();
        let totals = thread::scope(|scope| {
            let mut numbers = 0..;
            let prepared =
                stage(scope, input.batches.into_iter().map(Ok), move |batch: input::Batch| {
                    let number = numbers.next().unwrap_or_default();
                    self.timeline.add(Step::Read, number.to_string(), batch.begin, batch.end);
                    self.timeline.time(Step::Prepare, number.to_string(), || {
                        Ok(self.prepare(number, batch.checked()?))
                    })
                });
            let searched = stage(scope, prepared, |job: Job<(Queries, Vec<u64>)>| {
                let Job { number, reads, work: (queries, salts) } = job;
                let work = self
                    .timeline
                    .time(Step::Search, number.to_string(), || self.mapper.search(queries, salts));
                Ok(Job { number, reads, work })
            });
            let resolved = stage(scope, self.with_library(searched), |(job, library)| {
                let Job { number, reads, work } = job;
                let work = self.timeline.time(Step::Align, number.to_string(), || {
                    if self.paired {
                        self.mapper.resolve_pairs(work, &library)
                    } else {
                        self.mapper.resolve_single(work)
                    }
                });
                Ok(Job { number, reads, work })
            });
            let formatted = stage_of_parts(scope, resolved, |job: Job<Resolved>, pass_on| {
                let Job { number, reads, work } = job;
                let end = reads.len();
                for start in (0..end).step_by(PART) {
                    let part = start..end.min(start + PART);
                    let make = || self.format(number, &reads, &work, part, &spares);
                    let part = self.timeline.time(Step::Format, number.to_string(), make)?;
                    if pass_on(part) == Wanted::Nothing {
                        return Ok(());
                    }
                }
                // Once all reads are read, nobody wants their memory.
                let _ = input.used.send(reads);
                Ok(())
            });
            let mut totals = Totals::default();
            for part in formatted {
                let Formatted { number, mut pieces, totals: of_part } = part?;
                let write = || output.write(&mut pieces);
                self.timeline.time(Step::Write, number.to_string(), write)?;
                for piece in pieces {
                    spares.put(piece);
                }
                totals = totals.plus(of_part);
                self.console.advance(of_part.reads);
            }
            Ok::<_, anyhow::Error>(totals)
        })?;
        let written = self.timeline.time(Step::Write, "close", || output.close())?;
        Ok((totals, written))
    }

    fn prepare(&self, number: usize, reads: Reads) -> Job<(Queries, Vec<u64>)> {
        let queries = Queries::new(reads.iter().map(|read| read.sequence));
        let salts = reads.iter().map(|read| salt(read.name, self.seed)).collect();
        Job { number, reads, work: (queries, salts) }
    }

    /// Passes batches on with the library, once it is known.
    fn with_library(&self, searched: Receiver<Result<Job<Searched>>>) -> WithLibrary<'_, 'a> {
        WithLibrary { pipeline: self, searched, held: VecDeque::new(), library: None }
    }

    /// Makes the records of a part of a batch, in parallel.
    fn format(
        &self,
        number: usize,
        reads: &Reads,
        found: &Resolved,
        part: Range<usize>,
        spares: &Spares,
    ) -> Result<Formatted> {
        let reference = self.mapper.index().reference();
        let segments = self.mapper.segments();
        let maker = || Everyday::new(reference, segments, self.group, self.eqx, self.alternatives);
        let step = if self.paired { 2 } else { 1 };
        let make = |maker: &mut Everyday<'_>, first: usize| {
            let mut piece = Piece::new(self.format, spares);
            let mut totals = Totals::default();
            for first in (first..part.end.min(first + TOGETHER)).step_by(step) {
                let together: Vec<Read<'_>> =
                    (first..first + step).map(|number| reads.get(number)).collect();
                for (read, number) in together.iter().zip(first..) {
                    totals.reads += 1;
                    totals.bases += read.sequence.len() as u64;
                    totals.aligned += u64::from(found.verdicts[number].is_some());
                }
                maker.records(&together, found, first, |record| {
                    totals.alignments += u64::from(!record.cigar.is_empty());
                    piece.push(record, reference)
                })?;
            }
            Ok((piece, totals))
        };
        let made: Vec<(Piece, Totals)> = (0..part.len().div_ceil(TOGETHER))
            .into_par_iter()
            .map(|task| part.start + task * TOGETHER)
            .map_init(maker, make)
            .collect::<Result<_>>()?;
        let (pieces, totals): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let totals = totals.into_iter().fold(Totals::default(), Totals::plus);
        Ok(Formatted { number, pieces, totals })
    }
}

/// Batches with the library that they are of.
struct WithLibrary<'p, 'a> {
    pipeline: &'p Pipeline<'a>,
    searched: Receiver<Result<Job<Searched>>>,
    /// What came before the library was known, with what ended it.
    held: VecDeque<Result<Job<Searched>>>,
    library: Option<Library>,
}

impl WithLibrary<'_, '_> {
    /// Waits for as many pairs as it takes, or the end.
    fn estimate(&mut self) -> Library {
        let (mut sample, mut missing) = (Sample::default(), SAMPLE);
        while missing > 0 && self.pipeline.paired {
            let Ok(next) = self.searched.recv() else { break };
            if let Ok(job) = &next {
                self.pipeline.mapper.sample(&job.work, &mut sample, missing);
                missing = missing.saturating_sub(job.reads.len() / 2);
            }
            let is_end = next.is_err();
            self.held.push_back(next);
            if is_end {
                break;
            }
        }
        sample.library()
    }
}

impl Iterator for WithLibrary<'_, '_> {
    type Item = Result<(Job<Searched>, Library)>;

    fn next(&mut self) -> Option<Self::Item> {
        let library = self.library.unwrap_or_else(|| self.estimate());
        self.library = Some(library);
        let next = self.held.pop_front().or_else(|| self.searched.recv().ok())?;
        Some(next.map(|job| (job, library)))
    }
}
