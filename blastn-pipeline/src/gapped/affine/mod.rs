//! Gapped extension by dynamic programming, from a pair of places to one side.
//!
//! Cells whose score falls by more than the X-drop below the best so far are dead; a row reaches from
//! the first to the last live cell of the row before, and as far beyond as a gap survives (Zhang et
//! al., J. Comput. Biol. 5, 1998). Of equally good ends the first one found counts, and of equally
//! good ways a pair is preferred to a gap in the rows' sequence, and that to a gap in the columns'.

#[cfg(target_arch = "x86_64")]
mod simd;

use crate::gapped::script::{Op, Script};
use crate::gapped::side::Side;
use crate::scoring::{ScoreMatrix, Scoring};

/// A score that is below all others.
const DEAD: i32 = i32::MIN / 2;

/// What is extended: one side of each sequence.
#[derive(Debug, Clone, Copy)]
pub struct Sides<'a> {
    /// Of the sequence whose letters are rows.
    pub rows: Side<'a>,
    /// Of the other.
    pub columns: Side<'a>,
    /// What gaps cost.
    pub scoring: &'a Scoring,
    /// What pairs of letters score.
    pub matrix: &'a ScoreMatrix,
    /// How far scores may drop below the best; what a gap of one column costs, if that is more.
    pub x_drop: i32,
}

impl Sides<'_> {
    /// What a gap of one column costs, and each more of it, and how far scores may drop.
    pub(crate) fn limits(&self) -> (i32, i32, i32) {
        let (open, more) =
            (self.scoring.gap_open + self.scoring.gap_extend, self.scoring.gap_extend);
        (open, more, self.x_drop.max(open))
    }
}

/// How far an extension goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Extension {
    /// The best score, 0 for none.
    pub score: i32,
    /// Letters of the rows' sequence.
    pub rows: usize,
    /// Letters of the columns' sequence.
    pub columns: usize,
}

/// Where a cell's score comes from.
pub(crate) const PAIR: u8 = 0;
/// A gap in the columns' sequence: a row is skipped.
pub(crate) const SKIP_ROW: u8 = 1;
/// A gap in the rows' sequence: a column is skipped.
pub(crate) const SKIP_COLUMN: u8 = 2;
const SOURCE: u8 = 3;
/// Whether the gap through this cell is longer than this cell.
pub(crate) const ROW_GOES_ON: u8 = 4;
pub(crate) const COLUMN_GOES_ON: u8 = 8;

#[derive(Debug, Clone, Copy)]
struct Cell {
    /// Best score of a way that ends here.
    best: i32,
    /// Best score of a way whose next step skips a row.
    gap: i32,
}

/// Memory of extensions, to be used again.
#[derive(Debug, Default)]
pub struct Work {
    cells: Vec<Cell>,
    /// The same for many at a time.
    #[cfg(target_arch = "x86_64")]
    pub(crate) across: simd::Cells,
    /// Sources of the cells of all rows, end to end.
    pub(crate) sources: Vec<u8>,
    /// For each row, where its sources begin, less its first column.
    rows: Vec<isize>,
}

impl Work {
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        #[cfg(target_arch = "x86_64")]
        self.across.clear();
        self.sources.clear();
        self.rows.clear();
    }

    fn set(&mut self, column: usize, cell: Cell) {
        if column < self.cells.len() {
            self.cells[column] = cell;
        } else {
            self.cells.push(cell);
        }
    }

    /// Begins a row whose first column is `first`.
    pub(crate) fn begin_row(&mut self, first: usize) {
        self.rows.push(self.sources.len() as isize - first as isize);
    }

    fn source(&self, row: usize, column: usize) -> u8 {
        self.sources[(self.rows[row] + column as isize) as usize]
    }
}

/// A row on its way.
struct Row {
    number: usize,
    /// First live column so far, and the last.
    first: usize,
    last: usize,
    /// Best score of a way whose next step skips a column.
    gap: i32,
    /// Cost of a gap of one column, and of each more.
    open: i32,
    more: i32,
    x_drop: i32,
    found: Extension,
}

impl Row {
    /// Scores a cell, given what a pair scores there; returns the source.
    #[allow(clippy::inline_always)] // Into the loop over cells.
    #[inline(always)]
    fn step(&mut self, column: usize, cell: &mut Cell, pair: i32) -> u8 {
        let (mut source, mut score) = (PAIR, pair);
        if score < cell.gap {
            source = SKIP_ROW;
            score = cell.gap;
        }
        if score < self.gap {
            source = SKIP_COLUMN;
            score = self.gap;
        }
        if self.found.score - score > self.x_drop {
            cell.best = DEAD;
            self.first += usize::from(column == self.first);
            return source;
        }
        self.last = column;
        if score > self.found.score {
            self.found = Extension { score, rows: self.number, columns: column };
        }
        let opened = score - self.open;
        let (row_gap, column_gap) = (cell.gap - self.more, self.gap - self.more);
        source |= if row_gap < opened { 0 } else { ROW_GOES_ON };
        source |= if column_gap < opened { 0 } else { COLUMN_GOES_ON };
        self.gap = column_gap.max(opened);
        *cell = Cell { best: score, gap: row_gap.max(opened) };
        source
    }
}

/// Extends to one side (to the left if `REVERSE`); with `TRACE`, [`script`] has the columns then.
pub fn extend<const REVERSE: bool, const TRACE: bool>(
    sides: &Sides<'_>,
    work: &mut Work,
) -> Extension {
    #[cfg(target_arch = "x86_64")]
    if simd::fits(sides) && is_x86_feature_detected!("avx2") {
        #[allow(unsafe_code)]
        // SAFETY: the processor has these instructions.
        return unsafe { simd::extend::<REVERSE, TRACE>(sides, work) };
    }
    by_cell::<REVERSE, TRACE>(sides, work)
}

/// The same, cell by cell.
pub(crate) fn by_cell<const REVERSE: bool, const TRACE: bool>(
    sides: &Sides<'_>,
    work: &mut Work,
) -> Extension {
    let Sides { rows, columns, matrix, .. } = *sides;
    let (open, more, x_drop) = sides.limits();
    let (height, width) = (rows.len::<REVERSE>(), columns.len::<REVERSE>());
    work.clear();
    let found = Extension::default();
    if height == 0 || width == 0 {
        return found;
    }
    work.begin_row(0);
    work.set(0, Cell { best: 0, gap: -open });
    work.sources.push(SKIP_COLUMN);
    let mut score = -open;
    let mut end = 1;
    while end <= width && score >= -x_drop {
        work.set(end, Cell { best: score, gap: score - open });
        work.sources.push(SKIP_COLUMN);
        score -= more;
        end += 1;
    }
    let mut row = Row { number: 0, first: 0, last: 0, gap: DEAD, open, more, x_drop, found };
    for number in 1..=height {
        let scores = matrix.row(rows.letter::<REVERSE>(number - 1));
        let first = row.first;
        row = Row { number, last: first, gap: DEAD, ..row };
        let start = work.sources.len();
        if TRACE {
            work.begin_row(first);
            work.sources.resize(start + end - first, PAIR);
        }
        let mut sources = work.sources[start..].iter_mut();
        let mut note = |source| {
            if TRACE && let Some(place) = sources.next() {
                *place = source;
            }
        };
        let cells = &mut work.cells[first..end];
        let mut diagonal = cells[0].best;
        note(row.step(first, &mut cells[0], DEAD));
        let mut step = |(column, (cell, &letter)): (usize, (&mut Cell, &u8))| {
            let pair = diagonal + scores[usize::from(letter & 15)];
            diagonal = cell.best;
            note(row.step(column, cell, pair));
        };
        let letters = columns.range::<REVERSE>(first, end - 1);
        let cells = cells[1..].iter_mut();
        if REVERSE {
            (first + 1..).zip(cells.zip(letters.iter().rev())).for_each(&mut step);
        } else {
            (first + 1..).zip(cells.zip(letters)).for_each(&mut step);
        }
        if row.first == end {
            break;
        }
        if row.last + 1 < end {
            end = row.last + 1;
        } else {
            while row.gap >= row.found.score - x_drop && end <= width {
                work.set(end, Cell { best: row.gap, gap: row.gap - open });
                row.gap -= more;
                if TRACE {
                    work.sources.push(SKIP_COLUMN);
                }
                end += 1;
            }
        }
        if end <= width {
            work.set(end, Cell { best: DEAD, gap: DEAD });
            end += 1;
        }
    }
    row.found
}

/// The columns of the last extension, from its far end to where it began. Rows are letters of the
/// query.
pub fn script(work: &Work, found: &Extension) -> Script {
    let (mut row, mut column) = (found.rows, found.columns);
    let mut script = Script::default();
    let mut step = PAIR;
    while row > 0 || column > 0 {
        let source = work.source(row, column);
        step = match step {
            SKIP_COLUMN if source & COLUMN_GOES_ON != 0 => SKIP_COLUMN,
            SKIP_ROW if source & ROW_GOES_ON != 0 => SKIP_ROW,
            _ => source & SOURCE,
        };
        match step {
            SKIP_COLUMN => {
                column -= 1;
                script.push(Op::Deletion, 1);
            }
            SKIP_ROW => {
                row -= 1;
                script.push(Op::Insertion, 1);
            }
            _ => {
                row -= 1;
                column -= 1;
                script.push(Op::Pair, 1);
            }
        }
    }
    script
}
