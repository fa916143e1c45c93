//! What the stages know on a CPU: tasks with codes of their own, and the memory of groups.

use std::fmt;
use std::sync::{Mutex, MutexGuard};

use aligner_core::cigar::CigarRun;

use super::super::banded::Banded;
use super::super::scoring::Scoring;
use super::super::stages::{Aligned, Group};
use super::super::task::{Scored, Task, Tasks, Text};
use super::group::{Filled, Kind, groups};
use crate::spares::locked;

/// Codes of windows from which on no more tasks are taken.
const MANY_CODES: usize = 1 << 24;

/// Tasks, and what they are computed in. Of a device's tasks nothing is known here.
pub struct Context {
    scoring: Scoring,
    /// Codes of all queries and windows.
    queries: Vec<u8>,
    windows: Vec<u8>,
    /// In the order of groups.
    tasks: Vec<Banded>,
    /// The matrices of each group from when it is filled to when all its tasks are done.
    filled: Vec<Mutex<Option<Box<dyn Filled>>>>,
    /// Memory of each kind that no group has.
    free: Mutex<[Vec<Box<dyn Filled>>; Kind::COUNT]>,
    /// Of all alignments.
    runs: Mutex<Vec<CigarRun>>,
}

impl Context {
    /// Without tasks.
    pub fn new(scoring: Scoring) -> Self {
        Self {
            scoring,
            queries: Vec::new(),
            windows: Vec::new(),
            tasks: Vec::new(),
            filled: Vec::new(),
            free: Mutex::default(),
            runs: Mutex::default(),
        }
    }

    /// Adds a task, unless `settle` says that it needs no matrix: it is told the codes of query and window.
    pub(super) fn add(
        &mut self,
        all: &Tasks<'_>,
        banded: Banded,
        settle: impl FnOnce(&[u8], &[u8]) -> bool,
    ) {
        let (task, query) = (banded.task, all.query(banded.task));
        let begin = self.windows.len();
        self.windows.resize(begin + task.window_len as usize, 0);
        let window = &mut self.windows[begin..];
        all.text.read(task.window_start as usize, window);
        if settle(query, window) {
            self.windows.truncate(begin);
            return;
        }
        let (query_start, window_start) = (self.queries.len() as u32, begin as u32);
        self.queries.extend_from_slice(query);
        self.tasks.push(Banded { task: Task { query_start, window_start, ..task }, ..banded });
    }

    /// Whether the tasks are to be done before there are more of them.
    pub(super) fn is_full(&self) -> bool {
        self.queries.len().max(self.windows.len()) >= MANY_CODES
    }

    /// The groups of all tasks, to be filled and walked.
    pub(super) fn groups(&mut self) -> Vec<Group> {
        let groups = groups(self.scoring, &mut self.tasks);
        self.filled.resize_with(groups.len(), Mutex::default);
        groups
    }

    /// Forgets all tasks and gives the runs of their alignments; keeps memory.
    pub(super) fn finish(&mut self) -> Vec<CigarRun> {
        self.queries.clear();
        self.windows.clear();
        self.tasks.clear();
        std::mem::take(&mut *locked(&self.runs))
    }

    /// Fills the matrices of a group.
    pub(in super::super) fn fill(&self, group: Group) {
        let kind = Kind::of_group(group);
        let free = locked(&self.free)[kind as usize].pop();
        let mut room = free.unwrap_or_else(|| kind.room());
        let all = Tasks { queries: &self.queries, text: Text::Codes(&self.windows), tasks: &[] };
        room.fill(self.scoring, &all, self.of(group));
        *self.room(group) = Some(room);
    }

    /// The alignment of a task of a group that was filled, if there is one. After the last task the group's
    /// memory is another's.
    pub(in super::super) fn walk(&self, group: Group, element: u32) -> Option<Aligned> {
        let mut of_group = self.room(group);
        let room = of_group.as_mut().unwrap_or_else(|| unreachable!("a group that was not filled"));
        let number = self.of(group)[element as usize].number as u32;
        let aligned = room.walk(self.scoring, element as usize).map(|(mut place, runs)| {
            let mut all = locked(&self.runs);
            place.first_run = all.len() as u64;
            all.extend_from_slice(runs);
            Aligned::new(number, place)
        });
        if element + 1 == u32::from(group.tasks) {
            locked(&self.free)[Kind::of_group(group) as usize].extend(of_group.take());
        }
        aligned
    }

    /// How well each task of a group can be aligned, if it can: `keep` is told its number.
    pub(super) fn score(&self, group: Group, mut keep: impl FnMut(usize, Scored)) {
        self.fill(group);
        let room = self.room(group).take();
        for (lane, task) in self.of(group).iter().enumerate() {
            if let Some(scored) = room.as_ref().and_then(|room| room.scored(self.scoring, lane)) {
                keep(task.number, scored);
            }
        }
        locked(&self.free)[Kind::of_group(group) as usize].extend(room);
    }

    /// The tasks of a group.
    fn of(&self, group: Group) -> &[Banded] {
        &self.tasks[group.first as usize..][..usize::from(group.tasks)]
    }

    /// Where the matrices of a group are.
    fn room(&self, group: Group) -> MutexGuard<'_, Option<Box<dyn Filled>>> {
        locked(&self.filled[group.start as usize])
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("tasks", &self.tasks.len()).finish_non_exhaustive()
    }
}
