//! Pairing: which regions of two reads belong together, and their mapping qualities.
//!
//! As in BWA-MEM (`mem_pair` and `mem_sam_pe`; Li, arXiv:1303.3997, section 2.3), the score of a pair of regions is the
//! sum of both scores and of the log-likelihood, in units of a match, of an insert size at least as unusual as theirs.
//! The best pair competes with the other pairs, and with the best regions of both reads as they are, for which a
//! penalty is paid ([`PairOptions::unpaired_penalty`]).
//!
//! What differs from `bwa`:
//!
//! - Pairs are compared by their exact scores, not by rounded ones, so that of copies side by side the one with the
//!   more usual insert size is chosen.
//! - Only the regions of the best part of a split read ([`ranking`](crate::region::ranking)) are paired. Its other
//!   parts may have mates elsewhere.
//! - A pair raises the mapping quality of its reads only if one of its regions scores at least
//!   [`PairOptions::min_score`]: two short alignments may be close to each other by chance.

use smallvec::SmallVec;

use crate::pair::insert_size::{InsertScores, Orientation};
use crate::region::ranking::{
    MAPQ_OF_E, MAX_MAPQ, RankOptions, leader_of, mapq, raw_mapq, second_best_score,
};
use crate::region::regions::Region;

/// How the regions of two reads are paired.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairOptions {
    /// Penalty for two reads that are not a proper pair. bwa's `-U` (`pen_unpaired`).
    pub unpaired_penalty: i32,
    /// Regions of a read that are paired, at most: the best ones. `bwa` has no such limit.
    pub max_candidates: usize,
    /// Minimum score of a part of a split read that keeps out of pairs with its other parts, and of one region of a
    /// pair that raises mapping qualities. bwa's `-T`.
    pub min_score: i32,
    /// Whether pairs are left out: every read has its own best region, and no pair is proper. bwa's `-P`.
    pub is_skipped: bool,
}

impl Default for PairOptions {
    fn default() -> Self {
        Self { unpaired_penalty: 17, max_candidates: 500, min_score: 30, is_skipped: false }
    }
}

/// Points of mapping quality that a good pair adds to a read's own, at most. `bwa` has the same number.
const MAX_GAIN: i32 = 40;

/// The regions and mapping qualities of a proper pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProperPair {
    /// For each read the number of its primary region.
    pub regions: [usize; 2],
    /// Their mapping qualities, from 0 to 60.
    pub mapq: [u8; 2],
}

/// A proper pair of regions, one of each read.
#[derive(Debug, Clone, Copy)]
struct CandidatePair {
    score: f64,
    /// A hash of the pair of reads and these regions, which decides among equal scores.
    tie: u64,
    /// For each read the number of its region.
    regions: [usize; 2],
}

impl CandidatePair {
    /// The score as an integer of at least 0, from which mapping qualities are computed as in `bwa`.
    fn rounded(&self) -> i32 {
        ((self.score + 0.499).floor() as i32).max(0)
    }
}

/// The best pair of regions, and how the next ones compare.
#[derive(Debug, Clone, Copy)]
struct BestPair {
    regions: [usize; 2],
    score: i32,
    /// Score of the second best pair; 0 if there is none.
    second_best_score: i32,
    /// Number of pairs that score nearly as much as the second best one, which is counted too.
    second_best_count: u32,
}

/// Chooses the proper pair of regions that two reads, whose regions are ranked, come from; `None` if no pair is more
/// likely than the best regions of both reads unpaired. `repeat_fractions` are the fractions of the reads that lie only
/// in seeds too frequent to be located completely.
pub fn choose_pair(
    ends: [&[Region]; 2],
    repeat_fractions: [f32; 2],
    insert_scores: &InsertScores,
    tie_breaker: u64,
    ranking: &RankOptions,
    options: &PairOptions,
) -> Option<ProperPair> {
    // Regions on ALT contigs come last, and are not paired.
    let ends = ends.map(|end| match end {
        [.., last] if last.is_alt => &end[..end.partition_point(|region| !region.is_alt)],
        _ => end,
    });
    let [Some(first), Some(second)] = ends.map(<[Region]>::first) else { return None };
    let best = best_pair(ends, insert_scores, tie_breaker, ranking, options)?;
    let unpaired = first.score + second.score - options.unpaired_penalty;
    if best.score <= unpaired {
        return None;
    }
    // Two short alignments may be near each other by chance.
    let is_sure = |end: usize| ends[end][best.regions[end]].score >= options.min_score;
    let gain = if is_sure(0) || is_sure(1) { MAX_GAIN } else { 0 };
    let mut paired = raw_mapq(best.score - best.second_best_score.max(unpaired), ranking);
    if best.second_best_count > 0 {
        paired -= (MAPQ_OF_E * (best.second_best_count as f32 + 1.0).ln()).round() as i32;
    }
    let paired = paired.clamp(0, MAX_MAPQ.into()) as f32;
    let repeat_fraction = 0.5 * (repeat_fractions[0] + repeat_fractions[1]);
    let paired = (paired * (1.0 - repeat_fraction)).round() as i32;
    let mapqs = [0, 1].map(|end| {
        let number = best.regions[end];
        let second_best_score = second_best_score(ends[end], number);
        let region = Region { second_best_score, ..ends[end][number] };
        let own = i32::from(mapq(&region, repeat_fractions[end], ranking));
        own.max(paired.min(own + gain)) as u8
    });
    Some(ProperPair { regions: best.regions, mapq: mapqs })
}

/// Regions and pairs of regions that are compared without asking for memory.
const FEW: usize = 16;

/// The best proper pair, if there is one.
fn best_pair(
    ends: [&[Region]; 2],
    insert_scores: &InsertScores,
    tie_breaker: u64,
    ranking: &RankOptions,
    options: &PairOptions,
) -> Option<BestPair> {
    // The parts of a split read may have mates apart from each other: only the best part is paired.
    let [candidates, mates] = ends.map(|end| {
        let is_candidate = |&(number, _): &(usize, &Region)| {
            let leader = leader_of(end, number);
            leader == 0 || end[leader].score < options.min_score
        };
        end.iter().take(options.max_candidates).enumerate().filter(is_candidate)
    });
    // The position of a mate's 5' end, and in the lower half its number: one number is sorted more quickly than two.
    let place = |number: usize, region: &Region| (region.five_prime() as u64) << 32 | number as u64;
    // Filled in its place: to collect it would copy all of it.
    let mut places: SmallVec<[u64; FEW]> = SmallVec::new();
    places.extend(mates.map(|(number, region)| place(number, region)));
    places.sort_unstable();
    let five_prime_of = |place: u64| (place >> 32) as i64;
    let max_distance = insert_scores.max_distance()?;
    let mut pairs: SmallVec<[CandidatePair; FEW]> = SmallVec::new();
    for (number, region) in candidates {
        let at = region.five_prime();
        let begin = places.partition_point(|&mate| five_prime_of(mate) < at - max_distance);
        let near = places[begin..].iter();
        for &mate in near.take_while(|&&mate| five_prime_of(mate) <= at + max_distance) {
            let mate = mate as u32 as usize;
            let other = &ends[1][mate];
            if other.segment != region.segment {
                continue;
            }
            let (orientation, distance) = Orientation::of(region, other);
            if let Some(likelihood) = insert_scores.of(orientation, distance) {
                let score = f64::from(region.score + other.score) + likelihood;
                let pair_number = (number * options.max_candidates + mate) as u64;
                let tie = tie_breaker.wrapping_mul(2 * pair_number + 1) >> 16;
                pairs.push(CandidatePair { score, tie, regions: [number, mate] });
            }
        }
    }
    // Exact scores, not rounded ones: of copies side by side, one often has the more usual insert size.
    let best = *pairs.iter().max_by(|one, two| {
        let scores = one.score.total_cmp(&two.score);
        scores.then_with(|| (one.tie, one.regions).cmp(&(two.tie, two.regions)))
    })?;
    let others = || pairs.iter().filter(|pair| pair.regions != best.regions);
    let second_best_score = others().map(CandidatePair::rounded).max().unwrap_or_default();
    let is_near =
        |other: &&CandidatePair| second_best_score - other.rounded() <= ranking.score_margin;
    let second_best_count = others().filter(is_near).count() as u32;
    let (regions, score) = (best.regions, best.rounded());
    Some(BestPair { regions, score, second_best_score, second_best_count })
}
