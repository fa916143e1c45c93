//! The engine for CPUs.
//!
//! For most tasks the middle diagonal of the band tells the answer ([`super::ungapped`]). Other tasks of similar size
//! are computed together, a lane of a SIMD vector a task, in the narrowest numbers that hold their scores; alignments
//! are made by the stages of [`super::stages`]. Rayon runs chunks of tasks in parallel.
//!
//! | module | concept |
//! |---|---|
//! | `context` | tasks and the memory of groups |
//! | `group` | tasks of similar size, and their matrices |
//! | `padded_rows`, `interleaved` | codes in a SIMD layout |
//! | `vectors` | how long the processor's vectors are |
//! | `lane_value`, `matrix` | numbers of 8, 16 or 32 bits, and matrices of them |
//! | `traceback` | from a matrix to an alignment |
//! | `application`, `output` | running the stages, and results of a chunk |

mod application;
mod context;
mod group;
mod interleaved;
mod lane_value;
mod matrix;
mod output;
mod padded_rows;
mod traceback;
mod vectors;

use rayon::prelude::*;

use super::alignments::Alignments;
use super::banded_task::BandedTask;
use super::scoring::Scoring;
use super::tasks::{AlignmentEnd, TaskBatch};
use super::ungapped::{self, DiagonalInBand};
pub use context::AlignmentWorkspace;
use output::{ChunkAlignments, ChunkResults};

use crate::shares::shares;

/// Tasks that a thread takes at a time, at most: enough that few lanes idle.
const CHUNK: usize = 8192;

/// Tasks that a thread takes at a time, at least: fewer are not worth a task of the pool.
const MIN_CHUNK: usize = 256;

/// The text of a task is fetched from memory while as many tasks before it are looked at.
const FETCHED_AHEAD: usize = 8;

/// Score and end of the best alignment of each task, in the order of tasks, on the current rayon pool.
///
/// # Panics
/// If [`TaskBatch::check`] refuses a task.
pub fn score(scoring: Scoring, tasks: TaskBatch<'_>) -> Vec<AlignmentEnd> {
    chunks::<Vec<AlignmentEnd>>(scoring, tasks).concat()
}

/// The best alignment of each task, in the order of tasks, on the current rayon pool.
///
/// # Panics
/// If [`TaskBatch::check`] refuses a task.
pub fn align(scoring: Scoring, tasks: TaskBatch<'_>) -> Alignments {
    let mut found = Alignments::default();
    align_into(scoring, tasks, &mut found);
    found
}

/// Replaces `found` by the result of [`align`], so that a batch uses the memory of the one before.
pub(super) fn align_into(scoring: Scoring, tasks: TaskBatch<'_>, found: &mut Alignments) {
    let chunks = chunks::<ChunkAlignments>(scoring, tasks);
    found.clear();
    found.spans.reserve(tasks.tasks.len());
    found.runs.reserve(chunks.iter().map(|chunk| chunk.alignments.runs.len()).sum());
    for chunk in chunks {
        found.append(chunk.alignments);
    }
}

/// The results of each chunk of tasks.
fn chunks<O: ChunkResults>(scoring: Scoring, tasks: TaskBatch<'_>) -> Vec<O> {
    tasks.check();
    let share = tasks.tasks.len().div_ceil(shares());
    let chunks = tasks.tasks.par_chunks(share.clamp(MIN_CHUNK, CHUNK));
    let work = |context: &mut AlignmentWorkspace, chunk| {
        one_chunk(scoring, TaskBatch { tasks: chunk, ..tasks }, context)
    };
    chunks.map_init(|| AlignmentWorkspace::new(scoring), work).collect()
}

/// The results of one chunk of tasks.
fn one_chunk<O: ChunkResults>(
    scoring: Scoring,
    tasks: TaskBatch<'_>,
    context: &mut AlignmentWorkspace,
) -> O {
    let mut output = O::of(tasks.tasks.len());
    for (number, &task) in tasks.tasks.iter().enumerate() {
        if let Some(next) = tasks.tasks.get(number + FETCHED_AHEAD) {
            tasks.text.prefetch(next.window_start..next.window_start + next.window_len);
        }
        let Some(banded) = BandedTask::new(task, number) else { continue };
        let is_ungapped = |query: &[u8], window: &[u8]| {
            let diagonal = i32::midpoint(task.low, task.high);
            let band = DiagonalInBand { low: task.low, diagonal, high: task.high };
            let score = ungapped::score(scoring, banded.clips(scoring), query, window, band);
            if let Some(score) = score {
                let opposite = &window[diagonal as usize..][..query.len()];
                let codes = (query, opposite);
                output.keep_ungapped((number, &task), (score, scoring), diagonal as u32, codes);
            }
            score.is_some()
        };
        context.add_unless(&tasks, banded, is_ungapped);
        if context.is_full() {
            output.compute(context);
        }
    }
    output.compute(context);
    output
}
