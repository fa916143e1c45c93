//! How alignments are scored.
//!
//! The score of an alignment is the sum of the scores of its aligned pairs of residues, less the
//! costs of its gaps. A gap of `L` residues costs `open + (L - 1) * extend`, as in EMBOSS and
//! parasail; where both are equal, gaps are *linear*, else *affine* (Gotoh, J. Mol. Biol. 162,
//! 1982). An insertion may follow a deletion directly, and the other way round.

use crate::alphabet::{Alphabet, CODES};
use crate::error::ScoringError;
use crate::matrix::Matrix;

/// Greatest score of a pair of residues, and the negative of the least. With it and
/// [`MAX_LENGTH`], no intermediate value overflows 32 bits (see [`crate::bias`]).
pub const MAX_SCORE: i32 = 500;

/// Greatest cost of a residue in a gap.
pub const MAX_COST: i32 = 500;

/// Residues of the longest sequence.
pub const MAX_LENGTH: usize = 1_000_000;

/// What gaps cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gaps {
    /// Cost of a gap's first residue.
    pub open: i32,
    /// Cost of each further one.
    pub extend: i32,
}

impl Gaps {
    /// Cost of a gap of `length` residues.
    pub fn cost(self, length: u32) -> i32 {
        match length {
            0 => 0,
            _ => self.open + (length as i32 - 1) * self.extend,
        }
    }

    /// Whether every residue costs the same.
    pub fn are_linear(self) -> bool {
        self.open == self.extend
    }
}

/// Ends of sequences that may stay unaligned at no cost. All `false` is a global alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[allow(clippy::struct_excessive_bools)] // Four independent ends.
pub struct FreeEnds {
    /// First residues of the query.
    pub query_begin: bool,
    /// Last residues of the query.
    pub query_end: bool,
    /// First residues of the target.
    pub target_begin: bool,
    /// Last residues of the target.
    pub target_end: bool,
}

/// What a pair of residues scores.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Pairs {
    Simple { matching: i16, mismatch: i16 },
    Matrix(Box<Matrix>),
}

/// A complete scoring, within its limits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scoring {
    alphabet: Alphabet,
    pairs: Pairs,
    gaps: Gaps,
    free: FreeEnds,
}

impl Scoring {
    /// Nucleotides by one score for equal letters and one for different ones. Letters other than A,
    /// C, G, T, U match nothing.
    ///
    /// # Errors
    /// If a number is beyond its limit, or a match not worth more than a mismatch.
    pub fn simple(matching: i32, mismatch: i32, gaps: Gaps) -> Result<Self, ScoringError> {
        if let Some(score) = [matching, mismatch].into_iter().find(|score| score.abs() > MAX_SCORE)
        {
            return Err(ScoringError::Score { score });
        }
        if matching <= mismatch {
            return Err(ScoringError::MatchBelowMismatch { matching, mismatch });
        }
        let pairs = Pairs::Simple { matching: matching as i16, mismatch: mismatch as i16 };
        Ok(Self {
            alphabet: Alphabet::nucleotides(),
            pairs,
            gaps: check(gaps)?,
            free: FreeEnds::default(),
        })
    }

    /// Residues by a matrix.
    ///
    /// # Errors
    /// If a gap cost is beyond its limit.
    pub fn matrix(matrix: Matrix, gaps: Gaps) -> Result<Self, ScoringError> {
        let alphabet = matrix.alphabet().clone();
        let pairs = Pairs::Matrix(Box::new(matrix));
        Ok(Self { alphabet, pairs, gaps: check(gaps)?, free: FreeEnds::default() })
    }

    /// The same with these free ends.
    #[must_use]
    pub fn with_free_ends(self, free: FreeEnds) -> Self {
        Self { free, ..self }
    }

    /// The letters of sequences.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// What gaps cost.
    pub fn gaps(&self) -> Gaps {
        self.gaps
    }

    /// Which ends are free.
    pub fn free(&self) -> FreeEnds {
        self.free
    }

    /// The score of a residue of the query and one of the target, by their codes.
    pub fn pair(&self, query: u8, target: u8) -> i32 {
        match &self.pairs {
            &Pairs::Simple { matching, mismatch } => {
                i32::from(if self.alphabet.identical(query, target) { matching } else { mismatch })
            }
            Pairs::Matrix(matrix) => i32::from(matrix.score(query, target)),
        }
    }

    /// The scores of a match and of a mismatch, unless there is a matrix.
    pub fn match_and_mismatch(&self) -> Option<(i32, i32)> {
        match &self.pairs {
            &Pairs::Simple { matching, mismatch } => Some((matching.into(), mismatch.into())),
            Pairs::Matrix(_) => None,
        }
    }

    /// Whether the score is the negative of the edit distance: a match scores 0, everything else
    /// costs 1, and no end is free.
    pub fn is_edit_distance(&self) -> bool {
        self.match_and_mismatch() == Some((0, -1))
            && self.gaps == Gaps { open: 1, extend: 1 }
            && self.free == FreeEnds::default()
    }

    /// The scores of all pairs of codes, row of the query's code after row, [`CODES`] in each;
    /// 0 where there is no such code.
    pub fn table(&self) -> Vec<i32> {
        let codes = self.alphabet.len();
        let mut table = vec![0; CODES * CODES];
        for (query, row) in table.chunks_exact_mut(CODES).enumerate().take(codes) {
            for (target, score) in row.iter_mut().enumerate().take(codes) {
                *score = self.pair(query as u8, target as u8);
            }
        }
        table
    }

    /// Least and greatest score of a pair of residues.
    pub fn range(&self) -> (i32, i32) {
        let codes = self.alphabet.len() as u8;
        let scores = (0..codes).flat_map(|a| (0..codes).map(move |b| self.pair(a, b)));
        scores.fold((i32::MAX, i32::MIN), |(least, greatest), score| {
            (least.min(score), greatest.max(score))
        })
    }
}

fn check(gaps: Gaps) -> Result<Gaps, ScoringError> {
    let Gaps { open, extend } = gaps;
    if let Some(cost) = [open, extend].into_iter().find(|cost| !(0..=MAX_COST).contains(cost)) {
        return Err(ScoringError::Cost { cost });
    }
    if extend > open {
        return Err(ScoringError::ExtendAboveOpen { open, extend });
    }
    Ok(gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_costs_its_first_residue_and_the_others() {
        let gaps = Gaps { open: 10, extend: 2 };
        assert_eq!([0, 1, 2, 5].map(|length| gaps.cost(length)), [0, 10, 12, 18]);
    }

    #[test]
    fn scores_and_costs_have_limits_and_signs() {
        let gaps = Gaps { open: 10, extend: 1 };
        assert!(Scoring::simple(5, -4, gaps).is_ok());
        assert!(matches!(
            Scoring::simple(-4, 5, gaps),
            Err(ScoringError::MatchBelowMismatch { .. })
        ));
        assert!(matches!(Scoring::simple(501, 0, gaps), Err(ScoringError::Score { score: 501 })));
        for (open, extend) in [(-10, 1), (10, -1), (501, 1)] {
            let wrong = Scoring::simple(5, -4, Gaps { open, extend });
            assert!(matches!(wrong, Err(ScoringError::Cost { .. })), "{open} {extend}");
        }
        let wrong = Scoring::simple(5, -4, Gaps { open: 1, extend: 2 });
        assert!(matches!(wrong, Err(ScoringError::ExtendAboveOpen { .. })));
    }

    #[test]
    fn unknown_nucleotides_match_nothing() {
        let scoring = Scoring::simple(1, -1, Gaps { open: 1, extend: 1 }).expect("a scoring");
        assert_eq!((scoring.pair(0, 0), scoring.pair(0, 1), scoring.pair(4, 4)), (1, -1, -1));
        assert_eq!(scoring.range(), (-1, 1));
    }
}
