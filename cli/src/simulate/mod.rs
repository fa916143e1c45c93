//! Made-up genomes and reads: the same for the same seed, on any machine.

pub mod genome;
pub mod pairs;
pub mod reads;
pub mod variants;

use aligner_core::seq;
use fastrand::Rng;

const LETTERS: &[u8; 4] = b"ACGT";

fn letter(random: &mut Rng) -> u8 {
    LETTERS[random.usize(..4)]
}

/// A letter other than `not`.
fn other_letter(random: &mut Rng, not: u8) -> u8 {
    loop {
        let letter = letter(random);
        if letter != not {
            return letter;
        }
    }
}

/// Letters are A, C, G and T.
fn reverse_complement(letters: &mut [u8]) {
    letters.reverse();
    for letter in letters {
        *letter = seq::decode(seq::complement(seq::encode(*letter)));
    }
}
