//! Searching a database for batches of queries.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use aligner_core::{Device, DeviceError};
use rayon::prelude::*;

use crate::culling;
use crate::database::Database;
use crate::engine::{Engine, Extended};
use crate::error::SearchError;
use crate::fasta::Record;
use crate::gapped::{self, Gapped};
use crate::hsp::Hsp;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::parts::Parts;
use crate::preliminary::{Search, Work};
use crate::queries::{Batch, Extent};
use crate::traceback::{self, Begin};
use crate::ungapped::Fours;
use crate::worker::{GpuWorker, Worker};

pub use crate::engine::Limits;

/// E-values below this count as equal.
const NOTHING: f64 = 1.0e-180;

/// How many more than the limit may dominate an alignment before it is made with columns: its score may
/// change. None if the limit is 1.
const MORE_FIRST: usize = 3;

/// Alignments of a query and a subject.
#[derive(Debug, Clone)]
pub struct Hit {
    /// The subject's number in the database.
    pub subject: usize,
    /// The best first; never empty.
    pub hsps: Vec<Hsp>,
}

impl Hit {
    /// The order in which subjects are reported.
    fn order(&self, other: &Self) -> Ordering {
        let best = |hit: &Self| hit.hsps.iter().map(|hsp| hsp.e_value).fold(f64::MAX, f64::min);
        let e_values = (best(self), best(other));
        let by_e_value = if e_values.0 < NOTHING && e_values.1 < NOTHING {
            Ordering::Equal
        } else {
            e_values.0.total_cmp(&e_values.1)
        };
        by_e_value
            .then(other.hsps[0].score.cmp(&self.hsps[0].score))
            .then(other.subject.cmp(&self.subject))
    }
}

/// What was found for a batch of queries.
#[derive(Debug)]
pub struct Results {
    /// The queries, with their statistics.
    pub batch: Arc<Batch>,
    /// Hits of each query, the best first.
    pub hits: Vec<Vec<Hit>>,
    /// Ungapped alignments that were extended with gaps: a measure of the work.
    pub extensions: u64,
    /// How long it took.
    pub times: Times,
}

/// Seconds of the parts of a search.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    /// Up to ungapped alignments, if a GPU finds them.
    pub seeding: f64,
    /// Extensions with gaps for the score, if a GPU makes them.
    pub scores: f64,
    /// All of the first stages that the host does, and which alignments are within others.
    pub preliminary: f64,
    /// Extensions with their columns, if a GPU makes them.
    pub traces: f64,
    /// What the host does of alignments with columns.
    pub traceback: f64,
}

impl Times {
    /// Adds those of another search.
    pub fn add(&mut self, other: &Self) {
        self.seeding += other.seeding;
        self.scores += other.scores;
        self.preliminary += other.preliminary;
        self.traces += other.traces;
        self.traceback += other.traceback;
    }
}

/// Seconds since a clock was last read.
struct Clock(Instant);

impl Clock {
    fn lap(&mut self) -> f64 {
        let seconds = self.0.elapsed().as_secs_f64();
        self.0 = Instant::now();
        seconds
    }
}

/// What was found first: hits of each query, and [`Results::extensions`].
struct Found {
    hits: Vec<Vec<Hit>>,
    extensions: u64,
}

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
        let worker = GpuWorker::new(&gpu)?;
        // The rest is for what a batch needs.
        let memory = memory.map_or_else(|| gpu.free_memory().map(|free| free / 2), Ok)?;
        // Both strands.
        let places = 2 * options.task.chunk();
        Self::with_worker(database, options, worker, Limits { memory, places })
    }
}

impl<'a, W: Worker> Searcher<'a, W> {
    /// Prepares searches by a device, within limits; puts the first part of the database on it.
    ///
    /// # Errors
    /// If there are no statistics for the scores, or the device fails.
    pub fn with_worker(
        database: &'a Database,
        options: Options,
        worker: W,
        limits: Limits,
    ) -> Result<Self, SearchError> {
        options.check()?;
        let engine = Some(Engine::new(worker, database, limits)?);
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

    /// The ungapped alignments of a part of the database, with what gaps make of them.
    fn extended(
        engine: &Engine<'a, W>,
        part: usize,
        search: &Search<'_>,
        queries: (&Arc<Batch>, &Arc<Lookup>),
        times: &mut Times,
    ) -> Result<Extended, DeviceError> {
        let mut clock = Clock(Instant::now());
        let hits = engine.ungapped(part, search, queries)?;
        times.seeding += clock.lap();
        let extended = engine.scored(part, search, hits)?;
        times.scores += clock.lap();
        Ok(extended)
    }

    /// Alignments of what was found, if the GPU makes them; those of each hit.
    fn traced(
        &self,
        engine: &Engine<'a, W>,
        batch: &Batch,
        found: &[(usize, Hit)],
    ) -> Result<Option<Vec<Vec<Option<Gapped>>>>, DeviceError> {
        let begins: Vec<Vec<Begin>> = found
            .par_iter()
            .map(|(_, hit)| {
                let subject = self.database.subject(hit.subject);
                traceback::begins(batch, &self.options, &subject, &hit.hsps)
            })
            .collect();
        let Some(all) = engine.traced(batch, &self.options, &begins.concat())? else {
            return Ok(None);
        };
        let mut rest = all.into_iter();
        let of_hit = |(_, hit): &(usize, Hit)| rest.by_ref().take(hit.hsps.len()).collect();
        Ok(Some(found.iter().map(of_hit).collect()))
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
        let extent = Extent { letters: self.database.letters(), sequences: self.database.len() };
        let batch = Arc::new(Batch::new(queries, &self.options, extent));
        let lookup = Arc::new(Lookup::new(&batch, self.options.word));
        let mut times = Times::default();
        let (found, extensions) = self.preliminary(&batch, &lookup, &mut times);
        let mut clock = Clock(Instant::now());
        let engine = self.engine();
        let ready = engine.and_then(|engine| self.noted(self.traced(engine, &batch, &found)));
        let ready = ready.flatten();
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

    /// The most promising subjects of each query, with preliminary alignments, query by query.
    fn preliminary(
        &self,
        batch: &Arc<Batch>,
        lookup: &Arc<Lookup>,
        times: &mut Times,
    ) -> (Vec<(usize, Hit)>, u64) {
        let fours = Fours::new(&self.options);
        let search = Search { batch, lookup, options: &self.options, fours: &fours };
        let mut found = Found { hits: vec![Vec::new(); batch.queries()], extensions: 0 };
        let (mut first, mut extended) = (0, Extended::default());
        let mut clock = Clock(Instant::now());
        if let Some(engine) = self.engine() {
            for (number, part) in engine.parts().all().iter().enumerate() {
                let made = Self::extended(engine, number, &search, (batch, lookup), times);
                let Some(made) = self.noted(made) else { break };
                extended.append(made);
                clock.lap();
                let ready = Some((engine.parts(), &extended));
                self.subjects(first..part.subjects, &search, ready, &mut found);
                first = part.subjects;
                extended.drop_before(engine.parts().first_chunk(first));
                times.preliminary += clock.lap();
            }
        }
        clock.lap();
        // All of them if there is no GPU, and what it did not come to if it failed.
        self.subjects(first..self.database.len(), &search, None, &mut found);
        for hits in &mut found.hits {
            if let Some(limit) = self.options.culling {
                culling::cull(hits, batch, if limit > 1 { limit + MORE_FIRST } else { limit });
                self.keep_best(hits);
            }
        }
        let hits = (0..).zip(found.hits);
        let hits = hits.flat_map(|(query, hits)| hits.into_iter().map(move |hit| (query, hit)));
        let hits = hits.collect();
        times.preliminary += clock.lap();
        (hits, found.extensions)
    }

    /// Adds preliminary alignments of some subjects.
    fn subjects(
        &self,
        numbers: Range<usize>,
        search: &Search<'_>,
        ready: Option<(&Parts, &Extended)>,
        found: &mut Found,
    ) {
        let per_subject: Vec<(Vec<(usize, Hit)>, u64)> = numbers
            .into_par_iter()
            .map_init(Work::default, |work, number| {
                let ready = ready.map(|(parts, extended)| extended.chunks(parts.chunks(number)));
                let found = search.subject(&self.database.subject(number), ready.as_deref(), work);
                let hits = found.of_queries.into_iter();
                let hits = hits.map(|(query, hsps)| (query, Hit { subject: number, hsps }));
                (hits.collect(), found.extensions)
            })
            .collect();
        for (of_queries, of_subject) in per_subject {
            found.extensions += of_subject;
            for (query, hit) in of_queries {
                found.hits[query].push(hit);
            }
        }
        // What is culled depends on all subjects.
        if self.options.culling.is_none() {
            found.hits.iter_mut().for_each(|hits| self.keep_best(hits));
        }
    }

    /// Keeps the most promising subjects of a query.
    fn keep_best(&self, hits: &mut Vec<Hit>) {
        if hits.len() > self.options.preliminary_targets() {
            hits.sort_by(Hit::order);
            hits.truncate(self.options.preliminary_targets());
        }
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
