//! The form in which engines compute scores, and when 16 bits hold it.
//!
//! Instead of the score `H(i, j)` of prefixes of `i` and `j` residues, engines compute
//! `H'(i, j) = H(i, j) + extend * (i + j) + base`, and likewise for alignments that end in a gap
//! (`E'` for deletions, `F'` for insertions). Then extending a gap costs nothing, opening one costs
//! `open - extend`, and a pair of residues scores `2 * extend` more:
//!
//! ```text
//!   E'(i, j) = max(E'(i, j-1), H'(i, j-1) - opening)
//!   F'(i, j) = max(F'(i-1, j), H'(i-1, j) - opening)
//!   H'(i, j) = max(H'(i-1, j-1) + pair + 2 * extend, E'(i, j), F'(i, j))
//! ```
//!
//! With linear gaps `opening` is 0 and the gaps' own matrices vanish: two instructions of a GPU a
//! cell. And all values lie in a known range. `H <= min(m, n) * max(0, greatest pair)`, since gaps
//! cost. `H' >= base - 2 * opening`, since an alignment of two gaps, or one, reaches every cell. So
//! whether a pair of sequences fits into 16 bits is known from its lengths, exactly where a match
//! in every column would reach the last value; nothing has to be detected while computing.
//!
//! 32 bits hold every pair: `500 * 10^6 + 500 * 2 * 10^6 < 2^31` (see
//! [`crate::scoring::MAX_SCORE`]).

use crate::scoring::Scoring;

/// The numbers of the biased recurrence for words of one width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bias {
    /// `H'(0, 0)`.
    pub base: i32,
    /// What the first residue of a gap costs beyond each further one.
    pub opening: i32,
    /// What each residue in a gap costs.
    pub extend: i32,
    greatest_pair: i32,
    greatest: i32,
    query_begin: bool,
    target_begin: bool,
}

impl Bias {
    /// For words of 16 bits.
    pub fn narrow(scoring: &Scoring) -> Self {
        Self::new(scoring, i16::MIN.into(), i16::MAX.into())
    }

    /// For words of 32 bits, which hold everything.
    pub fn wide(scoring: &Scoring) -> Self {
        Self { base: 0, ..Self::new(scoring, i32::MIN / 2, i32::MAX) }
    }

    fn new(scoring: &Scoring, least: i32, greatest: i32) -> Self {
        let gaps = scoring.gaps();
        let opening = gaps.open - gaps.extend;
        let (least_pair, greatest_pair) = scoring.range();
        // Below the least H' there is room for an opening and for a pair; and below that, for what
        // stands for "never".
        let room = opening.max(-(least_pair + 2 * gaps.extend)).max(0);
        let free = scoring.free();
        Self {
            base: least + 1 + 2 * opening + room,
            opening,
            extend: gaps.extend,
            greatest_pair: greatest_pair.max(0),
            greatest,
            query_begin: free.query_begin,
            target_begin: free.target_begin,
        }
    }

    /// Whether no value of the matrix of a query and a target of these lengths overflows.
    pub fn fits(&self, query: usize, target: usize) -> bool {
        let pairs = query.min(target) as i64 * i64::from(self.greatest_pair);
        let shift = (query + target) as i64 * i64::from(self.extend);
        i64::from(self.base) + pairs + shift <= i64::from(self.greatest)
    }

    /// `H'(row, 0)`.
    pub fn first_column(&self, row: usize) -> i32 {
        self.border(self.query_begin, row)
    }

    /// `H'(0, column)`.
    pub fn first_row(&self, column: usize) -> i32 {
        self.border(self.target_begin, column)
    }

    fn border(&self, free: bool, length: usize) -> i32 {
        match (length, free) {
            (0, _) => self.base,
            (_, true) => self.base + self.extend * length as i32,
            (_, false) => self.base - self.opening,
        }
    }

    /// The score that a value of H' stands for.
    pub fn score(&self, value: i32, row: usize, column: usize) -> i32 {
        value - self.base - self.extend * (row + column) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{Gaps, MAX_COST, MAX_LENGTH, MAX_SCORE};

    #[test]
    fn sixteen_bits_hold_what_the_rule_says() {
        let scoring = Scoring::simple(5, -4, Gaps { open: 10, extend: 10 }).expect("a scoring");
        let bias = Bias::narrow(&scoring);
        // 25 for each of the residues that two equal sequences have; 65,534 values above the base.
        assert_eq!(bias.base, -32767);
        assert!(bias.fits(2621, 2621) && !bias.fits(2622, 2622));
        assert!(bias.fits(0, 6553) && !bias.fits(0, 6554));
    }

    #[test]
    fn thirty_two_bits_hold_everything() {
        let gaps = Gaps { open: MAX_COST, extend: MAX_COST };
        let scoring = Scoring::simple(MAX_SCORE, -MAX_SCORE, gaps).expect("a scoring");
        assert!(Bias::wide(&scoring).fits(MAX_LENGTH, MAX_LENGTH));
    }
}
