//! The pipeline of mode best; each stage has its own thread.
//!
//! ```text
//!   read --> prepare --> search --> plan --> align --> rank --> [library] --> rescue --> pair --> format --> write
//! ```
//!
//! The batches with the first [`SAMPLE`] pairs wait before the rescue of mates, until the insert sizes of the library are
//! estimated from them. So the estimate does not depend on the size of batches.

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

use super::stages::{BatchState, FormattedPart, MappingTotals, StageBuilder};
use crate::input::{Batches, Read, Reads};
use crate::output::record::best::{Alternatives, BestRecordFormatter};
use crate::output::{Output, PiecePool, WrittenFile};
use crate::timeline::Step;

/// A run of mode best.
#[derive(Debug)]
pub struct BestPipeline<'a> {
    pub mapper: &'a Mapper<'a>,
    /// Whether reads 2i and 2i + 1 are mates.
    pub is_paired: bool,
    /// The seed that decides, together with a read's name, between equally good loci.
    pub seed: u64,
    pub alternatives: Alternatives,
    pub stages: StageBuilder<'a>,
}

impl<'a> BestPipeline<'a> {
    /// Maps all batches, and writes and closes the output file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(MappingTotals, WrittenFile)> {
        let Self { mapper, stages, .. } = *self;
        let pool = PiecePool::default();
        let totals = thread::scope(|scope| {
            let prepared = stages.prepare(scope, input.batches, |reads| Ok(self.prepare(reads)));
            let find_chains =
                |(queries, tie_breakers)| Ok(mapper.find_chains(queries, tie_breakers)?);
            let chained = stages.step(scope, Step::Search, prepared, find_chains);
            let planned =
                stages.step(scope, Step::Plan, chained, |it| Ok(mapper.plan_alignments(it)));
            let aligned = stages.step(scope, Step::Align, planned, |it| Ok(mapper.align(it)));
            let ranked = stages.step(scope, Step::Rank, aligned, |it| Ok(mapper.rank(it)));
            let rescue = |ranked| Ok(self.rescue(ranked));
            let rescued = stages.step(scope, Step::Rescue, self.with_library(ranked), rescue);
            let resolve = |batch| Ok(self.resolve(batch));
            let resolved = stages.step(scope, Step::Pair, rescued, resolve);
            let format = |batch: &BatchState<MappedReads>, part| self.format(batch, &part, &pool);
            let unchanged = |reads| reads;
            let formatted = stages.format(scope, resolved, input.used, unchanged, format);
            stages.write(formatted, &mut output, &pool)
        })?;
        Ok((totals, stages.close(output)?))
    }

    /// The queries of a batch of reads, and for each read the number that decides between equally good loci.
    fn prepare(&self, reads: &Reads) -> (Queries, Vec<u64>) {
        let queries = self.mapper.encode_reads(reads.iter().map(|read| read.sequence));
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
        WithLibrary { pipeline: self, ranked, waiting: VecDeque::new(), library: None }
    }

    /// Makes the records of a part of a batch.
    fn format(
        &self,
        batch: &BatchState<MappedReads>,
        part: &Range<usize>,
        pool: &PiecePool,
    ) -> Result<FormattedPart> {
        let Self { mapper, stages, alternatives, .. } = *self;
        let (reference, segments) = (mapper.index().reference(), mapper.segments());
        let StageBuilder { group, eqx, .. } = stages;
        let formatter = || BestRecordFormatter::new(reference, segments, group, eqx, alternatives);
        let step = if self.is_paired { 2 } else { 1 };
        stages.records(batch, part, pool, formatter, |formatter, reads, piece, totals| {
            for first in reads.step_by(step) {
                piece.begin_template();
                let together: Vec<Read<'_>> =
                    (first..first + step).map(|number| batch.reads.get(number)).collect();
                for (read, number) in together.iter().zip(first..) {
                    totals.reads += 1;
                    totals.bases += read.sequence.len() as u64;
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
    waiting: VecDeque<Result<BatchState<RankedReads>>>,
    library: Option<Library>,
}

impl WithLibrary<'_, '_> {
    /// Estimates the library from the first [`SAMPLE`] pairs, or from all if there are fewer.
    fn estimate(&mut self) -> Library {
        let (mut sample, mut missing) = (LibrarySample::default(), SAMPLE);
        while missing > 0 && self.pipeline.is_paired {
            let Ok(next) = self.ranked.recv() else { break };
            if let Ok(batch) = &next {
                self.pipeline.mapper.sample_pairs(&batch.state, &mut sample, missing);
                missing = missing.saturating_sub(batch.reads.len() / 2);
            }
            let is_end = next.is_err();
            self.waiting.push_back(next);
            if is_end {
                break;
            }
        }
        sample.library()
    }
}

impl Iterator for WithLibrary<'_, '_> {
    type Item = Result<BatchState<(RankedReads, Library)>>;

    fn next(&mut self) -> Option<Self::Item> {
        let library = self.library.unwrap_or_else(|| self.estimate());
        self.library = Some(library);
        let next = self.waiting.pop_front().or_else(|| self.ranked.recv().ok())?;
        Some(next.map(|batch| batch.map(|found| (found, library))))
    }
}
