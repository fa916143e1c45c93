//! Insert sizes: how far apart the two ends of pairs are, and which way they point.
//!
//! The insert size of a pair is the distance between the 5' ends of its reads. It is estimated for each of the four
//! orientations as in BWA-MEM (`mem_pestat`): from the quartiles of confident pairs, which are widened to reject
//! outliers. `bwa` estimates it anew for each batch. Here it is estimated once, from the first [`SAMPLE`] pairs of the
//! run, so that the output does not depend on batches.

use crate::read::queries::is_reverse;
use crate::region::ranking::RankOptions;
use crate::region::regions::Region;

/// Pairs from the begin of the run that the estimate is made of.
pub const SAMPLE: usize = 1 << 16;

/// Longest insert size that counts for the estimate. bwa's `max_ins`.
const MAX_DISTANCE: i64 = 10_000;

/// Orientation of a pair, seen along the strand that the first read aligns to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Orientation {
    /// Both reads on the same strand, the second ahead of the first.
    ForwardForward,
    /// Towards each other, as in paired-end libraries (Illumina).
    ForwardReverse,
    /// Away from each other, as in mate-pair libraries.
    ReverseForward,
    /// Both reads on the same strand, the second behind the first.
    ReverseReverse,
}

impl Orientation {
    /// All orientations, in the order of their numbers.
    pub const ALL: [Self; 4] =
        [Self::ForwardForward, Self::ForwardReverse, Self::ReverseForward, Self::ReverseReverse];

    /// Orientation of the same pair with the reads exchanged.
    #[must_use]
    pub fn from_second(self) -> Self {
        match self {
            Self::ForwardForward => Self::ReverseReverse,
            Self::ReverseReverse => Self::ForwardForward,
            other => other,
        }
    }

    /// Orientation and insert size, in bases, of two regions on one segment.
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

/// Insert sizes of the pairs of one orientation, in bases.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InsertSizes {
    /// Smallest insert size of a proper pair, at least 1.
    pub low: i64,
    /// Largest insert size of a proper pair.
    pub high: i64,
    /// Mean of the insert sizes that are not outliers.
    pub mean: f64,
    /// Standard deviation of these.
    pub deviation: f64,
}

impl InsertSizes {
    /// Whether a pair with this insert size is proper.
    pub fn contains(&self, distance: i64) -> bool {
        (self.low..=self.high).contains(&distance)
    }

    /// The logarithm, to base 4 and in units of a match, of the probability of an insert size at least as unusual as this
    /// one, if insert sizes are normally distributed.
    fn score(&self, distance: i64, match_score: i32) -> f64 {
        let unusual = (distance as f64 - self.mean).abs() / self.deviation.max(1.0);
        let tail = 2.0 * libm::erfc(unusual * std::f64::consts::FRAC_1_SQRT_2);
        MATCHES_OF_E * tail.max(f64::MIN_POSITIVE).ln() * f64::from(match_score)
    }
}

/// A sequencing library: the insert sizes of each orientation that has enough pairs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Library {
    insert_sizes: [Option<InsertSizes>; 4],
}

/// Insert sizes of confident pairs, which a [`Library`] is estimated from.
#[derive(Debug, Clone, Default)]
pub struct LibrarySample {
    distances: [Vec<i64>; 4],
}

impl LibrarySample {
    /// Adds a pair, whose regions are ranked, if it is confident: the best region of each read stands out, and both
    /// are on one segment. Regions on ALT contigs compete with the best one here, as in bwa.
    pub fn add(&mut self, ends: [&[Region]; 2], options: &RankOptions) {
        /// Fraction of the best score that the second best of a confident read may reach. bwa's `MIN_RATIO`.
        const STANDS_OUT: f32 = 0.8;
        let [Some(first), Some(second)] = ends.map(<[Region]>::first) else { return };
        let stands_out = |end: &[Region]| {
            let on_alt = end.iter().skip(1).filter(|region| region.is_alt);
            let on_alt = on_alt.map(|region| region.score).max().unwrap_or_default();
            let second_best_score = end[0].second_best_score.max(on_alt);
            let second_best_score =
                second_best_score.max(options.min_seed_length * options.match_score);
            second_best_score as f32 <= STANDS_OUT * end[0].score as f32
        };
        if ends.into_iter().all(stands_out) && first.segment == second.segment {
            let (orientation, distance) = Orientation::of(first, second);
            if (1..=MAX_DISTANCE).contains(&distance) {
                self.distances[orientation as usize].push(distance);
            }
        }
    }

    /// Estimates the insert sizes of each orientation.
    pub fn library(mut self) -> Library {
        /// Pairs of an orientation that an estimate needs. bwa's `MIN_DIR_CNT`.
        const LEAST: usize = 10;
        /// An orientation with fewer pairs than one in this many of the most frequent one's is ignored. bwa's
        /// `MIN_DIR_RATIO` is one divided by it.
        const SHARE: usize = 20;
        let most = self.distances.iter().map(Vec::len).max().unwrap_or_default();
        let estimate = |distances: &mut Vec<i64>| {
            (distances.len() >= LEAST && distances.len() * SHARE >= most)
                .then(|| estimate(distances))
        };
        Library { insert_sizes: self.distances.each_mut().map(estimate) }
    }
}

/// Estimates insert sizes from the distances of at least one pair.
fn estimate(distances: &mut [i64]) -> InsertSizes {
    /// Distances farther from the quartiles than this many interquartile ranges are outliers. bwa's `OUTLIER_BOUND`.
    const OUTLIER: f64 = 2.0;
    /// Pairs farther from the quartiles than this many interquartile ranges are not proper. bwa's `MAPPING_BOUND`.
    const BOUND: f64 = 3.0;
    /// Pairs within this many standard deviations of the mean are proper in any case. bwa's `MAX_STDDEV`.
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
    InsertSizes { low: low as i64, high: high as i64, mean, deviation }
}

/// Score, in matches, of a factor of e in likelihood: 1 / ln 4, in bwa's rounding, as a match is taken as a factor of 4.
const MATCHES_OF_E: f64 = 0.721;

/// The most insert sizes of an orientation whose scores are kept.
const MOST_KEPT: i64 = 1 << 12;

/// The scores that pairs get by their insert sizes.
#[derive(Debug, Clone)]
pub struct InsertScores {
    library: Library,
    match_score: i32,
    /// For each orientation, the scores of the first proper insert sizes, in order.
    kept: [Vec<f64>; 4],
    /// The largest insert size of a proper pair; `None` if there are no such pairs.
    max_distance: Option<i64>,
}

impl InsertScores {
    /// The scores of a library, if a match scores `match_score`.
    pub fn new(library: &Library, match_score: i32) -> Self {
        let kept = Orientation::ALL.map(|orientation| {
            let Some(sizes) = library.insert_sizes(orientation) else { return Vec::new() };
            let most = sizes.high.min(sizes.low + MOST_KEPT - 1);
            (sizes.low..=most).map(|distance| sizes.score(distance, match_score)).collect()
        });
        let sizes = Orientation::ALL.into_iter().filter_map(|it| library.insert_sizes(it));
        let max_distance = sizes.map(|sizes| sizes.high).max();
        Self { library: *library, match_score, kept, max_distance }
    }

    /// The largest insert size of a proper pair; `None` if no pair is proper.
    pub fn max_distance(&self) -> Option<i64> {
        self.max_distance
    }

    /// The library whose insert sizes are scored.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// The score of a pair of this orientation and insert size; `None` if it is not proper.
    pub fn of(&self, orientation: Orientation, distance: i64) -> Option<f64> {
        let sizes = self.library.insert_sizes(orientation).filter(|it| it.contains(distance))?;
        let kept = self.kept[orientation as usize].get((distance - sizes.low) as usize);
        Some(kept.copied().unwrap_or_else(|| sizes.score(distance, self.match_score)))
    }
}

impl Library {
    /// Insert sizes of an orientation, if it has enough pairs.
    pub fn insert_sizes(&self, orientation: Orientation) -> Option<&InsertSizes> {
        self.insert_sizes[orientation as usize].as_ref()
    }

    /// A library of pairs that point towards each other, with these insert sizes. bwa's `-I`.
    pub fn of_forward_reverse(sizes: InsertSizes) -> Self {
        let mut library = Self::default();
        library.insert_sizes[Orientation::ForwardReverse as usize] = Some(sizes);
        library
    }

    /// Whether no orientation has enough pairs.
    pub fn is_empty(&self) -> bool {
        self.insert_sizes.iter().all(Option::is_none)
    }

    /// Whether two regions are a proper pair: on one segment, in an orientation and at a distance of the library.
    pub fn is_proper(&self, first: &Region, second: &Region) -> bool {
        let (orientation, distance) = Orientation::of(first, second);
        first.segment == second.segment
            && self.insert_sizes(orientation).is_some_and(|sizes| sizes.contains(distance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_are_kept_are_those_that_are_not() {
        let sizes = InsertSizes { low: 150, high: 9000, mean: 400.0, deviation: 60.0 };
        let scores = InsertScores::new(&Library::of_forward_reverse(sizes), 2);
        let towards = |distance| scores.of(Orientation::ForwardReverse, distance);
        for distance in 150..=9000 {
            assert_eq!(towards(distance), Some(sizes.score(distance, 2)), "{distance}");
        }
        assert_eq!((towards(149), towards(9001)), (None, None));
        assert_eq!(scores.of(Orientation::ReverseForward, 400), None);
        // Whatever is as likely as not costs nothing but the factor of 2 tails.
        assert!((sizes.score(400, 1) - MATCHES_OF_E * 2.0_f64.ln()).abs() < 1e-9);
        assert!(sizes.score(100_000, 1).is_finite());
    }
}
