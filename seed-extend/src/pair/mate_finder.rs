//! The search for mates, on a GPU or the CPU.

use std::sync::Arc;

use aligner_core::stream::CudaBackend;
use aligner_core::{Device, DeviceError};
use fm_index::gpu::DeviceIndex;

use crate::pair::gpu::MateEngine;
use crate::pair::mate_window::{ChosenDiagonals, DiagonalChoice, MateWindow};
use crate::read::queries::Queries;

/// Searches windows for mates on a GPU, if there is one.
#[derive(Debug, Default)]
pub struct MateFinder {
    gpu: Option<GpuMateFinder>,
    failure: Option<DeviceError>,
}

/// An index in the memory of a GPU, and the engine that uses it.
#[derive(Debug)]
struct GpuMateFinder {
    engine: MateEngine<CudaBackend>,
    /// Kept alive for the engine, which has its addresses.
    _index: Arc<DeviceIndex>,
}

impl MateFinder {
    /// A finder that uses `device` and an index that is on it, if there is one, on a stream of its own.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(device: &Device, index: Option<Arc<DeviceIndex>>) -> Result<Self, DeviceError> {
        let (Device::Cuda(gpu), Some(index)) = (device, index) else { return Ok(Self::default()) };
        // The index must have arrived before another stream reads it.
        gpu.synchronize()?;
        let engine = MateEngine::on_gpu(&gpu.with_own_stream()?, index.values())?;
        Ok(Self { gpu: Some(GpuMateFinder { engine, _index: index }), failure: None })
    }

    /// Chooses diagonals of each window on the GPU. `None` if there is none or it fails now; then
    /// [`cpu::choose_diagonals`](crate::pair::cpu::choose_diagonals) has the same result.
    pub fn choose_diagonals(
        &mut self,
        queries: &Queries,
        windows: &[MateWindow],
        choice: DiagonalChoice,
    ) -> Option<ChosenDiagonals> {
        match self.gpu.as_ref()?.engine.choose_diagonals(queries, windows, choice) {
            Ok(chosen) => Some(chosen),
            Err(error) => {
                (self.failure, self.gpu) = (Some(error), None);
                None
            }
        }
    }

    /// The GPU's failure, if there was one.
    pub fn failure(&self) -> Option<&DeviceError> {
        self.failure.as_ref()
    }
}
