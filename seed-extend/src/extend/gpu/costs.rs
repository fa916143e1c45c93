//! The scoring, as kernels see it.

use aligner_core::device_struct;

use crate::extend::scoring::Scoring;

device_struct! {
    /// Score and costs of a [`Scoring`], as kernels see them.
    #[derive(PartialEq, Eq, Default)]
    pub struct AlignmentCosts {
        /// Score of a pair of equal bases.
        matched: i32,
        /// Cost of a mismatch.
        mismatch: i32,
        /// Cost of the first column of a deletion.
        first_deleted: i32,
        /// Cost of each further column of a deletion.
        further_deleted: i32,
        /// Cost of the first column of an insertion.
        first_inserted: i32,
        /// Cost of each further column of an insertion.
        further_inserted: i32,
        /// Cost of clipping the 5' end of a read.
        five_prime_clip: i32,
        /// Cost of clipping the 3' end of a read.
        three_prime_clip: i32,
    }
}

impl From<Scoring> for AlignmentCosts {
    fn from(scoring: Scoring) -> Self {
        Self {
            matched: scoring.match_score(),
            mismatch: scoring.mismatch_penalty(),
            first_deleted: scoring.deletion().of(1),
            further_deleted: scoring.deletion().extend,
            first_inserted: scoring.insertion().of(1),
            further_inserted: scoring.insertion().extend,
            five_prime_clip: scoring.clip().five_prime,
            three_prime_clip: scoring.clip().three_prime,
        }
    }
}
