//! What the pipelines of both modes share: a thread for each stage, and batches that pass them in order.
//!
//! Up to one batch is in each stage and one waits before it, so that memory is bounded, the device
//! works on one batch while the pool makes records of the one before, and batches stay in order. Records
//! are many times larger than what they are made of, so they go on to be written in parts of a batch. An
//! error passes on like a batch and ends what follows, so that the first one in the input is told.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::thread::Scope;

use anyhow::Result;
use rayon::prelude::*;

use crate::console::Console;
use crate::input::{Batch, Reads};
use crate::output::{Format, Output, Piece, ReadGroup, Spares, Written};
use crate::timeline::{Step, Timeline};

/// Reads of which one task makes records, one after the other.
const TOGETHER: usize = 256;

/// Reads whose records are written together: enough to share among threads, and few enough for their
/// memory to be used again soon.
const PART: usize = 1 << 15;

/// What is counted while batches pass.
#[derive(Debug, Default, Clone, Copy)]
pub struct Totals {
    pub reads: u64,
    pub bases: u64,
    pub aligned: u64,
    pub alignments: u64,
}

impl Totals {
    fn plus(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            bases: self.bases + other.bases,
            aligned: self.aligned + other.aligned,
            alignments: self.alignments + other.alignments,
        }
    }
}

/// A batch on its way.
pub(super) struct Job<T> {
    number: usize,
    pub(super) reads: Reads,
    pub(super) work: T,
}

impl<T> Job<T> {
    /// The same batch with something else that is known of it.
    pub(super) fn with<U>(self, work: impl FnOnce(T) -> U) -> Job<U> {
        Job { number: self.number, reads: self.reads, work: work(self.work) }
    }
}

/// What becomes of a part of a batch.
pub(super) struct Formatted {
    number: usize,
    pieces: Vec<Piece>,
    totals: Totals,
}

/// What all stages are given, in both modes.
#[derive(Debug, Clone, Copy)]
pub struct Stages<'a> {
    pub group: Option<&'a ReadGroup>,
    pub eqx: bool,
    pub format: Format,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
}

impl<'a> Stages<'a> {
    /// The stages read and prepare: batches with what `work` makes of their reads.
    pub(super) fn prepare<'s, T: Send + 's>(
        self,
        scope: &'s Scope<'s, '_>,
        batches: impl IntoIterator<Item = Batch, IntoIter: Send> + 's,
        work: impl Fn(&Reads) -> Result<T> + Send + 's,
    ) -> Receiver<Result<Job<T>>>
    where
        'a: 's,
    {
        let mut numbers = 0..;
        stage(scope, batches.into_iter().map(Ok), move |batch: Batch| {
            let number = numbers.next().unwrap_or_default();
            self.timeline.add(Step::Read, number.to_string(), batch.begin, batch.end);
            self.timeline.time(Step::Prepare, number.to_string(), || {
                let reads = batch.checked()?;
                Ok(Job { number, work: work(&reads)?, reads })
            })
        })
    }

    /// A stage that makes something else of what is known of a batch.
    pub(super) fn step<'s, I: Send + 's, O: Send + 's>(
        self,
        scope: &'s Scope<'s, '_>,
        step: Step,
        jobs: impl IntoIterator<Item = Result<Job<I>>> + Send + 's,
        work: impl Fn(I) -> Result<O> + Send + 's,
    ) -> Receiver<Result<Job<O>>>
    where
        'a: 's,
    {
        stage(scope, jobs, move |job: Job<I>| {
            let Job { number, reads, work: known } = job;
            let work = self.timeline.time(step, number.to_string(), || work(known))?;
            Ok(Job { number, reads, work })
        })
    }

    /// The stage that makes records of what `found` makes of what is known of a batch, `format` a part of it
    /// at a time. `used` gets the memory of reads that are done.
    pub(super) fn format<'s, T: Send + 's, F: 's>(
        self,
        scope: &'s Scope<'s, '_>,
        jobs: impl IntoIterator<Item = Result<Job<T>>> + Send + 's,
        used: Sender<Reads>,
        found: impl Fn(T) -> F + Send + 's,
        format: impl Fn(&Job<F>, Range<usize>) -> Result<Formatted> + Send + 's,
    ) -> Receiver<Result<Formatted>>
    where
        'a: 's,
    {
        stage_of_parts(scope, jobs, move |job: Job<T>, pass_on| {
            let job = job.with(&found);
            let end = job.reads.len();
            for start in (0..end).step_by(PART) {
                let make = || format(&job, start..end.min(start + PART));
                let part = self.timeline.time(Step::Format, job.number.to_string(), make)?;
                if pass_on(part) == Wanted::Nothing {
                    return Ok(());
                }
            }
            let Job { reads, work, .. } = job;
            drop(work);
            // Once all reads are read, nobody wants their memory.
            let _ = used.send(reads);
            Ok(())
        })
    }

    /// Makes the records of a part of a batch, in parallel: `make` those of some reads, with a maker of
    /// its thread.
    pub(super) fn records<T, M>(
        self,
        job: &Job<T>,
        part: &Range<usize>,
        spares: &Spares,
        maker: impl Fn() -> M + Sync + Send,
        make: impl Fn(&mut M, Range<usize>, &mut Piece, &mut Totals) -> Result<()> + Sync + Send,
    ) -> Result<Formatted> {
        let of_task = |maker: &mut M, first: usize| {
            let mut piece = Piece::new(self.format, spares);
            let mut totals = Totals::default();
            let reads = first..part.end.min(first + TOGETHER);
            make(maker, reads, &mut piece, &mut totals)?;
            Ok((piece, totals))
        };
        let made: Vec<(Piece, Totals)> = (0..part.len().div_ceil(TOGETHER))
            .into_par_iter()
            .map(|task| part.start + task * TOGETHER)
            .map_init(maker, of_task)
            .collect::<Result<_>>()?;
        let (pieces, totals): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let totals = totals.into_iter().fold(Totals::default(), Totals::plus);
        Ok(Formatted { number: job.number, pieces, totals })
    }

    /// The last stage, on the calling thread: writes what comes.
    pub(super) fn write(
        self,
        formatted: Receiver<Result<Formatted>>,
        output: &mut Output,
        spares: &Spares,
    ) -> Result<Totals> {
        let mut totals = Totals::default();
        for part in formatted {
            let Formatted { number, mut pieces, totals: of_part } = part?;
            self.timeline.time(Step::Write, number.to_string(), || output.write(&mut pieces))?;
            for piece in pieces {
                spares.put(piece);
            }
            totals = totals.plus(of_part);
            self.console.advance(of_part.reads);
        }
        Ok(totals)
    }

    /// Closes the file, which can be committed then.
    pub(super) fn close(self, output: Output) -> Result<Written> {
        self.timeline.time(Step::Write, "close", || output.close())
    }
}

/// Does `work` with all that comes, on a thread of its own, until there is no more, an error passed, or
/// nobody wants what is done.
fn stage<'s, I: Send + 's, O: Send + 's>(
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
fn stage_of_parts<'s, I: Send + 's, O: Send + 's>(
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
enum Wanted {
    More,
    Nothing,
}
