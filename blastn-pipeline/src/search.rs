//! Searching a database for batches of queries.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use aligner_core::{Device, DeviceError};
use rayon::prelude::*;

use crate::culling;
use crate::database::Database;
use crate::error::SearchError;
use crate::fasta::Record;
use crate::gapped;
use crate::hsp::Hsp;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::pipeline::seeder::{Seeded, Seeder};
use crate::preliminary::{Search, Work};
use crate::queries::{Batch, Extent};
use crate::traceback;
use crate::ungapped::Fours;

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
}

/// A database to search, and how.
#[derive(Debug)]
pub struct Searcher<'a> {
    database: &'a Database,
    options: Options,
    seeder: Option<Seeder<'a>>,
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
        let seeder = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(Seeder::new(gpu, database)?),
        };
        Ok(Self { database, options, seeder, failure: OnceLock::new() })
    }

    /// Why searches went on without the GPU, if it failed. What is found is the same.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.get()
    }

    /// The ungapped alignments of all chunks of the database, if a GPU finds them.
    fn seeded(&self, batch: &Arc<Batch>, lookup: &Arc<Lookup>) -> Option<Seeded<'_>> {
        let seeder = self.seeder.as_ref().filter(|_| self.failure.get().is_none())?;
        let seeded = seeder.run(batch, lookup, &self.options);
        seeded.map_err(|error| self.failure.set(error)).ok()
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
        let (found, extensions) = self.preliminary(&batch, &lookup);
        let aligned: Vec<(usize, Hit)> = found
            .into_par_iter()
            .map_init(gapped::Work::default, |work, (query, hit)| {
                let subject = self.database.subject(hit.subject);
                let hsps = traceback::align(&batch, &self.options, &subject, &hit.hsps, work);
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
        Results { batch, hits, extensions }
    }

    /// The most promising subjects of each query, with preliminary alignments, query by query.
    fn preliminary(&self, batch: &Arc<Batch>, lookup: &Arc<Lookup>) -> (Vec<(usize, Hit)>, u64) {
        let seeded = self.seeded(batch, lookup);
        let fours = Fours::new(&self.options);
        let search = Search { batch, lookup, options: &self.options, fours: &fours };
        let per_subject: Vec<(Vec<(usize, Hit)>, u64)> = (0..self.database.len())
            .into_par_iter()
            .map_init(Work::default, |work, number| {
                let found = {
                    let subject = self.database.subject(number);
                    let seeded = seeded.as_ref().map(|seeded| seeded.subject(number));
                    search.subject(&subject, seeded, work)
                };
                let mut of_queries: BTreeMap<usize, Vec<Hsp>> = BTreeMap::new();
                for hsp in found.hsps {
                    of_queries.entry(batch.contexts()[hsp.context].query).or_default().push(hsp);
                }
                let hits = of_queries.into_iter();
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
        (found.collect(), extensions)
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
