//! Letters of DNA: random ones, and reverse complements.

use aligner_core::seq;
use fastrand::Rng;

const LETTERS: &[u8; 4] = b"ACGT";

/// A random letter of A, C, G and T.
pub fn letter(random: &mut Rng) -> u8 {
    LETTERS[random.usize(..4)]
}

/// A random letter other than `not`.
pub fn other_letter(random: &mut Rng, not: u8) -> u8 {
    loop {
        let letter = letter(random);
        if letter != not {
            return letter;
        }
    }
}

/// Replaces letters, which must be A, C, G and T, by their reverse complement.
pub fn reverse_complement(letters: &mut [u8]) {
    letters.reverse();
    for letter in letters {
        *letter = seq::decode(seq::complement(seq::encode(*letter)));
    }
}
