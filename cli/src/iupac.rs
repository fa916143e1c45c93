//! The letters of nucleotides (IUPAC), and their codes in BAM (SAM specification, section 4.2.3).
//!
//! Letters are looked up sixteen at a time, by the instructions of SSSE3, which all processors have that the program is built
//! for on x86-64. Elsewhere plain code does the same.

/// The letter of each four-bit code. A code has a bit for each base that its letter stands for.
pub const OF_CODES: &[u8; 16] = b"=ACMGRSVTWYHKDBN";

/// The letters that are not their own complements, each beside its complement.
const COMPLEMENTS: [[u8; 2]; 6] = [*b"AT", *b"CG", *b"RY", *b"KM", *b"BV", *b"DH"];

/// The letters of nearly all reads. Their lowest four bits are different.
const ACGTN: &[u8; 5] = b"ACGTN";

/// Letters that are looked up at a time.
const CHUNK: usize = 16;

/// A value for each of the 32 bytes from `@` on, which the upper-case letters are among.
type LetterTable = [[u8; CHUNK]; 2];

/// The first byte of a [`LetterTable`].
const FIRST: usize = b'@' as usize;

/// The complement of each letter, and all other bytes as they are.
static COMPLEMENT: LetterTable = {
    let mut table = [[0; CHUNK]; 2];
    let mut place = 0;
    while place < 2 * CHUNK {
        table[place / CHUNK][place % CHUNK] = complement((FIRST + place) as u8);
        place += 1;
    }
    table
};

/// The four-bit code of each letter, and that of `N` for all other bytes.
static CODES: LetterTable = {
    let mut table = [[15; CHUNK]; 2];
    // The first code is not of a letter.
    let mut code = 1;
    while code < 16 {
        let place = OF_CODES[code] as usize - FIRST;
        table[place / CHUNK][place % CHUNK] = code as u8;
        code += 1;
    }
    table
};

/// The complement of an upper-case letter; of what is no letter of a nucleotide, the same.
pub const fn complement(letter: u8) -> u8 {
    let mut pair = 0;
    while pair < COMPLEMENTS.len() {
        let [one, other] = COMPLEMENTS[pair];
        if letter == one || letter == other {
            return letter ^ one ^ other;
        }
        pair += 1;
    }
    letter
}

/// The four-bit code of an upper-case letter; that of `N` for other bytes but `=`.
fn code(letter: u8) -> u8 {
    let place = usize::from(letter).checked_sub(FIRST).filter(|&place| place < 2 * CHUNK);
    let of_others = if letter == b'=' { 0 } else { 15 };
    place.map_or(of_others, |place| CODES[place / CHUNK][place % CHUNK])
}

/// Whether all letters are A, C, G, T or N, in upper case.
pub fn are_acgtn(letters: &[u8]) -> bool {
    let (chunks, rest) = letters.as_chunks();
    if !chunks.iter().fold(true, |all, chunk| all & is_chunk_of_acgtn(chunk)) {
        return false;
    }
    match letters.last_chunk() {
        // Some of them were looked at before.
        Some(last) => is_chunk_of_acgtn(last),
        None => rest.iter().all(|letter| ACGTN.contains(letter)),
    }
}

/// Writes the complements of letters in reverse order to memory of the same length.
pub fn reverse_complement(letters: &[u8], reverse: &mut [u8]) {
    debug_assert_eq!(letters.len(), reverse.len());
    let (chunks, _) = letters.as_chunks();
    let (_, reverse_chunks) = reverse.as_rchunks_mut();
    for (letters, reverse) in chunks.iter().zip(reverse_chunks.iter_mut().rev()) {
        *reverse = reverse_complement_of_chunk(letters);
    }
    // The chunk of the last letters, of which some may be there already.
    if let (Some(letters), Some(reverse)) = (letters.last_chunk(), reverse.first_chunk_mut()) {
        *reverse = reverse_complement_of_chunk(letters);
    } else {
        for (to, &letter) in reverse.iter_mut().zip(letters.iter().rev()) {
            *to = complement(letter);
        }
    }
}

/// Writes the four-bit codes of letters, two a byte, the first one in the higher bits, to memory of half their length, rounded
/// up.
pub fn write_codes(letters: &[u8], bytes: &mut [u8]) {
    debug_assert_eq!(letters.len().div_ceil(2), bytes.len());
    let (chunks, rest) = letters.as_chunks();
    let (of_chunks, of_rest) = bytes.as_chunks_mut();
    for (codes, chunk) in of_chunks.iter_mut().zip(chunks) {
        *codes = codes_of_chunk(chunk);
    }
    // The last pairs may fill a chunk of codes that is not one of letters.
    let of_rest = of_chunks.get_mut(chunks.len()).map_or(of_rest, |codes| codes.as_mut_slice());
    for (codes, pair) in of_rest.iter_mut().zip(rest.chunks(2)) {
        *codes = code(pair[0]) << 4 | pair.get(1).map_or(0, |&letter| code(letter));
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
fn reverse_complement_of_chunk(letters: &[u8; CHUNK]) -> [u8; CHUNK] {
    #[allow(unsafe_code)]
    // SAFETY: this is compiled only for processors that have these instructions.
    unsafe {
        ssse3::reverse_complement(letters)
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
fn codes_of_chunk(letters: &[u8; CHUNK]) -> [u8; CHUNK / 2] {
    #[allow(unsafe_code)]
    // SAFETY: this is compiled only for processors that have these instructions.
    unsafe {
        ssse3::codes(letters)
    }
}

#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
fn is_chunk_of_acgtn(letters: &[u8; CHUNK]) -> bool {
    #[allow(unsafe_code)]
    // SAFETY: this is compiled only for processors that have these instructions.
    unsafe {
        ssse3::are_acgtn(letters)
    }
}

#[cfg(not(all(target_arch = "x86_64", target_feature = "ssse3")))]
use plain::{
    are_acgtn as is_chunk_of_acgtn, codes as codes_of_chunk,
    reverse_complement as reverse_complement_of_chunk,
};

/// Sixteen letters at a time, on any processor.
#[cfg(any(test, not(all(target_arch = "x86_64", target_feature = "ssse3"))))]
mod plain {
    use super::{ACGTN, CHUNK, code, complement};

    pub fn are_acgtn(letters: &[u8; CHUNK]) -> bool {
        letters.iter().fold(true, |all, letter| all & ACGTN.contains(letter))
    }

    pub fn reverse_complement(letters: &[u8; CHUNK]) -> [u8; CHUNK] {
        std::array::from_fn(|place| complement(letters[CHUNK - 1 - place]))
    }

    pub fn codes(letters: &[u8; CHUNK]) -> [u8; CHUNK / 2] {
        std::array::from_fn(|pair| code(letters[2 * pair]) << 4 | code(letters[2 * pair + 1]))
    }
}

/// Sixteen letters at a time: a table of sixteen values is looked up by the lowest four bits of each. Where there are two tables, the
/// higher bits tell which of them holds.
#[cfg(all(target_arch = "x86_64", target_feature = "ssse3"))]
mod ssse3 {
    use std::arch::x86_64::{
        __m128i, _mm_and_si128, _mm_andnot_si128, _mm_cmpeq_epi8, _mm_maddubs_epi16,
        _mm_movemask_epi8, _mm_or_si128, _mm_packus_epi16, _mm_set1_epi8, _mm_set1_epi16,
        _mm_shuffle_epi8,
    };

    use super::{ACGTN, CHUNK, CODES, COMPLEMENT, LetterTable};

    /// Each of A, C, G, T and N in the place of its lowest four bits; elsewhere a byte with other lowest bits.
    const BY_LOWEST_BITS: [u8; CHUNK] = {
        let mut table = [0; CHUNK];
        table[0] = u8::MAX;
        let mut letter = 0;
        while letter < ACGTN.len() {
            table[ACGTN[letter] as usize % CHUNK] = ACGTN[letter];
            letter += 1;
        }
        table
    };

    #[target_feature(enable = "ssse3")]
    pub fn are_acgtn(letters: &[u8; CHUNK]) -> bool {
        let letters: __m128i = bytemuck::cast(*letters);
        // For a byte with its highest bit set, which is none of the letters, the table gives 0.
        let expected = _mm_shuffle_epi8(bytemuck::cast(BY_LOWEST_BITS), letters);
        _mm_movemask_epi8(_mm_cmpeq_epi8(expected, letters)) == 0xFFFF
    }

    /// The values of letters, and of other bytes the value that `others` has in their places.
    #[target_feature(enable = "ssse3")]
    fn values(letters: __m128i, table: &LetterTable, others: __m128i) -> __m128i {
        let row = _mm_and_si128(letters, _mm_set1_epi8(0xF0_u8 as i8));
        let [first, second] = [0x40, 0x50].map(|bits| _mm_cmpeq_epi8(row, _mm_set1_epi8(bits)));
        // A byte without its highest bit is looked up by the lowest four; others have no value here, and are in neither row.
        let looked_up = |values: [u8; CHUNK]| _mm_shuffle_epi8(bytemuck::cast(values), letters);
        let values = _mm_or_si128(
            _mm_and_si128(first, looked_up(table[0])),
            _mm_and_si128(second, looked_up(table[1])),
        );
        _mm_or_si128(values, _mm_andnot_si128(_mm_or_si128(first, second), others))
    }

    #[target_feature(enable = "ssse3")]
    pub fn reverse_complement(letters: &[u8; CHUNK]) -> [u8; CHUNK] {
        const REVERSE: [u8; CHUNK] = [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0];
        let letters: __m128i = bytemuck::cast(*letters);
        let complements = values(letters, &COMPLEMENT, letters);
        bytemuck::cast(_mm_shuffle_epi8(complements, bytemuck::cast(REVERSE)))
    }

    #[target_feature(enable = "ssse3")]
    pub fn codes(letters: &[u8; CHUNK]) -> [u8; CHUNK / 2] {
        let letters: __m128i = bytemuck::cast(*letters);
        let is_equals_sign = _mm_cmpeq_epi8(letters, _mm_set1_epi8(b'=' as i8));
        let others = _mm_andnot_si128(is_equals_sign, _mm_set1_epi8(15));
        let codes = values(letters, &CODES, others);
        // Of each pair, sixteen times the first code and the second one.
        let pairs = _mm_maddubs_epi16(codes, _mm_set1_epi16(0x0110));
        let [bytes, _]: [[u8; CHUNK / 2]; 2] = bytemuck::cast(_mm_packus_epi16(pairs, pairs));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_complements_mirror_each_other() {
        for (number, &letter) in (0_u8..).zip(OF_CODES) {
            let mirrored = number.reverse_bits() >> 4;
            assert_eq!(complement(letter), OF_CODES[usize::from(mirrored)]);
            assert_eq!(code(letter), number);
        }
        assert_eq!(b"nUXZ@_`\x00\xff".map(code), [15; 9]);
    }

    #[test]
    fn acgtn_are_told_from_all_other_letters() {
        for byte in 0..=u8::MAX {
            let chunk = [byte; CHUNK];
            assert_eq!(is_chunk_of_acgtn(&chunk), ACGTN.contains(&byte), "{byte}");
            assert_eq!(plain::are_acgtn(&chunk), ACGTN.contains(&byte), "{byte}");
            for length in 0..50 {
                let mut letters: Vec<u8> = ACGTN.iter().copied().cycle().take(length).collect();
                assert!(are_acgtn(&letters));
                for place in 0..length {
                    let before = std::mem::replace(&mut letters[place], byte);
                    assert_eq!(are_acgtn(&letters), ACGTN.contains(&byte), "{byte}, {place}");
                    letters[place] = before;
                }
            }
        }
    }

    #[test]
    fn many_letters_are_looked_up_as_each_of_them() {
        let seed = 53;
        let mut random = fastrand::Rng::with_seed(seed);
        for length in (0..200).chain([1000]) {
            let any = |_| {
                if random.u8(..8) == 0 {
                    random.u8(..)
                } else {
                    *random.choice(OF_CODES).unwrap_or(&0)
                }
            };
            let letters: Vec<u8> = (0..length).map(any).collect();
            let mut reverse = vec![9; length];
            reverse_complement(&letters, &mut reverse);
            let expected: Vec<u8> = letters.iter().rev().map(|&it| complement(it)).collect();
            assert_eq!(reverse, expected, "seed {seed}, {letters:?}");
            let mut bytes = vec![9; length.div_ceil(2)];
            write_codes(&letters, &mut bytes);
            let code = |at: usize| letters.get(at).map_or(0, |&letter| code(letter));
            let pairs = (0..length).step_by(2).map(|at| code(at) << 4 | code(at + 1));
            let expected: Vec<u8> = pairs.collect();
            assert_eq!(bytes, expected, "seed {seed}, {letters:?}");
            for chunk in letters.as_chunks().0 {
                assert_eq!(codes_of_chunk(chunk), plain::codes(chunk));
                assert_eq!(reverse_complement_of_chunk(chunk), plain::reverse_complement(chunk));
            }
        }
    }
}
