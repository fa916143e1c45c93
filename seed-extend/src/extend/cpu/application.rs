//! The application of [`stages`](crate::extend::stages), run by the calling thread.

use aligner_core::stream::{Capacity, CpuExecutor, Items, Settings};

use super::context::AlignmentWorkspace;
use crate::extend::alignments::TaskAlignment;
use crate::extend::stages::topology;

/// Settings of the application: a group is walked through as soon as it is filled, while its cells are in the cache.
pub(super) fn settings() -> Settings {
    Settings { width: 32, blocks: 1, capacity: Capacity::Minimum, ..Settings::default() }
}

/// The alignments of all tasks of a workspace, in any order. Their CIGAR runs stay in the workspace.
pub(super) fn align(context: &mut AlignmentWorkspace, settings: &Settings) -> Items<TaskAlignment> {
    let groups = context.groups();
    if groups.is_empty() {
        return Items::default();
    }
    let (app, sink) = topology(context);
    let outputs = CpuExecutor::new(&app, settings).and_then(|executor| executor.run(&groups));
    // The runtime refuses only illegal applications and settings, and these are always the same legal ones.
    let mut outputs = outputs.unwrap_or_else(|error| unreachable!("it is legal: {error}"));
    outputs.take_in_place(sink)
}

#[cfg(test)]
mod tests {
    use aligner_core::stream::Policy;

    use super::super::vectors::Vectors;
    use super::*;
    use crate::extend::alignments::{Alignment, AlignmentSpan};
    use crate::extend::banded_task::BandedTask;
    use crate::extend::columns::Prediction;
    use crate::extend::scoring::Scoring;
    use crate::extend::tasks::{AlignmentTask, QueryCodes, ReferenceText, TaskBatch};

    /// The alignments of all tasks, in order.
    fn aligned(
        tasks: TaskBatch<'_>,
        settings: &Settings,
        vectors: Vectors,
    ) -> Vec<(u32, Alignment)> {
        let mut context = AlignmentWorkspace::with_vectors(Scoring::default(), vectors);
        for (number, &task) in tasks.tasks.iter().enumerate() {
            let banded = BandedTask::new(task, number).expect("cells");
            context.add_unless(&tasks, banded, |_, _| false);
        }
        let found = align(&mut context, settings);
        let runs = context.finish();
        let with_runs = |it: &TaskAlignment| {
            let own = runs[it.span.first_run as usize..][..it.span.run_count as usize].to_vec();
            (it.task, Alignment { span: AlignmentSpan { first_run: 0, ..it.span }, runs: own })
        };
        let mut all: Vec<_> = found.parts().flatten().map(with_runs).collect();
        all.sort_unstable_by_key(|it| it.0);
        all
    }

    #[test]
    fn alignments_do_not_depend_on_vectors_and_how_stages_are_run() {
        let mut random = fastrand::Rng::with_seed(4);
        let text: Vec<u8> = (0..3000).map(|_| random.u8(..4)).collect();
        let (mut queries, mut tasks) = (Vec::new(), Vec::new());
        // Numbers of all sizes, and many groups of the same.
        for _ in 0..600 {
            let query_len = [30, 100, 280, 300][random.usize(..4)];
            let window_start = random.u32(..3000 - 400);
            let query_start = queries.len() as u32;
            let window = &text[window_start as usize..][..query_len as usize];
            let change = |&code: &u8| if random.u8(..20) == 0 { (code + 1) % 4 } else { code };
            queries.extend(window.iter().map(change));
            let window_len = query_len + 50;
            let (low, high) = (-5, random.i32(0..40));
            tasks.push(AlignmentTask {
                query_start,
                query_len,
                window_start,
                window_len,
                low,
                high,
                is_reverse: 0,
                prediction: Prediction::default(),
            });
        }
        let all = TaskBatch {
            queries: QueryCodes::Codes(&queries),
            text: ReferenceText::Codes(&text),
            tasks: &tasks,
        };
        let expected = aligned(all, &settings(), Vectors::Bits256);
        assert_eq!(expected.len(), tasks.len());
        assert_eq!(aligned(all, &settings(), Vectors::Bits512), expected);
        for (blocks, policy) in [(1, Policy::Lazy), (3, Policy::Lazy), (3, Policy::Naive)] {
            for share_rest in [false, true] {
                let settings = Settings { blocks, policy, share_rest, ..Settings::default() };
                assert_eq!(aligned(all, &settings, Vectors::Bits512), expected, "{settings:?}");
            }
        }
    }
}
