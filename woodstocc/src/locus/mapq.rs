//! Mapping quality from distances and multiplicities.
//!
//! All mapping knows every locus within `k`, so the probability that the primary one is wrong can be computed instead
//! of estimated. Each further difference makes a locus [`ODDS`] times less likely to be the origin of the read. Beyond
//! `k`, where nothing was searched for, one locus at distance `k + 1` is assumed. With `n(d)` loci at distance `d` and
//! `b` the least distance,
//!
//! ```text
//!   weight = sum over d <= k of n(d) * ODDS^(b - d)  +  ODDS^(b - k - 1)
//!   P(wrong) = 1 - 1 / weight
//!   MAPQ = round(-10 log10 P(wrong)), at most 60; 0 if the least distance is shared by four or more
//! ```
//!
//! So a unique locus has MAPQ 18 at distance `k`, 36 at `k - 1` and 54 at `k - 2`. Two equally good loci give 3, and a
//! second-best locus with one difference more gives 18. `benches/EXPERIMENTS.md` compares this with simulated reads
//! (`benches/mapq-calibration.py`): for `k` = 3 the true error rates are lower than the qualities say.

/// Factor by which one more difference makes a locus less likely to be the origin of a read.
pub const ODDS: f64 = 64.0;

/// The greatest mapping quality.
pub const MAX: u8 = 60;

/// The mapping quality of the primary locus of a read whose loci have these distances, each at most `k`.
pub fn mapq(distances: impl IntoIterator<Item = u8>, k: u8) -> u8 {
    let mut counts = vec![0_u64; usize::from(k) + 1];
    for distance in distances {
        counts[usize::from(distance)] += 1;
    }
    let Some(best) = counts.iter().position(|&count| count > 0) else { return 0 };
    if counts[best] > 3 {
        return 0;
    }
    counts.push(1);
    let others: f64 = counts[best..]
        .iter()
        .enumerate()
        .map(|(extra, &count)| (count - u64::from(extra == 0)) as f64 * ODDS.powi(-(extra as i32)))
        .sum();
    let wrong = others / (1.0 + others);
    (-10.0 * wrong.log10()).round().clamp(0.0, f64::from(MAX)) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn qualities_follow_the_formula() {
        assert_eq!(mapq([], 3), 0);
        assert_eq!(mapq([0], 3), 60);
        assert_eq!(mapq([1], 3), 54);
        assert_eq!(mapq([2], 3), 36);
        assert_eq!(mapq([3], 3), 18);
        assert_eq!(mapq([0, 0], 3), 3);
        assert_eq!(mapq([0, 1], 3), 18);
        assert_eq!(mapq([0, 0, 0, 0], 3), 0);
        assert_eq!(mapq([0; 3], 3), 2);
        assert_eq!(mapq([0], 0), 18);
    }

    #[test]
    fn more_and_closer_rivals_never_raise_it() {
        for best in 0..=5 {
            let mut last = mapq([best], 5);
            for rivals in 1..40 {
                let now = mapq([best].into_iter().chain((0..rivals).map(|_| 5)), 5);
                assert!(now <= last);
                last = now;
            }
        }
    }
}
