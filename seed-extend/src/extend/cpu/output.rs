//! What is kept of the alignments of a chunk of tasks.

use aligner_core::cigar::Run;

use super::super::alignments::{Alignments, Place};
use super::super::task::Scored;
use super::walk::Walker;
use super::word::Word;

/// What is kept of each task's alignment, by the task's place.
pub(super) trait Output: Send {
    /// For so many tasks, of which none has an alignment so far.
    fn of(tasks: usize) -> Self;
    /// Keeps the alignment of a task.
    fn keep<W: Word, const L: usize>(&mut self, task: usize, walker: &Walker<'_, W, L>);
}

impl Output for Vec<Scored> {
    fn of(tasks: usize) -> Self {
        vec![Scored::default(); tasks]
    }

    fn keep<W: Word, const L: usize>(&mut self, task: usize, walker: &Walker<'_, W, L>) {
        if let Some(end) = walker.end() {
            self[task] = walker.scored(end);
        }
    }
}

/// Alignments, and a room for one.
#[derive(Default)]
pub(super) struct Traces {
    pub alignments: Alignments,
    room: Vec<Run>,
}

impl Output for Traces {
    fn of(tasks: usize) -> Self {
        let places = vec![Place::default(); tasks];
        Self { alignments: Alignments { places, runs: Vec::new() }, room: Vec::new() }
    }

    fn keep<W: Word, const L: usize>(&mut self, task: usize, walker: &Walker<'_, W, L>) {
        if let Some(end) = walker.end() {
            let place = walker.place(end, &mut self.room);
            self.alignments.set(task, place, &self.room);
        }
    }
}
