//! The sinks of a launch: the memory that blocks write outputs to, and moving the outputs together.

use super::backend::{Backend, Launch};
use super::tables::{PackParameters, RunParameters, SinkRow, SinkScheme};
use crate::DeviceError;
use crate::gpu::{DeviceAddress, DeviceStruct};

/// The memory for the outputs of a launch.
pub(super) struct Sinks<B: Backend> {
    sinks: Vec<SinkRoom<B>>,
    table: B::Buffer,
}

/// The memory for the outputs of one sink; the fields are those of [`SinkRow`].
struct SinkRoom<B: Backend> {
    items: B::Buffer,
    cursor: B::Buffer,
    item_bytes: usize,
    first: B::Buffer,
    slots: B::Buffer,
}

/// The room of a sink.
pub(super) enum SinkSize {
    /// Each block has a region of this many items.
    Regions(Vec<u32>),
    /// Each block has a region for exactly the number of items that it will send.
    Exact(Vec<u32>),
    /// All blocks share one array of this many items.
    Shared(u64),
    /// There is no room: outputs are only counted.
    Counted,
}

/// The array of a sink that all blocks share.
pub(super) struct SharedArray<B: Backend> {
    /// Number of items that were sent to it, whether they fit or not.
    pub sent: u64,
    pub items: B::Buffer,
    /// Size of an item in bytes.
    pub item_bytes: usize,
}

/// The index of each block's first item when the items of all blocks follow each other, and the number of all items.
fn starts(counts: &[u32]) -> (Vec<u64>, u64) {
    let mut total = 0;
    let start = |&count: &u32| {
        total += u64::from(count);
        total - u64::from(count)
    };
    (counts.iter().map(start).collect(), total)
}

impl<B: Backend> Sinks<B> {
    /// Allocates memory for `blocks` blocks. `sizes` has, for each sink, the size of an item in bytes and the room.
    pub(super) fn new(
        backend: &B,
        blocks: u32,
        sizes: &[(usize, SinkSize)],
    ) -> Result<Self, DeviceError> {
        let mut sinks = Vec::new();
        let mut rows = Vec::new();
        for (item_bytes, size) in sizes {
            let (scheme, slots, room) = match size {
                SinkSize::Regions(slots) => (SinkScheme::Regions, slots.clone(), 0),
                SinkSize::Exact(slots) => (SinkScheme::Exact, slots.clone(), 0),
                SinkSize::Shared(room) => (SinkScheme::Atomics, vec![0; blocks as usize], *room),
                SinkSize::Counted => (SinkScheme::Count, vec![0; blocks as usize], 0),
            };
            let (first, total) = starts(&slots);
            let sink = SinkRoom {
                items: backend.uninitialized((total + room) as usize * item_bytes)?,
                cursor: backend.zeros(8)?,
                item_bytes: *item_bytes,
                first: backend.upload(bytemuck::cast_slice(&first))?,
                slots: backend.upload(bytemuck::cast_slice(&slots))?,
            };
            rows.push(SinkRow {
                items: backend.device_address(&sink.items),
                first: backend.device_address(&sink.first),
                slots: backend.device_address(&sink.slots),
                cursor: backend.device_address(&sink.cursor),
                room,
                item_bytes: *item_bytes as u32,
                scheme: scheme as u32,
            });
            sinks.push(sink);
        }
        let table = backend.upload(bytemuck::cast_slice(&rows))?;
        Ok(Self { sinks, table })
    }

    /// Address of the table of sinks.
    pub(super) fn table(&self, backend: &B) -> DeviceAddress<SinkRow> {
        backend.device_address(&self.table)
    }

    /// The array of each sink, if all blocks share it.
    pub(super) fn shared(
        self,
        backend: &B,
    ) -> impl Iterator<Item = Result<SharedArray<B>, DeviceError>> {
        self.sinks.into_iter().map(|sink| {
            let sent = bytemuck::pod_read_unaligned(&backend.read(&sink.cursor, 8)?);
            Ok(SharedArray { sent, items: sink.items, item_bytes: sink.item_bytes })
        })
    }

    /// Moves the items in the regions of a sink together into one array: `counts` items of each block. Gives the array
    /// and its length in bytes, or nothing if there are no items. `run` is the parameter of the launch that wrote them,
    /// and `kernel` the application's pack kernel.
    #[allow(unsafe_code)]
    pub(super) fn pack(
        &self,
        backend: &B,
        sink: usize,
        counts: &[u32],
        run: &RunParameters,
        kernel: &str,
    ) -> Result<Option<(B::Buffer, usize)>, DeviceError> {
        let (first, total) = starts(counts);
        if total == 0 {
            return Ok(None);
        }
        let len = total as usize * self.sinks[sink].item_bytes;
        let first = backend.upload(bytemuck::cast_slice(&first))?;
        let packed = backend.uninitialized(len)?;
        let parameters = PackParameters {
            sinks: run.sinks,
            outputs: run.outputs,
            first: backend.device_address(&first),
            packed: backend.device_address(&packed),
            sink: sink as u32,
            sink_count: run.sink_count,
            block_count: run.block_count,
            padding: 0,
        };
        let parameters = parameters.bytes();
        let launch =
            Launch { kernel, blocks: counts.len() as u32, width: 256, shared: 0, parameters };
        // SAFETY: the parameter is that of `APP_pack`: the tables are alive, `first` has an entry for each block, and
        // `packed` has room for the sum of the counts.
        unsafe { backend.enqueue(&launch) }?;
        Ok(Some((packed, len)))
    }
}
