//! The stages that the pipelines of both modes consist of: each has its own thread, and batches pass them in order.
//!
//! At most one batch is in each stage and one waits before it. So memory is bounded, batches stay in order, and the device
//! works on one batch while the pool makes records of the one before. An error passes on like a batch and ends the stages
//! that follow, so that the first error in the input is reported.
//!
//! Batches are bounded by their reads, but the results of a batch are not: a read of a repeat may have a million loci. So a
//! search that finds too much is given up, and the batch goes on in slices of fewer reads ([`StageBuilder::search`]).
//! Records are many times larger than the alignments that they are made of, so they are written in parts. With `R` for the
//! bytes of a batch of reads, `S` for the results of a slice and `P` for the records of a part, the memory of a run is at
//! most
//!
//! ```text
//!   index  +  (stages + 5) x R  +  2 x stages x S  +  3 x P  +  threads x T
//!
//!   R   64 MiB of names, bases and qualities, and as much for both strands of the reads, encoded
//!   S   mode all: 256 MiB; mode best: 2^20 chains, about 300 MiB; but a single read, or pair, may have more: in mode all
//!       2 bytes for each base of the reference and 16 for each locus
//!   P   mode all: about 64 MiB; mode best: the records of a slice
//!   T   working memory of a thread: in mode all, a byte for each base of the reference and the loci of a read
//! ```
//!
//! Threads belong to stages, not to batches: a thread for each batch would have to put batches into order again, and several
//! threads would drive the GPU. Here one thread drives it, and no thread of the pool ever waits.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender, sync_channel};
use std::thread::Scope;

use anyhow::{Result, ensure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::lanes::Lanes;
use crate::console::Console;
use crate::input::{InputProgress, Read, ReadBatch, ReadSlice, Reads};
use crate::output::{Output, Piece, PieceForm, PiecePool, WrittenFile};
use crate::shard::Unit;
use crate::timeline::{Step, Timeline};

/// Reads whose records one task of the pool makes.
pub(super) const TASK_READS: usize = 256;

/// Reads whose records are written together: enough to share among threads, and few enough for their memory to be used
/// again soon.
pub(super) const PART_READS: usize = 1 << 15;

/// Counts of all reads and alignments.
#[derive(Debug, Default, Clone, Copy, Serialize, Deserialize)]
pub struct MappingTotals {
    pub reads: u64,
    pub bases: u64,
    /// Reads with at least one alignment.
    pub aligned: u64,
    /// Alignments that are reported.
    pub alignments: u64,
    /// Reads that are too long to be aligned.
    pub too_long: u64,
}

impl MappingTotals {
    /// Counts a read.
    pub(super) fn count(&mut self, read: Read<'_>) {
        self.reads += 1;
        self.bases += read.sequence.len() as u64;
        self.too_long += u64::from(read.is_too_long());
    }

    /// The sum with other counts.
    pub fn plus(self, other: Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            bases: self.bases + other.bases,
            aligned: self.aligned + other.aligned,
            alignments: self.alignments + other.alignments,
            too_long: self.too_long + other.too_long,
        }
    }
}

/// A batch of reads, or a slice of one, between two stages.
pub(super) struct BatchState<T> {
    /// The batch's number, from 0.
    number: usize,
    /// The number of the lane that the reads are of, from 0.
    pub(super) lane: usize,
    pub(super) reads: ReadSlice,
    /// The result of the last stage for these reads.
    pub(super) state: T,
}

impl<T> BatchState<T> {
    /// The batch with another state.
    pub(super) fn map<U>(self, next: impl FnOnce(T) -> U) -> BatchState<U> {
        let Self { number, lane, reads, state } = self;
        BatchState { number, lane, reads, state: next(state) }
    }
}

/// More reads than any batch has; an even number.
const MOST_READS: usize = 1 << 32;

/// Whether a search gives up if it finds too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// It gives up when its results would take too much memory.
    Memory,
    /// It finds everything.
    None,
}

/// Receives the parts of a batch, in order.
pub(super) type PassOn<'p> = dyn FnMut(FormattedPart) -> Wanted + 'p;

/// The records of a part of a batch.
pub(super) struct FormattedPart {
    /// The batch's number, from 0.
    number: usize,
    /// The unit of the input that the batch is of.
    unit: Unit,
    pieces: Vec<Piece>,
    totals: MappingTotals,
}

/// Builds the stages that both modes have, each on its own thread.
#[derive(Debug, Clone, Copy)]
pub struct StageBuilder<'a> {
    /// The lanes that reads are of.
    pub lanes: &'a Lanes,
    /// Whether CIGARs have `=` and `X` instead of `M`.
    pub eqx: bool,
    /// Whether templates without a mapped read are left out of the file.
    pub no_unmapped: bool,
    /// The form of the pieces that are made.
    pub form: PieceForm,
    pub timeline: &'a Timeline,
    pub console: &'a Console,
    /// How far reading has come.
    pub progress: &'a InputProgress,
}

impl<'a> StageBuilder<'a> {
    /// The first stage: checks the reads of each batch, and prepares them with `work`.
    pub(super) fn prepare<'s, T: Send + 's>(
        self,
        scope: &'s Scope<'s, '_>,
        batches: impl IntoIterator<Item = ReadBatch, IntoIter: Send> + 's,
        work: impl Fn(&ReadSlice) -> Result<T> + Send + 's,
    ) -> Receiver<Result<BatchState<T>>>
    where
        'a: 's,
    {
        let mut numbers = 0..;
        stage(scope, batches.into_iter().map(Ok), move |batch: ReadBatch| {
            let number = numbers.next().unwrap_or_default();
            self.timeline.add(Step::Read, number.to_string(), batch.begin, batch.end);
            self.timeline.time(Step::Prepare, number.to_string(), || {
                let lane = batch.lane;
                let reads = ReadSlice::all(batch.checked()?);
                Ok(BatchState { number, lane, state: work(&reads)?, reads })
            })
        })
    }

    /// The stage that searches for prepared reads. A search that would find too much gives `None`; then the reads, which
    /// `prepare` prepares again, are searched for in slices of fewer, down to the `together` reads of a template. `search`
    /// is told whether it may give `None`. The results do not depend on the slices.
    pub(super) fn search<'s, P: Send + 's, O: Send + 's>(
        self,
        scope: &'s Scope<'s, '_>,
        prepared: impl IntoIterator<Item = Result<BatchState<P>>> + Send + 's,
        together: usize,
        prepare: impl Fn(&ReadSlice) -> Result<P> + Send + 's,
        search: impl Fn(P, Bound) -> Result<Option<O>> + Send + 's,
    ) -> Receiver<Result<BatchState<O>>>
    where
        'a: 's,
    {
        // Reads that have few enough results, going by the slices before.
        let mut wanted = MOST_READS;
        stage_of_parts(scope, prepared, move |batch: BatchState<P>, pass_on| {
            let BatchState { number, lane, reads: mut left, state } = batch;
            let mut ready = (left.len() <= wanted).then_some(state);
            while !left.is_empty() {
                let reads = left.first(wanted);
                let is_smallest = reads.len() <= together;
                let found = self.timeline.time(Step::Search, number.to_string(), || {
                    let state = ready.take().map_or_else(|| prepare(&reads), Ok)?;
                    search(state, if is_smallest { Bound::None } else { Bound::Memory })
                })?;
                let Some(state) = found else {
                    ensure!(!is_smallest, "a search without a bound gave up");
                    wanted = (reads.len() / 2).next_multiple_of(together);
                    continue;
                };
                left.skip(reads.len());
                wanted = (wanted + wanted / 4 + 1).next_multiple_of(together).min(MOST_READS);
                if pass_on(BatchState { number, lane, reads, state }) == Wanted::Nothing {
                    break;
                }
            }
            Ok(())
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
            let BatchState { number, lane, reads, state } = batch;
            let state = self.timeline.time(step, number.to_string(), || work(state))?;
            Ok(BatchState { number, lane, reads, state })
        })
    }

    /// The stage that makes records: `found` turns the state of a batch into its alignments, and `format` makes the
    /// records and passes them on in parts. The memory of reads goes back to `used`.
    pub(super) fn format<'s, T: Send + 's, F: 's>(
        scope: &'s Scope<'s, '_>,
        batches: impl IntoIterator<Item = Result<BatchState<T>>> + Send + 's,
        used: Sender<Reads>,
        found: impl Fn(T) -> F + Send + 's,
        format: impl Fn(&BatchState<F>, &mut PassOn<'_>) -> Result<()> + Send + 's,
    ) -> Receiver<Result<FormattedPart>> {
        stage_of_parts(scope, batches, move |batch: BatchState<T>, pass_on| {
            let batch = batch.map(&found);
            format(&batch, pass_on)?;
            let BatchState { reads, state, .. } = batch;
            drop(state);
            if let Some(reads) = reads.into_last() {
                // Sending fails once all reads are read, when their memory is not needed any more.
                let _ = used.send(reads);
            }
            Ok(())
        })
    }

    /// Makes the records of a part of a batch, timed as a step.
    pub(super) fn part<T>(
        self,
        batch: &BatchState<T>,
        make: impl FnOnce() -> Result<FormattedPart>,
    ) -> Result<FormattedPart> {
        self.timeline.time(Step::Format, batch.number.to_string(), make)
    }

    /// Makes the records of a part of a batch in parallel: the part is a range of reads, or of loci of one read, and a
    /// task of the pool takes `each` of them. Each thread has a formatter of `formatter`, with which `make` writes the
    /// records of a range to a piece.
    pub(super) fn records<T, M>(
        self,
        batch: &BatchState<T>,
        (part, each): (&Range<usize>, usize),
        pool: &PiecePool,
        formatter: impl Fn() -> M + Sync + Send,
        make: impl Fn(&mut M, Range<usize>, &mut Piece, &mut MappingTotals) -> Result<()> + Sync + Send,
    ) -> Result<FormattedPart> {
        let of_task = |formatter: &mut M, first: usize| {
            let mut piece = Piece::new(self.form, pool);
            let mut totals = MappingTotals::default();
            make(formatter, first..part.end.min(first + each), &mut piece, &mut totals)?;
            Ok((piece, totals))
        };
        let made: Vec<(Piece, MappingTotals)> = (0..part.len().div_ceil(each))
            .into_par_iter()
            .map(|task| part.start + task * each)
            .map_init(formatter, of_task)
            .collect::<Result<_>>()?;
        let (pieces, totals): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let totals = totals.into_iter().fold(MappingTotals::default(), MappingTotals::plus);
        Ok(FormattedPart { number: batch.number, unit: batch.reads.unit(), pieces, totals })
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
            let FormattedPart { number, unit, mut pieces, totals: of_part } = part?;
            let write = || output.write(unit, &mut pieces);
            self.timeline.time(Step::Write, number.to_string(), write)?;
            for piece in pieces {
                pool.put(piece);
            }
            totals = totals.plus(of_part);
            self.console.advance(of_part.reads, self.progress.expected_reads());
        }
        Ok(totals)
    }

    /// Closes the file, which can be committed then.
    pub(super) fn close(self, output: Output) -> Result<WrittenFile> {
        self.console.start(if output.is_sorted() {
            "writing sorted records"
        } else {
            "closing the file"
        });
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
pub(super) enum Wanted {
    More,
    Nothing,
}
