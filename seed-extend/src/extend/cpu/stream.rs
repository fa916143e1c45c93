//! The application of [`super::super::stages`], run by one thread.

use aligner_core::stream::{Capacity, CpuExecutor, Items, Settings};

use super::super::stages::{Aligned, topology};
use super::context::Context;

/// How it is run: a group is walked as soon as it is filled, while its cells are in the processor's cache.
pub(super) fn settings() -> Settings {
    Settings { width: 32, blocks: 1, capacity: Capacity::Minimum, ..Settings::default() }
}

/// The alignments of all tasks of a context, in any order. Runs are left there.
pub(super) fn align(context: &mut Context, settings: &Settings) -> Items<Aligned> {
    let groups = context.groups();
    if groups.is_empty() {
        return Items::default();
    }
    let (app, sink) = topology(context);
    let outputs = CpuExecutor::new(&app, settings).and_then(|executor| executor.run(&groups));
    // The runtime refuses applications and settings, and these are always the same.
    let mut outputs = outputs.unwrap_or_else(|error| unreachable!("it is legal: {error}"));
    outputs.take_in_place(sink)
}

#[cfg(test)]
mod tests {
    use aligner_core::cigar::CigarRun;
    use aligner_core::stream::Policy;

    use super::super::super::alignments::Place;
    use super::super::super::banded::Banded;
    use super::super::super::scoring::Scoring;
    use super::super::super::task::{Task, Tasks, Text};
    use super::*;

    /// The alignments of all tasks, in order.
    fn aligned(tasks: Tasks<'_>, settings: &Settings) -> Vec<(u32, Place, Vec<CigarRun>)> {
        let mut context = Context::new(Scoring::default());
        for (number, &task) in tasks.tasks.iter().enumerate() {
            let banded = Banded::new(task, number).expect("cells");
            context.add(&tasks, banded, |_, _| false);
        }
        let found = align(&mut context, settings);
        let runs = context.finish();
        let with_runs = |it: &Aligned| {
            let own = runs[it.place.first_run as usize..][..it.place.runs as usize].to_vec();
            (it.task, Place { first_run: 0, ..it.place }, own)
        };
        let mut all: Vec<_> = found.parts().flatten().map(with_runs).collect();
        all.sort_unstable_by_key(|it| it.0);
        all
    }

    #[test]
    fn alignments_do_not_depend_on_how_stages_are_run() {
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
            tasks.push(Task { query_start, query_len, window_start, window_len, low, high });
        }
        let all = Tasks { queries: &queries, text: Text::Codes(&text), tasks: &tasks };
        let expected = aligned(all, &settings());
        assert_eq!(expected.len(), tasks.len());
        for (blocks, policy) in [(1, Policy::Lazy), (3, Policy::Lazy), (3, Policy::Naive)] {
            for share_rest in [false, true] {
                let settings = Settings { blocks, policy, share_rest, ..Settings::default() };
                assert_eq!(aligned(all, &settings), expected, "{settings:?}");
            }
        }
    }
}
