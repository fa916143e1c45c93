//! Random letters of DNA, and the other strand of them.

use aligner_core::seq;
use fastrand::Rng;

const LETTERS: &[u8; 4] = b"ACGT";

pub fn letter(random: &mut Rng) -> u8 {
    LETTERS[random.usize(..4)]
}

/// A letter other than `not`.
pub fn other_letter(random: &mut Rng, not: u8) -> u8 {
    loop {
        let letter = letter(random);
        if letter != not {
            return letter;
        }
    }
}

/// Letters are A, C, G and T.
pub fn reverse_complement(letters: &mut [u8]) {
    letters.reverse();
    for letter in letters {
        *letter = seq::decode(seq::complement(seq::encode(*letter)));
    }
}
