//! The engine for processors.
//!
//! The middle diagonal of a task's band tells most answers at once ([`super::ungapped`]). Other tasks
//! of similar size are done together, a SIMD lane a task, in the narrowest numbers that hold their
//! scores; for alignments by the stages of [`super::stages`]. Rayon does chunks of tasks in parallel.

mod across;
mod context;
mod group;
mod matrix;
mod output;
mod own;
mod stream;
mod walk;
mod word;

use rayon::prelude::*;

use super::alignments::Alignments;
use super::banded::Banded;
use super::scoring::Scoring;
use super::task::{Scored, Tasks};
use super::ungapped;
pub use context::Context;
use output::{Output, Traces};

/// Tasks that a thread takes at a time: so many that few lanes idle.
const CHUNK: usize = 8192;

/// Fewer are not worth the while.
const LEAST_CHUNK: usize = 256;

/// The scores of the tasks, in their order.
///
/// # Panics
/// If a task is none of [`Tasks::check`].
pub fn score(scoring: Scoring, tasks: Tasks<'_>) -> Vec<Scored> {
    chunks::<Vec<Scored>>(scoring, tasks).concat()
}

/// The alignments of the tasks, in their order.
///
/// # Panics
/// If a task is none of [`Tasks::check`].
pub fn align(scoring: Scoring, tasks: Tasks<'_>) -> Alignments {
    let mut all = Alignments::default();
    for chunk in chunks::<Traces>(scoring, tasks) {
        all.append(chunk.alignments);
    }
    all
}

/// What is found of each chunk of tasks.
fn chunks<O: Output>(scoring: Scoring, tasks: Tasks<'_>) -> Vec<O> {
    tasks.check();
    let share = tasks.tasks.len().div_ceil(4 * rayon::current_num_threads());
    let chunks = tasks.tasks.par_chunks(share.clamp(LEAST_CHUNK, CHUNK));
    let work =
        |context: &mut Context, chunk| one_chunk(scoring, Tasks { tasks: chunk, ..tasks }, context);
    chunks.map_init(|| Context::new(scoring), work).collect()
}

fn one_chunk<O: Output>(scoring: Scoring, tasks: Tasks<'_>, context: &mut Context) -> O {
    let mut output = O::of(tasks.tasks.len());
    for (number, &task) in tasks.tasks.iter().enumerate() {
        let Some(banded) = Banded::new(task, number) else { continue };
        context.add(&tasks, banded, |query, window| {
            let diagonal = i32::midpoint(task.low, task.high);
            let score = ungapped::score(scoring, query, window, (task.low, diagonal, task.high));
            if let Some(score) = score {
                let opposite = &window[diagonal as usize..][..query.len()];
                output.keep_ungapped(number, score, diagonal as u32, (query, opposite));
            }
            score.is_some()
        });
        if context.is_full() {
            output.compute(context);
        }
    }
    output.compute(context);
    output
}
