//! A device that searches a database part by part, and long queries piece by piece.
//!
//! ```text
//!   for each part of the database                     in device memory, one at a time
//!     for each run of its chunks                      as many as their words fit into the host's memory
//!       for each piece of the batch's words --> words
//!       rule of diagonals --> ungapped alignments
//!     scores
//!   first alignments of subjects that end in the part
//!   for each part, again: columns
//! ```
//!
//! A part, a run and a piece are about memory only: a word's extension sees all of its chunk and of its
//! query, and the rule of diagonals all words of a chunk. So what is found is the same for all sizes.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use aligner_core::DeviceError;
use rayon::prelude::*;

use crate::database::Database;
use crate::extensions::device::{self, GreedyScores};
use crate::extensions::sides;
use crate::gapped::Gapped;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::packed;
use crate::parts::{Part, Parts};
use crate::pipeline::device::DeviceChunk;
use crate::pipeline::diagonals;
use crate::pipeline::stages::Context;
use crate::preliminary::{self, Ready, Search};
use crate::queries::Batch;
use crate::traceback::Begin;
use crate::ungapped::{Fours, UngappedHit};
use crate::worker::{Words, Worker};

/// Words that a run is expected to find by chance, at most: they come to the host all at once.
const WORDS: u64 = 1 << 26;

/// What a device may take at a time.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Bytes of device memory for the database.
    pub memory: u64,
    /// Places of the queries, on both strands, whose words are looked up.
    pub places: usize,
}

impl Limits {
    /// Bases of a part: two bits each for words, four for letters.
    fn bases(&self) -> u64 {
        self.memory / 3 * packed::BASES as u64
    }
}

/// What a device has of the database's parts: the one that was needed last.
#[derive(Debug)]
struct Held<T>(Mutex<Option<(usize, T)>>);

impl<T> Held<T> {
    /// Uses what a part has, loaded first if it is not held.
    fn with<R>(
        &self,
        part: usize,
        load: impl FnOnce() -> Result<T, DeviceError>,
        take: impl FnOnce(&T) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if held.as_ref().is_none_or(|(number, _)| *number != part) {
            // The memory is needed.
            *held = None;
        }
        let (_, loaded) = match &mut *held {
            Some(held) => held,
            none => none.insert((part, load()?)),
        };
        take(loaded)
    }
}

/// A device and the database that it searches.
#[derive(Debug)]
pub(crate) struct Engine<'a, W: Worker> {
    worker: W,
    database: &'a Database,
    limits: Limits,
    parts: Parts,
    bases: Held<W::Bases>,
    letters: Held<W::Letters>,
}

/// Ungapped alignments of some of the database's chunks, and what gaps make of them.
#[derive(Debug, Default)]
pub(crate) struct Extended {
    /// The number of the first chunk.
    first: usize,
    hits: Vec<Vec<UngappedHit>>,
    gapped: Vec<Vec<Option<Gapped>>>,
}

impl Extended {
    /// Adds the next chunks.
    pub(crate) fn append(&mut self, mut next: Self) {
        self.hits.append(&mut next.hits);
        self.gapped.append(&mut next.gapped);
    }

    /// Drops chunks up to one of them.
    pub(crate) fn drop_before(&mut self, chunk: usize) {
        self.hits.drain(..chunk - self.first);
        self.gapped.drain(..chunk - self.first);
        self.first = chunk;
    }

    /// What is known of some chunks.
    pub(crate) fn chunks(&self, numbers: Range<usize>) -> Vec<Ready<'_>> {
        let places = numbers.start - self.first..numbers.end - self.first;
        let both = self.hits[places.clone()].iter().zip(&self.gapped[places]);
        both.map(|(hits, gapped)| Ready { hits, gapped }).collect()
    }
}

impl<'a, W: Worker> Engine<'a, W> {
    /// Divides a database for a device, which takes the first part.
    pub(crate) fn new(
        worker: W,
        database: &'a Database,
        limits: Limits,
    ) -> Result<Self, DeviceError> {
        let parts = Parts::new(database, limits.bases());
        let (bases, letters) = (Held(Mutex::default()), Held(Mutex::default()));
        let new = Self { worker, database, limits, parts, bases, letters };
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
        let load = || self.worker.bases(self.parts.all()[part].packed(self.database));
        self.bases.with(part, load, take)
    }

    /// Queries as extensions need them; nothing if the device is not for them.
    fn queries(&self, batch: &Batch, options: &Options) -> Result<Option<W::Queries>, DeviceError> {
        let x_drop = batch.x_drop.max(batch.x_drop_last);
        if !options.is_greedy() && !device::has_small_scores(&options.scoring, x_drop) {
            return Ok(None);
        }
        self.worker.queries(batch, &options.scoring).map(Some)
    }

    /// The ungapped alignments of a part's chunks, query by query, the best first.
    pub(crate) fn ungapped(
        &self,
        part: usize,
        search: &Search<'_>,
        (batch, lookup): (&Arc<Batch>, &Arc<Lookup>),
    ) -> Result<Vec<Vec<UngappedHit>>, DeviceError> {
        let own = &self.parts.all()[part];
        let mut all = Vec::with_capacity(own.chunks.len());
        for run in runs(&own.chunks, lookup.len(), search.options.word) {
            let mut words = Words::default();
            for lookup in pieces(batch, lookup, self.limits.places) {
                let context = context(search.options, batch, lookup);
                words.append(
                    self.with_bases(part, |bases| self.worker.words(bases, run, &context))?,
                );
            }
            let context = context(search.options, batch, Arc::clone(lookup));
            let bases = |chunk: u32| own.bases(self.database, &run[chunk as usize]);
            let Words { extended, spent } = &words;
            all.append(&mut diagonals::admitted(&context, extended, spent, run.len(), bases));
        }
        all.par_iter_mut().for_each(|hits| preliminary::sort(batch, hits));
        Ok(all)
    }

    /// What gaps make of the ungapped alignments of a part's chunks.
    pub(crate) fn scored(
        &self,
        part: usize,
        search: &Search<'_>,
        hits: Vec<Vec<UngappedHit>>,
    ) -> Result<Extended, DeviceError> {
        let Search { batch, options, .. } = *search;
        let Some(queries) = self.queries(batch, options)? else {
            let gapped = hits.iter().map(|hits| vec![None; hits.len()]).collect();
            return Ok(Extended { first: 0, hits, gapped });
        };
        let Part { chunks, .. } = &self.parts.all()[part];
        let all = sides::of_hits(search, chunks, &hits);
        let gapped = self.with_bases(part, |bases| {
            if options.is_greedy() {
                let scores = GreedyScores::new(&options.scoring);
                let reached = self.worker.greedy_scores(&queries, bases, scores, &all)?;
                return Ok(sides::greedily_scored(search, chunks, &hits, &reached));
            }
            let answers = self.worker.scores(&queries, bases, &all)?;
            Ok(sides::scored(search, chunks, &hits, &answers.reached))
        })?;
        Ok(Extended { first: 0, hits, gapped })
    }

    /// Alignments from some places on; nothing where the device cannot tell, as where parts of a subject
    /// meet, or for all if it is not for them.
    pub(crate) fn traced(
        &self,
        batch: &Batch,
        options: &Options,
        begins: &[Begin],
    ) -> Result<Option<Vec<Option<Gapped>>>, DeviceError> {
        let Some(queries) = self.queries(batch, options)? else {
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
            let load = || self.worker.letters(&device::text_of_part(self.database, part));
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
            let answers = self.worker.greedy_traces(queries, letters, scores, &planned.sides)?;
            return Ok(planned.greedily_traced(self.database, batch, options, begins, &answers));
        }
        let answers = self.worker.traces(queries, letters, &planned.sides)?;
        Ok(planned.traced(&options.scoring, begins, &answers))
    }
}

/// What the pipeline is told; the chunks are the device's.
fn context(options: &Options, batch: &Arc<Batch>, lookup: Arc<Lookup>) -> Context {
    let (word, fours) = (options.word, Fours::new(options));
    Context { batch: Arc::clone(batch), lookup, word, fours, chunks: Vec::new() }
}

/// Runs of chunks with not too many words of queries that have so many.
fn runs(
    chunks: &[DeviceChunk],
    places: usize,
    word: usize,
) -> impl Iterator<Item = &[DeviceChunk]> {
    let chance = (places as f64).max(1.0) / 4_f64.powi(word as i32);
    let most = (WORDS as f64 / chance) as u64;
    let mut rest = chunks;
    std::iter::from_fn(move || {
        let mut bases = 0;
        let fitting = rest.iter().take_while(|chunk| {
            bases += u64::from(chunk.length);
            bases <= most
        });
        let count = fitting.count().max(1).min(rest.len());
        let (run, behind) = rest.split_at(count);
        rest = behind;
        (count > 0).then_some(run)
    })
}

/// The words of a batch, by at most so many of its letters.
fn pieces(batch: &Batch, lookup: &Arc<Lookup>, most: usize) -> impl Iterator<Item = Arc<Lookup>> {
    let letters = batch.letters.len();
    (0..letters).step_by(most).map(move |start| {
        if letters <= most {
            return Arc::clone(lookup);
        }
        Arc::new(lookup.piece(start as u32..(start + most).min(letters) as u32))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_as_long_as_words_allow() {
        let chunk = |length| DeviceChunk { first: 0, length, padding: 0 };
        let chunks = [5_000_000, 5_000_000, 1_000, 5_000_000].map(chunk);
        let lengths = |places, word| -> Vec<usize> {
            runs(&chunks, places, word).map(<[DeviceChunk]>::len).collect()
        };
        assert_eq!(lengths(0, 11), [4]);
        assert_eq!(lengths(2_000_000, 11), [4]);
        // Twelve words by chance a base: a run may have 5.6 million bases.
        assert_eq!(lengths(50_000_000, 11), [1, 2, 1]);
        assert_eq!(lengths(1_000_000_000, 11), [1, 1, 1, 1]);
        assert_eq!(lengths(1_000_000_000, 28), [4]);
        assert_eq!(runs(&[], 5, 11).count(), 0);
    }
}
