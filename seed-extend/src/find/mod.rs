//! Finding where reads may come from: chains of seeds, on whatever device there is.
//!
//! ```text
//!   queries
//!     |  seeds     an application of the streaming runtime (seeding); then put to those of their query
//!     v  chains    another one (chaining); then put to those of their read
//!   chains
//! ```
//!
//! The modules [`seeds`](crate::seeds), [`anchors`](crate::anchors) and [`chains`](crate::chains) define what is
//! found. The CPU does some reads after the others; on a GPU each application takes a batch as a whole. There what
//! comes out, in any order, is counted, and the counts are added up on the device, so that those of each query or read
//! begin where those before it end (after the output without global atomics of paper 003).

mod cpu;
mod found;
pub mod gpu;

use std::sync::Arc;

use aligner_core::gpu::{DeviceBuffer, Gpu};
use aligner_core::stream::{CudaBackend, RunError};
use aligner_core::{Device, DeviceError};
use fm_index::gpu::DeviceIndex;

pub use crate::chaining::stages::Known;
use crate::queries::Queries;
pub use found::Chains;
use gpu::Engine;

/// The codes of all queries of a batch, in their places in the memory of a GPU.
pub type DeviceCodes = Arc<DeviceBuffer<u8>>;

/// An index, and the device that looks for reads in it.
#[derive(Debug)]
pub struct Finder {
    known: Arc<Known>,
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
    fn new(gpu: &Gpu, known: &Arc<Known>) -> Result<Self, DeviceError> {
        let on_device = DeviceIndex::new(gpu, &known.index)?;
        let engine = Engine::on_gpu(gpu, on_device.values(), known)?;
        Ok(Self { engine, _index: on_device })
    }
}

impl Finder {
    /// Prepares to look for reads.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(known: Known, device: &Device) -> Result<Self, DeviceError> {
        let known = Arc::new(known);
        let gpu = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(OnGpu::new(gpu, &known)?),
        };
        Ok(Self { known, gpu, failure: None })
    }

    /// The chains of reads, on the device or the current rayon pool, and the codes that are on the device then.
    ///
    /// # Errors
    /// If the runtime refuses the stages.
    pub fn find(
        &mut self,
        queries: &Arc<Queries>,
    ) -> Result<(Chains, Option<DeviceCodes>), RunError> {
        if let Some(gpu) = &self.gpu {
            match gpu.engine.find(queries) {
                Ok(found) => return Ok((found.chains, Some(Arc::new(found.codes)))),
                Err(error) => (self.failure, self.gpu) = (Some(error), None),
            }
        }
        Ok((cpu::find(&self.known, queries)?, None))
    }

    /// Why the GPU was given up, if it was: the CPU does everything from then on, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }
}
