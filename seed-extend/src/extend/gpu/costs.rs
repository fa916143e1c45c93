//! The scoring, as kernels see it.

use aligner_core::gpu::{DeviceRepr, ValidAsZeroBits};
use bytemuck::{Pod, Zeroable};

use super::super::alignments::Place;
use super::super::scoring::{Scoring, UNKNOWN_SCORE};
use super::super::task::{Scored, Task};
use super::plan::Room;

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

#[allow(unsafe_code)]
mod plain {
    use super::{Costs, DeviceRepr, Place, Room, Scored, Task, ValidAsZeroBits};

    // SAFETY: numbers without padding.
    unsafe impl DeviceRepr for Costs {}
    // SAFETY: numbers.
    unsafe impl ValidAsZeroBits for Costs {}
    // SAFETY: numbers without padding.
    unsafe impl DeviceRepr for Task {}
    // SAFETY: numbers.
    unsafe impl ValidAsZeroBits for Task {}
    // SAFETY: numbers without padding.
    unsafe impl DeviceRepr for Scored {}
    // SAFETY: numbers.
    unsafe impl ValidAsZeroBits for Scored {}
    // SAFETY: numbers without padding.
    unsafe impl DeviceRepr for Room {}
    // SAFETY: numbers without padding.
    unsafe impl DeviceRepr for Place {}
    // SAFETY: numbers.
    unsafe impl ValidAsZeroBits for Place {}
}
