//! Packing the codes of a query, 32 a word.
//!
//! Pairs of codes become four bits, pairs of these a byte:
//!
//! ```text
//! codes       3  0  2  1    a byte each, the first one on the right
//! four bits   1100  1001    a code, and four times the next one
//! a byte       11001001     four bits, and sixteen times the next ones
//! ```

use crate::read::packed::BASES;

/// Packs codes into words, [`BASES`] a word and the first one in the lowest bits. `change` makes
/// numbers from 0 to 3 of codes, and 0 of 0.
pub fn pack(codes: &[u8], change: impl Fn(u8) -> u8, words: &mut [u64]) {
    let packed = |codes: &[u8; BASES]| packed(&codes.map(&change));
    let (whole, rest) = codes.as_chunks();
    for (word, codes) in words.iter_mut().zip(whole) {
        *word = packed(codes);
    }
    if !rest.is_empty()
        && let Some(word) = words.last_mut()
    {
        *word = match codes.last_chunk() {
            // The codes before the rest, which are in the word before, are shifted out.
            Some(last) => packed(last) >> (2 * (BASES - rest.len())),
            None => {
                let mut last = [0; BASES];
                last[..rest.len()].copy_from_slice(rest);
                packed(&last)
            }
        };
    }
}

/// Numbers from 0 to 3 in two bits each.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
fn packed(codes: &[u8; BASES]) -> u64 {
    #[allow(unsafe_code)]
    // SAFETY: this is compiled only for processors that have these instructions.
    unsafe {
        packed_by_ssse3(codes)
    }
}

/// As [`packed_by_any`], in a fifth of the instructions.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
#[target_feature(enable = "ssse3")]
fn packed_by_ssse3(codes: &[u8; BASES]) -> u64 {
    use std::arch::x86_64::{
        __m128i, _mm_cvtsi128_si64, _mm_maddubs_epi16, _mm_packus_epi16, _mm_set1_epi16,
    };
    let [first, second]: [__m128i; 2] = bytemuck::cast(*codes);
    // Each of eight numbers of 16 bits becomes its low byte, and its high byte times four.
    let times_four = _mm_set1_epi16(0x0401);
    let four_bits = _mm_packus_epi16(
        _mm_maddubs_epi16(first, times_four),
        _mm_maddubs_epi16(second, times_four),
    );
    let bytes = _mm_maddubs_epi16(four_bits, _mm_set1_epi16(0x1001));
    _mm_cvtsi128_si64(_mm_packus_epi16(bytes, bytes)) as u64
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "ssse3")))]
use packed_by_any as packed;

/// Numbers from 0 to 3 in two bits each, on any processor.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "ssse3"))))]
fn packed_by_any(codes: &[u8; BASES]) -> u64 {
    let byte = |four: &[u8; 4]| four.iter().rev().fold(0, |bits, code| bits << 2 | code);
    let mut bytes = [0; BASES / 4];
    for (to, four) in bytes.iter_mut().zip(codes.as_chunks().0) {
        *to = byte(four);
    }
    u64::from_le_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_pack_as_plain_code_does() {
        let seed = 37;
        let mut random = fastrand::Rng::with_seed(seed);
        for length in 0..300_usize {
            let codes: Vec<u8> = (0..length).map(|_| random.u8(..8)).collect();
            let mut words = vec![u64::MAX; length.div_ceil(BASES)];
            pack(&codes, |code| code >> 1, &mut words);
            let word = |codes: &[u8]| {
                let mut whole = [0; BASES];
                whole.iter_mut().zip(codes).for_each(|(to, code)| *to = code >> 1);
                packed_by_any(&whole)
            };
            let expected: Vec<u64> = codes.chunks(BASES).map(word).collect();
            assert_eq!(words, expected, "seed {seed}, {length}");
        }
        assert_eq!(
            packed_by_any(&std::array::from_fn(|base| base as u8 % 4)),
            0xE4E4_E4E4_E4E4_E4E4
        );
    }
}
