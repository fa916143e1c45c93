//! Workspace of the stages on a CPU: tasks with copies of their codes, and the memory of groups.

use std::fmt;
use std::sync::{Mutex, MutexGuard};

use aligner_core::cigar::CigarRun;

use super::group::{GroupMatrices, LaneKind, groups};
use super::vectors::Vectors;
use crate::extend::alignments::TaskAlignment;
use crate::extend::banded_task::BandedTask;
use crate::extend::scoring::Scoring;
use crate::extend::task_group::TaskGroup;
use crate::extend::tasks::{AlignmentEnd, AlignmentTask, QueryCodes, ReferenceText, TaskBatch};
use aligner_core::buffer_pool::lock;

/// Codes of queries or windows from which on the tasks are computed before more are added.
const MANY_CODES: usize = 1 << 24;

/// Tasks and the memory that they are computed in. For stages on a device it stays empty.
pub struct AlignmentWorkspace {
    scoring: Scoring,
    vectors: Vectors,
    /// Codes of all queries.
    queries: Vec<u8>,
    /// Codes of all windows.
    windows: Vec<u8>,
    /// The tasks, in the order of groups.
    tasks: Vec<BandedTask>,
    /// For each group its matrices, from when it is filled until all its tasks are walked through.
    filled: Vec<Mutex<Option<Box<dyn GroupMatrices>>>>,
    /// For each kind the memory that no group uses.
    free: Mutex<[Vec<Box<dyn GroupMatrices>>; LaneKind::COUNT]>,
    /// CIGAR runs of all alignments.
    runs: Mutex<Vec<CigarRun>>,
}

impl AlignmentWorkspace {
    /// A workspace without tasks.
    pub fn new(scoring: Scoring) -> Self {
        Self::with_vectors(scoring, Vectors::of_processor())
    }

    /// A workspace whose groups are as large as such vectors.
    pub(super) fn with_vectors(scoring: Scoring, vectors: Vectors) -> Self {
        Self {
            scoring,
            vectors,
            queries: Vec::new(),
            windows: Vec::new(),
            tasks: Vec::new(),
            filled: Vec::new(),
            free: Mutex::default(),
            runs: Mutex::default(),
        }
    }

    /// Adds a task, unless `is_settled`, which gets the codes of query and window, returns that it needs no matrix.
    pub(super) fn add_unless(
        &mut self,
        all: &TaskBatch<'_>,
        banded: BandedTask,
        is_settled: impl FnOnce(&[u8], &[u8]) -> bool,
    ) {
        let (task, query) = (banded.task, all.query(banded.task));
        let begin = self.windows.len();
        self.windows.resize(begin + task.window_len as usize, 0);
        let window = &mut self.windows[begin..];
        all.text.read(task.window_start as usize, window);
        if is_settled(query, window) {
            self.windows.truncate(begin);
            return;
        }
        let (query_start, window_start) = (self.queries.len() as u32, begin as u32);
        self.queries.extend_from_slice(query);
        self.tasks.push(BandedTask {
            task: AlignmentTask { query_start, window_start, ..task },
            ..banded
        });
    }

    /// Whether the tasks should be computed before more are added.
    pub(super) fn is_full(&self) -> bool {
        self.queries.len().max(self.windows.len()) >= MANY_CODES
    }

    /// Groups all tasks, to be filled and walked through.
    pub(super) fn groups(&mut self) -> Vec<TaskGroup> {
        let groups = groups(self.scoring, self.vectors, &mut self.tasks);
        self.filled.resize_with(groups.len(), Mutex::default);
        groups
    }

    /// Removes all tasks and returns the CIGAR runs of their alignments. Keeps the memory.
    pub(super) fn finish(&mut self) -> Vec<CigarRun> {
        self.queries.clear();
        self.windows.clear();
        self.tasks.clear();
        std::mem::take(&mut *lock(&self.runs))
    }

    /// Fills the matrices of a group.
    pub(in crate::extend) fn fill(&self, group: TaskGroup) {
        let kind = LaneKind::of_group(group);
        let free = lock(&self.free)[kind as usize].pop();
        let mut matrices = free.unwrap_or_else(|| kind.matrices(self.vectors));
        let all = TaskBatch {
            queries: QueryCodes::Codes(&self.queries),
            text: ReferenceText::Codes(&self.windows),
            tasks: &[],
        };
        matrices.fill(self.scoring, &all, self.tasks_of(group));
        *self.matrices_of(group) = Some(matrices);
    }

    /// The best alignment of task `element` of a group that is filled; `None` if no alignment scores more than 0. With
    /// the last task, the group's memory becomes free for other groups.
    pub(in crate::extend) fn walk(&self, group: TaskGroup, element: u32) -> Option<TaskAlignment> {
        let mut of_group = self.matrices_of(group);
        let matrices =
            of_group.as_mut().unwrap_or_else(|| unreachable!("a group that was not filled"));
        let number = self.tasks_of(group)[element as usize].number as u32;
        let aligned = matrices.walk(self.scoring, element as usize).map(|(mut span, runs)| {
            let mut all = lock(&self.runs);
            span.first_run = all.len() as u64;
            all.extend_from_slice(runs);
            TaskAlignment::new(number, span)
        });
        if element + 1 == u32::from(group.tasks) {
            lock(&self.free)[LaneKind::of_group(group) as usize].extend(of_group.take());
        }
        aligned
    }

    /// Fills the matrices of a group, and passes the number, score and end of each task that has an alignment to
    /// `keep`.
    pub(super) fn score(&self, group: TaskGroup, mut keep: impl FnMut(usize, AlignmentEnd)) {
        self.fill(group);
        let matrices = self.matrices_of(group).take();
        for (lane, task) in self.tasks_of(group).iter().enumerate() {
            if let Some(end) =
                matrices.as_ref().and_then(|matrices| matrices.end(self.scoring, lane))
            {
                keep(task.number, end);
            }
        }
        lock(&self.free)[LaneKind::of_group(group) as usize].extend(matrices);
    }

    /// The tasks of a group.
    fn tasks_of(&self, group: TaskGroup) -> &[BandedTask] {
        &self.tasks[group.first as usize..][..usize::from(group.tasks)]
    }

    /// The matrices of a group, if it is filled.
    fn matrices_of(&self, group: TaskGroup) -> MutexGuard<'_, Option<Box<dyn GroupMatrices>>> {
        lock(&self.filled[group.start as usize])
    }
}

impl fmt::Debug for AlignmentWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AlignmentWorkspace")
            .field("tasks", &self.tasks.len())
            .finish_non_exhaustive()
    }
}
