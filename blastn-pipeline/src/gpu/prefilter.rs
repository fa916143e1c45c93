//! Prefilter: leaves out the ungapped hits of pairs that cannot get into the list of their query's best subjects.
//!
//! The pairs with the highest upper bounds are extended first. Then the score of the last one that the list of a query has
//! room for is known, and pairs whose upper bound is less are left out: the list is the same without them.

use std::cmp::Ordering;

use aligner_core::DeviceError;
use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{Backend, DeviceItems};

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

/// A run of chunks of a part of the database, which are searched together.
pub(crate) struct ChunkRun<'a, B> {
    pub(crate) pairs: &'a PairKernels<B>,
    /// Address of the bases of the part.
    pub(crate) bases: DeviceAddress<u32>,
    pub(crate) chunks: &'a [DatabaseChunk],
    /// Where each chunk is from.
    pub(crate) origins: &'a [ChunkOrigin],
}

impl<B: Backend> ChunkRun<'_, B> {
    /// Extends hits with these chunks, and judges their pairs.
    pub(crate) fn judged(
        &self,
        search: &PreliminarySearch<'_>,
        hits: &DeviceItems<B>,
    ) -> Result<JudgedPairs<'_, B>, DeviceError> {
        JudgedPairs::new(self.pairs, search, self.bases, self.chunks, hits)
    }
}

/// Keeps the hits of pairs whose upper bound can still reach the `max_targets` best of their query; nothing if the prefilter is
/// not worthwhile, or leaves none out.
pub(crate) fn prefiltered<B: Backend>(
    search: &PreliminarySearch<'_>,
    run: &ChunkRun<'_, B>,
    hits: &DeviceItems<B>,
    max_targets: usize,
) -> Result<Option<DeviceItems<B>>, DeviceError> {
    let queries = search.batch.queries();
    let of_chunk = |(chunk, origin): (&DatabaseChunk, &ChunkOrigin)| {
        origin.is_all && upper_bounds::has_bound(chunk)
    };
    let is_bounded: Vec<bool> = run.chunks.iter().zip(run.origins).map(of_chunk).collect();
    let bounded = is_bounded.iter().filter(|&&is_bounded| is_bounded).count();
    let least = WORTHWHILE * FIRST_PAIRS * max_targets;
    // Upper bounds take at most as much memory as hits.
    let is_worthwhile = bounded >= least
        && hits.count >= queries * least
        && queries.saturating_mul(run.chunks.len())
            <= hits.count * size_of::<ChunkHit>() / size_of::<u32>();
    if !is_worthwhile {
        return Ok(None);
    }
    let (batch, options) = (search.batch, search.options);
    let bounds = UpperBounds::new(run.pairs, (batch, options), run.bases, run.chunks, &is_bounded)?;
    let floors = bounds.floors(FIRST_PAIRS * max_targets)?;
    let first = run.judged(search, &bounds.choose(hits, &floors, false)?)?;
    let known = known_rank(search, run.origins);
    let lasts =
        ranking::worst_ranks(first.verdicts(), known, queries, max_targets).into_iter().enumerate();
    let least = |(query, last): (usize, Option<SubjectRank>)| {
        last.map_or(0, |last| least_score(search, query, &last))
    };
    let floors: Vec<u32> = lasts.map(least).collect();
    if floors.iter().all(|&floor| floor == 0) {
        return Ok(None);
    }
    bounds.choose(hits, &floors, true).map(Some)
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
