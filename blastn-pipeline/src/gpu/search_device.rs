//! A device that searches a database, or a share of it: its workers, and what they may do at a time.

use aligner_core::gpu::Gpu;
use aligner_core::{Device, DeviceError};

use crate::database::Database;
use crate::error::DeviceFailure;
use crate::gpu::limits::{self, LEAST_SHARE, Limits, PIECE_LETTERS};
use crate::gpu::worker::GpuWorker;
use crate::search::seeded_batches::AHEAD;

/// Number of batches that may be prefiltered, extended and finished at the same time on a GPU, each on a stream of
/// its own.
pub(crate) const LATER_WORKERS: usize = 4;

/// Number of batches that are seeded at the same time on a GPU with enough memory, each on a stream of its own: while the GPU works
/// for one, the host copies others and waits for them.
const SEEDERS: usize = 3;

/// Bytes of device memory, besides the database, that are enough for a worker that seeds: the words that a batch shares with a run of
/// the database ([`limits::runs`]), what they are extended to, and the batches that wait.
const BYTES_A_SEEDER: u64 = 1 << 33;

/// A device with workers for a search.
#[derive(Debug)]
pub struct SearchDevice<W> {
    /// Name of the device for messages.
    pub name: String,
    /// Workers that seed batches, at least one: as many batches are seeded at the same time.
    pub seeders: Vec<W>,
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
        let workers = |count| -> Result<Vec<GpuWorker>, DeviceError> {
            (0..count).map(|_| GpuWorker::new(&gpu.with_own_stream()?)).collect()
        };
        let later_workers = workers(LATER_WORKERS)?;
        let free = gpu.free_memory()?;
        let memory = memory.unwrap_or(free / 2);
        let for_batches = free.saturating_sub(memory);
        let seeders = workers(((for_batches / BYTES_A_SEEDER) as usize).clamp(1, SEEDERS))?;
        // One batch for each worker, one that waits for a worker, and those that are seeded ahead.
        let ahead = if seeders.len() > 1 { AHEAD } else { 0 };
        let hits = for_batches / (LATER_WORKERS + 1 + ahead) as u64 / limits::BYTES_A_HIT;
        let limits =
            Limits { memory, piece_letters: PIECE_LETTERS, hits, least_share: LEAST_SHARE };
        Ok(Self { name: name.to_owned(), seeders, later_workers, limits })
    }
}
