//! A device that searches a database part by part, and long queries piece by piece.
//!
//! ```text
//!   seeded:    for each part of the database                  in device memory, one at a time
//!                for each run of its chunks                   as many as their words fit into memory
//!                  for each piece of the batch's letters --> words --> rule of diagonals --> ungapped
//!   sifted:    for each run: hits of pairs that may be among the best
//!   extended:  for each run: pairs of queries and chunks, extensions with gaps, verdicts, hits of the best
//!   finished:  for each part: columns
//! ```
//!
//! A part, a run and a piece are about memory only: a word's extension sees all of its chunk and of its
//! query, and the rule of diagonals, chunk by chunk, is told by a piece how far the one before went. So what
//! is found is the same for all sizes.
//!
//! A batch may be seeded while others before it are sifted, extended and finished, as many at a time as there are
//! workers. The first three need bases, the last one letters, each at most a part at a time, so that all are within
//! the limit.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, DeviceItems};
use rayon::prelude::*;

use crate::database::Database;
use crate::gapped::Gapped;
use crate::gpu::scored_pairs::ScoredPairHits;
use crate::gpu::extensions::parameters::{self, GreedyScores};
use crate::gpu::extensions::left_right;
use crate::gpu::resident_parts::ResidentParts;
use crate::gpu::limits::{self, Limits};
use crate::gpu::parts::{DatabasePart, DatabaseParts};
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::gpu::pipeline::diagonals::QueryPiece;
use crate::gpu::pipeline::stages::PipelineInputs;
use crate::gpu::worker_pool::WorkerPool;
use crate::gpu::prefilter::{self, ChunkRun};
use crate::gpu::worker::Worker;
use crate::hsp::ranking;
use crate::options::Options;
use crate::query::batch::Batch;
use crate::hsp::subject_hit::Hit;
use crate::search::preliminary::Search;
use crate::search::traceback::{self, Begin};
use crate::seed::lookup::Lookup;
use crate::ungapped::extension::Fours;

/// A device and the database that it searches.
#[derive(Debug)]
pub(crate) struct Engine<'a, W: Worker> {
    /// What seeds.
    seeds: W,
    /// What sifts, extends for the score, and finishes, beside each other.
    others: WorkerPool<W>,
    database: &'a Database,
    limits: Limits,
    parts: DatabaseParts,
    bases: ResidentParts<W::Bases>,
    letters: ResidentParts<W::Letters>,
}

impl<'a, W: Worker> Engine<'a, W> {
    /// Divides a database for a device, which takes the first part. There must be a worker at least for the steps
    /// after seeding.
    pub(crate) fn new(
        seeds: W,
        others: Vec<W>,
        database: &'a Database,
        limits: Limits,
    ) -> Result<Self, DeviceError> {
        let parts = DatabaseParts::new(database, limits.bases(others.len()));
        let (bases, letters) = (ResidentParts::default(), ResidentParts::default());
        let others = WorkerPool::new(others);
        let new = Self { seeds, others, database, limits, parts, bases, letters };
        new.with_bases(0, |_| Ok(()))?;
        Ok(new)
    }

    /// The database's parts.
    pub(crate) fn parts(&self) -> &DatabaseParts {
        &self.parts
    }

    fn with_bases<R>(
        &self,
        part: usize,
        take: impl FnOnce(&W::Bases) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let load = || self.seeds.bases(self.parts.all()[part].packed(self.database));
        self.bases.with(part, load, take)
    }

    /// [`Limits::hits`].
    pub(crate) fn hits(&self) -> u64 {
        self.limits.hits
    }

    /// The ungapped alignments of a batch with the whole database.
    pub(crate) fn seeded(
        &self,
        options: &Options,
        (batch, lookup): (&Arc<Batch>, &Arc<Lookup>),
    ) -> Result<Vec<Seeded<W::Backend>>, DeviceError> {
        let mut all = Vec::new();
        let places = lookup.len().min(self.limits.places);
        for (part, DatabasePart { chunks, .. }) in self.parts.all().iter().enumerate() {
            self.with_bases(part, |bases| {
                let mut first = 0;
                for run in limits::runs(chunks, places, options.word) {
                    let hits = self.ungapped(bases, run, options, (batch, lookup))?;
                    let counts = self.seeds.pairs().counts(batch, &hits)?;
                    all.push(Seeded { part, chunks: first..first + run.len(), hits, counts });
                    first += run.len();
                }
                Ok(())
            })?;
        }
        Ok(all)
    }

    /// Those of them that may be among the `most` best of their query.
    pub(crate) fn sifted(
        &self,
        search: &Search<'_>,
        seeded: Vec<Seeded<W::Backend>>,
        most: usize,
    ) -> Result<Vec<Seeded<W::Backend>>, DeviceError> {
        let worker = self.others.take();
        let sift = |(first, seeded): (usize, Seeded<W::Backend>)| {
            let promising = self.with_run(&worker, &seeded, first, |run| {
                promising::promising(search, run, &seeded.hits, most)
            })?;
            Ok(Seeded { hits: promising.unwrap_or(seeded.hits), ..seeded })
        };
        numbered(seeded).map(sift).collect()
    }

    /// What becomes of them, of the pairs that may be among the `most` best of their query, or of all.
    pub(crate) fn extended(
        &self,
        search: &Search<'_>,
        seeded: Vec<Seeded<W::Backend>>,
        most: Option<usize>,
    ) -> Result<ScoredPairHits, DeviceError> {
        let worker = self.others.take();
        let mut all = ScoredPairHits::default();
        for (first, seeded) in numbered(seeded) {
            self.with_run(&worker, &seeded, first, |run| {
                extend((run, first), search, &seeded.hits, most, &mut all)
            })?;
        }
        Ok(all)
    }

    /// Uses a run, whose first chunk is the `first`-th of all, by a worker.
    fn with_run<R>(
        &self,
        worker: &W,
        seeded: &Seeded<W::Backend>,
        first: usize,
        take: impl FnOnce(&ChunkRun<'_, W::Backend>) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let chunks = &self.parts.all()[seeded.part].chunks[seeded.chunks.clone()];
        let origins = &self.parts.origins()[first..first + chunks.len()];
        self.with_bases(seeded.part, |bases| {
            take(&ChunkRun { pairs: worker.pairs(), bases: worker.address(bases), chunks, origins })
        })
    }

    /// The ungapped alignments with some chunks, in no particular order.
    fn ungapped(
        &self,
        bases: &W::Bases,
        run: &[DatabaseChunk],
        options: &Options,
        (batch, lookup): (&Arc<Batch>, &Arc<Lookup>),
    ) -> Result<DeviceItems<W::Backend>, DeviceError> {
        let (mut all, mut carried) = (None, Vec::new());
        for (end, lookup) in limits::pieces(batch, lookup, self.limits.places) {
            let context = context(options, batch, lookup);
            let piece = QueryPiece { end, carried: &carried };
            let found = self.seeds.ungapped(bases, run, &context, piece)?;
            all = Some(match all {
                None => found.hits,
                Some(all) => self.seeds.pairs().joined(&all, &found.hits)?,
            });
            carried = found.carried;
        }
        all.map_or_else(|| self.seeds.pairs().none(), Ok)
    }

    /// Alignments of what was found, if the device makes them; those of each hit.
    pub(crate) fn traced(
        &self,
        batch: &Batch,
        options: &Options,
        found: &[(usize, Hit)],
    ) -> Result<Option<Vec<Vec<Option<Gapped>>>>, DeviceError> {
        let begins: Vec<Vec<Begin>> = found
            .par_iter()
            .map(|(_, hit)| {
                let subject = self.database.subject(hit.subject);
                traceback::begins(batch, options, &subject, &hit.hsps)
            })
            .collect();
        let Some(all) = self.traced_from(batch, options, &begins.concat())? else {
            return Ok(None);
        };
        let mut rest = all.into_iter();
        let of_hit = |(_, hit): &(usize, Hit)| rest.by_ref().take(hit.hsps.len()).collect();
        Ok(Some(found.iter().map(of_hit).collect()))
    }

    /// Alignments from some places on; nothing where the device cannot tell, as where parts of a subject
    /// meet, or for all if it is not for them.
    fn traced_from(
        &self,
        batch: &Batch,
        options: &Options,
        begins: &[Begin],
    ) -> Result<Option<Vec<Option<Gapped>>>, DeviceError> {
        let worker = self.others.take();
        let Some(queries) = queries(&*worker, batch, options)? else {
            return Ok(None);
        };
        let mut all = vec![None; begins.len()];
        for (number, part) in self.parts.all().iter().enumerate() {
            let is_own = |&place: &usize| {
                let Begin { number, window, .. } = &begins[place];
                let first = self.database.first_base(*number);
                part.holds(&(first + window.start as u64..first + window.end as u64))
            };
            let own: Vec<usize> = (0..begins.len()).into_par_iter().filter(is_own).collect();
            if own.is_empty() {
                continue;
            }
            let begins: Vec<&Begin> = own.iter().map(|&place| &begins[place]).collect();
            let load = || worker.letters(&parameters::text_of_part(self.database, part));
            let traced = self.letters.with(number, load, |letters| {
                self.traced_in(&worker, part, (&queries, letters), batch, options, &begins)
            })?;
            for (place, gapped) in own.into_iter().zip(traced) {
                all[place] = gapped;
            }
        }
        Ok(Some(all))
    }

    /// Alignments that a part has all letters of.
    fn traced_in(
        &self,
        worker: &W,
        part: &DatabasePart,
        (queries, letters): (&W::Queries, &W::Letters),
        batch: &Batch,
        options: &Options,
        begins: &[&Begin],
    ) -> Result<Vec<Option<Gapped>>, DeviceError> {
        let planned = sides::of_begins((self.database, part.first), batch, options, begins);
        if options.is_greedy() {
            let scores = GreedyScores::new(&options.scoring);
            let answers = worker.greedy_traces(queries, letters, scores, &planned.sides)?;
            return Ok(planned.greedily_traced(self.database, batch, options, begins, &answers));
        }
        let answers = worker.traces(queries, letters, &planned.sides)?;
        Ok(planned.traced(&options.scoring, begins, &answers))
    }
}

/// Adds what becomes of the hits of a run, whose first chunk is the `first`-th of all.
fn extend<B: Backend>(
    (run, first): (&ChunkRun<'_, B>, usize),
    search: &Search<'_>,
    hits: &DeviceItems<B>,
    most: Option<usize>,
    all: &mut ScoredPairHits,
) -> Result<(), DeviceError> {
    let pairs = run.known(search, hits)?;
    let verdicts = pairs.verdicts();
    let chosen: Vec<usize> = match most {
        Some(most) => {
            let known = promising::known_rank(search, run.origins);
            ranking::candidates(verdicts, known, search.batch.queries(), most)
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

/// Runs with the numbers of their first chunks among all.
fn numbered<B: Backend>(seeded: Vec<Seeded<B>>) -> impl Iterator<Item = (usize, Seeded<B>)> {
    seeded.into_iter().scan(0, |next, seeded| {
        let first = *next;
        *next += seeded.chunks.len();
        Some((first, seeded))
    })
}

/// Ungapped alignments with a run of chunks.
pub(crate) struct Seeded<B: Backend> {
    part: usize,
    /// Of that part.
    chunks: Range<usize>,
    hits: DeviceItems<B>,
    /// How many there are of each query.
    pub(crate) counts: Vec<u32>,
}

/// Queries as extensions need them; nothing if the device is not for them.
fn queries<W: Worker>(
    worker: &W,
    batch: &Batch,
    options: &Options,
) -> Result<Option<W::Queries>, DeviceError> {
    if !options.is_greedy() && !parameters::has_small_scores(&options.scoring, batch.manner.x_drop_last)
    {
        return Ok(None);
    }
    worker.queries(batch, &options.scoring).map(Some)
}

/// What the pipeline is told; the chunks are the device's.
fn context(options: &Options, batch: &Arc<Batch>, lookup: Arc<Lookup>) -> PipelineInputs {
    let (word, fours) = (options.word, Fours::new(options));
    PipelineInputs { batch: Arc::clone(batch), lookup, word, fours, chunks: Vec::new() }
}
