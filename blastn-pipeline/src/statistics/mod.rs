//! Karlin-Altschul statistics: E-values and bit scores.
//!
//! The expected number of alignments of two random sequences that score at least `S` is
//! `E = K m n exp(-lambda S)` (Karlin and Altschul, PNAS 87, 1990), with `m n` the size of the search space. The
//! parameters lambda and K of ungapped alignments follow from the scores and the composition of the query
//! (`ungapped`); those of gapped alignments are tabulated (`tables`). The search space is shortened by the ends of the
//! sequences in which no significant alignment can begin (`space`). Several alignments may have an E-value together (`sum`).

pub(crate) mod space;
pub(crate) mod sum;
pub(crate) mod tables;
pub(crate) mod ungapped;

pub use space::{DatabaseSize, SearchSpace};
pub use tables::supported_gap_costs;

use std::f64::consts::LN_2;

/// The smallest E-value that a cutoff score is computed for (`kSmallFloat` in NCBI's `BLAST_Cutoffs`).
const SMALLEST: f64 = 1.0e-297;

/// Karlin-Altschul parameters of a scoring.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct KarlinAltschul {
    /// Lambda: natural units of information (nats) in one unit of score.
    pub lambda: f64,
    /// K: scale of the search space.
    pub k: f64,
    /// H: relative entropy of an alignment column, in nats.
    pub h: f64,
    /// Natural logarithm of `k`.
    pub log_k: f64,
}

impl KarlinAltschul {
    /// Parameters from lambda, K and H.
    pub fn new(lambda: f64, k: f64, h: f64) -> Self {
        Self { lambda, k, h, log_k: k.ln() }
    }

    /// The E-value of a score: the expected number of alignments in the search space that score at least as much.
    pub fn e_value(&self, score: i32, space: i64) -> f64 {
        space as f64 * (-self.lambda * f64::from(score) + self.log_k).exp()
    }

    /// The bit score of a raw score: `(lambda S - ln K) / ln 2`.
    pub fn bits(&self, score: i32) -> f64 {
        (f64::from(score) * self.lambda - self.log_k) / LN_2
    }

    /// The smallest score, at least 1, whose E-value is at most `e`.
    pub fn cutoff(&self, e: f64, space: i64) -> i32 {
        let e = e.max(SMALLEST);
        let score = ((self.k * space as f64 / e).ln() / self.lambda).ceil();
        (score as i32).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::Scoring;

    fn parameters(reward: i32, penalty: i32, gap_open: i32, gap_extend: i32) -> KarlinAltschul {
        let scoring = Scoring { reward, penalty, gap_open, gap_extend };
        match tables::scoring_statistics(&scoring).map(|statistics| statistics.gapped) {
            Some(tables::GappedParameters::Tabulated { parameters, .. }) => parameters,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scores_have_the_bits_that_ncbi_blastn_prints() {
        let blastn = parameters(2, -3, 5, 2);
        for (score, bits) in [(30, "28.3"), (31, "29.2"), (32, "30.1"), (37, "34.6")] {
            assert_eq!(format!("{:.1}", blastn.bits(score)), bits);
        }
        let megablast = parameters(1, -2, 0, 0);
        assert_eq!(format!("{:.1}", megablast.bits(28)), "52.8");
    }

    #[test]
    fn the_cutoff_is_the_smallest_score_within_the_e_value() {
        let blastn = parameters(2, -3, 5, 2);
        for e in [10.0, 1e-5, 1e-50] {
            let score = blastn.cutoff(e, 1_064_335_140);
            assert!(blastn.e_value(score, 1_064_335_140) <= e);
            assert!(blastn.e_value(score - 1, 1_064_335_140) > e);
        }
        assert_eq!(blastn.cutoff(1e9, 10), 1);
    }

    #[test]
    fn scores_are_reduced_before_they_are_looked_up() {
        let (one, ten) = (parameters(1, -2, 2, 1), parameters(10, -20, 20, 10));
        assert!((one.lambda - 10.0 * ten.lambda).abs() < 1e-12);
        let scoring = |reward, penalty, gap_open, gap_extend| Scoring {
            reward,
            penalty,
            gap_open,
            gap_extend,
        };
        assert_eq!(tables::scoring_statistics(&scoring(1, -7, 5, 2)), None);
        assert_eq!(tables::scoring_statistics(&scoring(2, -3, 1, 1)), None);
        assert_eq!(
            tables::scoring_statistics(&scoring(2, -3, 8, 6)),
            Some(tables::ScoringStatistics {
                gapped: tables::GappedParameters::Ungapped,
                rounds_scores_down: true
            })
        );
    }
}
