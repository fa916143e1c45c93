//! Biased scores: the form in which engines compute, and the rule for when 16 bits hold it.
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
//! where `opening = open - extend`. With linear gaps `opening` is 0 and the matrices `E'` and `F'` vanish, which leaves
//! two GPU instructions and the look-up of the pair's score for a cell.
//!
//! All values lie in a known range: `H <= min(m, n) * max(0, greatest pair score)`, since gaps cost, and
//! `H' >= base - 2 * opening`, since an alignment of one or two gaps reaches every cell. So the lengths of two
//! sequences tell whether 16 bits hold their matrix: they do unless a match in every column would exceed the greatest
//! value. No overflow has to be detected while computing, and no pair is computed twice. The engine for processors computes tiles
//! of a matrix, whose values are in a narrower range (`cpu/lane_scoring.rs`).
//!
//! 32 bits hold every pair: `500 * 10^6 + 500 * 2 * 10^6 < 2^31` (see
//! [`MAX_SCORE`](super::MAX_SCORE)).

use super::Scoring;

/// Parameters of the biased recurrence for words of 16 or 32 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoreBias {
    /// Value `H'(0, 0)`, from which the score of every cell is counted.
    pub base: i32,
    /// `open - extend` of the gap costs: the first residue of a gap costs `opening + extend`.
    pub opening: i32,
    /// Cost of each further residue of a gap.
    pub extend: i32,
    /// Greatest unbiased score of a pair of residues, at least 0.
    greatest_pair: i32,
    /// Greatest value of a word.
    greatest: i32,
    query_begin: bool,
    target_begin: bool,
}

impl ScoreBias {
    /// Parameters for words of 16 bits without a sign.
    pub fn narrow(scoring: &Scoring) -> Self {
        Self::new(scoring, 0, u16::MAX.into())
    }

    /// Parameters for words of 32 bits, which hold the matrix of any two sequences.
    pub fn wide(scoring: &Scoring) -> Self {
        Self { base: 0, ..Self::new(scoring, i32::MIN / 2, i32::MAX) }
    }

    fn new(scoring: &Scoring, least: i32, greatest: i32) -> Self {
        let gaps = scoring.gaps();
        let opening = gaps.open - gaps.extend;
        let (least_pair, greatest_pair) = scoring.pair_score_range();
        // The base leaves room below the least H' for subtracting an opening or adding the least pair
        // score, and below that one value for "never".
        let room = opening.max(-(least_pair + 2 * gaps.extend)).max(0);
        let free = scoring.free_ends();
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

    /// Whether words hold all values of the matrix of a query and a target of these lengths.
    pub fn fits(&self, query: usize, target: usize) -> bool {
        let pairs = query.min(target) as i64 * i64::from(self.greatest_pair);
        let shift = (query + target) as i64 * i64::from(self.extend);
        i64::from(self.base) + pairs + shift <= i64::from(self.greatest)
    }

    /// Biased score `H'(row, 0)` of a query's first `row` residues against nothing.
    pub fn first_column(&self, row: usize) -> i32 {
        self.border(self.query_begin, row)
    }

    /// Biased score `H'(0, column)` of a target's first `column` residues against nothing.
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

    /// Score of a cell from its biased value.
    pub fn score(&self, value: i32, row: usize, column: usize) -> i32 {
        value - self.base - self.extend * (row + column) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{GapCosts, MAX_COST, MAX_LENGTH, MAX_SCORE};

    #[test]
    fn sixteen_bits_hold_what_the_rule_says() {
        let scoring = Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 10 })
            .expect("a scoring");
        let bias = ScoreBias::narrow(&scoring);
        // A matching pair adds 25 to the biased score, and there are 65,534 values above the base.
        assert_eq!(bias.base, 1);
        assert!(bias.fits(2621, 2621) && !bias.fits(2622, 2622));
        assert!(bias.fits(0, 6553) && !bias.fits(0, 6554));
    }

    #[test]
    fn thirty_two_bits_hold_everything() {
        let gaps = GapCosts { open: MAX_COST, extend: MAX_COST };
        let scoring = Scoring::with_match_mismatch(MAX_SCORE, -MAX_SCORE, gaps).expect("a scoring");
        assert!(ScoreBias::wide(&scoring).fits(MAX_LENGTH, MAX_LENGTH));
    }
}
