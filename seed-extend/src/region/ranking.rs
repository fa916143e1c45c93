//! Ranking: which of a read's regions is best, what competes with it, and its mapping quality.
//!
//! Regions that share much of the read are alternatives: all but the best of them are *secondary to* it. A region that
//! is secondary to none aligns a *part* of the read of its own: one such region is primary, the others supplementary,
//! and a read with more than one is *split*.
//! The rules are those of BWA-MEM (`mem_mark_primary_se` and `mem_approx_mapq_se`; Li, arXiv:1303.3997, section 2.4).
//!
//! If some regions lie on ALT contigs, they come behind those of the primary assembly, and the latter are compared once
//! more with each other alone: an ALT copy of a locus neither takes the read away from the primary assembly nor lowers
//! its mapping quality. Where the ALT copy fits better, both are reported: the region on the primary assembly, and that on
//! the ALT contig as supplementary. What both have in common with all others is kept
//! ([`Region::alternative_to`], [`Region::alt_score`]).

use std::cmp::Reverse;

use smallvec::SmallVec;

use crate::region::regions::{Region, RegionMemory, RegionNumber, are_first_apart, deduplicate};

/// How the regions of a read are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankOptions {
    /// Fraction of the shorter of two regions, in the read, that they must share to be alternatives. bwa's
    /// `mask_level`.
    pub min_overlap: f32,
    /// Two scores that differ by no more than this are nearly the same: the cost of one difference, be it a mismatch
    /// (`mismatch_penalty + match_score`) or a gap of one base. bwa's `tmp` in `mem_mark_primary_se`.
    pub score_margin: i32,
    /// Bases of the shortest seed: an alignment of fewer bases may exist and not be seen, so the second best score
    /// counts as at least theirs. bwa's `-k` (`min_seed_len`).
    pub min_seed_length: i32,
    /// Score of a pair of equal bases. bwa's `-A`.
    pub match_score: i32,
    /// Penalty of a mismatch. bwa's `-B`.
    pub mismatch_penalty: i32,
}

impl RankOptions {
    /// The score of the shortest seed: regions that score less are as good as by chance.
    pub fn least_score(&self) -> i32 {
        self.min_seed_length * self.match_score
    }
}

impl Default for RankOptions {
    fn default() -> Self {
        Self {
            min_overlap: 0.5,
            score_margin: 7,
            min_seed_length: 19,
            match_score: 1,
            mismatch_penalty: 4,
        }
    }
}

/// Points of mapping quality of a difference of one match in score, 10 log10 4: scores are taken as logarithms to base
/// 4 of likelihoods, mapping qualities are ten times logarithms to base 10. bwa has the number in this rounding.
const MAPQ_OF_A_MATCH: f32 = 6.02;

/// Points of mapping quality of a factor of e in likelihood, 10 log10 e, in bwa's rounding.
pub(crate) const MAPQ_OF_E: f32 = 4.343;

/// The highest mapping quality that is reported.
pub const MAX_MAPQ: u8 = 60;

/// Sorts the regions of a read of `length` bases by score, the best first and those on ALT contigs last, and sets which
/// are secondary to which, and the second best scores. Among equal scores `tie_breaker` decides, which must differ between
/// reads but not between runs.
pub fn rank(
    regions: &mut [Region],
    length: u32,
    tie_breaker: u64,
    (options, memory): (&RankOptions, &mut RegionMemory),
) {
    if regions.len() > 1 {
        sort(regions, tie_breaker, memory);
    }
    compare_sorted(regions, length, options);
}

/// Regions that are put among ranked ones, at most: for more, it takes less time to sort all.
const MOST_ADDED: usize = 8;

/// Ranks the regions of a read of `length` bases again, as [`deduplicate`] and [`rank`] do, after the first `added` ones have come
/// to the others. These went through both, with the same length, tie breaker and options. Most often a few come, far from the
/// others, and only these few are sorted.
pub fn rank_added(
    regions: &mut Vec<Region>,
    added: usize,
    (length, tie_breaker): (u32, u64),
    (options, memory): (&RankOptions, &mut RegionMemory),
) {
    let is_any_alt = regions.iter().any(|region| region.is_alt);
    if added > MOST_ADDED || is_any_alt || !are_first_apart(regions, added) {
        deduplicate(regions, memory);
        rank(regions, length, tie_breaker, (options, memory));
        return;
    }
    // Regions that are apart begin at different places, so that their keys differ.
    let key = |region: &Region| (Reverse(region.score), mix(tie_breaker, region));
    let few: SmallVec<[Region; MOST_ADDED]> = regions.drain(..added).collect();
    for region in few {
        let place = regions.partition_point(|other| key(other) < key(&region));
        regions.insert(place, region);
    }
    compare_sorted(regions, length, options);
}

/// Sets which of the sorted regions of a read are secondary to which, and the second best scores.
fn compare_sorted(regions: &mut [Region], length: u32, options: &RankOptions) {
    for region in &mut *regions {
        (region.secondary_to, region.alternative_to) = (None, None);
        (region.second_best_score, region.second_best_count, region.alt_score) = (0, 0, 0);
    }
    if regions.len() < 2 {
        return;
    }
    compare(regions, length, options);
    if regions.iter().any(|region| region.is_alt) {
        rank_primary_assembly(regions, length, options);
    } else {
        for region in regions {
            region.alternative_to = region.secondary_to;
        }
    }
}

/// Bits of an entry of a [`RegionOrder`](super::regions::RegionOrder) for the score of a region, and one for whether it lies on an
/// ALT contig.
const SCORE_AND_ALT_BITS: u32 = 17;

/// Scores from here on, and those below 0, are not told apart by these bits.
const SCORE_CAP: i32 = (1 << (SCORE_AND_ALT_BITS - 1)) - 1;

/// Sorts the regions of a read by score, the best first, then those on ALT contigs last, then by a hash that depends on
/// `tie_breaker`. Different places have different hashes ([`mix`]); of two regions that begin at one place in the text, the
/// one that begins first in the query comes first.
fn sort(regions: &mut [Region], tie_breaker: u64, memory: &mut RegionMemory) {
    let score = |region: &Region| (Reverse(region.score), region.is_alt);
    // Many reads have two regions, one of which scores more.
    if let [one, two] = regions
        && score(one) != score(two)
    {
        if score(one) > score(two) {
            regions.swap(0, 1);
        }
        return;
    }
    let first_bits = |region: &Region| match region.score {
        SCORE_CAP.. => 0,
        ..0 => u64::MAX,
        _ => {
            let below_cap = (SCORE_CAP - region.score) as u64;
            let score_and_alt = below_cap << 1 | u64::from(region.is_alt);
            let hash = mix(tie_breaker, region) >> SCORE_AND_ALT_BITS;
            score_and_alt << (u64::BITS - SCORE_AND_ALT_BITS) | hash
        }
    };
    let RegionMemory { order, unsorted, .. } = memory;
    let key = |region: &Region| (score(region), mix(tie_breaker, region), region.query_begin);
    order.set(regions, first_bits, key);
    if !order.numbers().is_sorted() {
        unsorted.clear();
        unsorted.extend_from_slice(regions);
        for (region, number) in regions.iter_mut().zip(order.numbers()) {
            *region = unsorted[number];
        }
    }
}

/// Sets which of some regions are secondary to which, and the second best scores and counts, to which it adds. The regions
/// are sorted, and secondary to none.
fn compare(regions: &mut [Region], length: u32, options: &RankOptions) {
    /// Parts of a read that are compared without asking for memory.
    const FEW: usize = 16;
    let mut leaders: SmallVec<[usize; FEW]> = SmallVec::new();
    for number in 0..regions.len() {
        let (begin, end) = regions[number].in_read(length);
        let leader = leaders.iter().copied().find(|&leader| {
            let (other_begin, other_end) = regions[leader].in_read(length);
            let shared = end.min(other_end).saturating_sub(begin.max(other_begin));
            let shorter = (end - begin).min(other_end - other_begin);
            shared > 0 && shared as f32 >= shorter as f32 * options.min_overlap
        });
        let Some(leader) = leader else {
            leaders.push(number);
            continue;
        };
        regions[number].secondary_to = Some(RegionNumber::new(leader));
        let Region { score, is_alt, .. } = regions[number];
        let leader = &mut regions[leader];
        leader.second_best_score = leader.second_best_score.max(score);
        let competes = leader.is_alt || !is_alt;
        let is_near = leader.score - score <= options.score_margin;
        leader.second_best_count += u32::from(competes && is_near);
    }
}

/// The second round of bwa's `mem_mark_primary_se`: moves the regions on ALT contigs, which were compared with all others,
/// behind the others, and compares these once more without them. As in bwa, the counts of both rounds add up.
fn rank_primary_assembly(regions: &mut [Region], length: u32, options: &RankOptions) {
    let before = regions.to_vec();
    let mut order: Vec<usize> = (0..before.len()).collect();
    order.sort_by_key(|&number| before[number].is_alt);
    let mut places = vec![0; before.len()];
    for (place, &number) in order.iter().enumerate() {
        places[number] = place;
    }
    for (region, number) in regions.iter_mut().zip(order) {
        *region = before[number];
        let Some(leader) = region.secondary_to else { continue };
        let (leader, place) = (&before[leader.get()], RegionNumber::new(places[leader.get()]));
        (region.secondary_to, region.alternative_to) = (Some(place), Some(place));
        if leader.is_alt && !region.is_alt {
            region.alt_score = leader.score;
        }
    }
    let primary = regions.partition_point(|region| !region.is_alt);
    let primary = &mut regions[..primary];
    for region in &mut *primary {
        (region.secondary_to, region.second_best_score) = (None, 0);
    }
    compare(primary, length, options);
}

/// Puts, of the ranked regions of a split read of `length` bases, that of the leftmost part first in place of the best
/// one, and returns whether it had to. Only parts that score at least `min_score` count. bwa's `mem_reorder_primary5`.
pub fn put_leftmost_first(regions: &mut [Region], length: u32, min_score: i32) -> bool {
    let is_part = |region: &&Region| {
        region.secondary_to.is_none() && !region.is_alt && region.score >= min_score
    };
    let begin = |number: usize| regions[number].in_read(length).0;
    let parts = regions.iter().enumerate().filter(|(_, region)| is_part(region));
    let leftmost = parts.map(|(number, _)| number).min_by_key(|&number| begin(number));
    let Some(leftmost) = leftmost.filter(|&number| number > 0) else { return false };
    regions.swap(0, leftmost);
    let moved = |leader: RegionNumber| match leader.get() {
        0 => RegionNumber::new(leftmost),
        place if place == leftmost => RegionNumber::new(0),
        _ => leader,
    };
    for region in regions {
        region.secondary_to = region.secondary_to.map(moved);
        region.alternative_to = region.alternative_to.map(moved);
    }
    true
}

/// A hash of a read's tie breaker and a region.
fn mix(tie_breaker: u64, region: &Region) -> u64 {
    let mut hash = tie_breaker ^ (u64::from(region.begin) << 1 | u64::from(region.query & 1));
    hash = (hash ^ hash >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash = (hash ^ hash >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ hash >> 33
}

/// Number of the region that region `number` is secondary to, or `number` if it is secondary to none.
pub fn leader_of(regions: &[Region], number: usize) -> usize {
    regions[number].secondary_to.map_or(number, RegionNumber::get)
}

/// Number of the region that holds region `number` as an alternative in its tag `XA`, if the primary alignment of the read
/// is region `primary`; `None` if it is an alternative of none. The primary alignment takes the place of the better region
/// that it is an alternative of itself, unless that lies on an ALT contig.
pub fn holder_of(regions: &[Region], primary: usize, number: usize) -> Option<usize> {
    let best_of = |number: usize| regions[number].alternative_to.map_or(number, RegionNumber::get);
    let (best, best_of_primary) = (best_of(number), best_of(primary));
    let takes_place = best == best_of_primary && !regions[best].is_alt;
    let holder = if takes_place { primary } else { best };
    (holder != number).then_some(holder)
}

/// Best score of the regions that share much of the read with region `number`; 0 if there is none. It is what `XS`
/// reports.
pub fn second_best_score(regions: &[Region], number: usize) -> i32 {
    let region = &regions[number];
    region.secondary_to.map_or(region.second_best_score, |leader| regions[leader.get()].score)
}

/// The mapping quality of a region, from 0 to 60, without regard to a mate. `repeat_fraction` is the fraction of the
/// read that lies only in seeds too frequent to be located completely.
///
/// This is bwa's formula (`mem_approx_mapq_se`): 6.02 times the difference to the second best score, in matches,
/// lowered for short and dissimilar alignments and for many second best regions.
pub fn mapq(region: &Region, repeat_fraction: f32, options: &RankOptions) -> u8 {
    /// Alignments of at least this many bases are trusted less the longer they are. bwa's `mapQ_coef_len`.
    const LONG: f32 = 50.0;
    /// The logarithm of [`LONG`], truncated to an integer as in `bwa` (`mapQ_coef_fac`).
    const LOG_LONG: f32 = 3.0;
    let second_best_score =
        region.second_best_score.max(options.min_seed_length * options.match_score);
    if second_best_score >= region.score || !region.is_supported {
        return 0;
    }
    let length = region.length() as f32;
    let lost = length * options.match_score as f32 - region.score as f32;
    let identity = 1.0 - lost / (options.match_score + options.mismatch_penalty) as f32 / length;
    let trust = if length < LONG { 1.0 } else { LOG_LONG / length.ln() };
    let trust = trust * identity * identity;
    let apart = (region.score - second_best_score) as f32 / options.match_score as f32;
    let mut quality = (MAPQ_OF_A_MATCH * apart * trust * trust).round();
    if region.second_best_count > 0 {
        quality -= (MAPQ_OF_E * (region.second_best_count as f32 + 1.0).ln()).round();
    }
    let quality = quality.clamp(0.0, MAX_MAPQ.into());
    (quality * (1.0 - repeat_fraction)).round() as u8
}

/// The mapping quality that a difference of two scores stands for. bwa's `raw_mapq`.
pub fn raw_mapq(difference: i32, options: &RankOptions) -> i32 {
    (MAPQ_OF_A_MATCH * difference as f32 / options.match_score as f32).round() as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A region over all 100 bases of a read, with this score.
    fn region(begin: u32, score: i32, is_alt: bool) -> Region {
        Region {
            query: 0,
            segment: u32::from(is_alt),
            score,
            query_begin: 0,
            query_end: 100,
            begin,
            end: begin + 100,
            first_run: 0,
            run_count: 1,
            is_supported: true,
            is_alt,
            ..Region::default()
        }
    }

    /// Ranks regions of a read of 100 bases.
    fn ranked(mut regions: Vec<Region>) -> Vec<Region> {
        rank(&mut regions, 100, 7, (&RankOptions::default(), &mut RegionMemory::default()));
        regions
    }

    #[test]
    fn an_alt_copy_does_not_lower_the_quality() {
        let options = RankOptions::default();
        let quality = |regions: &[Region]| mapq(&regions[0], 0.0, &options);
        for score in [90, 100] {
            let alone = ranked(vec![region(1000, 100, false)]);
            let with_alt = ranked(vec![region(9000, score, true), region(1000, 100, false)]);
            assert_eq!((with_alt[0].begin, quality(&with_alt)), (1000, quality(&alone)));
            let leader = with_alt[1].secondary_to.map(RegionNumber::get);
            assert_eq!((leader, with_alt[0].alt_score), (Some(0), 0));
            assert_eq!((holder_of(&with_alt, 0, 1), holder_of(&with_alt, 0, 0)), (Some(0), None));
            let as_others = ranked(vec![region(9000, score, false), region(1000, 100, false)]);
            assert!(quality(&as_others) < quality(&alone));
        }
    }

    #[test]
    fn a_better_alt_copy_is_a_part_of_its_own() {
        let regions = vec![
            region(9000, 100, true),
            region(1000, 90, false),
            region(3000, 80, false),
            region(5000, 95, true),
        ];
        let found = ranked(regions);
        let begins: Vec<u32> = found.iter().map(|it| it.begin).collect();
        assert_eq!(begins, [1000, 3000, 9000, 5000]);
        let number = |it: Option<RegionNumber>| it.map(RegionNumber::get);
        let leaders: Vec<Option<usize>> = found.iter().map(|it| number(it.secondary_to)).collect();
        assert_eq!(leaders, [None, Some(0), None, Some(2)]);
        // Among all regions, the one that scores most leads.
        let leaders: Vec<Option<usize>> =
            found.iter().map(|it| number(it.alternative_to)).collect();
        assert_eq!(leaders, [Some(2), Some(2), None, Some(2)]);
        let alt_scores: Vec<i32> = found.iter().map(|it| it.alt_score).collect();
        assert_eq!(alt_scores, [100, 100, 0, 0]);
        assert_eq!((found[0].second_best_score, found[2].second_best_score), (80, 95));
        let holders: Vec<Option<usize>> = (0..4).map(|it| holder_of(&found, 0, it)).collect();
        assert_eq!(holders, [Some(2), Some(2), None, Some(2)]);
    }

    #[test]
    fn the_primary_alignment_holds_the_alternatives_of_the_region_that_it_replaces() {
        let found = ranked(vec![region(1000, 100, false), region(3000, 95, false)]);
        assert_eq!((holder_of(&found, 1, 0), holder_of(&found, 1, 1)), (Some(1), None));
    }

    #[test]
    fn regions_that_come_to_ranked_ones_are_ranked_as_if_all_had_come_at_once() {
        let (mut memory, options) = (RegionMemory::default(), RankOptions::default());
        let mut apart = 0;
        for seed in 0..3000 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (places, has_alt) = (random.u32(1..200), random.u8(..5) == 0);
            let mut any = |first_run| {
                let begin = random.u32(..places) * 70 + random.u32(..2);
                let query_begin = random.u32(..3) * 20;
                Region {
                    query: random.u32(..2),
                    query_begin,
                    query_end: query_begin + random.u32(40..=60),
                    first_run,
                    ..region(begin, random.i32(90..100), has_alt && random.bool())
                }
            };
            let mut ranked: Vec<Region> = (0..seed % 30).map(&mut any).collect();
            let mut regions: Vec<Region> = (100..100 + seed % 11).map(&mut any).collect();
            deduplicate(&mut ranked, &mut memory);
            rank(&mut ranked, 100, seed, (&options, &mut memory));
            let added = regions.len();
            regions.extend(ranked);
            let is_any_alt = regions.iter().any(|region| region.is_alt);
            let are_few = (1..=MOST_ADDED).contains(&added) && !is_any_alt;
            apart += u32::from(are_few && are_first_apart(&regions, added));
            let mut expected = regions.clone();
            deduplicate(&mut expected, &mut memory);
            rank(&mut expected, 100, seed, (&options, &mut memory));
            rank_added(&mut regions, added, (100, seed), (&options, &mut memory));
            assert_eq!(regions, expected, "seed {seed}");
        }
        assert!((300..2000).contains(&apart), "{apart}");
    }

    #[test]
    fn regions_are_sorted_by_score_then_by_hash() {
        let mut memory = RegionMemory::default();
        for seed in 0..500 {
            let mut random = fastrand::Rng::with_seed(seed);
            let lowest = [i32::MIN, -3, 100, SCORE_CAP - 3, 1 << 20, i32::MAX - 6];
            let lowest = lowest[random.usize(..6)];
            // Those that are equal but for their runs stay in their order.
            let mut regions: Vec<Region> = (0..random.u64(0..60))
                .map(|first_run| Region {
                    query: random.u32(..2),
                    query_begin: random.u32(..3),
                    first_run,
                    ..region(random.u32(..20), lowest + random.i32(0..7), random.bool())
                })
                .collect();
            let key = |region: &Region| {
                (Reverse(region.score), region.is_alt, mix(seed, region), region.query_begin)
            };
            let mut expected = regions.clone();
            expected.sort_by_key(key);
            sort(&mut regions, seed, &mut memory);
            assert_eq!(regions, expected, "seed {seed}");
        }
    }
}
