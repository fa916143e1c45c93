//! Alignments of many tasks, with the CIGAR runs of all in one array.

use aligner_core::cigar::CigarRun;
use aligner_core::device_struct;

device_struct! {
    /// Score and place of the alignment of a task, what its columns tell, and where its CIGAR runs are. Places in query and window are from 0,
    /// ends are exclusive. All fields are 0 if no alignment scores more than 0.
    #[derive(PartialEq, Eq, Default)]
    pub struct AlignmentSpan {
        /// Score of the alignment.
        pub score: i32,
        /// First aligned base of the query.
        pub query_begin: u32,
        /// End in the query, exclusive.
        pub query_end: u32,
        /// First aligned base of the window.
        pub window_begin: u32,
        /// End in the window, exclusive.
        pub window_end: u32,
        /// The best score of any stretch of the columns. Clipped ends cost nothing here.
        pub best_stretch: i32,
        /// 1 if the alignment goes through where the task [predicts](super::columns::Prediction) it, else 0.
        pub is_predicted: u32,
        /// Number of CIGAR runs.
        pub run_count: u32,
        /// Index of the first run among the runs of all tasks, whose alignments may be in any order.
        pub first_run: u64,
    }
}

device_struct! {
    /// The alignment of a task, with a score above 0, as the output of the stages.
    #[derive(PartialEq, Eq, Default)]
    pub struct TaskAlignment {
        /// Score, place and runs. The first run is an index among the runs of one run of the stages.
        pub span: AlignmentSpan,
        /// Number of the task.
        pub task: u32,
        padding: u32,
    }
}

impl TaskAlignment {
    /// The alignment of a task.
    pub(super) fn new(task: u32, span: AlignmentSpan) -> Self {
        Self { span, task, padding: 0 }
    }
}

/// Alignments of tasks, in the order of tasks. Two values are equal if all alignments are, in whatever order their runs
/// are stored.
#[derive(Debug, Clone, Default)]
pub struct Alignments {
    /// Score and place of each alignment.
    pub spans: Vec<AlignmentSpan>,
    /// CIGAR runs of all alignments; see [`Self::runs_of`].
    pub runs: Vec<CigarRun>,
}

/// One alignment with its CIGAR runs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// Score and place; `first_run` is 0.
    pub span: AlignmentSpan,
    /// CIGAR runs from the first pair to the last: no two neighbours have the same operation, and none is empty.
    pub runs: Vec<CigarRun>,
}

impl Alignments {
    /// The CIGAR runs of a task's alignment, from the first pair to the last: no two neighbours have the same
    /// operation, and none is empty.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn runs_of(&self, task: usize) -> &[CigarRun] {
        let span = &self.spans[task];
        &self.runs[span.first_run as usize..][..span.run_count as usize]
    }

    /// A copy of the alignment of a task.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn get(&self, task: usize) -> Alignment {
        let span = AlignmentSpan { first_run: 0, ..self.spans[task] };
        Alignment { span, runs: self.runs_of(task).to_vec() }
    }

    /// Removes all alignments and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.spans.clear();
        self.runs.clear();
    }

    /// Sets the alignment of a task that had none.
    pub(crate) fn set(&mut self, task: usize, span: AlignmentSpan, runs: &[CigarRun]) {
        let first_run = self.runs.len() as u64;
        self.spans[task] = AlignmentSpan { run_count: runs.len() as u32, first_run, ..span };
        self.runs.extend_from_slice(runs);
    }

    /// Sets the alignments of some tasks that had none. Their first runs are indices among all of `runs`, one after the
    /// other.
    pub(super) fn add<'a>(
        &mut self,
        aligned: impl Iterator<Item = &'a TaskAlignment>,
        runs: impl Iterator<Item = &'a [CigarRun]>,
    ) {
        let before = self.runs.len() as u64;
        for &TaskAlignment { span, task, .. } in aligned {
            self.spans[task as usize] =
                AlignmentSpan { first_run: span.first_run + before, ..span };
        }
        runs.for_each(|runs| self.runs.extend_from_slice(runs));
    }

    /// Appends the alignments of further tasks.
    pub(crate) fn append(&mut self, more: Self) {
        let before = self.runs.len() as u64;
        let moved =
            |span: AlignmentSpan| AlignmentSpan { first_run: span.first_run + before, ..span };
        self.spans.extend(more.spans.into_iter().map(moved));
        self.runs.extend(more.runs);
    }
}

impl PartialEq for Alignments {
    fn eq(&self, other: &Self) -> bool {
        let all = |it: &Self| it.spans.len();
        all(self) == all(other) && (0..all(self)).all(|task| self.get(task) == other.get(task))
    }
}

impl Eq for Alignments {}

#[cfg(test)]
mod tests {
    use aligner_core::cigar::CigarOp;

    use super::*;

    #[test]
    fn the_order_of_runs_does_not_matter() {
        let (a, b) = (
            [CigarRun::new(CigarOp::Equal, 3)],
            [CigarRun::new(CigarOp::Equal, 1), CigarRun::new(CigarOp::Deletion, 2)],
        );
        let place = |score| AlignmentSpan { score, ..AlignmentSpan::default() };
        let all = |order: [usize; 2]| {
            let mut all = Alignments { spans: vec![AlignmentSpan::default(); 2], runs: Vec::new() };
            for task in order {
                all.set(task, place(task as i32), if task == 0 { &a } else { &b });
            }
            all
        };
        let (one, other) = (all([0, 1]), all([1, 0]));
        assert_ne!(one.runs, other.runs);
        assert_eq!(one, other);
        assert_eq!(one.runs_of(1), b);
        let mut twice = one.clone();
        twice.append(other);
        assert_ne!(twice, one);
        assert_eq!(twice.get(2), one.get(0));
        assert_eq!(twice.get(3), one.get(1));
    }
}
