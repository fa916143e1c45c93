//! Bases that stand for ambiguous letters where only bases can be.
//!
//! Which bases they are decides whether an extension by packed bases survives a stretch of ambiguous
//! letters, so they are drawn as NCBI's makeblastdb draws them: by a lagged Fibonacci generator with
//! lags 33 and 13, whose seed is the sequence's length.

use crate::sequence::alphabet;

const LAG: usize = 33;

/// Where the other lag begins.
const SHORT_LAG: usize = 12;

/// Draws before the first that counts.
const SKIPPED: usize = 10 * LAG;

/// The linear congruential generator of the first state.
const FACTOR: u32 = 1_103_515_245;
const SUMMAND: u32 = 12_345;

/// Draws bases.
#[derive(Debug, Clone)]
pub(super) struct Substitutes {
    state: [u32; LAG],
    short: usize,
    long: usize,
}

impl Substitutes {
    /// For a sequence of `length` letters.
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

    /// One of the bases that the next ambiguous letter may be.
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
        // The lowest bit is the least random.
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
