//! What can be wrong with a scoring.

use thiserror::Error;

use crate::scoring::{MAX_COST, MAX_SCORE};

/// Scores or costs that no alignment can be scored by.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScoringError {
    /// A line of a matrix file is malformed.
    #[error("line {line}: {reason}")]
    Matrix {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// The file holds no matrix.
    #[error("there is no line of letters")]
    NoMatrix,
    /// A row is missing.
    #[error("there is no row for the letter '{letter}'")]
    NoRow {
        /// The column's letter.
        letter: char,
    },
    /// A letter occurs twice in an alphabet.
    #[error("the letter '{letter}' occurs twice")]
    LetterTwice {
        /// It.
        letter: char,
    },
    /// More letters than there are codes.
    #[error("{count} letters, more than {}", crate::alphabet::CODES)]
    TooManyLetters {
        /// How many.
        count: usize,
    },
    /// A score is beyond what sums of a million cannot overflow.
    #[error("the score {score} is not between -{MAX_SCORE} and {MAX_SCORE}")]
    Score {
        /// The score.
        score: i32,
    },
    /// A match has to be worth more than a mismatch.
    #[error("a match (score {matching}) must score more than a mismatch (score {mismatch})")]
    MatchBelowMismatch {
        /// Score of a match.
        matching: i32,
        /// Score of a mismatch.
        mismatch: i32,
    },
    /// A cost of gaps is negative or too great.
    #[error(
        "the gap cost {cost} is not between 0 and {MAX_COST}: gaps cost, so the number is positive"
    )]
    Cost {
        /// The cost.
        cost: i32,
    },
    /// Further residues of a gap cost more than its first.
    #[error("extending a gap (cost {extend}) must not cost more than opening it (cost {open})")]
    ExtendAboveOpen {
        /// Cost of the first residue.
        open: i32,
        /// Cost of each further one.
        extend: i32,
    },
}
