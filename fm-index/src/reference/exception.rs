//! Exceptions: letters of the reference other than A, C, G and T, kept apart from the two-bit text.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};

/// Exceptions kept in the indexed text at each end of a long run of them.
pub const FLANK: u32 = 64;

/// A run of one letter other than A, C, G, T, in reference coordinates.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(crate) struct Exception {
    /// Reference coordinate of the first letter, 0-based.
    pub(crate) start: u32,
    /// Number of letters in the run.
    pub(crate) length: u32,
    /// The upper-case ASCII letter.
    pub(crate) letter: u32,
}

impl Exception {
    /// Reference coordinate behind the last letter.
    pub(crate) fn end(&self) -> u32 {
        self.start + self.length
    }
}

/// The base, 0 to 3, that stands in the indexed text for an exception at this reference position: chosen by the
/// finaliser of `MurmurHash3`, so that neighbours look unrelated.
pub(crate) fn substitute(position: u32) -> u8 {
    let mut hash = position;
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85EB_CA6B);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xC2B2_AE35);
    ((hash ^ (hash >> 16)) & 3) as u8
}

/// The part of a run of consecutive exceptions that the indexed text leaves out; empty, at the run's end, if the run
/// is short.
pub(crate) fn cut(run: &Range<u32>) -> Range<u32> {
    if run.end - run.start > 2 * FLANK {
        run.start + FLANK..run.end - FLANK
    } else {
        run.end..run.end
    }
}
