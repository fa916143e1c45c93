//! Pairs: which regions of two reads belong together, and how sure that is.
//!
//! A pair's score is the sum of both regions' and of the logarithm of how likely a distance as unusual as
//! theirs is, in units of a base matched (Li 2013, section 2.3). It competes with other pairs, and with
//! the best regions of both reads taken apart, for which a penalty is paid.

use crate::insert::{Library, Orientation};
use crate::ranking::{MAX_MAPQ, RankOptions, leader, mapq, next_best, raw_mapq};
use crate::regions::Region;

/// What pairing costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairOptions {
    /// The penalty for two reads that are no proper pair.
    pub apart: i32,
    /// Regions of a read that may become part of a pair, at most: those that score best.
    pub most: usize,
    /// The least score of a part of a read that is split, and of one region of a pair that its mate is
    /// trusted for.
    pub least: i32,
}

impl Default for PairOptions {
    fn default() -> Self {
        Self { apart: 17, most: 500, least: 30 }
    }
}

/// What a good pair adds to a read's own quality, at most.
const GAIN: i32 = 40;

/// What was decided for the two reads of a proper pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// Number of the region that is primary, of each read.
    pub regions: [usize; 2],
    /// Their mapping qualities.
    pub mapq: [u8; 2],
}

/// A pair of regions.
#[derive(Debug, Clone, Copy)]
struct Pair {
    score: f64,
    /// A number that looks drawn, for a pair of reads and these regions.
    tie: u64,
    regions: [usize; 2],
}

impl Pair {
    /// Its score as a whole number, at least 0, which qualities are made of as in bwa.
    fn rounded(&self) -> i32 {
        ((self.score + 0.499).floor() as i32).max(0)
    }
}

/// The best pair and what it competes with.
#[derive(Debug, Clone, Copy)]
struct Best {
    regions: [usize; 2],
    score: i32,
    sub: i32,
    rivals: u32,
}

/// The pair of regions that two reads, whose regions are ranked, are from; `None` if none is more likely
/// than both reads' best regions apart. `repeats` is the share of each read that has only seeds which are too
/// frequent.
pub fn decide(
    ends: [&[Region]; 2],
    repeats: [f32; 2],
    library: &Library,
    salt: u64,
    ranking: &RankOptions,
    options: &PairOptions,
) -> Option<Decision> {
    let [Some(first), Some(second)] = ends.map(<[Region]>::first) else { return None };
    let best = best_pair(ends, library, salt, ranking, options)?;
    let apart = first.score + second.score - options.apart;
    if best.score <= apart {
        return None;
    }
    // Two short alignments may be near each other by chance.
    let is_sure = |end: usize| ends[end][best.regions[end]].score >= options.least;
    let gain = if is_sure(0) || is_sure(1) { GAIN } else { 0 };
    let mut paired = raw_mapq(best.score - best.sub.max(apart), ranking);
    if best.rivals > 0 {
        paired -= (4.343 * (best.rivals as f32 + 1.0).ln()).round() as i32;
    }
    let paired = paired.clamp(0, MAX_MAPQ.into()) as f32;
    let paired = (paired * (1.0 - 0.5 * (repeats[0] + repeats[1]))).round() as i32;
    let mapqs = [0, 1].map(|end| {
        let number = best.regions[end];
        let region = Region { sub: next_best(ends[end], number), ..ends[end][number] };
        let own = i32::from(mapq(&region, repeats[end], ranking));
        own.max(paired.min(own + gain)) as u8
    });
    Some(Decision { regions: best.regions, mapq: mapqs })
}

/// The best proper pair, if there is one.
fn best_pair(
    ends: [&[Region]; 2],
    library: &Library,
    salt: u64,
    ranking: &RankOptions,
    options: &PairOptions,
) -> Option<Best> {
    // The parts of a read that is split may have mates apart from each other: the best part's is wanted.
    let [candidates, mates] = ends.map(|end| {
        let is_wanted = |&(number, _): &(usize, &Region)| {
            let leader = leader(end, number);
            leader == 0 || end[leader].score < options.least
        };
        end.iter().take(options.most).enumerate().filter(is_wanted)
    });
    let mut mates: Vec<(u32, i64, usize)> =
        mates.map(|(number, region)| (region.segment, region.five_prime(), number)).collect();
    mates.sort_unstable();
    let reach = Orientation::ALL
        .iter()
        .filter_map(|&orientation| library.distances(orientation))
        .map(|distances| distances.high)
        .max()?;
    let mut pairs: Vec<Pair> = Vec::new();
    for (number, region) in candidates {
        let at = region.five_prime();
        let begin = mates.partition_point(|&(segment, other, _)| {
            (segment, other) < (region.segment, at - reach)
        });
        for &(segment, other, mate) in &mates[begin..] {
            if segment != region.segment || other > at + reach {
                break;
            }
            let (orientation, distance) = Orientation::of(region, &ends[1][mate]);
            let proper = library.distances(orientation).filter(|it| it.contains(distance));
            if let Some(distances) = proper {
                let unusual =
                    (distance as f64 - distances.mean).abs() / distances.deviation.max(1.0);
                let tail = 2.0 * libm::erfc(unusual * std::f64::consts::FRAC_1_SQRT_2);
                let likely = 0.721 * tail.max(f64::MIN_POSITIVE).ln() * f64::from(ranking.matched);
                let score = f64::from(region.score + ends[1][mate].score) + likely;
                let tie = salt.wrapping_mul(2 * (number * options.most + mate) as u64 + 1) >> 16;
                pairs.push(Pair { score, tie, regions: [number, mate] });
            }
        }
    }
    // Not by whole numbers: of copies beside each other one often has the more usual distance.
    pairs.sort_unstable_by(|one, two| {
        let scores = two.score.total_cmp(&one.score);
        scores.then_with(|| (two.tie, two.regions).cmp(&(one.tie, one.regions)))
    });
    let (best, others) = pairs.split_first()?;
    let sub = others.first().map_or(0, Pair::rounded);
    let is_near = |other: &&Pair| sub - other.rounded() <= ranking.near;
    let rivals = others.iter().filter(is_near).count() as u32;
    Some(Best { regions: best.regions, score: best.rounded(), sub, rivals })
}
