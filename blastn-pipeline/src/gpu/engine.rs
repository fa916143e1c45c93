//! The search of a database, or of a share of it, by a device: part by part, and long queries piece by piece.
//!
//! ```text
//!   seeded:          for each part of the extent                  in device memory, one at a time
//!                      for each run of its chunks                 as many as have memory for the words in common
//!                        for each piece of the batch's letters --> pipeline --> rule of diagonals --> ungapped hits
//!   bounded, chosen: for each run: hits of pairs whose upper bound can still reach the best subjects
//!   extended_gapped: for each run: pairs of queries and chunks, gapped extensions, verdicts, hits of the best pairs
//!   traced:          for each part of the share: alignments with columns
//! ```
//!
//! The extent of a batch is the device's share, or all of the database if it fits into the memory beside the share ([`Extent`]).
//!
//! Shares, parts, runs and pieces are about memory and the number of devices only. The extension of a seed sees all of its chunk and
//! of its query, and each piece hands on how far diagonals are explored. So results are the same for all sizes.
//!
//! While some batches are seeded, earlier ones are prefiltered, extended and traced, as many at a time as there are workers. The
//! first three steps need bases, the last one letters, each of at most one part at a time, so that all fit into the memory
//! limit; so do bases of all of the database, which stay beside those of the share, since they are in memory only if both have no
//! more bases than a part may have.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, DeviceItems};
use rayon::prelude::*;

use crate::database::Database;
use crate::gapped::GappedAlignment;
use crate::gpu::gapped::left_right;
use crate::gpu::gapped::parameters::GreedyScores;
use crate::gpu::gapped::text::text_of_part;
use crate::gpu::limits::{self, Limits};
use crate::gpu::parts::{ChunkOrigin, DatabasePart, DatabaseParts};
use crate::gpu::pipeline::diagonals::QueryPiece;
use crate::gpu::pipeline::stages::PipelineInputs;
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::gpu::prefilter::{self, BoundedRun, ChunkRun, Prefilter, RunSize};
use crate::gpu::resident_parts::ResidentParts;
use crate::gpu::scored_pairs::ScoredPairs;
use crate::gpu::search_device::SearchDevice;
use crate::gpu::worker::Worker;
use crate::gpu::worker_pool::{PooledWorker, WorkerPool};
use crate::hsp::ranking;
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::search::preliminary::PreliminarySearch;
use crate::search::traceback::AlignmentStart;
use crate::seed::lookup::Lookup;
use crate::ungapped::extension::ByteScoreTable;

/// The part of the database that a device searches for a batch. Where a device cannot have all of it in memory, all devices search their
/// shares in place of that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Its share, while the other devices search theirs for the same batch.
    Share,
    /// All of it, while the other devices search for other batches.
    All,
}

/// A database, or a share of it, with the bases of the parts that are in device memory.
#[derive(Debug)]
struct ResidentExtent<T> {
    parts: Arc<DatabaseParts>,
    bases: ResidentParts<T>,
}

impl<T> ResidentExtent<T> {
    /// Parts of which none is loaded yet.
    fn new(parts: Arc<DatabaseParts>) -> Self {
        Self { parts, bases: ResidentParts::default() }
    }
}

/// A device with the share of a database that it searches.
#[derive(Debug)]
pub(crate) struct DeviceEngine<'a, W: Worker> {
    name: String,
    /// Workers that seed, which do so at the same time for several batches.
    seeders: WorkerPool<W>,
    /// Whether several batches can be seeded at a time: there are workers for that, and the whole share stays in device memory.
    seeds_several: bool,
    /// Workers for the steps after seeding, which run at the same time for several batches.
    later_workers: WorkerPool<W>,
    database: &'a Database,
    limits: Limits,
    share: ResidentExtent<W::Bases>,
    /// All of the database in one part, if there should be memory for it beside the share.
    all: Option<ResidentExtent<W::Bases>>,
    /// Whether there was memory for it when it was first needed, which is when it is loaded.
    all_is_loaded: OnceLock<Result<bool, DeviceError>>,
    /// Letters of the parts of the share.
    letters: ResidentParts<W::Letters>,
}

impl<'a, W: Worker> DeviceEngine<'a, W> {
    /// A device with its share of a database, and all of it if there is memory for that, of which nothing is loaded yet.
    pub(crate) fn new(
        device: SearchDevice<W>,
        share: DatabaseParts,
        all: Option<&Arc<DatabaseParts>>,
        database: &'a Database,
    ) -> Self {
        let SearchDevice { name, seeders, later_workers, limits } = device;
        let seeds_several = seeders.len() > 1 && share.all().len() <= 1;
        let (seeders, later_workers) = (WorkerPool::new(seeders), WorkerPool::new(later_workers));
        Self {
            name,
            seeders,
            seeds_several,
            later_workers,
            database,
            limits,
            share: ResidentExtent::new(Arc::new(share)),
            all: all.map(|all| ResidentExtent::new(Arc::clone(all))),
            all_is_loaded: OnceLock::new(),
            letters: ResidentParts::default(),
        }
    }

    /// Loads the first part of the share.
    pub(crate) fn load(&self) -> Result<(), DeviceError> {
        self.load_first(&self.share)
    }

    /// Loads the first part of an extent, unless it is in device memory.
    fn load_first(&self, extent: &ResidentExtent<W::Bases>) -> Result<(), DeviceError> {
        self.with_bases(&self.seeders.take(), (extent, 0), |_| Ok(()))
    }

    /// Whether there are chunks in the share.
    pub(crate) fn has_chunks(&self) -> bool {
        !self.share.parts.is_empty()
    }

    /// Whether batches can be searched for in all of the database, several at a time, as far as is known.
    pub(crate) fn can_search_all(&self) -> bool {
        self.seeds_several && self.all.is_some() && self.all_is_loaded.get() != Some(&Ok(false))
    }

    /// Loads all of the database, unless it is loaded. False if there is no memory for it.
    pub(crate) fn load_all(&self) -> Result<bool, DeviceError> {
        let load = || {
            let Some(all) = &self.all else { return Ok(false) };
            match self.load_first(all) {
                Err(DeviceError::OutOfMemory(_)) => Ok(false),
                loaded => loaded.map(|()| true),
            }
        };
        self.all_is_loaded.get_or_init(load).clone()
    }

    /// The parts of an extent. Those of all are asked for only once they are loaded.
    fn extent(&self, extent: Extent) -> &ResidentExtent<W::Bases> {
        match (extent, &self.all) {
            (Extent::Share, _) => &self.share,
            (Extent::All, Some(all)) => all,
            (Extent::All, None) => unreachable!("a part of the database would be left out"),
        }
    }

    /// Whether several batches can be seeded at a time.
    pub(crate) fn seeds_several(&self) -> bool {
        self.seeds_several
    }

    /// Name of the device for messages.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// A worker for a step after seeding; waits until one is idle.
    pub(crate) fn later_worker(&self) -> PooledWorker<'_, W> {
        self.later_workers.take()
    }

    /// Calls `take` with the bases of a part, which a worker loads if they are not in device memory.
    fn with_bases<R>(
        &self,
        worker: &W,
        (extent, part): (&ResidentExtent<W::Bases>, usize),
        take: impl FnOnce(&W::Bases) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let load = || worker.bases(extent.parts.all()[part].packed(self.database));
        extent.bases.with(part, load, take)
    }

    /// The number of ungapped alignments of a batch that there is memory for, roughly: [`Limits::hits`].
    pub(crate) fn hit_capacity(&self) -> u64 {
        self.limits.hits
    }

    /// Finds the ungapped hits of a batch with an extent of the database.
    pub(crate) fn seeded(
        &self,
        options: &SearchOptions,
        (batch, lookup): (&Arc<QueryBatch>, &Arc<Lookup>),
        extent: Extent,
    ) -> Result<Vec<SeededRun<W::Backend>>, DeviceError> {
        let worker = self.seeders.take();
        let (mut all, mut tables) = (Vec::new(), None);
        let query_letters = lookup.len().min(self.limits.piece_letters);
        let resident = self.extent(extent);
        for (part, DatabasePart { chunks, .. }) in resident.parts.all().iter().enumerate() {
            self.with_bases(&worker, (resident, part), |bases| {
                let mut first = 0;
                for run in limits::runs(chunks, query_letters, options.word_size) {
                    let of_batch = (batch, lookup);
                    let hits =
                        self.ungapped(&worker, (bases, run), options, of_batch, &mut tables)?;
                    // Counted before the prefilter, as the counts decide the sizes of later portions of queries.
                    let ungapped_counts = worker.pairs().counts(batch, &hits)?;
                    all.push(SeededRun {
                        extent,
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

    /// The size of all runs together.
    pub(crate) fn size(&self, seeded: &[SeededRun<W::Backend>]) -> RunSize {
        let of_run = |(first, seeded): (usize, &SeededRun<W::Backend>)| {
            let (chunks, origins) = self.chunks(seeded, first);
            RunSize::new(chunks, origins, seeded.hits.count)
        };
        numbered(seeded).map(of_run).sum()
    }

    /// The first half of the prefilter: bounds the pairs of each run.
    pub(crate) fn bounded<'w>(
        &self,
        worker: &'w W,
        prefilter: &Prefilter<'_>,
        seeded: &[SeededRun<W::Backend>],
    ) -> Result<Vec<Option<BoundedRun<'w, W::Backend>>>, DeviceError> {
        let of_run = |(first, seeded): (usize, &SeededRun<W::Backend>)| {
            self.with_run(worker, (seeded, first), |run| prefilter.bounded(run, &seeded.hits))
        };
        numbered(seeded).map(of_run).collect()
    }

    /// The second half of the prefilter: leaves out hits of pairs that cannot get among the best subjects of their query.
    pub(crate) fn chosen(
        seeded: Vec<SeededRun<W::Backend>>,
        bounded: &[Option<BoundedRun<'_, W::Backend>>],
        floors: &[u32],
    ) -> Result<Vec<SeededRun<W::Backend>>, DeviceError> {
        let of_run = |(seeded, bounded): (SeededRun<W::Backend>, &Option<BoundedRun<'_, _>>)| {
            Ok(match bounded {
                Some(bounded) => {
                    SeededRun { hits: bounded.chosen(&seeded.hits, floors)?, ..seeded }
                }
                None => seeded,
            })
        };
        seeded.into_iter().zip(bounded).map(of_run).collect()
    }

    /// Extends hits with gaps for their scores; gives the pairs of each run that may be among the `max_targets` best subjects of
    /// their query, or all pairs.
    pub(crate) fn extended_gapped(
        &self,
        search: &PreliminarySearch<'_>,
        seeded: Vec<SeededRun<W::Backend>>,
        max_targets: Option<usize>,
    ) -> Result<ScoredPairs, DeviceError> {
        let worker = self.later_worker();
        let (mut all, mut first) = (ScoredPairs::default(), 0);
        // The hits of a run are freed before the next one.
        for seeded in seeded {
            self.with_run(&worker, (&seeded, first), |run| {
                extend_run_gapped(run, search, &seeded.hits, max_targets, &mut all)
            })?;
            first += seeded.chunks.len();
        }
        Ok(all)
    }

    /// The chunks of a run, whose first chunk is the `first`-th of its extent, with their origins.
    fn chunks(
        &self,
        seeded: &SeededRun<W::Backend>,
        first: usize,
    ) -> (&[DatabaseChunk], &[ChunkOrigin]) {
        let parts = &self.extent(seeded.extent).parts;
        let chunks = &parts.all()[seeded.part].chunks[seeded.chunks.clone()];
        (chunks, &parts.origins()[first..first + chunks.len()])
    }

    /// Calls `take` with a run of chunks, whose first chunk is the `first`-th of its extent, for a worker.
    fn with_run<'w, R>(
        &self,
        worker: &'w W,
        (seeded, first): (&SeededRun<W::Backend>, usize),
        take: impl FnOnce(&ChunkRun<'w, '_, W::Backend>) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let (chunks, origins) = self.chunks(seeded, first);
        self.with_bases(worker, (self.extent(seeded.extent), seeded.part), |bases| {
            take(&ChunkRun { pairs: worker.pairs(), bases: worker.address(bases), chunks, origins })
        })
    }

    /// Finds the ungapped hits with a run of chunks, in any order. Between runs, `tables` keeps those of all words of the batch, if
    /// they are one piece.
    fn ungapped(
        &self,
        worker: &W,
        (bases, run): (&W::Bases, &[DatabaseChunk]),
        options: &SearchOptions,
        (batch, lookup): (&Arc<QueryBatch>, &Arc<Lookup>),
        tables: &mut Option<W::PieceTables>,
    ) -> Result<DeviceItems<W::Backend>, DeviceError> {
        let (mut all, mut carried) = (None, Vec::new());
        for (end, own) in limits::pieces(batch, lookup, self.limits.piece_letters) {
            let has_all_words = Arc::ptr_eq(&own, lookup);
            let tables = match tables {
                Some(tables) if has_all_words => tables,
                _ => tables.insert(worker.piece_tables(inputs(options, batch, own))?),
            };
            let piece = QueryPiece { end, carried: &carried };
            let found = worker.ungapped(bases, run, tables, piece)?;
            all = Some(match all {
                None => found.hits,
                Some(all) => worker.pairs().joined(&all, &found.hits)?,
            });
            carried = found.carried;
        }
        all.map_or_else(|| worker.pairs().none(), Ok)
    }

    /// Makes those alignments, from where `begins` say, whose windows lie in a part of the share; gives the index of each, and nothing
    /// where the device cannot.
    pub(crate) fn traced(
        &self,
        batch: &QueryBatch,
        options: &SearchOptions,
        begins: &[AlignmentStart],
    ) -> Result<Vec<(usize, Option<GappedAlignment>)>, DeviceError> {
        // It is taken for those that have alignments in the share.
        let mut worker = None;
        let (mut queries, mut all) = (None, Vec::new());
        for (number, part) in self.share.parts.all().iter().enumerate() {
            let is_own = |&index: &usize| {
                let AlignmentStart { number, window, .. } = &begins[index];
                let first = self.database.first_base(*number);
                part.holds(&(first + window.start as u64..first + window.end as u64))
            };
            let own: Vec<usize> = (0..begins.len()).into_par_iter().filter(is_own).collect();
            if own.is_empty() {
                continue;
            }
            let worker = &**worker.get_or_insert_with(|| self.later_worker());
            let queries = match &queries {
                Some(queries) => queries,
                None => queries.insert(worker.queries(batch, &options.scoring)?),
            };
            let begins: Vec<&AlignmentStart> = own.iter().map(|&index| &begins[index]).collect();
            let load = || worker.letters(&text_of_part(self.database, part));
            let traced = self.letters.with(number, load, |letters| {
                self.traced_in(worker, part, (queries, letters), batch, options, &begins)
            })?;
            all.extend(own.into_iter().zip(traced));
        }
        Ok(all)
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

/// Extends the hits of a run, and adds the pairs that may matter to `all`.
fn extend_run_gapped<B: Backend>(
    run: &ChunkRun<'_, '_, B>,
    search: &PreliminarySearch<'_>,
    hits: &DeviceItems<B>,
    max_targets: Option<usize>,
    all: &mut ScoredPairs,
) -> Result<(), DeviceError> {
    let pairs = run.judged(search, hits)?;
    let (verdicts, known) = (pairs.verdicts(), prefilter::known_rank(search, run.origins));
    let chosen: Vec<usize> = match max_targets {
        Some(max_targets) => {
            ranking::candidates(verdicts, &known, search.batch.queries(), max_targets)
        }
        None => (0..verdicts.len()).collect(),
    };
    for &pair in &chosen {
        let verdict = &verdicts[pair];
        let origin = run.origins[verdict.chunk as usize].clone();
        all.add_pair(origin, known(verdict), verdict.count as usize);
    }
    all.add_hits(pairs.gather(search, run.chunks, &chosen)?);
    Ok(())
}

/// Runs, each with the index of its first chunk among all of their extent.
fn numbered<B: Backend>(seeded: &[SeededRun<B>]) -> impl Iterator<Item = (usize, &SeededRun<B>)> {
    seeded.iter().scan(0, |next, seeded| {
        let first = *next;
        *next += seeded.chunks.len();
        Some((first, seeded))
    })
}

/// Ungapped hits with a run of chunks, in device memory.
pub(crate) struct SeededRun<B: Backend> {
    /// The part of the database that was searched.
    extent: Extent,
    /// Index of the part that the chunks are in.
    part: usize,
    /// Chunks of that part.
    chunks: Range<usize>,
    hits: DeviceItems<B>,
    /// Number of ungapped alignments of each query.
    pub(crate) ungapped_counts: Vec<u32>,
}

/// Inputs of the pipeline; the device has the chunks.
fn inputs(options: &SearchOptions, batch: &Arc<QueryBatch>, lookup: Arc<Lookup>) -> PipelineInputs {
    let (word_size, byte_scores) = (options.word_size, ByteScoreTable::new(options));
    PipelineInputs { batch: Arc::clone(batch), lookup, word_size, byte_scores, chunks: Vec::new() }
}
