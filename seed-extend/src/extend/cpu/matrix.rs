//! The matrices of several tasks at once, a task a lane.
//!
//! A cell's number is its value, as in [`super::super`], plus `clip`, or 0 if that is negative. What is
//! worth `-clip` or less is of no use: to begin anew is worth as much. So subtractions that stop at
//! 0 need no test, and 8 bits suffice for most reads. Cells beside the window are 0, and those behind its
//! end are less than a cell before it.
//!
//! The column of a cell is its diagonal, so its neighbours are: of a pair, the one above; of an
//! insertion, the one above to the right; of a deletion, the one to the left. All cells are kept, which
//! costs little since a row must be written anyway; ends and columns of alignments are found from them.
//!
//! What follows is plain code on arrays of `L` numbers, which the compiler turns into vector
//! instructions, for the kind of processor that it is inlined into.

// Everything is inlined into the functions for one kind of processor each.
#![allow(clippy::inline_always)]

use super::super::scoring::{Scoring, UNKNOWN_SCORE};
use std::ops::Range;

use super::super::UNKNOWN;
use super::across::Across;
use super::word::Word;

/// A number of each lane.
type Lanes<W, const L: usize> = [W; L];

/// A scoring in words: pairs score `equal` or `unknown` or 0, less `mismatch`.
#[derive(Debug, Clone, Copy)]
struct Costs<W> {
    equal: W,
    unknown: W,
    mismatch: W,
    /// Of a gap's first column.
    first: W,
    extend: W,
}

/// The cells of a group of tasks.
#[derive(Default)]
pub(super) struct Matrix<W, const L: usize> {
    /// Of each row but the queries' last ones, [`Self::width`] numbers and a 0.
    cells: Vec<Lanes<W, L>>,
    insertions: Vec<Lanes<W, L>>,
    width: usize,
    /// The greatest number in a row before a query's last, and the last such row.
    pub best: Vec<(u32, usize)>,
}

/// The greatest score of a query of `rows` codes that lanes of `W` can hold.
pub(super) fn fits<W: Word>(scoring: Scoring, rows: usize, width: usize) -> bool {
    let most = rows as u64 * scoring.matched() as u64;
    let besides = scoring.clip() + scoring.matched() + scoring.mismatch();
    let costs = scoring.gap(1) as u64;
    let limit = u64::from(W::MOST);
    most + besides as u64 <= limit && costs <= limit && rows.max(width) as u64 <= limit
}

impl<W: Word, const L: usize> Matrix<W, L> {
    /// The number of a cell, of a row before the query's last.
    #[inline]
    pub fn get(&self, lane: usize, row: usize, k: usize) -> u32 {
        self.cells[row * (self.width + 1) + k][lane].get()
    }

    /// Computes all cells. [`fits`] must be true of each task.
    pub fn fill(&mut self, scoring: Scoring, across: &Across<L>) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                #[allow(unsafe_code)]
                // SAFETY: the processor has these instructions.
                return unsafe { self.fill_avx2(scoring, across) };
            }
        }
        self.choose(scoring, across);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&mut self, scoring: Scoring, across: &Across<L>) {
        self.choose(scoring, across);
    }

    #[inline(always)]
    fn choose(&mut self, scoring: Scoring, across: &Across<L>) {
        if across.unknown {
            self.rows::<true>(scoring, across);
        } else {
            self.rows::<false>(scoring, across);
        }
    }

    #[inline(always)]
    fn rows<const UNKNOWNS: bool>(&mut self, scoring: Scoring, across: &Across<L>) {
        let costs = Costs {
            equal: W::of((scoring.matched() + scoring.mismatch()) as u32),
            unknown: W::of((UNKNOWN_SCORE + scoring.mismatch()) as u32),
            mismatch: W::of(scoring.mismatch() as u32),
            first: W::of(scoring.gap(1) as u32),
            extend: W::of(scoring.gap_extend() as u32),
        };
        let (rows, width) = (across.rows - 1, across.width);
        let zero = [W::of(0); L];
        self.width = width;
        // A row before the first one, which is overwritten by the last.
        self.cells.resize((rows + 1) * (width + 1), zero);
        self.insertions.clear();
        self.insertions.resize(width + 1, zero);
        let mut begins = vec![zero; width + 1];
        let mut last = zero;
        let mut widths = [W::of(0); L];
        for (lane, task) in across.tasks.iter().enumerate() {
            last[lane] = W::of(task.rows as u32 - 1);
            widths[lane] = W::of(task.width as u32);
            for begin in &mut begins[task.columns(0)] {
                begin[lane] = W::of(scoring.clip() as u32);
            }
        }
        let narrowest = across.tasks.iter().map(|task| task.width).min().unwrap_or(0);

        let (mut best, mut best_row) = (zero, zero);
        let mut before = &begins[..];
        let mut cells = &mut self.cells[..];
        for number in 0..rows {
            let (here, rest) = cells.split_at_mut(width + 1);
            let row = Row {
                query: &across.query[number],
                window: &across.window[number..number + width],
                before,
                here,
                insertions: &mut self.insertions,
                widths: &widths,
                deletion: zero,
                greatest: zero,
            };
            let greatest = if number == 0 {
                row.compute::<UNKNOWNS, true>(costs, narrowest)
            } else {
                row.compute::<UNKNOWNS, false>(costs, narrowest)
            };
            let row = W::of(number as u32);
            for l in 0..L {
                let better = greatest[l] >= best[l] && row < last[l];
                best[l] = if better { greatest[l] } else { best[l] };
                best_row[l] = if better { row } else { best_row[l] };
            }
            before = here;
            cells = rest;
        }
        self.best.clear();
        self.best
            .extend(best.iter().zip(best_row).map(|(best, row)| (best.get(), row.get() as usize)));
    }
}

/// A row and what is above it.
struct Row<'a, W, const L: usize> {
    query: &'a [u8; L],
    window: &'a [[u8; L]],
    /// The row above; above the first one, what pairs begin with.
    before: &'a [Lanes<W, L>],
    here: &'a mut [Lanes<W, L>],
    insertions: &'a mut [Lanes<W, L>],
    /// Of the band of each lane.
    widths: &'a Lanes<W, L>,
    /// The deletion that ends at the next cell.
    deletion: Lanes<W, L>,
    /// The greatest number.
    greatest: Lanes<W, L>,
}

impl<W: Word, const L: usize> Row<'_, W, L> {
    /// Computes the row of which the first `narrowest` columns are in all bands; gives the greatest number.
    #[inline(always)]
    fn compute<const UNKNOWNS: bool, const FIRST: bool>(
        mut self,
        costs: Costs<W>,
        narrowest: usize,
    ) -> Lanes<W, L> {
        self.columns::<UNKNOWNS, FIRST, false>(costs, 0..narrowest);
        self.columns::<UNKNOWNS, FIRST, true>(costs, narrowest..self.window.len());
        self.here[self.window.len()] = [W::of(0); L];
        self.greatest
    }

    /// Computes some columns; if they are at the `EDGE`, they are not in the bands of all lanes.
    #[inline(always)]
    fn columns<const UNKNOWNS: bool, const FIRST: bool, const EDGE: bool>(
        &mut self,
        costs: Costs<W>,
        columns: Range<usize>,
    ) {
        let zero = W::of(0);
        let (query, widths) = (*self.query, *self.widths);
        let (mut deletion, mut greatest) = (self.deletion, self.greatest);
        for k in columns {
            let (diagonal, above) = (self.before[k], self.before[k + 1]);
            let inserted = self.insertions[k + 1];
            let codes = self.window[k];
            let column = W::of(k as u32);
            // One loop over the lanes, not one for each operation: compilers make vector
            // instructions of it as it stands.
            let mut cell = [zero; L];
            let mut ins = [zero; L];
            for l in 0..L {
                let unknown = UNKNOWNS && (query[l] | codes[l]) & UNKNOWN != 0;
                let other = if unknown { costs.unknown } else { zero };
                let bonus = if query[l] == codes[l] { costs.equal } else { other };
                let pair = diagonal[l].plus(bonus).minus(costs.mismatch);
                let longer = inserted[l].minus(costs.extend);
                let insertion = if FIRST { zero } else { longer.max(above[l].minus(costs.first)) };
                let through = pair.max(insertion);
                let value = through.max(deletion[l]);
                let inside = !EDGE || column < widths[l];
                let value = if inside { value } else { zero };
                // Another deletion behind this one only costs more.
                let longer = deletion[l].minus(costs.extend);
                deletion[l] = longer.max(through.minus(costs.first));
                greatest[l] = greatest[l].max(value);
                cell[l] = value;
                ins[l] = insertion;
            }
            self.here[k] = cell;
            self.insertions[k] = ins;
        }
        (self.deletion, self.greatest) = (deletion, greatest);
    }
}
