//! The size of what is searched, less the ends that no alignment can start in.
//!
//! An alignment that reaches significance has some expected length `l`, so that it cannot begin in
//! the last `l` bases of the query, nor of any database sequence. `l` is the fixed point of
//! `l = beta + alpha / lambda * ln(K (m - l) (n - N l))` (Altschul et al., Nucleic Acids Res. 29,
//! 2001), found by bisection as NCBI's BLAST does, so that search spaces come out the same.

use crate::statistics::Parameters;

/// Iterations before the best lower bound is taken.
const ITERATIONS: u32 = 20;

/// How much is searched, and what the query's ends cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchSpace {
    /// Pairs of positions at which an alignment can begin.
    pub effective: i64,
    /// Bases taken off the query and off each database sequence.
    pub adjustment: i64,
}

impl SearchSpace {
    /// The space of a query of `query` bases and a database of `letters` bases in `sequences`
    /// sequences.
    pub(crate) fn new(
        parameters: &Parameters,
        (alpha, beta): (f64, f64),
        query: i64,
        letters: i64,
        sequences: i64,
    ) -> Self {
        let adjustment = adjustment(
            parameters,
            alpha / parameters.lambda,
            beta,
            (query as f64, letters as f64, sequences as f64),
        );
        let database = (letters - sequences * adjustment).max(1);
        Self { effective: database * (query - adjustment), adjustment }
    }
}

/// The greatest integer below the fixed point, or 0 if the space is too small for one.
fn adjustment(
    parameters: &Parameters,
    alpha_by_lambda: f64,
    beta: f64,
    (m, n, sequences): (f64, f64, f64),
) -> i64 {
    let constant = n * m - m.max(n) / parameters.k;
    if constant < 0.0 {
        return 0;
    }
    // The root of K (m - l) (n - N l) = max(m, n): greater lengths leave too small a space.
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
        let blastn = Parameters::new(0.625, 0.41, 0.78);
        let space = SearchSpace::new(&blastn, (0.8, -2.0), 453, 2_476_164, 42);
        assert_eq!(space.effective, 1_064_335_140);
        let megablast = Parameters::new(1.28, 0.46, 0.85);
        let space = SearchSpace::new(&megablast, (1.5, -2.0), 453, 2_476_164, 42);
        assert_eq!(space.effective, 1_069_321_824);
    }

    #[test]
    fn a_tiny_space_is_not_adjusted() {
        let blastn = Parameters::new(0.625, 0.41, 0.78);
        let space = SearchSpace::new(&blastn, (0.8, -2.0), 1, 2, 1);
        assert_eq!(space, SearchSpace { effective: 2, adjustment: 0 });
    }
}
