//! Structs that the host and an application's kernels share in device memory.
//!
//! The kernels declare the structs of the same names in `cuda/include/stream/tables.cuh`, where each field is
//! explained. The generated header `layouts.cuh` asserts that sizes and offsets agree; for kernels that were compiled
//! elsewhere, the describe kernel reports the sizes and loading compares them with [`SIZES`].

use crate::device_struct;
use crate::gpu::DeviceAddress;

/// No node, no slot, no offset.
pub(super) const NONE: u32 = u32::MAX;

device_struct! {
    /// A row of the table of edges: the target of a channel, and how many items there may be.
    pub(super) struct EdgeRow {
        /// A node or, after the nodes, a sink.
        pub target: u32,
        /// The most items that one input of each node of the module yields at the target.
        pub gamma: u32,
        /// [`EdgeRow::BACK`], [`EdgeRow::PER_ELEMENT`], [`EdgeRow::SHARED`] and [`EdgeRow::DESCENT`].
        pub flags: u32,
        /// Of a descent, free slots that the descent of one item may fill, and one more; else 0.
        pub spare: u32,
    }
}

impl EdgeRow {
    /// The edge closes a loop.
    pub const BACK: u32 = 1;
    /// The gamma counts for each element of an input.
    pub const PER_ELEMENT: u32 = 2;
    /// A back edge whose head may be filled by its parent in the same firing.
    pub const SHARED: u32 = 4;
    /// Leads from a depth-first node back to itself.
    pub const DESCENT: u32 = 8;
}

device_struct! {
    /// A row of the table of nodes: queue and parameters.
    pub(super) struct NodeRow {
        /// Number of the module type.
        pub module: u32,
        /// Slots of its queue.
        pub capacity: u32,
        /// Slots that only the back edge of the loop may fill.
        pub reserve: u32,
        /// Bytes of an item.
        pub slot_bytes: u32,
        /// The edge of its channel 0.
        pub first_edge: u32,
        /// How many channels it has.
        pub channels: u32,
        /// Offset of its ring in shared memory, or [`NONE`].
        pub shared_ring: u32,
        /// Its slots in each pool of rests.
        pub rest_slots: u32,
        /// Offset of its ring in the block's global memory.
        pub ring: u64,
        /// Offset of its ring of element counts there.
        pub ends: u64,
        /// Bytes of its parameters.
        pub parameters: DeviceAddress<u8>,
        /// Its slots in the pools of rests.
        pub rest: DeviceAddress<u8>,
        /// For each of these slots, whether it is written.
        pub rest_ready: DeviceAddress<u32>,
    }
}

device_struct! {
    /// A row of the table of walks, which has one for each node: its stacks, if its module walks.
    pub(super) struct WalkRow {
        /// Offset of its stack of headers in the block's global memory.
        pub headers: u64,
        /// Offset of the number of items of each pod there.
        pub counts: u64,
        /// Offset of its stack of items there.
        pub items: u64,
        /// Bytes of a header.
        pub header_bytes: u32,
        /// Bytes of an item.
        pub item_bytes: u32,
        /// Pods that there is room for.
        pub pods_room: u32,
        /// Items that there is room for.
        pub items_room: u32,
        /// The part of `items_room` that steps of `items_at_once` items may need.
        pub items_reserve: u32,
        /// The most elements of an input.
        pub elements: u32,
        /// The most pods that a step takes.
        pub pods_at_once: u32,
        /// The most items of a step that takes several pods.
        pub items_at_once: u32,
        /// The most steps of a firing.
        pub steps: u32,
        /// The most children of a node of the tree.
        pub fan: u32,
    }
}

device_struct! {
    /// A row of the table of module types.
    pub(super) struct ModuleRow {
        /// Number of the first node.
        pub first_node: u32,
        /// How many nodes it has.
        pub nodes: u32,
        /// Inputs, or elements, that give every thread of a block work.
        pub ensemble: u32,
        /// How it maps items to threads, as [`super::describe::kind`] numbers it.
        pub kind: u32,
        /// `2^32 / ensemble`, rounded up.
        pub inverse: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
        /// Bytes of its parameters.
        pub parameters: DeviceAddress<u8>,
    }
}

device_struct! {
    /// A row of the table of sinks.
    pub(super) struct SinkRow {
        /// Array that blocks write items to.
        pub items: DeviceAddress<u8>,
        /// For each block, the first item of its region.
        pub first: DeviceAddress<u64>,
        /// For each block, how many items its region holds.
        pub slots: DeviceAddress<u32>,
        /// Items sent to an array that all blocks share.
        pub cursor: DeviceAddress<u64>,
        /// Items that such an array holds.
        pub room: u64,
        /// Bytes of an item.
        pub item_bytes: u32,
        /// Way in which items reach the sink, a [`SinkScheme`].
        pub scheme: u32,
    }
}

/// Ways in which items reach a sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SinkScheme {
    /// Every block has a region, and stops when it is full.
    Regions = 0,
    /// All blocks share an array.
    Atomics = 1,
    /// Items are only counted.
    Count = 2,
    /// Every block has a region for exactly the items that it will send.
    Exact = 3,
}

device_struct! {
    /// A node's queue between launches.
    pub(super) struct SavedQueue {
        /// The slot of the first item.
        pub head: u32,
        /// Number of items that wait.
        pub count: u32,
        /// Elements pushed so far, modulo 2^32.
        pub ended: u32,
        /// Elements taken so far, modulo 2^32.
        pub consumed: u32,
    }
}

device_struct! {
    /// A block between launches.
    pub(super) struct SavedBlock {
        /// The first input that it has claimed and not yet taken.
        pub window: u64,
        /// The end of these inputs.
        pub window_end: u64,
        /// The next chunk of its share, if the input is dealt out in advance.
        pub next_chunk: u64,
        /// The first input of the chunk claimed after the window.
        pub ahead: u64,
        /// The end of that chunk.
        pub ahead_end: u64,
        /// 1 if no input is left for it to claim.
        pub exhausted: u32,
        /// 1 if it will do nothing any more.
        pub finished: u32,
        /// Its part in sharing rests; see `tables.cuh`.
        pub flags: u32,
        /// Firings in the last launch.
        pub firings: u32,
    }
}

impl SavedBlock {
    /// The bit of `flags` at which the number of its pool of rests begins.
    pub const POOL: u32 = 8;
}

device_struct! {
    /// A walk of a block between launches.
    #[repr(align(16))]
    pub(super) struct SavedWalk {
        /// The first pod that waits.
        pub first_pod: u32,
        /// The end of the pods.
        pub end_pod: u32,
        /// The first item of these pods.
        pub first_item: u32,
        /// The end of the items.
        pub end_item: u32,
        /// Pods whose children were looked up so far.
        pub pods: u64,
        /// Items visited at children so far.
        pub visits: u64,
        /// Lanes of the ensembles that they were visited in, busy or idle.
        pub lanes: u64,
        /// Steps so far.
        pub steps: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// A transfer of the first half of the pods of a walk to a block that has none.
    #[derive(PartialEq, Eq)]
    pub(super) struct Donation {
        /// The block that gives.
        pub from: u32,
        /// The block that takes.
        pub to: u32,
        /// The node that walks.
        pub node: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Counters and clock cycles of a module type, over all blocks.
    pub(super) struct ModuleCounters {
        /// Times that it was fired.
        pub firings: u64,
        /// Firings whose ensembles were all full.
        pub full_firings: u64,
        /// Number of ensembles processed.
        pub ensembles: u64,
        /// Inputs, or elements, in all ensembles.
        pub lanes: u64,
        /// Inputs, or elements, taken.
        pub items_in: u64,
        /// Number of items pushed.
        pub items_out: u64,
        /// Cycles in finding and reading inputs.
        pub gather: u64,
        /// Cycles in the stage's own code.
        pub run: u64,
        /// Cycles in writing outputs.
        pub scatter: u64,
    }
}

device_struct! {
    /// Clock cycles of all blocks.
    pub(super) struct CycleCounters {
        /// Cycles in choosing what to fire.
        pub scheduler: u64,
        /// Cycles of blocks in total.
        pub total: u64,
    }
}

device_struct! {
    /// The first stage of a launch that pushed more than its gamma.
    pub(super) struct Fault {
        /// 1 if there is one.
        pub set: u32,
        /// Number of the module type.
        pub module: u32,
        /// Number of the channel.
        pub channel: u32,
        /// Number of the node.
        pub node: u32,
    }
}

device_struct! {
    /// The packet of a block, in which it gets items of another one; see `moving.cuh`.
    pub(super) struct PacketRow {
        /// 1 from when it is filled until its items are taken.
        pub filled: u32,
        /// The node at which the items wait.
        pub node: u32,
        /// How many items there are.
        pub items: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameter of an application's kernels: the tables, the input and the state of a run.
    pub(super) struct RunParameters {
        /// Table of nodes, sorted by module type.
        pub nodes: DeviceAddress<NodeRow>,
        /// Table of edges, sorted by node and channel.
        pub edges: DeviceAddress<EdgeRow>,
        /// Table of module types.
        pub modules: DeviceAddress<ModuleRow>,
        /// Table of sinks.
        pub sinks: DeviceAddress<SinkRow>,
        /// Bytes of the input.
        pub input: DeviceAddress<u8>,
        /// How many inputs there are.
        pub inputs: u64,
        /// The next input that no block has claimed.
        pub cursor: DeviceAddress<u64>,
        /// Bytes of the application's parameters.
        pub global: DeviceAddress<u8>,
        /// The queues of all blocks.
        pub rings: DeviceAddress<u8>,
        /// Bytes of the queues of one block.
        pub ring_stride: u64,
        /// State of each block.
        pub blocks: DeviceAddress<SavedBlock>,
        /// For each block, the queue of each node.
        pub queues: DeviceAddress<SavedQueue>,
        /// Table of walks; null if no module walks.
        pub walk_rows: DeviceAddress<WalkRow>,
        /// For each block, the walk of each node; null if no module walks.
        pub walks: DeviceAddress<SavedWalk>,
        /// For each block, items in the region of each sink.
        pub outputs: DeviceAddress<u32>,
        /// For each pool of rests and node, slots reserved and claimed; then for each pool, its blocks.
        pub rest_counters: DeviceAddress<u32>,
        /// Counters of work that moves, and the mask of hungry blocks.
        pub moving: DeviceAddress<u32>,
        /// The packet of each block.
        pub packet_rows: DeviceAddress<PacketRow>,
        /// Items of all packets.
        pub packets: DeviceAddress<u8>,
        /// Counters of each module type.
        pub module_counters: DeviceAddress<ModuleCounters>,
        /// Cycles of all blocks.
        pub counters: DeviceAddress<CycleCounters>,
        /// The first fault of a launch.
        pub fault: DeviceAddress<Fault>,
        /// How many nodes there are.
        pub node_count: u32,
        /// How many edges there are.
        pub edge_count: u32,
        /// How many module types there are.
        pub module_count: u32,
        /// How many sinks there are.
        pub sink_count: u32,
        /// The node that takes the input.
        pub root: u32,
        /// Inputs that a block claims at a time.
        pub chunk: u32,
        /// [`RunParameters::LAZY`] and the other flags.
        pub flags: u32,
        /// Firings of a block in one launch; 0 for no limit.
        pub slice: u32,
        /// Bytes of dynamic shared memory for firings.
        pub scratch_bytes: u32,
        /// How many blocks there are.
        pub block_count: u32,
        /// How many pools of rests there are.
        pub rest_pools: u32,
        /// Bytes of the items of a packet.
        pub packet_bytes: u32,
    }
}

impl RunParameters {
    /// Only full ensembles are fired, as long as there are any.
    pub const LAZY: u32 = 1;
    /// Blocks share what is left at the end of the input.
    pub const SHARE_REST: u32 = 2;
    /// Chunk `i` of the input belongs to block `i` modulo the number of blocks.
    pub const STATIC_INPUT: u32 = 4;
    /// Every module type has one node.
    pub const SINGLE_NODES: u32 = 8;
    /// Blocks without work get items of others.
    pub const MOVE_WORK: u32 = 16;
}

device_struct! {
    /// Parameter of the kernel that moves the outputs of all blocks together.
    pub(super) struct PackParameters {
        /// Table of sinks.
        pub sinks: DeviceAddress<SinkRow>,
        /// For each block, items in the region of each sink.
        pub outputs: DeviceAddress<u32>,
        /// For each block, where its items begin in `packed`.
        pub first: DeviceAddress<u64>,
        /// The array to be written.
        pub packed: DeviceAddress<u8>,
        /// The sink whose items are packed.
        pub sink: u32,
        /// How many sinks there are.
        pub sink_count: u32,
        /// How many blocks there are.
        pub block_count: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameter of the kernel that moves walks between blocks; the fields are as in [`RunParameters`].
    pub(super) struct ShareParameters {
        /// The queues and stacks of all blocks.
        pub rings: DeviceAddress<u8>,
        /// Bytes of those of one block.
        pub ring_stride: u64,
        /// State of each block.
        pub blocks: DeviceAddress<SavedBlock>,
        /// Table of walks.
        pub walk_rows: DeviceAddress<WalkRow>,
        /// For each block, the walk of each node.
        pub walks: DeviceAddress<SavedWalk>,
        /// The transfers, one for each block of the grid.
        pub donations: DeviceAddress<Donation>,
        /// How many nodes there are.
        pub node_count: u32,
        /// Unused bytes that fill up the struct.
        pub padding: u32,
    }
}

device_struct! {
    /// Parameter of the kernel that tells what it was compiled for.
    pub(super) struct DescribeParameters {
        /// The words to be written.
        pub words: DeviceAddress<u32>,
        /// Words that there is room for.
        pub capacity: u32,
        /// Threads of a block of the application.
        pub width: u32,
    }
}

/// The sizes of the structs in the tables, in the order in which the describe kernel tells them.
pub(super) const SIZES: [(&str, usize); 13] = [
    ("NodeRow", size_of::<NodeRow>()),
    ("EdgeRow", size_of::<EdgeRow>()),
    ("ModuleRow", size_of::<ModuleRow>()),
    ("SinkRow", size_of::<SinkRow>()),
    ("SavedQueue", size_of::<SavedQueue>()),
    ("SavedBlock", size_of::<SavedBlock>()),
    ("ModuleCounters", size_of::<ModuleCounters>()),
    ("CycleCounters", size_of::<CycleCounters>()),
    ("Fault", size_of::<Fault>()),
    ("PacketRow", size_of::<PacketRow>()),
    ("WalkRow", size_of::<WalkRow>()),
    ("SavedWalk", size_of::<SavedWalk>()),
    ("RunParameters", size_of::<RunParameters>()),
];

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::gpu::{DeviceStruct, LayoutHeader};

    #[test]
    fn layouts_are_those_of_the_kernels() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/stream/layouts.cuh");
        let structs = [
            EdgeRow::LAYOUT,
            NodeRow::LAYOUT,
            ModuleRow::LAYOUT,
            SinkRow::LAYOUT,
            SavedQueue::LAYOUT,
            SavedBlock::LAYOUT,
            ModuleCounters::LAYOUT,
            CycleCounters::LAYOUT,
            Fault::LAYOUT,
            PacketRow::LAYOUT,
            RunParameters::LAYOUT,
            PackParameters::LAYOUT,
            WalkRow::LAYOUT,
            SavedWalk::LAYOUT,
            Donation::LAYOUT,
            ShareParameters::LAYOUT,
            DescribeParameters::LAYOUT,
        ];
        LayoutHeader { namespace: "stream", includes: &["stream/tables.cuh"], structs: &structs }
            .check(&path);
    }
}
