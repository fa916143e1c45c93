//! What columns of an alignment score.

use crate::sequence::alphabet::{self, SENTINEL, SIZE};

/// What meeting a [`SENTINEL`] scores: no extension survives it.
const FORBIDDEN: i32 = i32::MIN / 2;

/// Scores of matches, mismatches and gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    /// Score of a match, positive.
    pub reward: i32,
    /// Score of a mismatch, negative.
    pub penalty: i32,
    /// Cost of a gap, without its columns.
    pub gap_open: i32,
    /// Cost of each column of a gap.
    pub gap_extend: i32,
}

impl Scoring {
    /// Whether gaps have megablast's linear cost, which both costs being 0 stands for: half a match
    /// and a mismatch for each column.
    pub fn is_linear(&self) -> bool {
        self.gap_open == 0 && self.gap_extend == 0
    }
}

/// Scores of pairs of letters (the first of the query).
#[derive(Debug, Clone)]
pub struct Matrix([[i32; SIZE]; SIZE]);

impl Matrix {
    /// The matrix of match and mismatch scores. Two letters that may be the same base score what
    /// they do on average, were the less certain of them any of its bases.
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

    /// The score of two letters.
    #[inline]
    pub fn get(&self, one: u8, other: u8) -> i32 {
        self.0[usize::from(one & 15)][usize::from(other & 15)]
    }

    /// The scores of one letter with all others.
    #[inline]
    pub fn row(&self, letter: u8) -> &[i32; SIZE] {
        &self.0[usize::from(letter & 15)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_letters_score_their_mean() {
        let scoring = Scoring { reward: 2, penalty: -3, gap_open: 5, gap_extend: 2 };
        let matrix = Matrix::new(&scoring);
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
