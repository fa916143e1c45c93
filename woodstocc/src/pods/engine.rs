//! The search on a GPU.

use aligner_core::DeviceError;
use aligner_core::gpu::Address;

use super::{Measured, Place, Settings};
use crate::gpu::{GpuEngine, in_parts};
use crate::hits::Hit;
use crate::query::Queries;

/// The worklists may take this part of the free memory.
const MEMORY_SHARE: u64 = 2;

impl GpuEngine {
    /// All hits of the wanted queries, each of more than `k` bases, in no particular order. If the
    /// batch does not fit into device memory, its halves are searched one after the other.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    ///
    /// # Panics
    /// If a setting is out of its range.
    pub fn search(
        &self,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        settings: &Settings,
    ) -> Result<(Vec<Hit>, Measured), DeviceError> {
        let mut hits = Vec::new();
        let mut measured = Measured::default();
        in_parts(wanted, |part| {
            let view = self.index.view().address(&self.gpu);
            let place = Place { view, memory: self.gpu.free_memory()? / MEMORY_SHARE };
            let (found, done) = super::search(&self.pods, place, queries, part, k, settings)?;
            hits.extend(found);
            measured.add(&done);
            Ok(())
        })?;
        Ok((hits, measured))
    }
}
