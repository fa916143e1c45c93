//! The codes of several tasks, a lane a task.

use super::super::UNKNOWN;
use super::super::banded::Banded;
use super::super::task::Tasks;
use super::own::Own;

/// A code beside the window, beyond the query, or of a lane without a task.
pub(super) const NONE: u8 = 7;

/// What is added to an unknown base of a window, so that it is not equal to one of a query.
const OTHER: u8 = 1;

/// The codes of up to `L` tasks.
#[derive(Default)]
pub(super) struct Across<const L: usize> {
    /// The tasks.
    pub tasks: Vec<Banded>,
    /// Places of the longest query.
    pub rows: usize,
    /// Diagonals of the widest band.
    pub width: usize,
    /// By place in the queries.
    pub query: Vec<[u8; L]>,
    /// By place in the windows, from the first diagonal of each band on.
    pub window: Vec<[u8; L]>,
    /// Whether there are unknown bases.
    pub unknown: bool,
    own_queries: Own,
    own_windows: Own,
}

impl<const L: usize> Across<L> {
    /// Reads the codes of some tasks, at most `L`.
    pub fn read(&mut self, all: &Tasks<'_>, tasks: &[Banded]) {
        self.tasks.clear();
        self.tasks.extend_from_slice(tasks);
        self.rows = tasks.iter().map(|task| task.rows).max().unwrap_or(0);
        self.width = tasks.iter().map(|task| task.width).max().unwrap_or(0);
        self.unknown = false;
        self.own_queries.clear(tasks.len(), self.rows);
        self.own_windows.clear(tasks.len(), self.rows + self.width);
        for (lane, banded) in tasks.iter().enumerate() {
            let query = all.query(banded.task);
            self.unknown |= query.contains(&UNKNOWN);
            self.own_queries.of_mut(lane)[..query.len()].copy_from_slice(query);

            let (places, offset) = banded.window();
            let codes = &mut self.own_windows.of_mut(lane)[offset..offset + places.len()];
            all.text.read(banded.task.window_start as usize + places.start, codes);
            for code in codes {
                self.unknown |= *code == UNKNOWN;
                *code += u8::from(*code == UNKNOWN) * OTHER;
            }
        }
        self.own_queries.transpose(&mut self.query);
        self.own_windows.transpose(&mut self.window);
    }

    /// The codes of a lane's query.
    pub fn query_of(&self, lane: usize) -> &[u8] {
        self.own_queries.of(lane)
    }

    /// The codes of a lane's window, from the band's first diagonal on; unknown ones are none of a
    /// query.
    pub fn window_of(&self, lane: usize) -> &[u8] {
        self.own_windows.of(lane)
    }
}
