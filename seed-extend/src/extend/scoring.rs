//! Scores and penalties of alignments.

use thiserror::Error;

use super::UNKNOWN;

/// Score of a pair with an unknown base, as in `bwa mem`.
pub const UNKNOWN_SCORE: i32 = -1;

/// Greatest score and greatest penalty. With it and [`super::MAX_LENGTH`] no score overflows 32 bits.
pub const MAX_COST: i32 = 500;

/// The score of a match and the penalties of everything else, all as numbers that are not negative. By default those of
/// `bwa mem`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoringParameters {
    /// Score of a pair of equal bases, 1 to [`MAX_COST`]. bwa's `-A`.
    pub match_score: i32,
    /// Penalty of a pair of different bases, 1 to [`MAX_COST`]. bwa's `-B`.
    pub mismatch_penalty: i32,
    /// Penalty of a gap besides that of its columns, 0 to [`MAX_COST`]. bwa's `-O`.
    pub gap_open: i32,
    /// Penalty of each column of a gap, the first included, 1 to [`MAX_COST`]. bwa's `-E`.
    pub gap_extend: i32,
    /// Penalty of an end of the query that is clipped, 0 to [`MAX_COST`]. bwa's `-L`.
    pub clip_penalty: i32,
}

/// A scoring of alignments, whose parameters are within their limits.
///
/// With sequences of up to [`super::MAX_LENGTH`] bases no score overflows 32 bits: an alignment of a query and a window
/// has at most 2 * 2^20 columns, each of at most 500, besides opened gaps, which are fewer than columns, and two clipped
/// ends: `2^21 * 1000 + 1000 < 2^31`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Scoring(ScoringParameters);

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
    /// A scoring with these parameters. A gap of `l` columns costs `gap_open + l * gap_extend`.
    ///
    /// # Errors
    /// If a number is less than its minimum, or more than [`MAX_COST`].
    pub fn new(parameters: ScoringParameters) -> Result<Self, ScoringError> {
        let ScoringParameters { match_score, mismatch_penalty, gap_open, gap_extend, clip_penalty } =
            parameters;
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
        Ok(Self(parameters))
    }

    /// Score of a pair of equal bases. bwa's `-A`.
    pub fn match_score(self) -> i32 {
        self.0.match_score
    }

    /// Penalty of a pair of different bases. bwa's `-B`.
    pub fn mismatch_penalty(self) -> i32 {
        self.0.mismatch_penalty
    }

    /// Penalty of a gap besides that of its columns. bwa's `-O`.
    pub fn gap_open(self) -> i32 {
        self.0.gap_open
    }

    /// Penalty of each column of a gap, the first included. bwa's `-E`.
    pub fn gap_extend(self) -> i32 {
        self.0.gap_extend
    }

    /// Penalty of an end of the query that is clipped. bwa's `-L`.
    pub fn clip_penalty(self) -> i32 {
        self.0.clip_penalty
    }

    /// Score of a pair of codes.
    pub fn pair(self, query: u8, window: u8) -> i32 {
        if query >= UNKNOWN || window >= UNKNOWN {
            UNKNOWN_SCORE
        } else if query == window {
            self.match_score()
        } else {
            -self.mismatch_penalty()
        }
    }

    /// Whether an alignment that has one mismatch and neither gap nor clip always scores more than with a gap or a clip
    /// in place of the mismatch. It is so for the scores of `bwa mem`.
    pub fn prefers_a_mismatch(self) -> bool {
        let lost = self.match_score() + self.mismatch_penalty();
        lost < self.gap(1) && self.mismatch_penalty() < self.clip_penalty()
    }

    /// Penalty of a gap of `columns` columns, at least 1.
    pub fn gap(self, columns: u32) -> i32 {
        self.gap_open() + columns as i32 * self.gap_extend()
    }
}

impl Default for ScoringParameters {
    /// The parameters of `bwa mem`.
    fn default() -> Self {
        Self { match_score: 1, mismatch_penalty: 4, gap_open: 6, gap_extend: 1, clip_penalty: 5 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_limits() {
        let bwa = ScoringParameters::default();
        assert_eq!(Scoring::new(bwa), Ok(Scoring::default()));
        let error = Scoring::new(ScoringParameters { gap_extend: 0, ..bwa })
            .expect_err("gaps of any length for one cost");
        assert_eq!(
            error.to_string(),
            "the cost of extending a gap is 0, but must be from 1 to 500"
        );
        for beyond in [
            ScoringParameters { match_score: 0, ..bwa },
            ScoringParameters { mismatch_penalty: i32::MIN, ..bwa },
            ScoringParameters { gap_open: -1, ..bwa },
            ScoringParameters { gap_extend: i32::MAX, ..bwa },
            ScoringParameters { clip_penalty: 501, ..bwa },
        ] {
            assert!(Scoring::new(beyond).is_err(), "{beyond:?}");
        }
    }

    #[test]
    fn unknown_bases_match_nothing() {
        let scoring = Scoring::default();
        assert_eq!(scoring.pair(2, 2), 1);
        assert_eq!(scoring.pair(2, 3), -4);
        assert_eq!([(4, 4), (4, 1), (0, 4)].map(|(q, w)| scoring.pair(q, w)), [-1; 3]);
    }
}
