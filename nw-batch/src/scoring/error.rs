//! Errors in scorings, matrix files and alphabets.

use thiserror::Error;

use super::limits::{CODES, MAX_COST, MAX_SCORE};

/// Why a scoring was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ScoringError {
    /// A line of a matrix file is malformed.
    #[error("line {line}: {reason}")]
    Matrix {
        /// Line number, from 1.
        line: usize,
        /// Description of the problem.
        reason: String,
    },
    /// A matrix file has nothing but comments.
    #[error("there is no line of letters")]
    NoMatrix,
    /// A matrix has a column for a letter, but no row.
    #[error("there is no row for the letter '{letter}'")]
    NoRow {
        /// Letter of the column.
        letter: char,
    },
    /// A letter occurs twice in an alphabet.
    #[error("the letter '{letter}' occurs twice")]
    LetterTwice {
        /// Letter that occurs twice.
        letter: char,
    },
    /// An alphabet has more letters than there are codes.
    #[error("{count} letters, more than {CODES}")]
    TooManyLetters {
        /// Number of letters of the alphabet.
        count: usize,
    },
    /// The score of a pair of residues is beyond [`MAX_SCORE`].
    #[error("the score {score} is not between -{MAX_SCORE} and {MAX_SCORE}")]
    Score {
        /// Score that was refused, as it was given.
        score: String,
    },
    /// A match does not score more than a mismatch.
    #[error(
        "a match (score {match_score}) must score more than a mismatch (score {mismatch_score})"
    )]
    MatchBelowMismatch {
        /// Score of a match.
        match_score: i32,
        /// Score of a mismatch.
        mismatch_score: i32,
    },
    /// A gap cost is negative, or beyond [`MAX_COST`].
    #[error(
        "the gap cost {cost} is not between 0 and {MAX_COST}: gaps cost, so the number is positive"
    )]
    Cost {
        /// Cost that was refused.
        cost: i32,
    },
    /// Further residues of a gap cost more than its first.
    #[error("extending a gap (cost {extend}) must not cost more than opening it (cost {open})")]
    ExtendAboveOpen {
        /// Cost of the first residue.
        open: i32,
        /// Cost of each further residue.
        extend: i32,
    },
}
