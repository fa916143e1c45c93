//! The codes of several tasks in an interleaved layout: an array of `L` codes for each place, a lane of a vector a
//! task.

use super::padded_rows::PaddedRows;
use crate::extend::UNKNOWN;
use crate::extend::banded_task::BandedTask;
use crate::extend::tasks::TaskBatch;

/// Added to an unknown base of a window, so that it does not equal an unknown base of a query.
const OTHER: u8 = 1;

/// The codes of up to `L` tasks, interleaved and one task after the other.
#[derive(Default)]
pub(super) struct InterleavedCodes<const L: usize> {
    /// The tasks, a lane each.
    pub tasks: Vec<BandedTask>,
    /// Bases of the longest query.
    pub rows: usize,
    /// Diagonals of the widest band.
    pub width: usize,
    /// Codes of the queries: an array for each place.
    pub query: Vec<[u8; L]>,
    /// Codes of the windows: an array for each place, counted from the first diagonal of each band in the first row.
    pub window: Vec<[u8; L]>,
    /// Whether any query or window has an unknown base.
    pub unknown: bool,
    /// Codes of the queries, one after the other.
    query_rows: PaddedRows,
    /// Codes of the windows, one after the other.
    window_rows: PaddedRows,
}

impl<const L: usize> InterleavedCodes<L> {
    /// Replaces the codes by those of some tasks, at most `L`.
    pub fn read(&mut self, all: &TaskBatch<'_>, tasks: &[BandedTask]) {
        self.tasks.clear();
        self.tasks.extend_from_slice(tasks);
        self.rows = tasks.iter().map(|task| task.rows).max().unwrap_or(0);
        self.width = tasks.iter().map(|task| task.width).max().unwrap_or(0);
        self.unknown = false;
        self.query_rows.clear(tasks.len(), self.rows);
        self.window_rows.clear(tasks.len(), self.rows + self.width);
        for (lane, banded) in tasks.iter().enumerate() {
            let query = all.query(banded.task);
            self.unknown |= query.contains(&UNKNOWN);
            self.query_rows.row_mut(lane)[..query.len()].copy_from_slice(query);

            let (places, offset) = banded.window();
            let codes = &mut self.window_rows.row_mut(lane)[offset..offset + places.len()];
            all.text.read(banded.task.window_start as usize + places.start, codes);
            if codes.contains(&UNKNOWN) {
                self.unknown = true;
                for code in codes {
                    *code += u8::from(*code == UNKNOWN) * OTHER;
                }
            }
        }
        self.query_rows.interleave(&mut self.query);
        self.window_rows.interleave(&mut self.window);
    }

    /// The codes of a lane's query, with padding behind them.
    pub fn query_of(&self, lane: usize) -> &[u8] {
        self.query_rows.row(lane)
    }

    /// The codes of a lane's window, from the band's first diagonal in the first row on. Unknown bases have a code that
    /// no query has.
    pub fn window_of(&self, lane: usize) -> &[u8] {
        self.window_rows.row(lane)
    }
}
