//! Rows of the matrices of several pairs at once, one pair a lane.
//!
//! What follows is plain code on arrays of `L` numbers, which the compiler turns into vector
//! instructions; the callers in [`super::fill`] choose for which processor.

// Everything is inlined into the functions for one kind of processor each, in `super::fill`.
#![allow(clippy::inline_always)]

use std::array::from_fn;

use super::trace::{DELETION, DELETION_OPENS, INSERTION, INSERTION_OPENS};
use super::word::Word;
use crate::alphabet::CODES;
use crate::bias::Bias;

/// A number of each lane.
pub(crate) type Lanes<W, const L: usize> = [W; L];

/// The biased scores of pairs of residues.
pub(crate) trait Pairing<W: Word>: Copy {
    fn score<const L: usize>(self, query: Lanes<W, L>, target: Lanes<W, L>) -> Lanes<W, L>;
}

/// One score for equal codes and one for others.
#[derive(Clone, Copy)]
pub(crate) struct Simple<W> {
    pub equal: W,
    pub different: W,
}

impl<W: Word> Pairing<W> for Simple<W> {
    #[inline(always)]
    fn score<const L: usize>(self, query: Lanes<W, L>, target: Lanes<W, L>) -> Lanes<W, L> {
        from_fn(|l| if query[l] == target[l] { self.equal } else { self.different })
    }
}

/// A score for each pair of codes.
#[derive(Clone, Copy)]
pub(crate) struct Table<'a, W> {
    pub scores: &'a [W; CODES * CODES],
}

impl<W: Word> Pairing<W> for Table<'_, W> {
    #[inline(always)]
    fn score<const L: usize>(self, query: Lanes<W, L>, target: Lanes<W, L>) -> Lanes<W, L> {
        from_fn(|l| {
            let place = query[l].get() as usize * CODES + target[l].get() as usize;
            self.scores[place % (CODES * CODES)]
        })
    }
}

/// The last row that was computed: `H'` of all columns, and `F'`.
pub(crate) struct Row<W, const L: usize> {
    pub best: Vec<Lanes<W, L>>,
    pub insertion: Vec<Lanes<W, L>>,
}

impl<W: Word, const L: usize> Row<W, L> {
    /// Row 0, of columns `0..=columns`.
    pub fn first(bias: &Bias, columns: usize) -> Self {
        Self {
            best: (0..=columns).map(|column| [W::of(bias.first_row(column)); L]).collect(),
            insertion: vec![[W::NEVER; L]; columns + 1],
        }
    }
}

/// Computes `R` rows below `row`, of which the first is `number` (from 1), and leaves the last of
/// them in `row`. `query` has the codes of the `R` residues, `target` those of the columns 1 and on.
///
/// With `TRACE`, sets `directions[r * target.len() + column - 1]` of each cell.
#[inline(always)]
pub(crate) fn advance<
    W: Word,
    P: Pairing<W>,
    const L: usize,
    const R: usize,
    const AFFINE: bool,
    const TRACE: bool,
>(
    bias: &Bias,
    pairing: P,
    number: usize,
    query: &[Lanes<W, L>; R],
    target: &[Lanes<W, L>],
    row: &mut Row<W, L>,
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
            let pair = pairing.score(query[r], t);
            let (left, deletion) = (&mut left[r], &mut deletion[r]);
            let mut direction = [0_u8; L];
            // One loop over the lanes, not one for each operation: compilers make vector
            // instructions of it as it stands.
            for l in 0..L {
                let opened = (left[l].minus(opening), above[l].minus(opening));
                // Without a cost of its own, a gap is best begun anew with each residue.
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
