//! The steps that the pipelines of both modes consist of, and how batches pass through them.
//!
//! The batches of the reader wait in a queue ([`WorkQueue`](crate::workers::WorkQueue)). Each device has a few threads that
//! pull from it. A thread does all steps of a batch one after the other, so that while one thread has the device, the others
//! prepare, rank or format batches: on the pool of all threads, or in mode best each by itself
//! ([`WorkerThreads`](crate::workers::WorkerThreads)). The results come out in the order of the input, and the thread that
//! writes takes them. In mode best there are two such queues, since mates are rescued when the library of their lane is known.
//! An error comes out as results do, so that the first error in the input is reported. A thread of the pool of all threads waits for
//! nothing but its turn to copy records to a GPU ([`Piece::move_to_gpu`]), or the thread that prepares the first of these copies;
//! neither waits for another thread.
//!
//! Batches are bounded by their reads, but the results of a batch are not: a read of a repeat may have a million loci. So a
//! search that finds too much is given up, and the batch goes on in slices of fewer reads ([`StageBuilder::search`]).
//! Records are many times larger than the alignments that they are made of, so they are written in parts. With `W` for the
//! threads of all devices that pull batches, `R` for the bytes of a batch of reads, `S` for the results of a slice and `P` for
//! the records of a part, the memory of a run is at most
//!
//! ```text
//!   index  +  (W + 8) x R  +  (2 x W + 4) x S  +  (W + 3) x P  +  threads x T
//!
//!   W   mode best: up to 3 for each thread of the CPU, up to 29 for each GPU; mode all: 4 for each device
//!   R   64 MiB of text, and as much for both strands of the reads, encoded
//!   S   mode all: 256 MiB; mode best: 2^20 chains, about 300 MiB, on the CPU a fourth; but a single read, or pair, may have
//!       more: in mode all 2 bytes for each base of the reference and 16 for each locus
//!   P   mode all: about 64 MiB; mode best: the records of a slice, or of 4 parts of 2^16 reads
//!   T   working memory of a thread: in mode all, a byte for each base of the reference and the loci of a read
//! ```
//!
//! Most batches have one slice, whose results take far less than `S`.

use std::ops::Range;
use std::sync::mpsc::{Receiver, Sender};

use aligner_core::buffer_pool::Taken;
use anyhow::{Result, ensure};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::lanes::Lanes;
use super::mapping_device::{MappingDevice, SearchTurn};
use crate::console::Console;
use crate::input::{InputProgress, Read, ReadBatch, ReadSlice, Reads};
use crate::output::{Output, Piece, PieceForm, PiecePool, WrittenFile};
use crate::shard::Unit;
use crate::timeline::{Step, Timeline};
use crate::workers::{self, Wanted};

/// Reads whose records one task of the pool makes.
pub(super) const TASK_READS: usize = 256;

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

/// How many reads a thread searches for together, going by what it found before.
#[derive(Debug, Clone, Copy)]
pub(super) struct SliceSize(usize);

impl SliceSize {
    /// As many reads as a batch has.
    pub(super) const WHOLE: Self = Self(MOST_READS);

    /// Fewer reads, after a search for so many found too much. It is a multiple of `together`.
    fn shrink(&mut self, reads: usize, together: usize) {
        self.0 = (reads / 2).next_multiple_of(together);
    }

    /// More reads, after a search that did not find too much.
    fn grow(&mut self, together: usize) {
        self.0 = (self.0 + self.0 / 4 + 1).next_multiple_of(together).min(MOST_READS);
    }
}

/// Whether a search gives up if it finds too much.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bound {
    /// It gives up when its results would take too much memory.
    Memory,
    /// It finds everything.
    None,
}

/// Receives the formatted parts of a batch, in order.
pub(super) type PassOn<'p> = workers::PassOn<'p, FormattedPart>;

/// A batch with its number, from 0.
pub(super) type NumberedBatch = (usize, ReadBatch);

/// The records of a part of a batch.
pub(super) struct FormattedPart {
    /// The batch's number, from 0.
    number: usize,
    /// The unit of the input that the batch is of.
    unit: Unit,
    pieces: Vec<Piece>,
    totals: MappingTotals,
}

/// A device that has searched, and the thread of the CPU that was waited for, if there was one.
pub(super) type OnDevice<'a, M> = (&'a MappingDevice<M>, Option<Taken<'a, ()>>);

/// The steps that both modes have.
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

impl StageBuilder<'_> {
    /// The first step: finds and checks the reads of a batch, and prepares them with `work`.
    pub(super) fn prepare<T>(
        self,
        (number, batch): NumberedBatch,
        work: impl Fn(&ReadSlice) -> Result<T>,
    ) -> Result<BatchState<T>> {
        self.timeline.add(Step::Read, number.to_string(), batch.begin, batch.end);
        self.timeline.time(Step::Prepare, number.to_string(), || {
            let lane = batch.lane;
            let reads = ReadSlice::all(batch.checked()?);
            Ok(BatchState { number, lane, state: work(&reads)?, reads })
        })
    }

    /// Searches for prepared reads. A search that would find too much gives `None`; then the reads, which `prepare` prepares
    /// again, are searched for in slices of fewer, down to the reads of a template. `search` is told whether it may give
    /// `None`, and which device has its turn: this one, or the one that has taken its place. `go_on` takes the batch, or its slices
    /// in order, and with each that device and the thread of the CPU that was waited for, if there was one. The results depend
    /// neither on the slices nor on the device.
    pub(super) fn search<M, P, O>(
        self,
        (device, size): (&MappingDevice<M>, &mut SliceSize),
        batch: BatchState<P>,
        prepare: impl Fn(&ReadSlice) -> Result<P>,
        search: impl Fn(&MappingDevice<M>, P, Bound) -> Result<Option<O>>,
        mut go_on: impl FnMut(OnDevice<'_, M>, BatchState<O>) -> Result<Wanted>,
    ) -> Result<()> {
        let together = self.lanes.most_together();
        let BatchState { number, lane, reads, state } = batch;
        let mut ready = (reads.len() <= size.0).then_some(state);
        let mut left = Some(reads).filter(|reads| !reads.is_empty());
        while let Some(mut rest) = left.take() {
            let reads = rest.first(size.0);
            let is_smallest = reads.len() <= together;
            let again =
                || self.timeline.time(Step::Prepare, number.to_string(), || prepare(&reads));
            let state = ready.take().map_or_else(again, Ok)?;
            let bound = if is_smallest { Bound::None } else { Bound::Memory };
            let SearchTurn { device, core, search: turn } = device.turn_to_search();
            let search = || search(device, state, bound);
            let found = self.timeline.time(Step::Search, number.to_string(), search)?;
            drop(turn);
            let Some(state) = found else {
                ensure!(!is_smallest, "a search without a bound gave up");
                size.shrink(reads.len(), together);
                left = Some(rest);
                continue;
            };
            size.grow(together);
            device.count(&reads);
            rest.skip(reads.len());
            // Who has the last slice can give the memory of the reads back.
            left = Some(rest).filter(|rest| !rest.is_empty());
            let found = BatchState { number, lane, reads, state };
            if go_on((device, core), found)? == Wanted::Nothing {
                break;
            }
        }
        Ok(())
    }

    /// Turns the state of a batch into the next with `work`, timed as `step`.
    pub(super) fn step<I, O>(
        self,
        step: Step,
        batch: BatchState<I>,
        work: impl FnOnce(I) -> O,
    ) -> BatchState<O> {
        let BatchState { number, lane, reads, state } = batch;
        let state = self.timeline.time(step, number.to_string(), || work(state));
        BatchState { number, lane, reads, state }
    }

    /// Ends a batch whose records are made: the memory of its reads goes back to `used`.
    pub(super) fn end<T>(batch: BatchState<T>, used: &Sender<Reads>) {
        if let Some(reads) = batch.reads.into_last() {
            // Sending fails once all reads are read, when their memory is not needed any more.
            let _ = used.send(reads);
        }
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
            piece.move_to_gpu(pool);
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
            let FormattedPart { number, unit, pieces, totals: of_part } = part?;
            let write = || output.write(unit, pieces, pool);
            self.timeline.time(Step::Write, number.to_string(), write)?;
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
