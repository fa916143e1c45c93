//! The filter on a GPU: one launch that cuts the queries, then the application.

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Argument, Gpu, Kernel};
use aligner_core::stream::{CudaExecutor, Kernels, LoadedKernels, RunError, Settings};
use fm_index::FmIndex;
use fm_index::gpu::DeviceIndex;

use super::cuts::Cuts;
use super::stages::DeviceContext;
use super::{Filtered, context, settings, topology, windows};
use crate::query::Queries;

const FILTER: Kernels =
    Kernels { name: "filter", fatbin: include_bytes!("../../cuda/filter.fatbin") };

/// Threads of a block of the kernel that cuts.
const THREADS: u32 = 128;

/// The kernels of the filter.
#[derive(Debug)]
pub(crate) struct GpuFilter {
    cuts: Kernel,
    app: LoadedKernels,
}

impl GpuFilter {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver fails.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let module = gpu.load("cuts", include_bytes!("../../cuda/cuts.fatbin"))?;
        let app = FILTER.load(gpu, settings(false).width).map_err(failed)?;
        Ok(Self { cuts: module.kernel(gpu, "filter_cuts")?, app })
    }

    /// The windows of the wanted queries, which have more than `k` bases.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub(crate) fn filter(
        &self,
        (gpu, on_device): (&Gpu, &DeviceIndex),
        (index, queries): (&FmIndex, &Arc<Queries>),
        wanted: &[u32],
        k: usize,
        settings: &Settings,
    ) -> Result<Filtered, DeviceError> {
        let codes = gpu.upload(queries.all_codes())?;
        let offsets = gpu.upload(queries.offsets())?;
        let bounds = gpu.zeros::<u32>(queries.len() * (k + 2))?;
        let to_cut = gpu.upload(wanted)?;
        let arguments = [
            Argument::Buffer(on_device.view()),
            Argument::Buffer(&codes),
            Argument::Buffer(&offsets),
            Argument::Buffer(&to_cut),
            Argument::U32(wanted.len() as u32),
            Argument::U32(k as u32),
            Argument::Buffer(&bounds),
        ];
        let blocks = (wanted.len() as u32).div_ceil(THREADS);
        #[allow(unsafe_code)]
        // SAFETY: the arguments are those of filter_cuts in cuts.cu; `to_cut` has `wanted.len()`
        // queries, all of which are in `offsets`, and `bounds` has room for the cuts of each query.
        let cutting = gpu.timed(|| unsafe { self.cuts.launch(blocks, THREADS, 0, &arguments) })?;
        let addresses = [codes.address(gpu), offsets.address(gpu), bounds.address(gpu)];
        let known = DeviceContext::new(on_device.values(), addresses, k);
        let context = context(index, queries, k, Cuts::default());
        let (app, sinks) = topology(&context);
        let executor = CudaExecutor::loaded(&self.app, &app, settings, &known).map_err(failed)?;
        let mut found = windows(wanted, k, sinks, |pieces| executor.run(pieces)).map_err(failed)?;
        found.device_seconds += cutting;
        Ok(found)
    }
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("filter")
}
