//! Vectors of 32 numbers of 8 bits, and operations on them. All functions require AVX2.

use std::arch::x86_64::{
    __m256i, _mm256_alignr_epi8, _mm256_and_si256, _mm256_cmpgt_epi8, _mm256_extract_epi8,
    _mm256_loadu_si256, _mm256_max_epi8, _mm256_movemask_epi8, _mm256_permute2x128_si256,
    _mm256_set1_epi8, _mm256_setr_epi8, _mm256_shuffle_epi8, _mm256_storeu_si256,
};

use crate::gapped::side::SequenceSide;

/// 32 numbers of 8 bits.
pub(super) type Lanes = __m256i;

/// Numbers in a vector.
pub(super) const LANES: usize = 32;

/// The score of a dead cell: the least number of 8 bits.
pub(super) const DEAD: i32 = i8::MIN as i32;

/// The number of each lane.
const NUMBERS: [i8; LANES] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, //
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
];

/// A vector with the same number in all lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn splat(value: i32) -> Lanes {
    _mm256_set1_epi8(value as i8)
}

/// Loads the first 32 numbers.
///
/// # Panics
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(numbers: &[i8]) -> Lanes {
    let numbers = &numbers[..LANES];
    #[allow(unsafe_code)]
    // SAFETY: the slice has the 32 bytes that are read; the load needs no alignment.
    unsafe {
        _mm256_loadu_si256(numbers.as_ptr().cast())
    }
}

/// Stores a vector to the first 32 numbers.
///
/// # Panics
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(numbers: &mut [i8], values: Lanes) {
    let numbers = &mut numbers[..LANES];
    #[allow(unsafe_code)]
    // SAFETY: the slice has the 32 bytes that are written; the store needs no alignment.
    unsafe {
        _mm256_storeu_si256(numbers.as_mut_ptr().cast(), values);
    }
}

/// Shifts each number to the next lane; the first lane gets the last number of `before`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn shifted(before: Lanes, values: Lanes) -> Lanes {
    let half_before = _mm256_permute2x128_si256::<0x21>(before, values);
    _mm256_alignr_epi8::<15>(values, half_before)
}

/// Prefix maximum: the greatest number of the lanes up to each.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn prefix_max(values: Lanes) -> Lanes {
    let dead = splat(DEAD);
    // First within each half; then the greatest number of the first half counts in the second, too.
    let values = _mm256_max_epi8(values, _mm256_alignr_epi8::<15>(values, dead));
    let values = _mm256_max_epi8(values, _mm256_alignr_epi8::<14>(values, dead));
    let values = _mm256_max_epi8(values, _mm256_alignr_epi8::<12>(values, dead));
    let values = _mm256_max_epi8(values, _mm256_alignr_epi8::<8>(values, dead));
    let half_before = _mm256_permute2x128_si256::<0x20>(dead, values);
    _mm256_max_epi8(values, _mm256_shuffle_epi8(half_before, splat(15)))
}

/// The mask of a comparison: a bit for each lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bits(yes: Lanes) -> u32 {
    _mm256_movemask_epi8(yes).cast_unsigned()
}

/// The number in the last lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn last_lane(values: Lanes) -> i32 {
    i32::from(_mm256_extract_epi8::<31>(values) as i8)
}

/// A mask of the lanes whose column is behind `last`, if the first lane has `column`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn behind(last: usize, column: usize) -> Lanes {
    let lanes = (last + 1).saturating_sub(column).min(LANES) as i32;
    _mm256_cmpgt_epi8(load(&NUMBERS), splat(lanes - 1))
}

/// Letters of the 32 columns from `column` on, a byte each; 0 in column 0 and behind column `width`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn letters<const REVERSE: bool>(
    columns: SequenceSide<'_>,
    column: usize,
    width: usize,
) -> Lanes {
    // In the order of the sequence, which is backwards if `REVERSE`.
    let (from, to) = (column.max(1), (column + LANES).min(width + 1));
    let own = columns.range::<REVERSE>(from - 1, to - 1);
    let mut bytes = [0_i8; LANES];
    let own: &[i8] = bytemuck::cast_slice(own);
    let letters = if own.len() == LANES {
        load(own)
    } else {
        let first = if REVERSE { column + LANES - to } else { from - column };
        bytes[first..first + own.len()].copy_from_slice(own);
        load(&bytes)
    };
    let letters = _mm256_and_si256(letters, splat(15));
    if !REVERSE {
        return letters;
    }
    let backwards = _mm256_setr_epi8(
        15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, //
        15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0,
    );
    let letters = _mm256_shuffle_epi8(letters, backwards);
    _mm256_permute2x128_si256::<0x01>(letters, letters)
}
