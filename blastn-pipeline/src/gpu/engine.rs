//! The search of a database by a device: part by part, and long queries piece by piece.
//!
//! ```text
//!   seeded:          for each part of the database                in device memory, one at a time
//!                      for each run of its chunks                 as many as have memory for the words in common
//!                        for each piece of the batch's letters --> pipeline --> rule of diagonals --> ungapped hits
//!   prefiltered:     for each run: hits of pairs whose upper bound can still reach the best subjects
//!   extended_gapped: for each run: pairs of queries and chunks, gapped extensions, verdicts, hits of the best pairs
//!   traced:          for each part: alignments with columns
//! ```
//!
//! Parts, runs and pieces are about memory only. The extension of a seed sees all of its chunk and of its query, and each piece
//! hands on how far diagonals are explored. So results are the same for all sizes.
//!
//! While a batch is seeded, earlier batches are prefiltered, extended and traced, as many at a time as there are workers. The
//! first three steps need bases, the last one letters, each of at most one part at a time, so that all fit into the memory
//! limit.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, DeviceItems};
use rayon::prelude::*;

use crate::database::Database;
use crate::gapped::GappedAlignment;
use crate::gpu::gapped::left_right;
use crate::gpu::gapped::parameters::{self, GreedyScores};
use crate::gpu::gapped::text::text_of_part;
use crate::gpu::limits::{self, Limits};
use crate::gpu::parts::{DatabasePart, DatabaseParts};
use crate::gpu::pipeline::diagonals::QueryPiece;
use crate::gpu::pipeline::stages::PipelineInputs;
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::gpu::prefilter::{self, ChunkRun};
use crate::gpu::resident_parts::ResidentParts;
use crate::gpu::scored_pairs::ScoredPairs;
use crate::gpu::worker::Worker;
use crate::gpu::worker_pool::WorkerPool;
use crate::hsp::ranking;
use crate::hsp::subject_hit::SubjectHit;
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::search::preliminary::PreliminarySearch;
use crate::search::traceback::{self, AlignmentStart};
use crate::seed::lookup::Lookup;
use crate::ungapped::extension::ByteScoreTable;

/// A device with the database that it searches.
#[derive(Debug)]
pub(crate) struct DeviceEngine<'a, W: Worker> {
    /// The worker that seeds.
    seeds: W,
    /// Workers for the steps after seeding, which run at the same time for several batches.
    later_workers: WorkerPool<W>,
    database: &'a Database,
    limits: Limits,
    parts: DatabaseParts,
    bases: ResidentParts<W::Bases>,
    letters: ResidentParts<W::Letters>,
}

impl<'a, W: Worker> DeviceEngine<'a, W> {
    /// Divides a database into parts for a device, and loads the first one. `later_workers` are those for the steps
    /// after seeding, at least one.
    pub(crate) fn new(
        seeds: W,
        later_workers: Vec<W>,
        database: &'a Database,
        limits: Limits,
    ) -> Result<Self, DeviceError> {
        let parts = DatabaseParts::new(database, limits.bases(later_workers.len()));
        let (bases, letters) = (ResidentParts::default(), ResidentParts::default());
        let later_workers = WorkerPool::new(later_workers);
        let new = Self { seeds, later_workers, database, limits, parts, bases, letters };
        new.with_bases(0, |_| Ok(()))?;
        Ok(new)
    }

    /// Parts of the database.
    pub(crate) fn parts(&self) -> &DatabaseParts {
        &self.parts
    }

    /// Calls `take` with the bases of a part, which are loaded if they are not in device memory.
    fn with_bases<R>(
        &self,
        part: usize,
        take: impl FnOnce(&W::Bases) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let load = || self.seeds.bases(self.parts.all()[part].packed(self.database));
        self.bases.with(part, load, take)
    }

    /// The number of ungapped alignments of a batch that there is memory for, roughly: [`Limits::hits`].
    pub(crate) fn hit_capacity(&self) -> u64 {
        self.limits.hits
    }

    /// Finds the ungapped hits of a batch with the whole database.
    pub(crate) fn seeded(
        &self,
        options: &SearchOptions,
        (batch, lookup): (&Arc<QueryBatch>, &Arc<Lookup>),
    ) -> Result<Vec<SeededRun<W::Backend>>, DeviceError> {
        let mut all = Vec::new();
        let query_letters = lookup.len().min(self.limits.piece_letters);
        for (part, DatabasePart { chunks, .. }) in self.parts.all().iter().enumerate() {
            self.with_bases(part, |bases| {
                let mut first = 0;
                for run in limits::runs(chunks, query_letters, options.word_size) {
                    let hits = self.ungapped(bases, run, options, (batch, lookup))?;
                    // Counted before the prefilter, as the counts decide the sizes of later portions of queries.
                    let ungapped_counts = self.seeds.pairs().counts(batch, &hits)?;
                    all.push(SeededRun {
                        part,
                        chunks: first..first + run.len(),
                        hits,
                        ungapped_counts,
                    });
                    first += run.len();
                }
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Leaves out hits of pairs that cannot get among the `max_targets` best subjects of their query.
    pub(crate) fn prefiltered(
        &self,
        search: &PreliminarySearch<'_>,
        seeded: Vec<SeededRun<W::Backend>>,
        max_targets: usize,
    ) -> Result<Vec<SeededRun<W::Backend>>, DeviceError> {
        let worker = self.later_workers.take();
        let of_run = |(first, seeded): (usize, SeededRun<W::Backend>)| {
            let prefiltered = self.with_run(&worker, &seeded, first, |run| {
                prefilter::prefiltered(search, run, &seeded.hits, max_targets)
            })?;
            Ok(SeededRun { hits: prefiltered.unwrap_or(seeded.hits), ..seeded })
        };
        numbered(seeded).map(of_run).collect()
    }

    /// Extends hits with gaps for their scores; gives the pairs that may be among the `max_targets` best subjects of their
    /// query, or all pairs.
    pub(crate) fn extended_gapped(
        &self,
        search: &PreliminarySearch<'_>,
        seeded: Vec<SeededRun<W::Backend>>,
        max_targets: Option<usize>,
    ) -> Result<ScoredPairs, DeviceError> {
        let worker = self.later_workers.take();
        let mut all = ScoredPairs::default();
        for (first, seeded) in numbered(seeded) {
            self.with_run(&worker, &seeded, first, |run| {
                extend_run_gapped((run, first), search, &seeded.hits, max_targets, &mut all)
            })?;
        }
        Ok(all)
    }

    /// Calls `take` with a run of chunks, whose first chunk is the `first`-th of all, for a worker.
    fn with_run<R>(
        &self,
        worker: &W,
        seeded: &SeededRun<W::Backend>,
        first: usize,
        take: impl FnOnce(&ChunkRun<'_, W::Backend>) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let chunks = &self.parts.all()[seeded.part].chunks[seeded.chunks.clone()];
        let origins = &self.parts.origins()[first..first + chunks.len()];
        self.with_bases(seeded.part, |bases| {
            take(&ChunkRun { pairs: worker.pairs(), bases: worker.address(bases), chunks, origins })
        })
    }

    /// Finds the ungapped hits with a run of chunks, in any order.
    fn ungapped(
        &self,
        bases: &W::Bases,
        run: &[DatabaseChunk],
        options: &SearchOptions,
        (batch, lookup): (&Arc<QueryBatch>, &Arc<Lookup>),
    ) -> Result<DeviceItems<W::Backend>, DeviceError> {
        let (mut all, mut carried) = (None, Vec::new());
        for (end, lookup) in limits::pieces(batch, lookup, self.limits.piece_letters) {
            let inputs = inputs(options, batch, lookup);
            let piece = QueryPiece { end, carried: &carried };
            let found = self.seeds.ungapped(bases, run, &inputs, piece)?;
            all = Some(match all {
                None => found.hits,
                Some(all) => self.seeds.pairs().joined(&all, &found.hits)?,
            });
            carried = found.carried;
        }
        all.map_or_else(|| self.seeds.pairs().none(), Ok)
    }

    /// Aligns the HSPs of subjects again, with their columns, in the order of `found`; nothing if the scores do not fit the
    /// device.
    pub(crate) fn traced(
        &self,
        batch: &QueryBatch,
        options: &SearchOptions,
        found: &[(usize, SubjectHit)],
    ) -> Result<Option<Vec<Vec<Option<GappedAlignment>>>>, DeviceError> {
        let begins: Vec<Vec<AlignmentStart>> = found
            .par_iter()
            .map(|(_, hit)| {
                let subject = self.database.subject(hit.subject);
                traceback::alignment_starts(batch, options, &subject, &hit.hsps)
            })
            .collect();
        let Some(all) = self.traced_from(batch, options, &begins.concat())? else {
            return Ok(None);
        };
        let mut rest = all.into_iter();
        let of_hit = |(_, hit): &(usize, SubjectHit)| rest.by_ref().take(hit.hsps.len()).collect();
        Ok(Some(found.iter().map(of_hit).collect()))
    }

    /// Makes alignments from where `begins` say; nothing where the device cannot, as where parts of a subject meet, and nothing
    /// at all if the scores do not fit the device.
    fn traced_from(
        &self,
        batch: &QueryBatch,
        options: &SearchOptions,
        begins: &[AlignmentStart],
    ) -> Result<Option<Vec<Option<GappedAlignment>>>, DeviceError> {
        let worker = self.later_workers.take();
        let Some(queries) = queries(&*worker, batch, options)? else {
            return Ok(None);
        };
        let mut all = vec![None; begins.len()];
        for (number, part) in self.parts.all().iter().enumerate() {
            let is_own = |&index: &usize| {
                let AlignmentStart { number, window, .. } = &begins[index];
                let first = self.database.first_base(*number);
                part.holds(&(first + window.start as u64..first + window.end as u64))
            };
            let own: Vec<usize> = (0..begins.len()).into_par_iter().filter(is_own).collect();
            if own.is_empty() {
                continue;
            }
            let begins: Vec<&AlignmentStart> = own.iter().map(|&index| &begins[index]).collect();
            let load = || worker.letters(&text_of_part(self.database, part));
            let traced = self.letters.with(number, load, |letters| {
                self.traced_in(&worker, part, (&queries, letters), batch, options, &begins)
            })?;
            for (index, gapped) in own.into_iter().zip(traced) {
                all[index] = gapped;
            }
        }
        Ok(Some(all))
    }

    /// Makes alignments of which a part of the database has all letters.
    fn traced_in(
        &self,
        worker: &W,
        part: &DatabasePart,
        (queries, letters): (&W::Queries, &W::Letters),
        batch: &QueryBatch,
        options: &SearchOptions,
        begins: &[&AlignmentStart],
    ) -> Result<Vec<Option<GappedAlignment>>, DeviceError> {
        let sides = left_right::of_begins((self.database, part.first), batch, options, begins);
        if options.is_greedy {
            let scores = GreedyScores::new(&options.scoring);
            let traced = worker.greedy_traces(queries, letters, scores, &sides.sides)?;
            return Ok(sides.greedily_traced(self.database, batch, options, begins, &traced));
        }
        let traced = worker.traces(queries, letters, &sides.sides)?;
        Ok(sides.traced(&options.scoring, begins, &traced))
    }
}

/// Extends the hits of a run, whose first chunk is the `first`-th of all, and adds the pairs that may matter to `all`.
fn extend_run_gapped<B: Backend>(
    (run, first): (&ChunkRun<'_, B>, usize),
    search: &PreliminarySearch<'_>,
    hits: &DeviceItems<B>,
    max_targets: Option<usize>,
    all: &mut ScoredPairs,
) -> Result<(), DeviceError> {
    let pairs = run.judged(search, hits)?;
    let verdicts = pairs.verdicts();
    let chosen: Vec<usize> = match max_targets {
        Some(max_targets) => {
            let known = prefilter::known_rank(search, run.origins);
            ranking::candidates(verdicts, known, search.batch.queries(), max_targets)
        }
        None => (0..verdicts.len()).collect(),
    };
    for &pair in &chosen {
        let verdict = &verdicts[pair];
        let chunk = first + verdict.chunk as usize;
        all.add_pair(chunk, verdict.query(search), verdict.count as usize);
    }
    all.add_hits(pairs.gather(search, run.chunks, &chosen)?);
    Ok(())
}

/// Runs, each with the index of its first chunk among all chunks.
fn numbered<B: Backend>(seeded: Vec<SeededRun<B>>) -> impl Iterator<Item = (usize, SeededRun<B>)> {
    seeded.into_iter().scan(0, |next, seeded| {
        let first = *next;
        *next += seeded.chunks.len();
        Some((first, seeded))
    })
}

/// Ungapped hits with a run of chunks, in device memory.
pub(crate) struct SeededRun<B: Backend> {
    /// Index of the part that the chunks are in.
    part: usize,
    /// Chunks of that part.
    chunks: Range<usize>,
    hits: DeviceItems<B>,
    /// Number of ungapped alignments of each query.
    pub(crate) ungapped_counts: Vec<u32>,
}

/// Copies queries to the device for extensions; nothing if the scores do not fit the device.
fn queries<W: Worker>(
    worker: &W,
    batch: &QueryBatch,
    options: &SearchOptions,
) -> Result<Option<W::Queries>, DeviceError> {
    if !options.is_greedy
        && !parameters::has_small_scores(&options.scoring, batch.parameters.final_x_drop)
    {
        return Ok(None);
    }
    worker.queries(batch, &options.scoring).map(Some)
}

/// Inputs of the pipeline; the device has the chunks.
fn inputs(options: &SearchOptions, batch: &Arc<QueryBatch>, lookup: Arc<Lookup>) -> PipelineInputs {
    let (word_size, byte_scores) = (options.word_size, ByteScoreTable::new(options));
    PipelineInputs { batch: Arc::clone(batch), lookup, word_size, byte_scores, chunks: Vec::new() }
}
