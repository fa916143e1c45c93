//! Which kernel or application does which tasks, in what pairs.

use super::super::UNKNOWN;
use super::super::banded::Banded;
use super::super::scoring::Scoring;
use super::super::stages::Group;
use super::super::task::{Task, Tasks, Text};

/// Columns of the kernels of `cuda/extend.cu` and of what `cuda/fill.cu` fills.
///
/// The widest need more registers than there are; what is 104 wide needs few more, and most wide bands are no
/// wider.
pub const COLUMNS: [u32; 5] = [16, 32, 64, 104, 128];

/// In place of a task's number: none.
pub const NO_TASK: u32 = u32::MAX;

/// Numbers of cells stay below.
const LIMIT: i64 = 1 << 15;

/// Numbers that are kept in a byte stay below.
const BYTE_LIMIT: i64 = 1 << 8;

/// Pairs of a group: the lanes of a warp, whose cells lie side by side.
pub const WARP: usize = 32;

/// Tasks for one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Its columns.
    pub columns: u32,
    /// Numbers of tasks, two by two; the second of a pair may be [`NO_TASK`].
    pub pairs: Vec<[u32; 2]>,
}

/// What is to be launched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plan {
    /// Each with tasks of its own.
    pub launches: Vec<Launch>,
    /// Tasks that no kernel takes.
    pub left: Vec<u32>,
}

/// Tasks whose cells are kept at the same time, of any launches.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Slice {
    /// The groups, those that take longest first.
    pub groups: Vec<Group>,
    /// Numbers of tasks, two by two, group after group.
    pub pairs: Vec<[u32; 2]>,
    /// Words of all cells.
    pub words: u64,
}

impl Plan {
    /// For all tasks that have cells.
    pub fn new(scoring: Scoring, tasks: Tasks<'_>) -> Self {
        let mut plan = Self::default();
        // Widths are few, so that tasks are put where they belong, and faster than other threads would help.
        let mut of_width = vec![Vec::new(); COLUMNS[COLUMNS.len() - 1] as usize + 1];
        for (number, &task) in tasks.tasks.iter().enumerate() {
            match Banded::new(task, number) {
                Some(banded) if is_for_kernels(scoring, &tasks, &banded) => {
                    of_width[banded.width].push(number as u32);
                }
                Some(_) => plan.left.push(number as u32),
                None => {}
            }
        }
        // Pairs of a warp wait for the longest.
        for same in &mut of_width {
            same.sort_unstable_by_key(|&number| (tasks.tasks[number as usize].query_len, number));
        }
        let mut first = 0;
        for columns in COLUMNS {
            let pairs: Vec<[u32; 2]> = of_width[first..=columns as usize]
                .iter()
                .flat_map(|same| same.chunks(2))
                .map(|pair| [pair[0], pair.get(1).copied().unwrap_or(NO_TASK)])
                .collect();
            first = columns as usize + 1;
            plan.launches.extend((!pairs.is_empty()).then_some(Launch { columns, pairs }));
        }
        plan
    }

    /// All launches in slices, each with cells of at most `budget` words, or of one group.
    pub fn slices(&self, scoring: Scoring, tasks: &[Task], budget: u64) -> Vec<Slice> {
        let mut slices = Vec::new();
        let mut slice = Slice::default();
        for Launch { columns, pairs } in self.launches.iter().rev() {
            for warp in pairs.chunks(WARP) {
                let numbers = warp.iter().flatten().filter(|&&number| number != NO_TASK);
                let rows = numbers.map(|&number| tasks[number as usize].query_len).max();
                let rows = rows.unwrap_or(1);
                let bytes = if most(scoring, rows as usize) < BYTE_LIMIT { 1 } else { 2 };
                let words = u64::from(rows - 1) * u64::from(columns * bytes / 2) * WARP as u64;
                if slice.words + words > budget && !slice.pairs.is_empty() {
                    slices.push(std::mem::take(&mut slice));
                }
                slice.add((*columns, bytes), warp, words);
            }
        }
        slices.extend((!slice.pairs.is_empty()).then_some(slice));
        slices
    }
}

impl Slice {
    /// Adds a group, whose cells are so many words.
    fn add(&mut self, (columns, bytes): (u32, u32), pairs: &[[u32; 2]], words: u64) {
        let first = self.pairs.as_flattened().len() as u32;
        let (tasks, columns) = (pairs.as_flattened().len() as u8, columns as u16);
        self.groups.push(Group { start: self.words, first, columns, tasks, bytes: bytes as u8 });
        self.pairs.extend_from_slice(pairs);
        self.words += words;
    }
}

/// More than any number of a cell of so many rows.
fn most(scoring: Scoring, rows: usize) -> i64 {
    rows as i64 * i64::from(scoring.matched())
        + i64::from(scoring.clip() + scoring.gap(1) + scoring.matched() + scoring.mismatch())
}

/// Whether there is a kernel that a task's band and numbers fit, and it knows the window.
fn is_for_kernels(scoring: Scoring, all: &Tasks<'_>, task: &Banded) -> bool {
    let known = || match all.text {
        Text::Packed(_) => true,
        Text::Codes(codes) => {
            let window = &codes[task.task.window_start as usize..];
            !window[..task.task.window_len as usize].contains(&UNKNOWN)
        }
    };
    task.width <= COLUMNS[COLUMNS.len() - 1] as usize && most(scoring, task.rows) < LIMIT && known()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn columns_of(launch: &Launch) -> Vec<(u32, [u32; 2])> {
        launch.pairs.iter().map(|&pair| (launch.columns, pair)).collect()
    }

    fn pairs_grouped(slice: &Slice) -> Vec<(u32, [u32; 2])> {
        let mut first = 0;
        let mut all = Vec::new();
        for group in &slice.groups {
            assert_eq!((group.first, group.tasks % 2), (2 * first, 0));
            let count = u32::from(group.tasks) / 2;
            assert!((1..=WARP as u32).contains(&count));
            let pairs = &slice.pairs[first as usize..][..count as usize];
            all.extend(pairs.iter().map(|&pair| (group.columns.into(), pair)));
            first += count;
        }
        assert_eq!(first as usize, slice.pairs.len());
        all
    }

    #[test]
    fn pairs_are_of_one_width_and_all_tasks_are_somewhere() {
        let mut random = fastrand::Rng::with_seed(1);
        let text = vec![0; 4000];
        let queries = vec![0; 40_000];
        let tasks: Vec<Task> = (0..300)
            .map(|_| {
                let query_len = random.u32(..200) * if random.u8(..9) == 0 { 200 } else { 1 };
                let low = random.i32(-9..9);
                let high = low + random.i32(-1..160);
                Task { query_start: 0, query_len, window_start: 3, window_len: 300, low, high }
            })
            .collect();
        let all = Tasks { queries: &queries, text: Text::Codes(&text), tasks: &tasks };
        let plan = Plan::new(Scoring::default(), all);
        let mut seen = vec![0; tasks.len()];
        for &number in &plan.left {
            seen[number as usize] += 1;
            let banded = Banded::new(tasks[number as usize], 0).expect("cells");
            assert!(banded.width > 128 || banded.rows > 32_000);
        }
        for launch in &plan.launches {
            for [a, b] in &launch.pairs {
                let width = |number: u32| {
                    Banded::new(tasks[number as usize], 0).expect("cells").width as u32
                };
                assert!(*b == NO_TASK || width(*a) == width(*b));
                assert!(width(*a) <= launch.columns);
                assert!(launch.columns == 16 || width(*a) > launch.columns / 2);
                for number in [*a, *b].into_iter().filter(|&number| number != NO_TASK) {
                    seen[number as usize] += 1;
                }
            }
        }
        let planned: Vec<(u32, [u32; 2])> =
            plan.launches.iter().rev().flat_map(columns_of).collect();
        for budget in [0, 1 << 20, u64::MAX] {
            let slices = plan.slices(Scoring::default(), &tasks, budget);
            let grouped: Vec<(u32, [u32; 2])> = slices.iter().flat_map(pairs_grouped).collect();
            assert_eq!(grouped, planned);
            assert!(budget < u64::MAX || slices.len() == 1);
            for Slice { groups, words, .. } in slices {
                assert!(words <= budget || groups.len() == 1);
                assert!(groups.iter().map(|group| group.start).is_sorted());
            }
        }
        for (number, &task) in tasks.iter().enumerate() {
            assert_eq!(seen[number], u32::from(Banded::new(task, 0).is_some()), "task {number}");
        }
    }
}
