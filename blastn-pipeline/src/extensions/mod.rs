//! Gapped extensions on a GPU: all of a batch at once.
//!
//! Whether an alignment is extended depends on those before it: what lies within one that is kept is
//! not. Here all are extended but those within the best of their query and chunk (`extended`), and the rule
//! is applied on the host afterwards, in its order (`ahead::keep`), with the answers of one after the
//! other.
//!
//! ```text
//!   ungapped alignments --> two sides each --affine_scores--> scores and ends
//!                                                                  |  contained, purged: host
//!   alignments by score --> seeds, two sides --affine_traces--> columns
//! ```
//!
//! `greedy_scores` and `greedy_traces` are the same for greedy sides; their columns are tidied on the
//! host.
//!
//! Each side is one thread's, which goes through the same rows (or fronts) in the same order as
//! [`crate::gapped::affine`] (or [`crate::gapped::greedy`]): which cells live depends on the best score
//! up to then, so a row cannot be divided. Live cells are few, and lie in shared memory. What does not
//! fit there is tried again with fewer threads that have more, and at last left to the host.

pub mod device;
mod gpu;
mod sides;
#[cfg(test)]
mod tests;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Gpu};

use self::device::GreedyScores;
use self::gpu::{DeviceQueries, GpuExtensions};
use crate::database::Database;
use crate::gapped::Gapped;
use crate::hits::ChunkHit;
use crate::options::Options;
use crate::pipeline::device::DeviceChunk;
use crate::preliminary::Search;
use crate::queries::Batch;
use crate::traceback::Begin;

/// Extends what was found in a database on a GPU.
#[derive(Debug)]
pub(crate) struct Extender {
    gpu: GpuExtensions,
    /// All subjects, with ambiguous letters.
    letters: DeviceBuffer<u32>,
    /// The place of each subject's first letter there.
    firsts: Vec<u64>,
}

impl Extender {
    /// Puts a database's letters on a GPU.
    ///
    /// # Errors
    /// If they do not fit, or the driver fails.
    pub(crate) fn new(gpu: &Gpu, database: &Database) -> Result<Self, DeviceError> {
        let (text, firsts) = device::text_of_database(database);
        Ok(Self { gpu: GpuExtensions::new(gpu.clone())?, letters: gpu.upload(&text)?, firsts })
    }

    /// What the extensions of a batch have in common; nothing if the device is not for them.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn queries(
        &self,
        batch: &Batch,
        options: &Options,
    ) -> Result<Option<DeviceQueries>, DeviceError> {
        let x_drop = batch.x_drop.max(batch.x_drop_last);
        if !options.is_greedy() && !device::has_small_scores(&options.scoring, x_drop) {
            return Ok(None);
        }
        DeviceQueries::new(self.gpu.gpu(), batch, &options.scoring).map(Some)
    }

    /// Scores of the extensions of hits with chunks; nothing where a device cannot tell.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn scores(
        &self,
        queries: &DeviceQueries,
        packed: &DeviceBuffer<u64>,
        search: &Search<'_>,
        chunks: &[DeviceChunk],
        hits: &[ChunkHit],
    ) -> Result<Vec<Option<Gapped>>, DeviceError> {
        let sides = sides::of_hits(search, chunks, hits);
        if search.options.is_greedy() {
            let scores = GreedyScores::new(&search.options.scoring);
            let reached = self.gpu.greedy_scores(queries, packed, scores, &sides)?;
            return Ok(sides::greedily_scored(search, chunks, hits, &reached));
        }
        let answers = self.gpu.scores(queries, packed, &sides)?;
        Ok(sides::scored(search, chunks, hits, &answers.reached))
    }

    /// Alignments from some places on, with places within the subject; nothing where a device cannot
    /// tell.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn traces(
        &self,
        queries: &DeviceQueries,
        (database, batch): (&Database, &Batch),
        options: &Options,
        begins: &[Begin],
    ) -> Result<Vec<Option<Gapped>>, DeviceError> {
        let planned = sides::of_begins(&self.firsts, batch, options, begins);
        if options.is_greedy() {
            let scores = GreedyScores::new(&options.scoring);
            let answers = self.gpu.greedy_traces(queries, &self.letters, scores, &planned.sides)?;
            return Ok(planned.greedily_traced(database, batch, options, begins, &answers));
        }
        let answers = self.gpu.traces(queries, &self.letters, &planned.sides)?;
        Ok(planned.traced(&options.scoring, begins, &answers))
    }
}
