//! The device memory of work that moves between blocks; `cuda/include/stream/moving.cuh` has its rules.

use super::backend::Backend;
use super::tables::{PacketRow, RunParameters};
use crate::DeviceError;

/// Number of words of the counters, each of which has a cache line of its own. A bit for each block follows.
const COUNTERS: usize = 128;

/// The word that counts packets given.
const GIVEN: usize = 96;

/// Counters, and a packet for each block.
pub(super) struct MovingMemory<B: Backend> {
    counters: B::Buffer,
    rows: B::Buffer,
    items: B::Buffer,
    packet_bytes: u32,
}

impl<B: Backend> MovingMemory<B> {
    /// Allocates empty packets for the blocks; `None` if they have no bytes.
    pub(super) fn new(
        backend: &B,
        blocks: u32,
        packet_bytes: u32,
    ) -> Result<Option<Self>, DeviceError> {
        if packet_bytes == 0 {
            return Ok(None);
        }
        Ok(Some(Self {
            counters: backend.zeros((COUNTERS + blocks.div_ceil(32) as usize) * 4)?,
            rows: backend.zeros(blocks as usize * size_of::<PacketRow>())?,
            items: backend.uninitialized(blocks as usize * packet_bytes as usize)?,
            packet_bytes,
        }))
    }

    /// Tells the kernel where they are.
    pub(super) fn place(&self, backend: &B, parameters: &mut RunParameters) {
        parameters.moving = backend.device_address(&self.counters);
        parameters.packet_rows = backend.device_address(&self.rows);
        parameters.packets = backend.device_address(&self.items);
        parameters.packet_bytes = self.packet_bytes;
    }

    /// Number of packets that were given.
    pub(super) fn given(&self, backend: &B) -> Result<u64, DeviceError> {
        let bytes = backend.read(&self.counters, COUNTERS * 4)?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok(u64::from(words[GIVEN]))
    }
}
