//! The engine: a text on a device, and the kernels that align queries with windows of it.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer, DeviceStruct, Gpu};
use aligner_core::stream::{Backend, CudaBackend, Kernels, Launch, LoadedKernels, RunError};
use bytemuck::cast_slice;

use super::device_tasks::DeviceTasks;
use super::plan::{GpuPlan, MemoryLimits};
use crate::extend::alignments::Alignments;
use crate::extend::scoring::Scoring;
use crate::extend::tasks::{ReferenceText, TaskBatch};

/// The applications of the streaming runtime that make alignments.
#[derive(Debug, Clone)]
pub struct AlignmentApplications<B> {
    /// The application of `cuda/fill.cu`, which fills matrices.
    pub fill: LoadedKernels<B>,
    /// The application of `cuda/walk.cu`, which walks back through them.
    pub walk: LoadedKernels<B>,
}

/// Items of an ensemble of the application that fills matrices.
pub const FILL_WIDTH: u32 = 32;
/// Items of an ensemble of the application that walks back.
pub const WALK_WIDTH: u32 = 128;

/// A text on a device, and the kernels that align queries with windows of it.
#[derive(Debug)]
pub struct ExtendEngine<B: Backend = CudaBackend> {
    /// The device, with the kernels of `extend.cu`.
    pub(super) backend: B,
    pub(super) applications: AlignmentApplications<B>,
    pub(super) scoring: Scoring,
    /// The text, 32 bases a word.
    pub(super) text: Arc<B::Buffer>,
    /// Room for the cells of a slice of tasks, kept for the next slice.
    pub(super) cells: B::Buffer,
    /// Words of that room.
    pub(super) cell_words: u64,
    /// Words that it may have at most.
    most_words: u64,
}

/// Threads of a block of the kernels of `extend.cu`.
pub(super) const THREADS: u32 = 128;

/// The cells of an engine may take one part in this many of the device memory that is free once the text is there: a mapper has five
/// engines.
const CELL_MEMORY_SHARE: u64 = 16;

impl<B: Backend + Clone> ExtendEngine<B> {
    /// An engine for a text, which is copied to the device in 2 bits a base. Unknown bases are any base there, and
    /// every [`GpuPlan`] leaves tasks with such a base in their window to the CPU.
    ///
    /// # Errors
    /// If the text does not fit, or the device fails.
    pub fn new(
        (backend, applications): (B, AlignmentApplications<B>),
        scoring: Scoring,
        text: ReferenceText<'_>,
    ) -> Result<Self, DeviceError> {
        let text = match text {
            ReferenceText::Packed(words) => backend.upload(cast_slice(words))?,
            ReferenceText::Codes(codes) => backend.upload(cast_slice(&pack(codes)))?,
        };
        let (text, cells) = (Arc::new(text), backend.uninitialized(0)?);
        Ok(Self {
            backend,
            applications,
            scoring,
            text,
            cells,
            cell_words: 0,
            most_words: u64::MAX,
        })
    }

    /// Copies tasks to the device; their text must be that of [`Self::new`].
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    ///
    /// # Panics
    /// If [`TaskBatch::check`] refuses a task.
    pub fn upload(
        &self,
        tasks: TaskBatch<'_>,
    ) -> Result<DeviceTasks<'static, B::Buffer>, DeviceError> {
        DeviceTasks::new(&self.backend, tasks)
    }

    /// Launches a kernel of `extend.cu`, unless there are no blocks. `parameters` must be those of the kernel.
    pub(super) fn launch<P: DeviceStruct>(
        &self,
        kernel: &str,
        blocks: u32,
        parameters: &P,
    ) -> Result<(), DeviceError> {
        if blocks == 0 {
            return Ok(());
        }
        let parameters = parameters.bytes();
        let launch = Launch { kernel, blocks, width: THREADS, shared: 0, parameters };
        #[allow(unsafe_code)]
        // SAFETY: only this module's parts call this function, and each call passes the kernel's own parameters, with buffers that
        // are as long as their comments say. The codes of each task are there, since `DeviceTasks` are checked, or made of chains.
        unsafe {
            self.backend.enqueue(&launch)
        }
    }

    /// Address of a buffer of `T` on the device.
    pub(super) fn address<T>(&self, buffer: &B::Buffer) -> DeviceAddress<T> {
        DeviceAddress::new(self.backend.address(buffer))
    }
}

impl ExtendEngine {
    /// An engine for a text on a GPU; see [`Self::new`].
    ///
    /// # Errors
    /// If the text does not fit, or the driver fails.
    pub fn on_gpu(
        gpu: &Gpu,
        scoring: Scoring,
        text: ReferenceText<'_>,
    ) -> Result<Self, DeviceError> {
        const FILL: Kernels =
            Kernels { name: "fill", fatbin: include_bytes!("../../../cuda/fill.fatbin") };
        const WALK: Kernels =
            Kernels { name: "walk", fatbin: include_bytes!("../../../cuda/walk.fatbin") };
        let fill = FILL.load(gpu, FILL_WIDTH).map_err(failed)?;
        let walk = WALK.load(gpu, WALK_WIDTH).map_err(failed)?;
        let backend =
            CudaBackend::new(gpu, "extend", include_bytes!("../../../cuda/extend.fatbin"))?;
        let engine = Self::new((backend, AlignmentApplications { fill, walk }), scoring, text)?;
        let most_words = gpu.free_memory()? / CELL_MEMORY_SHARE / size_of::<u32>() as u64;
        Ok(Self { most_words, ..engine })
    }

    /// An engine for the same text on a second stream of the GPU, so that both can work at the same time.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn on_second_stream(&self) -> Result<Self, DeviceError> {
        // The text must have arrived before another stream reads it.
        self.gpu().synchronize()?;
        let gpu = self.gpu().with_own_stream()?;
        let backend = self.backend.on(&gpu);
        let AlignmentApplications { fill, walk } = &self.applications;
        let applications = AlignmentApplications { fill: fill.on(&gpu), walk: walk.on(&gpu) };
        let (scoring, text, cells) = (self.scoring, self.text.clone(), backend.uninitialized(0)?);
        Ok(Self { backend, applications, scoring, text, cells, cell_words: 0, ..*self })
    }

    /// The GPU that the engine works on.
    pub fn gpu(&self) -> &Gpu {
        self.backend.gpu()
    }

    /// Limits of the memory that alignments may take now.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn limits(&self) -> Result<MemoryLimits, DeviceError> {
        // Half of the memory that is free now is left for everything else.
        let words = self.gpu().free_memory()? / size_of::<u32>() as u64 / 2;
        let words = words.min(self.most_words).max(self.cell_words);
        Ok(MemoryLimits { words, ..MemoryLimits::default() })
    }

    /// Aligns the tasks of a plan, and replaces `found` by the alignments, in the order of tasks.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn align(
        &mut self,
        tasks: &DeviceTasks<'_, DeviceBuffer<u8>>,
        plan: &GpuPlan<DeviceBuffer<u8>>,
        found: &mut Alignments,
    ) -> Result<(), DeviceError> {
        self.align_within(tasks, plan, self.limits()?, found)
    }
}

/// Packs codes, 32 a word. Unknown ones become some base.
fn pack(codes: &[u8]) -> Vec<u64> {
    let word =
        |codes: &[u8]| codes.iter().rev().fold(0, |word, &code| word << 2 | u64::from(code & 3));
    codes.chunks(32).map(word).collect()
}

/// An error of the streaming runtime as one of the device.
pub(super) fn failed(error: RunError) -> DeviceError {
    error.into_device_error("alignments")
}
