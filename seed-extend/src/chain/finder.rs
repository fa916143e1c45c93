//! Finds the chains of a batch of reads, on a GPU or the CPU.
//!
//! ```text
//!   queries
//!     |  seeds     an application of the streaming runtime (seed::application), whose output is grouped by query
//!     v  chains    another one (chain::application), whose output is grouped by read
//!   chains of each read
//! ```
//!
//! The CPU finds both for some reads after the others. A GPU runs each of them for a whole batch. What
//! comes out there, in any order, is counted by query or read, and prefix sums of the counts tell where each group
//! begins: output of varying length without a global counter, as in Elteir's dissertation (2012) on `StreamMR`. Nobody
//! knows beforehand how many seeds a query has, or a read anchors or chains. Counting first gives each group exactly
//! the room that it takes, for any read, and the order of threads has no effect on the result.

use std::sync::Arc;

use aligner_core::gpu::{DeviceBuffer, Gpu};
use aligner_core::stream::CudaBackend;
use aligner_core::{Device, DeviceError};
use fm_index::gpu::DeviceIndex;

use super::chains_of_reads::ChainsOfReads;
use super::context::FinderInputs;
use super::cpu;
use super::gpu::{ChainEngine, DeviceChains};
use crate::read::queries::Queries;

/// The chains of a batch of reads, where they were found.
#[derive(Debug)]
pub enum BatchChains {
    /// Chains that the CPU has found.
    OnHost(ChainsOfReads),
    /// Chains that a GPU has found, in its memory.
    OnDevice(Box<DeviceChains<DeviceBuffer<u8>>>),
}

impl Default for BatchChains {
    fn default() -> Self {
        Self::OnHost(ChainsOfReads::default())
    }
}

/// Finds the chains of reads in an index, on a GPU or the CPU.
#[derive(Debug)]
pub struct Finder {
    inputs: Arc<FinderInputs>,
    gpu: Option<GpuFinder>,
    failure: Option<DeviceError>,
}

/// An index in the memory of a GPU, and the engine that uses it.
#[derive(Debug)]
struct GpuFinder {
    engine: ChainEngine<CudaBackend>,
    /// Kept alive for the engine, which has its addresses.
    index: Arc<DeviceIndex>,
}

impl GpuFinder {
    fn new(gpu: &Gpu, inputs: &Arc<FinderInputs>) -> Result<Self, DeviceError> {
        let index = Arc::new(DeviceIndex::new(gpu, &inputs.index)?);
        let engine = ChainEngine::on_gpu(gpu, index.values(), inputs)?;
        Ok(Self { engine, index })
    }
}

impl Finder {
    /// A finder for an index, which is copied to the device.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(inputs: Arc<FinderInputs>, device: &Device) -> Result<Self, DeviceError> {
        let gpu = match device {
            Device::Cpu => None,
            Device::Cuda(gpu) => Some(GpuFinder::new(gpu, &inputs)?),
        };
        Ok(Self { inputs, gpu, failure: None })
    }

    /// A finder for the same index and device, on a second stream, so that both can work at the same time.
    ///
    /// # Errors
    /// If the device fails.
    pub fn on_second_stream(&self) -> Result<Self, DeviceError> {
        let gpu = self.gpu.as_ref().map(|gpu| {
            let (engine, index) = (gpu.engine.on_second_stream()?, Arc::clone(&gpu.index));
            Ok::<_, DeviceError>(GpuFinder { engine, index })
        });
        Ok(Self { inputs: Arc::clone(&self.inputs), gpu: gpu.transpose()?, failure: None })
    }

    /// Finds the chains of reads on the device, or on the current rayon pool, but gives up when there are more than `most`.
    ///
    /// If the device fails, the CPU takes over.
    pub fn find_few(&mut self, queries: &Arc<Queries>, most: usize) -> Option<BatchChains> {
        if let Some(gpu) = &mut self.gpu {
            // More of the index may have come.
            gpu.engine.set_index(gpu.index.values());
            match gpu.engine.find_few(queries, most) {
                Ok(found) => {
                    return found.map(|it| BatchChains::OnDevice(Box::new(it.chains)));
                }
                Err(error) => (self.failure, self.gpu) = (Some(error), None),
            }
        }
        cpu::find(&self.inputs, queries, most).map(BatchChains::OnHost)
    }

    /// The index in the memory of the GPU, if there is one. Work on other streams must wait until it has arrived.
    pub fn device_index(&self) -> Option<Arc<DeviceIndex>> {
        self.gpu.as_ref().map(|gpu| Arc::clone(&gpu.index))
    }

    /// The GPU's failure, if there was one. From then on the CPU does everything, with the same results.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }
}
