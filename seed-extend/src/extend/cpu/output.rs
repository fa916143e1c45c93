//! What is kept of the alignments of a chunk of tasks.

use aligner_core::cigar::{Op, Run};

use super::super::alignments::{Alignments, Place, push};
use super::super::task::Scored;
use super::super::ungapped;
use super::walk::Walker;
use super::word::Word;

/// What is kept of each task's alignment, by the task's place.
pub(super) trait Output: Send {
    /// For so many tasks, of which none has an alignment so far.
    fn of(tasks: usize) -> Self;
    /// Keeps an alignment of all codes of a query with as many of the window, from `place` on.
    fn keep_ungapped(&mut self, task: usize, score: i32, place: u32, codes: (&[u8], &[u8]));
    /// Keeps the alignment of a task.
    fn keep<W: Word, const L: usize>(&mut self, task: usize, walker: &Walker<'_, W, L>);
}

impl Output for Vec<Scored> {
    fn of(tasks: usize) -> Self {
        vec![Scored::default(); tasks]
    }

    fn keep_ungapped(&mut self, task: usize, score: i32, place: u32, (query, _): (&[u8], &[u8])) {
        let query_end = query.len() as u32;
        self[task] = Scored { score, query_end, window_end: place + query_end };
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

    fn keep_ungapped(
        &mut self,
        task: usize,
        score: i32,
        place: u32,
        (query, opposite): (&[u8], &[u8]),
    ) {
        self.room.clear();
        let mut done = 0;
        ungapped::differences(query, opposite, |different| {
            self.room
                .extend((different > done).then(|| Run::new(Op::Equal, (different - done) as u32)));
            push(&mut self.room, Op::Different, 1);
            done = different + 1;
        });
        let rest = query.len() - done;
        self.room.extend((rest > 0).then(|| Run::new(Op::Equal, rest as u32)));
        let query_end = query.len() as u32;
        let place = Place {
            score,
            query_end,
            window_begin: place,
            window_end: place + query_end,
            ..Place::default()
        };
        self.alignments.set(task, place, &self.room);
    }

    fn keep<W: Word, const L: usize>(&mut self, task: usize, walker: &Walker<'_, W, L>) {
        if let Some(end) = walker.end() {
            let place = walker.place(end, &mut self.room);
            self.alignments.set(task, place, &self.room);
        }
    }
}
