//! The plan of a batch on a GPU: which kernel takes which tasks, in pairs, and which are left to the CPU.
//!
//! Two kernels of `cuda/extend.cu` sort the tasks: one counts those of each kind, and when the host has told where each kind
//! begins, the other one puts each task into its pair. A kind is a width and an approximate length, so that both tasks of a
//! pair are equally wide, and the lanes of a warp, which wait for the longest task, have about equally many rows.

use std::mem;
use std::ops::Range;

use aligner_core::DeviceError;
use aligner_core::device_struct;
use aligner_core::stream::Backend;
use bytemuck::{cast_slice, pod_collect_to_vec};

use super::device_tasks::DeviceTasks;
use super::engine::{ExtendEngine, THREADS};
use super::parameters::{ExtendPairParameters, ExtendTallyParameters};
use crate::extend::scoring::{MAX_COST, Scoring};
use crate::extend::task_group::TaskGroup;

/// Band widths, in columns, of the kernels of `cuda/extend.cu` and of the matrices of `cuda/fill.cu`.
///
/// The widest kernels need more registers than there are; with 104 columns few are missing, and most wide bands are no
/// wider.
pub const COLUMNS: [u32; 5] = [16, 32, 64, 104, 128];

/// Columns of the widest kernel.
const MOST_COLUMNS: usize = COLUMNS[COLUMNS.len() - 1] as usize;

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

/// Lengths that are told apart among the tasks of a width: `LENGTHS` of `cuda/extend.cu`.
const LENGTHS: usize = 128;

/// Kinds of tasks: for each width, the widest first, one for each length; and one of tasks that no kernel takes.
const KINDS: usize = MOST_COLUMNS * LENGTHS + 1;

device_struct! {
    /// Where the pairs of the tasks of one width are.
    #[derive(PartialEq, Eq, Default)]
    pub struct WidthPlace {
        /// Number of these tasks.
        count: u32,
        /// Number of their first pair.
        first_pair: u32,
        /// Number of the first pair for the kernel that takes them.
        launch_pair: u32,
        /// Number of that kernel's first group.
        first_group: u32,
    }
}

/// Pairs of tasks that one kernel takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedLaunch {
    /// Columns of the kernel.
    pub columns: u32,
    /// Numbers of the pairs.
    pub pairs: Range<u32>,
    /// Number of the first group of [`WARP`] of these pairs; the last group may have fewer.
    pub first_group: u32,
}

/// Where each kind of tasks has its pairs.
#[derive(Debug, Default)]
struct PlanLayout {
    /// For each kind the place of its first task among those of its width.
    next: Vec<u32>,
    /// For each width, the widest first, where its pairs are.
    widths: Vec<WidthPlace>,
    /// The launches that have any pairs, the widest first.
    launches: Vec<PlannedLaunch>,
    /// Number of tasks that no kernel takes.
    left: u32,
}

/// A plan of the kernels' launches for a batch of tasks.
#[derive(Debug)]
pub struct GpuPlan<T> {
    /// The launches, the widest first; each task is in one of them at most.
    pub launches: Vec<PlannedLaunch>,
    /// Numbers of the tasks of all launches (`u32`) on the device, in pairs; the second of a pair may be [`NO_TASK`].
    pub pairs: T,
    /// Bases of the longest query of each group.
    pub rows: Vec<u32>,
    /// Numbers of the tasks that no kernel takes, which are left to the CPU, in order.
    pub left: Vec<u32>,
}

/// Tasks of any launches whose cells are kept at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanSlice {
    /// The groups, those that take longest first.
    pub groups: Vec<TaskGroup>,
    /// Number of tasks of all groups, with [`NO_TASK`] in place of missing ones.
    pub tasks: u64,
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

impl PlanLayout {
    /// The layout for so many tasks of each kind.
    fn new(counts: &[u32]) -> Self {
        let (of_kernels, left) = counts.split_at(KINDS - 1);
        let mut layout = Self { left: left[0], ..Self::default() };
        let (mut pairs, mut groups) = (0, 0);
        let mut of_widths =
            of_kernels.chunks(LENGTHS).zip((1..=MOST_COLUMNS as u32).rev()).peekable();
        for (number, columns) in COLUMNS.into_iter().enumerate().rev() {
            let narrower = number.checked_sub(1).map_or(0, |narrower| COLUMNS[narrower]);
            let (launch_pair, first_group) = (pairs, groups);
            while let Some((of_lengths, _)) = of_widths.next_if(|&(_, width)| width > narrower) {
                let mut count = 0;
                layout.next.extend(of_lengths.iter().map(|of_length| {
                    count += of_length;
                    count - of_length
                }));
                let place = WidthPlace { count, first_pair: pairs, launch_pair, first_group };
                layout.widths.push(place);
                pairs += count.div_ceil(2);
            }
            groups += (pairs - launch_pair).div_ceil(WARP as u32);
            let launch = PlannedLaunch { columns, pairs: launch_pair..pairs, first_group };
            layout.launches.extend((launch_pair < pairs).then_some(launch));
        }
        layout.next.push(0);
        layout
    }

    /// How many pairs all launches have.
    fn pairs(&self) -> u32 {
        self.launches.last().map_or(0, |last| last.pairs.end)
    }

    /// Number of groups of pairs.
    fn groups(&self) -> u32 {
        self.launches.last().map_or(0, |last| last.first_group + last.groups())
    }
}

impl PlannedLaunch {
    /// Number of groups of its pairs.
    fn groups(&self) -> u32 {
        self.pairs.len().div_ceil(WARP) as u32
    }
}

impl<B: Backend + Clone> ExtendEngine<B> {
    /// A plan for all tasks that have cells. Tasks without cells are in no launch and not left either.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn plan(
        &self,
        tasks: &DeviceTasks<'_, B::Buffer>,
    ) -> Result<GpuPlan<B::Buffer>, DeviceError> {
        let (backend, word) = (&self.backend, size_of::<u32>());
        let (count, most_rows) = (tasks.count, most_rows(self.scoring));
        let blocks = count.div_ceil(THREADS);
        let numbers = |buffer: &B::Buffer, count: u32| {
            Ok::<Vec<u32>, DeviceError>(pod_collect_to_vec(
                &backend.read(buffer, count as usize * word)?,
            ))
        };
        let counts = backend.zeros(KINDS * word)?;
        let on_device = self.address(&tasks.tasks);
        let parameters = ExtendTallyParameters {
            tasks: on_device,
            counts: self.address(&counts),
            count,
            most_rows,
        };
        self.launch("extend_tally", blocks, &parameters)?;
        let layout = PlanLayout::new(&numbers(&counts, KINDS as u32)?);
        let next = backend.upload(cast_slice(&layout.next))?;
        let widths = backend.upload(cast_slice(&layout.widths))?;
        let pairs = backend.uninitialized(layout.pairs() as usize * 2 * word)?;
        let rows = backend.zeros(layout.groups() as usize * word)?;
        let left = backend.uninitialized(layout.left as usize * word)?;
        let parameters = ExtendPairParameters {
            tasks: on_device,
            next: self.address(&next),
            widths: self.address(&widths),
            pairs: self.address(&pairs),
            rows: self.address(&rows),
            left: self.address(&left),
            count,
            most_rows,
        };
        self.launch("extend_pair", blocks, &parameters)?;
        let rows = numbers(&rows, layout.groups())?;
        let mut left = if layout.left > 0 { numbers(&left, layout.left)? } else { Vec::new() };
        left.extend_from_slice(&tasks.unknown_windows);
        left.sort_unstable();
        Ok(GpuPlan { launches: layout.launches, pairs, rows, left })
    }
}

impl<T> GpuPlan<T> {
    /// Cuts all launches into slices with cells of at most `budget` words; a group with more is a slice of its own.
    pub fn slices(&self, scoring: Scoring, budget: u64) -> Vec<PlanSlice> {
        let mut slices = Vec::new();
        let mut slice = PlanSlice::default();
        for PlannedLaunch { columns, pairs, first_group } in &self.launches {
            for (first_pair, &rows) in
                pairs.clone().step_by(WARP).zip(&self.rows[*first_group as usize..])
            {
                let tasks = 2 * (pairs.end - first_pair).min(WARP as u32);
                let bytes = if max_cell(scoring, rows) < BYTE_LIMIT { 1 } else { 2 };
                let words = u64::from(rows - 1) * u64::from(columns * bytes / 2) * WARP as u64;
                if slice.words + words > budget && !slice.groups.is_empty() {
                    slices.push(mem::take(&mut slice));
                }
                slice.groups.push(TaskGroup {
                    start: slice.words,
                    first: 2 * first_pair,
                    columns: *columns as u16,
                    tasks: tasks as u8,
                    bytes: bytes as u8,
                });
                slice.tasks += u64::from(tasks);
                slice.words += words;
            }
        }
        slices.extend((!slice.groups.is_empty()).then_some(slice));
        slices
    }
}

/// An upper bound of the numbers in cells of a matrix of `rows` rows, less [`FLOOR`].
fn max_cell(scoring: Scoring, rows: u32) -> i64 {
    i64::from(rows) * i64::from(scoring.match_score()) + beside_matches(scoring)
}

/// The part of [`max_cell`] that does not depend on rows.
fn beside_matches(scoring: Scoring) -> i64 {
    i64::from(scoring.max_clip() + scoring.match_score() + scoring.mismatch_penalty())
}

/// The most rows whose numbers fit into 16 bits.
fn most_rows(scoring: Scoring) -> u32 {
    let room = LIMIT - 1 - FLOOR - beside_matches(scoring);
    room.div_euclid(i64::from(scoring.match_score())).max(0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_the_most_rows_fit() {
        for match_score in [1, 2, 3, 300, 500] {
            let parameters = crate::extend::ScoringParameters {
                match_score,
                mismatch_penalty: 500,
                ..crate::extend::ScoringParameters::default()
            };
            let scoring = Scoring::new(parameters).expect("within limits");
            let most = most_rows(scoring);
            assert!((16..1 << 15).contains(&most), "{match_score}: {most}");
            assert!(FLOOR + max_cell(scoring, most) < LIMIT);
            assert!(FLOOR + max_cell(scoring, most + 1) >= LIMIT);
        }
    }

    #[test]
    fn each_kind_has_its_places_and_each_launch_its_pairs() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut counts: Vec<u32> =
            (0..KINDS).map(|_| if random.u8(..4) == 0 { random.u32(..9) } else { 0 }).collect();
        // One kernel takes nothing.
        counts[(MOST_COLUMNS - 64) * LENGTHS..(MOST_COLUMNS - 32) * LENGTHS].fill(0);
        let layout = PlanLayout::new(&counts);
        assert_eq!((layout.next.len(), layout.widths.len()), (KINDS, MOST_COLUMNS));
        assert_eq!(layout.left, counts[KINDS - 1]);
        let columns: Vec<u32> = layout.launches.iter().map(|launch| launch.columns).collect();
        assert_eq!(columns, [128, 104, 32, 16]);
        let (mut pair, mut group) = (0, 0);
        for launch in &layout.launches {
            assert_eq!((launch.pairs.start, launch.first_group), (pair, group));
            (pair, group) = (launch.pairs.end, group + launch.groups());
        }
        assert_eq!((layout.pairs(), layout.groups()), (pair, group));
        let mut pair = 0;
        for (number, place) in layout.widths.iter().enumerate() {
            let kinds = number * LENGTHS..(number + 1) * LENGTHS;
            let mut before = 0;
            for kind in kinds {
                assert_eq!(layout.next[kind], before);
                before += counts[kind];
            }
            assert_eq!((place.count, place.first_pair), (before, pair));
            pair += before.div_ceil(2);
            let width = (MOST_COLUMNS - number) as u32;
            let launch = layout.launches.iter().find(|it| it.pairs.contains(&place.first_pair));
            if let Some(launch) = launch.filter(|_| before > 0) {
                assert!(
                    width <= launch.columns && (launch.columns == 16 || width > launch.columns / 2)
                );
                assert_eq!(
                    (place.launch_pair, place.first_group),
                    (launch.pairs.start, launch.first_group)
                );
            }
        }
        assert_eq!(pair, layout.pairs());
        assert!(PlanLayout::new(&vec![0; KINDS]).launches.is_empty());
    }
}
