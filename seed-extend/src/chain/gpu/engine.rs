//! The engine: an index on a device, and the kernels that find chains in it.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceStruct, Gpu};
use aligner_core::stream::{
    Backend, CudaBackend, Kernels, Launch, LoadedKernels, Metrics, RunError,
};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use fm_index::gpu::IndexView;

use super::parameters::{FindSumsParameters, FindTotalsParameters};
use super::plan::BYTES_PER_ANCHOR;
use crate::chain::context::FinderInputs;

/// Items of an ensemble of both applications.
pub const WIDTH: u32 = 128;
/// Threads of a block of most kernels of `find.cu`.
pub(super) const THREADS: u32 = 128;
/// Warps of such a block.
pub(super) const WARPS: u32 = THREADS / 32;
/// Threads of a block that adds counts up, and the most such blocks: `SUM_THREADS` of `find.cu`.
const SUM_THREADS: u32 = 256;
/// Counts that such a block adds up; more if there would be too many blocks.
const SUM_PART: u32 = 1024;

/// An index on a device, and the applications and kernels that find chains in it.
#[derive(Debug)]
pub struct ChainEngine<B: Backend> {
    /// The device, with the kernels of `find.cu`.
    pub(super) backend: B,
    /// The index and the options on the host.
    pub(super) inputs: Arc<FinderInputs>,
    /// Addresses of the index on the device.
    pub(super) index: IndexView,
    /// The applications that find seeds and chains.
    pub(super) applications: ChainApplications<B>,
    /// Ends of the segments of the text, as `u32`.
    pub(super) segment_ends: B::Buffer,
    /// Number of segments of the text.
    pub(super) segment_count: u32,
    /// Anchors that there is room for on the device at a time.
    pub(super) anchor_capacity: u64,
}

/// The applications of the streaming runtime that find seeds and chains.
#[derive(Debug)]
pub struct ChainApplications<B> {
    /// The application of `seeds.cu`.
    pub seeds: LoadedKernels<B>,
    /// The application of `chains.cu`.
    pub chains: LoadedKernels<B>,
}

/// Timing of an application.
#[derive(Debug, Default)]
pub struct ApplicationTiming {
    /// Time of its kernels, in seconds.
    pub seconds: f64,
    /// Measurements of the runtime, if it was asked for them.
    pub metrics: Metrics,
}

/// The anchors of an engine may take one part in this many of the device memory that is free once the index is there. A
/// mapper has three engines, and three more that make regions of chains, in about as much memory for as many chains.
const ANCHOR_MEMORY_SHARE: u64 = 12;

/// Anchors that are chained together, at most: their chains, of which there are no more, stay in the device's memory until their
/// regions are made.
const MAX_ANCHORS: u64 = 1 << 24;

impl ChainEngine<CudaBackend> {
    /// An engine for an index on a GPU, which must stay there for as long as the engine is used.
    ///
    /// # Errors
    /// If the device fails.
    pub fn on_gpu(
        gpu: &Gpu,
        index: IndexView,
        inputs: &Arc<FinderInputs>,
    ) -> Result<Self, DeviceError> {
        const SEEDS: Kernels =
            Kernels { name: "seeds", fatbin: include_bytes!("../../../cuda/seeds.fatbin") };
        const CHAINS: Kernels =
            Kernels { name: "chains", fatbin: include_bytes!("../../../cuda/chains.fatbin") };
        let load = |kernels: Kernels| kernels.load(gpu, WIDTH).map_err(failed);
        let applications = ChainApplications { seeds: load(SEEDS)?, chains: load(CHAINS)? };
        let backend = CudaBackend::new(gpu, "find", include_bytes!("../../../cuda/find.fatbin"))?;
        let anchor_capacity = gpu.free_memory()? / ANCHOR_MEMORY_SHARE / BYTES_PER_ANCHOR;
        let anchor_capacity = anchor_capacity.min(MAX_ANCHORS);
        Self::new((backend, applications), index, inputs, anchor_capacity)
    }

    /// An engine for the same index on a second stream of the GPU, so that both can work at the same time.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn on_second_stream(&self) -> Result<Self, DeviceError> {
        // The index must have arrived before another stream reads it.
        self.backend.gpu().synchronize()?;
        let gpu = self.backend.gpu().with_own_stream()?;
        let ChainApplications { seeds, chains } = &self.applications;
        let applications = ChainApplications { seeds: seeds.on(&gpu), chains: chains.on(&gpu) };
        let engine = (self.backend.on(&gpu), applications);
        Self::new(engine, self.index, &self.inputs, self.anchor_capacity)
    }
}

impl<B: Backend + Clone> ChainEngine<B> {
    /// An engine for an index in the memory of a device, which must stay there for as long as the engine is used.
    /// `backend` has the kernels of `find.cu`, and the applications are for ensembles of [`WIDTH`] items. Reads are
    /// chained together as long as they have at most `anchor_capacity` anchors; one read may have more.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(
        (backend, applications): (B, ChainApplications<B>),
        index: IndexView,
        inputs: &Arc<FinderInputs>,
        anchor_capacity: u64,
    ) -> Result<Self, DeviceError> {
        let ends: Vec<u32> =
            inputs.segments.all().iter().map(|segment| segment.indexed.end).collect();
        let segment_ends = upload(&backend, &ends)?;
        let (inputs, segment_count) = (Arc::clone(inputs), ends.len() as u32);
        Ok(Self {
            backend,
            inputs,
            index,
            applications,
            segment_ends,
            segment_count,
            anchor_capacity,
        })
    }

    /// Replaces the index by another view of it.
    pub fn set_index(&mut self, index: IndexView) {
        self.index = index;
    }

    /// Prefix sums of `count` counts (`u32`): the sum of those before each one and of all, and the sum of all once
    /// more, all as `u64`.
    pub(super) fn sums(
        &self,
        counts: &B::Buffer,
        count: u32,
    ) -> Result<(B::Buffer, B::Buffer), DeviceError> {
        let blocks = count.div_ceil(SUM_PART).clamp(1, SUM_THREADS);
        let part = count.div_ceil(blocks);
        let totals = self.uninitialized::<u64>(blocks as usize)?;
        let (sums, total) =
            (self.uninitialized::<u64>(count as usize + 1)?, self.uninitialized::<u64>(1)?);
        let counts = self.address(counts);
        let parameters =
            FindTotalsParameters { counts, totals: self.address(&totals), count, part };
        self.launch("find_totals", (blocks, SUM_THREADS), &parameters)?;
        let parameters = FindSumsParameters {
            counts,
            totals: self.address(&totals),
            sums: self.address(&sums),
            total: self.address(&total),
            count,
            part,
        };
        self.launch("find_sums", (blocks, SUM_THREADS), &parameters)?;
        Ok((sums, total))
    }

    /// Launches a kernel of `find.cu`, unless there are no blocks. `parameters` must be those of the kernel.
    pub(super) fn launch<P: DeviceStruct>(
        &self,
        kernel: &str,
        (blocks, width): (u32, u32),
        parameters: &P,
    ) -> Result<(), DeviceError> {
        if blocks == 0 {
            return Ok(());
        }
        let parameters = parameters.bytes();
        let launch = Launch { kernel, blocks, width, shared: 0, parameters };
        #[allow(unsafe_code)]
        // SAFETY: only this crate calls this function, and each call passes the kernel's own parameters, with buffers
        // that are as long as their comments say.
        unsafe {
            self.backend.enqueue(&launch)
        }
    }

    /// Address of a buffer of `T` on the device.
    pub(super) fn address<T>(&self, buffer: &B::Buffer) -> DeviceAddress<T> {
        DeviceAddress::new(self.backend.address(buffer))
    }

    /// Uninitialized device memory for `count` values.
    pub(super) fn uninitialized<T>(&self, count: usize) -> Result<B::Buffer, DeviceError> {
        self.backend.uninitialized(count * size_of::<T>())
    }

    /// The first `count` values of a buffer.
    pub(super) fn read<T: Pod>(
        &self,
        buffer: &B::Buffer,
        count: usize,
    ) -> Result<Vec<T>, DeviceError> {
        let bytes = self.backend.read_staged(buffer, count * size_of::<T>())?;
        Ok(pod_collect_to_vec(bytes.as_ref()))
    }
}

/// A new buffer with these values.
pub(super) fn upload<B: Backend, T: Pod>(
    backend: &B,
    values: &[T],
) -> Result<B::Buffer, DeviceError> {
    backend.upload(cast_slice(values))
}

/// An error of the streaming runtime as one of the device.
pub(super) fn failed(error: RunError) -> DeviceError {
    error.into_device_error("chains")
}
