//! The search of a database, from batches of queries to results.
//!
//! ```text
//!   queries --seed--> SeededBatch --prefilter--> SeededBatch --extend_gapped--> ScoredBatch --finish--> SearchResults
//!
//!   GPU       words,               hopeless pairs             gapped                         alignments
//!             ungapped             dropped                    scores                         with columns
//!   CPU       words, ungapped,     nothing                    nothing                        alignments
//!             gapped scores                                                                  with columns
//! ```
//!
//! Each stage of a batch may run on another thread while the next batch is in an earlier stage.

use std::sync::{Arc, OnceLock};

use aligner_core::buffer_pool::BufferPool;
use aligner_core::{Device, DeviceError};
use rayon::prelude::*;

use crate::database::Database;
use crate::error::SearchError;
use crate::gapped;
use crate::gpu::engine::DeviceEngine;
use crate::gpu::limits::{self, Limits};
use crate::gpu::worker::{GpuWorker, Worker};
use crate::hsp::best_hit::{self, BestHit};
use crate::hsp::ranking::SubjectRank;
use crate::hsp::subject_hit::SubjectHit;
use crate::hsp::{Hsp, culling, ranking};
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::search::batch_states::{ScoredBatch, SearchResults, SeedHits, SeededBatch};
use crate::search::handover::Handover;
use crate::search::preliminary::{PreliminaryBuffers, PreliminaryHits, PreliminarySearch};
use crate::search::times::{Clock, SearchTimes};
use crate::search::traceback;
use crate::seed::lookup::Lookup;
use crate::sequence::fasta::FastaRecord;
use crate::statistics::DatabaseSize;
use crate::ungapped::extension::ByteScoreTable;

/// Number of batches that may be prefiltered, extended and finished at the same time on a GPU, each on a stream of
/// its own.
pub const WORKERS: usize = 4;

/// Number of better alignments beyond the culling limit that are tolerated before final alignments are made, since
/// scores may still change. With a limit of 1 none is tolerated, as in NCBI's blastn.
const CULLING_RESERVE: usize = 3;

/// A batch with its lookup table.
type BatchAndLookup<'b> = (&'b Arc<QueryBatch>, &'b Arc<Lookup>);

/// What seeding finds, and the number of ungapped alignments of each query.
type Seeded<B> = (SeedHits<B>, Vec<u64>);

/// Searches a database with some options, on the CPU or on a GPU.
#[derive(Debug)]
pub struct Searcher<'a, W: Worker = GpuWorker> {
    database: &'a Database,
    options: SearchOptions,
    /// The GPU, from when it is ready.
    engine: OnceLock<DeviceEngine<'a, W>>,
    /// Error after which the GPU was given up, if it failed.
    failure: OnceLock<DeviceError>,
    /// Buffers of the search on the CPU.
    buffers: BufferPool<PreliminaryBuffers>,
}

impl<'a> Searcher<'a> {
    /// Prepares searches on the CPU or on a GPU. For a GPU, uploads the database, or the first part that fits into
    /// `memory` bytes of device memory, by default half of the free memory.
    ///
    /// # Errors
    /// If no statistics are known for the scores, or the device fails.
    pub fn new(
        database: &'a Database,
        options: SearchOptions,
        device: Device,
        memory: Option<u64>,
    ) -> Result<Self, SearchError> {
        let searcher = Self::on_cpu(database, options)?;
        searcher.join(device, memory)?;
        Ok(searcher)
    }

    /// Lets a GPU join: from now on it searches, also for a batch that the CPU has begun with and has not half done. Another
    /// thread may call this during searches; results are the same. `memory` is that of [`new`](Self::new). Does nothing
    /// if the device is the CPU.
    ///
    /// # Errors
    /// If the GPU fails, or has no kernels for the options. Then it does not join.
    pub fn join(&self, device: Device, memory: Option<u64>) -> Result<(), SearchError> {
        let Device::Cuda(gpu) = device else { return Ok(()) };
        self.check_kernels()?;
        let worker = |_| GpuWorker::new(&gpu.with_own_stream()?);
        let later_workers = (0..WORKERS).map(worker).collect::<Result<_, _>>()?;
        let free = gpu.free_memory()?;
        let memory = memory.unwrap_or(free / 2);
        // The other half is for batches: one for each worker, and one that is being seeded.
        let hits = free.saturating_sub(memory) / (WORKERS as u64 + 1) / limits::BYTES_A_HIT;
        // Both strands are looked up.
        let piece_letters = 2 * self.options.task.max_batch_bases();
        let limits = Limits { memory, piece_letters, hits };
        Ok(self.join_workers((GpuWorker::new(&gpu)?, later_workers), limits)?)
    }
}

impl<'a, W: Worker> Searcher<'a, W> {
    /// Prepares searches on a device within limits, and uploads the first part of the database. The first worker seeds
    /// batches; the `later_workers`, at least one, prefilter, extend and finish them.
    ///
    /// # Errors
    /// If no statistics are known for the scores, or the device fails.
    pub fn with_workers(
        database: &'a Database,
        options: SearchOptions,
        workers: (W, Vec<W>),
        limits: Limits,
    ) -> Result<Self, SearchError> {
        let searcher = Self::on_cpu(database, options)?;
        searcher.check_kernels()?;
        searcher.join_workers(workers, limits)?;
        Ok(searcher)
    }

    /// As [`join`](Searcher::join), for the workers and limits of [`with_workers`](Self::with_workers).
    ///
    /// # Errors
    /// If the device fails.
    pub fn join_workers(
        &self,
        (seeds, later_workers): (W, Vec<W>),
        limits: Limits,
    ) -> Result<(), DeviceError> {
        let engine = DeviceEngine::new(seeds, later_workers, self.database, limits)?;
        // A second device would have nothing to do.
        let _ = self.engine.set(engine);
        Ok(())
    }

    /// Prepares searches on the CPU, which a device may join.
    ///
    /// # Errors
    /// If no statistics are known for the scores.
    pub fn on_cpu(database: &'a Database, options: SearchOptions) -> Result<Self, SearchError> {
        options.check()?;
        let (engine, failure) = (OnceLock::new(), OnceLock::new());
        Ok(Self { database, options, engine, failure, buffers: BufferPool::default() })
    }

    /// Checks that there are kernels for the options.
    fn check_kernels(&self) -> Result<(), SearchError> {
        self.options.needs_cpu().map_or(Ok(()), |what| Err(SearchError::NeedsCpu { what }))
    }

    /// The error after which searches went on without the GPU, if it failed. Results are the same.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.get()
    }

    /// The GPU, unless it failed.
    fn engine(&self) -> Option<&DeviceEngine<'a, W>> {
        self.engine.get().filter(|_| self.failure.get().is_none())
    }

    /// The value of a step on the GPU, or `None` if the GPU failed, which is noted; then the CPU goes on.
    fn note_failure<T>(&self, result: Result<T, DeviceError>) -> Option<T> {
        result.map_err(|error| self.failure.set(error)).ok()
    }

    /// The options of all searches.
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// The database that is searched.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// Searches the database for one batch of queries, on the current rayon pool. Results depend on the queries that
    /// are searched together, as in NCBI's blastn, but not on threads or device.
    pub fn search(&self, queries: &[FastaRecord]) -> SearchResults {
        self.finish(queries, self.extend_gapped(self.prefilter(self.seed(queries))))
    }

    /// The size of the database.
    pub(crate) fn database_size(&self) -> DatabaseSize {
        self.database.size()
    }

    /// The approximate number of ungapped alignments of a batch for which the GPU has memory. It is 0 without a GPU,
    /// so that batches are as small as the caches of a CPU need them.
    pub(crate) fn hit_capacity(&self) -> u64 {
        self.engine().map_or(0, DeviceEngine::hit_capacity)
    }

    /// Begins the search for a batch. A GPU finds its ungapped alignments; the CPU makes the whole preliminary search,
    /// gapped extension included, since it searches one subject after the other. The next batch may be seeded before
    /// this one goes on.
    pub fn seed(&self, queries: &[FastaRecord]) -> SeededBatch<W::Backend> {
        self.seed_batch(QueryBatch::new(queries, &self.options, self.database_size()))
    }

    /// As [`Self::seed`], for queries whose batch parameters are known.
    pub(crate) fn seed_batch(&self, batch: QueryBatch) -> SeededBatch<W::Backend> {
        let batch = Arc::new(batch);
        let lookup = Arc::new(Lookup::of_options(&batch, &self.options));
        let (mut times, mut clock) = (SearchTimes::default(), Clock::new());
        let of_batch = (&batch, &lookup);
        let (seeds, ungapped_counts) = self
            .seeded_on_gpu(of_batch)
            .or_else(|| self.seeded_on_cpu(of_batch))
            // The GPU has become ready, unless it fails.
            .or_else(|| self.seeded_on_gpu(of_batch))
            .unwrap_or_else(|| self.searched_on_cpu(of_batch, None));
        match seeds {
            SeedHits::OnDevice(_) => times.seeding = clock.lap(),
            SeedHits::Preliminary(_) => times.preliminary = clock.lap(),
        }
        SeededBatch { batch, lookup, seeds, ungapped_counts, times }
    }

    /// The ungapped alignments that the GPU finds, and their number for each query; `None` without a GPU.
    fn seeded_on_gpu(&self, (batch, lookup): BatchAndLookup<'_>) -> Option<Seeded<W::Backend>> {
        let seeded = self.note_failure(self.engine()?.seeded(&self.options, (batch, lookup)))?;
        let mut ungapped_counts = vec![0; batch.queries()];
        for counts in seeded.iter().map(|run| &run.ungapped_counts) {
            ungapped_counts.iter_mut().zip(counts).for_each(|(all, own)| *all += u64::from(*own));
        }
        Some((SeedHits::OnDevice(seeded), ungapped_counts))
    }

    /// What the CPU finds; `None` if a GPU joins that is to search for the batch instead.
    fn seeded_on_cpu(&self, batch: BatchAndLookup<'_>) -> Option<Seeded<W::Backend>> {
        let is_ready = || self.engine().is_some();
        let handover = Handover::new(&is_ready, self.database.letters());
        let found = self.searched_on_cpu(batch, Some(&handover));
        (!handover.is_done()).then_some(found)
    }

    /// The preliminary search by the CPU.
    fn searched_on_cpu(
        &self,
        (batch, lookup): BatchAndLookup<'_>,
        handover: Option<&Handover<'_>>,
    ) -> Seeded<W::Backend> {
        let byte_scores = ByteScoreTable::new(&self.options);
        let search = self.preliminary_search(batch, lookup, &byte_scores);
        let (hits, counts) = self.by_subject(&PreliminarySearch { handover, ..search });
        (SeedHits::Preliminary(hits), counts)
    }

    /// Drops hits of pairs of a query and a subject that cannot be among the best of the query, on a GPU; without
    /// one, does nothing. The step may be left out: results are the same.
    pub fn prefilter(&self, mut seeded: SeededBatch<W::Backend>) -> SeededBatch<W::Backend> {
        let Some(limit) = self.preliminary_limit() else {
            return seeded;
        };
        seeded.seeds = match seeded.seeds {
            SeedHits::Preliminary(hits) => SeedHits::Preliminary(hits),
            SeedHits::OnDevice(hits) => {
                let mut clock = Clock::new();
                let byte_scores = ByteScoreTable::new(&self.options);
                let search = self.preliminary_search(&seeded.batch, &seeded.lookup, &byte_scores);
                let prefilter = |engine: &DeviceEngine<'a, W>| {
                    self.note_failure(engine.prefiltered(&search, hits, limit))
                };
                let kept = self.engine().and_then(prefilter);
                seeded.times.prefilter = clock.lap();
                kept.map_or_else(
                    || SeedHits::Preliminary(self.by_subject(&search).0),
                    SeedHits::OnDevice,
                )
            }
        };
        seeded
    }

    /// Extends the ungapped alignments that a GPU has found with gaps, for their scores and ends alone. What the CPU
    /// found in [`Self::seed`] is passed on as it is.
    pub fn extend_gapped(&self, seeded: SeededBatch<W::Backend>) -> ScoredBatch {
        let SeededBatch { batch, lookup, seeds, ungapped_counts, mut times } = seeded;
        let byte_scores = ByteScoreTable::new(&self.options);
        let search = self.preliminary_search(&batch, &lookup, &byte_scores);
        let mut clock = Clock::new();
        let hits = match seeds {
            SeedHits::Preliminary(hits) => hits,
            SeedHits::OnDevice(seeded) => {
                let extended = self.engine().and_then(|engine| {
                    let extended = self.note_failure(engine.extended_gapped(
                        &search,
                        seeded,
                        self.preliminary_limit(),
                    ))?;
                    times.scores = clock.lap();
                    Some(extended.subjects(&search, self.database, engine.parts().origins()))
                });
                extended.unwrap_or_else(|| self.by_subject(&search).0)
            }
        };
        times.preliminary += clock.lap();
        ScoredBatch { batch, hits, ungapped_counts, times }
    }

    /// Makes the alignments of the best subjects of each query, with columns, and applies the limits of the options.
    /// `queries` are those of the batch.
    pub fn finish(&self, queries: &[FastaRecord], scored: ScoredBatch) -> SearchResults {
        let ScoredBatch { batch, hits, ungapped_counts, mut times } = scored;
        let mut clock = Clock::new();
        let found = self.best_subjects(&batch, hits);
        times.preliminary += clock.lap();
        let engine = self.engine();
        let ready = engine
            .and_then(|engine| self.note_failure(engine.traced(&batch, &self.options, &found)))
            .flatten();
        times.traces = clock.lap();
        let aligned: Vec<(usize, SubjectHit)> = found
            .into_par_iter()
            .enumerate()
            .map_init(gapped::GappedBuffers::default, |work, (number, (query, hit))| {
                if self.options.is_ungapped {
                    return (query, hit);
                }
                let subject = self.database.subject(hit.subject);
                let ready = ready.as_ref().map(|ready| ready[number].as_slice());
                let hsps =
                    traceback::align(&batch, &self.options, &subject, &hit.hsps, ready, work);
                (query, SubjectHit { subject: hit.subject, hsps })
            })
            .collect();
        let mut hits: Vec<Vec<SubjectHit>> = vec![Vec::new(); queries.len()];
        for (query, hit) in aligned {
            if !hit.hsps.is_empty() {
                hits[query].push(hit);
            }
        }
        for (hits, query) in hits.iter_mut().zip(queries) {
            hits.sort_by(SubjectHit::order);
            if hits.len() > self.options.max_targets {
                // Only alignments of subjects that can be reported cull others.
                hits.truncate(self.options.max_targets);
                // NCBI's program has compared subjects by E-value then, and puts their alignments in this order for that.
                for hit in hits.iter_mut() {
                    hit.hsps.sort_by(Hsp::by_e_value);
                }
            }
            if let Some(limit) = self.options.culling_limit {
                let by_e_value = |hit: &mut SubjectHit| hit.hsps.sort_by(Hsp::by_e_value);
                hits.iter_mut().for_each(by_e_value);
                culling::cull(hits, &batch, limit);
                for hit in hits.iter_mut() {
                    hit.hsps.sort_by(Hsp::by_score);
                }
                hits.sort_by(SubjectHit::order);
            }
            if let Some(best_hit) = self.options.best_hit {
                let most = self.options.preliminary_targets();
                hits.sort_by_key(|hit| hit.subject);
                best_hit::keep_best(hits, &batch, best_hit, most);
                hits.sort_by(SubjectHit::order);
            }
            self.limit(hits, (query.letters.len(), &batch));
        }
        times.traceback = clock.lap();
        SearchResults { batch, hits, ungapped_counts, times }
    }

    /// The number of best subjects of a query that matter, or `None` with culling and best hits, which depend on all
    /// subjects.
    fn preliminary_limit(&self) -> Option<usize> {
        let depends_on_all =
            self.options.culling_limit.is_some() || self.options.best_hit.is_some();
        (!depends_on_all).then(|| self.options.preliminary_targets())
    }

    /// The context of a preliminary search.
    fn preliminary_search<'s>(
        &'s self,
        batch: &'s QueryBatch,
        lookup: &'s Lookup,
        byte_scores: &'s ByteScoreTable,
    ) -> PreliminarySearch<'s> {
        PreliminarySearch { batch, lookup, options: &self.options, byte_scores, handover: None }
    }

    /// The best subjects of each query by preliminary scores, query by query, each with the number of its query. With
    /// culling, these are all subjects with an alignment that is not culled.
    fn best_subjects(
        &self,
        batch: &QueryBatch,
        mut hits: Vec<Vec<SubjectHit>>,
    ) -> Vec<(usize, SubjectHit)> {
        let most = self.options.preliminary_targets();
        if let Some(best_hit) = self.options.best_hit {
            // The preliminary ends of alignments are not exact, and get no overhang.
            let best_hit = BestHit { overhang: 0.0, ..best_hit };
            hits.par_iter_mut().for_each(|hits| {
                hits.sort_by_key(|hit| hit.subject);
                best_hit::keep_best(hits, batch, best_hit, most);
            });
        }
        hits.par_iter_mut().for_each(|hits| match self.options.culling_limit {
            Some(1) => culling::cull(hits, batch, 1),
            Some(limit) => culling::cull(hits, batch, limit.saturating_add(CULLING_RESERVE)),
            None => ranking::keep_first(hits, most, SubjectHit::order),
        });
        let of_query =
            |(query, hits): (usize, Vec<SubjectHit>)| hits.into_iter().map(move |hit| (query, hit));
        (0..).zip(hits).flat_map(of_query).collect()
    }

    /// Searches on the CPU, subject by subject: the subjects of each query with preliminary alignments, and the
    /// number of ungapped alignments of each query.
    fn by_subject(&self, search: &PreliminarySearch<'_>) -> (Vec<Vec<SubjectHit>>, Vec<u64>) {
        let of_subjects: Vec<PreliminaryHits> = (0..self.database.len())
            .into_par_iter()
            .map(|number| search.subject(&self.database.subject(number), &self.buffers))
            .collect();
        let mut hits: Vec<Vec<SubjectHit>> = vec![Vec::new(); search.batch.queries()];
        let mut ungapped_counts = vec![0; search.batch.queries()];
        for (subject, found) in of_subjects.into_iter().enumerate() {
            for (query, count) in found.ungapped_counts {
                ungapped_counts[query] += count;
            }
            for (query, hsps) in found.by_query {
                hits[query].push(SubjectHit { subject, hsps });
            }
        }
        (hits, ungapped_counts)
    }

    /// Applies the limits on alignments of each subject. `query` is the length of the query in bases.
    ///
    /// Subjects are ordered once more, as in NCBI's blastn: still by the least E-value of all their alignments, but by
    /// the best score of those that are left. Only then are the alignments of a subject put in the order of E-values.
    fn limit(&self, hits: &mut Vec<SubjectHit>, (query, batch): (usize, &QueryBatch)) {
        let limited = std::mem::take(hits).into_iter().filter_map(|mut hit| {
            let e_value = hit.rank().e_value;
            if let Some(alignments) = self.options.max_hsps {
                hit.hsps.truncate(alignments);
            }
            if self.options.min_coverage > 0.0 {
                hit.hsps.retain(|hsp| covered(hsp, query) >= self.options.min_coverage);
            }
            if self.options.is_subject_best_hit {
                best_hit::keep_best_of_subject(&mut hit.hsps, batch);
            }
            (!hit.hsps.is_empty()).then(|| (SubjectRank { e_value, ..hit.rank() }, hit))
        });
        let mut limited: Vec<(SubjectRank, SubjectHit)> = limited.collect();
        // Here, NCBI's program also tells E-values apart that it takes for equal before.
        limited.sort_by(|(one, _), (other, _)| {
            one.e_value.total_cmp(&other.e_value).then(one.order(other))
        });
        hits.extend(limited.into_iter().map(|(_, mut hit)| {
            hit.hsps.sort_by(Hsp::by_e_value);
            hit
        }));
    }
}

/// The percentage of a query's bases that an alignment covers, rounded as in NCBI's `Blast_HSPGetQueryCoverage`
/// (`blast_hits.c`).
pub(crate) fn covered(hsp: &Hsp, query: usize) -> f64 {
    let covered = f64::from(hsp.query.1 - hsp.query.0) * 100.0 / query as f64;
    if covered < 99.0 { covered + 0.5 } else { covered }
}
