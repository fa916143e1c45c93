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

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use rayon::prelude::*;

use crate::database::Database;
use crate::extended::Extended;
use crate::extensions::Extender;
use crate::gapped::Gapped;
use crate::hits::Hits;
use crate::lookup::Lookup;
use crate::options::Options;
use crate::pipeline::seeder::Seeder;
use crate::preliminary::Search;
use crate::queries::Batch;
use crate::search::{Clock, Hit, Times};
use crate::traceback::{self, Begin};

/// A GPU with a database.
#[derive(Debug)]
pub(crate) struct Engine<'a> {
    database: &'a Database,
    seeder: Seeder,
    extender: Extender,
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
        let hits = extended.subjects(search, self.database, self.seeder.parts(), most);
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
