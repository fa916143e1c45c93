//! Nucleotide letters with IUPAC ambiguity codes, as numbers from 0 to 15.
//!
//! A letter is one byte in the order of NCBI's `blastna` alphabet: A, C, G, T are 0 to 3, the
//! IUPAC ambiguity codes follow, N is 14, and [`SENTINEL`] stands between sequences. The first four
//! are the codes of [`aligner_core::seq`].

/// Number of letters of the alphabet, including [`SENTINEL`].
pub const SIZE: usize = 16;

/// Code between two sequences. It matches no letter, and no alignment crosses it.
pub const SENTINEL: u8 = 15;

/// Code of N, which stands for any base.
pub const ANY: u8 = 14;

/// The IUPAC letter of each code, `-` for [`SENTINEL`].
const LETTERS: &[u8; SIZE] = b"ACGTRYMKWSBDHVN-";

/// The bases that each code may stand for, a bit each: A 1, C 2, G 4, T 8.
const BASES: [u8; SIZE] = [1, 2, 4, 8, 5, 10, 3, 12, 9, 6, 14, 13, 11, 7, 15, 0];

/// Entry of [`CODES`] for a byte that is no letter of the alphabet.
const NONE: u8 = 255;

/// The code of each byte, or [`NONE`].
const CODES: [u8; 256] = {
    let mut codes = [NONE; 256];
    let mut code = 0;
    while code < SENTINEL {
        let letter = LETTERS[code as usize];
        codes[letter as usize] = code;
        codes[letter.to_ascii_lowercase() as usize] = code;
        code += 1;
    }
    codes[b'U' as usize] = 3;
    codes[b'u' as usize] = 3;
    codes
};

/// The code of the complement of each code.
const COMPLEMENTS: [u8; SIZE] = {
    let mut complements = [SENTINEL; SIZE];
    let mut code = 0;
    while code < SIZE {
        let bases = BASES[code];
        let swapped = (bases & 1) << 3 | (bases & 2) << 1 | (bases & 4) >> 1 | (bases & 8) >> 3;
        let mut other = 0;
        while other < SIZE {
            if BASES[other] == swapped {
                complements[code] = other as u8;
            }
            other += 1;
        }
        code += 1;
    }
    complements
};

/// The code of an IUPAC letter in upper or lower case, or `None` for any other byte. U is read as T.
#[inline]
pub const fn encode(letter: u8) -> Option<u8> {
    match CODES[letter as usize] {
        NONE => None,
        code => Some(code),
    }
}

/// The upper-case letter of a code, `-` for [`SENTINEL`].
///
/// # Panics
/// If the code is 16 or more.
#[inline]
pub const fn decode(code: u8) -> u8 {
    LETTERS[code as usize]
}

/// The code of the complementary letter.
///
/// # Panics
/// If the code is 16 or more.
#[inline]
pub const fn complement(code: u8) -> u8 {
    COMPLEMENTS[code as usize]
}

/// The bases that a code may stand for, a bit each: A 1, C 2, G 4, T 8.
///
/// # Panics
/// If the code is 16 or more.
#[inline]
pub const fn bases(code: u8) -> u8 {
    BASES[code as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_and_codes_round_trip() {
        for code in 0..SENTINEL {
            assert_eq!(encode(decode(code)), Some(code));
            assert_eq!(encode(decode(code).to_ascii_lowercase()), Some(code));
            assert_eq!(complement(complement(code)), code);
        }
        assert_eq!(encode(b'U'), Some(3));
        for letter in *b"-*EFIJLOPQXZ1 >" {
            assert_eq!(encode(letter), None, "{}", char::from(letter));
        }
    }

    #[test]
    fn complements_are_those_of_iupac() {
        let pairs = [*b"AT", *b"CG", *b"RY", *b"MK", *b"WW", *b"SS", *b"BV", *b"DH", *b"NN"];
        for [one, other] in pairs {
            let code = encode(one).expect("a letter");
            assert_eq!(decode(complement(code)), other);
        }
    }
}
