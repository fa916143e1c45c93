//! Structs that the host shares with the pods kernels, and the memory that a block needs.

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use fm_index::Interval;
use fm_index::gpu::IndexView;

use super::PodSettings;
use crate::trie::bound::SuffixBound;
use crate::trie::hit::TrieHit;
use crate::trie::row::MAX_K_OF_U64;

device_struct! {
    /// A query to search for in the trie.
    #[repr(align(16))]
    pub(crate) struct TrieQuery {
        /// Number of the query in its batch.
        pub number: u32,
        /// Number of bases, more than `K`.
        pub length: u32,
        /// First 128-bit word of the query's profile.
        pub profile: u32,
        /// Padding of the struct, always 0.
        pub padding: u32,
        /// Lower bounds of the query's suffixes, written by `pods_prepare_K`.
        pub bound: SuffixBound,
    }
}

device_struct! {
    /// Queries that walk the trie together. The trie is cut at the words of `word` bases: a unit of work is one of the
    /// `4^word` subtries below them, for all queries of the group.
    #[derive(PartialEq, Eq)]
    #[repr(align(16))]
    pub(crate) struct QueryGroup {
        /// First query of the group, as an index of [`TrieQuery`]s.
        pub first: u32,
        /// Number of queries, at most 65,535.
        pub queries: u32,
        /// Bases of the words.
        pub word: u32,
        /// Number of units of the groups before.
        pub first_unit: u32,
    }
}

device_struct! {
    /// A node of the trie on a worklist, and the number of queries that are live there.
    #[repr(align(16))]
    pub(crate) struct TriePod {
        /// The node's interval of the index.
        pub interval: Interval,
        /// Depth of the node.
        pub depth: u16,
        /// Number of live queries.
        pub queries: u16,
    }
}

device_struct! {
    /// A block's worklist, as it is left from one slice to the next. The pods are elements `first_pod..end_pod` of the
    /// block's part of [`PodParameters::pods`], their live queries `first_live..end_live` of its parts of `rows` and
    /// `tags`.
    #[derive(PartialEq, Eq)]
    #[repr(align(16))]
    pub(crate) struct WorklistState {
        /// First pod of the worklist.
        pub first_pod: u32,
        /// End of the pods.
        pub end_pod: u32,
        /// First live query of the worklist.
        pub first_live: u32,
        /// End of the live queries.
        pub end_live: u32,
        /// Main loops of the block in all slices so far.
        pub loops: u32,
        /// Padding of the struct, always 0.
        pub padding: [u32; 3],
    }
}

impl WorklistState {
    /// Number of pods on the worklist.
    pub fn pods(&self) -> u32 {
        self.end_pod - self.first_pod
    }
}

device_struct! {
    /// Counters to which all blocks add.
    #[derive(Default)]
    pub(crate) struct PodTotals {
        /// Nodes whose children were looked up.
        pub nodes: u64,
        /// Number of matrix rows computed.
        pub rows: u64,
        /// Lanes of the ensembles that nodes were looked up in, busy or idle.
        pub traversal_slots: u64,
        /// Lanes of the ensembles that rows were computed in, busy or idle.
        pub row_slots: u64,
        /// Cycles in pull, traversal, rows and push; only counted by the kernels with metrics.
        pub cycles: [u64; 4],
        /// The next unit of work to claim.
        pub next_unit: u32,
        /// Number of hits of the slice in [`PodParameters::packed`].
        pub packed_hits: u32,
    }
}

device_struct! {
    /// A transfer of half of a block's pods to a block that has none.
    #[derive(PartialEq, Eq)]
    pub(crate) struct PodDonation {
        /// The block that gives.
        pub from: u32,
        /// The block that takes.
        pub to: u32,
    }
}

device_struct! {
    /// Parameters of the kernels of `pods.cu`. Arrays of a block are parts of arrays of all blocks: block `b` has the
    /// elements from `b * pods_room`, `b * live_room` or `b * hits_room` on.
    pub(crate) struct PodParameters {
        /// The FM-index of the reference.
        pub index: IndexView,
        /// Codes of all queries of the batch.
        pub codes: DeviceAddress<u8>,
        /// Starts of the queries in `codes`.
        pub offsets: DeviceAddress<u32>,
        /// The queries to search for, by length.
        pub queries: DeviceAddress<TrieQuery>,
        /// Profiles of the queries, in words of 128 bits.
        pub profiles: DeviceAddress<u32>,
        /// The groups of queries.
        pub groups: DeviceAddress<QueryGroup>,
        /// Pods of the worklists.
        pub pods: DeviceAddress<TriePod>,
        /// Matrix row of each live query, of `row_bytes` bytes.
        pub rows: DeviceAddress<u64>,
        /// Tag of each live query: its index in `queries`, shifted by 4 bits, and the distance below which hits are
        /// reported.
        pub tags: DeviceAddress<u32>,
        /// Hits of each block.
        pub hits: DeviceAddress<TrieHit>,
        /// Hits of all blocks without gaps; as long as `hits`.
        pub packed: DeviceAddress<TrieHit>,
        /// The worklist of each block.
        pub states: DeviceAddress<WorklistState>,
        /// Counters of all blocks.
        pub totals: DeviceAddress<PodTotals>,
        /// For `pods_share`: one transfer for each of its blocks.
        pub donations: DeviceAddress<PodDonation>,
        /// Number of elements of `queries`.
        pub query_count: u32,
        /// Number of elements of `groups`.
        pub group_count: u32,
        /// Number of units of all groups.
        pub units: u32,
        /// 1 to prune with lower bounds, 0 to leave [`TrieQuery::bound`] empty.
        pub is_pruned: u32,
        /// Greatest number of pods of a step, at most the threads of a block.
        pub pods_at_once: u32,
        /// Greatest number of live queries of a step that takes several pods.
        pub live_at_once: u32,
        /// Main loops of a slice.
        pub loops: u32,
        /// Pods that a block has room for.
        pub pods_room: u32,
        /// Live queries that a block has room for.
        pub live_room: u32,
        /// The part of `live_room` that steps of `live_at_once` queries may need.
        pub live_reserve: u32,
        /// Hits that a block has room for, at least `4 * live_at_once`.
        pub hits_room: u32,
        /// Bytes of a row: 8 or 16.
        pub row_bytes: u32,
    }
}

/// Children of a node.
const FAN: u64 = 4;

/// Bytes of a row.
pub(super) fn row_bytes(k: usize) -> u32 {
    if k <= MAX_K_OF_U64 { 8 } else { 16 }
}

/// 32-bit words in each of the four masks of the profile of a query of `length` bases.
pub(super) fn profile_words(length: usize) -> u32 {
    (length / 32 + 3) as u32
}

/// Bytes of dynamic shared memory of a block, as `BlockMemory` of `block.cuh` lays them out.
pub(super) fn shared_bytes(k: usize, pods_at_once: u32, live_at_once: u32) -> u32 {
    let children = FAN as u32 * pods_at_once;
    let fixed = 4 * 8 + 8 * 8 + 16 * 4 + 4 * 4;
    let parts = (live_at_once / 8 + 1) * 4;
    fixed + live_at_once * (row_bytes(k) + 4) + children * (20 + 4) + (children + 1) * 4 + parts
}

/// Lengths of the arrays of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WorklistRoom {
    /// Number of pods on the worklist.
    pub pods: u64,
    /// Number of live queries on the worklist.
    pub live: u64,
    /// The part of `live` that steps of `live_at_once` queries may need.
    pub live_reserve: u64,
    /// Number of hits of a slice.
    pub hits: u64,
}

impl WorklistRoom {
    /// Room that is enough for any queries of at most `longest` bases, `group` of them together.
    ///
    /// A step pushes nodes that are deeper than the least deep node that it took. So the pushes whose results are on a
    /// worklist, from the bottom to the top, have ever greater depths, and there are at most `longest + k` of them. A
    /// step that takes several pods, or a part of one, pushes at most four times the greatest number that it takes;
    /// `live_reserve` is that number for all pushes. A step that takes a large pod as a whole checks for its room, in
    /// what is left of `slack` groups.
    pub fn new(longest: usize, k: usize, group: u32, settings: &PodSettings) -> Self {
        let steps = (longest + k) as u64;
        let live_reserve = FAN * u64::from(settings.live_at_once) * steps;
        Self {
            pods: FAN * u64::from(settings.pods_at_once) * steps + 1,
            live: live_reserve + u64::from(settings.slack) * u64::from(group),
            live_reserve,
            hits: u64::from(settings.hits_room.max(FAN as u32 * settings.live_at_once)),
        }
    }

    /// Bytes of a block's worklist and hits, which are stored twice: as found, and packed.
    pub fn bytes(&self, k: usize) -> u64 {
        let hits = 2 * self.hits * size_of::<TrieHit>() as u64;
        self.pods_bytes() + self.live * u64::from(row_bytes(k) + 4) + hits
    }

    /// Bytes of the pods alone.
    pub fn pods_bytes(&self) -> u64 {
        self.pods * size_of::<TriePod>() as u64
    }
}
