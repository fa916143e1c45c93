//! Results of a chunk of tasks: scores alone, or alignments.

use aligner_core::cigar::{CigarOp, CigarRun, push_run};

use super::application;
use super::context::AlignmentWorkspace;
use crate::extend::alignments::{AlignmentSpan, Alignments};
use crate::extend::columns::judged;
use crate::extend::scoring::Scoring;
use crate::extend::tasks::{AlignmentEnd, AlignmentTask};
use crate::extend::ungapped;

/// Results of a chunk of tasks, by the number of the task in the chunk.
pub(super) trait ChunkResults: Send {
    /// Results of `tasks` tasks, none of which has an alignment yet.
    fn of(tasks: usize) -> Self;
    /// Keeps the alignment of a whole query, without gaps, with the codes of the window from `window_begin` on. `codes`
    /// are those of the query and of that part of the window.
    fn keep_ungapped(
        &mut self,
        task: (usize, &AlignmentTask),
        score: (i32, Scoring),
        window_begin: u32,
        codes: (&[u8], &[u8]),
    );
    /// Computes the tasks of a workspace, and keeps their results.
    fn compute(&mut self, context: &mut AlignmentWorkspace);
}

impl ChunkResults for Vec<AlignmentEnd> {
    fn of(tasks: usize) -> Self {
        vec![AlignmentEnd::default(); tasks]
    }

    fn keep_ungapped(
        &mut self,
        (task, _): (usize, &AlignmentTask),
        (score, _): (i32, Scoring),
        window_begin: u32,
        (query, _): (&[u8], &[u8]),
    ) {
        let query_end = query.len() as u32;
        self[task] = AlignmentEnd { score, query_end, window_end: window_begin + query_end };
    }

    fn compute(&mut self, context: &mut AlignmentWorkspace) {
        for group in context.groups() {
            context.score(group, |task, end| self[task] = end);
        }
        context.finish();
    }
}

/// Alignments of a chunk of tasks, and a buffer for the CIGAR runs of one.
#[derive(Default)]
pub(super) struct ChunkAlignments {
    pub alignments: Alignments,
    runs: Vec<CigarRun>,
}

impl ChunkResults for ChunkAlignments {
    fn of(tasks: usize) -> Self {
        let spans = vec![AlignmentSpan::default(); tasks];
        Self { alignments: Alignments { spans, runs: Vec::new() }, runs: Vec::new() }
    }

    fn keep_ungapped(
        &mut self,
        (number, task): (usize, &AlignmentTask),
        (score, scoring): (i32, Scoring),
        window_begin: u32,
        (query, opposite): (&[u8], &[u8]),
    ) {
        self.runs.clear();
        let mut done = 0;
        ungapped::differences(query, opposite, |different| {
            self.runs.extend(
                (different > done)
                    .then(|| CigarRun::new(CigarOp::Equal, (different - done) as u32)),
            );
            push_run(&mut self.runs, CigarOp::Different, 1);
            done = different + 1;
        });
        let rest = query.len() - done;
        self.runs.extend((rest > 0).then(|| CigarRun::new(CigarOp::Equal, rest as u32)));
        let query_end = query.len() as u32;
        let span = AlignmentSpan {
            score,
            query_end,
            window_begin,
            window_end: window_begin + query_end,
            ..AlignmentSpan::default()
        };
        self.alignments.set(number, judged(span, &self.runs, task, scoring), &self.runs);
    }

    fn compute(&mut self, context: &mut AlignmentWorkspace) {
        let aligned = application::align(context, &application::settings());
        let runs = context.finish();
        self.alignments.add(aligned.parts().flatten(), std::iter::once(&runs[..]));
    }
}
