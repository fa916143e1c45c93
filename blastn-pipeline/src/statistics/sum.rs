//! Sum statistics: E-values of several alignments of a query and a subject together.
//!
//! The sum of the scores of `r` alignments, each `lambda S - ln K`, less the logarithm of the search space, has a
//! probability of its own (Karlin and Altschul, PNAS 90, 1993). Values and tolerances are those of `s_BlastSumP` in NCBI's
//! `blast_stat.c`.

#![allow(clippy::unreadable_literal, reason = "values as they are printed in tables")]

/// E-value of what is not significant at all.
const MAX_E_VALUE: f64 = i32::MAX as f64;

/// Share of the weight of `r + 1` alignments in that of `r` (`BLAST_GAP_DECAY_RATE` in NCBI's `blast_parameters.h`).
const DECAY: f64 = 0.5;

/// Relative accuracy of the integrals.
const ACCURACY: f64 = 0.002;
/// Greatest number of times that the step of an integral is halved (`MAX_DIAGS` in NCBI's `ncbi_math.c`).
const MAX_HALVINGS: usize = 20;

/// Probabilities of the sum of two alignments, for sums that rise from the end on by a half each; those of three and of
/// four alignments follow.
const TWO: [f64; 19] = [
    0.01669, 0.0249, 0.03683, 0.05390, 0.07794, 0.1111, 0.1559, 0.2146, 0.2890, 0.3794, 0.4836,
    0.5965, 0.7092, 0.8114, 0.8931, 0.9490, 0.9806, 0.9944, 0.9989,
];
const THREE: [f64; 38] = [
    0.9806, 0.9944, 0.9989, 0.0001682, 0.0002542, 0.0003829, 0.0005745, 0.0008587, 0.001278,
    0.001893, 0.002789, 0.004088, 0.005958, 0.008627, 0.01240, 0.01770, 0.02505, 0.03514, 0.04880,
    0.06704, 0.09103, 0.1220, 0.1612, 0.2097, 0.2682, 0.3368, 0.4145, 0.4994, 0.5881, 0.6765,
    0.7596, 0.8326, 0.8922, 0.9367, 0.9667, 0.9846, 0.9939, 0.9980,
];
const FOUR: [f64; 55] = [
    2.658e-07, 4.064e-07, 6.203e-07, 9.450e-07, 1.437e-06, 2.181e-06, 3.302e-06, 4.990e-06,
    7.524e-06, 1.132e-05, 1.698e-05, 2.541e-05, 3.791e-05, 5.641e-05, 8.368e-05, 0.0001237,
    0.0001823, 0.0002677, 0.0003915, 0.0005704, 0.0008275, 0.001195, 0.001718, 0.002457, 0.003494,
    0.004942, 0.006948, 0.009702, 0.01346, 0.01853, 0.02532, 0.03431, 0.04607, 0.06128, 0.08068,
    0.1051, 0.1352, 0.1719, 0.2157, 0.2669, 0.3254, 0.3906, 0.4612, 0.5355, 0.6110, 0.6849, 0.7544,
    0.8168, 0.8699, 0.9127, 0.9451, 0.9679, 0.9827, 0.9915, 0.9963,
];

/// The weight of an E-value of so many alignments, since several numbers of alignments are tried.
pub(crate) fn weight(alignments: usize) -> f64 {
    (1.0 - DECAY) * DECAY.powi(alignments as i32 - 1)
}

/// Lengths of query and subject without the ends that no significant alignment can begin in, and the search space of the
/// query in the whole database.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairSpace {
    pub(crate) query: i32,
    pub(crate) subject: i32,
    pub(crate) database: i64,
}

impl PairSpace {
    /// The E-value of alignments of which each begins at most `window` bases behind the one before, with the sum `sum` of
    /// normalized scores.
    pub(crate) fn e_value_of_near(&self, window: i32, alignments: usize, sum: f64) -> f64 {
        let starts = 2.0 * (alignments as f64 - 1.0) * f64::from(window).ln();
        let adjusted = |sum: f64| sum - (self.pairs().ln() + starts) - ln_factorial(alignments);
        self.e_value(alignments, sum, adjusted)
    }

    /// The E-value of alignments that follow each other at any distance.
    pub(crate) fn e_value_of_far(&self, alignments: usize, sum: f64) -> f64 {
        let adjusted =
            |sum: f64| sum - (alignments as f64 * self.pairs().ln() - ln_factorial(alignments));
        self.e_value(alignments, sum, adjusted)
    }

    /// Number of pairs of positions.
    fn pairs(&self) -> f64 {
        f64::from(self.subject) * f64::from(self.query)
    }

    fn e_value(&self, alignments: usize, sum: f64, adjusted: impl Fn(f64) -> f64) -> f64 {
        let e_value = if alignments == 1 {
            self.database as f64 * (-sum).exp()
        } else {
            let probability = probability(alignments, adjusted(sum));
            of_probability(probability) * (self.database as f64 / self.pairs())
        };
        (e_value / weight(alignments)).min(MAX_E_VALUE)
    }
}

/// The E-value of a probability.
fn of_probability(probability: f64) -> f64 {
    if probability >= 1.0 { MAX_E_VALUE } else { -(-probability).ln_1p() }
}

/// The probability that the adjusted sum of the scores of `count` alignments, at least 2, is at least `sum`.
fn probability(count: usize, sum: f64) -> f64 {
    let table: &[f64] = match count {
        2 => &TWO,
        3 => &THREE,
        4 => &FOUR,
        _ => return integrated(count, sum),
    };
    let r = count as f64;
    if sum >= r * r + r - 1.0 {
        return r * ((r - 1.0) * sum.ln() - sum - 2.0 * ln_factorial(count)).exp();
    }
    if sum <= -2.0 * r {
        return 1.0;
    }
    let place = 2.0 * sum + 4.0 * r;
    let (whole, share) = (place as usize, place.fract());
    let at = table.len() - 1 - whole;
    share * table[at - 1] + (1.0 - share) * table[at]
}

/// As [`probability`], by the double integral of Karlin and Altschul, for 5 alignments and more.
fn integrated(count: usize, sum: f64) -> f64 {
    let r = count as f64;
    let certain = match count {
        ..8 => 2.3,
        8..15 => 2.5,
        15..27 => 3.0,
        27..51 => 3.4,
        51..101 => 4.0,
        _ => f64::INFINITY,
    };
    if sum <= -certain * r {
        return 1.0;
    }
    let deviation = r.sqrt();
    if count > 100 && sum <= -r * (r - 1.0) - 4.0 * deviation {
        return 1.0;
    }
    let mean = r * (1.0 - r.ln()) - 0.5;
    if sum <= mean - 4.0 * deviation {
        return 1.0;
    }
    let (end, mut least_halvings) =
        if sum >= mean { (sum + 6.0 * deviation, 1) } else { (mean + 6.0 * deviation, 2) };
    let factor = (r - 2.0) * r.ln() - ln_factorial(count - 2) - ln_factorial(count - 1);
    let of_sum = |sum: f64| {
        let share = sum / r;
        let of_part = |part: f64| {
            let tail = (part - share).exp();
            if tail.is_infinite() || part == 0.0 {
                return 0.0;
            }
            ((r - 2.0) * part.ln() + factor - sum - tail).exp()
        };
        romberg(of_part, 0.0, if sum > 0.0 { share + 3.0 } else { 3.0 }, 1)
    };
    loop {
        let integral = romberg(of_sum, sum, end, least_halvings);
        let is_rough = sum < mean && integral < 0.4 && least_halvings < 4;
        if !is_rough {
            return integral.min(1.0);
        }
        least_halvings += 1;
    }
}

/// The integral of a function by Romberg's method; infinite if it does not converge.
fn romberg(function: impl Fn(f64) -> f64, from: f64, to: f64, least_halvings: usize) -> f64 {
    let (mut points, mut step) = (1, to - from);
    let mut estimates = vec![0.5 * step * (function(from) + function(to))];
    for halving in 1..MAX_HALVINGS {
        let (mut sum, mut at) = (0.0, from + 0.5 * step);
        for _ in 0..points {
            sum += function(at);
            at += step;
        }
        // The trapezoidal rule is the last estimate, the one extrapolated most the first.
        let trapezoidal = 0.5 * (estimates[halving - 1] + step * sum);
        estimates.push(trapezoidal);
        let mut power = 4.0;
        for place in (0..halving).rev() {
            estimates[place] = (power * estimates[place + 1] - estimates[place]) / (power - 1.0);
            power *= 4.0;
        }
        let change = (estimates[1] - estimates[0]).abs();
        if halving >= least_halvings && change <= ACCURACY * estimates[0].abs() {
            return estimates[0];
        }
        points *= 2;
        step *= 0.5;
    }
    f64::INFINITY
}

/// The logarithm of a factorial.
fn ln_factorial(number: usize) -> f64 {
    (2..=number).map(|factor| (factor as f64).ln()).sum()
}

#[cfg(test)]
#[allow(clippy::float_cmp, reason = "values that are set, not computed")]
mod tests {
    use super::*;

    #[test]
    fn probabilities_fall_with_the_sum_and_meet_the_integral() {
        // Romberg's method ends when one more halving changes little, as in NCBI's program: some values are a few percent off.
        for count in [3, 4] {
            for half_sums in -3..2 * count as i32 {
                let sum = f64::from(half_sums) / 2.0;
                let (table, integral) = (probability(count, sum), integrated(count, sum));
                assert!((table / integral - 1.0).abs() < 0.04, "{count} {sum}: {table} {integral}");
            }
        }
        for count in [5, 7, 12, 30, 60] {
            let sums = (-10 * count as i32..120).map(|sum| f64::from(sum) / 2.0);
            let all: Vec<f64> = sums.map(|sum| probability(count, sum)).collect();
            let falls = |two: &[f64]| two[1] <= two[0] * 1.25;
            assert!(all.windows(2).all(falls), "{count}");
            assert!(all[0] == 1.0 && all[all.len() - 1] < 1e-9, "{count}");
        }
    }

    #[test]
    fn several_alignments_are_more_significant_than_each_of_them() {
        let space = PairSpace { query: 400, subject: 3_000, database: 400 * 100_000 };
        let single = space.e_value_of_far(1, 15.0);
        assert!((single - 2.0 * 4e7 * (-15.0_f64).exp()).abs() < 1e-9);
        assert!(space.e_value_of_far(2, 30.0) < single);
        assert!(space.e_value_of_near(50, 2, 30.0) < space.e_value_of_far(2, 30.0));
        assert_eq!(space.e_value_of_far(3, -10.0), MAX_E_VALUE);
    }
}
