//! Input and result of an extension with affine gap costs.

use crate::gapped::side::SequenceSide;
use crate::scoring::{ScoreMatrix, Scoring};

/// The two sequences of an extension, from a pair of places to one side, and the scores.
#[derive(Debug, Clone, Copy)]
pub struct SidePair<'a> {
    /// Side of the sequence whose letters are the rows of the matrix.
    pub rows: SequenceSide<'a>,
    /// Side of the sequence whose letters are the columns.
    pub columns: SequenceSide<'a>,
    /// Scores, of which the costs of gaps are used.
    pub scoring: &'a Scoring,
    /// Scores of pairs of letters.
    pub matrix: &'a ScoreMatrix,
    /// How far scores may fall below the best; the cost of a gap of one column is used if that is more.
    pub x_drop: i32,
}

impl SidePair<'_> {
    /// Costs of gaps, and the X-drop.
    pub(crate) fn limits(&self) -> ExtensionLimits {
        let Scoring { gap_open, gap_extend, .. } = *self.scoring;
        let first_gap = gap_open + gap_extend;
        ExtensionLimits { first_gap, more_gap: gap_extend, x_drop: self.x_drop.max(first_gap) }
    }
}

/// Costs of gaps, and how far scores may fall.
pub(crate) struct ExtensionLimits {
    /// Cost of a gap of one column.
    pub(crate) first_gap: i32,
    /// Cost of each further column of a gap.
    pub(crate) more_gap: i32,
    /// How far scores may fall below the best.
    pub(crate) x_drop: i32,
}

/// How far the best alignment of an extension with affine gap costs reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AffineReach {
    /// Its score, 0 for none.
    pub score: i32,
    /// Letters of the rows' sequence.
    pub rows: usize,
    /// Letters of the columns' sequence.
    pub columns: usize,
}
