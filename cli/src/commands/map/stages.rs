//! The stages that the pipelines of both modes consist of: each has its own thread, and batches pass them in order.
//!
//! At most one batch is in each stage and one waits before it. So memory is bounded, batches stay in order, and the device
//! works on one batch while the pool makes records of the one before. Records are many times larger than the alignments
//! that they are made of, so they are written in parts of a batch. An error passes on like a batch and ends the stages that
//! follow, so that the first error in the input is reported.
//!
//! Threads belong to stages, not to batches: a thread for each batch would have to put batches into order again, and several
//! threads would drive the GPU. Here one thread drives it, and no thread of the pool ever waits.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::thread::Scope;

use anyhow::Result;
use rayon::prelude::*;

use crate::console::Console;
use crate::input::{ReadBatch, Reads};
use crate::output::{Output, Piece, PieceForm, PiecePool, ReadGroup, WrittenFile};
use crate::timeline::{Step, Timeline};

/// Reads whose records one task of the pool makes.
const TASK_READS: usize = 256;

/// Reads whose records are written together: enough to share among threads, and few enough for their memory to be used
/// again soon.
const PART_READS: usize = 1 << 15;

/// Counts of all reads and alignments.
#[derive(Debug, Default, Clone, Copy)]
pub struct MappingTotals {
    pub reads: u64,
    pub bases: u64,
    /// Reads with at least one alignment.
    pub aligned: u64,
    /// Alignments that are reported.
    pub alignments: u64,
}

impl MappingTotals {
    fn plus(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            bases: self.bases + other.bases,
            aligned: self.aligned + other.aligned,
            alignments: self.alignments + other.alignments,
        }
    }
}

/// A batch of reads between two stages.
pub(super) struct BatchState<T> {
    /// The batch's number, from 0.
    number: usize,
    pub(super) reads: Reads,
    /// The result of the last stage for these reads.
    pub(super) state: T,
}

impl<T> BatchState<T> {
    /// The batch with another state.
    pub(super) fn map<U>(self, next: impl FnOnce(T) -> U) -> BatchState<U> {
        BatchState { number: self.number, reads: self.reads, state: next(self.state) }
    }
}

/// The records of a part of a batch.
pub(super) struct FormattedPart {
    /// The batch's number, from 0.
    number: usize,
    pieces: Vec<Piece>,
    totals: MappingTotals,
}

/// Builds the stages that both modes have, each on its own thread.
#[derive(Debug, Clone, Copy)]
pub struct StageBuilder<'a> {
    /// The read group of all reads.
    pub group: Option<&'a ReadGroup>,
    /// Whether CIGARs have `=` and `X` instead of `M`.
    pub eqx: bool,
    /// The form of the pieces that are made.
    pub form: PieceForm,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
}

impl<'a> StageBuilder<'a> {
    /// The first stage: checks the reads of each batch, and prepares them with `work`.
    pub(super) fn prepare<'s, T: Send + 's>(
        self,
        scope: &'s Scope<'s, '_>,
        batches: impl IntoIterator<Item = ReadBatch, IntoIter: Send> + 's,
        work: impl Fn(&Reads) -> Result<T> + Send + 's,
    ) -> Receiver<Result<BatchState<T>>>
    where
        'a: 's,
    {
        let mut numbers = 0..;
        stage(scope, batches.into_iter().map(Ok), move |batch: ReadBatch| {
            let number = numbers.next().unwrap_or_default();
            self.timeline.add(Step::Read, number.to_string(), batch.begin, batch.end);
            self.timeline.time(Step::Prepare, number.to_string(), || {
                let reads = batch.checked()?;
                Ok(BatchState { number, state: work(&reads)?, reads })
            })
        })
    }

    /// A stage that turns the state of each batch into the next with `work`, timed as `step`.
    pub(super) fn step<'s, I: Send + 's, O: Send + 's>(
        self,
        scope: &'s Scope<'s, '_>,
        step: Step,
        batches: impl IntoIterator<Item = Result<BatchState<I>>> + Send + 's,
        work: impl Fn(I) -> Result<O> + Send + 's,
    ) -> Receiver<Result<BatchState<O>>>
    where
        'a: 's,
    {
        stage(scope, batches, move |batch: BatchState<I>| {
            let BatchState { number, reads, state } = batch;
            let state = self.timeline.time(step, number.to_string(), || work(state))?;
            Ok(BatchState { number, reads, state })
        })
    }

    /// The stage that makes records: `found` turns the state of a batch into its alignments, and `format` makes the
    /// records of a range of its reads. The memory of reads goes back to `used`.
    pub(super) fn format<'s, T: Send + 's, F: 's>(
        self,
        scope: &'s Scope<'s, '_>,
        batches: impl IntoIterator<Item = Result<BatchState<T>>> + Send + 's,
        used: Sender<Reads>,
        found: impl Fn(T) -> F + Send + 's,
        format: impl Fn(&BatchState<F>, Range<usize>) -> Result<FormattedPart> + Send + 's,
    ) -> Receiver<Result<FormattedPart>>
    where
        'a: 's,
    {
        stage_of_parts(scope, batches, move |batch: BatchState<T>, pass_on| {
            let batch = batch.map(&found);
            let end = batch.reads.len();
            for start in (0..end).step_by(PART_READS) {
                let make = || format(&batch, start..end.min(start + PART_READS));
                let part = self.timeline.time(Step::Format, batch.number.to_string(), make)?;
                if pass_on(part) == Wanted::Nothing {
                    return Ok(());
                }
            }
            let BatchState { reads, state, .. } = batch;
            drop(state);
            // Sending fails once all reads are read, when their memory is not needed any more.
            let _ = used.send(reads);
            Ok(())
        })
    }

    /// Makes the records of a part of a batch in parallel: each thread has a formatter of `formatter`, with which `make`
    /// writes the records of a range of reads to a piece.
    pub(super) fn records<T, M>(
        self,
        batch: &BatchState<T>,
        part: &Range<usize>,
        pool: &PiecePool,
        formatter: impl Fn() -> M + Sync + Send,
        make: impl Fn(&mut M, Range<usize>, &mut Piece, &mut MappingTotals) -> Result<()> + Sync + Send,
    ) -> Result<FormattedPart> {
        let of_task = |formatter: &mut M, first: usize| {
            let mut piece = Piece::new(self.form, pool);
            let mut totals = MappingTotals::default();
            let reads = first..part.end.min(first + TASK_READS);
            make(formatter, reads, &mut piece, &mut totals)?;
            Ok((piece, totals))
        };
        let made: Vec<(Piece, MappingTotals)> = (0..part.len().div_ceil(TASK_READS))
            .into_par_iter()
            .map(|task| part.start + task * TASK_READS)
            .map_init(formatter, of_task)
            .collect::<Result<_>>()?;
        let (pieces, totals): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let totals = totals.into_iter().fold(MappingTotals::default(), MappingTotals::plus);
        Ok(FormattedPart { number: batch.number, pieces, totals })
    }

    /// The last stage, on the calling thread: writes the records and counts them.
    pub(super) fn write(
        self,
        formatted: Receiver<Result<FormattedPart>>,
        output: &mut Output,
        pool: &PiecePool,
    ) -> Result<MappingTotals> {
        let mut totals = MappingTotals::default();
        for part in formatted {
            let FormattedPart { number, mut pieces, totals: of_part } = part?;
            self.timeline.time(Step::Write, number.to_string(), || output.write(&mut pieces))?;
            for piece in pieces {
                pool.put(piece);
            }
            totals = totals.plus(of_part);
            self.console.advance(of_part.reads);
        }
        Ok(totals)
    }

    /// Closes the file, which can be committed then.
    pub(super) fn close(self, output: Output) -> Result<WrittenFile> {
        self.timeline.time(Step::Write, "close", || output.close())
    }
}

/// Starts a thread that does `work` with each input and sends the results. It ends with the inputs, after the first error,
/// or when the results are not received any more.
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

/// As [`stage`], but `work` passes on several results for an input. It may stop once no more are wanted.
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
                // Sending fails if the next stage ended with an error, which is then reported.
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

/// Whether the next stage receives more results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    More,
    Nothing,
}
