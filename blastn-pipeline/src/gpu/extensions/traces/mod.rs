//! Sides of extensions with their columns, on a GPU.

mod greedy;

use std::sync::{Mutex, PoisonError};

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Argument, DeviceBuffer, Gpu, Kernel};
use rayon::prelude::*;

use crate::gpu::extensions::parameters::{
    self, AffineParameters, TracedSides, FIRST, FRONT_SLOT, SideReach, SLOT, ExtensionSide, THREADS,
};
use crate::query::batch::Batch;
use crate::scoring::Scoring;

const FATBIN: &[u8] = include_bytes!("../../../../cuda/gapped.fatbin");

/// Sides of a launch, at most.
const SIDES: usize = 1 << 22;

/// Runs of columns that there is room for, for each side and besides.
const RUNS: usize = 16;
const MORE_RUNS: usize = 1 << 24;

/// What a launch can take. Sides that do not fit go to the next level.
#[derive(Debug, Clone, Copy)]
struct TraceLevel {
    /// Slots of a ring.
    width: u32,
    /// Rows of a side, at most.
    rows: u32,
}

const TRACES: [TraceLevel; 3] = [
    TraceLevel { width: 256, rows: 1 << 11 },
    TraceLevel { width: 256, rows: 1 << 14 },
    TraceLevel { width: 1024, rows: u32::MAX },
];

/// Kernels, and memory to be used again.
#[derive(Debug)]
pub struct GpuExtensions {
    gpu: Gpu,
    traces: Kernel,
    greedy_traces: Kernel,
    sources: Mutex<Option<DeviceBuffer<u32>>>,
}

/// What the extensions of a batch have in common, in a GPU's memory.
#[derive(Debug)]
pub struct DeviceQueries {
    letters: DeviceBuffer<u32>,
    matrix: DeviceBuffer<i32>,
    gaps: [i32; 2],
}

impl DeviceQueries {
    /// Puts a batch's queries on a GPU.
    ///
    /// # Errors
    /// If they do not fit, or the driver fails.
    pub fn new(gpu: &Gpu, batch: &Batch, scoring: &Scoring) -> Result<Self, DeviceError> {
        Ok(Self {
            letters: gpu.upload(&parameters::text(&batch.letters))?,
            matrix: gpu.upload(&parameters::scores(&batch.matrix))?,
            gaps: [scoring.gap_open + scoring.gap_extend, scoring.gap_extend],
        })
    }
}

/// A kernel whose sides are launched level by level.
struct TraceKernel<'a> {
    kernel: &'a Kernel,
    levels: &'a [TraceLevel],
    /// Bytes of shared memory of a block for each slot.
    slot: u32,
    /// Words of sources of a thread, for some sides.
    room: fn(&[ExtensionSide], TraceLevel) -> u64,
    /// What the kernel is told.
    task: &'a dyn Fn(&TraceLaunch) -> Vec<u8>,
}

/// What differs from launch to launch.
struct TraceLaunch {
    /// Addresses of sides, answers, cursors, sources and runs.
    addresses: [u64; 5],
    room: u64,
    count: u32,
    width: u32,
    run_room: u32,
}

/// What is told of launches of a matrix's kernels, given the addresses of rows, columns and scores.
fn affine_task(launch: &TraceLaunch, [rows, columns, matrix]: [u64; 3], gaps: [i32; 2]) -> Vec<u8> {
    let &[sides, reached, cursors, sources, runs] = &launch.addresses;
    let task = AffineParameters {
        addresses: [sides, rows, columns, matrix, reached, cursors, sources, runs],
        room: launch.room,
        count: launch.count,
        width: launch.width,
        run_room: launch.run_room,
        gaps,
        padding: 0,
    };
    bytemuck::bytes_of(&task).to_vec()
}

impl GpuExtensions {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: Gpu) -> Result<Self, DeviceError> {
        let module = gpu.load("gapped", FATBIN)?;
        let traces = module.kernel(&gpu, "affine_traces")?;
        let greedy_traces = module.kernel(&gpu, "greedy_traces")?;
        for (kernel, levels, slot) in
            [(&traces, TRACES, SLOT), (&greedy_traces, greedy::TRACES, FRONT_SLOT)]
        {
            for level in levels {
                kernel.allow_shared(level.width * slot)?;
            }
        }
        let sources = Mutex::default();
        Ok(Self { gpu, traces, greedy_traces, sources })
    }

    /// Extends sides with their columns: rows are letters of the queries, columns those of the
    /// database.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn traces(
        &self,
        queries: &DeviceQueries,
        letters: &DeviceBuffer<u32>,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        let texts = [
            queries.letters.address(&self.gpu) + FIRST,
            letters.address(&self.gpu) + FIRST,
            queries.matrix.address(&self.gpu),
        ];
        let engine = TraceKernel {
            kernel: &self.traces,
            levels: &TRACES,
            slot: SLOT,
            room: |sides, level| {
                let rows = sides.iter().map(|side| side.rows).max().unwrap_or(0).min(level.rows);
                parameters::room(rows, level.width)
            },
            task: &|launch| affine_task(launch, texts, queries.gaps),
        };
        self.levels(&engine, sides)
    }

    /// Launches until all sides fit, or there is no other level.
    fn levels(&self, engine: &TraceKernel<'_>, sides: &[ExtensionSide]) -> Result<TracedSides, DeviceError> {
        let levels = engine.levels;
        let mut all = TracedSides::default();
        for sides in sides.chunks(SIDES) {
            self.launch(engine, levels[0], sides, &mut all)?;
        }
        for &level in &levels[1..] {
            let left = |number: &usize| !all.reached[*number].fits();
            let numbers: Vec<usize> = (0..sides.len()).into_par_iter().filter(left).collect();
            for numbers in numbers.chunks(SIDES) {
                let left: Vec<ExtensionSide> = numbers.iter().map(|&number| sides[number]).collect();
                let mut again =
                    TracedSides { reached: Vec::new(), runs: std::mem::take(&mut all.runs) };
                self.launch(engine, level, &left, &mut again)?;
                all.runs = again.runs;
                for (&number, reached) in numbers.iter().zip(again.reached) {
                    all.reached[number] = reached;
                }
            }
        }
        Ok(all)
    }

    /// Extends sides and adds the answers to others.
    fn launch(
        &self,
        engine: &TraceKernel<'_>,
        level: TraceLevel,
        sides: &[ExtensionSide],
        answers: &mut TracedSides,
    ) -> Result<(), DeviceError> {
        let (gpu, kernel) = (&self.gpu, engine.kernel);
        let (count, shared) = (sides.len() as u32, level.width * engine.slot);
        let resident = kernel.blocks_per_multiprocessor(THREADS, shared as usize)?.max(1);
        let mut blocks = count.div_ceil(THREADS).min(resident * gpu.multiprocessors());
        let on_device: DeviceBuffer<u8> = gpu.upload(bytemuck::cast_slice(sides))?;
        let reached: DeviceBuffer<u8> = gpu.uninitialized(sides.len() * size_of::<SideReach>())?;
        let cursors: DeviceBuffer<u32> = gpu.zeros(2)?;
        let run_room = sides.len() * RUNS + MORE_RUNS;
        let runs: DeviceBuffer<u32> = gpu.uninitialized(run_room)?;
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let room = (engine.room)(sides, level);
        let present = sources.as_ref().map_or(0, DeviceBuffer::len) as u64;
        let of_block = room * u64::from(THREADS);
        // Half of what is free, as others need memory, too.
        let most = present.max(gpu.free_memory()? / 8) / of_block;
        blocks = blocks.min(most as u32);
        let needed = of_block * u64::from(blocks);
        if present < needed {
            *sources = None;
            *sources = Some(gpu.uninitialized(needed as usize)?);
        }
        if blocks > 0 {
            let address = |buffer: &dyn Address| buffer.address(gpu);
            let task = (engine.task)(&TraceLaunch {
                addresses: [
                    address(&on_device),
                    address(&reached),
                    address(&cursors),
                    sources.as_ref().map_or(0, |sources| address(sources)),
                    address(&runs),
                ],
                room,
                count,
                width: level.width,
                run_room: run_room as u32,
            });
            let task = gpu.upload(&task)?;
            #[allow(unsafe_code)]
            // SAFETY: the task has the addresses of arrays as long as the kernels' contracts say, which
            // live until the answers are copied; sides lie within the texts, whose makers see to it.
            unsafe {
                kernel.launch(blocks, THREADS, shared, &[Argument::Buffer(&task)])?;
            }
            let first = answers.runs.len() as u32;
            let written = (gpu.download(&cursors, 2)?[1] as usize).min(run_room);
            answers.runs.extend(gpu.download(&runs, written)?);
            let start = answers.reached.len();
            answers.reached.resize(start + sides.len(), SideReach::default());
            let own = &mut answers.reached[start..];
            gpu.download_into(&reached, bytemuck::cast_slice_mut(own))?;
            own.par_iter_mut().for_each(|reached| reached.first_run += first);
        } else {
            let none = SideReach { runs: parameters::NO_ROOM, ..SideReach::default() };
            answers.reached.extend(std::iter::repeat_n(none, sides.len()));
        }
        Ok(())
    }
}
