//! Scoring of alignments: scores of aligned pairs of residues, costs of gaps, and free ends.
//!
//! The score of an alignment is the sum of the scores of its aligned pairs of residues, minus the costs of its gaps
//! ([`GapCosts`]). Gaps are *linear* where each residue costs the same, else *affine* (Gotoh, J. Mol. Biol. 162,
//! 1982). An insertion may follow a deletion directly, and the other way round.

pub mod alphabet;
pub mod bias;
mod built_in;
pub mod decimal;
pub mod error;
mod gaps;
mod limits;
pub mod substitution_matrix;

pub use alphabet::Alphabet;
pub use decimal::Decimal;
pub use error::ScoringError;
pub use gaps::{FreeEnds, GapCosts};
pub use limits::{CODES, MAX_COST, MAX_LENGTH, MAX_SCORE};
pub use substitution_matrix::SubstitutionMatrix;

/// Scores of aligned pairs of residues.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PairScores {
    MatchMismatch { match_score: i16, mismatch_score: i16 },
    Matrix(Box<SubstitutionMatrix>),
}

/// Complete scoring of alignments, with the alphabet that it is for. Its numbers are within the limits of the engines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scoring {
    alphabet: Alphabet,
    pair_scores: PairScores,
    gaps: GapCosts,
    free_ends: FreeEnds,
    are_ends_behind_pairs: bool,
}

impl Scoring {
    /// Scoring of nucleotides by one score for equal letters and one for different letters. Letters other than A, C, G,
    /// T and U match nothing, themselves included.
    ///
    /// # Errors
    /// If a score or cost is beyond its limit, or a match does not score more than a mismatch.
    pub fn with_match_mismatch(
        match_score: i32,
        mismatch_score: i32,
        gaps: GapCosts,
    ) -> Result<Self, ScoringError> {
        let pair_scores = PairScores::MatchMismatch {
            match_score: substitution_matrix::checked_score(match_score)?,
            mismatch_score: substitution_matrix::checked_score(mismatch_score)?,
        };
        if match_score <= mismatch_score {
            return Err(ScoringError::MatchBelowMismatch { match_score, mismatch_score });
        }
        Ok(Self {
            alphabet: Alphabet::nucleotides(),
            pair_scores,
            gaps: gaps.checked()?,
            free_ends: FreeEnds::default(),
            are_ends_behind_pairs: false,
        })
    }

    /// Scoring of residues by a substitution matrix, whose letters are the alphabet.
    ///
    /// # Errors
    /// If a gap cost is beyond its limit.
    pub fn with_matrix(matrix: SubstitutionMatrix, gaps: GapCosts) -> Result<Self, ScoringError> {
        let alphabet = matrix.alphabet().clone();
        let pair_scores = PairScores::Matrix(Box::new(matrix));
        Ok(Self {
            alphabet,
            pair_scores,
            gaps: gaps.checked()?,
            free_ends: FreeEnds::default(),
            are_ends_behind_pairs: false,
        })
    }

    /// Replaces the free ends of the scoring.
    #[must_use]
    pub fn with_free_ends(self, free_ends: FreeEnds) -> Self {
        Self { free_ends, ..self }
    }

    /// Adds the rule of EMBOSS needle that the last residues of a sequence are free only directly behind an aligned pair of residues,
    /// not behind a gap that costs something. It has no effect unless both sequences have free ends.
    #[must_use]
    pub fn with_ends_behind_pairs(self) -> Self {
        Self { are_ends_behind_pairs: true, ..self }
    }

    /// Letters of sequences, and their codes.
    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Costs of gaps in query and target.
    pub fn gaps(&self) -> GapCosts {
        self.gaps
    }

    /// Ends that may stay unaligned at no cost.
    pub fn free_ends(&self) -> FreeEnds {
        self.free_ends
    }

    /// Whether an alignment that has pairs of residues ends with one, but for last residues that are free.
    pub fn ends_behind_pairs(&self) -> bool {
        self.are_ends_behind_pairs && self.free_ends.query_end && self.free_ends.target_end
    }

    /// Score of a residue of the query and a residue of the target, by their codes.
    pub fn pair_score(&self, query: u8, target: u8) -> i32 {
        match &self.pair_scores {
            &PairScores::MatchMismatch { match_score, mismatch_score } => {
                let is_match = self.alphabet.is_identical(query, target);
                i32::from(if is_match { match_score } else { mismatch_score })
            }
            PairScores::Matrix(matrix) => i32::from(matrix.score(query, target)),
        }
    }

    /// Scores of a match and of a mismatch; none if the scoring has a substitution matrix.
    pub fn match_and_mismatch(&self) -> Option<(i32, i32)> {
        match &self.pair_scores {
            &PairScores::MatchMismatch { match_score, mismatch_score } => {
                Some((match_score.into(), mismatch_score.into()))
            }
            PairScores::Matrix(_) => None,
        }
    }

    /// Whether the score is the negative of the edit distance: a match scores 0, everything else costs 1, and no end is
    /// free.
    pub fn is_edit_distance(&self) -> bool {
        self.match_and_mismatch() == Some((0, -1))
            && self.gaps == GapCosts { open: 1, extend: 1 }
            && self.free_ends == FreeEnds::default()
    }

    /// Score of each pair of codes: [`CODES`] rows by the query's code, of [`CODES`] scores by the target's; 0 where no
    /// letter has the code.
    pub fn score_table(&self) -> Vec<i32> {
        let codes = self.alphabet.len();
        let mut table = vec![0; CODES * CODES];
        for (query, row) in table.chunks_exact_mut(CODES).enumerate().take(codes) {
            for (target, score) in row.iter_mut().enumerate().take(codes) {
                *score = self.pair_score(query as u8, target as u8);
            }
        }
        table
    }

    /// Whether the score of two sequences is the same whichever of them is the query.
    pub fn is_symmetric(&self) -> bool {
        let FreeEnds { query_begin, query_end, target_begin, target_end } = self.free_ends;
        let codes = self.alphabet.len() as u8;
        let is_mirrored = |a: u8| (0..a).all(|b| self.pair_score(a, b) == self.pair_score(b, a));
        (query_begin, query_end) == (target_begin, target_end) && (0..codes).all(is_mirrored)
    }

    /// Least and greatest score of a pair of residues.
    pub fn pair_score_range(&self) -> (i32, i32) {
        let codes = self.alphabet.len() as u8;
        let scores = (0..codes).flat_map(|a| (0..codes).map(move |b| self.pair_score(a, b)));
        scores.fold((i32::MAX, i32::MIN), |(least, greatest), score| {
            (least.min(score), greatest.max(score))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_and_costs_have_limits_and_signs() {
        let gaps = GapCosts { open: 10, extend: 1 };
        assert!(Scoring::with_match_mismatch(5, -4, gaps).is_ok());
        assert!(matches!(
            Scoring::with_match_mismatch(-4, 5, gaps),
            Err(ScoringError::MatchBelowMismatch { .. })
        ));
        for (match_score, mismatch_score) in [(501, 0), (0, -501), (i32::MAX, 0), (0, i32::MIN)] {
            let wrong = Scoring::with_match_mismatch(match_score, mismatch_score, gaps);
            assert!(matches!(wrong, Err(ScoringError::Score { .. })), "{match_score}");
        }
        for (open, extend) in [(-10, 1), (10, -1), (501, 1), (i32::MIN, 1), (i32::MAX, i32::MAX)] {
            let wrong = Scoring::with_match_mismatch(5, -4, GapCosts { open, extend });
            assert!(matches!(wrong, Err(ScoringError::Cost { .. })), "{open} {extend}");
        }
        let wrong = Scoring::with_match_mismatch(5, -4, GapCosts { open: 1, extend: 2 });
        assert!(matches!(wrong, Err(ScoringError::ExtendAboveOpen { .. })));
    }

    #[test]
    fn unknown_nucleotides_match_nothing() {
        let gaps = GapCosts { open: 1, extend: 1 };
        let scoring = Scoring::with_match_mismatch(1, -1, gaps).expect("a scoring");
        let scores = [(0, 0), (0, 1), (4, 4)].map(|(a, b)| scoring.pair_score(a, b));
        assert_eq!(scores, [1, -1, -1]);
        assert_eq!(scoring.pair_score_range(), (-1, 1));
    }

    #[test]
    fn a_scoring_is_symmetric_if_scores_and_free_ends_are() {
        let gaps = GapCosts { open: 10, extend: 1 };
        let scoring = Scoring::with_match_mismatch(5, -4, gaps).expect("a scoring");
        assert!(scoring.is_symmetric());
        let both = FreeEnds { query_begin: true, target_begin: true, ..FreeEnds::default() };
        assert!(scoring.clone().with_free_ends(both).is_symmetric());
        let one = FreeEnds { target_begin: true, target_end: true, ..FreeEnds::default() };
        assert!(!scoring.with_free_ends(one).is_symmetric());
        let matrix = SubstitutionMatrix::built_in("BLOSUM62").expect("a name").expect("a matrix");
        assert!(Scoring::with_matrix(matrix, gaps).expect("a scoring").is_symmetric());
        let matrix = SubstitutionMatrix::from_scores(b"AC", |a, b| i32::from(a) - i32::from(b));
        let matrix = matrix.expect("a matrix");
        assert!(!Scoring::with_matrix(matrix, gaps).expect("a scoring").is_symmetric());
    }
}
