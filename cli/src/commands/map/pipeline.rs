//! The stages that batches of reads pass, each on a thread of its own.
//!
//! ```text
//!   read --> prepare --> search --> format --> write
//!            the pool    device     the pool   threads of its own
//! ```
//!
//! Up to one batch is in each stage and one waits before it, so that memory is bounded, the device
//! works on one batch while the pool makes records of the one before, and batches stay in order. Records
//! are many times larger than what they are made of, so they go on to be written in parts of a batch. An
//! error passes on like a batch and ends what follows, so that the first one in the input is told.

use std::ops::Range;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Scope};

use anyhow::Result;
use fm_index::Reference;
use rayon::prelude::*;
use woodstocc::{Batch, Found, Mapper, Mapping, Query, Resolver, Searched};

use crate::console::Console;
use crate::input::{self, Batches, Read, Reads};
use crate::output::{Format, Formatter, Output, Piece, ReadGroup, Spares, Written};
use crate::timeline::{Step, Timeline};

/// Reads of which one task makes records, one after the other.
pub(super) const TOGETHER: usize = 256;

/// Reads whose records are written together: enough to share among threads, and few enough for their
/// memory to be used again soon.
pub(super) const PART: usize = 1 << 15;

/// What is counted while batches pass.
#[derive(Debug, Default, Clone, Copy)]
pub struct Totals {
    pub reads: u64,
    pub bases: u64,
    pub aligned: u64,
    pub alignments: u64,
}

/// What the stages share.
#[derive(Debug)]
pub struct Pipeline<'a> {
    pub mapper: &'a Mapper,
    pub group: Option<&'a ReadGroup>,
    pub eqx: bool,
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

impl Pipeline<'_> {
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
                        self.prepare(number, batch.checked()?)
                    })
                });
            let searched = stage(scope, prepared, |job| {
                self.timeline.time(Step::Search, job.number.to_string(), || self.search(job))
            });
            let formatted = stage_of_parts(scope, searched, |job: Job<Searched>, pass_on| {
                let Job { number, reads, work } = job;
                let end = reads.len();
                let found = work.by_query();
                for start in (0..end).step_by(PART) {
                    let part = start..end.min(start + PART);
                    let make = || self.format(number, &reads, &found, part, &spares);
                    let part = self.timeline.time(Step::Format, number.to_string(), make)?;
                    if pass_on(part) == Wanted::Nothing {
                        return Ok(());
                    }
                }
                drop(found);
                // Once all reads are read, nobody wants their memory.
                let _ = input.used.send(reads);
                Ok(())
            });
            let mut totals = Totals::default();
            for part in formatted {
                let Formatted { number, mut pieces, totals: of_part } = part?;
                self.timeline
                    .time(Step::Write, number.to_string(), || output.write(&mut pieces))?;
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

    fn prepare(&self, number: usize, reads: Reads) -> Result<Job<Batch>> {
        let queries: Vec<Query<'_>> =
            reads.iter().map(|read| Query { name: read.name, sequence: read.sequence }).collect();
        let work = self.mapper.prepare(&queries)?;
        Ok(Job { number, reads, work })
    }

    fn search(&self, job: Job<Batch>) -> Result<Job<Searched>> {
        let Job { number, reads, work } = job;
        Ok(Job { number, reads, work: self.mapper.search(&work)? })
    }

    /// Makes the records of a part of a batch, in parallel.
    fn format(
        &self,
        number: usize,
        reads: &Reads,
        found: &Found,
        part: Range<usize>,
        spares: &Spares,
    ) -> Result<Formatted> {
        let makers =
            || (self.mapper.resolver(), Formatter::new(self.reference(), self.group, self.eqx));
        let make = |(resolver, formatter): &mut (Resolver<'_>, Formatter<'_>), first: usize| {
            let mut piece = Piece::new(self.format, spares);
            let mut totals = Totals::default();
            for number in first..part.end.min(first + TOGETHER) {
                let read = reads.get(number);
                let mapping = resolver.mapping(found, number, read.name);
                formatter.records(read, mapping, |record| piece.push(record, self.reference()))?;
                totals.count(read, mapping);
            }
            Ok((piece, totals))
        };
        let made: Vec<(Piece, Totals)> = (0..part.len().div_ceil(TOGETHER))
            .into_par_iter()
            .map(|task| part.start + task * TOGETHER)
            .map_init(makers, make)
            .collect::<Result<_>>()?;
        let (pieces, totals): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let totals = totals.into_iter().fold(Totals::default(), Totals::plus);
        Ok(Formatted { number, pieces, totals })
    }

    fn reference(&self) -> &Reference {
        self.mapper.index().reference()
    }
}

impl Totals {
    fn count(&mut self, read: Read<'_>, mapping: &Mapping) {
        self.reads += 1;
        self.bases += read.sequence.len() as u64;
        self.aligned += u64::from(!mapping.is_empty());
        self.alignments += mapping.len() as u64;
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            bases: self.bases + other.bases,
            aligned: self.aligned + other.aligned,
            alignments: self.alignments + other.alignments,
        }
    }
}

/// Does `work` with all that comes, on a thread of its own, until there is no more, an error passed, or
/// nobody wants what is done.
pub(super) fn stage<'s, I: Send + 's, O: Send + 's>(
    scope: &'s Scope<'s, '_>,
    inputs: impl IntoIterator<Item = Result<I>> + Send + 's,
    mut work: impl FnMut(I) -> Result<O> + Send + 's,
) -> Receiver<Result<O>> {
    stage_of_parts(scope, inputs, move |input, pass_on| {
        pass_on(work(input)?);
        Ok(())
    })
}

/// The same where `work` passes on what comes of an input in parts. It may stop once nobody wants more.
pub(super) fn stage_of_parts<'s, I: Send + 's, O: Send + 's>(
    scope: &'s Scope<'s, '_>,
    inputs: impl IntoIterator<Item = Result<I>> + Send + 's,
    mut work: impl FnMut(I, &mut dyn FnMut(O) -> Wanted) -> Result<()> + Send + 's,
) -> Receiver<Result<O>> {
    let (sender, receiver) = sync_channel(1);
    scope.spawn(move || {
        let mut wanted = Wanted::More;
        for input in inputs {
            let mut pass_on = |part| {
                wanted = if sender.send(Ok(part)).is_ok() { Wanted::More } else { Wanted::Nothing };
                wanted
            };
            if let Err(error) = input.and_then(|input| work(input, &mut pass_on)) {
                // Whoever wants nothing more has an error of its own.
                let _ = sender.send(Err(error));
                break;
            }
            if wanted == Wanted::Nothing {
                break;
            }
        }
    });
    receiver
}

/// Whether the next stage wants more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    More,
    Nothing,
}
