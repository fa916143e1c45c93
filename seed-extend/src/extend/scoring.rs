//! Scores and penalties of alignments.

use thiserror::Error;

use super::UNKNOWN;

/// Score of a pair with an unknown base, as in `bwa mem`.
pub const UNKNOWN_SCORE: i32 = -1;

/// Greatest score and greatest penalty. With it and [`super::MAX_LENGTH`] no score overflows 32 bits.
pub const MAX_COST: i32 = 500;

/// The score of a match and the penalties of everything else, all as numbers that are not negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scoring {
    match_score: i32,
    mismatch_penalty: i32,
    gap_open: i32,
    gap_extend: i32,
    clip_penalty: i32,
}

/// A score or penalty that is out of range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{name} is {value}, but must be from {least} to {MAX_COST}")]
pub struct ScoringError {
    /// Name of the number, in words.
    pub name: &'static str,
    /// The number that was given.
    pub value: i32,
    /// The smallest number that is allowed.
    pub least: i32,
}

impl Scoring {
    /// A scoring in which a pair of equal bases scores `match_score` (bwa's `-A`) and a pair of different ones
    /// `-mismatch_penalty` (`-B`), both at least 1; a gap of `l` columns costs `gap_open + l * gap_extend` (`-O`,
    /// `-E`), of which `gap_extend` is at least 1; and an end of the query that is clipped costs `clip_penalty` (`-L`).
    ///
    /// # Errors
    /// If a number is less than its minimum, or more than [`MAX_COST`].
    pub fn new(
        match_score: i32,
        mismatch_penalty: i32,
        gap_open: i32,
        gap_extend: i32,
        clip_penalty: i32,
    ) -> Result<Self, ScoringError> {
        for (name, value, least) in [
            ("the score of a match", match_score, 1),
            ("the cost of a mismatch", mismatch_penalty, 1),
            ("the cost of opening a gap", gap_open, 0),
            ("the cost of extending a gap", gap_extend, 1),
            ("the cost of clipping", clip_penalty, 0),
        ] {
            if !(least..=MAX_COST).contains(&value) {
                return Err(ScoringError { name, value, least });
            }
        }
        Ok(Self { match_score, mismatch_penalty, gap_open, gap_extend, clip_penalty })
    }

    /// Score of a pair of equal bases. bwa's `-A`.
    pub fn match_score(self) -> i32 {
        self.match_score
    }

    /// Penalty of a pair of different bases. bwa's `-B`.
    pub fn mismatch_penalty(self) -> i32 {
        self.mismatch_penalty
    }

    /// Penalty of a gap besides that of its columns. bwa's `-O`.
    pub fn gap_open(self) -> i32 {
        self.gap_open
    }

    /// Penalty of each column of a gap, the first included. bwa's `-E`.
    pub fn gap_extend(self) -> i32 {
        self.gap_extend
    }

    /// Penalty of an end of the query that is clipped. bwa's `-L`.
    pub fn clip_penalty(self) -> i32 {
        self.clip_penalty
    }

    /// Score of a pair of codes.
    pub fn pair(self, query: u8, window: u8) -> i32 {
        if query >= UNKNOWN || window >= UNKNOWN {
            UNKNOWN_SCORE
        } else if query == window {
            self.match_score
        } else {
            -self.mismatch_penalty
        }
    }

    /// Penalty of a gap of `columns` columns, at least 1.
    pub fn gap(self, columns: u32) -> i32 {
        self.gap_open + columns as i32 * self.gap_extend
    }
}

impl Default for Scoring {
    /// The scoring of `bwa mem`.
    fn default() -> Self {
        Self { match_score: 1, mismatch_penalty: 4, gap_open: 6, gap_extend: 1, clip_penalty: 5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_limits() {
        assert_eq!(Scoring::new(1, 4, 6, 1, 5), Ok(Scoring::default()));
        let error = Scoring::new(1, 4, 6, 0, 5).expect_err("gaps of any length for one cost");
        assert_eq!(
            error.to_string(),
            "the cost of extending a gap is 0, but must be from 1 to 500"
        );
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
