//! What a device found of the pairs of queries and chunks that may matter.

use std::mem::take;
use std::ops::Range;

use rayon::prelude::*;

use crate::database::Database;
use crate::gpu::pairs::{self, BEST_STAYS, NO_SCORE, OPEN, PairVerdict};
use crate::gpu::parts::ChunkOrigin;
use crate::hsp::Hsp;
use crate::hsp::ranking::{Known, Rank};
use crate::hsp::subject_hit::Hit;
use crate::search::preliminary::Search;

/// Ungapped alignments of pairs, and what gaps make of them.
#[derive(Debug, Default)]
pub(crate) struct ScoredPairHits {
    pairs: Vec<PairHits>,
    hits: Vec<pairs::ScoredHit>,
}

/// A query and a chunk.
#[derive(Debug)]
struct PairHits {
    /// Among all chunks of the database.
    chunk: usize,
    query: usize,
    /// Places among the hits, the best first.
    hits: Range<usize>,
}

/// Alignments of a query and a part of a subject.
struct PartAlignments {
    /// Subject, query, and where the part begins.
    place: (usize, usize, usize),
    hsps: Vec<Hsp>,
}

impl ScoredPairHits {
    /// Adds a pair: its chunk, its query, and how many of the hits that are added next are its.
    pub(crate) fn add_pair(&mut self, chunk: usize, query: usize, hits: usize) {
        let begin = self.pairs.last().map_or(0, |pair| pair.hits.end);
        self.pairs.push(PairHits { chunk, query, hits: begin..begin + hits });
    }

    /// Adds the hits of pairs.
    pub(crate) fn add_hits(&mut self, mut hits: Vec<pairs::ScoredHit>) {
        self.hits.append(&mut hits);
    }

    /// Subjects of each query with preliminary alignments. `origins` is what each chunk of the database is.
    pub(crate) fn subjects(
        &self,
        search: &Search<'_>,
        database: &Database,
        origins: &[ChunkOrigin],
    ) -> Vec<Vec<Hit>> {
        let of_pair = |pair: &PairHits| {
            let ChunkOrigin { subject, ref range, .. } = origins[pair.chunk];
            let hits = self.hits[pair.hits.clone()].iter();
            let hits = hits.map(|(hit, gapped)| (hit, gapped.as_ref()));
            let hsps = search.ready(&database.subject(subject), range, hits);
            PartAlignments { place: (subject, pair.query, range.start), hsps }
        };
        let mut aligned: Vec<PartAlignments> = self.pairs.par_iter().map(of_pair).collect();
        aligned.par_sort_unstable_by_key(|part| part.place);
        let of_subject = |parts: &mut [PartAlignments]| {
            let (subject, query, _) = parts[0].place;
            let parts = parts.iter_mut().map(|part| (part.place.2, take(&mut part.hsps)));
            (query, Hit { subject, hsps: search.merged(parts) })
        };
        let of_subjects: Vec<(usize, Hit)> = aligned
            .par_chunk_by_mut(|one, other| {
                (one.place.0, one.place.1) == (other.place.0, other.place.1)
            })
            .map(of_subject)
            .filter(|(_, hit)| !hit.hsps.is_empty())
            .collect();
        let mut hits: Vec<Vec<Hit>> = vec![Vec::new(); search.batch.queries()];
        for (query, hit) in of_subjects {
            hits[query].push(hit);
        }
        hits
    }
}

/// What is known of the rank of a pair, whose chunk is of `origin`.
///
/// It is no better than that of the best extension. It is the same if that is the best hit's and stays: what was
/// not extended lies within it.
pub(crate) fn rank(search: &Search<'_>, verdict: &PairVerdict, origin: &ChunkOrigin) -> Known {
    let &PairVerdict { context, score, rest, rest_opposite, state, .. } = verdict;
    if state == OPEN {
        return Known::Open;
    }
    let batch = search.batch;
    let context = context as usize;
    // The other strand has statistics if something was found of it.
    let opposite = batch.opposite(context).filter(|_| rest_opposite != NO_SCORE);
    let is_enough = |context: usize, score: i32| score >= batch.statistics(context).cutoff;
    let is_any_enough = is_enough(context, score.max(rest))
        || opposite.is_some_and(|opposite| is_enough(opposite, rest_opposite));
    if !is_any_enough {
        return Known::Nothing;
    }
    if !origin.is_all {
        return Known::Open;
    }
    let e_value = batch.e_value(context, score.max(rest));
    let of_opposite = opposite.map_or(f64::MAX, |other| batch.e_value(other, rest_opposite));
    let rank = Rank {
        e_value: e_value.min(of_opposite),
        score: score.max(rest).max(rest_opposite),
        subject: origin.subject,
    };
    let is_best = score == rank.score && e_value <= of_opposite;
    let is_kept = is_enough(context, score) && e_value <= search.options.e_value;
    let is_known = state == BEST_STAYS && is_best && is_kept;
    if is_known { Known::Rank(rank) } else { Known::AtBest(rank) }
}
