//! A GPU's part of a search: ungapped alignments with the whole database, what gaps make of them, and
//! columns.
//!
//! ```text
//!   Seeder --> Hits --> Extender::scores --> candidates --> which are within others --> best subjects
//!                         1. the best of each pair                 host
//!                         2. what is not within that
//! ```
//!
//! Of similar sequences, most ungapped alignments of a query and a subject are parts of one, which the
//! best of them becomes by gaps; so that is tried first. Which of the rest lie within others is decided
//! for pairs that may be reported alone.

use std::mem::take;
use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use rayon::prelude::*;

use crate::database::Database;
use crate::extended::Extended;
use crate::extensions::Extender;
use crate::gapped::Gapped;
use crate::hits::{Hits, Pair};
use crate::hsp::Hsp;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::pipeline::seeder::{Part, Seeder};
use crate::preliminary::Search;
use crate::queries::Batch;
use crate::ranking::{self, Known};
use crate::search::{Clock, Hit, Times};
use crate::traceback::{self, Begin};

/// A GPU with a database.
#[derive(Debug)]
pub(crate) struct Engine<'a> {
    database: &'a Database,
    seeder: Seeder,
    extender: Extender,
}

/// Alignments of a query and a part of a subject.
struct Aligned {
    /// Subject and query.
    place: (usize, usize),
    /// Where the part begins.
    start: usize,
    hsps: Vec<Hsp>,
}

impl<'a> Engine<'a> {
    /// Puts a database on a GPU.
    ///
    /// # Errors
    /// If it does not fit, or the driver fails.
    pub(crate) fn new(gpu: &Gpu, database: &'a Database) -> Result<Self, DeviceError> {
        let extender = Extender::new(&gpu.beside()?, database)?;
        let seeder = Seeder::new(gpu.clone(), database)?;
        // The other stream reads what this one has copied.
        gpu.synchronize()?;
        Ok(Self { database, seeder, extender })
    }

    /// The ungapped alignments of a batch with the database.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn ungapped(
        &self,
        batch: &Arc<Batch>,
        lookup: &Arc<Lookup>,
        options: &Options,
    ) -> Result<Hits, DeviceError> {
        Ok(Hits::new(batch, self.seeder.run(batch, lookup, options)?.hits))
    }

    /// Subjects of each query with preliminary alignments, given the ungapped ones: if `most` are wanted,
    /// all that may be among the best.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn hits(
        &self,
        search: &Search<'_>,
        hits: Hits,
        most: Option<usize>,
        times: &mut Times,
    ) -> Result<Vec<Vec<Hit>>, DeviceError> {
        let mut clock = Clock::new();
        let bases = self.seeder.bases();
        let queries = self.extender.queries(search.batch, search.options)?;
        let extended = Extended::new(search, hits, |hits| match &queries {
            Some(queries) => {
                self.extender.scores(queries, bases.packed(), search, bases.chunks(), hits)
            }
            None => Ok(vec![None; hits.len()]),
        })?;
        times.scores += clock.lap();
        let pairs = extended.hits().pairs();
        let known = |number: usize| {
            let Pair { chunk, query, .. } = pairs[number];
            let Part { subject, is_all, .. } = *self.seeder.part(chunk);
            let known = extended.rank(search, number, subject);
            (query, if is_all || matches!(known, Known::Nothing) { known } else { Known::Open })
        };
        let chosen: Vec<usize> = match most {
            Some(most) => {
                let known: Vec<_> = (0..pairs.len()).into_par_iter().map(known).collect();
                ranking::candidates(&known, search.batch.queries(), most)
            }
            None => (0..pairs.len()).collect(),
        };
        let of_pair = |&number: &usize| {
            let Pair { chunk, query, .. } = pairs[number];
            let Part { subject, ref range, .. } = *self.seeder.part(chunk);
            let of_subject = self.database.subject(subject);
            let hsps = search.ready(&of_subject, range, extended.of_pair(number));
            Aligned { place: (subject, query), start: range.start, hsps }
        };
        let mut parts: Vec<Aligned> = chosen.par_iter().map(of_pair).collect();
        // Chunks of a subject stay in their order.
        parts.par_sort_by_key(|part| part.place);
        let of_subject = |parts: &mut [Aligned]| {
            let (subject, query) = parts[0].place;
            let parts = parts.iter_mut().map(|part| (part.start, take(&mut part.hsps)));
            (query, Hit { subject, hsps: search.merged(parts) })
        };
        let of_subjects: Vec<(usize, Hit)> = parts
            .par_chunk_by_mut(|one, other| one.place == other.place)
            .map(of_subject)
            .filter(|(_, hit)| !hit.hsps.is_empty())
            .collect();
        let mut hits: Vec<Vec<Hit>> = vec![Vec::new(); search.batch.queries()];
        for (query, hit) in of_subjects {
            hits[query].push(hit);
        }
        times.preliminary += clock.lap();
        Ok(hits)
    }

    /// Alignments of what was found, if the GPU makes them; those of each hit.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn traced(
        &self,
        batch: &Batch,
        options: &Options,
        found: &[(usize, Hit)],
    ) -> Result<Option<Vec<Vec<Option<Gapped>>>>, DeviceError> {
        let Some(queries) = self.extender.queries(batch, options)? else {
            return Ok(None);
        };
        let begins: Vec<Vec<Begin>> = found
            .par_iter()
            .map(|(_, hit)| {
                let subject = self.database.subject(hit.subject);
                traceback::begins(batch, options, &subject, &hit.hsps)
            })
            .collect();
        let begins = begins.concat();
        let sequences = (self.database, batch);
        let all = self.extender.traces(&queries, sequences, options, &begins)?;
        let mut rest = all.into_iter();
        let of_hit = |(_, hit): &(usize, Hit)| rest.by_ref().take(hit.hsps.len()).collect();
        Ok(Some(found.iter().map(of_hit).collect()))
    }
}
