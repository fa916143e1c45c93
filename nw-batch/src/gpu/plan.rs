//! Which kernel does which pairs, in which order, and what memory it needs.
//!
//! Pairs of a task should be of a size, and the largest tasks begin first. So the pairs of a batch are
//! sorted by kernel and size, as numbers of 64 bits, by the threads of the current pool.

use rayon::prelude::*;

use crate::alphabet::UNKNOWN;
use crate::batch::{Batch, Sequences};
use crate::cigar::max_runs;
use crate::gpu::kernel::{Chooser, Kernel};
use crate::gpu::model::Trace;
use crate::scoring::Scoring;

/// Pairs for one launch of a kernel.
#[derive(Debug, Clone)]
pub struct Work {
    /// The kernel.
    pub kernel: Kernel,
    /// The pairs, by their places in the batch; as many as the tasks have, the last one repeated.
    pub order: Vec<u32>,
    /// Where the directions of each task begin, in words; none without trace.
    pub starts: Vec<u64>,
    /// Columns of the longest target if a query has more than one strip of rows, else 0.
    pub row_words: u32,
}

/// Launches for scores.
#[derive(Debug, Default)]
pub struct ScorePlan {
    /// The launches.
    pub work: Vec<Work>,
    /// Pairs for the CPU, by their places in the batch: those with an empty sequence.
    pub left: Vec<usize>,
}

/// Launches for alignments.
#[derive(Debug, Default)]
pub struct TracePlan {
    /// They follow each other, in the same memory.
    pub parts: Vec<Part>,
    /// Pairs for the CPU, by their places in the batch: those with an empty sequence, and those whose
    /// directions alone are beyond the budget.
    pub left: Vec<usize>,
    /// Runs that all alignments have at most.
    pub runs: u64,
}

/// Launches whose directions are in memory at the same time.
#[derive(Debug, Default)]
pub struct Part {
    /// The launches.
    pub work: Vec<Work>,
    /// Where the directions of each pair will be.
    pub traces: Vec<Trace>,
    /// Words of directions.
    pub words: u64,
    /// Runs that the alignments have at most.
    pub runs: u64,
}

/// What plans of a set of sequences and a scoring need.
#[derive(Debug)]
pub struct Planner {
    scores: Chooser,
    traces: Chooser,
    /// Whether a target has residues that match nothing.
    unknown: Vec<bool>,
}

/// Pairs in the order of their launches.
#[derive(Debug)]
pub struct Sorted<'a> {
    batch: Batch<'a>,
    /// Pairs of each kernel, by their places in the batch.
    kernels: Vec<(Kernel, Vec<u32>)>,
    /// Pairs with an empty sequence.
    left: Vec<usize>,
}

/// Stands behind all kernels, for pairs with an empty sequence.
const NONE: u64 = u64::MAX;

/// Bits of a length; one residue more than the longest sequence has fits.
const BITS: u32 = 20;

impl Planner {
    /// For a scoring and the targets of all batches.
    pub fn new(scoring: &Scoring, targets: &Sequences) -> Self {
        let numbers = 0..targets.len() as u32;
        Self {
            scores: Chooser::new(scoring, false),
            traces: Chooser::new(scoring, true),
            unknown: numbers.map(|number| targets.get(number).contains(&UNKNOWN)).collect(),
        }
    }

    /// The launches for the scores of a batch.
    pub fn scores(&self, batch: Batch<'_>) -> ScorePlan {
        let Sorted { kernels, left, .. } = self.sort(batch, &self.scores);
        let work = kernels.into_iter().map(|(kernel, mut order)| {
            let strips =
                order.first().is_some_and(|&first| kernel.strips(batch.lengths(first).0) > 1);
            let columns = |&number: &u32| batch.lengths(number).1;
            let row_words = if strips { order.par_iter().map(columns).max() } else { None };
            pad(&mut order, kernel.pairs_of_task());
            Work { kernel, order, starts: Vec::new(), row_words: row_words.unwrap_or(0) }
        });
        ScorePlan { work: work.collect(), left }
    }

    /// The order of the launches for the alignments of a batch.
    pub fn sort_for_traces<'a>(&self, batch: Batch<'a>) -> Sorted<'a> {
        self.sort(batch, &self.traces)
    }

    fn sort<'a>(&self, batch: Batch<'a>, chooser: &Chooser) -> Sorted<'a> {
        let all: Vec<Kernel> = Kernel::all().collect();
        let longest = (1_u64 << BITS) - 1;
        let key = |number: u32| {
            let (m, n) = batch.lengths(number);
            if m == 0 || n == 0 {
                return NONE;
            }
            let target = batch.pairs[number as usize].target;
            let kernel = chooser.kernel((m, n), self.unknown[target as usize]);
            let kernel = all.iter().position(|&other| other == kernel).unwrap_or(0) as u64;
            // The largest first. By the exact number of rows last: it matters to a task least.
            let (class, rows) = (longest / 16 - u64::from(m.div_ceil(16)), longest - u64::from(m));
            let columns = longest - u64::from(n);
            kernel << (3 * BITS - 4) | class << (2 * BITS) | columns << BITS | rows
        };
        let mut keys: Vec<(u64, u32)> = (0..batch.pairs.len() as u32)
            .into_par_iter()
            .map(|number| (key(number), number))
            .collect();
        keys.par_sort_unstable();
        let with_kernel = keys.partition_point(|&(key, _)| key != NONE);
        let left = keys.split_off(with_kernel);
        let by_kernel =
            |a: &(u64, u32), b: &(u64, u32)| a.0 >> (3 * BITS - 4) == b.0 >> (3 * BITS - 4);
        let kernels = keys.chunk_by(by_kernel).map(|pairs| {
            let kernel = all[(pairs[0].0 >> (3 * BITS - 4)) as usize];
            (kernel, pairs.iter().map(|&(_, number)| number).collect())
        });
        Sorted {
            batch,
            kernels: kernels.collect(),
            left: left.into_iter().map(|(_, number)| number as usize).collect(),
        }
    }
}

impl Sorted<'_> {
    /// Words of directions of all pairs together.
    pub fn direction_words(&self) -> u64 {
        let of_kernel = |(kernel, order): &(Kernel, Vec<u32>)| -> u64 {
            let tasks = order.par_chunks(kernel.pairs_of_task() as usize);
            tasks.map(|task| self.words(*kernel, task).1).sum()
        };
        self.kernels.iter().map(of_kernel).sum()
    }

    /// Columns of a task's longest target, and words of its directions.
    fn words(&self, kernel: Kernel, task: &[u32]) -> (u32, u64) {
        let lengths = || task.iter().map(|&number| self.batch.lengths(number));
        let rows = lengths().map(|pair| pair.0).max().unwrap_or(0);
        let columns = lengths().map(|pair| pair.1).max().unwrap_or(0);
        (columns, kernel.direction_words(rows, columns))
    }

    /// The launches, each part with at most `budget` words of directions, and all about as many.
    pub fn parts(self, budget: u64) -> TracePlan {
        let all = self.direction_words();
        let enough = all.div_ceil(all.div_ceil(budget.max(1)).max(1));
        let mut plan = TracePlan { left: self.left.clone(), ..TracePlan::default() };
        let mut part = Part::default();
        for (kernel, order) in &self.kernels {
            let mut work = Work::new(*kernel);
            for task in order.chunks(kernel.pairs_of_task() as usize) {
                let (columns, words) = self.words(*kernel, task);
                if words > budget {
                    plan.left.extend(task.iter().map(|&number| number as usize));
                    continue;
                }
                if part.words >= enough || part.words + words > budget {
                    part.add(std::mem::replace(&mut work, Work::new(*kernel)));
                    plan.add(std::mem::take(&mut part));
                }
                for (half, &pair) in task.iter().enumerate() {
                    let (rows, own) = self.batch.lengths(pair);
                    part.runs += u64::from(max_runs(rows, own));
                    part.traces.push(Trace::new(
                        *kernel,
                        (part.words, part.runs),
                        (pair, half),
                        columns,
                    ));
                    if kernel.strips(rows) > 1 {
                        work.row_words = work.row_words.max(columns);
                    }
                }
                work.order.extend(task);
                work.starts.push(part.words);
                part.words += words;
            }
            part.add(work);
        }
        plan.add(part);
        plan
    }
}

impl TracePlan {
    fn add(&mut self, part: Part) {
        if !part.traces.is_empty() {
            self.runs += part.runs;
            self.parts.push(part);
        }
    }
}

impl Part {
    fn add(&mut self, mut work: Work) {
        if !work.order.is_empty() {
            pad(&mut work.order, work.kernel.pairs_of_task());
            self.work.push(work);
        }
    }
}

impl Work {
    fn new(kernel: Kernel) -> Self {
        Self { kernel, order: Vec::new(), starts: Vec::new(), row_words: 0 }
    }

    /// Tasks.
    pub fn tasks(&self) -> u32 {
        self.order.len() as u32 / self.kernel.pairs_of_task()
    }
}

/// Repeats the last pair until all tasks are full.
pub(super) fn pad(order: &mut Vec<u32>, pairs_of_task: u32) {
    if let Some(&last) = order.last() {
        order.resize(order.len().next_multiple_of(pairs_of_task as usize), last);
    }
}
