//! A device that searches a database, or a share of it: its workers, and what they may do at a time.

use aligner_core::gpu::Gpu;
use aligner_core::{Device, DeviceError};

use crate::database::Database;
use crate::error::DeviceFailure;
use crate::gpu::limits::{self, LEAST_SHARE, Limits, PIECE_LETTERS};
use crate::gpu::worker::GpuWorker;

/// Number of batches that may be prefiltered, extended and finished at the same time on a GPU, each on a stream of
/// its own.
pub const WORKERS: usize = 4;

/// A device with workers for a search.
#[derive(Debug)]
pub struct SearchDevice<W> {
    /// Name of the device for messages.
    pub name: String,
    /// The worker that seeds batches.
    pub seeds: W,
    /// Workers for the steps after seeding, at least one: as many batches are prefiltered, extended and finished at the same time.
    pub later_workers: Vec<W>,
    /// Limits of the work that the device does at a time.
    pub limits: Limits,
}

/// The number of GPUs that a database is worth: further ones would get no share.
pub fn worthwhile_gpus(database: &Database) -> usize {
    limits::worthwhile_devices(database.letters(), LEAST_SHARE)
}

impl SearchDevice<GpuWorker> {
    /// Loads the kernels onto a GPU. `memory` is the number of bytes of its memory that the database may take, by default half of
    /// the free memory.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: &Gpu, memory: Option<u64>) -> Result<Self, DeviceFailure> {
        let name = Device::Cuda(gpu.clone()).describe();
        Self::on(gpu, &name, memory).map_err(|error| DeviceFailure { device: name, error })
    }

    fn on(gpu: &Gpu, name: &str, memory: Option<u64>) -> Result<Self, DeviceError> {
        let worker = |_| GpuWorker::new(&gpu.with_own_stream()?);
        let later_workers = (0..WORKERS).map(worker).collect::<Result<_, DeviceError>>()?;
        let free = gpu.free_memory()?;
        let memory = memory.unwrap_or(free / 2);
        // The other half is for batches: one for each worker, and one that is being seeded.
        let hits = free.saturating_sub(memory) / (WORKERS as u64 + 1) / limits::BYTES_A_HIT;
        let limits =
            Limits { memory, piece_letters: PIECE_LETTERS, hits, least_share: LEAST_SHARE };
        Ok(Self { name: name.to_owned(), seeds: GpuWorker::new(gpu)?, later_workers, limits })
    }
}
