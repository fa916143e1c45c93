//! Scores of aligned pairs of residues, for all lanes of a vector.

// Everything is inlined into the functions that are compiled for one kind of instructions each.
#![allow(clippy::inline_always)]

use super::simd::{Simd, Word};
use crate::scoring::CODES;

/// Biased scores of aligned pairs of residues.
pub(crate) trait PairScorer<S: Simd<L>, const L: usize>: Copy {
    /// Scores of a residue of each lane's query with a residue of its target, by their codes.
    fn score(self, simd: S, query: S::Vector, target: S::Vector) -> S::Vector;
}

/// One score for equal codes and one for different codes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchMismatch<W> {
    pub equal: W,
    pub different: W,
}

impl<S: Simd<L>, const L: usize> PairScorer<S, L> for MatchMismatch<S::Word> {
    #[inline(always)]
    fn score(self, simd: S, query: S::Vector, target: S::Vector) -> S::Vector {
        let (equal, different) = (simd.splat(self.equal), simd.splat(self.different));
        simd.select_equal(query, target, equal, different)
    }
}

/// A score for each pair of codes.
#[derive(Debug, Clone)]
pub(crate) struct ScoreTable<W> {
    /// Rows by the query's code, of a score for each of the target's codes.
    pub scores: [W; CODES * CODES],
}

impl<W: Word> ScoreTable<W> {
    /// Score of a pair of codes.
    #[inline(always)]
    pub fn score(&self, query: W, target: W) -> W {
        let index = query.into() as usize * CODES + target.into() as usize;
        // Codes are below CODES.
        self.scores[index % (CODES * CODES)]
    }
}

impl<S: Simd<L>, const L: usize> PairScorer<S, L> for &ScoreTable<S::Word> {
    #[inline(always)]
    fn score(self, simd: S, query: S::Vector, target: S::Vector) -> S::Vector {
        simd.look_up(self, query, target)
    }
}
