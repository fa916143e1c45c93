//! What alignments score.

use thiserror::Error;

use super::UNKNOWN;

/// What a pair with an unknown base scores, as in `bwa mem`.
pub const UNKNOWN_SCORE: i32 = -1;

/// Greatest score and greatest cost. With it and [`super::MAX_LENGTH`] nothing overflows 32 bits.
pub const MAX_COST: i32 = 500;

/// Scores of pairs and costs of everything else, all as numbers that are not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    matched: i32,
    mismatch: i32,
    gap_open: i32,
    gap_extend: i32,
    clip: i32,
}

/// A number that no alignment can be scored by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{name} is {value}, not from {least} to {MAX_COST}")]
pub struct ScoringError {
    /// Which one.
    pub name: &'static str,
    /// The number.
    pub value: i32,
    /// The least that it can be.
    pub least: i32,
}

impl Scoring {
    /// A pair of equal bases scores `matched` and of different ones `-mismatch`, both at least 1. A
    /// gap of `l` columns costs `gap_open + l * gap_extend`, of which `gap_extend` is at least 1; an
    /// end of the query that is not reached costs `clip`.
    ///
    /// # Errors
    /// If a number is less than that, or more than [`MAX_COST`].
    pub fn new(
        matched: i32,
        mismatch: i32,
        gap_open: i32,
        gap_extend: i32,
        clip: i32,
    ) -> Result<Self, ScoringError> {
        for (name, value, least) in [
            ("the score of a match", matched, 1),
            ("the cost of a mismatch", mismatch, 1),
            ("the cost of opening a gap", gap_open, 0),
            ("the cost of extending a gap", gap_extend, 1),
            ("the cost of clipping", clip, 0),
        ] {
            if !(least..=MAX_COST).contains(&value) {
                return Err(ScoringError { name, value, least });
            }
        }
        Ok(Self { matched, mismatch, gap_open, gap_extend, clip })
    }

    /// What a pair of equal bases scores.
    pub fn matched(self) -> i32 {
        self.matched
    }

    /// What a pair of different bases costs.
    pub fn mismatch(self) -> i32 {
        self.mismatch
    }

    /// What a gap costs besides its columns.
    pub fn gap_open(self) -> i32 {
        self.gap_open
    }

    /// What each column of a gap costs.
    pub fn gap_extend(self) -> i32 {
        self.gap_extend
    }

    /// What an end of the query costs that is not reached.
    pub fn clip(self) -> i32 {
        self.clip
    }

    /// What a pair of codes scores.
    pub fn pair(self, query: u8, window: u8) -> i32 {
        if query >= UNKNOWN || window >= UNKNOWN {
            UNKNOWN_SCORE
        } else if query == window {
            self.matched
        } else {
            -self.mismatch
        }
    }

    /// What a gap of so many columns, at least 1, costs.
    pub fn gap(self, columns: u32) -> i32 {
        self.gap_open + columns as i32 * self.gap_extend
    }
}

impl Default for Scoring {
    /// That of `bwa mem`.
    fn default() -> Self {
        Self { matched: 1, mismatch: 4, gap_open: 6, gap_extend: 1, clip: 5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_limits() {
        assert_eq!(Scoring::new(1, 4, 6, 1, 5), Ok(Scoring::default()));
        let error = Scoring::new(1, 4, 6, 0, 5).expect_err("gaps of any length for one cost");
        assert_eq!(error.to_string(), "the cost of extending a gap is 0, not from 1 to 500");
        assert!(Scoring::new(0, 4, 6, 1, 5).is_err());
        assert!(Scoring::new(1, 0, 6, 1, 5).is_err());
        assert!(Scoring::new(1, 4, -1, 1, 5).is_err());
        assert!(Scoring::new(1, 4, 0, 1, 501).is_err());
    }

    #[test]
    fn unknown_bases_match_nothing() {
        let scoring = Scoring::default();
        assert_eq!(scoring.pair(2, 2), 1);
        assert_eq!(scoring.pair(2, 3), -4);
        assert_eq!([(4, 4), (4, 1), (0, 4)].map(|(q, w)| scoring.pair(q, w)), [-1; 3]);
    }
}
