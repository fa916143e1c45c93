//! Searching a database for batches of queries.

use std::sync::{Arc, OnceLock};

use aligner_core::{Device, DeviceError};
use rayon::prelude::*;

use crate::database::Database;
use crate::error::SearchError;
use crate::gapped;
use crate::gpu::engine::Engine;
use crate::gpu::limits::{self, Limits};
use crate::gpu::worker::{GpuWorker, Worker};
use crate::hsp::subject_hit::Hit;
use crate::hsp::{Hsp, culling, ranking};
use crate::options::Options;
use crate::query::batch::{Batch, Extent};
use crate::search::preliminary::{self, Search, Work};
use crate::search::batch_states::{Results, Scored, Seeded, Seeds};
use crate::search::times::{Clock, Times};
use crate::search::traceback;
use crate::seed::lookup::Lookup;
use crate::sequence::fasta::Record;
use crate::ungapped::extension::Fours;

/// Searches that a GPU may go on with beside each other, once they are seeded.
pub const LANES: usize = 4;

/// How many more than the limit may dominate an alignment before it is made with columns: its score may
/// change. None if the limit is 1.
const MORE_FIRST: usize = 3;

/// A database to search, and how.
#[derive(Debug)]
pub struct Searcher<'a, W: Worker = GpuWorker> {
    database: &'a Database,
    options: Options,
    engine: Option<Engine<'a, W>>,
    /// Why the GPU was given up, if it was.
    failure: OnceLock<DeviceError>,
}

impl<'a> Searcher<'a> {
    /// Prepares searches; for a GPU, puts the database on it, or as much of it as fits into `memory` bytes,
    /// by default half of what is free.
    ///
    /// # Errors
    /// If there are no statistics for the scores, or the device fails.
    pub fn new(
        database: &'a Database,
        options: Options,
        device: Device,
        memory: Option<u64>,
    ) -> Result<Self, SearchError> {
        options.check()?;
        let Device::Cuda(gpu) = device else {
            return Ok(Self { database, options, engine: None, failure: OnceLock::new() });
        };
        let beside = |_| GpuWorker::new(&gpu.with_own_stream()?);
        let others = (0..LANES).map(beside).collect::<Result<_, _>>()?;
        let free = gpu.free_memory()?;
        let memory = memory.unwrap_or(free / 2);
        // The rest is for batches: each lane has one, and one is seeded.
        let hits = free.saturating_sub(memory) / (LANES as u64 + 1) / limits::BYTES_A_HIT;
        // Both strands.
        let places = 2 * options.task.chunk();
        Self::with_workers(
            database,
            options,
            (GpuWorker::new(&gpu)?, others),
            Limits { memory, places, hits },
        )
    }
}

impl<'a, W: Worker> Searcher<'a, W> {
    /// Prepares searches by a device, within limits; puts the first part of the database on it. One worker
    /// seeds searches; the others, of which there must be one, sift what was found, extend, and finish them.
    ///
    /// # Errors
    /// If there are no statistics for the scores, or the device fails.
    pub fn with_workers(
        database: &'a Database,
        options: Options,
        (seeds, others): (W, Vec<W>),
        limits: Limits,
    ) -> Result<Self, SearchError> {
        options.check()?;
        let engine = Some(Engine::new(seeds, others, database, limits)?);
        Ok(Self { database, options, engine, failure: OnceLock::new() })
    }

    /// Why searches went on without the GPU, if it failed. What is found is the same.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.get()
    }

    /// The GPU, unless it failed.
    fn engine(&self) -> Option<&Engine<'a, W>> {
        self.engine.as_ref().filter(|_| self.failure.get().is_none())
    }

    /// What the GPU made, or nothing if it failed; then the CPU goes on.
    fn noted<T>(&self, made: Result<T, DeviceError>) -> Option<T> {
        made.map_err(|error| self.failure.set(error)).ok()
    }

    /// What is searched for and how.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The database.
    pub fn database(&self) -> &'a Database {
        self.database
    }

    /// Searches for queries, on the current rayon pool. What is found depends on the queries of the
    /// batch, not on the threads.
    pub fn search(&self, queries: &[Record]) -> Results {
        self.finish(queries, self.extend(self.sift(self.seed(queries))))
    }

    /// How much there is to search in.
    pub(crate) fn extent(&self) -> Extent {
        Extent { letters: self.database.letters(), sequences: self.database.len() }
    }

    /// Ungapped alignments of a batch for which the GPU has room, about; 0 without one, as caches ask for portions.
    pub(crate) fn hits(&self) -> u64 {
        self.engine().map_or(0, Engine::hits)
    }

    /// Begins to search, until it is known how much is found. The next batch may be seeded before this one is
    /// sifted.
    pub fn seed(&self, queries: &[Record]) -> Seeded<W::Backend> {
        self.seeded(Batch::new(queries, &self.options, self.extent()))
    }

    /// The same of queries in the manner of their batch.
    pub(crate) fn seeded(&self, batch: Batch) -> Seeded<W::Backend> {
        let batch = Arc::new(batch);
        let lookup = Arc::new(Lookup::new(&batch, self.options.word));
        let (mut times, mut clock) = (Times::default(), Clock::new());
        let on_device = self
            .engine()
            .and_then(|engine| self.noted(engine.seeded(&self.options, (&batch, &lookup))));
        let (seeds, extensions) = if let Some(seeded) = on_device {
            times.seeding = clock.lap();
            let mut extensions = vec![0; batch.queries()];
            for counts in seeded.iter().map(|run| &run.counts) {
                extensions.iter_mut().zip(counts).for_each(|(all, own)| *all += u64::from(*own));
            }
            (Seeds::OnDevice(seeded), extensions)
        } else {
            let fours = Fours::new(&self.options);
            let (hits, extensions) = self.by_subject(&self.with(&batch, &lookup, &fours));
            times.preliminary = clock.lap();
            (Seeds::Subjects(hits), extensions)
        };
        Seeded { batch, lookup, seeds, extensions, times }
    }

    /// Leaves out what cannot be among the best, if a GPU tells. The next batch may be sifted before this one is
    /// extended; one that was not sifted may be extended, too.
    pub fn sift(&self, mut seeded: Seeded<W::Backend>) -> Seeded<W::Backend> {
        let Some(most) = self.most() else {
            return seeded;
        };
        seeded.seeds = match seeded.seeds {
            Seeds::Subjects(hits) => Seeds::Subjects(hits),
            Seeds::OnDevice(hits) => {
                let mut clock = Clock::new();
                let fours = Fours::new(&self.options);
                let search = self.with(&seeded.batch, &seeded.lookup, &fours);
                let sift = |engine: &Engine<'a, W>| self.noted(engine.sifted(&search, hits, most));
                let sifted = self.engine().and_then(sift);
                seeded.times.sifting = clock.lap();
                sifted.map_or_else(|| Seeds::Subjects(self.by_subject(&search).0), Seeds::OnDevice)
            }
        };
        seeded
    }

    /// Goes on until alignments are known but for their columns. The next batch may be extended before this one
    /// is finished.
    pub fn extend(&self, seeded: Seeded<W::Backend>) -> Scored {
        let Seeded { batch, lookup, seeds, extensions, mut times } = seeded;
        let fours = Fours::new(&self.options);
        let search = self.with(&batch, &lookup, &fours);
        let mut clock = Clock::new();
        let hits = match seeds {
            Seeds::Subjects(hits) => hits,
            Seeds::OnDevice(seeded) => {
                let extended = self.engine().and_then(|engine| {
                    let extended = self.noted(engine.extended(&search, seeded, self.most()))?;
                    times.scores = clock.lap();
                    Some(extended.subjects(&search, self.database, engine.parts().origins()))
                });
                extended.unwrap_or_else(|| self.by_subject(&search).0)
            }
        };
        times.preliminary += clock.lap();
        Scored { batch, hits, extensions, times }
    }

    /// Finishes the search for these queries.
    pub fn finish(&self, queries: &[Record], scored: Scored) -> Results {
        let Scored { batch, hits, extensions, mut times } = scored;
        let mut clock = Clock::new();
        let found = self.best(&batch, hits);
        times.preliminary += clock.lap();
        let engine = self.engine();
        let ready = engine
            .and_then(|engine| self.noted(engine.traced(&batch, &self.options, &found)))
            .flatten();
        times.traces = clock.lap();
        let aligned: Vec<(usize, Hit)> = found
            .into_par_iter()
            .enumerate()
            .map_init(gapped::Work::default, |work, (number, (query, hit))| {
                let subject = self.database.subject(hit.subject);
                let ready = ready.as_ref().map(|ready| ready[number].as_slice());
                let hsps =
                    traceback::align(&batch, &self.options, &subject, &hit.hsps, ready, work);
                (query, Hit { subject: hit.subject, hsps })
            })
            .collect();
        let mut hits: Vec<Vec<Hit>> = vec![Vec::new(); queries.len()];
        for (query, hit) in aligned {
            if !hit.hsps.is_empty() {
                hits[query].push(hit);
            }
        }
        for (hits, query) in hits.iter_mut().zip(queries) {
            hits.sort_by(Hit::order);
            if let Some(limit) = self.options.culling {
                culling::cull(hits, &batch, limit);
                hits.sort_by(Hit::order);
            }
            hits.truncate(self.options.targets);
            self.limit(hits, query.letters.len());
        }
        times.traceback = clock.lap();
        Results { batch, hits, extensions, times }
    }

    /// How many subjects of a query matter, if not all do: what is culled depends on all of them.
    fn most(&self) -> Option<usize> {
        self.options.culling.is_none().then(|| self.options.preliminary_targets())
    }

    fn with<'s>(&'s self, batch: &'s Batch, lookup: &'s Lookup, fours: &'s Fours) -> Search<'s> {
        Search { batch, lookup, options: &self.options, fours }
    }

    /// The most promising subjects of each query, with preliminary alignments, query by query.
    fn best(&self, batch: &Batch, mut hits: Vec<Vec<Hit>>) -> Vec<(usize, Hit)> {
        let most = self.options.preliminary_targets();
        hits.par_iter_mut().for_each(|hits| {
            if let Some(limit) = self.options.culling {
                culling::cull(hits, batch, if limit > 1 { limit + MORE_FIRST } else { limit });
            }
            ranking::keep_first(hits, most, Hit::order);
        });
        let of_query =
            |(query, hits): (usize, Vec<Hit>)| hits.into_iter().map(move |hit| (query, hit));
        (0..).zip(hits).flat_map(of_query).collect()
    }

    /// The subjects of each query with preliminary alignments, found on the CPU, and how many ungapped
    /// ones of each were extended.
    fn by_subject(&self, search: &Search<'_>) -> (Vec<Vec<Hit>>, Vec<u64>) {
        let of_subjects: Vec<preliminary::Found> = (0..self.database.len())
            .into_par_iter()
            .map_init(Work::default, |work, number| {
                search.subject(&self.database.subject(number), work)
            })
            .collect();
        let mut hits: Vec<Vec<Hit>> = vec![Vec::new(); search.batch.queries()];
        let mut extensions = vec![0; search.batch.queries()];
        for (subject, found) in of_subjects.into_iter().enumerate() {
            for (query, count) in found.extensions {
                extensions[query] += count;
            }
            for (query, hsps) in found.of_queries {
                hits[query].push(Hit { subject, hsps });
            }
        }
        (hits, extensions)
    }

    /// Applies limits that concern what is reported of each subject.
    fn limit(&self, hits: &mut Vec<Hit>, query: usize) {
        for hit in hits.iter_mut() {
            if let Some(alignments) = self.options.alignments {
                hit.hsps.truncate(alignments);
            }
            if self.options.coverage > 0.0 {
                hit.hsps.retain(|hsp| covered(hsp, query) >= self.options.coverage);
            }
        }
        hits.retain(|hit| !hit.hsps.is_empty());
    }
}

/// The percentage of a query's bases that an alignment covers, rounded as NCBI's blastn compares it.
fn covered(hsp: &Hsp, query: usize) -> f64 {
    let covered = f64::from(hsp.query.1 - hsp.query.0) * 100.0 / query as f64;
    if covered < 99.0 { covered + 0.5 } else { covered }
}
