//! The scoring, as kernels see it.

use bytemuck::{Pod, Zeroable};

use super::super::scoring::{Scoring, UNKNOWN_SCORE};

/// Mirrored in `cuda/include/seed_extend/task.cuh`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Costs {
    matched: i32,
    mismatch: i32,
    unknown: i32,
    first: i32,
    further: i32,
    clip: i32,
}

const _: () = assert!(size_of::<Costs>() == 24);

impl From<Scoring> for Costs {
    fn from(scoring: Scoring) -> Self {
        Self {
            matched: scoring.matched(),
            mismatch: scoring.mismatch(),
            unknown: UNKNOWN_SCORE,
            first: scoring.gap(1),
            further: scoring.gap_extend(),
            clip: scoring.clip(),
        }
    }
}
