//! Tasks as banded matrices: a row for each base of the query, a column for each diagonal of the band.

use std::ops::Range;

use super::scoring::{QueryClips, Scoring};
use super::tasks::AlignmentTask;

/// A task that has cells, with its band cut to the diagonals that have any.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandedTask {
    /// The task, with its whole band.
    pub task: AlignmentTask,
    /// Number of the task in its batch.
    pub number: usize,
    /// Bases of the query, at least 1.
    pub rows: usize,
    /// The least diagonal that has cells.
    pub low: i32,
    /// Number of diagonals, at least 1.
    pub width: usize,
}

impl BandedTask {
    /// A task, or `None` if no pair of bases is in its band.
    pub fn new(task: AlignmentTask, number: usize) -> Option<Self> {
        let (m, n) = (task.query_len as i32, task.window_len as i32);
        let (low, high) = (task.low.max(1 - m), task.high.min(n - 1));
        let has_cells = m > 0 && n > 0 && low <= high;
        has_cells.then(|| Self {
            task,
            number,
            rows: m as usize,
            low,
            width: (high - low + 1) as usize,
        })
    }

    /// Penalties of clipping an end of the query.
    pub fn clips(&self, scoring: Scoring) -> QueryClips {
        scoring.query_clips(self.task.is_reverse != 0)
    }

    /// An upper bound of the number of cells.
    pub fn cells(&self) -> usize {
        self.rows * self.width
    }

    /// The range of the window that the band covers, and the column of its first base in the first row.
    pub fn window(&self) -> (Range<usize>, usize) {
        let first = self.low.max(0);
        let end = (self.task.window_len as usize)
            .min((self.low + (self.rows + self.width) as i32 - 1) as usize);
        (first as usize..end, (first - self.low) as usize)
    }

    /// The columns of a row that are inside the window.
    pub fn columns(&self, row: usize) -> Range<usize> {
        let first = i64::from(self.low) + row as i64;
        let column = |place: i64| (place - first).clamp(0, self.width as i64) as usize;
        column(0)..column(i64::from(self.task.window_len))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bands_are_cut_to_what_has_cells() {
        let task = |query_len, window_len, low, high| AlignmentTask {
            query_len,
            window_len,
            low,
            high,
            ..AlignmentTask::default()
        };
        let banded = |task| BandedTask::new(task, 3).map(|it| (it.low, it.width, it.window()));
        assert_eq!(banded(task(5, 9, i32::MIN, i32::MAX)), Some((-4, 13, (0..9, 4))));
        assert_eq!(banded(task(5, 9, 2, 3)), Some((2, 2, (2..8, 0))));
        assert_eq!(banded(task(5, 9, -2, -2)), Some((-2, 1, (0..3, 2))));
        assert_eq!(banded(task(5, 9, 8, 20)), Some((8, 1, (8..9, 0))));
        let columns = |row| BandedTask::new(task(5, 6, -2, 3), 0).map(|it| it.columns(row));
        assert_eq!([0, 1, 2, 3, 4].map(columns), [2..6, 1..6, 0..6, 0..5, 0..4].map(Some));
        for none in [task(5, 9, 9, 20), task(5, 9, -9, -5), task(5, 9, 3, 2)] {
            assert_eq!(banded(none), None);
        }
        assert_eq!(banded(task(0, 9, -9, 9)), None);
        assert_eq!(banded(task(5, 0, -9, 9)), None);
    }
}
