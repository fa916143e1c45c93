//! The pipeline of mode best.
//!
//! ```text
//!               .-- threads of each device -------------------.
//!   read --> queue --> prepare, search, plan, align, rank --> library, in order
//!                                                                |
//!                       .-- threads of each device --.           |
//!   write, in order <-- rescue, pair, format <---- queue <-------'
//! ```
//!
//! Of each lane, the batches with the first [`SAMPLE`] pairs (fewer if these have more than [`SAMPLE_BASES`]) wait before the
//! rescue of mates, until the insert sizes of the lane's library are estimated from them. So the estimate depends neither on
//! the size of batches nor on other lanes. A shard maps the first pairs of other shards, too, for the estimate alone. If their
//! regions are too many to wait in memory, the reads wait alone, and are mapped again.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;

use aligner_core::buffer_pool::Taken;
use anyhow::Result;
use rayon::prelude::*;
use seed_extend::pair::insert_size::SAMPLE;
use seed_extend::read::queries::Queries;
use seed_extend::{Library, LibrarySample, MappedReads, Mapper, RankedReads, tie_breaker};

use super::devices::Devices;
use super::mapping_device::MappingDevice;
use super::stages::{
    BatchState, Bound, FormattedPart, MappingTotals, NumberedBatch, PassOn, SliceSize,
    StageBuilder, TASK_READS,
};
use crate::input::{BatchUse, Batches, ReadSlice, Reads};
use crate::output::record::best::{BestRecordFormatter, RecordStyle};
use crate::output::{Output, PiecePool, WrittenFile};
use crate::timeline::Step;
use crate::workers::{self, Wanted, WorkQueue, WorkerThreads};

/// Numbers of the threads of a device that do the steps of mode best.
#[derive(Debug, Clone, Copy)]
struct DeviceThreads {
    /// Each does the steps of a batch up to its ranked regions: while some search and align on the device, the others prepare,
    /// plan and rank on the pool.
    ranking: usize,
    /// Each does the steps of a batch from there on: while some rescue mates on the device, the others choose pairs and make
    /// records on the pool.
    pairing: usize,
    /// The threads on which each runs its parallel steps.
    threads: WorkerThreads,
}

impl DeviceThreads {
    /// With a GPU and few threads, these share all steps, and those that wait for the GPU or for them are more.
    const FEW_WITH_GPU: Self = Self { ranking: 8, pairing: 6, threads: WorkerThreads::Shared };

    /// The least share of threads of which each does its batch alone.
    const LEAST_ALONE: usize = 8;

    /// On the CPU, more workers find regions than there are threads, by up to so many: enough that none waits for a batch before
    /// its own.
    const MOST_SPARE: usize = 16;

    /// A GPU keeps no more threads busy; and each has a batch in memory.
    const MOST_RANKING: usize = 16;
    const MOST_PAIRING: usize = 13;

    /// Each does its batch alone. Where all threads shared the steps of each batch, they spent a fifth of their time looking for
    /// parts of one; and those of several GPUs, most of it.
    ///
    /// On the CPU there are more workers than threads, since some wait for others; no more than these work at a time. With a
    /// GPU, there are about as many as its share of the processor's threads, and more, since some wait for the GPU.
    fn of<M>(device: &MappingDevice<M>) -> Self {
        if device.is_cpu() {
            let (threads, spare) = (device.threads, device.threads.min(Self::MOST_SPARE));
            return Self {
                ranking: threads + spare,
                pairing: threads.div_ceil(2).max(spare),
                threads: WorkerThreads::Own,
            };
        }
        if device.threads < Self::LEAST_ALONE {
            return Self::FEW_WITH_GPU;
        }
        Self {
            ranking: (3 * device.threads / 4).min(Self::MOST_RANKING),
            pairing: (5 * device.threads / 8).min(Self::MOST_PAIRING),
            threads: WorkerThreads::Own,
        }
    }
}

/// Reads whose records one task of the pool makes, at most, if these will be sorted: the piece of each record is looked up then, so
/// there should be few. Records of 4,096 reads of 150 bases have 1.4 MB, which go to a GPU in one copy.
const SORTED_READS: usize = 4096;

/// Reads whose records are written together, at most: those of a batch of the usual size, which a GPU compresses in as few launches
/// as it can. Launches of fewer blocks leave more of it idle.
const PART_READS: usize = 1 << 16;

/// While a name is hashed, that of the template so many behind it is fetched: names are far from each other in memory.
const NAMES_AHEAD: usize = 8;

/// Formatted parts of a batch that wait for their turn to be written, so that several batches are formatted at a time.
const PARTS_AHEAD: usize = 3;

/// Chains of the reads that are mapped together, at most. A read has up to 500, most have a few.
const MAX_CHAINS: usize = 1 << 20;

/// As many on the CPU, where each thread maps some.
const MAX_CHAINS_ON_CPU: usize = 1 << 18;

/// The pairs that a library is estimated from have about so many bases at most.
const SAMPLE_BASES: usize = 1 << 27;

/// A run of mode best.
#[derive(Debug)]
pub struct BestPipeline<'a> {
    /// A mapper for all that does not depend on the device.
    pub mapper: &'a Mapper,
    pub devices: &'a Devices<Mapper>,
    /// The seed that decides, together with a read's name, between equally good loci.
    pub seed: u64,
    /// How records are written.
    pub style: RecordStyle<'a>,
    /// The library of the pairs of all lanes, if it is known beforehand.
    pub library: Option<Library>,
    pub stages: StageBuilder<'a>,
}

impl BestPipeline<'_> {
    /// Maps all batches, and writes and closes the output file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(MappingTotals, WrittenFile)> {
        let Self { devices, stages, .. } = *self;
        let pool = &output.piece_pool();
        let totals = thread::scope(|scope| {
            let batches = input.batches.into_iter().enumerate().map(Ok);
            let (to_rank, ranked) = WorkQueue::new(scope, batches, 0);
            let ranked = self.with_library(ranked);
            let (to_pair, formatted) = WorkQueue::new(scope, ranked, PARTS_AHEAD);
            let used = input.used;
            let _joining = devices.work(scope, stages.console, move |device| {
                let threads = DeviceThreads::of(device);
                for _ in 0..threads.ranking {
                    let device = Arc::clone(device);
                    let (mut size, is_retired) = (SliceSize::WHOLE, device.retirement());
                    to_rank.add_worker(
                        scope,
                        threads.threads,
                        is_retired,
                        move |batch, pass_on| self.rank((&device, &mut size), batch, pass_on),
                    );
                }
                for _ in 0..threads.pairing {
                    let (device, used) = (Arc::clone(device), used.clone());
                    let is_retired = device.retirement();
                    to_pair.add_worker(
                        scope,
                        threads.threads,
                        is_retired,
                        move |batch, pass_on| self.pair(&device, batch, (pool, &used), pass_on),
                    );
                }
            });
            stages.write(formatted, &mut output, pool)
        })?;
        Ok((totals, stages.close(output)?))
    }

    /// The queries of a batch of reads of a lane, and for each read the number that decides between equally good loci.
    fn prepare(&self, reads: &ReadSlice, lane: usize) -> (Queries, Vec<u64>) {
        let mut letters = Vec::new();
        let numbers = (0..reads.len()).into_par_iter().with_min_len(TASK_READS);
        numbers.map(|number| reads.alignable(number)).collect_into_vec(&mut letters);
        // Reads of one pair have one name.
        let step = self.stages.lanes.together(lane);
        let mut tie_breakers = vec![0; reads.len()];
        let templates = tie_breakers.par_chunks_mut(step).with_min_len(TASK_READS / step);
        templates.enumerate().for_each(|(template, of_template)| {
            reads.prefetch_name((template + NAMES_AHEAD) * step);
            of_template.fill(tie_breaker(reads.name(template * step), self.seed));
        });
        (self.mapper.encode_reads(letters), tie_breakers)
    }

    /// Finds and ranks the regions of a batch on a device.
    fn rank(
        &self,
        (device, size): (&MappingDevice<Mapper>, &mut SliceSize),
        batch: NumberedBatch,
        pass_on: &mut workers::PassOn<'_, BatchState<RankedReads>>,
    ) -> Result<()> {
        let (stages, lane) = (self.stages, batch.1.lane);
        let prepare = |reads: &ReadSlice| Ok(self.prepare(reads, lane));
        // The workers of the CPU are many, also where they search on a GPU that has joined.
        let is_cpu = device.is_cpu();
        let search = |device: &MappingDevice<Mapper>, (queries, tie_breakers), bound| {
            let most = match bound {
                Bound::Memory if is_cpu => MAX_CHAINS_ON_CPU,
                Bound::Memory => MAX_CHAINS,
                Bound::None => usize::MAX,
            };
            Ok(device.mapper.find_few_chains(queries, tie_breakers, most))
        };
        let prepared = stages.prepare(batch, prepare)?;
        stages.search((device, size), prepared, prepare, search, |(device, core), chained| {
            let mapper = &*device.mapper;
            let planned = stages.step(Step::Plan, chained, |it| mapper.plan_alignments(it));
            let turn = device.align.take();
            let aligned = stages.step(Step::Align, planned, |it| mapper.align(it));
            drop(turn);
            let ranked = stages.step(Step::Rank, aligned, |it| mapper.rank(it));
            drop(core);
            Ok(pass_on(ranked))
        })
    }

    /// Decides on a device which alignments of each read of a batch are reported, and makes its records.
    fn pair(
        &self,
        device: &MappingDevice<Mapper>,
        LibraryBatch { batch, library }: LibraryBatch,
        (pool, used): (&PiecePool, &Sender<Reads>),
        pass_on: &mut PassOn<'_>,
    ) -> Result<()> {
        let (stages, mapper) = (self.stages, &*device.mapper);
        let core = device.core();
        let ranked = match batch {
            WaitingBatch::Ranked(batch) => batch,
            WaitingBatch::SetAside(mut batch) => {
                (batch.state.queries, _) = self.prepare(&batch.reads, batch.lane);
                batch
            }
            WaitingBatch::Unmapped(batch) => {
                let (queries, tie_breakers) = self.prepare(&batch.reads, batch.lane);
                let ranked = mapper.find_regions(queries, tie_breakers);
                batch.map(|()| ranked)
            }
        };
        let mapped = match library {
            Some(library) => {
                let rescued =
                    stages.step(Step::Rescue, ranked, |it| mapper.rescue_mates(it, &library));
                stages.step(Step::Pair, rescued, |it| mapper.resolve_pairs(it))
            }
            None => stages.step(Step::Pair, ranked, |it| mapper.resolve_unpaired(it)),
        };
        self.format((device, core), &mapped, pool, pass_on)?;
        StageBuilder::end(mapped, used);
        Ok(())
    }

    /// The batches, each with the library of its lane, once that is estimated.
    fn with_library(&self, ranked: Receiver<Result<BatchState<RankedReads>>>) -> WithLibrary<'_> {
        let waiting = VecDeque::new();
        WithLibrary { pipeline: self, ranked, waiting, next: None, library: None }
    }

    /// Makes the records of a batch in parts, the first on this thread of the CPU.
    fn format(
        &self,
        (device, mut core): (&MappingDevice<Mapper>, Option<Taken<'_, ()>>),
        batch: &BatchState<MappedReads>,
        pool: &PiecePool,
        pass_on: &mut PassOn<'_>,
    ) -> Result<()> {
        let end = batch.reads.len();
        for first in (0..end).step_by(PART_READS) {
            let part = first..end.min(first + PART_READS);
            let of_part = core.take().or_else(|| device.core());
            let made = self.stages.part(batch, || self.records(batch, &part, pool))?;
            drop(of_part);
            if pass_on(made) == Wanted::Nothing {
                break;
            }
        }
        Ok(())
    }

    /// Makes the records of a part of a batch.
    fn records(
        &self,
        batch: &BatchState<MappedReads>,
        part: &Range<usize>,
        pool: &PiecePool,
    ) -> Result<FormattedPart> {
        let Self { mapper, stages, style, .. } = *self;
        let (reference, segments) = (mapper.index().reference(), mapper.segments());
        let lanes = stages.lanes;
        let groups = lanes.groups();
        let formatter = || BestRecordFormatter::new(reference, segments, groups, style);
        let step = lanes.together(batch.lane);
        let each = if stages.form.is_sorted() {
            let tasks = 4 * rayon::current_num_threads();
            (part.len() / tasks).clamp(TASK_READS, SORTED_READS).next_multiple_of(step)
        } else {
            TASK_READS
        };
        stages.records(batch, (part, each), pool, formatter, |formatter, reads, piece, totals| {
            for first in reads.step_by(step) {
                // The records of these reads give the next ones time to arrive.
                (first + step..first + 2 * step).for_each(|next| batch.reads.prefetch(next));
                let one = batch.reads.get(first);
                let two = (step == 2).then(|| batch.reads.get(first + 1));
                let two = two.filter(|mate| !mate.is_absent());
                let both = [one, two.unwrap_or(one)];
                let together = &both[..=usize::from(two.is_some())];
                piece.begin_template(one.group);
                let mut is_written = !stages.no_unmapped;
                for (read, number) in together.iter().zip(first..) {
                    let is_aligned = batch.state.primaries[number].is_some();
                    totals.count(*read);
                    totals.aligned += u64::from(is_aligned);
                    is_written |= is_aligned;
                }
                formatter.records(together, &batch.state, first, |record| {
                    totals.alignments += u64::from(!record.cigar.is_empty());
                    piece.push_if(is_written, record, reference);
                });
            }
            Ok(())
        })
    }
}

/// A batch with the library of its lane.
struct LibraryBatch {
    batch: WaitingBatch,
    /// `None` if the lane has no pairs.
    library: Option<Library>,
}

/// Batches with the library of their lane, which is estimated from the first ones unless it is known beforehand; these wait
/// until then.
struct WithLibrary<'p> {
    pipeline: &'p BestPipeline<'p>,
    ranked: Receiver<Result<BatchState<RankedReads>>>,
    /// Batches that the library was estimated from.
    waiting: VecDeque<WaitingBatch>,
    /// What was received after the waiting batches: a batch of the next lane, or an error.
    next: Option<Result<BatchState<RankedReads>>>,
    library: Option<LaneLibrary>,
}

/// The library of a lane.
#[derive(Debug, Clone, Copy)]
struct LaneLibrary {
    lane: usize,
    /// `None` if the lane has no pairs.
    library: Option<Library>,
}

/// A batch that waits for the library, or has waited.
enum WaitingBatch {
    /// A batch that did not wait.
    Ranked(BatchState<RankedReads>),
    /// A batch without its queries.
    SetAside(BatchState<RankedReads>),
    /// A batch whose regions would have taken too much memory; it is mapped again.
    Unmapped(BatchState<()>),
}

impl WithLibrary<'_> {
    /// The next batch that does not wait.
    fn receive(&mut self) -> Option<Result<BatchState<RankedReads>>> {
        self.next.take().or_else(|| self.ranked.recv().ok())
    }

    /// Estimates the library from the first [`SAMPLE`] pairs of a lane, whose batches are the next ones; from all if there are
    /// fewer or they are very long.
    fn estimate(&mut self, lane: usize) -> Library {
        let mapper = self.pipeline.mapper;
        let (mut sample, mut missing) = (LibrarySample::default(), SAMPLE);
        let (mut bases, mut regions) = (0, 0);
        while missing > 0 && bases < SAMPLE_BASES {
            let mut batch = match self.receive() {
                Some(Ok(batch)) if batch.lane == lane => batch,
                other => {
                    self.next = other;
                    break;
                }
            };
            let mut pairs = 0;
            while pairs < missing.min(batch.reads.len() / 2) && bases < SAMPLE_BASES {
                let mates = [2 * pairs, 2 * pairs + 1].map(|read| batch.reads.get(read));
                bases += mates.iter().map(|read| read.alignable().len()).sum::<usize>();
                pairs += 1;
            }
            mapper.sample_pairs(&batch.state, &mut sample, pairs);
            missing -= pairs;
            if batch.reads.batch_use() == BatchUse::Sample {
                continue;
            }
            regions += batch.state.regions.count();
            self.waiting.push_back(if regions > MAX_CHAINS {
                WaitingBatch::Unmapped(batch.map(drop))
            } else {
                mapper.set_aside(&mut batch.state);
                WaitingBatch::SetAside(batch)
            });
        }
        sample.library()
    }
}

impl Iterator for WithLibrary<'_> {
    type Item = Result<LibraryBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.waiting.is_empty() {
                self.next = self.receive();
                let lane = self.next.as_ref()?.as_ref().ok().map(|batch| batch.lane);
                let is_known = |lane| self.library.is_some_and(|library| library.lane == lane);
                if let Some(lane) = lane.filter(|&lane| !is_known(lane)) {
                    let is_paired = self.pipeline.stages.lanes.together(lane) == 2;
                    let given = self.pipeline.library;
                    let library = is_paired.then(|| given.unwrap_or_else(|| self.estimate(lane)));
                    self.library = Some(LaneLibrary { lane, library });
                    // None of its batches may wait, if all are of other shards.
                    continue;
                }
            }
            let library = self.library.and_then(|it| it.library);
            let batch = match self.waiting.pop_front() {
                Some(waiting) => Ok(waiting),
                None => match self.receive()? {
                    Ok(batch) if batch.reads.batch_use() == BatchUse::Sample => continue,
                    received => received.map(WaitingBatch::Ranked),
                },
            };
            return Some(batch.map(|batch| LibraryBatch { batch, library }));
        }
    }
}
