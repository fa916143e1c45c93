//! Bases that replace ambiguous letters in the packed bases of a database.
//!
//! The choice of a base decides whether an extension by packed bases survives a stretch of ambiguous letters. So
//! bases are drawn as NCBI's makeblastdb draws them (`CRandom`): by a lagged Fibonacci generator with lags 33 and 13,
//! whose seed is the length of the sequence.

use crate::sequence::alphabet;

/// The longer lag, which is the number of values of the state.
const LAG: usize = 33;

/// Index of the value that the shorter lag begins at.
const SHORT_LAG: usize = 12;

/// Number of draws that are thrown away at first.
const SKIPPED: usize = 10 * LAG;

/// Factor of the linear congruential generator that makes the first state.
const FACTOR: u32 = 1_103_515_245;
/// Summand of that linear congruential generator.
const SUMMAND: u32 = 12_345;

/// A random generator of replacements for the ambiguous letters of one sequence.
#[derive(Debug, Clone)]
pub(super) struct Substitutes {
    state: [u32; LAG],
    short: usize,
    long: usize,
}

impl Substitutes {
    /// The generator for a sequence of `length` letters.
    pub(super) fn new(length: usize) -> Self {
        let mut last = length as u32;
        let mut state = [last; LAG];
        for value in &mut state[1..] {
            last = last.wrapping_mul(FACTOR).wrapping_add(SUMMAND);
            *value = last;
        }
        let mut new = Self { state, short: SHORT_LAG, long: LAG - 1 };
        for _ in 0..SKIPPED {
            new.next();
        }
        new
    }

    /// A base in place of the next ambiguous letter, drawn from those that the letter may stand for.
    pub(super) fn draw(&mut self, letter: u8) -> u8 {
        let bases = alphabet::bases(letter);
        let pick = self.next() % bases.count_ones().max(1);
        (0..4).filter(|base| bases >> base & 1 == 1).nth(pick as usize).unwrap_or(0)
    }

    fn next(&mut self) -> u32 {
        let sum = self.state[self.long].wrapping_add(self.state[self.short]);
        self.state[self.long] = sum;
        let before = |place: usize| if place == 0 { LAG - 1 } else { place - 1 };
        (self.long, self.short) = (before(self.long), before(self.short));
        // The lowest bit is dropped, as it is the least random.
        sum >> 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_among_the_bases_of_a_letter() {
        for letter in 0..alphabet::SENTINEL {
            let mut substitutes = Substitutes::new(20);
            let seen = (0..200).fold(0, |seen, _| seen | 1 << substitutes.draw(letter));
            assert_eq!(seen, alphabet::bases(letter));
        }
    }

    #[test]
    fn draws_are_those_of_makeblastdb() {
        let any = alphabet::encode(b'N').expect("a letter");
        for (length, expected) in
            [(37, "ACTGTGAACT"), (38, "AGTAAAAATA"), (56, "TCGCCAAAAG"), (68, "CTATTAAAGG")]
        {
            let mut substitutes = Substitutes::new(length);
            let drawn: String = (0..expected.len())
                .map(|_| char::from(alphabet::decode(substitutes.draw(any))))
                .collect();
            assert_eq!(drawn, expected, "of a sequence of {length} letters");
        }
    }
}
