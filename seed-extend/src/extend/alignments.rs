//! Alignments of many tasks, the runs of all in one array.

use aligner_core::cigar::{CigarOp, CigarRun};
use bytemuck::{Pod, Zeroable};

use super::stages::Aligned;

/// The alignment of a task, but for its columns; places in query and window from 0, ends are behind
/// the last pair. All is 0 where no alignment scores more than 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// The score.
    pub score: i32,
    /// The first pair's place in the query.
    pub query_begin: u32,
    /// Behind the last pair, in the query.
    pub query_end: u32,
    /// The first pair's place in the window.
    pub window_begin: u32,
    /// Behind the last pair, in the window.
    pub window_end: u32,
    /// How many runs its columns have.
    pub runs: u32,
    /// The first of them among the runs of all tasks, which may be in any order.
    pub first_run: u64,
}

const _: () = assert!(size_of::<Place>() == 32);

/// Alignments of tasks, in their order. Equal ones may have their runs in different orders.
#[derive(Debug, Clone, Default)]
pub struct Alignments {
    /// Where they are.
    pub places: Vec<Place>,
    /// The columns of all of them; use [`Self::runs_of`].
    pub runs: Vec<CigarRun>,
}

/// One alignment with its columns.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// Where it is; its first run is number 0.
    pub place: Place,
    /// Its columns from the first pair to the last: neighbouring runs differ, and none is empty.
    pub runs: Vec<CigarRun>,
}

impl Alignments {
    /// The columns of a task's alignment, from the first pair to the last: neighbouring runs differ,
    /// and none is empty.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn runs_of(&self, task: usize) -> &[CigarRun] {
        let place = &self.places[task];
        &self.runs[place.first_run as usize..][..place.runs as usize]
    }

    /// A copy of one.
    ///
    /// # Panics
    /// If there is no such task.
    pub fn get(&self, task: usize) -> Alignment {
        let place = Place { first_run: 0, ..self.places[task] };
        Alignment { place, runs: self.runs_of(task).to_vec() }
    }

    /// Forgets all, and keeps their memory.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.runs.clear();
    }

    /// Sets that of a task, which had none.
    pub(crate) fn set(&mut self, task: usize, place: Place, runs: &[CigarRun]) {
        let first_run = self.runs.len() as u64;
        self.places[task] = Place { runs: runs.len() as u32, first_run, ..place };
        self.runs.extend_from_slice(runs);
    }

    /// Sets those of some tasks, which had none; first runs are numbers of `runs`, in their order.
    pub(super) fn add<'a>(
        &mut self,
        aligned: impl Iterator<Item = &'a Aligned>,
        runs: impl Iterator<Item = &'a [CigarRun]>,
    ) {
        let before = self.runs.len() as u64;
        for &Aligned { place, task, .. } in aligned {
            self.places[task as usize] = Place { first_run: place.first_run + before, ..place };
        }
        runs.for_each(|runs| self.runs.extend_from_slice(runs));
    }

    /// Adds those of further tasks.
    pub(crate) fn append(&mut self, more: Self) {
        let before = self.runs.len() as u64;
        let moved = |place: Place| Place { first_run: place.first_run + before, ..place };
        self.places.extend(more.places.into_iter().map(moved));
        self.runs.extend(more.runs);
    }
}

impl PartialEq for Alignments {
    fn eq(&self, other: &Self) -> bool {
        let all = |it: &Self| it.places.len();
        all(self) == all(other) && (0..all(self)).all(|task| self.get(task) == other.get(task))
    }
}

impl Eq for Alignments {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_runs_does_not_matter() {
        let (a, b) = (
            [CigarRun::new(CigarOp::Equal, 3)],
            [CigarRun::new(CigarOp::Equal, 1), CigarRun::new(CigarOp::Deletion, 2)],
        );
        let place = |score| Place { score, ..Place::default() };
        let all = |order: [usize; 2]| {
            let mut all = Alignments { places: vec![Place::default(); 2], runs: Vec::new() };
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
