//! Launches of the kernels for edit distances (`cuda/edit.cu`).

use aligner_core::DeviceError;
use aligner_core::gpu::DeviceBuffer;

use super::batch::HeldMemory;
use crate::batch::SequencePair;
use crate::gpu::engine::{BLOCK_THREADS, Engine, KernelFile};
use crate::gpu::plan::edit::EditLaunch;
use crate::gpu::structs::EditParameters;

impl Engine {
    /// Launches kernels for `pairs`, whose scores go to `scores`; returns the memory that they use.
    pub(super) fn launch_edit(
        &mut self,
        launches: &[EditLaunch],
        pairs: &[SequencePair],
        scores: &DeviceBuffer<i32>,
    ) -> Result<Vec<HeldMemory>, DeviceError> {
        let pairs = self.copy_stream.upload(pairs)?;
        let mut ready = Vec::new();
        for launch in launches {
            let kernel = self.kernel(KernelFile::Edit, &launch.kernel.name())?;
            let blocks = self.blocks(&kernel, (BLOCK_THREADS, 0), launch.tasks())?;
            let groups = (blocks * BLOCK_THREADS / launch.kernel.lanes) as usize;
            let order = self.copy_stream.upload(&launch.order)?;
            let next_task = self.copy_stream.zeros::<u32>(1)?;
            let strip_rows = self.copy_stream.zeros::<u8>(groups * launch.row_bytes as usize)?;
            ready.push((launch, kernel, blocks, (order, next_task, strip_rows)));
        }
        self.copy_stream.synchronize()?;
        let gpu = &self.gpu;
        for (launch, kernel, blocks, (order, next_task, strip_rows)) in &ready {
            let parameters = EditParameters {
                sequences: self.device_sequences(),
                pairs: pairs.device_address(gpu),
                order: order.device_address(gpu),
                next_task: next_task.device_address(gpu),
                strip_rows: strip_rows.device_address(gpu),
                scores: scores.device_address(gpu),
                tasks: launch.tasks(),
                row_bytes: launch.row_bytes,
            };
            #[allow(unsafe_code)]
            // SAFETY: the parameters are those of the kernel; the plan gives the lengths.
            unsafe {
                kernel.launch(*blocks, BLOCK_THREADS, 0, &parameters)?;
            }
        }
        let mut held: Vec<HeldMemory> = vec![Box::new(pairs)];
        held.extend(ready.into_iter().map(|(.., memory)| Box::new(memory) as HeldMemory));
        Ok(held)
    }
}
