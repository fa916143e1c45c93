//! Which kernel does which tasks, in what pairs.

use super::super::UNKNOWN;
use super::super::banded::Banded;
use super::super::scoring::Scoring;
use super::super::task::{Task, Tasks, Text};

/// Columns of the kernels of `cuda/extend.cu`.
pub const COLUMNS: [u32; 4] = [16, 32, 64, 128];

/// In place of a task's number: none.
pub const NO_TASK: u32 = u32::MAX;

/// Numbers of cells stay below.
const LIMIT: i64 = 1 << 15;

/// Pairs whose cells lie side by side: the lanes of a warp.
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

/// Where the cells of a launch's warps are.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Rooms {
    /// The first word of each warp.
    pub starts: Vec<u64>,
    /// All words.
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
}

impl Launch {
    /// The launch in slices, each with cells of at most `budget` words, or of one warp.
    pub fn slices(&self, tasks: &[Task], budget: u64) -> Vec<(&[[u32; 2]], Rooms)> {
        let mut slices = Vec::new();
        let (mut first, mut rooms) = (0, Rooms::default());
        for (warp, pairs) in self.pairs.chunks(WARP).enumerate() {
            let numbers = pairs.iter().flatten().filter(|&&number| number != NO_TASK);
            let rows = numbers.map(|&number| tasks[number as usize].query_len - 1).max();
            let words = u64::from(rows.unwrap_or(0)) * u64::from(self.columns) * WARP as u64;
            if rooms.words + words > budget && !rooms.starts.is_empty() {
                slices.push((&self.pairs[first * WARP..warp * WARP], std::mem::take(&mut rooms)));
                first = warp;
            }
            rooms.starts.push(rooms.words);
            rooms.words += words;
        }
        slices.push((&self.pairs[first * WARP..], rooms));
        slices
    }
}

/// Whether there is a kernel that a task's band and numbers fit, and it knows the window.
fn is_for_kernels(scoring: Scoring, all: &Tasks<'_>, task: &Banded) -> bool {
    let most = task.rows as i64 * i64::from(scoring.matched())
        + i64::from(scoring.clip() + scoring.gap(1) + scoring.matched() + scoring.mismatch());
    let known = || match all.text {
        Text::Packed(_) => true,
        Text::Codes(codes) => {
            let window = &codes[task.task.window_start as usize..];
            !window[..task.task.window_len as usize].contains(&UNKNOWN)
        }
    };
    task.width <= COLUMNS[COLUMNS.len() - 1] as usize && most < LIMIT && known()
}

#[cfg(test)]
mod tests {
    use super::*;

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
            for budget in [0, 1 << 20, u64::MAX] {
                let slices = launch.slices(&tasks, budget);
                let pairs: Vec<[u32; 2]> = slices.iter().flat_map(|it| it.0.to_vec()).collect();
                assert_eq!(pairs, launch.pairs);
                assert!(budget < u64::MAX || slices.len() == 1);
                for (pairs, rooms) in slices {
                    assert_eq!(rooms.starts.len(), pairs.len().div_ceil(WARP));
                    assert!(rooms.words <= budget || rooms.starts.len() == 1);
                }
            }
        }
        for (number, &task) in tasks.iter().enumerate() {
            assert_eq!(seen[number], u32::from(Banded::new(task, 0).is_some()), "task {number}");
        }
    }
}
