//! Launches of the kernels of `cuda/warp.cu` that fill matrices.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Kernel};

use crate::alignment::AlignmentEnd;
use crate::batch::SequencePair;
use crate::gpu::engine::{Engine, KernelFile};
use crate::gpu::plan::warp::WarpLaunch;
use crate::gpu::plan::warp_kernel::KernelFamily;
use crate::gpu::structs::WarpParameters;

/// Launch with its kernel and memory, ready to start once the copies to its memory are done.
#[derive(Debug)]
pub(super) struct ReadyWarpLaunch {
    kernel: Kernel,
    blocks: u32,
    threads: u32,
    /// Bytes of dynamic shared memory of a block.
    shared: u32,
    /// Whether the kernel computes in words of 32 bits.
    is_wide: bool,
    tasks: u32,
    row_words: u32,
    order: DeviceBuffer<u32>,
    directions_starts: DeviceBuffer<u64>,
    next_task: DeviceBuffer<u32>,
    strip_rows: DeviceBuffer<u32>,
}

impl Engine {
    /// Prepares launches. They may start when the copy stream is done.
    pub(super) fn prepare_warp_launches(
        &mut self,
        launches: &[WarpLaunch],
    ) -> Result<Vec<ReadyWarpLaunch>, DeviceError> {
        launches.iter().map(|launch| self.prepare_warp_launch(launch)).collect()
    }

    fn prepare_warp_launch(&mut self, launch: &WarpLaunch) -> Result<ReadyWarpLaunch, DeviceError> {
        let kernel = self.kernel(KernelFile::Warp, &launch.kernel.name())?;
        let threads = launch.kernel.block_threads();
        let warps = threads / 32;
        let shared = warps * launch.kernel.shared_bytes_per_warp(self.letters);
        if shared > 0 {
            kernel.allow_shared(shared)?;
        }
        let blocks = self.blocks(&kernel, (threads, shared), launch.tasks())?;
        let warps = (blocks * warps) as usize;
        Ok(ReadyWarpLaunch {
            kernel,
            blocks,
            threads,
            shared,
            is_wide: launch.kernel.family == KernelFamily::Wide,
            tasks: launch.tasks(),
            row_words: launch.row_words,
            order: self.copy_stream.upload(&launch.order)?,
            directions_starts: self.copy_stream.upload(&launch.directions_starts)?,
            next_task: self.copy_stream.zeros(1)?,
            strip_rows: self.copy_stream.zeros(warps * 2 * launch.row_words as usize)?,
        })
    }

    /// Starts a prepared launch for some of `pairs`; the ends of their alignments go to `ends`.
    pub(super) fn launch_warp(
        &self,
        launch: &ReadyWarpLaunch,
        pairs: &DeviceBuffer<SequencePair>,
        ends: &DeviceBuffer<AlignmentEnd>,
    ) -> Result<(), DeviceError> {
        let scoring = if launch.is_wide { &self.wide } else { &self.narrow };
        let gpu = &self.gpu;
        let parameters = WarpParameters {
            sequences: self.device_sequences(),
            scoring: scoring.scoring,
            tasks: launch.tasks,
            table: scoring.table.device_address(gpu),
            pairs: pairs.device_address(gpu),
            order: launch.order.device_address(gpu),
            next_task: launch.next_task.device_address(gpu),
            strip_rows: launch.strip_rows.device_address(gpu),
            ends: ends.device_address(gpu),
            directions_starts: launch.directions_starts.device_address(gpu),
            directions: self.matrix_memory.device_address(gpu),
            row_words: launch.row_words,
            letters: self.letters,
            one: 1,
            padding: 0,
        };
        #[allow(unsafe_code)]
        // SAFETY: the parameters are those of the kernel; the plan gives the lengths, and the memory for directions has
        // at least the words that the plan was made with.
        unsafe {
            launch.kernel.launch(launch.blocks, launch.threads, launch.shared, &parameters)
        }
    }
}
