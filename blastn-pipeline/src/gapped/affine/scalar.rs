//! Extension with affine gap costs, cell by cell.

use super::side_pair::{AffineReach, ExtensionLimits, SidePair};
use super::workspace::{
    AffineBuffers, COLUMN_GOES_ON, Cell, DEAD, PAIR, ROW_GOES_ON, SKIP_COLUMN, SKIP_ROW,
};

/// A row while its cells are scored.
struct Row {
    /// Index of the row, from 1.
    number: usize,
    /// First live column so far.
    first: usize,
    /// Last live column so far.
    last: usize,
    /// Best score of an alignment whose next column skips a column of the matrix.
    gap: i32,
    /// Cost of a gap of one column.
    open: i32,
    /// Cost of each further column.
    more: i32,
    x_drop: i32,
    found: AffineReach,
}

impl Row {
    /// Scores a cell, given the score with a pair as its last column; returns its source.
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
            self.found = AffineReach { score, rows: self.number, columns: column };
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

/// Extends to one side as [`super::extend`], cell by cell.
pub(crate) fn extend_scalar<const REVERSE: bool, const TRACE: bool>(
    sides: &SidePair<'_>,
    work: &mut AffineBuffers,
) -> AffineReach {
    let SidePair { rows, columns, matrix, .. } = *sides;
    let ExtensionLimits { first_gap: open, more_gap: more, x_drop } = sides.limits();
    let (height, width) = (rows.len::<REVERSE>(), columns.len::<REVERSE>());
    work.clear();
    let found = AffineReach::default();
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
