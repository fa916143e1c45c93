//! Groups of tasks of similar size, and the memory in which one is computed.

use aligner_core::cigar::CigarRun;

use super::super::alignments::Place;
use super::super::banded::Banded;
use super::super::scoring::Scoring;
use super::super::stages::Group;
use super::super::task::{Scored, Tasks};
use super::across::Across;
use super::matrix::{Matrix, fits};
use super::walk::Walker;
use super::word::Word;

/// Tasks of more cells are computed alone.
const MANY_CELLS: usize = 1 << 20;

/// How a group is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Bits8,
    Bits16,
    Bits32,
    Alone,
}

impl Kind {
    /// How many kinds there are.
    pub const COUNT: usize = 4;

    pub fn of(scoring: Scoring, task: &Banded) -> Self {
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

    /// Of a group that [`groups`] gave. In numbers of 32 bits, what is by itself is computed alone.
    pub fn of_group(group: Group) -> Self {
        match (group.bytes, group.tasks) {
            (1, _) => Self::Bits8,
            (2, _) => Self::Bits16,
            (_, 1) => Self::Alone,
            _ => Self::Bits32,
        }
    }

    /// Tasks that a group has at most, and bytes of a number. A vector has 256 bits.
    fn shape(self) -> (usize, u8) {
        match self {
            Self::Bits8 => (32, 1),
            Self::Bits16 => (16, 2),
            Self::Bits32 => (8, 4),
            Self::Alone => (1, 4),
        }
    }

    /// Memory for a group.
    pub fn room(self) -> Box<dyn Filled> {
        match self {
            Self::Bits8 => Box::<Room<u8, 32>>::default(),
            Self::Bits16 => Box::<Room<u16, 16>>::default(),
            Self::Bits32 => Box::<Room<u32, 8>>::default(),
            Self::Alone => Box::<Room<u32, 1>>::default(),
        }
    }
}

/// All tasks as groups, in the order that they are given.
pub(super) fn groups(scoring: Scoring, tasks: &mut [Banded]) -> Vec<Group> {
    tasks.sort_by_cached_key(|task| (Kind::of(scoring, task), task.rows, task.width, task.number));
    let mut groups = Vec::new();
    let mut first = 0;
    while let Some(task) = tasks.get(first) {
        let kind = Kind::of(scoring, task);
        let (most, bytes) = kind.shape();
        // What is half as long or wide would be computed mostly in vain.
        let alike = |other: &&Banded| {
            Kind::of(scoring, other) == kind
                && other.rows <= 2 * task.rows
                && (task.width / 2..=2 * task.width).contains(&other.width)
        };
        let count = tasks[first..].iter().take(most).take_while(alike).count();
        let start = groups.len() as u64;
        groups.push(Group { start, first: first as u32, columns: 0, tasks: count as u8, bytes });
        first += count;
    }
    groups
}

/// The matrices of a group of tasks.
pub(super) trait Filled: Send {
    /// Fills them for some tasks of `all`, no more than there are lanes.
    fn fill(&mut self, scoring: Scoring, all: &Tasks<'_>, group: &[Banded]);
    /// How well the task of a lane can be aligned, if it can.
    fn scored(&self, scoring: Scoring, lane: usize) -> Option<Scored>;
    /// The alignment of the task of a lane, if there is one, and its runs.
    fn walk(&mut self, scoring: Scoring, lane: usize) -> Option<(Place, &[CigarRun])>;
}

/// Memory for groups of `L` tasks.
#[derive(Default)]
struct Room<W, const L: usize> {
    across: Across<L>,
    matrix: Matrix<W, L>,
    /// Of one alignment.
    runs: Vec<CigarRun>,
}

impl<W: Word, const L: usize> Filled for Room<W, L> {
    fn fill(&mut self, scoring: Scoring, all: &Tasks<'_>, group: &[Banded]) {
        self.across.read(all, group);
        self.matrix.fill(scoring, &self.across);
    }

    fn scored(&self, scoring: Scoring, lane: usize) -> Option<Scored> {
        let walker = Walker::new(scoring, &self.matrix, &self.across, lane);
        Some(walker.scored(walker.end()?))
    }

    fn walk(&mut self, scoring: Scoring, lane: usize) -> Option<(Place, &[CigarRun])> {
        let walker = Walker::new(scoring, &self.matrix, &self.across, lane);
        let place = walker.place(walker.end()?, &mut self.runs);
        Some((place, &self.runs))
    }
}
