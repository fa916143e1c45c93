//! Histograms with few bars.

use std::collections::BTreeMap;

/// The bars of a chart.
#[derive(Debug, Default, PartialEq)]
pub struct Bars {
    /// The name of each bar.
    pub names: Vec<String>,
    /// The value of each bar.
    pub values: Vec<f64>,
}

/// Counts of values in bins of equal width, with the name of each bin, its least value. The last bin has all values of
/// `beyond` and more.
pub fn bins<K: Copy + Into<u32>>(counts: &BTreeMap<K, u64>, width: u32, beyond: u32) -> Bars {
    let last = counts.keys().next_back().map_or(0, |&value| value.into()).min(beyond);
    let mut names: Vec<String> = (0..=last / width).map(|r| (r * width).to_string()).collect();
    if last == beyond
        && let Some(name) = names.last_mut()
    {
        name.push('+');
    }
    let mut sums = vec![0.0; names.len()];
    for (&value, &count) in counts {
        sums[(value.into().min(beyond) / width) as usize] += count as f64;
    }
    Bars { names, values: sums }
}

/// The median: the least value that at least half of the values do not exceed; `None` if there are none.
pub fn median(counts: &BTreeMap<u32, u64>) -> Option<u32> {
    let half = counts.values().sum::<u64>().div_ceil(2);
    let mut before = 0;
    counts.iter().find_map(|(&value, &count)| {
        before += count;
        (half > 0 && before >= half).then_some(value)
    })
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
        assert_eq!(median(&counts), Some(900));
        assert_eq!(median(&BTreeMap::from([(3, 2), (4, 2)])), Some(3));
        assert_eq!(median(&BTreeMap::new()), None);
    }
}
