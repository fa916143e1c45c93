//! What is kept of the alignments of a chunk of tasks.

use aligner_core::cigar::{CigarOp, CigarRun, push_run};

use super::super::alignments::{Alignments, Place};
use super::super::task::Scored;
use super::super::ungapped;
use super::context::Context;
use super::stream;

/// What is kept of each task's alignment, by the task's place.
pub(super) trait Output: Send {
    /// For so many tasks, of which none has an alignment so far.
    fn of(tasks: usize) -> Self;
    /// Keeps an alignment of all codes of a query with as many of the window, from `place` on.
    fn keep_ungapped(&mut self, task: usize, score: i32, place: u32, codes: (&[u8], &[u8]));
    /// Computes the tasks of a context, and keeps what it finds.
    fn compute(&mut self, context: &mut Context);
}

impl Output for Vec<Scored> {
    fn of(tasks: usize) -> Self {
        vec![Scored::default(); tasks]
    }

    fn keep_ungapped(&mut self, task: usize, score: i32, place: u32, (query, _): (&[u8], &[u8])) {
        let query_end = query.len() as u32;
        self[task] = Scored { score, query_end, window_end: place + query_end };
    }

    fn compute(&mut self, context: &mut Context) {
        for group in context.groups() {
            context.score(group, |task, scored| self[task] = scored);
        }
        context.finish();
    }
}

/// Alignments, and a room for one.
#[derive(Default)]
pub(super) struct Traces {
    pub alignments: Alignments,
    room: Vec<CigarRun>,
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
            self.room.extend(
                (different > done)
                    .then(|| CigarRun::new(CigarOp::Equal, (different - done) as u32)),
            );
            push_run(&mut self.room, CigarOp::Different, 1);
            done = different + 1;
        });
        let rest = query.len() - done;
        self.room.extend((rest > 0).then(|| CigarRun::new(CigarOp::Equal, rest as u32)));
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

    fn compute(&mut self, context: &mut Context) {
        let aligned = stream::align(context, &stream::settings());
        let runs = context.finish();
        self.alignments.add(aligned.parts().flatten(), std::iter::once(&runs[..]));
    }
}
