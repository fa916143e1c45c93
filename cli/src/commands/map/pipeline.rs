//! The stages that batches of reads pass, each on a thread of its own.
//!
//! ```text
//!   read --> prepare --> search --> format --> write
//!            queries     device     the pool
//! ```
//!
//! Up to one batch is in each stage and one waits before it, so that memory is bounded, the device
//! works on one batch while the pool makes records of the one before, and batches stay in order. An
//! error passes on like a batch and ends what follows, so that the first one in the input is told.

use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Scope};

use anyhow::Result;
use fm_index::Reference;
use rayon::prelude::*;
use woodstocc::{Batch, Mapper, Mapping, Query, Searched};

use crate::console::Console;
use crate::input::{self, Read};
use crate::output::{Format, Formatter, Output, Piece, Spares, Target};
use crate::timeline::{Step, Timeline};

/// Reads of which one task makes records, one after the other.
const TOGETHER: usize = 256;

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
    pub formatter: Formatter<'a>,
    pub format: Format,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
}

/// A batch on its way.
struct Job<T> {
    number: usize,
    reads: Vec<Read>,
    work: T,
}

/// What becomes of a batch.
struct Formatted {
    pieces: Vec<Piece>,
    totals: Totals,
}

impl Pipeline<'_> {
    /// Maps all batches and writes and closes the file, which can be committed then.
    pub fn run(
        &self,
        batches: Receiver<Result<input::Batch>>,
        mut output: Output,
    ) -> Result<(Totals, Target)> {
        let spares = Spares::default();
        let totals = thread::scope(|scope| {
            let mut numbers = 0..;
            let prepared = stage(scope, batches, move |batch| {
                let number = numbers.next().unwrap_or_default();
                self.timeline.add(Step::Read, number.to_string(), batch.begin, batch.end);
                self.timeline
                    .time(Step::Prepare, number.to_string(), || self.prepare(number, batch.reads))
            });
            let searched = stage(scope, prepared, |job| {
                self.timeline.time(Step::Search, job.number.to_string(), || self.search(job))
            });
            let formatted = stage(scope, searched, |job| {
                let number = job.number;
                let done = self
                    .timeline
                    .time(Step::Format, number.to_string(), || self.format(job, &spares))?;
                Ok((number, done))
            });
            let mut totals = Totals::default();
            for batch in formatted {
                let (number, batch) = batch?;
                self.timeline.time(Step::Write, number.to_string(), || {
                    batch.pieces.into_iter().try_for_each(|piece| {
                        output.write(&piece)?;
                        spares.put(piece);
                        Ok::<_, anyhow::Error>(())
                    })
                })?;
                totals = totals.plus(batch.totals);
                self.console.advance(batch.totals.reads);
            }
            Ok::<_, anyhow::Error>(totals)
        })?;
        let target = self.timeline.time(Step::Write, "close", || output.close())?;
        Ok((totals, target))
    }

    fn prepare(&self, number: usize, reads: Vec<Read>) -> Result<Job<Batch>> {
        let queries: Vec<Query<'_>> =
            reads.iter().map(|read| Query { name: &read.name, sequence: &read.sequence }).collect();
        let work = self.mapper.prepare(&queries)?;
        Ok(Job { number, reads, work })
    }

    fn search(&self, job: Job<Batch>) -> Result<Job<Searched>> {
        let Job { number, reads, work } = job;
        Ok(Job { number, reads, work: self.mapper.search(&work)? })
    }

    /// Makes the records, in parallel.
    fn format(&self, job: Job<Searched>, spares: &Spares) -> Result<Formatted> {
        let found = job.work.by_query();
        let makers = || (self.mapper.resolver(), self.formatter.clone());
        let made: Vec<(Piece, Totals)> = job
            .reads
            .par_chunks(TOGETHER)
            .enumerate()
            .map_init(makers, |(resolver, formatter), (number, reads)| {
                let mut piece = Piece::new(self.format, spares);
                let mut totals = Totals::default();
                for (read, number) in reads.iter().zip(number * TOGETHER..) {
                    let mapping = resolver.mapping(&found, number, &read.name);
                    formatter
                        .records(read, mapping, |record| piece.push(record, self.reference()))?;
                    totals.count(read, mapping);
                }
                Ok((piece, totals))
            })
            .collect::<Result<_>>()?;
        let (pieces, totals): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        Ok(Formatted { pieces, totals: totals.into_iter().fold(Totals::default(), Totals::plus) })
    }

    fn reference(&self) -> &Reference {
        self.mapper.index().reference()
    }
}

impl Totals {
    fn count(&mut self, read: &Read, mapping: &Mapping) {
        self.reads += 1;
        self.bases += read.sequence.len() as u64;
        self.aligned += u64::from(!mapping.alignments.is_empty());
        self.alignments += mapping.alignments.len() as u64;
    }

    fn plus(self, other: Self) -> Self {
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
fn stage<'s, I: Send + 's, O: Send + 's>(
    scope: &'s Scope<'s, '_>,
    inputs: Receiver<Result<I>>,
    mut work: impl FnMut(I) -> Result<O> + Send + 's,
) -> Receiver<Result<O>> {
    let (sender, receiver) = sync_channel(1);
    scope.spawn(move || {
        for input in inputs {
            let done = input.and_then(&mut work);
            let last = done.is_err();
            if sender.send(done).is_err() || last {
                break;
            }
        }
    });
    receiver
}
