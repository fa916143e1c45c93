//! Alignments of many tasks, the runs of all in one array.

use aligner_core::cigar::{Op, Run};
use bytemuck::{Pod, Zeroable};

/// The alignment of a task, but for its columns; places in query and window from 0, ends are behind
/// the last pair. All is 0 where no alignment scores more than 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// The score.
    pub score: i32,
    /// The first pair's place in the query.
    pub query_begin: u32,
    /// Behind the last pair, in the query.
    pub query_end: u32,
    /// The first pair's place in the window.
    pub window_begin: u32,
    /// Behind the last pair, in the window.
    pub window_end: u32,
    /// How many runs its columns have.
    pub runs: u32,
    /// The first of them among the runs of all tasks.
    pub first_run: u64,
}

const _: () = assert!(size_of::<Place>() == 32);

/// Alignments of tasks, in their order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignments {
    /// Where they are.
    pub places: Vec<Place>,
    /// Columns of all of them: those of a task follow those of the one before.
    pub runs: Vec<Run>,
}

/// One alignment with its columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// Where it is; its first run is number 0.
    pub place: Place,
    /// Its columns from the first pair to the last: neighbouring runs differ, and none is empty.
    pub runs: Vec<Run>,
}

impl Alignments {
    /// The columns of a task's alignment, from the first pair to the last.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn runs_of(&self, task: usize) -> &[Run] {
        let place = &self.places[task];
        &self.runs[place.first_run as usize..][..place.runs as usize]
    }

    /// Adds that of the next task.
    pub(crate) fn push(&mut self, place: Place, runs: &[Run]) {
        let first_run = self.runs.len() as u64;
        self.places.push(Place { runs: runs.len() as u32, first_run, ..place });
        self.runs.extend_from_slice(runs);
    }
}

impl FromIterator<Alignment> for Alignments {
    fn from_iter<I: IntoIterator<Item = Alignment>>(all: I) -> Self {
        let mut alignments = Self::default();
        for alignment in all {
            alignments.push(alignment.place, &alignment.runs);
        }
        alignments
    }
}

/// Adds columns behind others.
pub(crate) fn push(runs: &mut Vec<Run>, op: Op, count: u32) {
    match runs.last_mut() {
        Some(last) if last.op() == op => *last = Run::new(op, last.count() + count),
        _ => runs.push(Run::new(op, count)),
    }
}
