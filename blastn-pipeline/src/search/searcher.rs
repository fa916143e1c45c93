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

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};

use aligner_core::Device;
use aligner_core::buffer_pool::BufferPool;
use rayon::prelude::*;

use crate::database::Database;
use crate::error::{DeviceFailure, SearchError};
use crate::gapped;
use crate::gpu::device_group::DeviceGroup;
use crate::gpu::engine::Extent;
use crate::gpu::search_device::{LATER_WORKERS, SearchDevice};
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

/// Number of better alignments beyond the culling limit that are tolerated before final alignments are made, since
/// scores may still change. With a limit of 1 none is tolerated, as in NCBI's blastn.
const CULLING_RESERVE: usize = 3;

/// A batch with its lookup table.
type BatchAndLookup<'b> = (&'b Arc<QueryBatch>, &'b Arc<Lookup>);

/// What seeding finds, and the number of ungapped alignments of each query.
type Seeded<B> = (SeedHits<B>, Vec<u64>);

/// Searches a database with some options, on the CPU or on GPUs.
#[derive(Debug)]
pub struct Searcher<'a, W: Worker = GpuWorker> {
    database: &'a Database,
    options: SearchOptions,
    /// The GPUs, from when they are ready.
    devices: OnceLock<DeviceGroup<'a, W>>,
    /// Failure after which the GPUs were given up, if one failed.
    failure: OnceLock<DeviceFailure>,
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
        if let Device::Cuda(gpu) = device {
            let device = SearchDevice::new(&gpu, memory)?;
            searcher.join(vec![device])?;
        }
        Ok(searcher)
    }
}

impl<'a, W: Worker> Searcher<'a, W> {
    /// Prepares searches on devices, which share the database, as [`join`](Self::join) says; on the CPU, if there are none.
    ///
    /// # Errors
    /// If no statistics are known for the scores, or a device fails.
    pub fn with_devices(
        database: &'a Database,
        options: SearchOptions,
        devices: Vec<SearchDevice<W>>,
    ) -> Result<Self, SearchError> {
        let searcher = Self::on_cpu(database, options)?;
        searcher.join(devices)?;
        Ok(searcher)
    }

    /// Lets devices join: from now on they search, also for a batch that the CPU has begun with and has not half done. Another
    /// thread may call this during searches; results are the same. Does nothing if there are no devices, or others have joined.
    ///
    /// The first devices, as many as the database is large enough for, share it, each with about as many bases, of which it gets the
    /// first part.
    ///
    /// # Errors
    /// If a device fails, or has no kernels for the options. Then none joins.
    pub fn join(&self, devices: Vec<SearchDevice<W>>) -> Result<(), SearchError> {
        if devices.is_empty() {
            return Ok(());
        }
        self.check_kernels()?;
        let group = DeviceGroup::new(devices, self.database)?;
        // Those that have joined have the whole database.
        let _ = self.devices.set(group);
        Ok(())
    }

    /// Names of the devices that search: the GPUs that have a share of the database, or `cpu`.
    pub fn devices(&self) -> Vec<&str> {
        self.group().map_or_else(|| vec!["cpu"], DeviceGroup::names)
    }

    /// Prepares searches on the CPU, which devices may join.
    ///
    /// # Errors
    /// If no statistics are known for the scores.
    pub fn on_cpu(database: &'a Database, options: SearchOptions) -> Result<Self, SearchError> {
        options.check()?;
        let (devices, failure) = (OnceLock::new(), OnceLock::new());
        Ok(Self { database, options, devices, failure, buffers: BufferPool::default() })
    }

    /// Checks that there are kernels for the options.
    fn check_kernels(&self) -> Result<(), SearchError> {
        self.options.needs_cpu().map_or(Ok(()), |what| Err(SearchError::NeedsCpu { what }))
    }

    /// The failure after which searches went on without GPUs, if one failed. Results are the same.
    pub fn failure(&self) -> Option<&DeviceFailure> {
        self.failure.get()
    }

    /// The GPUs, unless one failed.
    fn group(&self) -> Option<&DeviceGroup<'a, W>> {
        self.devices.get().filter(|_| self.failure.get().is_none())
    }

    /// The value of a step on GPUs, or `None` if one failed, which is noted; then the CPU goes on.
    fn note_failure<T>(&self, result: Result<T, DeviceFailure>) -> Option<T> {
        result.map_err(|failure| self.failure.set(failure)).ok()
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

    /// Whether several batches can be seeded at a time: on GPUs whose shares stay in memory, and that have room for batches.
    pub(crate) fn seeds_several(&self) -> bool {
        self.group().is_some_and(DeviceGroup::seeds_several)
    }

    /// The number of GPUs that can search for batches of their own at the same time, each in all of the database; 1 if not all can.
    pub(crate) fn independent_devices(&self) -> usize {
        self.group().map_or(1, DeviceGroup::independent_devices)
    }

    /// The number of batches that may be prefiltered, extended and finished at the same time, if each takes [`room`](Self::room) for
    /// one. It grows when several GPUs join.
    pub fn later_batches(&self) -> usize {
        LATER_WORKERS * self.independent_devices()
    }

    /// For how many of [`later_batches`](Self::later_batches) a batch takes room: where GPUs can search for batches of their own, one
    /// for each that has searched for this one.
    pub fn room(&self, batch: &SeededBatch<W::Backend>) -> usize {
        match &batch.seeds {
            SeedHits::OnDevices(runs) if self.independent_devices() > 1 => runs.devices(),
            _ => 1,
        }
    }

    /// The approximate number of ungapped alignments of a batch for which each GPU has memory. It is 0 without a GPU,
    /// so that batches are as small as the caches of a CPU need them.
    pub(crate) fn hit_capacity(&self) -> u64 {
        self.group().map_or(0, DeviceGroup::hit_capacity)
    }

    /// Begins the search for a batch. A GPU finds its ungapped alignments; the CPU makes the whole preliminary search,
    /// gapped extension included, since it searches one subject after the other. The next batch may be seeded before
    /// this one goes on.
    pub fn seed(&self, queries: &[FastaRecord]) -> SeededBatch<W::Backend> {
        let batch = QueryBatch::new(queries, &self.options, self.database_size());
        self.seed_batch(batch, Extent::Share)
    }

    /// As [`Self::seed`], for queries whose batch parameters are known. With [`Extent::All`], one of several GPUs does it, if they can
    /// search for batches of their own.
    pub(crate) fn seed_batch(&self, batch: QueryBatch, extent: Extent) -> SeededBatch<W::Backend> {
        let batch = Arc::new(batch);
        let lookup = Arc::new(Lookup::of_options(&batch, &self.options));
        let (mut times, mut clock) = (SearchTimes::default(), Clock::new());
        let of_batch = (&batch, &lookup);
        let (seeds, ungapped_counts) = self
            .seeded_on_gpu(of_batch, extent)
            .or_else(|| self.seeded_on_cpu(of_batch))
            // The GPU has become ready, unless it fails.
            .or_else(|| self.seeded_on_gpu(of_batch, extent))
            .unwrap_or_else(|| self.searched_on_cpu(of_batch, None));
        match seeds {
            SeedHits::OnDevices(_) => times.seeding = clock.lap(),
            SeedHits::Preliminary(_) => times.preliminary = clock.lap(),
        }
        SeededBatch { batch, lookup, seeds, ungapped_counts, times }
    }

    /// The ungapped alignments that the GPU finds, and their number for each query; `None` without a GPU.
    fn seeded_on_gpu(
        &self,
        of_batch: BatchAndLookup<'_>,
        extent: Extent,
    ) -> Option<Seeded<W::Backend>> {
        let seeded = self.note_failure(self.group()?.seeded(&self.options, of_batch, extent))?;
        let mut ungapped_counts = vec![0; of_batch.0.queries()];
        for counts in seeded.iter().map(|run| &run.ungapped_counts) {
            ungapped_counts.iter_mut().zip(counts).for_each(|(all, own)| *all += u64::from(*own));
        }
        Some((SeedHits::OnDevices(seeded), ungapped_counts))
    }

    /// What the CPU finds; `None` if a GPU joins that is to search for the batch instead.
    fn seeded_on_cpu(&self, batch: BatchAndLookup<'_>) -> Option<Seeded<W::Backend>> {
        let is_ready = || self.group().is_some();
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
            SeedHits::OnDevices(hits) => {
                let mut clock = Clock::new();
                let byte_scores = ByteScoreTable::new(&self.options);
                let search = self.preliminary_search(&seeded.batch, &seeded.lookup, &byte_scores);
                let prefilter = |group: &DeviceGroup<'a, W>| {
                    self.note_failure(group.prefiltered(&search, hits, limit))
                };
                let kept = self.group().and_then(prefilter);
                seeded.times.prefilter = clock.lap();
                kept.map_or_else(
                    || SeedHits::Preliminary(self.by_subject(&search).0),
                    SeedHits::OnDevices,
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
            SeedHits::OnDevices(seeded) => {
                let extended = self.group().and_then(|group| {
                    let extended = self.note_failure(group.extended_gapped(
                        &search,
                        seeded,
                        self.preliminary_limit(),
                    ))?;
                    times.scores = clock.lap();
                    Some(extended.subjects(&search, self.database))
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
        let group = self.group();
        let ready = group
            .and_then(|group| self.note_failure(group.traced(&batch, &self.options, &found)))
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
        search.lookup.prepare();
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
        // Here, NCBI's program also tells E-values of alignments with gaps apart that it takes for equal before.
        let tells_apart = !self.options.is_ungapped;
        limited.sort_by(|(one, _), (other, _)| {
            let exactly = one.e_value.total_cmp(&other.e_value);
            let first = if tells_apart { exactly } else { Ordering::Equal };
            first.then(one.order(other))
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
