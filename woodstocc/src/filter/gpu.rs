//! The filter on a GPU: one kernel cuts the queries into pieces, then the streaming application runs.

use aligner_core::gpu::{DeviceAddress, Gpu, Kernel};
use aligner_core::stream::{CudaExecutor, Kernels, LoadedKernels, RunError, Settings};
use aligner_core::{DeviceError, device_struct};
use fm_index::gpu::IndexView;

use super::stages::{FilterContext, FilterDeviceContext, QueryPiece};
use super::{topology, windows};
use crate::verify::FoundWindows;
use crate::verify::window::{settings, up_to};

const FILTER: Kernels =
    Kernels { name: "filter", fatbin: include_bytes!("../../cuda/filter.fatbin") };

/// Threads of a block of the kernel that cuts.
const THREADS: u32 = 128;

device_struct! {
    /// Parameters of the kernel `filter_cuts`, which cuts queries into `k + 1` pieces, at most 16.
    pub struct CutParameters {
        /// The FM-index of the reference.
        pub index: IndexView,
        /// Codes of all queries ([`Queries::all_codes`](crate::read::Queries::all_codes)).
        pub codes: DeviceAddress<u8>,
        /// Starts of the queries in `codes` ([`Queries::offsets`](crate::read::Queries::offsets)).
        pub offsets: DeviceAddress<u32>,
        /// Numbers of the queries to cut, each of more than `k` codes.
        pub wanted: DeviceAddress<u32>,
        /// Output, `k + 2` values for each query of the batch: where its pieces begin, and the end of the last one.
        pub bounds: DeviceAddress<u32>,
        /// Number of elements of `wanted`.
        pub wanted_count: u32,
        /// Greatest edit distance of a match.
        pub k: u32,
    }
}

/// The kernels of the filter, loaded on a GPU.
#[derive(Debug)]
pub(crate) struct GpuFilter {
    cuts: Kernel,
    app: LoadedKernels,
}

impl GpuFilter {
    /// Loads the kernels into a GPU.
    pub(crate) fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let module = gpu.load("cuts", include_bytes!("../../cuda/cuts.fatbin"))?;
        let app = FILTER.load(gpu, settings(false).width).map_err(failed)?;
        Ok(Self { cuts: module.kernel(gpu, "filter_cuts")?, app })
    }

    /// The windows of the wanted queries, each of more than `k` bases, or `None` if there are more than `most`. The cuts
    /// of `context` are not used: the device computes its own.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if the queries do not fit, or the driver fails.
    pub(crate) fn search(
        &self,
        gpu: &Gpu,
        index: IndexView,
        context: &FilterContext,
        wanted: &[u32],
        (settings, most): (&Settings, u64),
    ) -> Result<Option<FoundWindows>, DeviceError> {
        let (queries, k) = (&context.queries, context.k);
        let codes = gpu.upload(queries.all_codes())?;
        let offsets = gpu.upload(queries.offsets())?;
        let bounds = gpu.zeros::<u32>(queries.len() * (k + 2))?;
        let numbers = gpu.upload(wanted)?;
        let parameters = CutParameters {
            index,
            codes: codes.device_address(gpu),
            offsets: offsets.device_address(gpu),
            wanted: numbers.device_address(gpu),
            bounds: bounds.device_address(gpu),
            wanted_count: wanted.len() as u32,
            k: k as u32,
        };
        let blocks = (wanted.len() as u32).div_ceil(THREADS);
        #[allow(unsafe_code)]
        // SAFETY: `filter_cuts` takes these parameters; `wanted` has `wanted_count` numbers of queries, which are all
        // in `offsets`, and `bounds` has `k + 2` values for each query.
        let cutting = gpu.timed(|| unsafe { self.cuts.launch(blocks, THREADS, 0, &parameters) })?;
        let on_device = FilterDeviceContext {
            index,
            codes: parameters.codes,
            offsets: parameters.offsets,
            bounds: parameters.bounds,
            k: parameters.k,
            padding: 0,
        };
        let (app, sinks) = topology(context);
        let executor =
            CudaExecutor::loaded(&self.app, &app, settings, &on_device).map_err(failed)?;
        let run = |pieces: &[QueryPiece]| executor.run_with(pieces, &mut up_to(most));
        match windows(wanted, k, (sinks, most), run) {
            Ok(mut found) => {
                found.device_seconds += cutting;
                Ok(Some(found))
            }
            Err(RunError::Cancelled) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("filter")
}
