//! Launches of the kernels for long pairs (`cuda/strips.cu`).

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer, Kernel};

use super::alignments::TracebackMemory;
use crate::alignment::AlignmentEnd;
use crate::batch::{PairBatch, SequencePair};
use crate::gpu::engine::{Engine, KernelFile};
use crate::gpu::plan::strips::{DeviceLimits, StripPart, StripTrace};
use crate::gpu::strip_structs::{
    FillStripsParameters, LongPair, StripParameters, StripTask, TraceStripsParameters,
};

/// Warps of a multiprocessor that are at work together.
const WARPS: u32 = 12;

/// Matrices with fewer cells are never divided into strips because of their size.
const LEAST_CELLS: u64 = 1 << 22;

/// Kernel with the size of its launch.
#[derive(Debug)]
struct SizedKernel {
    kernel: Kernel,
    blocks: u32,
    threads: u32,
    /// Bytes of dynamic shared memory of a block.
    shared: u32,
}

/// Launches for a part of a plan, with their memory: ready to start once the copies to it are done.
#[derive(Debug)]
pub(super) struct ReadyStripPart {
    fill: SizedKernel,
    trace: Option<(SizedKernel, StripTrace)>,
    long_pairs: DeviceBuffer<LongPair>,
    tasks: DeviceBuffer<StripTask>,
    columns_done: DeviceBuffer<u32>,
    /// Numbers of the tasks, and of the tracebacks, that were taken.
    taken: [DeviceBuffer<u32>; 2],
    /// First word of the directions.
    directions_start: u64,
}

impl Engine {
    /// Cells of the largest matrix that a warp fills alone. A larger one would keep a warp busy longer than the batch does the
    /// device; for alignments, longer than the pairs whose directions fit into `words` words together.
    pub(super) fn most_cells(&self, batch: PairBatch<'_>, words: u64) -> u64 {
        // A word has the directions of eight cells.
        let together = batch.cells().min(words.saturating_mul(8));
        (together / (4 * u64::from(WARPS * self.gpu.multiprocessors()))).max(LEAST_CELLS)
    }

    /// Cells of the largest matrix that the kernels for edit distances fill. Four groups of lanes share a warp there, and strips
    /// take four times as long for a cell.
    pub(super) fn most_edit_cells(&self, batch: PairBatch<'_>) -> u64 {
        (batch.cells() / u64::from(WARPS * self.gpu.multiprocessors())).max(4 * LEAST_CELLS)
    }

    /// The device, for plans with `words` words of memory for matrices.
    pub(super) fn limits(&self, words: u64) -> DeviceLimits {
        DeviceLimits { multiprocessors: self.gpu.multiprocessors(), words }
    }

    /// Prepares the launches of parts. They may start when the copy stream is done.
    pub(super) fn prepare_strips(
        &mut self,
        parts: &[StripPart],
    ) -> Result<Vec<ReadyStripPart>, DeviceError> {
        parts.iter().map(|part| self.prepare_strip_part(part)).collect()
    }

    fn prepare_strip_part(&mut self, part: &StripPart) -> Result<ReadyStripPart, DeviceError> {
        let of_warp = part.shared_bytes_per_warp(self.letters);
        let threads = part.fill_threads();
        let shared = threads / 32 * of_warp;
        let kernel = self.kernel(KernelFile::Strips, &part.fill_kernel())?;
        kernel.allow_shared(shared)?;
        let blocks = self.blocks(&kernel, (threads, shared), part.strips())?;
        let fill = SizedKernel { kernel, blocks, threads, shared };
        let trace = part.trace.map(|trace| {
            let kernel = self.kernel(KernelFile::Strips, &part.trace_kernel())?;
            let warps = trace.side * trace.side;
            let shared = warps * of_warp;
            kernel.allow_shared(shared)?;
            Ok((SizedKernel { kernel, blocks: trace.blocks, threads: 32 * warps, shared }, trace))
        });
        Ok(ReadyStripPart {
            fill,
            trace: trace.transpose()?,
            long_pairs: self.copy_stream.upload(&part.long_pairs)?,
            tasks: self.copy_stream.upload(&part.tasks)?,
            columns_done: self.copy_stream.zeros(part.tasks.len())?,
            taken: [self.copy_stream.zeros(1)?, self.copy_stream.zeros(1)?],
            directions_start: part.words,
        })
    }

    fn strip_parameters(
        &self,
        part: &ReadyStripPart,
        pairs: &DeviceBuffer<SequencePair>,
        ends: &DeviceBuffer<AlignmentEnd>,
    ) -> StripParameters {
        let gpu = &self.gpu;
        StripParameters {
            sequences: self.device_sequences(),
            scoring: self.wide.scoring,
            letters: self.letters,
            table: self.wide.table.device_address(gpu),
            pairs: pairs.device_address(gpu),
            long_pairs: part.long_pairs.device_address(gpu),
            words: self.matrix_memory.device_address(gpu),
            ends: ends.device_address(gpu),
            one: 1,
            count: part.long_pairs.len() as u32,
        }
    }

    /// Starts to fill the strips of a part; the ends of the alignments go to `ends`, and the scores to `scores` as well.
    pub(super) fn launch_strips(
        &self,
        part: &ReadyStripPart,
        pairs: &DeviceBuffer<SequencePair>,
        ends: &DeviceBuffer<AlignmentEnd>,
        scores: Option<&DeviceBuffer<i32>>,
    ) -> Result<(), DeviceError> {
        let gpu = &self.gpu;
        let parameters = FillStripsParameters {
            launch: self.strip_parameters(part, pairs, ends),
            tasks: part.tasks.device_address(gpu),
            next_task: part.taken[0].device_address(gpu),
            columns_done: part.columns_done.device_address(gpu),
            scores: scores.map_or(DeviceAddress::new(0), |scores| scores.device_address(gpu)),
            task_count: part.tasks.len() as u32,
            saves_states: u32::from(part.trace.is_some()),
        };
        let SizedKernel { kernel, blocks, threads, shared } = &part.fill;
        #[allow(unsafe_code)]
        // SAFETY: the parameters are those of the kernel; the plan gives the lengths, and matrix memory has at least the
        // words that the plan was made with.
        unsafe {
            kernel.launch(*blocks, *threads, *shared, &parameters)
        }
    }

    /// Starts the tracebacks of a part whose strips are filled, if alignments are asked for.
    pub(super) fn launch_strip_tracebacks(
        &self,
        part: &ReadyStripPart,
        memory: &TracebackMemory<'_>,
    ) -> Result<(), DeviceError> {
        let Some((SizedKernel { kernel, blocks, threads, shared }, trace)) = &part.trace else {
            return Ok(());
        };
        let gpu = &self.gpu;
        let parameters = TraceStripsParameters {
            launch: self.strip_parameters(part, memory.pairs, memory.ends),
            directions_start: part.directions_start,
            next_pair: part.taken[1].device_address(gpu),
            run_room: self.run_room.device_address(gpu),
            run_count: memory.run_count.device_address(gpu),
            runs: memory.runs.device_address(gpu),
            alignments: memory.alignments.device_address(gpu),
            side: trace.side,
            padding: 0,
        };
        #[allow(unsafe_code)]
        // SAFETY: the parameters are those of the kernel; the plan gives the lengths, matrix memory has at least the words
        // that the plan was made with, and no alignment has more runs than the plan made room for.
        unsafe {
            kernel.launch(*blocks, *threads, *shared, &parameters)
        }
    }
}
