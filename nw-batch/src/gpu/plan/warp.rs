//! Plans for the kernels of `cuda/warp.cu`: which of them aligns which pairs, in which order, with what memory.
//!
//! Pairs of a task should be of similar size, and the largest tasks should start first. So the pairs of a batch are
//! sorted by kernel and size, with keys of 64 bits, on the threads of the current rayon pool. Where only scores are asked for, and
//! queries and targets are one set, either sequence of a pair may be the query ([`LaunchPlanner::turned`]).

use rayon::prelude::*;

use super::fill_last_task;
use super::strips::{DeviceLimits, LongPairs, StripPart};
use super::warp_kernel::{KernelChooser, KernelFamily, WARP, WarpKernel};
use crate::alignment::max_runs;
use crate::batch::{PairBatch, SequencePair, SequenceSet};
use crate::gpu::structs::TracebackTask;
use crate::scoring::Scoring;
use crate::scoring::alphabet::UNKNOWN;

/// One launch of a kernel of `cuda/warp.cu` that fills matrices.
#[derive(Debug, Clone)]
pub struct WarpLaunch {
    /// Kernel to launch.
    pub kernel: WarpKernel,
    /// Indices of the pairs in the batch, task after task; the last pair is repeated until its task is full.
    pub order: Vec<u32>,
    /// Index of the first word of each task's directions; empty for kernels without directions.
    pub directions_starts: Vec<u64>,
    /// Columns of the longest target if a query has more than one strip of rows, else 0.
    pub row_words: u32,
}

/// Launches for the scores of a batch.
#[derive(Debug, Default)]
pub struct ScorePlan {
    /// Launches, each of another kernel.
    pub launches: Vec<WarpLaunch>,
    /// Pairs whose matrices `cuda/strips.cu` fills.
    pub long: Vec<LongPairs>,
    /// Indices of the pairs without a launch, which are those with an empty sequence.
    pub left: Vec<usize>,
}

/// Launches for the alignments of a batch.
#[derive(Debug, Default)]
pub struct TracebackPlan {
    /// Parts of long pairs, which follow each other, in the same memory.
    pub strips: Vec<StripPart>,
    /// Parts of all other pairs; they follow, in the same memory.
    pub parts: Vec<TracebackPart>,
    /// Indices of the pairs without a launch: those with an empty sequence, and those that alone exceed the memory.
    pub left: Vec<usize>,
    /// Upper bound on the runs of all alignments.
    pub max_runs: u64,
}

/// Launches whose directions are in memory together, and the tracebacks through them.
#[derive(Debug, Default)]
pub struct TracebackPart {
    /// Launches that fill the matrices.
    pub launches: Vec<WarpLaunch>,
    /// Traceback of each pair.
    pub tracebacks: Vec<TracebackTask>,
    /// Words of directions of all launches.
    pub direction_words: u64,
    /// Upper bound on the runs of the part's alignments.
    pub max_runs: u64,
}

/// Plans batches of one set of targets and one scoring.
#[derive(Debug)]
pub struct LaunchPlanner {
    score_kernels: KernelChooser,
    trace_kernels: KernelChooser,
    /// Whether each query has residues that match nothing.
    has_unknown: Vec<bool>,
}

/// Pairs of a batch in the order of their launches for alignments.
#[derive(Debug)]
pub struct SortedPairs<'a> {
    batch: PairBatch<'a>,
    /// Kernels, each with the indices of its pairs.
    kernels: Vec<(WarpKernel, Vec<u32>)>,
    /// Pairs whose matrices `cuda/strips.cu` fills.
    long: Vec<LongPairs>,
    /// Indices of the pairs with an empty sequence.
    left: Vec<usize>,
}

/// Key of pairs with an empty sequence: greater than the keys of all kernels.
const NO_KERNEL: u64 = u64::MAX;

/// Bits of a length in a key; lengths of up to `MAX_LENGTH` + 1 fit.
const BITS: u32 = 20;

impl LaunchPlanner {
    /// A planner for a scoring and the queries of all batches.
    pub fn new(scoring: &Scoring, queries: &SequenceSet) -> Self {
        let indices = 0..queries.len() as u32;
        Self {
            score_kernels: KernelChooser::new(scoring, false),
            trace_kernels: KernelChooser::new(scoring, true),
            has_unknown: indices.map(|index| queries.get(index).contains(&UNKNOWN)).collect(),
        }
    }

    /// The pairs of a batch whose queries and targets are the same set, each with that sequence as the query with which its score
    /// is found sooner: one that has no unknown residues, or that fills the rows of its kernel.
    pub fn turned(&self, batch: PairBatch<'_>) -> Vec<SequencePair> {
        let time = |pair: SequencePair, (rows, columns): (u32, u32)| {
            let has_unknown = self.has_unknown[pair.query as usize];
            let kernel = self.score_kernels.kernel((rows, columns), has_unknown);
            u64::from(kernel.column_time(rows)) * u64::from(columns + WARP - 1)
        };
        let turned = |(index, &pair): (usize, &SequencePair)| {
            let (rows, columns) = batch.lengths(index as u32);
            let is_sooner = time(pair.turned(), (columns, rows)) < time(pair, (rows, columns));
            if is_sooner { pair.turned() } else { pair }
        };
        batch.pairs.par_iter().enumerate().map(turned).collect()
    }

    /// Plans the launches for the scores of a batch, of which pairs with more than `most_cells` cells are long, and those
    /// whose scores 16 bits do not hold.
    pub fn plan_scores(&self, batch: PairBatch<'_>, most_cells: u64) -> ScorePlan {
        let SortedPairs { kernels, long, left, .. } =
            self.sort(batch, &self.score_kernels, most_cells);
        let launches = kernels.into_iter().map(|(kernel, mut order)| {
            let strips =
                order.first().is_some_and(|&first| kernel.strips(batch.lengths(first).0) > 1);
            let columns = |&index: &u32| batch.lengths(index).1;
            let row_words = if strips { order.par_iter().map(columns).max() } else { None };
            if kernel.adds_both() {
                order = self.fitting_tasks(batch, order);
            }
            fill_last_task(&mut order, kernel.pairs_per_task());
            let row_words = row_words.unwrap_or(0);
            WarpLaunch { kernel, order, directions_starts: Vec::new(), row_words }
        });
        ScorePlan { launches: launches.collect(), long, left }
    }

    /// The pairs of tasks of two whose matrices, each as large as both pairs need it, 16 bits hold: a pair that fits with no neighbour
    /// is there twice.
    fn fitting_tasks(&self, batch: PairBatch<'_>, order: Vec<u32>) -> Vec<u32> {
        let fit = |task: &[u32]| {
            let lengths = task.iter().map(|&index| batch.lengths(index));
            let both =
                lengths.fold((0, 0), |(m, n), (rows, columns)| (m.max(rows), n.max(columns)));
            self.score_kernels.is_narrow(both)
        };
        if order.par_chunks(2).all(fit) {
            return order;
        }
        let alone = |task: &[u32]| task.iter().flat_map(|&pair| [pair, pair]).collect();
        order
            .chunks(2)
            .flat_map(|task| if fit(task) { task.to_vec() } else { alone(task) })
            .collect()
    }

    /// Sorts the pairs of a batch for the launches for its alignments. Long pairs are those of [`Self::plan_scores`].
    pub fn sort_for_alignments<'a>(
        &self,
        batch: PairBatch<'a>,
        most_cells: u64,
    ) -> SortedPairs<'a> {
        self.sort(batch, &self.trace_kernels, most_cells)
    }

    /// Long pairs by the family of their kernels. Scores fit into a byte.
    pub fn families(&self, batch: PairBatch<'_>, pairs: Vec<u32>) -> Vec<LongPairs> {
        let has_unknown =
            |index: &u32| self.has_unknown[batch.pairs[*index as usize].query as usize];
        let (unknown, known): (Vec<_>, Vec<_>) = pairs.into_iter().partition(has_unknown);
        let families = [(false, known), (true, unknown)].into_iter().filter_map(|(has, pairs)| {
            let family = self.score_kernels.strip_family(has)?;
            (!pairs.is_empty()).then_some(LongPairs { family, pairs })
        });
        families.collect()
    }

    /// Sorts the pairs of a batch by kernel, then size.
    fn sort<'a>(
        &self,
        batch: PairBatch<'a>,
        chooser: &KernelChooser,
        most_cells: u64,
    ) -> SortedPairs<'a> {
        let all: Vec<WarpKernel> = WarpKernel::all().collect();
        let longest = (1_u64 << BITS) - 1;
        let key = |index: u32| {
            let (m, n) = batch.lengths(index);
            if m == 0 || n == 0 {
                return NO_KERNEL;
            }
            let has_unknown = self.has_unknown[batch.pairs[index as usize].query as usize];
            // Families of long pairs come after all kernels.
            let long = chooser.long_family((m, n), has_unknown, most_cells);
            let number = |family| all.len() + family as usize;
            let kernel = long.map_or_else(
                || {
                    let kernel = chooser.kernel((m, n), has_unknown);
                    all.iter().position(|&other| other == kernel).unwrap_or(0)
                },
                number,
            );
            let kernel = kernel as u64;
            // The largest pairs first. The exact number of rows comes last: it matters least to a task.
            let (class, rows) = (longest / 16 - u64::from(m.div_ceil(16)), longest - u64::from(m));
            let columns = longest - u64::from(n);
            kernel << (3 * BITS - 4) | class << (2 * BITS) | columns << BITS | rows
        };
        let mut keys: Vec<(u64, u32)> = (0..batch.pairs.len() as u32)
            .into_par_iter()
            .map(|index| (key(index), index))
            .collect();
        keys.par_sort_unstable();
        let with_kernel = keys.partition_point(|&(key, _)| key != NO_KERNEL);
        let left = keys.split_off(with_kernel);
        let by_kernel =
            |a: &(u64, u32), b: &(u64, u32)| a.0 >> (3 * BITS - 4) == b.0 >> (3 * BITS - 4);
        let (mut kernels, mut long) = (Vec::new(), Vec::new());
        for chunk in keys.chunk_by(by_kernel) {
            let kernel = (chunk[0].0 >> (3 * BITS - 4)) as usize;
            let pairs = chunk.iter().map(|&(_, index)| index).collect();
            if let Some(&kernel) = all.get(kernel) {
                kernels.push((kernel, pairs));
            } else {
                let family = KernelFamily::ALL[kernel - all.len()];
                long.push(LongPairs { family, pairs });
            }
        }
        SortedPairs {
            batch,
            kernels,
            long,
            left: left.into_iter().map(|(_, index)| index as usize).collect(),
        }
    }
}

impl SortedPairs<'_> {
    /// Words of memory for all pairs, where long pairs and the others use the same.
    pub fn matrix_words(&self, limits: DeviceLimits) -> u64 {
        let long = self.long.iter().map(|pairs| pairs.words(self.batch, true, limits)).max();
        self.direction_words().max(long.unwrap_or(0))
    }

    /// Words of directions of all pairs that are not long.
    fn direction_words(&self) -> u64 {
        let of_kernel = |(kernel, order): &(WarpKernel, Vec<u32>)| -> u64 {
            let tasks = order.par_chunks(kernel.pairs_per_task() as usize);
            tasks.map(|task| self.task_size(*kernel, task).1).sum()
        };
        self.kernels.iter().map(of_kernel).sum()
    }

    /// Columns of a task's longest target, and words of its directions.
    fn task_size(&self, kernel: WarpKernel, task: &[u32]) -> (u32, u64) {
        let lengths = || task.iter().map(|&index| self.batch.lengths(index));
        let rows = lengths().map(|pair| pair.0).max().unwrap_or(0);
        let columns = lengths().map(|pair| pair.1).max().unwrap_or(0);
        (columns, kernel.direction_words(rows, columns))
    }

    /// Plans the launches: parts of at most `limits.words` words of memory, and of about equal size.
    pub fn into_parts(self, limits: DeviceLimits) -> TracebackPlan {
        let budget = limits.words;
        let all = self.direction_words();
        let enough = all.div_ceil(all.div_ceil(budget.max(1)).max(1));
        let mut plan = TracebackPlan { left: self.left.clone(), ..TracebackPlan::default() };
        for pairs in &self.long {
            pairs.plan(self.batch, true, limits, &mut plan.strips, &mut plan.left);
        }
        plan.max_runs = plan.strips.iter().map(StripPart::max_runs).sum();
        let mut part = TracebackPart::default();
        for (kernel, order) in &self.kernels {
            let mut launch = WarpLaunch::new(*kernel);
            for task in order.chunks(kernel.pairs_per_task() as usize) {
                let (columns, words) = self.task_size(*kernel, task);
                if words > budget {
                    plan.left.extend(task.iter().map(|&index| index as usize));
                    continue;
                }
                if part.direction_words >= enough || part.direction_words + words > budget {
                    part.add(std::mem::replace(&mut launch, WarpLaunch::new(*kernel)));
                    plan.add(std::mem::take(&mut part));
                }
                for (half, &pair) in task.iter().enumerate() {
                    let (pair_rows, pair_columns) = self.batch.lengths(pair);
                    part.max_runs += u64::from(max_runs(pair_rows, pair_columns));
                    part.tracebacks.push(TracebackTask {
                        directions_start: part.direction_words,
                        runs_end: part.max_runs,
                        pair,
                        steps: columns + WARP - 1,
                        rows_per_lane: kernel.rows as u16,
                        half: half as u8,
                        is_affine: u8::from(kernel.is_affine()),
                        padding: 0,
                    });
                    if kernel.strips(pair_rows) > 1 {
                        launch.row_words = launch.row_words.max(columns);
                    }
                }
                launch.order.extend(task);
                launch.directions_starts.push(part.direction_words);
                part.direction_words += words;
            }
            part.add(launch);
        }
        plan.add(part);
        plan
    }
}

impl TracebackPlan {
    /// Runs that the tracebacks of a part find at most.
    pub fn run_room(&self) -> u64 {
        let strips = self.strips.iter().map(StripPart::max_runs);
        strips.chain(self.parts.iter().map(|part| part.max_runs)).max().unwrap_or(0)
    }

    /// Appends a part, unless it is empty.
    fn add(&mut self, part: TracebackPart) {
        if !part.tracebacks.is_empty() {
            self.max_runs += part.max_runs;
            self.parts.push(part);
        }
    }
}

impl TracebackPart {
    /// Appends a launch, unless it is empty.
    fn add(&mut self, mut launch: WarpLaunch) {
        if !launch.order.is_empty() {
            fill_last_task(&mut launch.order, launch.kernel.pairs_per_task());
            self.launches.push(launch);
        }
    }
}

impl WarpLaunch {
    /// A launch without pairs.
    fn new(kernel: WarpKernel) -> Self {
        Self { kernel, order: Vec::new(), directions_starts: Vec::new(), row_words: 0 }
    }

    /// Number of tasks, each for one warp.
    pub fn tasks(&self) -> u32 {
        self.order.len() as u32 / self.kernel.pairs_per_task()
    }
}
