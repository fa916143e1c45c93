//! The banded matrices of several tasks at once, a lane of a vector a task.
//!
//! The number in a cell is its value, as [`extend`](crate::extend) defines it, plus the penalty of clipping the query's
//! begin, or 0 if that is negative: a beginning worth less than a new alignment that is clipped here is of no use. So subtractions
//! that stop at 0 need no test, and 8 bits suffice for most reads. Cells before the window are 0, and cells behind its
//! end are less than a cell inside it.
//!
//! Columns are diagonals, so a pair comes from the cell above, an insertion from the one above to the right, and a
//! deletion from the one to the left:
//!
//! ```text
//!               columns (diagonals of the band)
//!   row - 1          [pair]  [insertion]
//!                       \    /
//!   row     [deletion] -- cell
//! ```
//!
//! All cells are kept, 5 KB for a read in 8 bits. Writing a row to memory of its own costs no more than writing it over
//! the row before. Ends and CIGARs of alignments are found from the same cells; directions would have to be computed
//! besides.
//!
//! The code works on arrays of `L` numbers, which the compiler turns into vector instructions of the kind of processor
//! that the function it is inlined into is for.

// Everything is inlined into the functions for one kind of processor each.
#![allow(clippy::inline_always)]

use std::ops::Range;

use super::interleaved::InterleavedCodes;
use super::lane_value::LaneValue;
#[cfg(target_arch = "x86_64")]
use super::vectors::Vectors;
use crate::extend::UNKNOWN;
use crate::extend::scoring::{GapPenalty, Scoring, UNKNOWN_SCORE};

/// A number for each lane.
type Lanes<W, const L: usize> = [W; L];

/// The cost of the first column of a gap, and of each further one.
#[derive(Debug, Clone, Copy)]
struct LaneGap<W> {
    first: W,
    extend: W,
}

impl<W: LaneValue> LaneGap<W> {
    fn new(gap: GapPenalty) -> Self {
        Self { first: W::of(gap.of(1) as u32), extend: W::of(gap.extend as u32) }
    }
}

/// A scoring in lane values. A pair scores `equal`, `unknown` or 0, minus `mismatch`.
#[derive(Debug, Clone, Copy)]
struct LaneCosts<W> {
    equal: W,
    unknown: W,
    mismatch: W,
    deletion: LaneGap<W>,
    insertion: LaneGap<W>,
}

/// The cells of a group of tasks.
#[derive(Default)]
pub(super) struct Matrix<W, const L: usize> {
    /// For each row except the last one of the longest query, [`Self::width`] cells and a 0.
    cells: Vec<Lanes<W, L>>,
    /// For each column of a row, the best beginning that ends with an insertion.
    insertions: Vec<Lanes<W, L>>,
    /// Columns: the diagonals of the widest band.
    width: usize,
    /// For each lane the greatest number in the rows before its query's last one, and the first row that has it.
    pub best: Vec<(u32, usize)>,
}

/// Whether lanes of `W` can hold all numbers of a matrix of `rows` rows and `width` columns.
pub(super) fn fits<W: LaneValue>(scoring: Scoring, rows: usize, width: usize) -> bool {
    let most = rows as u64 * scoring.match_score() as u64;
    let besides = scoring.max_clip() + scoring.match_score() + scoring.mismatch_penalty();
    let costs = scoring.max_short_gap() as u64;
    let limit = u64::from(W::MAX);
    most + besides as u64 <= limit && costs <= limit && rows.max(width) as u64 <= limit
}

impl<W: LaneValue, const L: usize> Matrix<W, L> {
    /// The number in column `k` of a row before the query's last one.
    #[inline]
    pub fn get(&self, lane: usize, row: usize, k: usize) -> u32 {
        self.cells[row * (self.width + 1) + k][lane].get()
    }

    /// Computes all cells of some tasks. [`fits`] must be true for each of them.
    pub fn fill(&mut self, scoring: Scoring, interleaved: &InterleavedCodes<L>) {
        #[cfg(target_arch = "x86_64")]
        {
            if Vectors::of_processor() == Vectors::Bits512 {
                #[allow(unsafe_code)]
                // SAFETY: the processor has these instructions.
                return unsafe { self.fill_avx512(scoring, interleaved) };
            }
            if is_x86_feature_detected!("avx2") {
                #[allow(unsafe_code)]
                // SAFETY: the processor has these instructions.
                return unsafe { self.fill_avx2(scoring, interleaved) };
            }
        }
        self.choose(scoring, interleaved);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
    fn fill_avx512(&mut self, scoring: Scoring, interleaved: &InterleavedCodes<L>) {
        self.choose(scoring, interleaved);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn fill_avx2(&mut self, scoring: Scoring, interleaved: &InterleavedCodes<L>) {
        self.choose(scoring, interleaved);
    }

    #[inline(always)]
    fn choose(&mut self, scoring: Scoring, interleaved: &InterleavedCodes<L>) {
        if interleaved.unknown {
            self.rows::<true>(scoring, interleaved);
        } else {
            self.rows::<false>(scoring, interleaved);
        }
    }

    #[inline(always)]
    fn rows<const UNKNOWNS: bool>(&mut self, scoring: Scoring, interleaved: &InterleavedCodes<L>) {
        let costs = LaneCosts {
            equal: W::of((scoring.match_score() + scoring.mismatch_penalty()) as u32),
            unknown: W::of((UNKNOWN_SCORE + scoring.mismatch_penalty()) as u32),
            mismatch: W::of(scoring.mismatch_penalty() as u32),
            deletion: LaneGap::new(scoring.deletion()),
            insertion: LaneGap::new(scoring.insertion()),
        };
        let (rows, width) = (interleaved.rows - 1, interleaved.width);
        let zero = [W::of(0); L];
        self.width = width;
        // One row more than is read later: the last one is written too.
        self.cells.resize((rows + 1) * (width + 1), zero);
        self.insertions.clear();
        self.insertions.resize(width + 1, zero);
        let mut begins = vec![zero; width + 1];
        let mut last = zero;
        let mut widths = [W::of(0); L];
        for (lane, task) in interleaved.tasks.iter().enumerate() {
            last[lane] = W::of(task.rows as u32 - 1);
            widths[lane] = W::of(task.width as u32);
            let clip = task.clips(scoring).begin;
            for begin in &mut begins[task.columns(0)] {
                begin[lane] = W::of(clip as u32);
            }
        }
        let narrowest = interleaved.tasks.iter().map(|task| task.width).min().unwrap_or(0);

        let (mut best, mut best_row) = (zero, zero);
        let mut before = &begins[..];
        let mut cells = &mut self.cells[..];
        for number in 0..rows {
            let (here, rest) = cells.split_at_mut(width + 1);
            let row = Row {
                query: &interleaved.query[number],
                window: &interleaved.window[number..number + width],
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
                let better = greatest[l] > best[l] && row < last[l];
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

/// A row that is being computed, and what it depends on.
struct Row<'a, W, const L: usize> {
    query: &'a [u8; L],
    window: &'a [[u8; L]],
    /// The row above. Above the first row, what an alignment is worth that begins in a column.
    before: &'a [Lanes<W, L>],
    here: &'a mut [Lanes<W, L>],
    insertions: &'a mut [Lanes<W, L>],
    /// Width of the band of each lane.
    widths: &'a Lanes<W, L>,
    /// The best beginning that ends with a deletion in the next cell.
    deletion: Lanes<W, L>,
    /// The greatest number of each lane so far.
    greatest: Lanes<W, L>,
}

impl<W: LaneValue, const L: usize> Row<'_, W, L> {
    /// Computes the row and returns the greatest number of each lane. The first `narrowest` columns are in the bands of
    /// all lanes.
    #[inline(always)]
    fn compute<const UNKNOWNS: bool, const FIRST: bool>(
        mut self,
        costs: LaneCosts<W>,
        narrowest: usize,
    ) -> Lanes<W, L> {
        self.columns::<UNKNOWNS, FIRST, false>(costs, 0..narrowest);
        self.columns::<UNKNOWNS, FIRST, true>(costs, narrowest..self.window.len());
        self.here[self.window.len()] = [W::of(0); L];
        self.greatest
    }

    /// Computes some columns. With `EDGE`, they may be outside of the bands of some lanes; with `FIRST`, the row is the
    /// first one; with `UNKNOWNS`, there are unknown bases.
    #[inline(always)]
    fn columns<const UNKNOWNS: bool, const FIRST: bool, const EDGE: bool>(
        &mut self,
        costs: LaneCosts<W>,
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
                let longer = inserted[l].minus(costs.insertion.extend);
                let opened = above[l].minus(costs.insertion.first);
                let insertion = if FIRST { zero } else { longer.max(opened) };
                let through = pair.max(insertion);
                let value = through.max(deletion[l]);
                let inside = !EDGE || column < widths[l];
                let value = if inside { value } else { zero };
                // A deletion directly behind another one only costs more, so it opens from pairs and insertions.
                let longer = deletion[l].minus(costs.deletion.extend);
                deletion[l] = longer.max(through.minus(costs.deletion.first));
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
