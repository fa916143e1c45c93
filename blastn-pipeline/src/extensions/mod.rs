//! Gapped extensions on a GPU: all of a batch at once.
//!
//! Whether an alignment is extended depends on those before it: what lies within one that is kept is
//! not. But most are extended in the end, so here all are, and the rule is applied on the host
//! afterwards, in its order ([`crate::ahead::keep`]), with the answers of one after the other.
//!
//! ```text
//!   ungapped alignments --> two sides each --affine_scores--> scores and ends
//!                                                                  |  contained, purged: host
//!   alignments by score --> seeds, two sides --affine_traces--> columns
//! ```
//!
//! Each side is one thread's, which goes through the same rows in the same order as
//! [`crate::gapped::affine`]: which cells live depends on the best score up to then, so a row
//! cannot be divided. Live cells are few, and lie in shared memory. What does not fit there is tried
//! again with fewer threads that have more, and at last left to the host.

pub mod device;
mod gpu;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Gpu};
use rayon::prelude::*;

use self::device::Side;
use self::gpu::{Answers, DeviceQueries, GpuExtensions};
use crate::database::Database;
use crate::gapped::{self, Gapped};
use crate::options::Options;
use crate::packed;
use crate::pipeline::device::DeviceChunk;
use crate::preliminary::Search;
use crate::queries::Batch;
use crate::traceback::Begin;
use crate::ungapped::UngappedHit;

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
        let mut text = device::text_of_bases(database.packed());
        let mut firsts = Vec::with_capacity(database.len());
        for number in 0..database.len() {
            let first = database.first_byte(number) * packed::BASES as u64;
            for (places, letter) in database.subject(number).exceptions() {
                device::fill(&mut text, first + places.start..first + places.end, letter);
            }
            firsts.push(first);
        }
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
        if options.is_greedy() || !device::has_small_scores(&options.scoring, x_drop) {
            return Ok(None);
        }
        DeviceQueries::new(self.gpu.gpu(), batch, &options.scoring).map(Some)
    }

    /// Scores of the extensions of hits of each chunk; nothing where a device cannot tell.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn scores(
        &self,
        queries: &DeviceQueries,
        packed: &DeviceBuffer<u32>,
        search: &Search<'_>,
        chunks: &[DeviceChunk],
        hits: &[Vec<UngappedHit>],
    ) -> Result<Vec<Vec<Option<Gapped>>>, DeviceError> {
        let mut sides = Vec::new();
        for (chunk, hits) in chunks.iter().zip(hits) {
            sides.par_extend(hits.par_iter().flat_map_iter(|hit| score_sides(search, chunk, hit)));
        }
        let answers = self.gpu.scores(queries, packed, &sides)?;
        let mut first = 0;
        let of_chunk = |(chunk, hits): (&DeviceChunk, &Vec<UngappedHit>)| {
            let reached = answers.reached[2 * first..].as_chunks::<2>().0;
            first += hits.len();
            let gapped = |(hit, [left, right]): (&UngappedHit, &[device::Reached; 2])| {
                if !left.fits() || !right.fits() {
                    return None;
                }
                let (seed, begin) = begin(search, chunk, hit);
                Some(gapped::affine_scored(seed, begin, &left.extension(), &right.extension()))
            };
            hits.par_iter().zip(&reached[..hits.len()]).map(gapped).collect()
        };
        Ok(chunks.iter().zip(hits).map(of_chunk).collect())
    }

    /// Alignments from some places on, with places within the subject; nothing where a device cannot
    /// tell.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub(crate) fn traces(
        &self,
        queries: &DeviceQueries,
        batch: &Batch,
        options: &Options,
        begins: &[Begin],
    ) -> Result<Vec<Option<Gapped>>, DeviceError> {
        // Threads of a warp wait for the one with the most rows.
        let mut order: Vec<u32> = (0..2 * begins.len() as u32).collect();
        let rows = |number: u32| begins[number as usize / 2].rows[number as usize % 2];
        order.par_sort_unstable_by_key(|&number| std::cmp::Reverse((rows(number), number)));
        let x_drop = batch.x_drop_last.max(options.scoring.gap_open + options.scoring.gap_extend);
        let side = |&number: &u32| {
            let begin = &begins[number as usize / 2];
            Side { x_drop, ..trace_side(&self.firsts, batch, begin, number % 2 == 0) }
        };
        let sides: Vec<Side> = order.par_iter().map(side).collect();
        let Answers { reached, runs } = self.gpu.traces(queries, &self.letters, &sides)?;
        let mut places = vec![0_u32; order.len()];
        for (place, &number) in (0..).zip(&order) {
            places[number as usize] = place;
        }
        let gapped = |(number, begin): (usize, &Begin)| {
            let [left, right] = [0, 1].map(|side| &reached[places[2 * number + side] as usize]);
            if !left.fits() || !right.fits() {
                return None;
            }
            let seed = (begin.query, begin.subject);
            let of_sides = (left.script(&runs), right.script(&runs));
            let (left, right) = (left.extension(), right.extension());
            let sides = ((&left, of_sides.0), (&right, &of_sides.1));
            Some(gapped::affine_aligned(&options.scoring, seed, sides.0, sides.1))
        };
        Ok(begins.par_iter().enumerate().map(gapped).collect())
    }
}

/// A hit's seed, and the pair of places that its extension begins at, within its strand and chunk.
fn begin(
    search: &Search<'_>,
    chunk: &DeviceChunk,
    hit: &UngappedHit,
) -> ((usize, usize), (usize, usize)) {
    let context = &search.batch.contexts[search.batch.context_at(hit.seed_query as usize)];
    let seed = search.seed(hit);
    (seed, gapped::affine_begin((context.length, chunk.length as usize), seed))
}

/// The sides of an extension for the score: rows are bases of the chunk.
fn score_sides(search: &Search<'_>, chunk: &DeviceChunk, hit: &UngappedHit) -> [Side; 2] {
    let batch = search.batch;
    let context = &batch.contexts[batch.context_at(hit.seed_query as usize)];
    let (_, (query, subject)) = begin(search, chunk, hit);
    let scoring = &search.options.scoring;
    let left = Side {
        row_at: chunk.first + subject as u64,
        column_at: (context.first + query) as u64,
        rows: subject as u32,
        columns: query as u32,
        x_drop: search.x_drop(hit).max(scoring.gap_open + scoring.gap_extend),
        reverse: 1,
    };
    let (rows, columns) = (chunk.length - left.rows, context.length as u32 - left.columns);
    [left, Side { rows, columns, reverse: 0, ..left }]
}

/// A side of an alignment, but for its X-drop: rows are letters of the query.
fn trace_side(firsts: &[u64], batch: &Batch, begin: &Begin, reverse: bool) -> Side {
    let context = &batch.contexts[begin.context];
    let (query, subject) = (begin.query + 1, begin.subject + 1);
    let (rows, columns) = if reverse {
        (query, subject - begin.window.start)
    } else {
        (context.length - query, begin.window.end - subject)
    };
    Side {
        row_at: (context.first + query) as u64,
        column_at: firsts[begin.number] + subject as u64,
        rows: rows as u32,
        columns: columns as u32,
        reverse: reverse.into(),
        ..Side::default()
    }
}
