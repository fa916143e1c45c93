//! The scoring, as kernels see it.

use aligner_core::device_struct;

use crate::extend::scoring::{Scoring, UNKNOWN_SCORE};

device_struct! {
    /// Scores and costs of a [`Scoring`], as kernels see them.
    #[derive(PartialEq, Eq, Default)]
    pub struct AlignmentCosts {
        /// Score of a pair of equal bases.
        matched: i32,
        /// Cost of a mismatch.
        mismatch: i32,
        /// Score of a pair with an unknown base.
        unknown: i32,
        /// Cost of the first column of a gap.
        first: i32,
        /// Cost of each further column of a gap.
        further: i32,
        /// Cost of an end of the query that is clipped.
        clip: i32,
    }
}

impl From<Scoring> for AlignmentCosts {
    fn from(scoring: Scoring) -> Self {
        Self {
            matched: scoring.match_score(),
            mismatch: scoring.mismatch_penalty(),
            unknown: UNKNOWN_SCORE,
            first: scoring.gap(1),
            further: scoring.gap_extend(),
            clip: scoring.clip_penalty(),
        }
    }
}
