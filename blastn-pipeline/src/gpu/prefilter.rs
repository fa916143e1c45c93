//! Which ungapped alignments may become the best of their query, of a run of chunks.
//!
//! A few pairs with the highest bounds are extended first. What the last that a list has room for scores is
//! known then, and pairs that cannot score so much are left out: the list is the same without them.

use std::cmp::Ordering;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, DeviceItems};

use crate::gpu::pairs::upper_bounds::{self, Bounds};
use crate::gpu::pairs::{self, Pairs, Verdict};
use crate::gpu::parts::Origin;
use crate::gpu::pipeline::tables::DeviceChunk;
use crate::gpu::scored_pairs;
use crate::hsp::ranking::{self, RankBound, SubjectRank};
use crate::search::preliminary::PreliminarySearch;
use crate::ungapped::hits::ChunkHit;

/// Pairs of a query that are extended first, for each one that its list has room for.
const FIRST: usize = 2;

/// Pairs with hits that a query must have on average, for each of those: with fewer there is little to gain.
const WORTHWHILE: usize = 4;

/// Chunks that are searched together.
pub(crate) struct Run<'a, B> {
    pub(crate) pairs: &'a Pairs<B>,
    /// The address of the bases.
    pub(crate) bases: u64,
    pub(crate) chunks: &'a [DeviceChunk],
    /// What each of them is.
    pub(crate) origins: &'a [Origin],
}

impl<B: Backend> Run<'_, B> {
    /// What becomes of hits.
    pub(crate) fn known(
        &self,
        search: &PreliminarySearch<'_>,
        hits: &DeviceItems<B>,
    ) -> Result<pairs::Known<'_, B>, DeviceError> {
        self.pairs.known(search, self.bases, self.chunks, hits)
    }
}

/// Those of the hits whose pairs may be among the `most` best of their query; nothing if it is not worthwhile to
/// look for them.
pub(crate) fn promising<B: Backend>(
    search: &PreliminarySearch<'_>,
    run: &Run<'_, B>,
    hits: &DeviceItems<B>,
    most: usize,
) -> Result<Option<DeviceItems<B>>, DeviceError> {
    let queries = search.batch.queries();
    let of_chunk =
        |(chunk, origin): (&DeviceChunk, &Origin)| origin.is_all && upper_bounds::has_bound(chunk);
    let is_bounded: Vec<bool> = run.chunks.iter().zip(run.origins).map(of_chunk).collect();
    let bounded = is_bounded.iter().filter(|&&is_bounded| is_bounded).count();
    let least = WORTHWHILE * FIRST * most;
    // Bounds take as much memory as hits, at most.
    let is_worthwhile = bounded >= least
        && hits.count >= queries * least
        && queries.saturating_mul(run.chunks.len())
            <= hits.count * size_of::<ChunkHit>() / size_of::<u32>();
    if !is_worthwhile {
        return Ok(None);
    }
    let (batch, options) = (search.batch, search.options);
    let bounds = Bounds::new(run.pairs, (batch, options), run.bases, run.chunks, &is_bounded)?;
    let floors = bounds.floors(FIRST * most)?;
    let first = run.known(search, &bounds.promising(hits, &floors, false)?)?;
    let known = known_rank(search, run.origins);
    let lasts =
        ranking::worst_ranks(first.verdicts(), known, queries, most).into_iter().enumerate();
    let least = |(query, last): (usize, Option<SubjectRank>)| {
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
    search: &PreliminarySearch<'_>,
    origins: &[Origin],
) -> impl Fn(&Verdict) -> (usize, RankBound) + Sync {
    |verdict| {
        let rank = scored_pairs::rank(search, verdict, &origins[verdict.chunk as usize]);
        (verdict.query(search), rank)
    }
}

/// The least score with which a subject may not come after another of a query.
fn least_score(search: &PreliminarySearch<'_>, query: usize, last: &SubjectRank) -> u32 {
    let has_statistics = |&context: &usize| search.batch.contexts[context].statistics.is_some();
    let own = search.batch.contexts_of(query..query + 1);
    let own: Vec<usize> = own.filter(has_statistics).collect();
    let comes_after = |score: i32| {
        let e_values = own.iter().map(|&context| search.batch.e_value(context, score));
        let e_value = e_values.fold(f64::MAX, f64::min);
        // Of equally good ones, the last.
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
