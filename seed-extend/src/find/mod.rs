//! Finding where reads may come from: chains of seeds, on whatever device there is.
//!
//! ```text
//!   queries
//!     |  seeds     an application of the streaming runtime (seeding); then put to those of their query
//!     |  anchors   a warp a query shares out the rows of its seeds, and sorts their positions
//!     |  chains    half a warp a query: a lane holds each of the last chains that an anchor may join
//!     |  best      a warp a read orders its chains, and drops those that cannot matter
//!     v  gather    the rest, read after read
//!   chains
//! ```
//!
//! The stages are those of the modules [`seeds`](crate::seeds), [`anchors`](crate::anchors) and
//! [`chains`](crate::chains), which define what is found. The CPU finds the seeds of some reads together, and
//! does the rest for a read before the next. On a GPU results are counted between two stages, and the counts
//! added up on the device, so that those of each read begin where those before it end, whatever the order in
//! which threads come by (after the output without global atomics of paper 003).

mod cpu;
mod found;
pub mod gpu;

use std::sync::Arc;

use aligner_core::gpu::{DeviceBuffer, Gpu};
use aligner_core::stream::{CudaBackend, RunError};
use aligner_core::{Device, DeviceError};
use fm_index::gpu::DeviceIndex;
use fm_index::{FmIndex, Segments};

use crate::options::Options;
use crate::queries::Queries;
pub use found::Chains;
use gpu::{Engine, Indexed};

/// The codes of all queries of a batch, in their places in the memory of a GPU.
pub type DeviceCodes = Arc<DeviceBuffer<u8>>;

/// An index, and the device that looks for reads in it.
#[derive(Debug)]
pub struct Finder<'i> {
    index: &'i FmIndex,
    options: Options,
    gpu: Option<OnGpu>,
    failure: Option<DeviceError>,
}

/// The index on a GPU.
#[derive(Debug)]
struct OnGpu {
    engine: Engine<CudaBackend>,
    /// What the engine looks into.
    _index: DeviceIndex,
}

impl OnGpu {
    fn new(
        gpu: &Gpu,
        index: &FmIndex,
        segments: &Segments,
        options: &Options,
    ) -> Result<Self, DeviceError> {
        let on_device = DeviceIndex::new(gpu, index)?;
        let indexed = Indexed::new(index, &on_device, gpu);
        let engine = Engine::on_gpu(gpu, indexed, segments, options)?;
        Ok(Self { engine, _index: on_device })
    }
}

impl<'i> Finder<'i> {
    /// Prepares to look for reads.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(
        index: &'i FmIndex,
        segments: &Segments,
        options: Options,
        device: &Device,
    ) -> Result<Self, DeviceError> {
        let gpu = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(OnGpu::new(gpu, index, segments, &options)?),
        };
        Ok(Self { index, options, gpu, failure: None })
    }

    /// The chains of reads, on the device or the current rayon pool, and the codes that are on the device then.
    ///
    /// # Errors
    /// If the runtime refuses the stages.
    pub fn find(
        &mut self,
        queries: &Arc<Queries>,
        segments: &Segments,
    ) -> Result<(Chains, Option<DeviceCodes>), RunError> {
        if let Some(gpu) = &self.gpu {
            match gpu.engine.find(queries) {
                Ok(found) => return Ok((found.chains, Some(Arc::new(found.codes)))),
                Err(error) => (self.failure, self.gpu) = (Some(error), None),
            }
        }
        let search = cpu::Search::new(self.index, segments, &self.options, queries);
        Ok((search.all()?, None))
    }

    /// Why the GPU was given up, if it was: the CPU does everything from then on, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }
}
