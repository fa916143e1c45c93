//! Search schemes on a GPU.

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::stream::{CudaExecutor, Kernels, LoadedKernels, RunError, Settings};
use bytemuck::Zeroable;
use fm_index::gpu::IndexView;

use super::stages::{SchemeContext, SchemeCounts, SchemeDeviceContext};
use super::{SchemeWindows, searches, topology};
use crate::verify::window::{settings, up_to};

const SCHEME: Kernels =
    Kernels { name: "scheme", fatbin: include_bytes!("../../cuda/scheme.fatbin") };

/// The kernels of the application, loaded on a GPU.
#[derive(Debug)]
pub(crate) struct GpuScheme {
    app: LoadedKernels,
}

impl GpuScheme {
    /// Loads the kernels into a GPU.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let app = SCHEME.load(gpu, settings(false).width).map_err(failed)?;
        Ok(Self { app })
    }

    /// The windows of the wanted queries, each of more than `k` bases, or `None` if there are more than `most`.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the queries do not fit, or the driver fails.
    pub(crate) fn search(
        &self,
        gpu: &Gpu,
        index: IndexView,
        context: &SchemeContext,
        wanted: &[u32],
        (settings, most): (&Settings, u64),
    ) -> Result<Option<SchemeWindows>, DeviceError> {
        let codes = gpu.upload(context.queries.all_codes())?;
        let offsets = gpu.upload(context.queries.offsets())?;
        let plans = gpu.upload(&context.plans)?;
        let counts = gpu.zeros::<SchemeCounts>(1)?;
        let on_device = SchemeDeviceContext {
            codes: codes.device_address(gpu),
            offsets: offsets.device_address(gpu),
            plans: plans.device_address(gpu),
            counts: counts.device_address(gpu),
            ..SchemeDeviceContext::new(index, context)
        };
        let (app, windows) = topology(context);
        let executor = CudaExecutor::loaded(&self.app, &app, settings, &on_device);
        let searches = searches(wanted, context.k);
        let run = executor.and_then(|executor| executor.run_with(&searches, &mut up_to(most)));
        let outputs = match run {
            Err(RunError::Cancelled) => return Ok(None),
            outputs => outputs.map_err(failed)?,
        };
        let counts = gpu.download(&counts, 1)?.first().copied().unwrap_or(SchemeCounts::zeroed());
        Ok(Some(SchemeWindows::new(outputs, windows, counts)))
    }
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("scheme")
}
