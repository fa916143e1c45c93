//! The pipeline of mode best; each stage has its own thread.
//!
//! ```text
//!   read --> prepare --> search --> plan --> align --> rank --> [library] --> rescue --> pair --> format --> write
//! ```
//!
//! The batches with the first [`SAMPLE`] pairs (fewer if these have more than [`SAMPLE_BASES`]) wait before the rescue of
//! mates, until the insert sizes of the library are estimated from them. So the estimate does not depend on the size of
//! batches. If their regions are too many to wait in memory, the reads wait alone, and are mapped again.

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
use crate::input::{Batches, Read, ReadSlice};
use crate::output::record::best::{BestRecordFormatter, RecordStyle};
use crate::output::{Output, PiecePool, WrittenFile};
use crate::timeline::Step;

/// Chains of the reads that are mapped together, at most. A read has up to 500, most have a few.
const MAX_CHAINS: usize = 1 << 20;

/// The pairs that the library is estimated from have about so many bases at most.
const SAMPLE_BASES: usize = 1 << 27;

/// A run of mode best.
#[derive(Debug)]
pub struct BestPipeline<'a> {
    pub mapper: &'a Mapper<'a>,
    /// Whether reads 2i and 2i + 1 are mates.
    pub is_paired: bool,
    /// The seed that decides, together with a read's name, between equally good loci.
    pub seed: u64,
    /// How records are written.
    pub style: RecordStyle<'a>,
    /// The library of the pairs, if it is known beforehand.
    pub library: Option<Library>,
    pub stages: StageBuilder<'a>,
}

impl<'a> BestPipeline<'a> {
    /// Maps all batches, and writes and closes the output file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(MappingTotals, WrittenFile)> {
        let Self { mapper, stages, .. } = *self;
        let pool = PiecePool::default();
        let totals = thread::scope(|scope| {
            let together = self.layout_step();
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

    /// Looks for mates that were not found, if reads are paired.
    fn rescue(&self, (ranked, library): (RankedReads, Library)) -> RankedBatch {
        if self.is_paired {
            RankedBatch::Pairs(Box::new(self.mapper.rescue_mates(ranked, &library)))
        } else {
            RankedBatch::Single(ranked)
        }
    }

    /// Decides which alignments of each read are reported.
    fn resolve(&self, batch: RankedBatch) -> MappedReads {
        match batch {
            RankedBatch::Pairs(rescued) => self.mapper.resolve_pairs(*rescued),
            RankedBatch::Single(ranked) => self.mapper.resolve_unpaired(ranked),
        }
    }

    /// The batches, each with the library, once that is estimated.
    fn with_library(
        &self,
        ranked: Receiver<Result<BatchState<RankedReads>>>,
    ) -> WithLibrary<'_, 'a> {
        WithLibrary { pipeline: self, ranked, waiting: VecDeque::new(), library: self.library }
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

    /// The number of reads that are mapped together: 2 if they are mates.
    fn layout_step(&self) -> usize {
        if self.is_paired { 2 } else { 1 }
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
        let group = stages.group;
        let formatter = || BestRecordFormatter::new(reference, segments, group, style);
        let (step, part) = (self.layout_step(), (part, TASK_READS));
        stages.records(batch, part, pool, formatter, |formatter, reads, piece, totals| {
            for first in reads.step_by(step) {
                piece.begin_template();
                let all = (first..first + step).map(|number| batch.reads.get(number));
                let together: Vec<Read<'_>> = all.filter(|read| !read.is_absent()).collect();
                for (read, number) in together.iter().zip(first..) {
                    totals.count(*read);
                    totals.aligned += u64::from(batch.state.primaries[number].is_some());
                }
                formatter.records(&together, &batch.state, first, |record| {
                    totals.alignments += u64::from(!record.cigar.is_empty());
                    piece.push(record, reference);
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

/// Batches with the library, which is estimated from the first ones; these wait until then.
struct WithLibrary<'p, 'a> {
    pipeline: &'p BestPipeline<'a>,
    ranked: Receiver<Result<BatchState<RankedReads>>>,
    /// Batches that were received before the library was estimated, and the error that ended them.
    waiting: VecDeque<Result<WaitingBatch>>,
    library: Option<Library>,
}

/// A batch that waits for the library.
enum WaitingBatch {
    Ranked(BatchState<RankedReads>),
    /// A batch whose regions would have taken too much memory; it is mapped again.
    Unmapped(BatchState<()>),
}

impl WithLibrary<'_, '_> {
    /// Estimates the library from the first [`SAMPLE`] pairs, or from all if there are fewer or they are very long.
    fn estimate(&mut self) -> Library {
        let mapper = self.pipeline.mapper;
        let (mut sample, mut missing) = (LibrarySample::default(), SAMPLE);
        let (mut bases, mut regions) = (0, 0);
        while missing > 0 && bases < SAMPLE_BASES && self.pipeline.is_paired {
            let Ok(next) = self.ranked.recv() else { break };
            let is_end = next.is_err();
            self.waiting.push_back(next.map(|batch| {
                let mut pairs = 0;
                while pairs < missing.min(batch.reads.len() / 2) && bases < SAMPLE_BASES {
                    let mates = [2 * pairs, 2 * pairs + 1].map(|read| batch.reads.get(read));
                    bases += mates.iter().map(|read| read.alignable().len()).sum::<usize>();
                    pairs += 1;
                }
                mapper.sample_pairs(&batch.state, &mut sample, pairs);
                missing -= pairs;
                regions += batch.state.regions.count();
                if regions > MAX_CHAINS {
                    WaitingBatch::Unmapped(batch.map(drop))
                } else {
                    WaitingBatch::Ranked(batch)
                }
            }));
            if is_end {
                break;
            }
        }
        sample.library()
    }

    /// The next batch; one that waited without its regions is mapped again.
    fn ranked(&mut self) -> Option<Result<BatchState<RankedReads>>> {
        let waiting = match self.waiting.pop_front() {
            None => return self.ranked.recv().ok(),
            Some(Err(error)) => return Some(Err(error)),
            Some(Ok(waiting)) => waiting,
        };
        match waiting {
            WaitingBatch::Ranked(batch) => Some(Ok(batch)),
            WaitingBatch::Unmapped(batch) => {
                let (queries, tie_breakers) = self.pipeline.prepare(&batch.reads);
                let ranked = self.pipeline.mapper.find_regions(queries, tie_breakers);
                Some(ranked.map(|ranked| batch.map(|()| ranked)).map_err(Into::into))
            }
        }
    }
}

impl Iterator for WithLibrary<'_, '_> {
    type Item = Result<BatchState<(RankedReads, Library)>>;

    fn next(&mut self) -> Option<Self::Item> {
        let library = self.library.unwrap_or_else(|| self.estimate());
        self.library = Some(library);
        Some(self.ranked()?.map(|batch| batch.map(|found| (found, library))))
    }
}
