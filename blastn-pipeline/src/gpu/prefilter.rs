//! Which ungapped alignments may become the best of their query, of a run of chunks.
//!
//! A few pairs with the highest bounds are extended first. What the last that a list has room for scores is
//! known then, and pairs that cannot score so much are left out: the list is the same without them.

use std::cmp::Ordering;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, DeviceItems};

use crate::gpu::scored_pairs;
use crate::gpu::pairs::upper_bounds::{self, UpperBounds};
use crate::gpu::pairs::{self, PairKernels, PairVerdict};
use crate::gpu::parts::ChunkOrigin;
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::hsp::ranking::{self, Known, Rank};
use crate::search::preliminary::Search;
use crate::ungapped::hits::ChunkHit;

/// PairKernels of a query that are extended first, for each one that its list has room for.
const FIRST: usize = 2;

/// PairKernels with hits that a query must have on average, for each of those: with fewer there is little to gain.
const WORTHWHILE: usize = 4;

/// Chunks that are searched together.
pub(crate) struct ChunkRun<'a, B> {
    pub(crate) pairs: &'a PairKernels<B>,
    /// The address of the bases.
    pub(crate) bases: u64,
    pub(crate) chunks: &'a [DatabaseChunk],
    /// What each of them is.
    pub(crate) origins: &'a [ChunkOrigin],
}

impl<B: Backend> ChunkRun<'_, B> {
    /// What becomes of hits.
    pub(crate) fn known(
        &self,
        search: &Search<'_>,
        hits: &DeviceItems<B>,
    ) -> Result<pairs::ScoredPairs<'_, B>, DeviceError> {
        self.pairs.known(search, self.bases, self.chunks, hits)
    }
}

/// Those of the hits whose pairs may be among the `most` best of their query; nothing if it is not worthwhile to
/// look for them.
pub(crate) fn promising<B: Backend>(
    search: &Search<'_>,
    run: &ChunkRun<'_, B>,
    hits: &DeviceItems<B>,
    most: usize,
) -> Result<Option<DeviceItems<B>>, DeviceError> {
    let queries = search.batch.queries();
    let of_chunk =
        |(chunk, origin): (&DatabaseChunk, &ChunkOrigin)| origin.is_all && bounds::has_bound(chunk);
    let is_bounded: Vec<bool> = run.chunks.iter().zip(run.origins).map(of_chunk).collect();
    let bounded = is_bounded.iter().filter(|&&is_bounded| is_bounded).count();
    let least = WORTHWHILE * FIRST * most;
    // UpperBounds take as much memory as hits, at most.
    let is_worthwhile = bounded >= least
        && hits.count >= queries * least
        && queries.saturating_mul(run.chunks.len())
            <= hits.count * size_of::<ChunkHit>() / size_of::<u32>();
    if !is_worthwhile {
        return Ok(None);
    }
    let (batch, options) = (search.batch, search.options);
    let bounds = UpperBounds::new(run.pairs, (batch, options), run.bases, run.chunks, &is_bounded)?;
    let floors = bounds.floors(FIRST * most)?;
    let first = run.known(search, &bounds.promising(hits, &floors, false)?)?;
    let known = known_rank(search, run.origins);
    let lasts = ranking::lasts(first.verdicts(), known, queries, most).into_iter().enumerate();
    let least = |(query, last): (usize, Option<Rank>)| {
        last.map_or(0, |last| least_score(search, query, &last))
    };
    let floors: Vec<u32> = lasts.map(least).collect();
    if floors.iter().all(|&floor| floor == 0) {
        return Ok(None);
    }
    bounds.promising(hits, &floors, true).map(Some)
}

/// What is known of the rank of a pair, and its query.
pub(crate) fn known_rank(
    search: &Search<'_>,
    origins: &[ChunkOrigin],
) -> impl Fn(&PairVerdict) -> (usize, Known) + Sync {
    |verdict| {
        let rank = extended::rank(search, verdict, &origins[verdict.chunk as usize]);
        (verdict.query(search), rank)
    }
}

/// The least score with which a subject may not come after another of a query.
fn least_score(search: &Search<'_>, query: usize, last: &Rank) -> u32 {
    let has_statistics = |&context: &usize| search.batch.contexts[context].statistics.is_some();
    let own = search.batch.contexts_of(query..query + 1);
    let own: Vec<usize> = own.filter(has_statistics).collect();
    let comes_after = |score: i32| {
        let e_values = own.iter().map(|&context| search.batch.e_value(context, score));
        let e_value = e_values.fold(f64::MAX, f64::min);
        // Of equally good ones, the last.
        let rank = Rank { e_value, score, subject: usize::MAX };
        rank.order(last) == Ordering::Greater
    };
    let (mut low, mut high) = (0, last.score);
    while low < high {
        let middle = i32::midpoint(low, high);
        if comes_after(middle) { low = middle + 1 } else { high = middle }
    }
    low as u32
}
