//! The stages of everyday mapping, each on a thread of its own.
//!
//! ```text
//!   read --> prepare --> seek --> plan --> align --> rank --> [library] --> rescue --> pair --> format --> write
//! ```
//!
//! They are those of complete mapping, but that the search is four, and there are two more for mates. Before
//! these, the batches with the first [`SAMPLE`] pairs wait, until the library's insert sizes are known: so these do not depend on batches.

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

use super::stages::{Formatted, Job, Stages, Totals};
use crate::input::{Batches, Read, Reads};
use crate::output::{Alternatives, Everyday, Output, Spares, Written};
use crate::timeline::Step;

/// What the stages share.
#[derive(Debug)]
pub struct Pipeline<'a> {
    pub mapper: &'a Mapper<'a>,
    /// Whether each two reads are mates.
    pub paired: bool,
    pub seed: u64,
    pub alternatives: Alternatives,
    pub stages: Stages<'a>,
}

impl<'a> Pipeline<'a> {
    /// Maps all batches and writes and closes the file, which can be committed then.
    pub fn run(&self, input: Batches, mut output: Output) -> Result<(Totals, Written)> {
        let Self { mapper, stages, .. } = *self;
        let spares = Spares::default();
        let totals = thread::scope(|scope| {
            let prepared = stages.prepare(scope, input.batches, |reads| Ok(self.prepare(reads)));
            let find_chains =
                |(queries, tie_breakers)| Ok(mapper.find_chains(queries, tie_breakers)?);
            let sought = stages.step(scope, Step::Search, prepared, find_chains);
            let planned =
                stages.step(scope, Step::Plan, sought, |it| Ok(mapper.plan_alignments(it)));
            let aligned = stages.step(scope, Step::Align, planned, |it| Ok(mapper.align(it)));
            let searched = stages.step(scope, Step::Rank, aligned, |it| Ok(mapper.rank(it)));
            let rescue = |found| Ok(self.rescue(found));
            let rescued = stages.step(scope, Step::Rescue, self.with_library(searched), rescue);
            let resolve = |found| Ok(self.resolve(found));
            let resolved = stages.step(scope, Step::Pair, rescued, resolve);
            let format = |job: &Job<MappedReads>, part| self.format(job, &part, &spares);
            let as_it_is = |found| found;
            let formatted = stages.format(scope, resolved, input.used, as_it_is, format);
            stages.write(formatted, &mut output, &spares)
        })?;
        Ok((totals, stages.close(output)?))
    }

    fn prepare(&self, reads: &Reads) -> (Queries, Vec<u64>) {
        let queries = self.mapper.encode_reads(reads.iter().map(|read| read.sequence));
        (queries, reads.iter().map(|read| tie_breaker(read.name, self.seed)).collect())
    }

    fn rescue(&self, (found, library): (RankedReads, Library)) -> Found {
        if self.paired {
            Found::Pairs(Box::new(self.mapper.rescue_mates(found, &library)))
        } else {
            Found::Single(found)
        }
    }

    fn resolve(&self, found: Found) -> MappedReads {
        match found {
            Found::Pairs(rescued) => self.mapper.resolve_pairs(*rescued),
            Found::Single(searched) => self.mapper.resolve_unpaired(searched),
        }
    }

    /// Passes batches on with the library, once it is known.
    fn with_library(&self, searched: Receiver<Result<Job<RankedReads>>>) -> WithLibrary<'_, 'a> {
        WithLibrary { pipeline: self, searched, held: VecDeque::new(), library: None }
    }

    /// Makes the records of a part of a batch.
    fn format(
        &self,
        job: &Job<MappedReads>,
        part: &Range<usize>,
        spares: &Spares,
    ) -> Result<Formatted> {
        let Self { mapper, stages, alternatives, .. } = *self;
        let (reference, segments) = (mapper.index().reference(), mapper.segments());
        let Stages { group, eqx, .. } = stages;
        let maker = || Everyday::new(reference, segments, group, eqx, alternatives);
        let step = if self.paired { 2 } else { 1 };
        stages.records(job, part, spares, maker, |maker, reads, piece, totals| {
            for first in reads.step_by(step) {
                let together: Vec<Read<'_>> =
                    (first..first + step).map(|number| job.reads.get(number)).collect();
                for (read, number) in together.iter().zip(first..) {
                    totals.reads += 1;
                    totals.bases += read.sequence.len() as u64;
                    totals.aligned += u64::from(job.work.primaries[number].is_some());
                }
                maker.records(&together, &job.work, first, |record| {
                    totals.alignments += u64::from(!record.cigar.is_empty());
                    piece.push(record, reference)
                })?;
            }
            Ok(())
        })
    }
}

/// What was found for reads, before it is decided about.
enum Found {
    Pairs(Box<RescuedReads>),
    Single(RankedReads),
}

/// Batches with the library that they are of.
struct WithLibrary<'p, 'a> {
    pipeline: &'p Pipeline<'a>,
    searched: Receiver<Result<Job<RankedReads>>>,
    /// What came before the library was known, with what ended it.
    held: VecDeque<Result<Job<RankedReads>>>,
    library: Option<Library>,
}

impl WithLibrary<'_, '_> {
    /// Waits for as many pairs as it takes, or the end.
    fn estimate(&mut self) -> Library {
        let (mut sample, mut missing) = (LibrarySample::default(), SAMPLE);
        while missing > 0 && self.pipeline.paired {
            let Ok(next) = self.searched.recv() else { break };
            if let Ok(job) = &next {
                self.pipeline.mapper.sample_pairs(&job.work, &mut sample, missing);
                missing = missing.saturating_sub(job.reads.len() / 2);
            }
            let is_end = next.is_err();
            self.held.push_back(next);
            if is_end {
                break;
            }
        }
        sample.library()
    }
}

impl Iterator for WithLibrary<'_, '_> {
    type Item = Result<Job<(RankedReads, Library)>>;

    fn next(&mut self) -> Option<Self::Item> {
        let library = self.library.unwrap_or_else(|| self.estimate());
        self.library = Some(library);
        let next = self.held.pop_front().or_else(|| self.searched.recv().ok())?;
        Some(next.map(|job| job.with(|found| (found, library))))
    }
}
