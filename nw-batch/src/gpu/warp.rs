//! Launches of the kernels that fill matrices (`cuda/warp.cu`).

use aligner_core::DeviceError;
use aligner_core::gpu::{Argument, DeviceBuffer, Kernel as Function};

use crate::batch::Pair;
use crate::gpu::engine::{Engine, Method, THREADS};
use crate::gpu::kernel::Family;
use crate::gpu::model::End;
use crate::gpu::plan::Work;

/// A launch with its memory.
#[derive(Debug)]
pub(super) struct Fill {
    function: Function,
    blocks: u32,
    wide: bool,
    tasks: u32,
    row_words: u32,
    order: DeviceBuffer<u32>,
    starts: DeviceBuffer<u64>,
    next: DeviceBuffer<u32>,
    rooms: DeviceBuffer<u32>,
}

impl Engine {
    /// Gets launches ready. They may begin when what is beside them is done.
    pub(super) fn fills(&mut self, work: &[Work]) -> Result<Vec<Fill>, DeviceError> {
        work.iter().map(|work| self.ready(work)).collect()
    }

    fn ready(&mut self, work: &Work) -> Result<Fill, DeviceError> {
        let function = self.function(Method::Warp, &work.kernel.name())?;
        let blocks = self.blocks(&function, work.tasks())?;
        let warps = blocks as usize * (THREADS / 32) as usize;
        Ok(Fill {
            function,
            blocks,
            wide: work.kernel.family == Family::Wide,
            tasks: work.tasks(),
            row_words: work.row_words,
            order: self.copies.upload(&work.order)?,
            starts: self.copies.upload(&work.starts)?,
            next: self.copies.zeros(1)?,
            rooms: self.copies.zeros(warps * 2 * work.row_words as usize)?,
        })
    }

    /// Launches it for some of `pairs`, whose ends go to `ends`.
    pub(super) fn fill(
        &self,
        fill: &Fill,
        pairs: &DeviceBuffer<Pair>,
        ends: &DeviceBuffer<End>,
    ) -> Result<(), DeviceError> {
        let constants = if fill.wide { &self.wide } else { &self.narrow };
        let arguments = [
            Argument::Buffer(&constants.model),
            Argument::Buffer(pairs),
            Argument::Buffer(&fill.order),
            Argument::U32(fill.tasks),
            Argument::Buffer(&self.queries),
            Argument::Buffer(&self.query_offsets),
            Argument::Buffer(&self.targets),
            Argument::Buffer(&self.target_offsets),
            Argument::Buffer(&constants.table),
            Argument::Buffer(&fill.next),
            Argument::Buffer(&fill.rooms),
            Argument::U32(fill.row_words),
            Argument::Buffer(ends),
            Argument::Buffer(&fill.starts),
            Argument::Buffer(&self.room),
        ];
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of the kernel; the plan gives the lengths, and the room
        // has at least the words of directions that it was made with.
        unsafe {
            fill.function.launch(fill.blocks, THREADS, 0, &arguments)
        }
    }
}
