//! The structs of `cuda/include/woodstocc/pods/search.cuh`, and the memory that a block needs.

use bytemuck::{Pod, Zeroable};

use crate::bound::Bound;
use crate::hits::Hit;
use crate::row::MAX_K_OF_U64;

/// A read to be searched for, in one orientation.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Read {
    pub query: u32,
    pub length: u32,
    pub profile: u32,
    pub padding: u32,
    pub rest: Bound,
}

/// Reads that walk the trie together, one of `4^word` subtries at a time.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Group {
    pub first: u32,
    pub reads: u32,
    pub word: u32,
    pub first_unit: u32,
}

/// A block's worklist, between slices.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct State {
    pub first_pod: u32,
    pub end_pod: u32,
    pub first_live: u32,
    pub end_live: u32,
    pub loops: u32,
    pub padding: [u32; 3],
}

impl State {
    /// Pods on the worklist.
    pub fn pods(&self) -> u32 {
        self.end_pod - self.first_pod
    }
}

/// What all blocks add up.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub(super) struct Totals {
    pub nodes: u64,
    pub rows: u64,
    pub pulled_slots: u64,
    pub row_slots: u64,
    pub cycles: [u64; 4],
    pub unit: u32,
    pub packed: u32,
}

/// One block gives half of its pods to another.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Donation {
    pub from: u32,
    pub to: u32,
}

/// What a launch is told. Addresses are of device memory.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
pub(super) struct Search {
    pub index: u64,
    pub codes: u64,
    pub offsets: u64,
    pub reads: u64,
    pub profiles: u64,
    pub groups: u64,
    pub pods: u64,
    pub rows: u64,
    pub tags: u64,
    pub hits: u64,
    pub packed: u64,
    pub states: u64,
    pub totals: u64,
    pub read_count: u32,
    pub group_count: u32,
    pub units: u32,
    pub pruned: u32,
    pub pods_at_once: u32,
    pub live_at_once: u32,
    pub loops: u32,
    pub pods_room: u32,
    pub live_room: u32,
    pub live_reserve: u32,
    pub hits_room: u32,
    pub row_bytes: u32,
}

const _: () = {
    assert!(size_of::<Read>() == 32, "as in search.cuh");
    assert!(size_of::<Group>() == 16, "as in search.cuh");
    assert!(size_of::<State>() == 32, "as in search.cuh");
    assert!(size_of::<Totals>() == 72, "as in search.cuh");
    assert!(size_of::<Donation>() == 8, "as in share.cuh");
    assert!(size_of::<Search>() == 152, "as in search.cuh");
};

/// Bytes of a pod.
const POD_BYTES: u64 = 16;
/// Children of a node.
const FAN: u64 = 4;

/// Bytes of a row.
pub(super) fn row_bytes(k: usize) -> u32 {
    if k <= MAX_K_OF_U64 { 8 } else { 16 }
}

/// Words of 32 bits in each mask of a read's profile.
pub(super) fn profile_words(length: usize) -> u32 {
    (length / 32 + 3) as u32
}

/// Bytes of dynamic shared memory, as `Shared` of block.cuh lays them out.
pub(super) fn shared_bytes(k: usize, pods_at_once: u32, live_at_once: u32) -> u32 {
    let children = FAN as u32 * pods_at_once;
    let fixed = 4 * 8 + 8 * 8 + 16 * 4 + 4 * 4;
    let parts = (live_at_once / 8 + 1) * 4;
    fixed + live_at_once * (row_bytes(k) + 4) + children * (20 + 4) + (children + 1) * 4 + parts
}

/// Places that a block has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    pub pods: u64,
    pub live: u64,
    pub live_reserve: u64,
    pub hits: u64,
}

impl Room {
    /// What suffices for any reads of at most `longest` bases, `group` of them together.
    ///
    /// What a step pushes is deeper than the least deep of what it took. So the pushes whose results
    /// lie on a worklist, from the bottom to the top, are of ever greater depth, and of at most
    /// `longest + k` steps. A step that takes several pods, or a part of one, pushes at most four
    /// times what it takes at most; `live_reserve` is that for all of them. A step that takes a
    /// large pod whole asks for its room itself, from what is left of `slack` groups.
    pub fn new(longest: usize, k: usize, group: u32, settings: &super::Settings) -> Self {
        let steps = (longest + k) as u64;
        let live_reserve = FAN * u64::from(settings.live_at_once) * steps;
        Self {
            pods: FAN * u64::from(settings.pods_at_once) * steps + 1,
            live: live_reserve + u64::from(settings.slack) * u64::from(group),
            live_reserve,
            hits: u64::from(settings.hits_room.max(FAN as u32 * settings.live_at_once)),
        }
    }

    /// Bytes of a block's worklist and hits; the hits lie there a second time, packed.
    pub fn bytes(&self, k: usize) -> u64 {
        let hits = 2 * self.hits * size_of::<Hit>() as u64;
        self.pods * POD_BYTES + self.live * u64::from(row_bytes(k) + 4) + hits
    }

    /// Bytes of the pods alone.
    pub fn pods_bytes(&self) -> u64 {
        self.pods * POD_BYTES
    }
}
