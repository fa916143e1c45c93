//! Scores of the columns of an alignment.

use crate::sequence::alphabet::{self, SENTINEL, SIZE};

/// Score of a pair with a [`SENTINEL`]: so low that every extension ends there.
const FORBIDDEN: i32 = i32::MIN / 2;

/// Greatest score of a match, greatest cost of a mismatch and greatest cost in gaps.
pub const MAX_COST: i32 = 999;

/// Greatest X-drop in score units: more than the greatest X-drop in bits is with any supported scoring.
pub const MAX_X_DROP: i32 = 1 << 27;

/// What all matches of the longest query score together, if scores are doubled as [`Scoring::max_query_length`] says.
const MAX_TOTAL: i32 = 1 << 29;

/// Scores of matches and mismatches, and costs of gaps.
///
/// # No overflow
/// Scores have 32 bits, and none of them overflows if all numbers are within their limits ([`MAX_COST`], [`MAX_X_DROP`],
/// [`Self::max_query_length`]; a subject has at most 2^30 letters). Let `R` be the reward, `P` the penalty, `q` the
/// letters of the query in an alignment, `d` its differences, `X` the X-drop, all doubled by the greedy extension if
/// `R` is odd. Then `q R <= 2^29`, and:
///
/// - No alignment scores more than `q R`, and no extension goes on below `-X`, that is, -2^28.
/// - A dead cell of an affine extension scores -2^30, less one pair or gap at most. Its distance from the best score is
///   below 2^30 + 2^29 + 2,000.
/// - A greedy alignment scores `q R - d (R/2 - P)` if all differences are gaps in the query, its most letters. As long as
///   the extension goes on, this is at least `-X`, so `d R/2 < q R + X`. The letters of both sequences alone, `2 q + d`,
///   score half a match each: `q R + d R/2 < 2 q R + X`, which is below 2^31. So are the costs of all differences.
/// - Two scores are only added where alignments of two chunks are joined: at most 2^30.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    /// Score of a match, 1 to [`MAX_COST`].
    pub reward: i32,
    /// Score of a mismatch, -[`MAX_COST`] to -1.
    pub penalty: i32,
    /// Cost of opening a gap, 0 to [`MAX_COST`]; each column of the gap costs `gap_extend` in addition.
    pub gap_open: i32,
    /// Cost of each column of a gap, 0 to [`MAX_COST`].
    pub gap_extend: i32,
}

impl Scoring {
    /// Whether gaps have megablast's linear cost, which is chosen by both gap costs being 0: each column of a gap then
    /// costs `reward / 2 - penalty` (Zhang et al., J. Comput. Biol. 7, 2000, section 2).
    pub fn is_linear(&self) -> bool {
        self.gap_open == 0 && self.gap_extend == 0
    }

    /// Whether all numbers are within their limits.
    pub fn is_within_limits(&self) -> bool {
        let Self { reward, penalty, gap_open, gap_extend } = *self;
        (1..=MAX_COST).contains(&reward)
            && (-MAX_COST..=-1).contains(&penalty)
            && [gap_open, gap_extend].iter().all(|cost| (0..=MAX_COST).contains(cost))
    }

    /// Number of letters of the longest query whose scores have room in 32 bits. Greedy extension doubles all scores if
    /// the reward is odd, so that half a match is an integer.
    pub fn max_query_length(&self) -> usize {
        (MAX_TOTAL / (self.reward * (1 + self.reward % 2))) as usize
    }
}

/// Scores of all pairs of letters of the alphabet, ambiguous letters included.
#[derive(Debug, Clone)]
pub struct ScoreMatrix([[i32; SIZE]; SIZE]);

impl ScoreMatrix {
    /// Builds the matrix from match and mismatch scores. Two letters that have a base in common score the mean over the
    /// bases that the more ambiguous one stands for, rounded (NCBI's `BlastScoreBlkNuclMatrixCreate`).
    pub fn new(scoring: &Scoring) -> Self {
        let (reward, penalty) = (f64::from(scoring.reward), f64::from(scoring.penalty));
        let mut scores = [[scoring.penalty; SIZE]; SIZE];
        for one in 0..SENTINEL {
            for other in one..SENTINEL {
                if alphabet::bases(one) & alphabet::bases(other) != 0 {
                    let choices = f64::from(alphabet::bases(other).count_ones());
                    let mean = ((choices - 1.0) * penalty + reward) / choices;
                    let score = mean.round() as i32;
                    scores[usize::from(one)][usize::from(other)] = score;
                    scores[usize::from(other)][usize::from(one)] = score;
                }
            }
        }
        scores[usize::from(SENTINEL)] = [FORBIDDEN; SIZE];
        for row in &mut scores {
            row[usize::from(SENTINEL)] = FORBIDDEN;
        }
        Self(scores)
    }

    /// The score of a column with these two letters.
    #[inline]
    pub fn get(&self, one: u8, other: u8) -> i32 {
        self.0[usize::from(one & 15)][usize::from(other & 15)]
    }

    /// The scores of a letter with each letter of the alphabet, by code.
    #[inline]
    pub fn row(&self, letter: u8) -> &[i32; SIZE] {
        &self.0[usize::from(letter & 15)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_limits() {
        let most = Scoring { reward: 999, penalty: -999, gap_open: 999, gap_extend: 999 };
        assert!(most.is_within_limits());
        for beyond in [
            Scoring { reward: 0, ..most },
            Scoring { reward: i32::MAX, ..most },
            Scoring { penalty: i32::MIN, ..most },
            Scoring { gap_open: -1, ..most },
            Scoring { gap_extend: 1_000, ..most },
        ] {
            assert!(!beyond.is_within_limits(), "{beyond:?}");
        }
        // The defaults of both tasks leave room for any human chromosome.
        for reward in [1, 2] {
            assert_eq!(Scoring { reward, ..most }.max_query_length(), 1 << 28);
        }
    }

    #[test]
    fn ambiguous_letters_score_their_mean() {
        let scoring = Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 };
        let matrix = ScoreMatrix::new(&scoring);
        let score = |one, other| {
            let code = |letter| alphabet::encode(letter).expect("a letter");
            matrix.get(code(one), code(other))
        };
        assert_eq!(score(b'A', b'A'), 2);
        assert_eq!(score(b'A', b'C'), -3);
        // One chance in two: (2 - 3) / 2 is rounded away from zero.
        assert_eq!(score(b'A', b'R'), -1);
        assert_eq!(score(b'C', b'R'), -3);
        // One in four: (2 - 9) / 4.
        assert_eq!(score(b'N', b'T'), -2);
        assert_eq!(score(b'N', b'N'), -2);
        assert!(matrix.get(SENTINEL, 0) < -1_000_000);
    }
}
