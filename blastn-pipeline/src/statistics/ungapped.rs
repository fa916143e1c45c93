//! Karlin-Altschul parameters of ungapped alignments, computed from the scores and the composition of a query.
//!
//! With `p(s)` the probability of a column to score `s`, lambda is the positive root of
//! `sum p(s) exp(lambda s) = 1`, H is `lambda sum s p(s) exp(lambda s)`, and K comes from a series
//! over the lengths of alignments (Karlin and Altschul, PNAS 87, 1990, appendix).
//!
//! Methods and tolerances are those of NCBI's `blast_stat.c` (`Blast_KarlinLambdaNR`, `BlastKarlinLtoH`,
//! `BlastKarlinLHtoK`), since X-drops and gap triggers, which are rounded to integers, depend on the last digits.

use crate::scoring::{ScoreMatrix, Scoring};
use crate::sequence::alphabet::{ANY, SENTINEL, SIZE};
use crate::statistics::KarlinAltschul;

/// Relative accuracy of lambda (`BLAST_KARLIN_LAMBDA_ACCURACY_DEFAULT`).
const ACCURACY: f64 = 1.0e-5;
/// Greatest number of evaluations of the polynomial whose root gives lambda: [`NEWTON_STEPS`] and
/// `BLAST_KARLIN_LAMBDA_ITER_DEFAULT`.
const EVALUATIONS: u32 = 37;
/// Number of evaluations that may be followed by a step of Newton's method; then the interval is halved.
const NEWTON_STEPS: u32 = 20;
/// Greatest number of terms of the series that gives K (`BLAST_KARLIN_K_ITER_MAX`).
const TERMS: usize = 100;
/// The series ends at the first term that is no greater (`BLAST_KARLIN_K_SUMLIMIT_DEFAULT`).
const SMALL_TERM: f64 = 1.0e-4;

/// The probability distribution of the score of a column.
struct ScoreDistribution {
    /// Lowest score that occurs, negative.
    low: i32,
    /// Highest score that occurs, positive.
    high: i32,
    /// Probability of each score from the lowest on.
    probabilities: Vec<f64>,
    /// Mean score of a column, negative.
    mean: f64,
    /// Greatest common divisor of all scores that occur.
    divisor: i32,
}

/// The parameters of a query against a database in which all bases are equally frequent, or `None` if columns score 0
/// or more on average, or the query has no bases.
pub(crate) fn of_query(
    scoring: &Scoring,
    matrix: &ScoreMatrix,
    query: &[u8],
) -> Option<KarlinAltschul> {
    let mut counts = [0u64; SIZE];
    for &letter in query {
        counts[usize::from(letter)] += 1;
    }
    counts[usize::from(ANY)] = 0;
    counts[usize::from(SENTINEL)] = 0;
    of_composition(scoring, matrix, &counts)
}

/// The parameters if all bases are equally frequent in query and database.
#[cfg(test)]
pub(crate) fn ideal(scoring: &Scoring, matrix: &ScoreMatrix) -> Option<KarlinAltschul> {
    let mut counts = [0; SIZE];
    counts[..4].fill(1);
    of_composition(scoring, matrix, &counts)
}

/// The parameters of a query with these numbers of letters, see [`of_query`].
fn of_composition(
    scoring: &Scoring,
    matrix: &ScoreMatrix,
    counts: &[u64; SIZE],
) -> Option<KarlinAltschul> {
    let scores = ScoreDistribution::new(scoring, matrix, counts)?;
    let lambda = scores.lambda();
    let h = scores.entropy(lambda);
    let k = scores.k(lambda, h);
    Some(KarlinAltschul::new(lambda, k, h))
}

impl ScoreDistribution {
    /// The distribution for a query with these numbers of letters, see [`of_query`].
    fn new(scoring: &Scoring, matrix: &ScoreMatrix, counts: &[u64; SIZE]) -> Option<Self> {
        let total: u64 = counts.iter().sum();
        if total == 0 {
            return None;
        }
        let (low, high) = (scoring.penalty, scoring.reward);
        let mut probabilities = vec![0.0; (high - low + 1) as usize];
        for (letter, &count) in counts[..usize::from(SENTINEL)].iter().enumerate() {
            let share = count as f64 / total as f64 * 0.25;
            for base in 0..4 {
                probabilities[(matrix.get(letter as u8, base) - low) as usize] += share;
            }
        }
        let sum: f64 = probabilities.iter().sum();
        let mut mean = 0.0;
        for (i, probability) in probabilities.iter_mut().enumerate() {
            *probability /= sum;
            mean += f64::from(low + i as i32) * *probability;
        }
        let first = probabilities.iter().position(|&p| p > 0.0)?;
        let last = probabilities.iter().rposition(|&p| p > 0.0)?;
        let (low, high) = (low + first as i32, low + last as i32);
        if mean >= 0.0 || low >= 0 || high <= 0 {
            return None;
        }
        let probabilities = probabilities[first..=last].to_vec();
        let occurring = (1..).zip(&probabilities[1..]).filter(|&(_, &p)| p != 0.0);
        let divisor = occurring.fold(-low, |divisor, (i, _)| gcd(divisor, i));
        Some(Self { low, high, probabilities, mean, divisor })
    }

    /// The probability of a score.
    fn probability(&self, score: i32) -> f64 {
        self.probabilities[(score - self.low) as usize]
    }

    /// Lambda, by Newton's method, kept within an interval, for the root between 0 and 1 of the polynomial in
    /// `x = exp(-lambda)`.
    fn lambda(&self) -> f64 {
        let (mut left, mut right, mut x) = (0.0, 1.0, (-0.5_f64).exp());
        let (mut value, mut was_newton) = (4.0_f64, false);
        for evaluation in 0..EVALUATIONS {
            let before = value;
            let slope;
            (value, slope) = self.polynomial(x);
            if value > 0.0 {
                left = x;
            } else if value < 0.0 {
                right = x;
            } else {
                break;
            }
            if right - left < 2.0 * left * (1.0 - right) * ACCURACY {
                x = f64::midpoint(left, right);
                break;
            }
            let slow = was_newton && value.abs() > 0.9 * before.abs();
            was_newton = false;
            let step = -value / slope;
            let next = x + step;
            if evaluation >= NEWTON_STEPS || slow || slope >= 0.0 || next <= left || next >= right {
                x = f64::midpoint(left, right);
            } else {
                was_newton = true;
                x = next;
                if step.abs() < ACCURACY * x * (1.0 - x) {
                    break;
                }
            }
        }
        -x.ln() / f64::from(self.divisor)
    }

    /// Value and derivative of the polynomial; scores are divided by their greatest common divisor.
    fn polynomial(&self, x: f64) -> (f64, f64) {
        let (mut slope, mut value) = (0.0, self.probability(self.low));
        let mut score = self.low + self.divisor;
        while score <= self.high {
            slope = x * slope + value;
            value = value * x + self.probability(score) - f64::from(u8::from(score == 0));
            score += self.divisor;
        }
        (value, slope)
    }

    /// H, the relative entropy.
    fn entropy(&self, lambda: f64) -> f64 {
        let shrink = (-lambda).exp();
        let sum = (self.low..=self.high)
            .fold(0.0, |sum, score| f64::from(score) * self.probability(score) + shrink * sum);
        lambda * sum / shrink.powi(self.high)
    }

    /// K, from lambda and H.
    fn k(&self, lambda: f64, h: f64) -> f64 {
        let divisor = self.divisor;
        let (low, high) = (self.low / divisor, self.high / divisor);
        let lambda = lambda * f64::from(divisor);
        let shrink = (-lambda).exp();
        if low == -1 && high == 1 {
            let (down, up) = (self.probability(self.low), self.probability(self.high));
            return (down - up) * (down - up) / down;
        }
        let mut first = h / lambda;
        if low == -1 || high == 1 {
            if high != 1 {
                let mean = self.mean / f64::from(divisor);
                first = mean * mean / first;
            }
            return first * (1.0 - shrink);
        }
        let step: Vec<f64> = (low..=high).map(|score| self.probability(score * divisor)).collect();
        -(-2.0 * series(&step, low, shrink)).exp() / (first * (-lambda).exp_m1())
    }
}

/// The sum over lengths `j` of `(P(S_j >= 0) + E[exp(lambda S_j); S_j < 0]) / j`, with `S_j` the
/// score of `j` columns.
fn series(step: &[f64], low: i32, shrink: f64) -> f64 {
    let (mut sum, mut term) = (0.0, 1.0);
    let mut scores = vec![1.0];
    let mut length = 0;
    while length < TERMS && term > SMALL_TERM {
        let mut longer = vec![0.0; scores.len() + step.len() - 1];
        for (i, score) in scores.iter().enumerate() {
            for (place, probability) in longer[i..].iter_mut().zip(step) {
                *place += score * probability;
            }
        }
        scores = longer;
        length += 1;
        let zero = -low as usize * length;
        let below = scores[..zero].iter().fold(0.0, |sum, probability| probability + sum * shrink);
        term = below * shrink + scores[zero..].iter().sum::<f64>();
        term /= length as f64;
        sum += term;
    }
    sum
}

fn gcd(one: i32, other: i32) -> i32 {
    if other == 0 { one } else { gcd(other, one % other) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scoring(reward: i32, penalty: i32) -> Scoring {
        Scoring { reward, penalty, gap_open: 5, gap_extend: 2 }
    }

    /// To the digits NCBI blastn 2.12.0 prints.
    fn printed(parameters: &KarlinAltschul) -> [String; 3] {
        [parameters.lambda, parameters.k, parameters.h].map(|value| {
            let digits = (2 - value.log10().floor() as i32).max(0) as usize;
            format!("{value:.digits$}")
        })
    }

    #[test]
    fn ideal_parameters_are_those_that_ncbi_blastn_prints() {
        let of = |reward, penalty| {
            let scoring = scoring(reward, penalty);
            let parameters = ideal(&scoring, &ScoreMatrix::new(&scoring)).expect("a negative mean");
            printed(&parameters)
        };
        assert_eq!(of(2, -3), ["0.634", "0.408", "0.912"]);
        assert_eq!(of(1, -2), ["1.33", "0.621", "1.12"]);
    }

    #[test]
    fn lambda_solves_its_equation() {
        let mut random = fastrand::Rng::with_seed(3);
        for (reward, penalty) in [(2, -3), (1, -2), (1, -1), (5, -4), (4, -5), (2, -7)] {
            let scoring = scoring(reward, penalty);
            let matrix = ScoreMatrix::new(&scoring);
            let query: Vec<u8> = (0..500).map(|_| random.u8(..14)).collect();
            let Some(parameters) = of_query(&scoring, &matrix, &query) else {
                panic!("{reward} {penalty}");
            };
            let sum: f64 = query
                .iter()
                .flat_map(|&letter| (0..4).map(move |base| (letter, base)))
                .map(|(letter, base)| f64::from(matrix.get(letter, base)) * parameters.lambda)
                .map(|exponent| exponent.exp() / 2000.0)
                .sum();
            assert!((sum - 1.0).abs() < 1e-3, "{reward} {penalty}: {sum}");
            assert!(parameters.k > 0.0 && parameters.h > 0.0);
        }
    }

    #[test]
    fn no_bases_no_parameters() {
        let scoring = scoring(2, -3);
        let matrix = ScoreMatrix::new(&scoring);
        assert_eq!(of_query(&scoring, &matrix, &[ANY; 20]), None);
        assert_eq!(of_query(&scoring, &matrix, &[]), None);
    }
}
