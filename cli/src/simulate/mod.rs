//! Made-up genomes and reads: the same for the same seed, on any machine.

pub mod genome;
pub mod reads;

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

fn complement(letter: u8) -> u8 {
    match letter {
        b'A' => b'T',
        b'C' => b'G',
        b'G' => b'C',
        b'T' => b'A',
        other => other,
    }
}

fn reverse_complement(letters: &mut [u8]) {
    letters.reverse();
    for letter in letters {
        *letter = complement(*letter);
    }
}
