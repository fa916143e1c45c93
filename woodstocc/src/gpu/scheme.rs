//! Search schemes on a GPU.

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Gpu};
use aligner_core::stream::{CudaExecutor, Kernels, LoadedKernels, RunError, Settings};
use bytemuck::pod_collect_to_vec;

use super::{GpuEngine, in_parts};
use crate::filter;
use crate::scheme::stages::{Addresses, Context, DeviceContext};
use crate::scheme::{self, Schemed};

const SCHEME: Kernels =
    Kernels { name: "scheme", fatbin: include_bytes!("../../cuda/scheme.fatbin") };

/// Loads the kernels.
pub(super) fn load(gpu: &Gpu) -> Result<LoadedKernels, DeviceError> {
    SCHEME.load(gpu, filter::settings(false).width).map_err(failed)
}

impl GpuEngine {
    /// The windows of the wanted queries. Halves the batch if it does not fit into device memory.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub(crate) fn scheme(
        &self,
        context: &Context,
        wanted: &[u32],
        settings: &Settings,
    ) -> Result<Schemed, DeviceError> {
        let mut all = Schemed::default();
        in_parts(wanted, |part| {
            all.append(self.scheme_part(context, part, settings)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn scheme_part(
        &self,
        context: &Context,
        wanted: &[u32],
        settings: &Settings,
    ) -> Result<Schemed, DeviceError> {
        let gpu = &self.gpu;
        let codes = gpu.upload(context.queries.all_codes())?;
        let offsets = gpu.upload(context.queries.offsets())?;
        let plans = gpu.upload(&pod_collect_to_vec::<_, u32>(&context.plans))?;
        let effort = gpu.zeros::<u64>(2)?;
        let addresses = Addresses {
            codes: codes.address(gpu),
            offsets: offsets.address(gpu),
            plans: plans.address(gpu),
            effort: effort.address(gpu),
        };
        let on_device = DeviceContext::new(self.index.values(), context, addresses);
        let (app, sinks) = scheme::topology(context);
        let executor = CudaExecutor::loaded(&self.scheme, &app, settings, &on_device);
        let starts = scheme::starts(wanted, context.k);
        let outputs = executor.and_then(|executor| executor.run(&starts)).map_err(failed)?;
        let effort = gpu.download(&effort, 2)?;
        Ok(Schemed::new(outputs, sinks, effort[0], effort[1]))
    }
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("scheme")
}
