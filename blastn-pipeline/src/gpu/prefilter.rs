//! Prefilter: leaves out the ungapped hits of pairs that cannot get into the list of their query's best subjects.
//!
//! The pairs with the highest upper bounds are extended first, of each run of chunks a number that follows from its size. Then the
//! score of the last one that the list of a query has room for is known, whatever device extended it, and pairs whose upper bound is
//! less are left out: the list is the same without them. Upper bounds stay in device memory until scores of all runs are known; they
//! take at most as much of it as hits.
//!
//! ```text
//!   runs --sizes--> Prefilter            is it worthwhile? how many pairs of each run are extended first?
//!   each run -----> BoundedRun           upper bounds of its pairs, and what is known of the ranks of the first ones
//!   ranks of all runs --> floors         of each query, the least score that may still matter
//!   each BoundedRun with the floors --> hits that are left
//! ```

use std::cmp::Ordering;
use std::iter::Sum;

use aligner_core::DeviceError;
use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{Backend, DeviceItems};
use rayon::prelude::*;

use crate::gpu::pairs::parameters::PairVerdict;
use crate::gpu::pairs::upper_bounds::{self, UpperBounds};
use crate::gpu::pairs::{JudgedPairs, PairKernels};
use crate::gpu::parts::ChunkOrigin;
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::gpu::scored_pairs;
use crate::hsp::ranking::{self, RankBound, SubjectRank};
use crate::search::preliminary::PreliminarySearch;
use crate::ungapped::hits::ChunkHit;

/// Pairs of a query that are extended first, for each subject that its list has room for.
const FIRST_PAIRS: usize = 2;

/// Hits and chunks that a query must have on average for each pair that is extended first; with fewer there is little to gain.
const WORTHWHILE: usize = 4;

/// Letters of the queries that are looked up in the words of a chunk for each hit, at most: so many take as long as its extension. The
/// sequence of a bacterium has a hit with a gene for several hundred thousand of them, genes have one for a few hundred.
const LETTERS_A_HIT: usize = 1 << 13;

/// A run of chunks of a part of the database, which are searched together.
pub(crate) struct ChunkRun<'w, 'a, B> {
    /// Kernels of a worker.
    pub(crate) pairs: &'w PairKernels<B>,
    /// Address of the bases of the part.
    pub(crate) bases: DeviceAddress<u32>,
    pub(crate) chunks: &'a [DatabaseChunk],
    /// Where each chunk is from.
    pub(crate) origins: &'a [ChunkOrigin],
}

impl<'w, B: Backend> ChunkRun<'w, '_, B> {
    /// Extends hits with these chunks, and judges their pairs.
    pub(crate) fn judged(
        &self,
        search: &PreliminarySearch<'_>,
        hits: &DeviceItems<B>,
    ) -> Result<JudgedPairs<'w, B>, DeviceError> {
        JudgedPairs::new(self.pairs, search, self.bases, self.chunks, hits)
    }
}

/// The size of a run of chunks, or of several.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RunSize {
    /// Number of chunks whose pairs have upper bounds.
    bounded: usize,
    /// Number of ungapped hits.
    hits: usize,
}

impl RunSize {
    /// The size of a run of these chunks with so many hits; `origins` are those of the chunks.
    pub(crate) fn new(chunks: &[DatabaseChunk], origins: &[ChunkOrigin], hits: usize) -> Self {
        let bounded = is_bounded(chunks, origins).filter(|&is_bounded| is_bounded).count();
        Self { bounded, hits }
    }
}

impl Sum for RunSize {
    fn sum<I: Iterator<Item = Self>>(sizes: I) -> Self {
        sizes.fold(Self::default(), |one, other| Self {
            bounded: one.bounded + other.bounded,
            hits: one.hits + other.hits,
        })
    }
}

/// Whether each chunk of a run is one whose pairs have upper bounds.
fn is_bounded<'r>(
    chunks: &'r [DatabaseChunk],
    origins: &'r [ChunkOrigin],
) -> impl Iterator<Item = bool> + 'r {
    let of_chunk = |(chunk, origin): (&DatabaseChunk, &ChunkOrigin)| {
        origin.is_all && upper_bounds::has_bound(chunk)
    };
    chunks.iter().zip(origins).map(of_chunk)
}

/// The prefilter of a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prefilter<'s> {
    search: &'s PreliminarySearch<'s>,
    /// Number of best subjects of a query that matter.
    max_targets: usize,
    /// Number of chunks of all runs whose pairs have upper bounds.
    bounded: usize,
}

/// A run of chunks with the upper bounds of its pairs.
pub(crate) struct BoundedRun<'p, B: Backend> {
    bounds: UpperBounds<'p, B>,
    /// Of each pair that was extended first, its query and what is known of its rank.
    first_ranks: Vec<(usize, RankBound)>,
}

impl<'s> Prefilter<'s> {
    /// The prefilter of runs that are so large together; nothing if it is not worthwhile.
    pub(crate) fn new(
        search: &'s PreliminarySearch<'s>,
        size: RunSize,
        max_targets: usize,
    ) -> Option<Self> {
        let least = (WORTHWHILE * FIRST_PAIRS).saturating_mul(max_targets);
        let has_choice =
            size.bounded >= least && size.hits >= search.batch.queries().saturating_mul(least);
        let looks = search.batch.letters.len().saturating_mul(size.bounded);
        let is_worthwhile = has_choice && looks <= size.hits.saturating_mul(LETTERS_A_HIT);
        is_worthwhile.then_some(Self { search, max_targets, bounded: size.bounded })
    }

    /// Bounds the pairs of a run, and extends its share of first pairs. Gives nothing if no pair has an upper bound, or if upper
    /// bounds would take more memory than hits; then all hits of the run are kept.
    pub(crate) fn bounded<'p, B: Backend>(
        &self,
        run: &ChunkRun<'p, '_, B>,
        hits: &DeviceItems<B>,
    ) -> Result<Option<BoundedRun<'p, B>>, DeviceError> {
        let Self { search, max_targets, bounded } = *self;
        let &PreliminarySearch { batch, options, .. } = search;
        let pairs = batch.queries().saturating_mul(run.chunks.len());
        let is_bounded: Vec<bool> = is_bounded(run.chunks, run.origins).collect();
        let own = is_bounded.iter().filter(|&&is_bounded| is_bounded).count();
        if own == 0 || pairs > hits.count * size_of::<ChunkHit>() / size_of::<u32>() {
            return Ok(None);
        }
        let bounds =
            UpperBounds::new(run.pairs, (batch, options), run.bases, run.chunks, &is_bounded)?;
        let first_pairs = (FIRST_PAIRS * max_targets * own).div_ceil(bounded);
        let floors = bounds.floors(first_pairs)?;
        let first = run.judged(search, &bounds.choose(hits, &floors, false)?)?;
        let first_ranks =
            first.verdicts().par_iter().map(known_rank(search, run.origins)).collect();
        Ok(Some(BoundedRun { bounds, first_ranks }))
    }

    /// The least score of each query with which a subject may be among its best; nothing if any score may do.
    pub(crate) fn floors<'r, 'p: 'r, B: Backend + 'p>(
        &self,
        runs: impl Iterator<Item = &'r BoundedRun<'p, B>>,
    ) -> Option<Vec<u32>> {
        let Self { search, max_targets, .. } = *self;
        let ranks: Vec<(usize, RankBound)> =
            runs.flat_map(|run| &run.first_ranks).copied().collect();
        let queries = search.batch.queries();
        let lasts = ranking::worst_ranks(&ranks, |&known| known, queries, max_targets);
        let least = |(query, last): (usize, Option<SubjectRank>)| {
            last.map_or(0, |last| least_score(search, query, &last))
        };
        let floors: Vec<u32> = lasts.into_iter().enumerate().map(least).collect();
        floors.iter().any(|&floor| floor > 0).then_some(floors)
    }
}

impl<B: Backend> BoundedRun<'_, B> {
    /// The hits of pairs whose upper bound is at least the floor of their query, and of pairs without an upper bound.
    pub(crate) fn chosen(
        &self,
        hits: &DeviceItems<B>,
        floors: &[u32],
    ) -> Result<DeviceItems<B>, DeviceError> {
        self.bounds.choose(hits, floors, true)
    }
}

/// A function that gives the query of a pair, and what is known of its rank. `origins` are those of the run.
pub(crate) fn known_rank(
    search: &PreliminarySearch<'_>,
    origins: &[ChunkOrigin],
) -> impl Fn(&PairVerdict) -> (usize, RankBound) + Sync {
    |verdict| {
        let rank = scored_pairs::rank(search, verdict, &origins[verdict.chunk as usize]);
        (verdict.query(search), rank)
    }
}

/// The least score with which a subject may still rank before `last`, the last one in the list of a query.
fn least_score(search: &PreliminarySearch<'_>, query: usize, last: &SubjectRank) -> u32 {
    let has_statistics = |&context: &usize| search.batch.contexts[context].statistics.is_some();
    let own = search.batch.contexts_of(query..query + 1);
    let own: Vec<usize> = own.filter(has_statistics).collect();
    let comes_after = |score: i32| {
        let e_values = own.iter().map(|&context| search.batch.e_value(context, score));
        let e_value = e_values.fold(f64::MAX, f64::min);
        // Among equally good subjects, the last one.
        let rank = SubjectRank { e_value, score, subject: usize::MAX };
        rank.order(last) == Ordering::Greater
    };
    let (mut low, mut high) = (0, last.score);
    while low < high {
        let middle = i32::midpoint(low, high);
        if comes_after(middle) { low = middle + 1 } else { high = middle }
    }
    low as u32
}
