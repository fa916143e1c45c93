//! What is on a device for as long as tasks are aligned.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Gpu};
use aligner_core::stream::{Backend, CudaBackend, Kernels, LoadedKernels, Word};
use bytemuck::{bytes_of, cast_slice};

use super::super::alignments::Alignments;
use super::super::scoring::Scoring;
use super::super::task::{Tasks, Text};
use super::aligned::{Limits, failed};
use super::costs::Costs;
use super::plan::Plan;

/// The applications of `cuda/fill.cu` and `cuda/walk.cu`.
#[derive(Debug, Clone)]
pub struct Applications<B> {
    /// Fills matrices.
    pub fill: LoadedKernels<B>,
    /// Walks through them.
    pub walk: LoadedKernels<B>,
}

/// Items of an ensemble of each of them.
pub const FILL_WIDTH: u32 = 32;
/// The same.
pub const WALK_WIDTH: u32 = 128;

/// A text on a device, and the kernels of `extend.cu` and applications that align queries with windows of it.
#[derive(Debug)]
pub struct Engine<B: Backend = CudaBackend> {
    pub(super) backend: B,
    pub(super) applications: Applications<B>,
    pub(super) scoring: Scoring,
    pub(super) costs: Arc<B::Buffer>,
    pub(super) text: Arc<B::Buffer>,
    /// Cells of a slice of tasks, kept from one to the next, and how many words there are.
    pub(super) matrix: (B::Buffer, u64),
}

impl<B: Backend + Clone> Engine<B> {
    /// Puts a text on the device, 2 bits a base; unknown bases are some base there, and tasks with such in
    /// their window are left out of every [`Plan`].
    ///
    /// # Errors
    /// If it does not fit, or the device fails.
    pub fn new(
        (backend, applications): (B, Applications<B>),
        scoring: Scoring,
        text: Text<'_>,
    ) -> Result<Self, DeviceError> {
        let text = match text {
            Text::Packed(words) => backend.upload(cast_slice(words))?,
            Text::Codes(codes) => backend.upload(cast_slice(&pack(codes)))?,
        };
        let costs = backend.upload(bytes_of(&Costs::from(scoring)))?;
        let (text, costs, matrix) =
            (Arc::new(text), Arc::new(costs), (backend.uninitialized(0)?, 0));
        Ok(Self { backend, applications, scoring, costs, text, matrix })
    }

    pub(super) fn at(&self, buffer: &B::Buffer) -> Word {
        Word::Address(self.backend.address(buffer))
    }
}

impl Engine {
    /// As [`Self::new`], with the kernels on a GPU.
    ///
    /// # Errors
    /// If the text does not fit, or the driver fails.
    pub fn on_gpu(gpu: &Gpu, scoring: Scoring, text: Text<'_>) -> Result<Self, DeviceError> {
        const FILL: Kernels =
            Kernels { name: "fill", fatbin: include_bytes!("../../../cuda/fill.fatbin") };
        const WALK: Kernels =
            Kernels { name: "walk", fatbin: include_bytes!("../../../cuda/walk.fatbin") };
        let fill = FILL.load(gpu, FILL_WIDTH).map_err(failed)?;
        let walk = WALK.load(gpu, WALK_WIDTH).map_err(failed)?;
        let backend =
            CudaBackend::new(gpu, "extend", include_bytes!("../../../cuda/extend.fatbin"))?;
        Self::new((backend, Applications { fill, walk }), scoring, text)
    }

    /// An engine for the same text, which works beside this one.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn beside(&self) -> Result<Self, DeviceError> {
        // The text has to be there before another stream may look at it.
        self.gpu().synchronize()?;
        let gpu = self.gpu().with_own_stream()?;
        let backend = self.backend.on(&gpu);
        let Applications { fill, walk } = &self.applications;
        let applications = Applications { fill: fill.on(&gpu), walk: walk.on(&gpu) };
        let (scoring, matrix) = (self.scoring, (backend.uninitialized(0)?, 0));
        let (costs, text) = (self.costs.clone(), self.text.clone());
        Ok(Self { backend, applications, scoring, costs, text, matrix })
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        self.backend.gpu()
    }

    /// The alignments of the tasks of a plan, which have the text of [`Self::new`], in their order: in
    /// `found`, in place of what it had. All queries may be on the device already.
    ///
    /// # Errors
    /// If memory does not suffice, or the driver fails.
    pub fn align(
        &mut self,
        tasks: (Tasks<'_>, Option<&DeviceBuffer<u8>>),
        plan: &Plan,
        found: &mut Alignments,
    ) -> Result<(), DeviceError> {
        // A half of the memory is for everything else.
        let words = self.gpu().free_memory()? / size_of::<u32>() as u64 / 2;
        let limits = Limits { words: words.max(self.matrix.1), ..Limits::default() };
        self.align_within(tasks, plan, limits, found)
    }
}

/// The codes, 2 bits each; unknown ones are some base.
fn pack(codes: &[u8]) -> Vec<u64> {
    let word =
        |codes: &[u8]| codes.iter().rev().fold(0, |word, &code| word << 2 | u64::from(code & 3));
    codes.chunks(32).map(word).collect()
}
