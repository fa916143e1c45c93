//! Nucleotide codes.
//!
//! A base is one byte: A, C, G, T (or U) are 0 to 3 in either case, and every other letter is
//! [`UNKNOWN`]. The complement of a code `c < 4` is `3 - c`. [`UNKNOWN`] stands for N and all IUPAC
//! ambiguity codes; it matches nothing, itself included.

/// The code of N and of every IUPAC ambiguity letter. Matches no code.
pub const UNKNOWN: u8 = 4;

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

/// The code, 0 to 4, of one ASCII letter.
#[inline]
pub const fn encode(letter: u8) -> u8 {
    CODES[letter as usize]
}

/// The letter of a code, `N` for [`UNKNOWN`].
///
/// # Panics
/// If `code` is greater than [`UNKNOWN`].
#[inline]
pub const fn decode(code: u8) -> u8 {
    b"ACGTN"[code as usize]
}

/// The complement of one code; [`UNKNOWN`] is its own.
#[inline]
pub const fn complement(code: u8) -> u8 {
    if code < 4 { 3 - code } else { UNKNOWN }
}

/// Sets codes to those of as many letters: the same as [`encode`], without a table, so that compilers make vector
/// instructions of it.
pub fn encode_into(letters: &[u8], codes: &mut [u8]) {
    for (code, &letter) in codes.iter_mut().zip(letters) {
        let upper = letter & !0x20;
        let base: u8 = b"ACGTU".iter().map(|&base| u8::from(upper == base)).sum();
        // Bits 1 and 2 of A, C, G, and T or U are 00, 01, 11, 10.
        let bits = letter >> 1 & 3;
        *code = if base == 1 { bits ^ bits >> 1 } else { UNKNOWN };
    }
}

/// The codes of a sequence of letters.
pub fn encode_all(letters: &[u8]) -> Vec<u8> {
    let mut codes = vec![0; letters.len()];
    encode_into(letters, &mut codes);
    codes
}

/// The reverse complement of a sequence of codes.
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

/// A byte as a message shows it: quoted if it can be printed, else by its value.
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
