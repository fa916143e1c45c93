//! The engine for processors.

use rayon::prelude::*;

use super::alignments::{Alignment, Alignments};
use super::oracle;
use super::scoring::Scoring;
use super::task::{Scored, Task, Tasks};

/// The scores of the tasks, in their order.
///
/// # Panics
/// If a task names codes that are not there.
pub fn score(scoring: Scoring, tasks: Tasks<'_>) -> Vec<Scored> {
    let ends = |alignment: Alignment| Scored {
        score: alignment.place.score,
        query_end: alignment.place.query_end,
        window_end: alignment.place.window_end,
    };
    all(scoring, tasks).into_iter().map(ends).collect()
}

/// The alignments of the tasks, in their order.
///
/// # Panics
/// If a task names codes that are not there.
pub fn align(scoring: Scoring, tasks: Tasks<'_>) -> Alignments {
    all(scoring, tasks).into_iter().collect()
}

fn all(scoring: Scoring, tasks: Tasks<'_>) -> Vec<Alignment> {
    tasks.check();
    let align = |&task: &Task| {
        oracle::align(scoring, tasks.query(task), &tasks.window(task), task.low, task.high)
    };
    tasks.tasks.par_iter().map(align).collect()
}
