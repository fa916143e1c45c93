//! Encoding reads: codes of both orientations, a byte each, and packed 32 a word.
//!
//! In packing, pairs of codes become four bits, and pairs of these a byte:
//!
//! ```text
//! codes       3  0  2  1    a byte each, the first one on the right
//! four bits   1100  1001    a code, and four times the next one
//! a byte       11001001     four bits, and sixteen times the next ones
//! ```
//!
//! The instructions for 16 bytes that this takes, of SSSE3, are on all processors that the program is built for on x86-64.
//! Elsewhere plain code does the same.

use aligner_core::seq::{complement, encode_into};

use crate::read::packed::BASES;

/// Bases that are encoded at a time.
const CHUNK: usize = 16;

/// Writes the codes of a read, and those of its reverse complement, which have the same length.
pub fn encode_both(letters: &[u8], forward: &mut [u8], reverse: &mut [u8]) {
    let (chunks, _) = letters.as_chunks();
    let (forward_chunks, _) = forward.as_chunks_mut();
    let (_, reverse_chunks) = reverse.as_rchunks_mut();
    let of_both = forward_chunks.iter_mut().zip(reverse_chunks.iter_mut().rev());
    for (letters, (forward, reverse)) in chunks.iter().zip(of_both) {
        encode_chunk(letters, forward, reverse);
    }
    // The chunk of the last letters, of which some may be encoded already.
    if let Some(letters) = letters.last_chunk()
        && let Some(forward) = forward.last_chunk_mut()
        && let Some(reverse) = reverse.first_chunk_mut()
    {
        encode_chunk(letters, forward, reverse);
    } else {
        encode_both_by_any(letters, forward, reverse);
    }
}

/// As [`encode_both`], for reads of any length.
fn encode_both_by_any(letters: &[u8], forward: &mut [u8], reverse: &mut [u8]) {
    encode_into(letters, forward);
    for (code, &other) in reverse.iter_mut().zip(forward.iter().rev()) {
        *code = complement(other);
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "ssse3")))]
fn encode_chunk(letters: &[u8; CHUNK], forward: &mut [u8; CHUNK], reverse: &mut [u8; CHUNK]) {
    encode_both_by_any(letters, forward, reverse);
}

#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
fn encode_chunk(letters: &[u8; CHUNK], forward: &mut [u8; CHUNK], reverse: &mut [u8; CHUNK]) {
    #[allow(unsafe_code)]
    // SAFETY: this is compiled only for processors that have these instructions.
    unsafe {
        encode_chunk_by_ssse3(letters, forward, reverse);
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
fn encode_chunk_by_ssse3(
    letters: &[u8; CHUNK],
    forward: &mut [u8; CHUNK],
    reverse: &mut [u8; CHUNK],
) {
    use aligner_core::seq::UNKNOWN;
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_or_si128, _mm_set1_epi8,
        _mm_shuffle_epi8,
    };
    const CODES: [u8; CHUNK] = of_letters([0, 1, 2, 3, 3], UNKNOWN);
    // No letter is the other value, once it is in upper case.
    const LETTERS: [u8; CHUNK] = of_letters(*b"ACGTU", u8::MAX);
    const COMPLEMENTS: [u8; CHUNK] = [3, 2, 1, 0, UNKNOWN, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    const REVERSE: [u8; CHUNK] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];

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
    *forward = bytemuck::cast(codes);
    let complements = in_table(COMPLEMENTS, codes);
    *reverse = bytemuck::cast(_mm_shuffle_epi8(complements, bytemuck::cast(REVERSE)));
}

/// Packs two bits of each code, from bit `SHIFT` on, into words: [`BASES`] a word, and the first one in the lowest bits.
pub fn pack<const SHIFT: i32>(codes: &[u8], words: &mut [u64]) {
    let (whole, rest) = codes.as_chunks();
    for (word, codes) in words.iter_mut().zip(whole) {
        *word = packed::<SHIFT>(codes);
    }
    if !rest.is_empty()
        && let Some(word) = words.last_mut()
    {
        *word = if let Some(last) = codes.last_chunk() {
            // The codes before the rest, which are in the word before, are shifted out.
            packed::<SHIFT>(last) >> (2 * (BASES - rest.len()))
        } else {
            let mut last = [0; BASES];
            last[..rest.len()].copy_from_slice(rest);
            packed::<SHIFT>(&last)
        };
    }
}

/// The packed bases of the reverse complement of `length` packed bases, whose unused bits are 0, as are those of the result.
pub fn reverse_complement(words: &[u64], length: usize, reverse: &mut [u64]) {
    reverse_words(words.iter().map(|word| !word), length, reverse);
}

/// `length` packed bases in reverse order; unused bits are 0.
pub fn reversed(words: &[u64], length: usize, reverse: &mut [u64]) {
    reverse_words(words.iter().copied(), length, reverse);
}

/// Writes the first `length` of packed bases in reverse order.
fn reverse_words(words: impl DoubleEndedIterator<Item = u64>, length: usize, reverse: &mut [u64]) {
    // Unused places of the last word, which come first now.
    let unused = 2 * (length.next_multiple_of(BASES) - length);
    let mut words = words.rev().map(reverse_word);
    let mut word = words.next().unwrap_or_default();
    for to in reverse {
        let next = words.next().unwrap_or_default();
        *to = ((u128::from(next) << u64::BITS | u128::from(word)) >> unused) as u64;
        word = next;
    }
}

/// The bases of a word in reverse order.
fn reverse_word(word: u64) -> u64 {
    const PAIRS: u64 = 0x0F0F_0F0F_0F0F_0F0F;
    const BASE: u64 = 0x3333_3333_3333_3333;
    let word = word.swap_bytes();
    let word = word >> 4 & PAIRS | (word & PAIRS) << 4;
    word >> 2 & BASE | (word & BASE) << 2
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
    use aligner_core::seq::{encode, reverse_complement};

    use super::*;

    #[test]
    fn instructions_encode_as_plain_code_does() {
        let seed = 41;
        let mut random = fastrand::Rng::with_seed(seed);
        for round in 0..3000 {
            let length = round % 101;
            let letter = |_| match round % 3 {
                0 => random.u8(..),
                1 => *random.choice(b"ACGTUacgtuNnRy").expect("one"),
                _ => *random.choice(b"ACGT").expect("one"),
            };
            let letters: Vec<u8> = (0..length).map(letter).collect();
            let mut expected = [vec![9; length], vec![9; length]];
            let mut found = expected.clone();
            let [forward, reverse] = &mut expected;
            encode_both_by_any(&letters, forward, reverse);
            let [forward, reverse] = &mut found;
            encode_both(&letters, forward, reverse);
            assert_eq!(found, expected, "seed {seed}, {round}: {letters:?}");
        }
        let all: Vec<u8> = (0..=u8::MAX).collect();
        let (mut forward, mut reverse) = (vec![0; all.len()], vec![0; all.len()]);
        encode_both(&all, &mut forward, &mut reverse);
        let codes: Vec<u8> = all.iter().map(|&letter| encode(letter)).collect();
        assert_eq!(reverse, reverse_complement(&codes));
        assert_eq!(forward, codes);
    }

    /// The words of some codes, packed as those of whole words are by plain code.
    fn expected<const SHIFT: i32>(codes: &[u8]) -> Vec<u64> {
        let word = |codes: &[u8]| {
            let mut whole = [0; BASES];
            whole[..codes.len()].copy_from_slice(codes);
            packed_by_any::<SHIFT>(&whole)
        };
        codes.chunks(BASES).map(word).collect()
    }

    #[test]
    fn instructions_pack_as_plain_code_does() {
        let seed = 37;
        let mut random = fastrand::Rng::with_seed(seed);
        for length in 0..300_usize {
            let codes: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
            let mut words = vec![u64::MAX; length.div_ceil(BASES)];
            pack::<0>(&codes, &mut words);
            assert_eq!(words, expected::<0>(&codes), "seed {seed}, {length}");
            pack::<2>(&codes, &mut words);
            assert_eq!(words, expected::<2>(&codes), "seed {seed}, {length}");
        }
        let codes = std::array::from_fn(|base| base as u8 % 4);
        assert_eq!(packed_by_any::<0>(&codes), 0xE4E4_E4E4_E4E4_E4E4);
    }
}
