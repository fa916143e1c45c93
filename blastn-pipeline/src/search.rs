//! Searching a database for batches of queries.

use std::cmp::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use aligner_core::{Device, DeviceError};
use rayon::prelude::*;

use crate::culling;
use crate::database::Database;
use crate::error::SearchError;
use crate::extensions::Extender;
use crate::fasta::Record;
use crate::gapped::{self, Gapped};
use crate::hsp::Hsp;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::pipeline::seeder::Seeder;
use crate::preliminary::{self, Ready, Search, Work};
use crate::queries::{Batch, Extent};
use crate::traceback::{self, Begin};
use crate::ungapped::{Fours, UngappedHit};

/// E-values below this count as equal.
const NOTHING: f64 = 1.0e-180;

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

/// A GPU with the database.
#[derive(Debug)]
struct Engine<'a> {
    seeder: Seeder<'a>,
    extender: Extender,
}

/// Ungapped alignments of each chunk of the database, and what gaps make of them.
#[derive(Debug, Default)]
struct Extended {
    hits: Vec<Vec<UngappedHit>>,
    gapped: Vec<Vec<Option<Gapped>>>,
}

impl Extended {
    fn chunk(&self, number: usize) -> Ready<'_> {
        Ready { hits: &self.hits[number], gapped: &self.gapped[number] }
    }
}

/// A database to search, and how.
#[derive(Debug)]
pub struct Searcher<'a> {
    database: &'a Database,
    options: Options,
    engine: Option<Engine<'a>>,
    /// Why the GPU was given up, if it was.
    failure: OnceLock<DeviceError>,
}

impl<'a> Searcher<'a> {
    /// Prepares searches; for a GPU, puts the database on it.
    ///
    /// # Errors
    /// If there are no statistics for the scores, or the device fails.
    pub fn new(
        database: &'a Database,
        options: Options,
        device: Device,
    ) -> Result<Self, SearchError> {
        options.check()?;
        let engine = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => {
                let extender = Extender::new(&gpu, database)?;
                Some(Engine { seeder: Seeder::new(gpu, database)?, extender })
            }
        };
        Ok(Self { database, options, engine, failure: OnceLock::new() })
    }

    /// Why searches went on without the GPU, if it failed. What is found is the same.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.get()
    }

    /// The GPU, unless it failed.
    fn engine(&self) -> Option<&Engine<'a>> {
        self.engine.as_ref().filter(|_| self.failure.get().is_none())
    }

    /// What the GPU made, or nothing if it failed; then the CPU goes on.
    fn noted<T>(&self, made: Result<T, DeviceError>) -> Option<T> {
        made.map_err(|error| self.failure.set(error)).ok()
    }

    /// The ungapped alignments of all chunks of the database, if there is a GPU, with what gaps make of
    /// them.
    fn extended(
        &self,
        engine: &Engine<'_>,
        search: &Search<'_>,
        (batch, lookup): (&Arc<Batch>, &Arc<Lookup>),
        times: &mut Times,
    ) -> Result<Extended, DeviceError> {
        let mut clock = Clock(Instant::now());
        let Engine { seeder, extender } = engine;
        let mut hits = seeder.run(batch, lookup, &self.options)?.hits;
        hits.par_iter_mut().for_each(|hits| preliminary::sort(batch, hits));
        times.seeding += clock.lap();
        let bases = seeder.bases();
        let gapped = match extender.queries(batch, &self.options)? {
            Some(queries) => {
                extender.scores(&queries, bases.packed(), search, bases.chunks(), &hits)?
            }
            None => hits.iter().map(|hits| vec![None; hits.len()]).collect(),
        };
        times.scores += clock.lap();
        Ok(Extended { hits, gapped })
    }

    /// Alignments of what was found, if the GPU makes them; those of each hit.
    fn traced(
        &self,
        engine: &Engine<'_>,
        batch: &Batch,
        found: &[(usize, Hit)],
    ) -> Result<Option<Vec<Vec<Option<Gapped>>>>, DeviceError> {
        let Some(queries) = engine.extender.queries(batch, &self.options)? else {
            return Ok(None);
        };
        let begins: Vec<Vec<Begin>> = found
            .par_iter()
            .map(|(_, hit)| {
                let subject = self.database.subject(hit.subject);
                traceback::begins(batch, &self.options, &subject, &hit.hsps)
            })
            .collect();
        let begins = begins.concat();
        let sequences = (self.database, batch);
        let all = engine.extender.traces(&queries, sequences, &self.options, &begins)?;
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
            if let Some(limit) = self.options.culling {
                culling::cull(hits, &batch, limit);
            }
            hits.sort_by(Hit::order);
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
        let extended = self.engine().and_then(|engine| {
            let extended = self.noted(self.extended(engine, &search, (batch, lookup), times))?;
            Some((engine, extended))
        });
        let mut clock = Clock(Instant::now());
        let per_subject: Vec<(Vec<(usize, Hit)>, u64)> = (0..self.database.len())
            .into_par_iter()
            .map_init(Work::default, |work, number| {
                let ready: Option<Vec<Ready<'_>>> = extended.as_ref().map(|(engine, extended)| {
                    let chunks = engine.seeder.chunks(number);
                    chunks.map(|chunk| extended.chunk(chunk)).collect()
                });
                let found = search.subject(&self.database.subject(number), ready.as_deref(), work);
                let hits = found.of_queries.into_iter();
                let hits = hits.map(|(query, hsps)| (query, Hit { subject: number, hsps }));
                (hits.collect(), found.extensions)
            })
            .collect();
        let mut hits: Vec<Vec<Hit>> = vec![Vec::new(); batch.queries()];
        let mut extensions = 0;
        for (of_queries, of_subject) in per_subject {
            extensions += of_subject;
            for (query, hit) in of_queries {
                hits[query].push(hit);
            }
        }
        for hits in &mut hits {
            if let Some(limit) = self.options.culling {
                culling::cull(hits, batch, limit);
            }
            if hits.len() > self.options.preliminary_targets() {
                hits.sort_by(Hit::order);
                hits.truncate(self.options.preliminary_targets());
            }
        }
        let found =
            (0..).zip(hits).flat_map(|(query, hits)| hits.into_iter().map(move |hit| (query, hit)));
        let found = found.collect();
        times.preliminary = clock.lap();
        (found, extensions)
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
