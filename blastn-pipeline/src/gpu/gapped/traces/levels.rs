//! Launches of the kernels that extend sides with their columns, level by level: sides that do not fit into a launch's memory
//! go to the next level, in which fewer threads have more memory each.

use std::sync::{Mutex, PoisonError};

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer, DeviceRepr, DeviceStruct, Gpu, Kernel};
use rayon::prelude::*;

use crate::gpu::gapped::parameters::{
    ExtensionSide, FRONT_SLOT_BYTES, NO_ROOM, SLOT_BYTES, SideReach, THREADS, TracedSides,
    score_matrix,
};
use crate::gpu::gapped::text::text;
use crate::query::batch::QueryBatch;
use crate::scoring::Scoring;

const FATBIN: &[u8] = include_bytes!("../../../../cuda/gapped.fatbin");

/// Sides of a launch, at most.
const SIDES: usize = 1 << 22;

/// Runs of columns for each side of a launch that there is room for.
const RUNS_PER_SIDE: usize = 16;

/// Further runs of columns of a launch that there is room for.
const MORE_RUNS: usize = 1 << 24;

/// How much memory the threads of a launch have.
#[derive(Debug, Clone, Copy)]
pub(super) struct TraceLevel {
    /// Slots of a ring of cells, or diagonals of a front.
    pub(super) slots: u32,
    /// Rows of sources: letters of the rows' sequence, or differences.
    pub(super) rows: u32,
}

/// Levels of extensions with affine gap costs.
pub(super) const AFFINE_LEVELS: [TraceLevel; 3] = [
    TraceLevel { slots: 256, rows: 1 << 11 },
    TraceLevel { slots: 256, rows: 1 << 14 },
    TraceLevel { slots: 1024, rows: u32::MAX },
];

/// Levels of greedy extensions.
pub(super) const GREEDY_LEVELS: [TraceLevel; 3] = [
    TraceLevel { slots: 64, rows: 1 << 8 },
    TraceLevel { slots: 128, rows: 1 << 10 },
    TraceLevel { slots: 512, rows: 1 << 12 },
];

/// The number of threads for which it is worth making new memory, given that of sides. The driver makes memory at some 20 GB/s, a
/// quarter of a megabyte for each thread, and a side takes a thread less than a millisecond. So the sum of both times is least
/// where threads grow with the square root of sides.
fn worthwhile_threads(sides: u32) -> u32 {
    const FACTOR: u32 = 16;
    FACTOR * sides.isqrt()
}

/// Extends sides with their columns: the kernels, and memory that launches reuse.
#[derive(Debug)]
pub struct TraceExtender {
    pub(super) gpu: Gpu,
    pub(super) affine: Kernel,
    pub(super) greedy: Kernel,
    sources: Mutex<Option<DeviceBuffer<u32>>>,
}

/// Queries of a batch in a GPU's memory, as extensions read them, with the scores.
#[derive(Debug)]
pub struct DeviceQueries {
    pub(super) letters: DeviceBuffer<u32>,
    pub(super) matrix: DeviceBuffer<i32>,
    /// Cost of a gap of one column.
    pub(super) gap_first: i32,
    /// Cost of each further column of a gap.
    pub(super) gap_more: i32,
}

impl DeviceQueries {
    /// Copies a batch's queries to a GPU.
    ///
    /// # Errors
    /// If they do not fit, or the driver fails.
    pub fn new(gpu: &Gpu, batch: &QueryBatch, scoring: &Scoring) -> Result<Self, DeviceError> {
        Ok(Self {
            letters: gpu.upload(&text(&batch.letters))?,
            matrix: gpu.upload(&score_matrix(&batch.matrix))?,
            gap_first: scoring.gap_open + scoring.gap_extend,
            gap_more: scoring.gap_extend,
        })
    }
}

/// A kernel that extends sides with their columns, and how to launch it.
pub(super) struct TraceKernel<'a, P> {
    pub(super) kernel: &'a Kernel,
    pub(super) levels: &'a [TraceLevel],
    /// Bytes of shared memory of a block for each slot.
    pub(super) slot_bytes: u32,
    /// Words of sources of a thread, for some sides.
    pub(super) source_words: fn(&[ExtensionSide], TraceLevel) -> u64,
    /// Makes the kernel's parameters for a launch.
    pub(super) parameters: &'a dyn Fn(&TraceLaunch) -> P,
}

/// Parameters that all kernels with columns have, and that differ from launch to launch.
pub(super) struct TraceLaunch {
    pub(super) sides: DeviceAddress<ExtensionSide>,
    pub(super) reaches: DeviceAddress<SideReach>,
    pub(super) cursors: DeviceAddress<u32>,
    pub(super) sources: DeviceAddress<u32>,
    pub(super) runs: DeviceAddress<u32>,
    pub(super) source_words: u64,
    pub(super) side_count: u32,
    pub(super) slots: u32,
    pub(super) run_capacity: u32,
}

impl TraceExtender {
    /// Loads the kernels of `gapped.cu` that write columns.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: Gpu) -> Result<Self, DeviceError> {
        let module = gpu.load("gapped", FATBIN)?;
        let affine = module.kernel(&gpu, "affine_traces")?;
        let greedy = module.kernel(&gpu, "greedy_traces")?;
        for (kernel, levels, slot_bytes) in
            [(&affine, AFFINE_LEVELS, SLOT_BYTES), (&greedy, GREEDY_LEVELS, FRONT_SLOT_BYTES)]
        {
            for level in levels {
                kernel.allow_shared(level.slots * slot_bytes)?;
            }
        }
        let sources = Mutex::default();
        Ok(Self { gpu, affine, greedy, sources })
    }

    /// Launches a kernel until all sides fit, or there is no further level.
    pub(super) fn trace<P: DeviceStruct + DeviceRepr>(
        &self,
        kernel: &TraceKernel<'_, P>,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        let levels = kernel.levels;
        let mut all = TracedSides::default();
        for sides in sides.chunks(SIDES) {
            self.launch(kernel, levels[0], sides, &mut all)?;
        }
        for &level in &levels[1..] {
            let is_left = |number: &usize| !all.reaches[*number].fits();
            let numbers: Vec<usize> = (0..sides.len()).into_par_iter().filter(is_left).collect();
            for numbers in numbers.chunks(SIDES) {
                let left: Vec<ExtensionSide> =
                    numbers.iter().map(|&number| sides[number]).collect();
                let mut again =
                    TracedSides { reaches: Vec::new(), runs: std::mem::take(&mut all.runs) };
                self.launch(kernel, level, &left, &mut again)?;
                all.runs = again.runs;
                for (&number, reach) in numbers.iter().zip(again.reaches) {
                    all.reaches[number] = reach;
                }
            }
        }
        Ok(all)
    }

    /// Extends sides by one launch, and appends their reaches and runs to `traced`.
    fn launch<P: DeviceStruct + DeviceRepr>(
        &self,
        kernel: &TraceKernel<'_, P>,
        level: TraceLevel,
        sides: &[ExtensionSide],
        traced: &mut TracedSides,
    ) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        let (count, shared) = (sides.len() as u32, level.slots * kernel.slot_bytes);
        let resident = kernel.kernel.blocks_per_multiprocessor(THREADS, shared as usize)?.max(1);
        let most_blocks = count.div_ceil(THREADS).min(resident * gpu.multiprocessors());
        let on_device: DeviceBuffer<u8> = gpu.upload(bytemuck::cast_slice(sides))?;
        let reaches: DeviceBuffer<u8> = gpu.uninitialized(sides.len() * size_of::<SideReach>())?;
        let cursors: DeviceBuffer<u32> = gpu.zeros(2)?;
        let run_capacity = sides.len() * RUNS_PER_SIDE + MORE_RUNS;
        let runs: DeviceBuffer<u32> = gpu.uninitialized(run_capacity)?;
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let source_words = (kernel.source_words)(sides, level);
        let present = sources.as_ref().map_or(0, DeviceBuffer::len) as u64;
        let of_block = source_words * u64::from(THREADS);
        // Half (in bytes) of the free memory, as others need memory, too.
        let most = present.max(gpu.free_memory()? / 8) / of_block;
        let wanted = u64::from(worthwhile_threads(count).div_ceil(THREADS)).max(present / of_block);
        let blocks = wanted.min(most).min(u64::from(most_blocks)) as u32;
        let needed = of_block * u64::from(blocks);
        if present < needed {
            *sources = None;
            *sources = Some(gpu.uninitialized(needed as usize)?);
        }
        if blocks > 0 {
            let parameters = (kernel.parameters)(&TraceLaunch {
                sides: DeviceAddress::new(on_device.device_address(gpu).get()),
                reaches: DeviceAddress::new(reaches.device_address(gpu).get()),
                cursors: DeviceAddress::new(cursors.device_address(gpu).get()),
                sources: sources.as_ref().map_or(DeviceAddress::NULL, |sources| {
                    DeviceAddress::new(sources.device_address(gpu).get())
                }),
                runs: DeviceAddress::new(runs.device_address(gpu).get()),
                source_words,
                side_count: count,
                slots: level.slots,
                run_capacity: run_capacity as u32,
            });
            #[allow(unsafe_code)]
            // SAFETY: these are the kernel's parameters, with arrays as long as its contract says, which live until the
            // reaches are copied; sides lie within the texts, which their makers see to.
            unsafe {
                kernel.kernel.launch(blocks, THREADS, shared, &parameters)?;
            }
            let first = traced.runs.len() as u32;
            let written = (gpu.download(&cursors, 2)?[1] as usize).min(run_capacity);
            traced.runs.extend(gpu.download(&runs, written)?);
            let start = traced.reaches.len();
            traced.reaches.resize(start + sides.len(), SideReach::default());
            let own = &mut traced.reaches[start..];
            gpu.download_into(&reaches, bytemuck::cast_slice_mut(own))?;
            own.par_iter_mut().for_each(|reach| reach.first_run += first);
        } else {
            let none = SideReach { runs: NO_ROOM, ..SideReach::default() };
            traced.reaches.extend(std::iter::repeat_n(none, sides.len()));
        }
        Ok(())
    }
}
