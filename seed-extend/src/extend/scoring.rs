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
    /// Penalty of a deletion. bwa's first numbers of `-O` and `-E`.
    pub deletion: GapPenalty,
    /// Penalty of an insertion. bwa's second numbers of `-O` and `-E`.
    pub insertion: GapPenalty,
    /// Penalty of clipping an end of a read. bwa's `-L`.
    pub clip: ClipPenalties,
}

/// The penalty of a gap: of `l` columns it is `open + l * extend`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GapPenalty {
    /// Penalty besides that of the columns, 0 to [`MAX_COST`].
    pub open: i32,
    /// Penalty of each column, the first included, 1 to [`MAX_COST`].
    pub extend: i32,
}

impl GapPenalty {
    /// Penalty of a gap of `columns` columns, at least 1.
    pub fn of(self, columns: u32) -> i32 {
        self.open + columns as i32 * self.extend
    }
}

/// Penalties of clipping an end of a read, which may have any number of bases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClipPenalties {
    /// Penalty of clipping the end that is sequenced first, 0 to [`MAX_COST`].
    pub five_prime: i32,
    /// Penalty of clipping the end that is sequenced last, 0 to [`MAX_COST`].
    pub three_prime: i32,
}

/// Penalties of clipping the ends of a query, which is a read or the reverse complement of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryClips {
    /// Penalty of clipping the query's first bases.
    pub begin: i32,
    /// Penalty of clipping the query's last bases.
    pub end: i32,
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
    /// A scoring with these parameters.
    ///
    /// # Errors
    /// If a number is less than its minimum, or more than [`MAX_COST`].
    pub fn new(parameters: ScoringParameters) -> Result<Self, ScoringError> {
        let ScoringParameters { match_score, mismatch_penalty, deletion, insertion, clip } =
            parameters;
        for (name, value, least) in [
            ("the score of a match", match_score, 1),
            ("the cost of a mismatch", mismatch_penalty, 1),
            ("the cost of opening a deletion", deletion.open, 0),
            ("the cost of opening an insertion", insertion.open, 0),
            ("the cost of extending a deletion", deletion.extend, 1),
            ("the cost of extending an insertion", insertion.extend, 1),
            ("the cost of clipping a 5' end", clip.five_prime, 0),
            ("the cost of clipping a 3' end", clip.three_prime, 0),
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

    /// Penalty of a deletion. bwa's first numbers of `-O` and `-E`.
    pub fn deletion(self) -> GapPenalty {
        self.0.deletion
    }

    /// Penalty of an insertion. bwa's second numbers of `-O` and `-E`.
    pub fn insertion(self) -> GapPenalty {
        self.0.insertion
    }

    /// Penalties of clipping an end of a read. bwa's `-L`.
    pub fn clip(self) -> ClipPenalties {
        self.0.clip
    }

    /// Penalties of clipping the ends of a query. `is_reverse` tells that the query is the reverse complement of a read.
    pub fn query_clips(self, is_reverse: bool) -> QueryClips {
        let ClipPenalties { five_prime, three_prime } = self.0.clip;
        if is_reverse {
            QueryClips { begin: three_prime, end: five_prime }
        } else {
            QueryClips { begin: five_prime, end: three_prime }
        }
    }

    /// The least penalty of any gap.
    pub fn min_gap(self) -> i32 {
        self.0.deletion.of(1).min(self.0.insertion.of(1))
    }

    /// The greatest penalty of a gap of one column.
    pub fn max_short_gap(self) -> i32 {
        self.0.deletion.of(1).max(self.0.insertion.of(1))
    }

    /// The greater of the penalties of clipping.
    pub fn max_clip(self) -> i32 {
        self.0.clip.five_prime.max(self.0.clip.three_prime)
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
        let ClipPenalties { five_prime, three_prime } = self.0.clip;
        lost < self.min_gap() && self.mismatch_penalty() < five_prime.min(three_prime)
    }
}

impl Default for ScoringParameters {
    /// The parameters of `bwa mem`.
    fn default() -> Self {
        let gap = GapPenalty { open: 6, extend: 1 };
        let clip = ClipPenalties { five_prime: 5, three_prime: 5 };
        Self { match_score: 1, mismatch_penalty: 4, deletion: gap, insertion: gap, clip }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_limits() {
        let bwa = ScoringParameters::default();
        assert_eq!(Scoring::new(bwa), Ok(Scoring::default()));
        let gap = |open, extend| GapPenalty { open, extend };
        let error = Scoring::new(ScoringParameters { insertion: gap(6, 0), ..bwa })
            .expect_err("insertions of any length for one cost");
        assert_eq!(
            error.to_string(),
            "the cost of extending an insertion is 0, but must be from 1 to 500"
        );
        for beyond in [
            ScoringParameters { match_score: 0, ..bwa },
            ScoringParameters { mismatch_penalty: i32::MIN, ..bwa },
            ScoringParameters { deletion: gap(-1, 1), ..bwa },
            ScoringParameters { deletion: gap(6, i32::MAX), ..bwa },
            ScoringParameters { insertion: gap(501, 1), ..bwa },
            ScoringParameters { clip: ClipPenalties { five_prime: 501, three_prime: 5 }, ..bwa },
            ScoringParameters { clip: ClipPenalties { five_prime: 5, three_prime: -1 }, ..bwa },
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
