//! Scoring in words of 8 or 16 bits, and the proof that they hold every value that is computed.
//!
//! Engines compute the biased scores `H'`, `E'` and `F'` of [`crate::scoring::bias`], in which only the opening of a gap costs
//! something. Those of a long matrix need many bits, but not their differences over a short distance. So the matrix is computed
//! in tiles of a few rows and columns, and the words of a tile count from the cell above its corner:
//!
//! ```text
//!              column k    k+1 ...  k+C
//!   row i       corner      .        .       R rows and C columns: with D = max(R, C),
//!   row i+1       .         tile             H'(corner) - 2 opening <= H' <= H'(corner) + opening + D gain
//!     ...         .                          H'(corner) - 3 opening <= E', F' <= H'
//!   row i+R       .
//! ```
//!
//! where `gain` is the most that a pair of residues adds, `greatest pair score + 2 extend`, but at least `extend` if residues at
//! the begin are free, and at least 0. The lower bounds hold since a gap down the rows, one along the columns and the opening of
//! a third lead from the corner to every value of the tile. The upper bound holds since an alignment that reaches a cell of the
//! tile comes through row `i` at a column up to `k`, or through column `k` at a row up to `i`. One gap leads from there to the
//! corner, so the alignment scores at most `opening` more than the corner there, and it has at most `R` or `C` more pairs.
//!
//! A sum with a pair's score may be less than the least word. It saturates then, and is less than `E'` and `F'` as it would be
//! otherwise.

use super::pair_scorer::{MatchMismatch, ScoreTable};
use super::simd::Word;
use crate::scoring::Scoring;
use crate::scoring::alphabet::UNKNOWN;
use crate::scoring::bias::ScoreBias;

/// Columns of the widest tile.
const MAX_TILE_COLUMNS: i32 = 64;

/// Scoring in words of one width.
#[derive(Debug, Clone)]
pub(crate) struct LaneScoring<'a, W> {
    pub scoring: &'a Scoring,
    /// Borders of the matrix, and scores from biased values, which count from 0 here.
    pub bias: ScoreBias,
    /// `open - extend` of the gap costs.
    pub opening: W,
    /// Word of a tile's corner.
    pub origin: W,
    /// Columns of a tile; 0 if words do not even hold the scores of pairs.
    pub tile_columns: usize,
    /// Scores of matches and mismatches, unless the scoring has a matrix.
    pub match_mismatch: Option<MatchMismatch<W>>,
    /// Scores of all pairs of codes.
    pub table: ScoreTable<W>,
}

impl<'a, W: Word> LaneScoring<'a, W> {
    /// The scoring, for use if words hold its values ([`Self::fits`]).
    pub fn new(scoring: &'a Scoring) -> Self {
        let bias = ScoreBias::wide(scoring);
        let (opening, extend) = (bias.opening, bias.extend);
        let (least_pair, greatest_pair) = scoring.pair_score_range();
        let free = scoring.free_ends();
        let free_gain = if free.query_begin || free.target_begin { extend } else { 0 };
        let gain = (greatest_pair + 2 * extend).max(free_gain).max(0);
        // One number stays below the least value, so that no value equals a saturated sum.
        let origin = W::LEAST + 1 + 3 * opening;
        let room = W::GREATEST - origin - opening;
        let pairs_fit =
            least_pair + 2 * extend >= W::LEAST && greatest_pair + 2 * extend <= W::GREATEST;
        let tile_columns = match gain {
            _ if !pairs_fit || room < 0 => 0,
            0 => MAX_TILE_COLUMNS,
            _ => (room / gain).min(MAX_TILE_COLUMNS),
        };
        let shifted = |score: i32| W::of(score + 2 * extend);
        let match_mismatch = scoring.match_and_mismatch().map(|(equal, different)| MatchMismatch {
            equal: shifted(equal),
            different: shifted(different),
        });
        let pair_scores = scoring.score_table().into_iter().map(shifted);
        let table = ScoreTable::new(scoring.alphabet().len(), pair_scores);
        Self {
            scoring,
            bias,
            opening: W::of(opening),
            origin: W::of(origin),
            tile_columns: tile_columns as usize,
            match_mismatch,
            table,
        }
    }

    /// Whether words hold all values of tiles of so many rows. Words of 16 bits do for every scoring and up to 8 rows.
    pub fn fits(&self, rows: usize) -> bool {
        rows <= self.tile_columns
    }

    /// Whether gaps are computed as affine ones. Matrices are rarely used with linear gaps, so they share the code.
    pub fn is_affine(&self) -> bool {
        self.match_mismatch.is_none() || !self.scoring.gaps().is_linear()
    }

    /// Biased score of a pair of residues, by their codes as the pair scores take them.
    pub fn pair_score(&self, query: W, target: W) -> W {
        match self.match_mismatch {
            Some(scores) if query == target => scores.equal,
            Some(scores) => scores.different,
            None => self.table.score(query, target),
        }
    }

    /// Code of the target that the pair scores take as the next one: an unknown residue must equal none of the query, so
    /// [`MatchMismatch`] gets another code for it.
    pub fn incremented_code(&self) -> Option<u8> {
        self.match_mismatch.map(|_| UNKNOWN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{GapCosts, MAX_SCORE};

    #[test]
    fn words_that_hold_a_tile_are_found() {
        let of = |matching, mismatch, open, extend| {
            Scoring::with_match_mismatch(matching, mismatch, GapCosts { open, extend })
                .expect("a scoring")
        };
        let columns = |scoring: &Scoring| {
            assert!(LaneScoring::<i16>::new(scoring).fits(8));
            LaneScoring::<i8>::new(scoring).tile_columns
        };
        // Of 254 numbers, 4 openings are for gaps; the others are divided by the gain of a match.
        assert_eq!(columns(&of(5, -4, 10, 1)), (254 - 4 * 9) / 7);
        assert_eq!(columns(&of(5, -4, 10, 10)), 254 / 25);
        assert_eq!(columns(&of(0, -1, 1, 1)), 64);
        assert_eq!(columns(&of(5, -4, 10, 0)), (254 - 40) / 5);
        assert_eq!(columns(&of(50, -4, 10, 1)), (254 - 4 * 9) / 52);
        assert_eq!(columns(&of(5, -140, 10, 1)), 0);
        assert_eq!(columns(&of(MAX_SCORE, -MAX_SCORE, 500, 500)), 0);
    }
}
