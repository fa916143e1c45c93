//! The sinks of a launch: the memory that blocks write outputs to, and moving the outputs together.

use super::backend::{Backend, Launch};
use super::parts::{Part, Parts, address};
use super::tables::{PackParameters, RunParameters, SinkRow, SinkScheme};
use crate::DeviceError;
use crate::gpu::{DeviceAddress, DeviceStruct};

/// The memory for the outputs of a launch.
pub(super) struct Sinks<B: Backend> {
    rooms: Vec<SinkRoom<B>>,
    /// Cursors, first items and slots of all sinks, and their rows.
    tables: B::Buffer,
    /// A row of each sink.
    rows: Part,
}

/// The memory for the outputs of one sink.
struct SinkRoom<B: Backend> {
    items: B::Buffer,
    item_bytes: usize,
    cursor: Part,
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
        let mut tables = Parts::default();
        let mut rooms = Vec::new();
        // What the host reads is in front.
        let cursors: Vec<Part> = sizes.iter().map(|_| tables.zeros(8)).collect();
        for ((item_bytes, size), cursor) in sizes.iter().zip(cursors) {
            let (scheme, slots, room) = match size {
                SinkSize::Regions(slots) => (SinkScheme::Regions, slots.clone(), 0),
                SinkSize::Exact(slots) => (SinkScheme::Exact, slots.clone(), 0),
                SinkSize::Shared(room) => (SinkScheme::Atomics, vec![0; blocks as usize], *room),
                SinkSize::Counted => (SinkScheme::Count, vec![0; blocks as usize], 0),
            };
            let (first, total) = starts(&slots);
            let items = backend.uninitialized((total + room) as usize * item_bytes)?;
            let first = tables.add(bytemuck::cast_slice(&first));
            let slots = tables.add(bytemuck::cast_slice(&slots));
            let sink = SinkRoom { items, item_bytes: *item_bytes, cursor };
            rooms.push((sink, first, slots, scheme, room));
        }
        let rows = tables.zeros(sizes.len() * size_of::<SinkRow>());
        let mut buffer = backend.uninitialized(tables.bytes().len())?;
        let of_sink =
            |(sink, first, slots, scheme, room): &(SinkRoom<B>, _, _, SinkScheme, _)| SinkRow {
                items: backend.device_address(&sink.items),
                first: address(backend, &buffer, first),
                slots: address(backend, &buffer, slots),
                cursor: address(backend, &buffer, &sink.cursor),
                room: *room,
                item_bytes: sink.item_bytes as u32,
                scheme: *scheme as u32,
            };
        let all: Vec<SinkRow> = rooms.iter().map(of_sink).collect();
        tables.set(&rows, bytemuck::cast_slice(&all));
        backend.write(&mut buffer, tables.bytes())?;
        let rooms = rooms.into_iter().map(|(sink, ..)| sink).collect();
        Ok(Self { rooms, tables: buffer, rows })
    }

    /// Address of the table of sinks.
    pub(super) fn table(&self, backend: &B) -> DeviceAddress<SinkRow> {
        address(backend, &self.tables, &self.rows)
    }

    /// The array of each sink, if all blocks share it.
    pub(super) fn shared(self, backend: &B) -> Result<Vec<SharedArray<B>>, DeviceError> {
        let Some(last) = self.rooms.last() else { return Ok(Vec::new()) };
        let cursors = backend.read(&self.tables, last.cursor.end)?;
        let array = |SinkRoom { items, item_bytes, cursor }| {
            let sent = bytemuck::pod_read_unaligned(&cursors[cursor]);
            SharedArray { sent, items, item_bytes }
        };
        Ok(self.rooms.into_iter().map(array).collect())
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
        let len = total as usize * self.rooms[sink].item_bytes;
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
