//! Nucleotide codes.
//!
//! A base is one byte: A, C, G, T (or U) are 0 to 3 in either case, and every other letter is
//! [`UNKNOWN`]. The complement of a code `c < 4` is `3 - c`. [`UNKNOWN`] stands for N and all IUPAC
//! ambiguity codes; it matches nothing, itself included.
//!
//! ```
//! use aligner_core::seq::{UNKNOWN, decode, encode_all, reverse_complement};
//!
//! let codes = encode_all(b"acgtuR");
//! assert_eq!(codes, [0, 1, 2, 3, 3, UNKNOWN]);
//! let letters: Vec<u8> = reverse_complement(&codes).into_iter().map(decode).collect();
//! assert_eq!(letters, b"NAACGT");
//! ```
//!
//! # Why not the crate `bio`
//!
//! Rust-Bio ([`bio`](https://docs.rs/bio)) works on ASCII letters. It judges this crate and the index in tests
//! (`fm-index/tests/bio.rs`), which also take reverse complements of letters from it. The product has its own code
//! where Rust-Bio has no counterpart or costs time:
//!
//! | code | reason |
//! |---|---|
//! | codes and their complements (this module) | all engines and kernels compare codes 0 to 4, not letters; `bio` has no 2-bit alphabet with a code for ambiguous letters |
//! | [`encode_into`] | where `seed-extend` has no instructions for 16 letters, each base of each read passes it; it compiles to vector instructions, unlike `bio`'s table of ranks |
//! | opening files ([`crate::fastx`]) | several gzip members, bzip2 streams and zstd frames, and errors with lines; records themselves are split by needletail |
//! | `fm-index` | a bidirectional index of 0.92 bytes a base that is mapped into memory and read by kernels; `bio`'s index holds 8 bytes a base and more |
//! | IUPAC complements of letters when records are written (`cli`) | each read on the reverse strand passes it; `bio` would bring linear algebra and statistics crates into the program for one table |
//! | codes of IUPAC sets (`blastn-pipeline`) | NCBI's 4-bit sets of bases, whose complement swaps bits |

/// Code of N and of every IUPAC ambiguity letter. It matches no code, itself included.
pub const UNKNOWN: u8 = 4;

/// Code of each byte as a letter.
const CODES: [u8; 256] = {
    let mut codes = [UNKNOWN; 256];
    let bases = *b"ACGT";
    let mut code = 0;
    while code < 4 {
        codes[bases[code] as usize] = code as u8;
        codes[bases[code].to_ascii_lowercase() as usize] = code as u8;
        code += 1;
    }
    codes[b'U' as usize] = 3;
    codes[b'u' as usize] = 3;
    codes
};

/// Code, 0 to 4, of one ASCII letter.
#[inline]
pub const fn encode(letter: u8) -> u8 {
    CODES[letter as usize]
}

/// Letter of a code, `N` for [`UNKNOWN`].
///
/// # Panics
/// If `code` is greater than [`UNKNOWN`].
#[inline]
pub const fn decode(code: u8) -> u8 {
    b"ACGTN"[code as usize]
}

/// Complement of one code; [`UNKNOWN`] is its own.
#[inline]
pub const fn complement(code: u8) -> u8 {
    if code < 4 { 3 - code } else { UNKNOWN }
}

/// Writes the code of each letter to `codes`. The codes are those of [`encode`], computed without a table, so that the
/// compiler makes vector instructions of it.
pub fn encode_into(letters: &[u8], codes: &mut [u8]) {
    for (code, &letter) in codes.iter_mut().zip(letters) {
        let upper = letter & !0x20;
        let base: u8 = b"ACGTU".iter().map(|&base| u8::from(upper == base)).sum();
        // Bits 1 and 2 of A, C, G, and T or U are 00, 01, 11, 10.
        let bits = letter >> 1 & 3;
        *code = if base == 1 { bits ^ bits >> 1 } else { UNKNOWN };
    }
}

/// Codes of a sequence of letters.
pub fn encode_all(letters: &[u8]) -> Vec<u8> {
    let mut codes = vec![0; letters.len()];
    encode_into(letters, &mut codes);
    codes
}

/// Reverse complement of a sequence of codes.
pub fn reverse_complement(codes: &[u8]) -> Vec<u8> {
    codes.iter().rev().map(|&code| complement(code)).collect()
}

/// Whether a letter is an IUPAC nucleotide code (in either case, `U` included).
pub const fn is_iupac(letter: u8) -> bool {
    matches!(
        letter.to_ascii_uppercase(),
        b'A' | b'C'
            | b'G'
            | b'T'
            | b'U'
            | b'R'
            | b'Y'
            | b'S'
            | b'W'
            | b'K'
            | b'M'
            | b'B'
            | b'D'
            | b'H'
            | b'V'
            | b'N'
    )
}

/// Text that shows a byte in a message: the character in quotes if it can be printed, else its value.
pub fn describe(byte: u8) -> String {
    if byte.is_ascii_graphic() {
        format!("'{}'", char::from(byte))
    } else {
        format!("byte 0x{byte:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_shown_so_that_they_can_be_told_apart() {
        assert_eq!(describe(b'-'), "'-'");
        assert_eq!(describe(b' '), "byte 0x20");
        assert_eq!(describe(0xc3), "byte 0xc3");
    }

    #[test]
    fn letters_and_codes_round_trip() {
        for (letter, code) in [(b'A', 0), (b'C', 1), (b'G', 2), (b'T', 3)] {
            assert_eq!(encode(letter), code);
            assert_eq!(encode(letter.to_ascii_lowercase()), code);
            assert_eq!(decode(code), letter);
        }
        assert_eq!(encode(b'U'), 3);
        for letter in *b"NRYSWKMBDHVn-. @" {
            assert_eq!(encode(letter), UNKNOWN, "{}", letter as char);
        }
    }

    #[test]
    fn many_letters_have_the_codes_of_each() {
        let letters: Vec<u8> = (0..=u8::MAX).collect();
        let each: Vec<u8> = letters.iter().map(|&letter| encode(letter)).collect();
        assert_eq!(encode_all(&letters), each);
    }

    #[test]
    fn reverse_complement_is_an_involution() {
        let codes = encode_all(b"ACGTNNACCA");
        assert_eq!(reverse_complement(&codes), encode_all(b"TGGTNNACGT"));
        assert_eq!(reverse_complement(&reverse_complement(&codes)), codes);
    }
}
