//! Effective search spaces: the size of query and database minus the ends that no significant alignment can start in.
//!
//! An alignment that reaches significance has some expected length `l`, so it cannot begin in the last `l` bases of
//! the query, nor of any database sequence. `l` is the fixed point of `l = beta + alpha / lambda * ln(K (m - l) (n -
//! N l))`, with `m` bases of the query, `n` of the database and `N` sequences (Altschul et al., Nucleic Acids Res.
//! 29, 2001). It is found by bisection with the steps of NCBI's `BLAST_ComputeLengthAdjustment` (`blast_stat.c`), so
//! that search spaces are the same.

use crate::statistics::KarlinAltschul;

/// Number of bisection steps after which the best lower bound is taken.
const ITERATIONS: u32 = 20;

/// The size of a database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatabaseSize {
    /// Bases of all sequences.
    pub letters: u64,
    /// Number of its sequences.
    pub sequences: usize,
}

impl DatabaseSize {
    /// The average number of bases of a sequence.
    pub(crate) fn average(&self) -> i64 {
        (self.letters / self.sequences.max(1) as u64) as i64
    }
}

/// Parameters of the expected length of an alignment: `beta + alpha / lambda * ln(K * search space)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LengthAdjustment {
    /// Length per unit of score, times lambda.
    pub(crate) alpha: f64,
    /// Length that does not depend on the search space, in bases; mostly negative.
    pub(crate) beta: f64,
}

/// The effective search space of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchSpace {
    /// Number of pairs of positions at which an alignment can begin.
    pub effective: i64,
    /// Bases taken off the query and off each database sequence: the length adjustment.
    pub adjustment: i64,
}

impl SearchSpace {
    /// The search space of a query of `query` bases in a database.
    pub(crate) fn new(
        parameters: &KarlinAltschul,
        length: LengthAdjustment,
        query: i64,
        database: DatabaseSize,
    ) -> Self {
        let adjustment = adjustment(parameters, length, query as f64, database);
        let (letters, sequences) = (database.letters as i64, database.sequences as i64);
        let database = (letters - sequences * adjustment).max(1);
        Self { effective: database.saturating_mul(query - adjustment), adjustment }
    }
}

/// The greatest integer that is no more than the fixed point, or 0 if the space is too small for one. `m` is the
/// length of the query.
fn adjustment(
    parameters: &KarlinAltschul,
    LengthAdjustment { alpha, beta }: LengthAdjustment,
    m: f64,
    database: DatabaseSize,
) -> i64 {
    let alpha_by_lambda = alpha / parameters.lambda;
    let (n, sequences) = (database.letters as f64, database.sequences as f64);
    let constant = n * m - m.max(n) / parameters.k;
    if constant < 0.0 {
        return 0;
    }
    // `upper` is the root of K (m - l) (n - N l) = max(m, n): longer adjustments leave too small a space.
    let linear = m * sequences + n;
    let mut upper =
        2.0 * constant / (linear + (linear * linear - 4.0 * sequences * constant).sqrt());
    let proposal = |length: f64| {
        let space = (m - length) * (n - sequences * length);
        alpha_by_lambda * (parameters.log_k + space.ln()) + beta
    };
    let (mut lower, mut next, mut converged) = (0.0, 0.0, false);
    for iteration in 1..=ITERATIONS {
        let length: f64 = next;
        let proposed = proposal(length);
        if proposed >= length {
            lower = length;
            if proposed - lower <= 1.0 {
                converged = true;
                break;
            }
            #[allow(clippy::float_cmp, reason = "both are set to the same value, or are not")]
            if lower == upper {
                break;
            }
        } else {
            upper = length;
        }
        next = if (lower..=upper).contains(&proposed) {
            proposed
        } else if iteration == 1 {
            upper
        } else {
            f64::midpoint(lower, upper)
        };
    }
    let above = lower.ceil();
    if converged && above <= upper && proposal(above) >= above {
        above as i64
    } else {
        lower as i64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spaces_are_those_that_ncbi_blastn_prints() {
        // NCBI blastn 2.12.0, footers of -outfmt 0: a query of 453 bases, 2,476,164 bases in 42
        // sequences.
        let blastn = KarlinAltschul::new(0.625, 0.41, 0.78);
        let space = SearchSpace::new(
            &blastn,
            LengthAdjustment { alpha: 0.8, beta: -2.0 },
            453,
            DatabaseSize { letters: 2_476_164, sequences: 42 },
        );
        assert_eq!(space.effective, 1_064_335_140);
        let megablast = KarlinAltschul::new(1.28, 0.46, 0.85);
        let space = SearchSpace::new(
            &megablast,
            LengthAdjustment { alpha: 1.5, beta: -2.0 },
            453,
            DatabaseSize { letters: 2_476_164, sequences: 42 },
        );
        assert_eq!(space.effective, 1_069_321_824);
    }

    #[test]
    fn a_tiny_space_is_not_adjusted() {
        let blastn = KarlinAltschul::new(0.625, 0.41, 0.78);
        let space = SearchSpace::new(
            &blastn,
            LengthAdjustment { alpha: 0.8, beta: -2.0 },
            1,
            DatabaseSize { letters: 2, sequences: 1 },
        );
        assert_eq!(space, SearchSpace { effective: 2, adjustment: 0 });
    }
}
