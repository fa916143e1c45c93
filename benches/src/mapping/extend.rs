//! Banded extensions of reads: scores and alignments a second, checked against the CPU.

use aligner_core::Device;
use fastrand::Rng;
use seed_extend::extend::gpu::ExtendEngine;
use seed_extend::extend::{
    AlignmentTask, Extender, Prediction, QueryCodes, ReferenceText, Scoring, TaskBatch, cpu,
};
use serde::Serialize;

use crate::error::BenchError;
use crate::timing::{median, repeat};

/// Bases of the random reference.
const TEXT: usize = 1 << 25;

/// Tasks that are checked against the CPU.
const CHECKED: usize = 1000;

/// The workload: reads and bands.
#[derive(Debug, Clone, Copy)]
pub struct ExtendOptions {
    /// Reads; each is one task, with one window of the reference.
    pub tasks: usize,
    /// Bases of a read.
    pub length: u32,
    /// Diagonals of each band.
    pub width: u32,
    /// Timed runs; the median counts.
    pub runs: usize,
}

/// The speed of one kind of extension.
#[derive(Debug, Clone, Serialize)]
pub struct ExtendTiming {
    /// The output that was computed: `scores` or `alignments`.
    pub name: &'static str,
    /// Tasks in a run.
    pub tasks: usize,
    /// Matrix cells in all bands.
    pub cells: u64,
    /// Median seconds of the kernels by the device's events; none for alignments, and none on a CPU.
    pub kernel_seconds: Option<f64>,
    /// Median seconds with planning, copies and results on the host.
    pub seconds: f64,
    /// Cells by `kernel_seconds`, in 10^9 a second.
    pub kernel_gcells: Option<f64>,
    /// Cells by `seconds`, in 10^9 a second; the CPU skips most of them.
    pub gcells: f64,
    /// Tasks by `kernel_seconds`, in 10^6 a second.
    pub kernel_mtasks: Option<f64>,
    /// Tasks by `seconds`, in 10^6 a second.
    pub mtasks: f64,
}

/// A random reference and reads with few errors, each from the middle of its window.
struct ExtendWorkload {
    text: Vec<u64>,
    queries: Vec<u8>,
    tasks: Vec<AlignmentTask>,
}

impl ExtendWorkload {
    fn new(options: ExtendOptions) -> Self {
        let mut random = Rng::with_seed(17);
        let text: Vec<u64> = (0..TEXT / 32).map(|_| random.u64(..)).collect();
        let (m, width) = (options.length as usize, options.width as usize);
        let mut reads = Self { text, queries: Vec::new(), tasks: Vec::new() };
        let mut codes = vec![0; 2 * m + width];
        for _ in 0..options.tasks {
            let start = random.usize(..TEXT - codes.len());
            ReferenceText::Packed(&reads.text).read(start, &mut codes);
            let query_start = reads.queries.len();
            for &code in &codes[width / 2..] {
                match random.u16(..2000) {
                    0 => {}
                    1 => reads.queries.extend([code, random.u8(..4)]),
                    2..32 => reads.queries.push(random.u8(..4)),
                    _ => reads.queries.push(code),
                }
            }
            reads.queries.truncate(query_start + m);
            reads.tasks.push(AlignmentTask {
                query_start: query_start as u32,
                query_len: (reads.queries.len() - query_start) as u32,
                window_start: start as u32,
                window_len: options.length + options.width - 1,
                low: 0,
                high: options.width as i32 - 1,
                is_reverse: 0,
                prediction: Prediction::default(),
            });
        }
        reads
    }

    fn all(&self) -> TaskBatch<'_> {
        TaskBatch {
            queries: QueryCodes::Codes(&self.queries),
            text: ReferenceText::Packed(&self.text),
            tasks: &self.tasks,
        }
    }
}

/// Measures scores and alignments on a device. `progress` gets the name of each step before it begins.
///
/// # Errors
/// If the GPU fails, or gives other results than the CPU.
pub fn extend(
    device: &Device,
    options: ExtendOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<ExtendTiming>, BenchError> {
    progress("reads");
    let reads = ExtendWorkload::new(options);
    let scoring = Scoring::default();
    let some: Vec<usize> = (0..options.tasks).step_by((options.tasks / CHECKED).max(1)).collect();
    let part: Vec<AlignmentTask> = some.iter().map(|&number| reads.tasks[number]).collect();
    let part = TaskBatch { tasks: &part, ..reads.all() };

    progress("scores");
    let mut extender = Extender::new(scoring, reads.all().text, device)?;
    let (scored, seconds) = repeat(options.runs, || Ok(extender.score(reads.all())))?;
    check(&mut extender, "scores", &some, &cpu::score(scoring, part), |number| scored[number])?;
    let kernel = match device {
        Device::Cpu => None,
        Device::Cuda(gpu) => {
            let engine = ExtendEngine::on_gpu(gpu, scoring, reads.all().text)?;
            let times: Result<Vec<f64>, _> =
                (0..=options.runs).map(|_| engine.time_score(reads.all())).collect();
            Some(median(&times?[1..]))
        }
    };
    let scores = timing("scores", options, kernel, seconds);

    progress("alignments");
    let (alignments, seconds) = repeat(options.runs, || Ok(extender.align(reads.all())))?;
    let expected = cpu::align(scoring, part);
    let expected: Vec<_> = (0..some.len()).map(|place| expected.get(place)).collect();
    check(&mut extender, "alignments", &some, &expected, |number| alignments.get(number))?;
    Ok(vec![scores, timing("alignments", options, None, seconds)])
}

/// An error if the device failed, or if the results of the tasks `some` are not the `expected` ones.
fn check<T: PartialEq>(
    extender: &mut Extender,
    name: &'static str,
    some: &[usize],
    expected: &[T],
    found: impl Fn(usize) -> T,
) -> Result<(), BenchError> {
    if let Some(failure) = extender.take_failure() {
        return Err(failure.into());
    }
    let wrong = some.iter().zip(expected).filter(|&(&at, expected)| found(at) != *expected).count();
    if wrong > 0 {
        return Err(BenchError::WrongAlignments { name, wrong });
    }
    Ok(())
}

fn timing(
    name: &'static str,
    options: ExtendOptions,
    kernel_seconds: Option<f64>,
    seconds: f64,
) -> ExtendTiming {
    let cells = options.tasks as u64 * u64::from(options.length) * u64::from(options.width);
    let rate = |count: f64| (kernel_seconds.map(|time| count / time), count / seconds);
    let (kernel_gcells, gcells) = rate(cells as f64 / 1e9);
    let (kernel_mtasks, mtasks) = rate(options.tasks as f64 / 1e6);
    ExtendTiming {
        name,
        tasks: options.tasks,
        cells,
        kernel_seconds,
        seconds,
        kernel_gcells,
        gcells,
        kernel_mtasks,
        mtasks,
    }
}

/// A table with a line for each kind of extension.
pub fn extend_table(timings: &[ExtendTiming]) -> String {
    let row = |cells: [String; 6]| {
        let [name, tasks, kernel, kernel_tasks, all, all_tasks] = cells;
        format!("{name:<11} {tasks:>9} {kernel:>15} {kernel_tasks:>15} {all:>12} {all_tasks:>12}\n")
    };
    let heading =
        ["", "tasks", "kernel Gcells/s", "kernel Mtasks/s", "all Gcells/s", "all Mtasks/s"];
    let mut table = row(heading.map(str::to_owned));
    for timing in timings {
        let some = |number: Option<f64>| number.map_or("-".to_owned(), |it| format!("{it:.2}"));
        table += &row([
            timing.name.to_owned(),
            timing.tasks.to_string(),
            some(timing.kernel_gcells),
            some(timing.kernel_mtasks),
            format!("{:.2}", timing.gcells),
            format!("{:.2}", timing.mtasks),
        ]);
    }
    table
}
