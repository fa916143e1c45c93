//! Scores of the columns of an alignment.

use crate::sequence::alphabet::{self, SENTINEL, SIZE};

/// Score of a pair with a [`SENTINEL`]: so low that every extension ends there.
const FORBIDDEN: i32 = i32::MIN / 2;

/// Scores of matches and mismatches, and costs of gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    /// Score of a match, at least 1.
    pub reward: i32,
    /// Score of a mismatch, at most -1.
    pub penalty: i32,
    /// Cost of opening a gap, 0 or more; each column of the gap costs `gap_extend` in addition.
    pub gap_open: i32,
    /// Cost of each column of a gap, 0 or more.
    pub gap_extend: i32,
}

impl Scoring {
    /// Whether gaps have megablast's linear cost, which is chosen by both gap costs being 0: each column of a gap then
    /// costs `reward / 2 - penalty` (Zhang et al., J. Comput. Biol. 7, 2000, section 2).
    pub fn is_linear(&self) -> bool {
        self.gap_open == 0 && self.gap_extend == 0
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
