//! A device that searches a database part by part, and long queries piece by piece.
//!
//! ```text
//!   begun:     for each part of the database                  in device memory, one at a time
//!                for each run of its chunks                   as many as their words fit into memory
//!                  for each piece of the batch's letters --> words --> rule of diagonals --> ungapped
//!                scores    1. the best of each query and chunk
//!                          2. what is not within that
//!   finished:  for each part: columns
//! ```
//!
//! A part, a run and a piece are about memory only: a word's extension sees all of its chunk and of its
//! query, and the rule of diagonals, chunk by chunk, is told by a piece how far the one before went. So what
//! is found is the same for all sizes.
//!
//! Of similar sequences, most ungapped alignments of a query and a chunk are parts of one, which the best
//! of them becomes by gaps; so that is tried first.
//!
//! A batch may be begun while another is finished. The one needs bases, the other letters, each at most a
//! part at a time, so that both are within the limit.

use std::sync::Arc;

use aligner_core::DeviceError;
use rayon::prelude::*;

use crate::database::Database;
use crate::extended::Extended;
use crate::extensions::device::{self, GreedyScores};
use crate::extensions::sides;
use crate::gapped::Gapped;
use crate::held::Held;
use crate::hits::{self, ChunkHit, Hits};
use crate::limits::{self, Limits};
use crate::lookup::Lookup;
use crate::options::Options;
use crate::parts::{Part, Parts};
use crate::pipeline::device::DeviceChunk;
use crate::pipeline::diagonals::Piece;
use crate::pipeline::stages::Context;
use crate::preliminary::Search;
use crate::queries::Batch;
use crate::search::Hit;
use crate::times::{Clock, Times};
use crate::traceback::{self, Begin};
use crate::ungapped::Fours;
use crate::worker::Worker;

/// A device and the database that it searches.
#[derive(Debug)]
pub(crate) struct Engine<'a, W: Worker> {
    /// What begins searches, and what finishes them beside that.
    begins: W,
    finishes: W,
    database: &'a Database,
    limits: Limits,
    parts: Parts,
    bases: Held<W::Bases>,
    letters: Held<W::Letters>,
}

impl<'a, W: Worker> Engine<'a, W> {
    /// Divides a database for a device, which takes the first part.
    pub(crate) fn new(
        [begins, finishes]: [W; 2],
        database: &'a Database,
        limits: Limits,
    ) -> Result<Self, DeviceError> {
        let parts = Parts::new(database, limits.bases());
        let (bases, letters) = (Held::default(), Held::default());
        let new = Self { begins, finishes, database, limits, parts, bases, letters };
        new.with_bases(0, |_| Ok(()))?;
        Ok(new)
    }

    /// The database's parts.
    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    fn with_bases<R>(
        &self,
        part: usize,
        take: impl FnOnce(&W::Bases) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let load = || self.begins.bases(self.parts.all()[part].packed(self.database));
        self.bases.with(part, load, take)
    }

    /// The ungapped alignments of a batch with the whole database, and what gaps make of them.
    pub(crate) fn extended(
        &self,
        search: &Search<'_>,
        (batch, lookup): (&Arc<Batch>, &Arc<Lookup>),
        times: &mut Times,
    ) -> Result<Extended, DeviceError> {
        let queries = queries(&self.begins, batch, search.options)?;
        let (mut all, mut first) = (Extended::default(), 0);
        for (number, part) in self.parts.all().iter().enumerate() {
            let mut clock = Clock::new();
            let of_part = self.with_bases(number, |bases| {
                let hits = self.ungapped(bases, part, search.options, (batch, lookup))?;
                let hits = Hits::new(batch, hits);
                times.seeding += clock.lap();
                Extended::new(search, hits, |hits| match &queries {
                    Some(queries) => self.scores(queries, bases, search, &part.chunks, hits),
                    None => Ok(vec![None; hits.len()]),
                })
            })?;
            times.scores += clock.lap();
            all.append(first, of_part);
            first += part.chunks.len();
        }
        Ok(all)
    }

    /// The ungapped alignments with a part's chunks, in no particular order.
    fn ungapped(
        &self,
        bases: &W::Bases,
        part: &Part,
        options: &Options,
        (batch, lookup): (&Arc<Batch>, &Arc<Lookup>),
    ) -> Result<Vec<ChunkHit>, DeviceError> {
        let (mut all, mut first) = (Vec::new(), 0);
        for run in limits::runs(&part.chunks, lookup.len().min(self.limits.places), options.word) {
            let mut carried = Vec::new();
            for (end, lookup) in limits::pieces(batch, lookup, self.limits.places) {
                let context = context(options, batch, lookup);
                let piece = Piece { end, carried: &carried };
                let mut found = self.begins.ungapped(bases, run, &context, piece)?;
                found.hits.par_iter_mut().for_each(|found| found.chunk += first);
                hits::append(&mut all, found.hits);
                carried = found.carried;
            }
            first += run.len() as u32;
        }
        Ok(all)
    }

    /// Scores of extensions of hits with a part's chunks; nothing where the device cannot tell.
    fn scores(
        &self,
        queries: &W::Queries,
        bases: &W::Bases,
        search: &Search<'_>,
        chunks: &[DeviceChunk],
        hits: &[ChunkHit],
    ) -> Result<Vec<Option<Gapped>>, DeviceError> {
        let all = sides::of_hits(search, chunks, hits);
        if search.options.is_greedy() {
            let scores = GreedyScores::new(&search.options.scoring);
            let reached = self.begins.greedy_scores(queries, bases, scores, &all)?;
            return Ok(sides::greedily_scored(search, chunks, hits, &reached));
        }
        let answers = self.begins.scores(queries, bases, &all)?;
        Ok(sides::scored(search, chunks, hits, &answers.reached))
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
        let Some(queries) = queries(&self.finishes, batch, options)? else {
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
            let load = || self.finishes.letters(&device::text_of_part(self.database, part));
            let traced = self.letters.with(number, load, |letters| {
                self.traced_in(part, (&queries, letters), batch, options, &begins)
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
        part: &Part,
        (queries, letters): (&W::Queries, &W::Letters),
        batch: &Batch,
        options: &Options,
        begins: &[&Begin],
    ) -> Result<Vec<Option<Gapped>>, DeviceError> {
        let planned = sides::of_begins((self.database, part.first), batch, options, begins);
        if options.is_greedy() {
            let scores = GreedyScores::new(&options.scoring);
            let answers = self.finishes.greedy_traces(queries, letters, scores, &planned.sides)?;
            return Ok(planned.greedily_traced(self.database, batch, options, begins, &answers));
        }
        let answers = self.finishes.traces(queries, letters, &planned.sides)?;
        Ok(planned.traced(&options.scoring, begins, &answers))
    }
}

/// Queries as extensions need them; nothing if the device is not for them.
fn queries<W: Worker>(
    worker: &W,
    batch: &Batch,
    options: &Options,
) -> Result<Option<W::Queries>, DeviceError> {
    let x_drop = batch.x_drop.max(batch.x_drop_last);
    if !options.is_greedy() && !device::has_small_scores(&options.scoring, x_drop) {
        return Ok(None);
    }
    worker.queries(batch, &options.scoring).map(Some)
}

/// What the pipeline is told; the chunks are the device's.
fn context(options: &Options, batch: &Arc<Batch>, lookup: Arc<Lookup>) -> Context {
    let (word, fours) = (options.word, Fours::new(options));
    Context { batch: Arc::clone(batch), lookup, word, fours, chunks: Vec::new() }
}
