//! Encoding reads: 32 bases a word, in both orientations.
//!
//! Letters become codes, a byte each. In packing, pairs of codes become four bits, and pairs of these a byte:
//!
//! ```text
//! codes       3  0  2  1    a byte each, the first one on the right
//! four bits   1100  1001    a code, and four times the next one
//! a byte       11001001     four bits, and sixteen times the next ones
//! ```
//!
//! The instructions for 16 bytes that this takes, of SSSE3, are on all processors that the program is built for on x86-64.
//! Elsewhere plain code does the same.

use aligner_core::seq::UNKNOWN;
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "ssse3"))))]
use aligner_core::seq::encode_into;

use fm_index::with_first_base_highest;

use crate::read::packed::BASES;

/// Bases that are encoded at a time.
const CHUNK: usize = 16;

/// The bit of a code that only [`UNKNOWN`] has.
pub(crate) const UNKNOWN_BIT: i32 = UNKNOWN.trailing_zeros() as i32;

/// Writes the bases of a read, [`BASES`] a word and the first one in the lowest bits, unknown ones as 0; and words with the
/// lower bit of each unknown base set. Unused bits are 0.
pub fn pack_letters(letters: &[u8], [words, unknown]: [&mut [u64]; 2]) {
    let (whole, rest) = letters.as_chunks();
    for ((word, unknown), letters) in words.iter_mut().zip(&mut *unknown).zip(whole) {
        [*word, *unknown] = packed_letters(letters);
    }
    if !rest.is_empty()
        && let (Some(word), Some(unknown)) = (words.last_mut(), unknown.last_mut())
    {
        [*word, *unknown] = if let Some(last) = letters.last_chunk() {
            // The letters before the rest, which are in the word before, are shifted out.
            packed_letters(last).map(|word| word >> (2 * (BASES - rest.len())))
        } else {
            // The letter of code 0.
            let mut last = [b'A'; BASES];
            last[..rest.len()].copy_from_slice(rest);
            packed_letters(&last)
        };
    }
}

/// The word of some letters, and that with the lower bit of each unknown base.
fn packed_letters(letters: &[u8; BASES]) -> [u64; 2] {
    let halves: [[u8; CHUNK]; 2] = bytemuck::cast(*letters);
    let codes = halves.map(|half| encode_chunk(&half));
    let words: [u64; BASES / 8] = bytemuck::cast(codes);
    let codes: [u8; BASES] = bytemuck::cast(codes);
    // Most reads have no unknown bases.
    let all = words.iter().fold(0, |all, word| all | word);
    let has_unknown = all & u64::from_ne_bytes([UNKNOWN; 8]) != 0;
    [packed::<0>(&codes), if has_unknown { packed::<UNKNOWN_BIT>(&codes) } else { 0 }]
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "ssse3")))]
use encode_chunk_by_any as encode_chunk;

/// The codes of letters, on any processor.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "ssse3"))))]
fn encode_chunk_by_any(letters: &[u8; CHUNK]) -> [u8; CHUNK] {
    let mut codes = [0; CHUNK];
    encode_into(letters, &mut codes);
    codes
}

/// The codes of letters.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
fn encode_chunk(letters: &[u8; CHUNK]) -> [u8; CHUNK] {
    #[allow(unsafe_code)]
    // SAFETY: this is compiled only for processors that have these instructions.
    unsafe {
        encode_chunk_by_ssse3(letters)
    }
}

/// A table with these values in the places of A, C, G, T and U, whose lowest four bits are different, and another value in
/// all other places.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
const fn of_letters(values: [u8; 5], other: u8) -> [u8; CHUNK] {
    let mut table = [other; CHUNK];
    let mut letter = 0;
    while letter < values.len() {
        table[b"ACGTU"[letter] as usize % CHUNK] = values[letter];
        letter += 1;
    }
    table
}

/// Looks the lowest four bits of letters up: they have a code if the letter in their place is theirs.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
#[target_feature(enable = "ssse3")]
fn encode_chunk_by_ssse3(letters: &[u8; CHUNK]) -> [u8; CHUNK] {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_or_si128, _mm_set1_epi8,
        _mm_shuffle_epi8,
    };
    const CODES: [u8; CHUNK] = of_letters([0, 1, 2, 3, 3], UNKNOWN);
    // No letter is the other value, once it is in upper case.
    const LETTERS: [u8; CHUNK] = of_letters(*b"ACGTU", u8::MAX);

    let in_table = |table: [u8; CHUNK], places: __m128i| {
        let table: __m128i = bytemuck::cast(table);
        _mm_shuffle_epi8(table, places)
    };
    let upper = _mm_and_si128(bytemuck::cast(*letters), _mm_set1_epi8(!0x20));
    let is_known = _mm_cmpeq_epi8(in_table(LETTERS, upper), upper);
    let codes = _mm_or_si128(
        _mm_and_si128(is_known, in_table(CODES, upper)),
        _mm_andnot_si128(is_known, _mm_set1_epi8(UNKNOWN as i8)),
    );
    bytemuck::cast(codes)
}

/// Writes the reverse complement of the `length` bases of a read, packed by [`pack_letters`], in the same form.
pub fn reverse_complement(
    [words, unknown]: [&[u64]; 2],
    length: usize,
    [reverse_words, reverse_unknown]: [&mut [u64]; 2],
) {
    // Few reads have unknown bases.
    if unknown.iter().all(|&word| word == 0) {
        reverse_unknown.fill(0);
        write_reversed(words.iter().map(|word| !word), length, reverse_words);
        return;
    }
    write_reversed(unknown.iter().copied(), length, reverse_unknown);
    // An unknown base is 0 in both orientations: here its complement.
    let complements = words.iter().zip(unknown).map(|(word, unknown)| !(word | (unknown * 3)));
    write_reversed(complements, length, reverse_words);
}

/// The codes of packed bases, and of unknown ones among them.
pub fn unpack([words, unknown]: [&[u64]; 2], codes: &mut [u8]) {
    let mut words = words.iter().zip(unknown);
    let (whole, rest) = codes.as_chunks_mut();
    for (codes, (&word, &unknown)) in whole.iter_mut().zip(&mut words) {
        *codes = codes_of(word, unknown);
    }
    if let Some((&word, &unknown)) = words.next() {
        rest.copy_from_slice(&codes_of(word, unknown)[..rest.len()]);
    }
}

/// The codes of a word of packed bases, and of a word of unknown ones.
#[inline]
fn codes_of(word: u64, unknown: u64) -> [u8; BASES] {
    let mut bases = bases_of(word);
    // Few words have unknown bases.
    if unknown != 0 {
        for (base, unknown) in bases.iter_mut().zip(bases_of(unknown)) {
            *base |= unknown << UNKNOWN_BIT;
        }
    }
    bases
}

/// The bases of a word, a byte each.
#[inline]
pub(crate) fn bases_of(word: u64) -> [u8; BASES] {
    // Each step moves the upper half of the bases of each part of the word to where the part will be twice as long.
    let quarter = |number: u32| {
        let bases = word >> (16 * number) & 0xFFFF;
        let bases = (bases | bases << 24) & 0x0000_00FF_0000_00FF;
        let bases = (bases | bases << 12) & 0x000F_000F_000F_000F;
        ((bases | bases << 6) & 0x0303_0303_0303_0303).to_le_bytes()
    };
    bytemuck::cast([0, 1, 2, 3].map(quarter))
}

/// Writes the first `length` of packed bases in reverse order.
fn write_reversed(words: impl DoubleEndedIterator<Item = u64>, length: usize, reverse: &mut [u64]) {
    // Unused places of the last word, which come first now.
    let unused = 2 * (length.next_multiple_of(BASES) - length);
    let mut words = words.rev().map(with_first_base_highest);
    let mut word = words.next().unwrap_or_default();
    for to in reverse {
        let next = words.next().unwrap_or_default();
        *to = ((u128::from(next) << u64::BITS | u128::from(word)) >> unused) as u64;
        word = next;
    }
}

/// The word of some codes.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
fn packed<const SHIFT: i32>(codes: &[u8; BASES]) -> u64 {
    #[allow(unsafe_code)]
    // SAFETY: this is compiled only for processors that have these instructions.
    unsafe {
        packed_by_ssse3::<SHIFT>(codes)
    }
}

/// Multiplies bytes and adds neighbours: see the first lines of this file.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
#[target_feature(enable = "ssse3")]
fn packed_by_ssse3<const SHIFT: i32>(codes: &[u8; BASES]) -> u64 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_cvtsi128_si64, _mm_maddubs_epi16, _mm_packus_epi16,
        _mm_set1_epi8, _mm_set1_epi16, _mm_srli_epi16,
    };
    let halves: [__m128i; 2] = bytemuck::cast(*codes);
    let [first, second] = halves.map(|codes| {
        let pairs = _mm_and_si128(_mm_srli_epi16::<SHIFT>(codes), _mm_set1_epi8(3));
        // Each of eight numbers of 16 bits becomes its low byte, and its high byte times four.
        _mm_maddubs_epi16(pairs, _mm_set1_epi16(0x0401))
    });
    let bytes = _mm_maddubs_epi16(_mm_packus_epi16(first, second), _mm_set1_epi16(0x1001));
    _mm_cvtsi128_si64(_mm_packus_epi16(bytes, bytes)) as u64
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "ssse3")))]
use packed_by_any as packed;

/// The word of some codes, on any processor.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "ssse3"))))]
fn packed_by_any<const SHIFT: i32>(codes: &[u8; BASES]) -> u64 {
    codes.iter().rev().fold(0, |word, code| word << 2 | u64::from(code >> SHIFT & 3))
}

#[cfg(test)]
mod tests {
    use aligner_core::seq::{complement, encode};

    use super::*;

    #[test]
    fn instructions_encode_as_plain_code_does() {
        let seed = 41;
        let mut random = fastrand::Rng::with_seed(seed);
        for round in 0..3000 {
            let letters = std::array::from_fn(|_| match round % 3 {
                0 => random.u8(..),
                1 => *random.choice(b"ACGTUacgtuNnRy").expect("one"),
                _ => *random.choice(b"ACGT").expect("one"),
            });
            assert_eq!(encode_chunk(&letters), encode_chunk_by_any(&letters), "seed {seed}");
        }
        for letter in 0..=u8::MAX {
            assert_eq!(encode_chunk(&[letter; CHUNK]), [encode(letter); CHUNK]);
        }
    }

    #[test]
    fn instructions_pack_as_plain_code_does() {
        let seed = 37;
        let mut random = fastrand::Rng::with_seed(seed);
        for _ in 0..300 {
            let codes = std::array::from_fn(|_| random.u8(..));
            assert_eq!(packed::<0>(&codes), packed_by_any::<0>(&codes), "seed {seed}");
            assert_eq!(packed::<2>(&codes), packed_by_any::<2>(&codes), "seed {seed}");
        }
        let codes = std::array::from_fn(|base| base as u8 % 4);
        assert_eq!(packed_by_any::<0>(&codes), 0xE4E4_E4E4_E4E4_E4E4);
    }

    #[test]
    fn both_orientations_unpack_to_their_codes() {
        let seed = 43;
        let mut random = fastrand::Rng::with_seed(seed);
        for length in 0..200_usize {
            let alphabet: &[u8] = if length % 2 == 0 { b"ACGTacgtu" } else { b"ACGTN" };
            let letters: Vec<u8> =
                (0..length).map(|_| *random.choice(alphabet).expect("one")).collect();
            let expected: Vec<u8> = letters.iter().map(|&letter| encode(letter)).collect();
            let mut forward = [(); 2].map(|()| vec![u64::MAX; length.div_ceil(BASES)]);
            let mut reverse = forward.clone();
            pack_letters(&letters, forward.each_mut().map(Vec::as_mut_slice));
            let packed = forward.each_ref().map(Vec::as_slice);
            reverse_complement(packed, length, reverse.each_mut().map(Vec::as_mut_slice));
            let mut codes = vec![9; length];
            unpack(packed, &mut codes);
            assert_eq!(codes, expected, "seed {seed}");
            unpack(reverse.each_ref().map(Vec::as_slice), &mut codes);
            codes.reverse();
            let complements: Vec<u8> = expected.into_iter().map(complement).collect();
            assert_eq!(codes, complements, "seed {seed}");
            for words in [forward, reverse].as_flattened() {
                let used = 2 * (length % BASES);
                assert!(used == 0 || words[length / BASES] >> used == 0, "unused bits are 0");
            }
        }
    }
}
