//! Groups of tasks of similar size, and the memory in which they are computed.

use super::super::banded::Banded;
use super::super::scoring::Scoring;
use super::super::task::Tasks;
use super::across::Across;
use super::matrix::{Matrix, fits};
use super::output::Output;
use super::walk::Walker;
use super::word::Word;

/// Tasks of more cells are computed alone.
const MANY_CELLS: usize = 1 << 20;

/// How a task is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Bits8,
    Bits16,
    Bits32,
    Alone,
}

impl Kind {
    fn of(scoring: Scoring, task: &Banded) -> Self {
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
}

/// Memory for groups of each kind. A vector has 256 bits.
#[derive(Default)]
pub(super) struct Rooms {
    bits8: Room<u8, 32>,
    bits16: Room<u16, 16>,
    bits32: Room<u32, 8>,
    alone: Room<u32, 1>,
}

impl Rooms {
    /// Computes the alignments of some tasks of `all`.
    pub fn compute(
        &mut self,
        scoring: Scoring,
        all: &Tasks<'_>,
        tasks: Vec<Banded>,
        output: &mut impl Output,
    ) {
        let mut sorted: Vec<(Kind, Banded)> =
            tasks.into_iter().map(|task| (Kind::of(scoring, &task), task)).collect();
        sorted.sort_unstable_by_key(|(kind, task)| (*kind, task.rows, task.width, task.number));
        for same in sorted.chunk_by(|a, b| a.0 == b.0) {
            let tasks: Vec<Banded> = same.iter().map(|&(_, task)| task).collect();
            match same[0].0 {
                Kind::Bits8 => self.bits8.compute(scoring, all, &tasks, output),
                Kind::Bits16 => self.bits16.compute(scoring, all, &tasks, output),
                Kind::Bits32 => self.bits32.compute(scoring, all, &tasks, output),
                Kind::Alone => self.alone.compute(scoring, all, &tasks, output),
            }
        }
    }
}

/// Memory for groups of `L` tasks.
#[derive(Default)]
struct Room<W, const L: usize> {
    across: Across<L>,
    matrix: Matrix<W, L>,
}

impl<W: Word, const L: usize> Room<W, L> {
    /// Computes the alignments of tasks that are sorted by size.
    fn compute(
        &mut self,
        scoring: Scoring,
        all: &Tasks<'_>,
        mut tasks: &[Banded],
        output: &mut impl Output,
    ) {
        while let Some(first) = tasks.first() {
            // What is half as long or wide would be computed mostly in vain.
            let alike = |task: &&Banded| {
                task.rows <= 2 * first.rows
                    && (first.width / 2..=2 * first.width).contains(&task.width)
            };
            let count = tasks.iter().take(L).take_while(alike).count();
            let (group, rest) = tasks.split_at(count);
            tasks = rest;
            self.across.read(all, group);
            self.matrix.fill(scoring, &self.across);
            for (lane, task) in group.iter().enumerate() {
                let walker = Walker::new(scoring, &self.matrix, &self.across, lane);
                output.keep(task.number, &walker);
            }
        }
    }
}
