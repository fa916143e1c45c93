//! A strip of the matrices of several pairs: a few rows, in some columns, with a SIMD lane for each pair.
//!
//! The rows of a strip stay in registers while its columns are computed one after the other. What goes on from strip to strip
//! is a [`Column`] for each column: differences, which words hold however long the matrix is.

// Everything is inlined into the functions that are compiled for one kind of instructions each.
#![allow(clippy::inline_always)]

use super::lane_scoring::LaneScoring;
use super::pair_scorer::PairScorer;
use super::simd::{Simd, SimdJob};
use super::traceback::{DELETION_OPENS, INSERTION_OPENS, IS_DELETION, IS_PAIR, flags_of_cell};

/// Column in the row above a strip, as differences in vectors.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column<V> {
    /// `H'` of the cell minus `H'` of the cell before it in the row.
    pub step: V,
    /// `F'` of the cell below minus `H'` of the cell.
    pub insertion: V,
}

/// The cells of a strip in its current column, in vectors of words that count from the cell above the strip.
#[derive(Debug, Clone)]
pub(crate) struct StripEdge<V, const R: usize> {
    /// `H'` of each row.
    pub best: [V; R],
    /// `E'` of each row's next column.
    pub deletion: [V; R],
}

/// Makes the profile of a strip.
pub(crate) struct StripProfile<'a, S: Simd<L>, P, const L: usize, const R: usize> {
    pub pair_scores: P,
    /// Codes of the queries' residues in each row.
    pub query: &'a [S::Vector; R],
}

impl<S, P, const L: usize, const R: usize> SimdJob<S> for StripProfile<'_, S, P, L, R>
where
    S: Simd<L>,
    P: PairScorer<S, L, R>,
{
    type Output = P::Profile;

    #[inline(always)]
    fn run(self, simd: S) -> P::Profile {
        self.pair_scores.profile(simd, self.query)
    }
}

/// Columns of a strip that are computed: from the column after `edge` on.
pub(crate) struct StripFill<
    'a,
    S: Simd<L>,
    P: PairScorer<S, L, R>,
    const L: usize,
    const R: usize,
    const AFFINE: bool,
    const TRACE: bool,
> {
    pub scoring: &'a LaneScoring<'a, S::Word>,
    pub pair_scores: P,
    /// Profile of the strip, by the pair scores.
    pub profile: &'a P::Profile,
    /// Memory for the pair scores of a tile.
    pub tile: &'a mut P::Tile,
    /// Codes of the targets' residues in each column.
    pub target: &'a [S::Vector],
    /// Columns of the row above the strip, which are replaced by those of the strip's last row.
    pub columns: &'a mut [Column<S::Vector>],
    /// The column before them; the last of them in the end.
    pub edge: &'a mut StripEdge<S::Vector, R>,
    /// Sum of the columns' steps in the row above the strip, which is added up if it is there.
    pub steps: Option<&'a mut [i32; L]>,
    /// With `TRACE`, flags of the cells: column after column, row after row.
    pub flags: &'a mut [S::Flags],
}

impl<S, P, const L: usize, const R: usize, const AFFINE: bool, const TRACE: bool> SimdJob<S>
    for StripFill<'_, S, P, L, R, AFFINE, TRACE>
where
    S: Simd<L>,
    P: PairScorer<S, L, R>,
{
    type Output = ();

    #[inline(always)]
    fn run(mut self, simd: S) {
        let origin = simd.splat(self.scoring.origin);
        let opening = simd.splat(self.scoring.opening);
        let StripEdge { mut best, mut deletion } = *self.edge;
        let cell_flags = flags_of_cell(AFFINE);
        let mut first = 0;
        while first < self.columns.len() {
            let end =
                self.columns.len().min(first + self.scoring.tile_columns.min(P::TILE_COLUMNS));
            self.pair_scores.fill_tile(simd, self.profile, &self.target[first..end], self.tile);
            let mut above = origin;
            for number in first..end {
                let column = &mut self.columns[number];
                let before = best[R - 1];
                let mut diagonal = above;
                above = simd.add(above, column.step);
                let mut insertion = if AFFINE { simd.add(above, column.insertion) } else { above };
                let mut flags: &mut [S::Flags] = &mut [];
                if TRACE {
                    let from = number * R * cell_flags;
                    flags = &mut self.flags[from..from + R * cell_flags];
                }
                let target = &self.target[number];
                let scores = self.pair_scores.column(simd, self.profile, target);
                let in_tile = (number - first, &scores);
                for r in 0..R {
                    let pair = self.pair_scores.score(simd, self.profile, self.tile, in_tile, r);
                    let through = simd.add_saturating(diagonal, pair);
                    let left = if AFFINE { deletion[r] } else { best[r] };
                    let gap = simd.max(left, insertion);
                    let here = simd.max(through, gap);
                    diagonal = best[r];
                    best[r] = here;
                    if TRACE {
                        flags[r * cell_flags + IS_PAIR] = simd.equal(through, here);
                        flags[r * cell_flags + IS_DELETION] = simd.equal(left, gap);
                    }
                    if AFFINE {
                        let opened = simd.subtract(here, opening);
                        deletion[r] = simd.max(left, opened);
                        insertion = simd.max(insertion, opened);
                        if TRACE {
                            flags[r * cell_flags + DELETION_OPENS] =
                                simd.equal(opened, deletion[r]);
                            flags[r * cell_flags + INSERTION_OPENS] = simd.equal(opened, insertion);
                        }
                    } else {
                        insertion = here;
                    }
                }
                let last = best[R - 1];
                column.step = simd.subtract(last, before);
                if AFFINE {
                    column.insertion = simd.subtract(insertion, last);
                }
            }
            // The last column is the corner of the next tile.
            let shift = simd.subtract(above, origin);
            for r in 0..R {
                best[r] = simd.subtract(best[r], shift);
                if AFFINE {
                    deletion[r] = simd.subtract(deletion[r], shift);
                }
            }
            if let Some(steps) = &mut self.steps {
                let words = simd.words(&above);
                let origin: i32 = self.scoring.origin.into();
                for lane in 0..L {
                    let above: i32 = words[lane].into();
                    steps[lane] += above - origin;
                }
            }
            first = end;
        }
        *self.edge = StripEdge { best, deletion };
    }
}
