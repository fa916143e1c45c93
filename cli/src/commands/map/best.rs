//! The pipeline of mode best; each stage has its own thread.
//!
//! ```text
//!   read --> prepare --> search --> plan --> align --> rank --> [library] --> rescue --> pair --> format --> write
//! ```
//!
//! Of each lane, the batches with the first [`SAMPLE`] pairs (fewer if these have more than [`SAMPLE_BASES`]) wait before the
//! rescue of mates, until the insert sizes of the lane's library are estimated from them. So the estimate depends neither on
//! the size of batches nor on other lanes. A shard maps the first pairs of other shards, too, for the estimate alone. If their regions are too many to wait in memory, the reads wait alone, and are mapped again.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::mpsc::Receiver;
use std::thread;

use anyhow::Result;
use seed_extend::pair::insert_size::SAMPLE;
use seed_extend::read::queries::Queries;
use seed_extend::{
    Library, LibrarySample, MappedReads, Mapper, RankedReads, RescuedReads, tie_breaker,
};

use super::stages::{
    BatchState, Bound, FormattedPart, MappingTotals, PART_READS, PassOn, StageBuilder, TASK_READS,
    Wanted,
};
use crate::input::{BatchUse, Batches, Read, ReadSlice};
use crate::output::record::best::{BestRecordFormatter, RecordStyle};
use crate::output::{Output, PiecePool, WrittenFile};
use crate::timeline::Step;

/// Chains of the reads that are mapped together, at most. A read has up to 500, most have a few.
const MAX_CHAINS: usize = 1 << 20;

/// The pairs that a library is estimated from have about so many bases at most.
const SAMPLE_BASES: usize = 1 << 27;

/// A run of mode best.
#[derive(Debug)]
pub struct BestPipeline<'a> {
    pub mapper: &'a Mapper<'a>,
    /// The seed that decides, together with a read's name, between equally good loci.
    pub seed: u64,
    /// How records are written.
    pub style: RecordStyle<'a>,
    /// The library of the pairs of all lanes, if it is known beforehand.
    pub library: Option<Library>,
    pub stages: StageBuilder<'a>,
}

impl<'a> BestPipeline<'a> {
    /// Maps all batches, and writes and closes the output file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(MappingTotals, WrittenFile)> {
        let Self { mapper, stages, .. } = *self;
        let pool = PiecePool::default();
        let totals = thread::scope(|scope| {
            let together = stages.lanes.most_together();
            let prepare = |reads: &ReadSlice| Ok(self.prepare(reads));
            let prepared = stages.prepare(scope, input.batches, prepare);
            let find = |(queries, tie_breakers), bound| {
                let most = if bound == Bound::Memory { MAX_CHAINS } else { usize::MAX };
                Ok(mapper.find_few_chains(queries, tie_breakers, most)?)
            };
            let chained = stages.search(scope, prepared, together, prepare, find);
            let planned =
                stages.step(scope, Step::Plan, chained, |it| Ok(mapper.plan_alignments(it)));
            let aligned = stages.step(scope, Step::Align, planned, |it| Ok(mapper.align(it)));
            let ranked = stages.step(scope, Step::Rank, aligned, |it| Ok(mapper.rank(it)));
            let rescue = |ranked| Ok(self.rescue(ranked));
            let rescued = stages.step(scope, Step::Rescue, self.with_library(ranked), rescue);
            let resolve = |batch| Ok(self.resolve(batch));
            let resolved = stages.step(scope, Step::Pair, rescued, resolve);
            let format = |batch: &BatchState<MappedReads>, pass_on: &mut PassOn<'_>| {
                self.format(batch, &pool, pass_on)
            };
            let unchanged = |reads| reads;
            let formatted = StageBuilder::format(scope, resolved, input.used, unchanged, format);
            stages.write(formatted, &mut output, &pool)
        })?;
        Ok((totals, stages.close(output)?))
    }

    /// The queries of a batch of reads, and for each read the number that decides between equally good loci.
    fn prepare(&self, reads: &ReadSlice) -> (Queries, Vec<u64>) {
        let queries = self.mapper.encode_reads(reads.iter().map(|read| read.alignable()));
        (queries, reads.iter().map(|read| tie_breaker(read.name, self.seed)).collect())
    }

    /// Looks for mates that were not found, if reads are paired and so have a library.
    fn rescue(&self, (ranked, library): (RankedReads, Option<Library>)) -> RankedBatch {
        match library {
            Some(library) => {
                RankedBatch::Pairs(Box::new(self.mapper.rescue_mates(ranked, &library)))
            }
            None => RankedBatch::Single(ranked),
        }
    }

    /// Decides which alignments of each read are reported.
    fn resolve(&self, batch: RankedBatch) -> MappedReads {
        match batch {
            RankedBatch::Pairs(rescued) => self.mapper.resolve_pairs(*rescued),
            RankedBatch::Single(ranked) => self.mapper.resolve_unpaired(ranked),
        }
    }

    /// The batches, each with the library of its lane, once that is estimated.
    fn with_library(
        &self,
        ranked: Receiver<Result<BatchState<RankedReads>>>,
    ) -> WithLibrary<'_, 'a> {
        let waiting = VecDeque::new();
        WithLibrary { pipeline: self, ranked, waiting, next: None, library: None }
    }

    /// Makes the records of a batch in parts.
    fn format(
        &self,
        batch: &BatchState<MappedReads>,
        pool: &PiecePool,
        pass_on: &mut PassOn<'_>,
    ) -> Result<()> {
        let end = batch.reads.len();
        for first in (0..end).step_by(PART_READS) {
            let part = first..end.min(first + PART_READS);
            if pass_on(self.stages.part(batch, || self.records(batch, &part, pool))?)
                == Wanted::Nothing
            {
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
        let (step, part) = (lanes.together(batch.lane), (part, TASK_READS));
        stages.records(batch, part, pool, formatter, |formatter, reads, piece, totals| {
            for first in reads.step_by(step) {
                piece.begin_template(batch.reads.get(first).group);
                let all = (first..first + step).map(|number| batch.reads.get(number));
                let together: Vec<Read<'_>> = all.filter(|read| !read.is_absent()).collect();
                let mut is_written = !stages.no_unmapped;
                for (read, number) in together.iter().zip(first..) {
                    let is_aligned = batch.state.primaries[number].is_some();
                    totals.count(*read);
                    totals.aligned += u64::from(is_aligned);
                    is_written |= is_aligned;
                }
                formatter.records(&together, &batch.state, first, |record| {
                    totals.alignments += u64::from(!record.cigar.is_empty());
                    piece.push_if(is_written, record, reference);
                });
            }
            Ok(())
        })
    }
}

/// The ranked alignments of a batch, with those of rescued mates if reads are paired.
enum RankedBatch {
    Pairs(Box<RescuedReads>),
    Single(RankedReads),
}

/// Batches with the library of their lane, which is estimated from the first ones unless it is known beforehand; these wait
/// until then.
struct WithLibrary<'p, 'a> {
    pipeline: &'p BestPipeline<'a>,
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

/// A batch that waits for the library.
enum WaitingBatch {
    Ranked(BatchState<RankedReads>),
    /// A batch whose regions would have taken too much memory; it is mapped again.
    Unmapped(BatchState<()>),
}

impl WithLibrary<'_, '_> {
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
            let batch = match self.receive() {
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
                WaitingBatch::Ranked(batch)
            });
        }
        sample.library()
    }

    /// The regions of a batch that waited; they are found again if it waited without them.
    fn ranked(&self, waiting: WaitingBatch) -> Result<BatchState<RankedReads>> {
        match waiting {
            WaitingBatch::Ranked(batch) => Ok(batch),
            WaitingBatch::Unmapped(batch) => {
                let (queries, tie_breakers) = self.pipeline.prepare(&batch.reads);
                let ranked = self.pipeline.mapper.find_regions(queries, tie_breakers)?;
                Ok(batch.map(|()| ranked))
            }
        }
    }
}

impl Iterator for WithLibrary<'_, '_> {
    type Item = Result<BatchState<(RankedReads, Option<Library>)>>;

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
                Some(waiting) => self.ranked(waiting),
                None => self.receive()?,
            };
            let is_sample = |batch: &BatchState<_>| batch.reads.batch_use() == BatchUse::Sample;
            if !batch.as_ref().is_ok_and(is_sample) {
                return Some(batch.map(|batch| batch.map(|found| (found, library))));
            }
        }
    }
}
