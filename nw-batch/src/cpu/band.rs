//! Bands of diagonals around the alignments of pairs, and the proof that a band has all of the best ones.
//!
//! The band of margin `k` of a pair of `m` and `n` residues has the diagonals from `min(0, n - m) - k` to `max(0, n - m) + k`; the
//! alignment's corners are on the diagonals 0 and `n - m`. An alignment that leaves it is on a diagonal `k' > k` beyond these
//! limits somewhere, so that at least `k'` residues of the shorter sequence are in no pair, and at least `k' + |n - m|` of the
//! longer one. If no end is free, these are in gaps of both kinds. So with the most that each residue of the shorter sequence can
//! score in a pair, at least 0, the alignment's score is at most
//!
//! ```text
//!   sum of these scores, but for the k' least of them
//!     - cost(k') - cost(k' + |n - m|)          if no end is free
//! ```
//!
//! which falls with `k'`. As soon as some alignment scores more, all best alignments are within the band, and so are the cells
//! that the traceback asks: a cell on a best alignment has its true value in the band, since all best alignments of its prefixes
//! belong to best alignments of the whole. A neighbouring cell, if not on a best alignment, has at most its true value, which is
//! too small. So the band's choice among equally good alignments is that of the whole matrix.

use crate::scoring::{CODES, FreeEnds, Scoring};

/// Band of the cells `(row, column)` with `lowest <= column - row <= highest`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Band {
    lowest: i64,
    highest: i64,
}

impl Band {
    /// The band that has every cell of any matrix.
    pub const WHOLE: Self = Self { lowest: i64::MIN / 4, highest: i64::MAX / 4 };

    /// The bands of a margin of all pairs that have these lengths.
    pub fn of_margin(margin: usize, lengths: impl Iterator<Item = (usize, usize)>) -> Self {
        let margin = margin as i64;
        let mut band = Self { lowest: -margin, highest: margin };
        for (m, n) in lengths {
            let difference = n as i64 - m as i64;
            band.lowest = band.lowest.min(difference - margin);
            band.highest = band.highest.max(difference + margin);
        }
        band
    }

    /// First and last of the columns from 1 to `columns` that the rows after `top` up to `bottom` have.
    pub fn columns(self, top: usize, bottom: usize, columns: usize) -> (usize, usize) {
        let first = (top as i64 + 1 + self.lowest).clamp(1, columns as i64);
        let last = (bottom as i64 + self.highest).clamp(first, columns as i64);
        (first as usize, last as usize)
    }
}

/// Upper bounds on the scores of alignments that leave a band.
#[derive(Debug)]
pub(crate) struct ScoreBounds<'a> {
    scoring: &'a Scoring,
    /// The most that each code scores in a pair, at least 0, as a code of the query.
    of_query: [i64; CODES],
    /// The most that each code scores in a pair as a code of the target.
    of_target: [i64; CODES],
}

impl<'a> ScoreBounds<'a> {
    /// Bounds for a scoring.
    pub fn new(scoring: &'a Scoring) -> Self {
        let (mut of_query, mut of_target) = ([0; CODES], [0; CODES]);
        for (index, score) in scoring.score_table().into_iter().enumerate() {
            let (query, target) = (&mut of_query[index / CODES], &mut of_target[index % CODES]);
            *query = (*query).max(score.into());
            *target = (*target).max(score.into());
        }
        Self { scoring, of_query, of_target }
    }

    /// A margin with which the band has all best alignments of a pair, of which one is known to score at least `score`.
    pub fn sufficient_margin(&self, query: &[u8], target: &[u8], score: i32) -> usize {
        let shorter = query.len().min(target.len());
        let (codes, scores) = if query.len() <= target.len() {
            (query, &self.of_query)
        } else {
            (target, &self.of_target)
        };
        // Counts of a byte, in passes over a few codes each, are sums of vectors of bytes.
        let count = |code: u8| {
            let add = |sum: u8, &other: &u8| sum.wrapping_add(u8::from(other == code));
            let part = |codes: &[u8]| codes.iter().fold(0, add);
            codes.chunks(u8::MAX.into()).map(|codes| i64::from(part(codes))).sum::<i64>()
        };
        let letters = self.scoring.alphabet().len();
        let mut parts: Vec<(i64, i64)> =
            (0..).zip(scores).take(letters).map(|(code, &score)| (score, count(code))).collect();
        parts.sort_unstable();
        let all: i64 = parts.iter().map(|&(score, count)| score * count).sum();
        let difference = query.len().abs_diff(target.len()) as i64;
        let bound = |outside: i64| {
            let mut left = outside;
            let mut lost = 0;
            for &(score, count) in &parts {
                lost += score * count.min(left);
                left -= count.min(left);
            }
            all - lost - self.gap_cost(outside) - self.gap_cost(outside + difference)
        };
        // The least margin, by halving what is possible.
        let (mut low, mut high) = (0, shorter);
        while low < high {
            let middle = low.midpoint(high);
            if bound(middle as i64 + 1) < i64::from(score) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }

    /// Least cost of at least one gap of so many residues in all; 0 if they may be at free ends.
    fn gap_cost(&self, residues: i64) -> i64 {
        if self.scoring.free_ends() != FreeEnds::default() || residues == 0 {
            return 0;
        }
        let gaps = self.scoring.gaps();
        i64::from(gaps.open) + (residues - 1) * i64::from(gaps.extend)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::GapCosts;

    #[test]
    fn a_band_has_the_diagonals_of_all_pairs() {
        let band = Band::of_margin(3, [(10, 12), (10, 9)].into_iter());
        assert_eq!((band.lowest, band.highest), (-4, 5));
        assert_eq!(band.columns(0, 4, 12), (1, 9));
        assert_eq!(band.columns(8, 12, 12), (5, 12));
        assert_eq!(Band::WHOLE.columns(8, 12, 12), (1, 12));
    }

    #[test]
    fn margins_follow_from_the_score() {
        let edit = Scoring::with_match_mismatch(0, -1, GapCosts { open: 1, extend: 1 })
            .expect("a scoring");
        let bounds = ScoreBounds::new(&edit);
        // With d differences, an alignment of two sequences of one length is at most d / 2 diagonals beside the corners.
        for distance in 0..20 {
            let margin = bounds.sufficient_margin(&[0; 50], &[1; 50], -distance);
            assert_eq!(margin, distance as usize / 2);
        }
        let affine = Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 1 })
            .expect("a scoring");
        let bounds = ScoreBounds::new(&affine);
        // Two gaps of a residue each cost 20, and a pair less is 5 less.
        assert_eq!(bounds.sufficient_margin(&[2; 40], &[2; 40], 176), 0);
        assert_eq!(bounds.sufficient_margin(&[2; 40], &[2; 40], 175), 1);
        // Three unknown residues score nothing in pairs, and are the first that are in none.
        let mut query = [2; 40];
        query[5..8].fill(4);
        assert_eq!(bounds.sufficient_margin(&query, &[2; 40], 185 - 20 + 1), 0);
        assert_eq!(bounds.sufficient_margin(&query, &[2; 40], 185 - 24), 3);
        assert_eq!(bounds.sufficient_margin(&query, &[2; 40], -10_000), 40);
    }
}
