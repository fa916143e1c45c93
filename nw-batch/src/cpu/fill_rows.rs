//! Recurrence of the matrices of several pairs at once, with a SIMD lane for each pair.
//!
//! This is plain code on arrays of `L` words, which the compiler turns into vector instructions; its callers in
//! [`super::fill_group`] are compiled for several kinds of processors.

// Everything is inlined into the functions of `super::fill_group` that are compiled for one kind of processor each.
#![allow(clippy::inline_always)]

use std::array::from_fn;

use super::lane_word::LaneWord;
use super::traceback::{DELETION, DELETION_OPENS, INSERTION, INSERTION_OPENS};
use crate::scoring::CODES;
use crate::scoring::bias::ScoreBias;

/// A word for each lane.
pub(crate) type Lanes<W, const L: usize> = [W; L];

/// Biased scores of aligned pairs of residues.
pub(crate) trait PairScorer<W: LaneWord>: Copy {
    /// Scores of a residue of each lane's query with a residue of its target, by their codes.
    fn score<const L: usize>(self, query: Lanes<W, L>, target: Lanes<W, L>) -> Lanes<W, L>;
}

/// One score for equal codes and one for different codes.
#[derive(Clone, Copy)]
pub(crate) struct MatchMismatch<W> {
    pub equal: W,
    pub different: W,
}

impl<W: LaneWord> PairScorer<W> for MatchMismatch<W> {
    #[inline(always)]
    fn score<const L: usize>(self, query: Lanes<W, L>, target: Lanes<W, L>) -> Lanes<W, L> {
        from_fn(|l| if query[l] == target[l] { self.equal } else { self.different })
    }
}

/// A score for each pair of codes, in rows by the query's code.
#[derive(Clone, Copy)]
pub(crate) struct ScoreTable<'a, W> {
    pub scores: &'a [W; CODES * CODES],
}

impl<W: LaneWord> PairScorer<W> for ScoreTable<'_, W> {
    #[inline(always)]
    fn score<const L: usize>(self, query: Lanes<W, L>, target: Lanes<W, L>) -> Lanes<W, L> {
        from_fn(|l| {
            let index = query[l].get() as usize * CODES + target[l].get() as usize;
            self.scores[index % (CODES * CODES)]
        })
    }
}

/// One row of the matrices of all lanes, columns 0 and on; the biased scores are named as in
/// [`crate::scoring::bias`].
pub(crate) struct MatrixRow<W, const L: usize> {
    /// Best scores `H'` of the prefixes.
    pub best: Vec<Lanes<W, L>>,
    /// Best scores `F'` of alignments that end in an insertion.
    pub insertion: Vec<Lanes<W, L>>,
}

impl<W: LaneWord, const L: usize> MatrixRow<W, L> {
    /// Row 0, with the columns `0..=columns`.
    pub fn first(bias: &ScoreBias, columns: usize) -> Self {
        Self {
            best: (0..=columns).map(|column| [W::of(bias.first_row(column)); L]).collect(),
            insertion: vec![[W::NEVER; L]; columns + 1],
        }
    }
}

/// Computes the `R` rows below `row`, and replaces `row` by the last of them. The first of the rows has the number
/// `number` (from 1); `query` has the codes of the residues of these rows, `target` the codes of the columns from 1 on.
///
/// Without `AFFINE`, gaps must be linear. With `TRACE`, the directions of each cell (see [`super::traceback`]) are
/// written to `directions[r * target.len() + column - 1]`, where `r` counts the rows from 0.
#[inline(always)]
pub(crate) fn fill_rows<
    W: LaneWord,
    P: PairScorer<W>,
    const L: usize,
    const R: usize,
    const AFFINE: bool,
    const TRACE: bool,
>(
    bias: &ScoreBias,
    pair_scores: P,
    number: usize,
    query: &[Lanes<W, L>; R],
    target: &[Lanes<W, L>],
    row: &mut MatrixRow<W, L>,
    directions: &mut [[u8; L]],
) {
    let columns = target.len();
    let opening = W::of(bias.opening);
    let mut left: [Lanes<W, L>; R] = from_fn(|r| [W::of(bias.first_column(number + r)); L]);
    let mut deletion = [[W::NEVER; L]; R];
    let mut corner = row.best[0];
    row.best[0] = left[R - 1];
    let cells = target.iter().zip(&mut row.best[1..]).zip(&mut row.insertion[1..]);
    for (column, ((&t, best), insertion)) in cells.enumerate() {
        let mut above = *best;
        let mut diagonal = corner;
        corner = above;
        let mut f = *insertion;
        for r in 0..R {
            let pair = pair_scores.score(query[r], t);
            let (left, deletion) = (&mut left[r], &mut deletion[r]);
            let mut direction = [0_u8; L];
            // One loop over the lanes for all operations: compilers turn it into vector instructions as it stands.
            for l in 0..L {
                let opened = (left[l].minus(opening), above[l].minus(opening));
                // With linear gaps, a gap of one more residue scores the same as one that is opened again.
                let e = if AFFINE { deletion[l].max(opened.0) } else { left[l] };
                let g = if AFFINE { f[l].max(opened.1) } else { above[l] };
                let through = diagonal[l].plus(pair[l]);
                let here = through.max(e).max(g);
                if TRACE {
                    let gap = if e >= g { DELETION } else { INSERTION };
                    let source = if through == here { 0 } else { gap };
                    let e_opens = if !AFFINE || opened.0 == e { DELETION_OPENS } else { 0 };
                    let g_opens = if !AFFINE || opened.1 == g { INSERTION_OPENS } else { 0 };
                    direction[l] = source | e_opens | g_opens;
                }
                diagonal[l] = left[l];
                left[l] = here;
                above[l] = here;
                deletion[l] = e;
                f[l] = g;
            }
            if TRACE {
                directions[r * columns + column] = direction;
            }
        }
        *best = above;
        *insertion = f;
    }
}
