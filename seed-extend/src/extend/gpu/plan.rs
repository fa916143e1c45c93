//! The plan of a batch on a GPU: which kernel takes which tasks, in pairs, and which are left to the CPU.

use std::ops::RangeInclusive;
use std::{array, mem};

use rayon::prelude::*;

use crate::extend::UNKNOWN;
use crate::extend::banded_task::BandedTask;
use crate::extend::scoring::{MAX_COST, Scoring};
use crate::extend::task_group::TaskGroup;
use crate::extend::tasks::{ReferenceText, TaskBatch};
use crate::shares::shares;

/// Band widths, in columns, of the kernels of `cuda/extend.cu` and of the matrices of `cuda/fill.cu`.
///
/// The widest kernels need more registers than there are; with 104 columns few are missing, and most wide bands are no
/// wider.
pub const COLUMNS: [u32; 5] = [16, 32, 64, 104, 128];

/// The number of no task, in place of the second one of a pair.
pub const NO_TASK: u32 = u32::MAX;

/// Limit of the numbers that cells hold: the sign bit of 16 bits stays clear.
const LIMIT: i64 = 1 << 15;

/// The least number that a cell holds. It is no less than the penalty of the first column of any gap, which is
/// subtracted from it.
const FLOOR: i64 = 1024;
const _: () = assert!(FLOOR >= 2 * MAX_COST as i64, "subtracting a gap's penalty would borrow");

/// Limit of the numbers of cells that are kept in a byte, less [`FLOOR`], a multiple of it.
const BYTE_LIMIT: i64 = 1 << 8;

/// Pairs of a group: one for each lane of a warp. Their cells are interleaved.
pub const WARP: usize = 32;

/// Tasks that one task of the pool sorts, at least.
const LEAST_PART: usize = 1 << 14;

/// Different widths of bands, from 0 on.
const WIDTHS: usize = COLUMNS[COLUMNS.len() - 1] as usize + 1;

/// A task among those of one width, which are sorted by the length of their queries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SortedTask {
    query_len: u32,
    number: u32,
}

/// Tasks by the widths of their bands.
struct SortedTasks {
    /// The tasks that kernels take, those with narrow bands first.
    tasks: Vec<SortedTask>,
    /// For each width, where its tasks end.
    ends: [usize; WIDTHS],
    /// Numbers of the tasks that no kernel takes.
    left: Vec<u32>,
}

impl SortedTasks {
    /// Sorts consecutive tasks, of which the first has this number.
    fn new(scoring: Scoring, tasks: TaskBatch<'_>, first: usize) -> Self {
        let (mut left, mut counts) = (Vec::new(), [0; WIDTHS]);
        // Tasks that kernels take, with their widths.
        let mut unsorted = Vec::with_capacity(tasks.tasks.len());
        for (number, &task) in (first..).zip(tasks.tasks) {
            tasks.check_one(number, &task);
            let Some(banded) = BandedTask::new(task, number) else { continue };
            if is_for_kernels(scoring, &tasks, &banded) {
                counts[banded.width] += 1;
                let sorted = SortedTask { query_len: task.query_len, number: number as u32 };
                unsorted.push((banded.width as u8, sorted));
            } else {
                left.push(number as u32);
            }
        }
        let mut count = 0;
        // Each width's place moves from where its tasks begin to where they end.
        let mut places = counts.map(|of_width| {
            count += of_width;
            count - of_width
        });
        let mut sorted = vec![SortedTask::default(); count];
        for (width, task) in unsorted {
            let place = &mut places[usize::from(width)];
            sorted[*place] = task;
            *place += 1;
        }
        Self { tasks: sorted, ends: places, left }
    }

    /// All tasks of these parts.
    fn merged(parts: Vec<Self>) -> Self {
        let parts = match <[Self; 1]>::try_from(parts) {
            Ok([alone]) => return alone,
            Err(parts) => parts,
        };
        let mut tasks = Vec::with_capacity(parts.iter().map(|part| part.tasks.len()).sum());
        let ends = array::from_fn(|width| {
            for part in &parts {
                tasks.extend_from_slice(part.of_width(width));
            }
            tasks.len()
        });
        Self { tasks, ends, left: parts.into_iter().flat_map(|part| part.left).collect() }
    }

    /// Sorts the tasks of each width by the length of their queries: the lanes of a warp wait for the longest task.
    fn sort_by_length(&mut self) {
        let (mut rest, mut begin) = (self.tasks.as_mut_slice(), 0);
        let widths = self.ends.map(|end| {
            let (of_width, wider) = mem::take(&mut rest).split_at_mut(end - begin);
            (rest, begin) = (wider, end);
            of_width
        });
        widths.into_par_iter().for_each(<[SortedTask]>::sort_unstable);
    }

    /// The tasks whose bands have this width.
    fn of_width(&self, width: usize) -> &[SortedTask] {
        let begin = width.checked_sub(1).map_or(0, |narrower| self.ends[narrower]);
        &self.tasks[begin..self.ends[width]]
    }

    /// The launch of the kernel of so many columns, for the tasks of these widths in pairs; `None` if there are none.
    fn launch(&self, columns: u32, widths: RangeInclusive<usize>) -> Option<PlannedLaunch> {
        let number = |task: Option<&SortedTask>| task.map_or(NO_TASK, |it| it.number);
        let pair = |two: &[SortedTask]| {
            let rows = two.last().map_or(0, |longer| longer.query_len);
            ([number(two.first()), number(two.get(1))], rows)
        };
        let of_widths = widths.map(|width| self.of_width(width));
        let count = of_widths.clone().map(|tasks| tasks.len().div_ceil(2)).sum();
        let (mut pairs, mut rows) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for (numbers, longer) in of_widths.flat_map(|tasks| tasks.chunks(2).map(pair)) {
            pairs.push(numbers);
            rows.push(longer);
        }
        (count > 0).then_some(PlannedLaunch { columns, pairs, rows })
    }
}

/// Tasks that one kernel takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLaunch {
    /// Columns of the kernel.
    pub columns: u32,
    /// Numbers of the tasks, in pairs; the second of a pair may be [`NO_TASK`].
    pub pairs: Vec<[u32; 2]>,
    /// Rows of each pair: bases of the longer one of its queries.
    pub rows: Vec<u32>,
}

/// A plan of the kernels' launches for a batch of tasks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GpuPlan {
    /// The launches; each task is in one of them at most.
    pub launches: Vec<PlannedLaunch>,
    /// Numbers of the tasks that no kernel takes, which are left to the CPU.
    pub left: Vec<u32>,
}

/// Tasks of any launches whose cells are kept at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanSlice {
    /// The groups, those that take longest first.
    pub groups: Vec<TaskGroup>,
    /// Numbers of the tasks, in pairs, group after group.
    pub pairs: Vec<[u32; 2]>,
    /// Words of the cells of all groups.
    pub words: u64,
}

/// Limits of the memory that alignments take at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Words of cells of a slice, unless it is a single group.
    pub words: u64,
    /// CIGAR runs of a task that there is room for at first, on average.
    pub runs: u64,
}

impl Default for MemoryLimits {
    fn default() -> Self {
        Self { words: u64::MAX, runs: 16 }
    }
}

impl GpuPlan {
    /// A plan for all tasks that have cells, made on the current rayon pool. Tasks without cells are in no launch and not
    /// left either.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub fn new(scoring: Scoring, tasks: TaskBatch<'_>) -> Self {
        let each = tasks.tasks.len().div_ceil(shares()).max(LEAST_PART);
        let parts = tasks.tasks.par_chunks(each).enumerate();
        let parts = parts.map(|(part, some)| {
            SortedTasks::new(scoring, TaskBatch { tasks: some, ..tasks }, part * each)
        });
        let mut sorted = SortedTasks::merged(parts.collect());
        sorted.sort_by_length();
        let mut first = 0;
        let launch = |columns: u32| {
            let widths = first..=columns as usize;
            first = columns as usize + 1;
            sorted.launch(columns, widths)
        };
        let launches = COLUMNS.into_iter().filter_map(launch).collect();
        Self { launches, left: sorted.left }
    }

    /// Cuts all launches into slices with cells of at most `budget` words; a group with more is a slice of its own.
    pub fn slices(&self, scoring: Scoring, budget: u64) -> Vec<PlanSlice> {
        let mut slices = Vec::new();
        let mut slice = PlanSlice::default();
        // Mostly there is one slice.
        slice.pairs.reserve(self.launches.iter().map(|launch| launch.pairs.len()).sum());
        for PlannedLaunch { columns, pairs, rows } in self.launches.iter().rev() {
            for (warp, rows) in pairs.chunks(WARP).zip(rows.chunks(WARP)) {
                let rows = rows.iter().copied().max().unwrap_or(1);
                let bytes = if max_cell(scoring, rows as usize) < BYTE_LIMIT { 1 } else { 2 };
                let words = u64::from(rows - 1) * u64::from(columns * bytes / 2) * WARP as u64;
                if slice.words + words > budget && !slice.pairs.is_empty() {
                    slices.push(mem::take(&mut slice));
                }
                slice.add((*columns, bytes), warp, words);
            }
        }
        slices.extend((!slice.pairs.is_empty()).then_some(slice));
        slices
    }
}

impl PlanSlice {
    /// Adds a group, whose cells take `words` words.
    fn add(&mut self, (columns, bytes): (u32, u32), pairs: &[[u32; 2]], words: u64) {
        let first = self.pairs.as_flattened().len() as u32;
        let (tasks, columns) = (pairs.as_flattened().len() as u8, columns as u16);
        self.groups.push(TaskGroup {
            start: self.words,
            first,
            columns,
            tasks,
            bytes: bytes as u8,
        });
        self.pairs.extend_from_slice(pairs);
        self.words += words;
    }
}

/// An upper bound of the numbers in cells of a matrix of `rows` rows, less [`FLOOR`].
fn max_cell(scoring: Scoring, rows: usize) -> i64 {
    rows as i64 * i64::from(scoring.match_score())
        + i64::from(scoring.max_clip() + scoring.match_score() + scoring.mismatch_penalty())
}

/// Whether a kernel takes a task: the band is not too wide, numbers of cells fit into 16 bits, and the window has no
/// unknown base.
fn is_for_kernels(scoring: Scoring, all: &TaskBatch<'_>, task: &BandedTask) -> bool {
    let is_window_known = || match all.text {
        ReferenceText::Packed(_) => true,
        ReferenceText::Codes(codes) => {
            let window = &codes[task.task.window_start as usize..];
            !window[..task.task.window_len as usize].contains(&UNKNOWN)
        }
    };
    task.width <= COLUMNS[COLUMNS.len() - 1] as usize
        && FLOOR + max_cell(scoring, task.rows) < LIMIT
        && is_window_known()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extend::columns::Prediction;
    use crate::extend::tasks::{AlignmentTask, QueryCodes};

    fn columns_of(launch: &PlannedLaunch) -> Vec<(u32, [u32; 2])> {
        launch.pairs.iter().map(|&pair| (launch.columns, pair)).collect()
    }

    fn pairs_grouped(slice: &PlanSlice) -> Vec<(u32, [u32; 2])> {
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

    /// Tasks with windows in the first 303 bases of a text, and queries in the first 40,000 codes.
    fn tasks(count: usize) -> Vec<AlignmentTask> {
        let mut random = fastrand::Rng::with_seed(1);
        let task = |_| {
            let query_len = random.u32(..200) * if random.u8(..9) == 0 { 200 } else { 1 };
            let low = random.i32(-9..9);
            let high = low + random.i32(-1..160);
            AlignmentTask {
                query_start: 0,
                query_len,
                window_start: 3,
                window_len: 300,
                low,
                high,
                is_reverse: 0,
                prediction: Prediction::default(),
            }
        };
        (0..count).map(task).collect()
    }

    #[test]
    fn plans_do_not_depend_on_threads() {
        let (text, queries, tasks) = (vec![0; 303], vec![0; 40_000], tasks(3 * LEAST_PART + 1));
        let all = TaskBatch {
            queries: QueryCodes::Codes(&queries),
            text: ReferenceText::Codes(&text),
            tasks: &tasks,
        };
        let [alone, several] = [1, 3].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.expect("threads").install(|| GpuPlan::new(Scoring::default(), all))
        });
        assert!(alone.left.len() > 1000 && alone.launches.len() == COLUMNS.len());
        assert_eq!(alone, several);
    }

    #[test]
    #[should_panic(expected = "task 16385 is of codes that are not there")]
    fn plans_check_their_tasks() {
        let (text, queries, mut tasks) = (vec![0; 303], vec![0; 40_000], tasks(LEAST_PART + 4));
        tasks[LEAST_PART + 1].window_start = 4;
        let all = TaskBatch {
            queries: QueryCodes::Codes(&queries),
            text: ReferenceText::Codes(&text),
            tasks: &tasks,
        };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        pool.expect("threads").install(|| GpuPlan::new(Scoring::default(), all));
    }

    #[test]
    fn pairs_are_of_one_width_and_all_tasks_are_somewhere() {
        let text = vec![0; 4000];
        let queries = vec![0; 40_000];
        let tasks = tasks(300);
        let all = TaskBatch {
            queries: QueryCodes::Codes(&queries),
            text: ReferenceText::Codes(&text),
            tasks: &tasks,
        };
        let plan = GpuPlan::new(Scoring::default(), all);
        let mut seen = vec![0; tasks.len()];
        for &number in &plan.left {
            seen[number as usize] += 1;
            let banded = BandedTask::new(tasks[number as usize], 0).expect("cells");
            assert!(banded.width > 128 || banded.rows > 31_000);
        }
        for launch in &plan.launches {
            for [a, b] in &launch.pairs {
                let width = |number: u32| {
                    BandedTask::new(tasks[number as usize], 0).expect("cells").width as u32
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
            let slices = plan.slices(Scoring::default(), budget);
            let grouped: Vec<(u32, [u32; 2])> = slices.iter().flat_map(pairs_grouped).collect();
            assert_eq!(grouped, planned);
            assert!(budget < u64::MAX || slices.len() == 1);
            for PlanSlice { groups, words, .. } in slices {
                assert!(words <= budget || groups.len() == 1);
                assert!(groups.iter().map(|group| group.start).is_sorted());
            }
        }
        for (number, &task) in tasks.iter().enumerate() {
            assert_eq!(
                seen[number],
                u32::from(BandedTask::new(task, 0).is_some()),
                "task {number}"
            );
        }
    }
}
