//! Histograms with few bars.

use std::collections::BTreeMap;

use crate::output::quantile;

/// The bars of a chart.
#[derive(Debug, Default, PartialEq)]
pub struct Bars {
    /// The name of each bar.
    pub names: Vec<String>,
    /// The value of each bar.
    pub values: Vec<f64>,
}

/// The most bars of a histogram whose width is chosen, besides the last one.
const MOST_BARS: u32 = 100;

/// Values beyond this fraction of all are in one bar at the end, since few of them may be far away.
const SHOWN: f64 = 0.995;

/// Counts of values in bins of equal width, with the name of each bin, its least value. The first bin has the least value, and
/// the last all values of `beyond` and more.
pub fn bins<K: Copy + Into<u32>>(counts: &BTreeMap<K, u64>, width: u32, beyond: u32) -> Bars {
    bins_from(0, counts, width, beyond)
}

/// As [`bins`], from the bin number `first` on, before which there are no values.
fn bins_from<K: Copy + Into<u32>>(
    first: u32,
    counts: &BTreeMap<K, u64>,
    width: u32,
    beyond: u32,
) -> Bars {
    let last = counts.keys().next_back().map_or(0, |&value| value.into()).min(beyond);
    let mut names: Vec<String> =
        (first..=last / width).map(|bin| (bin * width).to_string()).collect();
    if last == beyond
        && let Some(name) = names.last_mut()
    {
        name.push('+');
    }
    let mut sums = vec![0.0; names.len()];
    for (&value, &count) in counts {
        sums[(value.into().min(beyond) / width - first) as usize] += count as f64;
    }
    Bars { names, values: sums }
}

/// Counts of values in bins whose width follows from their spread: near to that of Freedman and Diaconis (1981), twice the
/// distance of the quartiles divided by the cube root of the number of values, but a round number. So random differences
/// between bars are small, and the shape is kept.
pub fn smooth_bins(counts: &BTreeMap<u32, u64>) -> Bars {
    let of = |fraction| quantile(counts, fraction).unwrap_or(0);
    let values: u64 = counts.values().sum();
    let wanted = 2.0 * f64::from(of(0.75) - of(0.25)) / (values.max(1) as f64).cbrt();
    let (least, most) = (of(0.0), of(SHOWN));
    let fits =
        |&width: &u32| 1.5 * f64::from(width) >= wanted && (most - least) / width < MOST_BARS;
    let width = round_numbers().find(fits).unwrap_or(u32::MAX);
    // What is beyond begins with a bin.
    let beyond = (most / width + 1).saturating_mul(width);
    bins_from(least / width, counts, width, beyond)
}

/// 1, 2, 5, 10, 20, 50 and so on.
fn round_numbers() -> impl Iterator<Item = u32> {
    (0..9).flat_map(|digits| [1, 2, 5].map(|digit| digit * 10_u32.pow(digits)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_gathered() {
        let counts = BTreeMap::from([(0_u32, 1), (9, 2), (10, 4), (35, 8), (900, 16)]);
        let Bars { names, values: sums } = bins(&counts, 10, 40);
        assert_eq!(names, ["0", "10", "20", "30", "40+"]);
        assert_eq!(sums, [3.0, 4.0, 0.0, 8.0, 16.0]);
        assert_eq!(bins(&BTreeMap::from([(12_u32, 5)]), 10, 40).values, [0.0, 5.0]);
        assert_eq!(bins(&BTreeMap::<u32, u64>::new(), 10, 40).values, [0.0]);
    }

    /// Insert sizes about a mean, as sums of random numbers, and some that are far away.
    fn insert_sizes(count: u64, random: &mut fastrand::Rng) -> BTreeMap<u32, u64> {
        let mut counts = BTreeMap::new();
        for number in 0..count {
            let size = if number % 1000 == 999 {
                random.u32(5000..50_000)
            } else {
                200 + (0..10).map(|_| random.u32(0..60)).sum::<u32>()
            };
            *counts.entry(size).or_default() += 1;
        }
        counts
    }

    #[test]
    fn bins_follow_the_spread_so_that_they_rise_and_fall_once() {
        let mut random = fastrand::Rng::with_seed(29);
        let mut before = u32::MAX;
        for count in [1_000, 30_000, 1_000_000] {
            let counts = insert_sizes(count, &mut random);
            let Bars { names, values } = smooth_bins(&counts);
            assert_eq!(values.iter().map(|&value| value as u64).sum::<u64>(), count);
            assert!((10..=MOST_BARS as usize + 2).contains(&values.len()), "{names:?}");
            let (beyond, starts) = names.split_last().expect("bins");
            assert!(beyond.ends_with('+'));
            let starts: Vec<u32> =
                starts.iter().map(|name| name.parse().expect("a number")).collect();
            let width = starts[1] - starts[0];
            assert!(starts.windows(2).all(|two| two[1] - two[0] == width) && width <= before);
            assert!(starts[0].is_multiple_of(width) && round_numbers().any(|round| round == width));
            before = width;
            // Few neighbours are out of order by more than chance.
            let (_, shown) = values.split_last().expect("bins");
            let top = (0..shown.len()).max_by_key(|&bin| shown[bin] as u64).expect("bins");
            let falls = |two: &[f64]| two[0] - two[1] > 3.0 * (two[0] + two[1]).sqrt();
            let rises = |two: &[f64]| two[1] - two[0] > 3.0 * (two[0] + two[1]).sqrt();
            assert!(!shown[..=top].windows(2).any(falls), "{values:?}");
            assert!(!shown[top..].windows(2).any(rises), "{values:?}");
        }
        // Equal sizes have one bar, and none beyond it.
        let same = smooth_bins(&BTreeMap::from([(300, 9)]));
        assert_eq!((same.names, same.values), (vec!["300".to_owned()], vec![9.0]));
        assert_eq!(smooth_bins(&BTreeMap::new()).values, [0.0]);
        let two = smooth_bins(&BTreeMap::from([(0, 1), (u32::MAX, 1)]));
        assert_eq!(two.values.iter().filter(|&&value| value > 0.0).count(), 2);
    }
}
