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
        // Queries are looked up once each.
        let keyed = |found: &ChunkHit| {
            let query = batch.contexts[batch.context_at(found.hit.seed_query as usize)].query;
            (found.chunk, query as u32, found.hit)
        };
        let mut sorted: Vec<(u32, u32, UngappedHit)> = all.par_iter().map(keyed).collect();
        sorted.par_sort_unstable_by(|one, other| {
            (one.0, one.1).cmp(&(other.0, other.1)).then_with(|| order(&one.2, &other.2))
        });
        let to_all = |(found, &(chunk, _, hit)): (&mut ChunkHit, &_)| {
            *found = ChunkHit { chunk, hit };
        };
        all.par_iter_mut().zip(&sorted).for_each(to_all);
        let mut pairs = Vec::new();
        let mut end = 0;
        for group in sorted.chunk_by(|one, other| (one.0, one.1) == (other.0, other.1)) {
            let (chunk, query, _) = group[0];
            let hits = end..end + group.len();
            end = hits.end;
            pairs.push(Pair { chunk: chunk as usize, query: query as usize, hits });
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
