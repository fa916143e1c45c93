//! Pairs of queries and chunks with their scored hits, and the preliminary alignments of subjects that follow.

use std::mem::take;
use std::ops::Range;

use rayon::prelude::*;

use crate::database::Database;
use crate::gpu::pairs::ScoredHit;
use crate::gpu::pairs::parameters::{BEST_STAYS, NO_SCORE, OPEN, PairVerdict};
use crate::gpu::parts::ChunkOrigin;
use crate::hsp::Hsp;
use crate::hsp::ranking::{self, RankBound, SubjectRank};
use crate::hsp::subject_hit::SubjectHit;
use crate::search::preliminary::PreliminarySearch;

/// Pairs, with their ungapped hits and gapped extensions of these.
#[derive(Debug, Default)]
pub(crate) struct ScoredPairs {
    pairs: Vec<PairHits>,
    hits: Vec<ScoredHit>,
}

/// A pair of a query and a chunk.
#[derive(Debug, Clone)]
struct PairHits {
    /// Where the chunk is from.
    origin: ChunkOrigin,
    query: usize,
    rank: RankBound,
    /// Indices of its hits, the best first.
    hits: Range<usize>,
}

/// Alignments of a query with one chunk of a subject.
struct ChunkAlignments {
    subject: usize,
    query: usize,
    /// Where the chunk begins in the subject.
    begin: usize,
    hsps: Vec<Hsp>,
}

impl ScoredPairs {
    /// Adds a pair of a query and a chunk from `origin`, of whose rank `rank` is known, and which has so many of the hits that are
    /// added next.
    pub(crate) fn add_pair(
        &mut self,
        origin: ChunkOrigin,
        (query, rank): (usize, RankBound),
        hits: usize,
    ) {
        let begin = self.pairs.last().map_or(0, |pair| pair.hits.end);
        self.pairs.push(PairHits { origin, query, rank, hits: begin..begin + hits });
    }

    /// Adds hits, in the order of their pairs.
    pub(crate) fn add_hits(&mut self, mut hits: Vec<ScoredHit>) {
        self.hits.append(&mut hits);
    }

    /// Adds all pairs of `others`.
    pub(crate) fn append(&mut self, mut others: Self) {
        let before = self.hits.len();
        for pair in &mut others.pairs {
            pair.hits = pair.hits.start + before..pair.hits.end + before;
        }
        self.pairs.append(&mut others.pairs);
        self.hits.append(&mut others.hits);
    }

    /// Drops pairs that cannot be among the `max_targets` best subjects of their query, given all of these pairs.
    pub(crate) fn keep_candidates(&mut self, queries: usize, max_targets: usize) {
        let known = |pair: &PairHits| (pair.query, pair.rank);
        let chosen = ranking::candidates(&self.pairs, known, queries, max_targets);
        self.pairs = chosen.into_iter().map(|pair| self.pairs[pair].clone()).collect();
    }

    /// Subjects of each query, with preliminary alignments.
    pub(crate) fn subjects(
        &self,
        search: &PreliminarySearch<'_>,
        database: &Database,
    ) -> Vec<Vec<SubjectHit>> {
        let of_pair = |pair: &PairHits| {
            let ChunkOrigin { subject, ref range, .. } = pair.origin;
            let hits = self.hits[pair.hits.clone()].iter();
            let hits = hits.map(|(hit, gapped)| (hit, gapped.as_ref()));
            let hsps = search.complete(&database.subject(subject), range, hits);
            ChunkAlignments { subject, query: pair.query, begin: range.start, hsps }
        };
        let mut aligned: Vec<ChunkAlignments> = self.pairs.par_iter().map(of_pair).collect();
        aligned.par_sort_unstable_by_key(|chunk| (chunk.subject, chunk.query, chunk.begin));
        let of_subject = |chunks: &mut [ChunkAlignments]| {
            let ChunkAlignments { subject, query, .. } = chunks[0];
            let parts = chunks.iter_mut().map(|chunk| (chunk.begin, take(&mut chunk.hsps)));
            (
                query,
                SubjectHit {
                    subject,
                    hsps: search.merged(parts, database.subject(subject).length),
                },
            )
        };
        let of_subjects: Vec<(usize, SubjectHit)> = aligned
            .par_chunk_by_mut(|one, other| (one.subject, one.query) == (other.subject, other.query))
            .map(of_subject)
            .filter(|(_, hit)| !hit.hsps.is_empty())
            .collect();
        let mut hits: Vec<Vec<SubjectHit>> = vec![Vec::new(); search.batch.queries()];
        for (query, hit) in of_subjects {
            hits[query].push(hit);
        }
        hits
    }
}

/// Rank of a pair, as far as it is known; its chunk is from `origin`.
///
/// The rank is not better than that of the pair's best extension. It is the same if that is the extension of the best hit and
/// is kept: hits that were not extended lie within it.
pub(crate) fn rank(
    search: &PreliminarySearch<'_>,
    verdict: &PairVerdict,
    origin: &ChunkOrigin,
) -> RankBound {
    let &PairVerdict { strand, score, others, others_opposite, state, .. } = verdict;
    if state == OPEN {
        return RankBound::Unknown;
    }
    let batch = search.batch;
    let context = strand as usize;
    // The opposite strand has statistics if hits of it were found.
    let opposite = batch.opposite(context).filter(|_| others_opposite != NO_SCORE);
    let is_enough = |context: usize, score: i32| score >= batch.statistics(context).cutoff;
    let is_any_enough = is_enough(context, score.max(others))
        || opposite.is_some_and(|opposite| is_enough(opposite, others_opposite));
    if !is_any_enough {
        return RankBound::NoAlignment;
    }
    if !origin.is_all {
        return RankBound::Unknown;
    }
    let e_value = batch.e_value(context, score.max(others));
    let of_opposite = opposite.map_or(f64::MAX, |other| batch.e_value(other, others_opposite));
    let rank = SubjectRank {
        e_value: e_value.min(of_opposite),
        score: score.max(others).max(others_opposite),
        subject: origin.subject,
    };
    let is_best = score == rank.score && e_value <= of_opposite;
    let is_kept = is_enough(context, score) && e_value <= search.options.e_value;
    let is_known = state == BEST_STAYS && is_best && is_kept;
    if is_known { RankBound::Exact(rank) } else { RankBound::UpperBound(rank) }
}
