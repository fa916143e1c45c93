//! Groups of tasks of similar size, and the memory in which the matrices of one group are computed.

use aligner_core::cigar::CigarRun;

use super::interleaved::InterleavedCodes;
use super::lane_value::LaneValue;
use super::matrix::{Matrix, fits};
use super::traceback::Walker;
use super::vectors::Vectors;
use crate::extend::alignments::AlignmentSpan;
use crate::extend::banded_task::BandedTask;
use crate::extend::scoring::Scoring;
use crate::extend::task_group::TaskGroup;
use crate::extend::tasks::{AlignmentEnd, TaskBatch};

/// Cells above which a task is computed alone.
const MANY_CELLS: usize = 1 << 20;

/// In which numbers a group is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LaneKind {
    Bits8,
    Bits16,
    Bits32,
    Alone,
}

impl LaneKind {
    /// Number of all kinds.
    pub const COUNT: usize = 4;

    /// The kind that a task needs.
    pub fn of(scoring: Scoring, task: &BandedTask) -> Self {
        if task.cells() > MANY_CELLS {
            Self::Alone
        } else if fits::<u8>(scoring, task.rows, task.width) {
            Self::Bits8
        } else if fits::<u16>(scoring, task.rows, task.width) {
            Self::Bits16
        } else {
            Self::Bits32
        }
    }

    /// The kind of a group that [`groups`] made. A group of one task in 32 bits is computed alone.
    pub fn of_group(group: TaskGroup) -> Self {
        match (group.bytes, group.tasks) {
            (1, _) => Self::Bits8,
            (2, _) => Self::Bits16,
            (_, 1) => Self::Alone,
            _ => Self::Bits32,
        }
    }

    /// Tasks of a group, at most, and bytes of a number.
    fn shape(self, vectors: Vectors) -> (usize, u8) {
        let bytes = match vectors {
            Vectors::Bits256 => 32,
            Vectors::Bits512 => 64,
        };
        match self {
            Self::Bits8 => (bytes, 1),
            Self::Bits16 => (bytes / 2, 2),
            Self::Bits32 => (bytes / 4, 4),
            Self::Alone => (1, 4),
        }
    }

    /// New memory for a group.
    pub fn matrices(self, vectors: Vectors) -> Box<dyn GroupMatrices> {
        match (self, vectors) {
            (Self::Bits8, Vectors::Bits256) => Box::<LaneMatrices<u8, 32>>::default(),
            (Self::Bits16, Vectors::Bits256) => Box::<LaneMatrices<u16, 16>>::default(),
            (Self::Bits32, Vectors::Bits256) => Box::<LaneMatrices<u32, 8>>::default(),
            (Self::Bits8, Vectors::Bits512) => Box::<LaneMatrices<u8, 64>>::default(),
            (Self::Bits16, Vectors::Bits512) => Box::<LaneMatrices<u16, 32>>::default(),
            (Self::Bits32, Vectors::Bits512) => Box::<LaneMatrices<u32, 16>>::default(),
            (Self::Alone, _) => Box::<LaneMatrices<u32, 1>>::default(),
        }
    }
}

/// Sorts tasks so that similar ones follow each other, and cuts them into groups.
pub(super) fn groups(
    scoring: Scoring,
    vectors: Vectors,
    tasks: &mut [BandedTask],
) -> Vec<TaskGroup> {
    tasks.sort_by_cached_key(|task| {
        (LaneKind::of(scoring, task), task.rows, task.width, task.number)
    });
    let mut groups = Vec::new();
    let mut first = 0;
    while let Some(task) = tasks.get(first) {
        let kind = LaneKind::of(scoring, task);
        let (max_tasks, bytes) = kind.shape(vectors);
        // Tasks much shorter or narrower than the others would waste most of their lanes.
        let alike = |other: &&BandedTask| {
            LaneKind::of(scoring, other) == kind
                && other.rows <= 2 * task.rows
                && (task.width / 2..=2 * task.width).contains(&other.width)
        };
        let count = tasks[first..].iter().take(max_tasks).take_while(alike).count();
        let start = groups.len() as u64;
        groups.push(TaskGroup {
            start,
            first: first as u32,
            columns: 0,
            tasks: count as u8,
            bytes,
        });
        first += count;
    }
    groups
}

/// The matrices of a group of tasks, in whatever numbers.
pub(super) trait GroupMatrices: Send {
    /// Fills the matrices of the tasks of a group, at most as many as there are lanes.
    fn fill(&mut self, scoring: Scoring, all: &TaskBatch<'_>, group: &[BandedTask]);
    /// Score and end of the best alignment of a lane's task; `None` if no alignment scores more than 0.
    fn end(&self, scoring: Scoring, lane: usize) -> Option<AlignmentEnd>;
    /// The best alignment of a lane's task and its CIGAR runs; `None` if no alignment scores more than 0.
    fn walk(&mut self, scoring: Scoring, lane: usize) -> Option<(AlignmentSpan, &[CigarRun])>;
}

/// The matrices of groups of `L` tasks in numbers `W`.
#[derive(Default)]
struct LaneMatrices<W, const L: usize> {
    interleaved: InterleavedCodes<L>,
    matrix: Matrix<W, L>,
    /// CIGAR runs of one alignment; a buffer.
    runs: Vec<CigarRun>,
}

impl<W: LaneValue, const L: usize> GroupMatrices for LaneMatrices<W, L> {
    fn fill(&mut self, scoring: Scoring, all: &TaskBatch<'_>, group: &[BandedTask]) {
        self.interleaved.read(all, group);
        self.matrix.fill(scoring, &self.interleaved);
    }

    fn end(&self, scoring: Scoring, lane: usize) -> Option<AlignmentEnd> {
        let walker = Walker::new(scoring, &self.matrix, &self.interleaved, lane);
        Some(walker.end_of(walker.end()?))
    }

    fn walk(&mut self, scoring: Scoring, lane: usize) -> Option<(AlignmentSpan, &[CigarRun])> {
        let walker = Walker::new(scoring, &self.matrix, &self.interleaved, lane);
        let span = walker.alignment(walker.end()?, &mut self.runs);
        Some((span, &self.runs))
    }
}
