//! Vectors of sixteen 16-bit numbers, and operations on them. All functions require AVX2.

use std::arch::x86_64::{
    __m128i, __m256i, _mm_and_si128, _mm_loadu_si128, _mm_packs_epi16, _mm_set1_epi8,
    _mm_setr_epi8, _mm_shuffle_epi8, _mm_storeu_si128, _mm256_alignr_epi8, _mm256_castsi256_si128,
    _mm256_cmpgt_epi16, _mm256_extract_epi16, _mm256_extracti128_si256, _mm256_loadu_si256,
    _mm256_max_epi16, _mm256_movemask_epi8, _mm256_packs_epi32, _mm256_permute2x128_si256,
    _mm256_permute4x64_epi64, _mm256_set1_epi16, _mm256_shuffle_epi8, _mm256_storeu_si256,
};

use crate::gapped::side::SequenceSide;

/// Sixteen numbers of 16 bits.
pub(super) type Lanes = __m256i;

/// Numbers in a vector.
pub(super) const LANES: usize = 16;

/// The score of a dead cell: the least number of 16 bits.
pub(super) const DEAD: i32 = i16::MIN as i32;

/// A vector with the same number in all lanes.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn splat(value: i32) -> Lanes {
    _mm256_set1_epi16(value as i16)
}

/// Loads the first sixteen numbers.
///
/// # Panics
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load(numbers: &[i16]) -> Lanes {
    let numbers = &numbers[..LANES];
    #[allow(unsafe_code)]
    // SAFETY: the slice has the 32 bytes that are read; the load needs no alignment.
    unsafe {
        _mm256_loadu_si256(numbers.as_ptr().cast())
    }
}

/// Stores a vector to the first sixteen numbers.
///
/// # Panics
/// If there are fewer.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn store(numbers: &mut [i16], values: Lanes) {
    let numbers = &mut numbers[..LANES];
    #[allow(unsafe_code)]
    // SAFETY: the slice has the 32 bytes that are written; the store needs no alignment.
    unsafe {
        _mm256_storeu_si256(numbers.as_mut_ptr().cast(), values);
    }
}

/// Loads the first eight numbers of 32 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn load_ints(numbers: &[i32]) -> __m256i {
    let numbers = &numbers[..LANES / 2];
    #[allow(unsafe_code)]
    // SAFETY: the slice has the 32 bytes that are read; the load needs no alignment.
    unsafe {
        _mm256_loadu_si256(numbers.as_ptr().cast())
    }
}

/// Loads sixteen bytes.
#[inline]
#[target_feature(enable = "avx2")]
fn of_bytes(bytes: [u8; LANES]) -> __m128i {
    #[allow(unsafe_code)]
    // SAFETY: the array has the 16 bytes that are read; the load needs no alignment.
    unsafe {
        _mm_loadu_si128(bytes.as_ptr().cast())
    }
}

/// Converts numbers to bytes, with saturation.
#[inline]
#[target_feature(enable = "avx2")]
fn packed(values: Lanes) -> __m128i {
    _mm_packs_epi16(_mm256_castsi256_si128(values), _mm256_extracti128_si256::<1>(values))
}

/// Converts sixteen numbers of 32 bits to bytes, with saturation.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn packed_ints(numbers: &[i32; LANES]) -> __m128i {
    let (low, high) = (load_ints(numbers), load_ints(&numbers[LANES / 2..]));
    // Packing interleaves groups of four of both vectors; the permutation puts them in order.
    packed(_mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high)))
}

/// Bytes of numbers from 0 to 127.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bytes_of(values: Lanes) -> [u8; LANES] {
    let packed = packed(values);
    let mut bytes = [0; LANES];
    #[allow(unsafe_code)]
    // SAFETY: the array has the 16 bytes that are written; the store needs no alignment.
    unsafe {
        _mm_storeu_si128(bytes.as_mut_ptr().cast(), packed);
    }
    bytes
}

/// Shifts each number to the next lane; the first lane gets the last number of `before`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn shifted(before: Lanes, values: Lanes) -> Lanes {
    let half_before = _mm256_permute2x128_si256::<0x21>(before, values);
    _mm256_alignr_epi8::<14>(values, half_before)
}

/// Prefix maximum: the greatest number of the lanes up to each.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn prefix_max(values: Lanes) -> Lanes {
    let dead = splat(DEAD);
    // First within each half; then the greatest number of the first half counts in the second, too.
    let values = _mm256_max_epi16(values, _mm256_alignr_epi8::<14>(values, dead));
    let values = _mm256_max_epi16(values, _mm256_alignr_epi8::<12>(values, dead));
    let values = _mm256_max_epi16(values, _mm256_alignr_epi8::<8>(values, dead));
    let half_before = _mm256_permute2x128_si256::<0x20>(dead, values);
    _mm256_max_epi16(values, _mm256_shuffle_epi8(half_before, splat(0x0F0E)))
}

/// The mask of a comparison: two equal bits for each lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn bits(yes: Lanes) -> u32 {
    _mm256_movemask_epi8(yes).cast_unsigned()
}

/// The first lane whose [`bits`] are set.
#[inline]
pub(super) fn first_of(bits: u32) -> usize {
    bits.trailing_zeros() as usize / 2
}

/// The number in the last lane.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn last_lane(values: Lanes) -> i32 {
    i32::from(_mm256_extract_epi16::<15>(values) as i16)
}

/// A mask of the lanes whose column is behind `last`, if the first lane has `column`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn behind(last: usize, column: usize) -> Lanes {
    const NUMBERS: [i16; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let lanes = (last + 1).saturating_sub(column).min(LANES) as i32;
    _mm256_cmpgt_epi16(load(&NUMBERS), splat(lanes - 1))
}

/// Letters of the sixteen columns from `column` on, a byte each; 0 in column 0 and behind column `width`.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn letters<const REVERSE: bool>(
    columns: SequenceSide<'_>,
    column: usize,
    width: usize,
) -> __m128i {
    // In the order of the sequence, which is backwards if `REVERSE`.
    let (from, to) = (column.max(1), (column + LANES).min(width + 1));
    let own = columns.range::<REVERSE>(from - 1, to - 1);
    let bytes = own.as_array().copied().unwrap_or_else(|| {
        let mut bytes = [0; LANES];
        let first = if REVERSE { column + LANES - to } else { from - column };
        bytes[first..first + own.len()].copy_from_slice(own);
        bytes
    });
    let backwards = _mm_setr_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    let bytes = of_bytes(bytes);
    let bytes = if REVERSE { _mm_shuffle_epi8(bytes, backwards) } else { bytes };
    _mm_and_si128(bytes, _mm_set1_epi8(15))
}
