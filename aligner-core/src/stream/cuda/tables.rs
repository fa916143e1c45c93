//! What host and kernel share in device memory; mirrors `cuda/include/stream/run.cuh`.
//!
//! Pointers are addresses. The describe kernel reports the sizes of these structs as compiled, and
//! loading compares them.

use bytemuck::{Pod, Zeroable};

/// No target, no shared ring.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Edge {
    pub target: u32,
    pub gamma: u32,
    pub flags: u32,
    pub padding: u32,
}

impl Edge {
    pub const BACK: u32 = 1;
    pub const PER_ELEMENT: u32 = 2;
    pub const SHARED: u32 = 4;
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Node {
    pub module: u32,
    pub capacity: u32,
    pub reserve: u32,
    pub slot_bytes: u32,
    pub first_edge: u32,
    pub channels: u32,
    pub shared_ring: u32,
    pub rest_slots: u32,
    pub ring: u64,
    pub ends: u64,
    pub parameters: u64,
    pub rest: u64,
    pub rest_ready: u64,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Module {
    pub first_node: u32,
    pub nodes: u32,
    pub ensemble: u32,
    pub kind: u32,
    pub inverse: u32,
    pub padding: u32,
    pub parameters: u64,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Sink {
    pub items: u64,
    pub first: u64,
    pub slots: u64,
    pub cursor: u64,
    pub room: u64,
    pub item_bytes: u32,
    pub scheme: u32,
}

/// How items reach a sink.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scheme {
    Regions = 0,
    Atomics = 1,
    Count = 2,
    Exact = 3,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SavedQueue {
    pub head: u32,
    pub count: u32,
    pub ended: u32,
    pub consumed: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct SavedBlock {
    pub window: u64,
    pub window_end: u64,
    pub next_chunk: u64,
    pub ahead: u64,
    pub ahead_end: u64,
    pub exhausted: u32,
    pub finished: u32,
    pub flags: u32,
    pub firings: u32,
}

impl SavedBlock {
    /// Where the number of its pool of rests begins in `flags`.
    pub const POOL: u32 = 8;
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct ModuleCounters {
    pub firings: u64,
    pub full_firings: u64,
    pub ensembles: u64,
    pub lanes: u64,
    pub items_in: u64,
    pub items_out: u64,
    pub gather: u64,
    pub run: u64,
    pub scatter: u64,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Counters {
    pub scheduler: u64,
    pub total: u64,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Fault {
    pub set: u32,
    pub module: u32,
    pub channel: u32,
    pub node: u32,
}

#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Run {
    pub nodes: u64,
    pub edges: u64,
    pub modules: u64,
    pub sinks: u64,
    pub input: u64,
    pub inputs: u64,
    pub cursor: u64,
    pub global: u64,
    pub rings: u64,
    pub ring_stride: u64,
    pub blocks: u64,
    pub queues: u64,
    pub outputs: u64,
    pub rest_counters: u64,
    pub module_counters: u64,
    pub counters: u64,
    pub fault: u64,
    pub node_count: u32,
    pub edge_count: u32,
    pub module_count: u32,
    pub sink_count: u32,
    pub root: u32,
    pub chunk: u32,
    pub flags: u32,
    pub slice: u32,
    pub scratch_bytes: u32,
    pub block_count: u32,
    pub rest_pools: u32,
    pub padding: u32,
}

impl Run {
    pub const LAZY: u32 = 1;
    pub const SHARE_REST: u32 = 2;
    pub const STATIC_INPUT: u32 = 4;
    pub const SINGLE_NODES: u32 = 8;
}

/// The sizes of the structs above, in the order in which the describe kernel tells them.
pub(super) const SIZES: [(&str, usize); 10] = [
    ("Node", size_of::<Node>()),
    ("Edge", size_of::<Edge>()),
    ("Module", size_of::<Module>()),
    ("Sink", size_of::<Sink>()),
    ("SavedQueue", size_of::<SavedQueue>()),
    ("SavedBlock", size_of::<SavedBlock>()),
    ("ModuleCounters", size_of::<ModuleCounters>()),
    ("Counters", size_of::<Counters>()),
    ("Fault", size_of::<Fault>()),
    ("Run", size_of::<Run>()),
];
