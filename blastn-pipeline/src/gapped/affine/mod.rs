//! Gapped extension by dynamic programming with affine gap costs, from a pair of places to one side.
//!
//! Cells whose score falls by more than the X-drop below the best so far are dead. A row reaches from the first to the last
//! live cell of the row before, and as far beyond as a gap survives (Zhang et al., J. Comput. Biol. 5, 1998). Of equally good
//! ends the first one found counts. Of equally good columns a pair is preferred to a gap in the columns' sequence (a row is
//! skipped), and that to a gap in the rows' sequence (a column is skipped).
//!
//! ```text
//!            column 0   1   2   3   4     equal sequences; match 2, mismatch -3, gaps 7 and 2 for each further column, X-drop 8
//!   row 0         0  -7   .   .   .     . : dead
//!   row 1        -7   2  -5   .   .     -5: a gap of one column from the 2 before it
//!   row 2         .  -5   4  -3   .     -5: a gap of one row from the 2 above it
//!   row 3         .   .  -3   6  -1
//! ```
//!
//! Three implementations have the same result, cell for cell: `scalar`, `simd` for sixteen cells at a time, and `simd::bytes` for 32
//! cells at a time, if the X-drop is small.

mod scalar;
pub(crate) mod side_pair;
#[cfg(target_arch = "x86_64")]
mod simd;
mod traceback;
pub(crate) mod workspace;

pub(crate) use self::scalar::extend_scalar;
pub use self::side_pair::{AffineReach, SidePair};
pub use self::traceback::script;
pub use self::workspace::AffineBuffers;

/// Extends to one side, to the left if `REVERSE`. With `TRACE`, [`script`] gives the columns afterwards.
pub fn extend<const REVERSE: bool, const TRACE: bool>(
    sides: &SidePair<'_>,
    work: &mut AffineBuffers,
) -> AffineReach {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        if simd::bytes::fits(sides) {
            #[allow(unsafe_code)]
            // SAFETY: the processor has AVX2, which is all that the function requires.
            return unsafe { simd::bytes::extend::<REVERSE, TRACE>(sides, work) };
        }
        if simd::fits(sides) {
            #[allow(unsafe_code)]
            // SAFETY: the processor has AVX2, which is all that the function requires.
            return unsafe { simd::extend::<REVERSE, TRACE>(sides, work) };
        }
    }
    extend_scalar::<REVERSE, TRACE>(sides, work)
}
