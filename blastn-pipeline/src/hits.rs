//! Ungapped alignments of a batch with a whole database, in the order in which gaps are tried.

use std::cmp::Ordering;
use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use crate::queries::Batch;
use crate::ungapped::UngappedHit;

/// An ungapped alignment with a chunk of a database.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub struct ChunkHit {
    /// The chunk's number.
    pub chunk: u32,
    /// The alignment.
    pub hit: UngappedHit,
}

/// What was found of a query in a chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) chunk: usize,
    pub(crate) query: usize,
    /// Places in [`Hits::all`], at least one; the best first.
    pub(crate) hits: Range<usize>,
}

/// Ungapped alignments, pair by pair.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    all: Vec<ChunkHit>,
    pairs: Vec<Pair>,
}

impl Hits {
    /// Puts alignments in order: by chunk, query and [`order`].
    pub(crate) fn new(batch: &Batch, mut all: Vec<ChunkHit>) -> Self {
        // Comparing one number is most of the work: few alignments share a chunk.
        all.par_sort_unstable_by_key(|found| found.chunk);
        let of_chunks = all.par_chunk_by_mut(|one, other| one.chunk == other.chunk);
        let mut pairs: Vec<Pair> =
            of_chunks.flat_map_iter(|of_chunk| ordered(batch, of_chunk)).collect();
        let mut end = 0;
        for Pair { hits, .. } in &mut pairs {
            *hits = end..end + hits.len();
            end = hits.end;
        }
        Self { all, pairs }
    }

    /// Adds those with other chunks, of which the first is the `first`-th now.
    pub(crate) fn append(&mut self, first: usize, mut next: Self) {
        let before = self.all.len();
        next.all.par_iter_mut().for_each(|found| found.chunk += first as u32);
        next.pairs.par_iter_mut().for_each(|Pair { chunk, hits, .. }| {
            *chunk += first;
            *hits = before + hits.start..before + hits.end;
        });
        append(&mut self.all, next.all);
        append(&mut self.pairs, next.pairs);
    }

    /// All of them.
    pub(crate) fn all(&self) -> &[ChunkHit] {
        &self.all
    }

    /// By chunk, then by query.
    pub(crate) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }
}

/// Puts alignments with one chunk in order: by query and [`order`]. Gives what was found of each query,
/// with places that begin with 0.
fn ordered(batch: &Batch, of_chunk: &mut [ChunkHit]) -> Vec<Pair> {
    // Queries are looked up once each.
    let keyed = |found: &ChunkHit| {
        let context = batch.context_at(found.hit.seed_query as usize);
        (batch.contexts[context].query, found.hit)
    };
    let mut sorted: Vec<(usize, UngappedHit)> = of_chunk.iter().map(keyed).collect();
    sorted.sort_unstable_by(|one, other| one.0.cmp(&other.0).then_with(|| order(&one.1, &other.1)));
    for (found, &(_, hit)) in of_chunk.iter_mut().zip(&sorted) {
        found.hit = hit;
    }
    let chunk = of_chunk.first().map_or(0, |found| found.chunk as usize);
    let of_queries = sorted.chunk_by(|one, other| one.0 == other.0);
    of_queries.map(|group| Pair { chunk, query: group[0].0, hits: 0..group.len() }).collect()
}

/// Puts a list behind another. The first is not copied: most often there is no other.
pub(crate) fn append<T>(all: &mut Vec<T>, mut next: Vec<T>) {
    if all.is_empty() {
        *all = next;
    } else {
        all.append(&mut next);
    }
}

/// The order in which ungapped alignments of a query and a chunk are extended with gaps.
pub(crate) fn order(one: &UngappedHit, other: &UngappedHit) -> Ordering {
    other
        .score
        .cmp(&one.score)
        .then(one.subject.cmp(&other.subject))
        .then(other.length.cmp(&one.length))
        .then(one.query.cmp(&other.query))
}
