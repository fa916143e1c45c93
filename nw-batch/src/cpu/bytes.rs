//! Codes of eight residues as the bytes of a word, which are compared at once. Codes are below 128.

// Both functions are inlined into those that are compiled for one kind of instructions each.
#![allow(clippy::inline_always)]

/// A word with 1 in each byte.
const ONES: u64 = 0x0101_0101_0101_0101;

/// A word with the highest bit of each byte.
const HIGHEST: u64 = ONES << 7;

/// A word with 1 in the bytes where two words differ, and 0 in the others.
#[inline(always)]
pub(super) fn differences(codes: u64, others: u64) -> u64 {
    (((codes ^ others) + (ONES * 0x7f)) & HIGHEST) >> 7
}

/// A word with 1 in the bytes that are this code, and 0 in the others.
#[inline(always)]
pub(super) fn places(codes: u64, code: u8) -> u64 {
    differences(codes, u64::from(code) * ONES) ^ ONES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_compared_each_by_itself() {
        let codes = u64::from_le_bytes([0, 1, 4, 127, 4, 0, 31, 0]);
        let others = u64::from_le_bytes([0, 2, 4, 0, 5, 127, 31, 1]);
        assert_eq!(differences(codes, others).to_le_bytes(), [0, 1, 0, 1, 1, 1, 0, 1]);
        assert_eq!(places(codes, 4).to_le_bytes(), [0, 0, 1, 0, 1, 0, 0, 0]);
        assert_eq!(places(codes, 0).to_le_bytes(), [1, 0, 0, 0, 0, 1, 0, 1]);
    }
}
