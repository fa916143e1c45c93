//! The device memory of work that moves between blocks; `cuda/include/stream/moving.cuh` has its rules.

use bytemuck::Zeroable;

use super::backend::Backend;
use super::layout::Packets;
use super::tables::{PacketRow, RunParameters};
use crate::DeviceError;

/// Number of words of the counters, each of which has a cache line of its own.
const WORDS: usize = 160;

/// The word that counts packets given.
const GIVEN: usize = 96;

/// Counters, and packets with their items.
pub(super) struct MovingMemory<B: Backend> {
    counters: B::Buffer,
    rows: B::Buffer,
    items: B::Buffer,
    packets: Packets,
}

impl<B: Backend> MovingMemory<B> {
    /// Allocates packets, all of them free; `None` if there are to be none.
    pub(super) fn new(backend: &B, packets: Packets) -> Result<Option<Self>, DeviceError> {
        if packets.count == 0 {
            return Ok(None);
        }
        let row = |turn| PacketRow { turn, ..PacketRow::zeroed() };
        let rows: Vec<PacketRow> = (0..packets.count).map(row).collect();
        Ok(Some(Self {
            counters: backend.zeros(WORDS * 4)?,
            rows: backend.upload(bytemuck::cast_slice(&rows))?,
            items: backend.uninitialized(packets.count as usize * packets.bytes as usize)?,
            packets,
        }))
    }

    /// Tells the kernel where they are.
    pub(super) fn place(&self, backend: &B, parameters: &mut RunParameters) {
        parameters.moving = backend.device_address(&self.counters);
        parameters.packet_rows = backend.device_address(&self.rows);
        parameters.packets = backend.device_address(&self.items);
        parameters.packet_count = self.packets.count;
        parameters.packet_bytes = self.packets.bytes;
    }

    /// Number of packets that were given.
    pub(super) fn given(&self, backend: &B) -> Result<u64, DeviceError> {
        let bytes = backend.read(&self.counters, WORDS * 4)?;
        let words: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
        Ok(u64::from(words[GIVEN]))
    }
}
