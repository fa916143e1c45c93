//! How far the ends of pairs are apart, and which way they point.
//!
//! Estimated once a run from its first confident pairs, so that nothing depends on batches, with the
//! bounds of BWA-MEM: quartiles, widened.

use crate::queries::is_reverse;
use crate::ranking::RankOptions;
use crate::regions::Region;

/// Pairs that the estimate is made of: the first of the run.
pub const SAMPLE: usize = 1 << 16;

/// Bases between the ends of pairs that are believed, at most.
const MAX_DISTANCE: i64 = 10_000;

/// How the ends of a pair point, seen along the strand of the first on the text: of two on the same strand,
/// the second is ahead of the first, or behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Both forward, the second ahead.
    ForwardForward,
    /// Towards each other: usual libraries.
    ForwardReverse,
    /// Away from each other.
    ReverseForward,
    /// Both backward from there: the second behind.
    ReverseReverse,
}

impl Orientation {
    /// All of them, by number.
    pub const ALL: [Self; 4] =
        [Self::ForwardForward, Self::ForwardReverse, Self::ReverseForward, Self::ReverseReverse];

    /// The same pair, seen from the second.
    #[must_use]
    pub fn from_second(self) -> Self {
        match self {
            Self::ForwardForward => Self::ReverseReverse,
            Self::ReverseReverse => Self::ForwardForward,
            other => other,
        }
    }

    /// Orientation and distance of two regions on one segment: between the positions of their reads' first
    /// bases.
    pub fn of(first: &Region, second: &Region) -> (Self, i64) {
        let (one, two) = (is_reverse(first.query), is_reverse(second.query));
        let ahead = second.five_prime() - first.five_prime();
        let ahead = if one { -ahead } else { ahead };
        let orientation = match (one == two, ahead > 0) {
            (true, true) => Self::ForwardForward,
            (true, false) => Self::ReverseReverse,
            (false, true) => Self::ForwardReverse,
            (false, false) => Self::ReverseForward,
        };
        (orientation, ahead.abs())
    }
}

/// Distances of the pairs of one orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Distances {
    /// The least that is proper.
    pub low: i64,
    /// The greatest that is proper.
    pub high: i64,
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation.
    pub deviation: f64,
}

impl Distances {
    /// Whether a distance is proper.
    pub fn contains(&self, distance: i64) -> bool {
        (self.low..=self.high).contains(&distance)
    }
}

/// Distances of the pairs of each orientation that has enough of them.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Library {
    distances: [Option<Distances>; 4],
}

/// Distances of confident pairs.
#[derive(Debug, Clone, Default)]
pub struct Sample {
    distances: [Vec<i64>; 4],
}

impl Sample {
    /// Takes a pair, whose regions are ranked, if it is confident: each end's best region stands out.
    pub fn add(&mut self, ends: [&[Region]; 2], options: &RankOptions) {
        /// A second-best score must be less than this share of the best one.
        const STANDS_OUT: f32 = 0.8;
        let [Some(first), Some(second)] = ends.map(<[Region]>::first) else { return };
        let stands_out = |region: &Region| {
            let sub = region.sub.max(options.unseen * options.matched);
            sub as f32 <= STANDS_OUT * region.score as f32
        };
        if stands_out(first) && stands_out(second) && first.segment == second.segment {
            let (orientation, distance) = Orientation::of(first, second);
            if (1..=MAX_DISTANCE).contains(&distance) {
                self.distances[orientation as usize].push(distance);
            }
        }
    }

    /// The estimate.
    pub fn library(mut self) -> Library {
        /// Fewer pairs tell nothing.
        const LEAST: usize = 10;
        /// An orientation with a smaller share of the most frequent one's pairs is a mistake.
        const SHARE: usize = 20;
        let most = self.distances.iter().map(Vec::len).max().unwrap_or_default();
        let estimate = |distances: &mut Vec<i64>| {
            (distances.len() >= LEAST && distances.len() * SHARE >= most)
                .then(|| estimate(distances))
        };
        Library { distances: self.distances.each_mut().map(estimate) }
    }
}

/// The bounds, mean and deviation of distances, of which there is one at least.
fn estimate(distances: &mut [i64]) -> Distances {
    /// Distances farther than this many times the quartiles' difference from them are left out,
    const OUTLIER: f64 = 2.0;
    /// and those farther than this are not proper,
    const BOUND: f64 = 3.0;
    /// unless they are within so many deviations.
    const DEVIATIONS: f64 = 4.0;
    distances.sort_unstable();
    let quantile = |share: f64| distances[(share * distances.len() as f64 + 0.499) as usize];
    let (lower, upper) = (quantile(0.25) as f64, quantile(0.75) as f64);
    let width = upper - lower;
    let bounds = |times: f64| {
        let low = (lower - times * width + 0.499).max(1.0);
        (low, upper + times * width + 0.499)
    };
    let (low, high) = bounds(OUTLIER);
    let inner = || {
        let inside = |distance: &f64| (low.floor()..=high.floor()).contains(distance);
        distances.iter().map(|&distance| distance as f64).filter(inside)
    };
    let count = inner().count() as f64;
    let mean = inner().sum::<f64>() / count;
    let deviation = (inner().map(|it| (it - mean) * (it - mean)).sum::<f64>() / count).sqrt();
    let (low, high) = bounds(BOUND);
    let low = low.min((mean - DEVIATIONS * deviation + 0.499).max(1.0));
    let high = high.max(mean + DEVIATIONS * deviation + 0.499);
    Distances { low: low as i64, high: high as i64, mean, deviation }
}

impl Library {
    /// Of an orientation, if there are enough pairs of it.
    pub fn distances(&self, orientation: Orientation) -> Option<&Distances> {
        self.distances[orientation as usize].as_ref()
    }

    /// Whether no orientation has enough pairs.
    pub fn is_empty(&self) -> bool {
        self.distances.iter().all(Option::is_none)
    }

    /// Whether two regions are a proper pair.
    pub fn is_proper(&self, first: &Region, second: &Region) -> bool {
        let (orientation, distance) = Orientation::of(first, second);
        first.segment == second.segment
            && self.distances(orientation).is_some_and(|distances| distances.contains(distance))
    }
}
