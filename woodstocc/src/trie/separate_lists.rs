//! Search of the trie on a GPU, one thread a query with a worklist of its own: the "separate lists" version of
//! Cole 2017, 2.5.3. It is the baseline of [`super::pods`].
//!
//! Worklists live in device memory, so their size limits how many threads run at once; the other queries follow in a
//! grid-stride loop. Hits go to one array, whose slots an atomic counter hands out. If the array was too short, the
//! queries that lost a hit are searched for again, with exactly as many slots as they have hits, so none is dropped.

use std::collections::HashSet;

use aligner_core::gpu::{DeviceAddress, DeviceBuffer, Gpu, Kernel};
use aligner_core::{DeviceError, device_struct};
use bytemuck::{Zeroable, pod_collect_to_vec};
use fm_index::gpu::IndexView;

use super::hit::TrieHit;
use super::metrics::{TrieEffort, TrieMetrics};
use super::row::MAX_K_OF_U64;
use crate::params::MAX_TRIE_K;
use crate::read::Queries;

device_struct! {
    /// Parameters of the kernels `separate_lists_K`.
    pub struct SeparateListsParameters {
        /// The FM-index of the reference.
        pub index: IndexView,
        /// Codes of all queries ([`Queries::all_codes`]).
        pub codes: DeviceAddress<u8>,
        /// Starts of the queries in `codes` ([`Queries::offsets`]).
        pub offsets: DeviceAddress<u32>,
        /// Numbers of the `wanted_count` queries to search for.
        pub wanted: DeviceAddress<u32>,
        /// Worklists of all threads: `3 * (longest query + K) + 4` nodes each, entry by entry, of 24 bytes up to
        /// `K` = 4 and 32 bytes above.
        pub worklists: DeviceAddress<u64>,
        /// Hits found, up to `capacity` of them; the order is not defined.
        pub hits: DeviceAddress<TrieHit>,
        /// Counters, to which the kernel adds.
        pub totals: DeviceAddress<SeparateListsTotals>,
        /// Number of hits of each wanted query, written or not.
        pub counts: DeviceAddress<u32>,
        /// 1 for each wanted query of which a hit was not written, else 0.
        pub lost: DeviceAddress<u32>,
        /// Number of elements of `hits`.
        pub capacity: u64,
        /// Length of `wanted`, `counts` and `lost`.
        pub wanted_count: u32,
        /// 1 to prune with the lower bounds of [`super::bound`], 0 not to.
        pub is_pruned: u32,
    }
}

device_struct! {
    /// Counters of a launch of `separate_lists_K`.
    #[derive(PartialEq, Eq, Default)]
    pub struct SeparateListsTotals {
        /// Hits found, written or not.
        pub hits: u64,
        /// Number of nodes expanded.
        pub nodes: u64,
        /// Number of matrix rows computed.
        pub rows: u64,
    }
}

const THREADS: u32 = 128;

/// Bytes of a node on a worklist: `Node<K>` of `separate_lists.cu`, a row, an interval and four bytes more.
const fn node_bytes(k: usize) -> u64 {
    if k <= MAX_K_OF_U64 { 24 } else { 32 }
}

const KERNELS: [&str; MAX_TRIE_K as usize + 1] = [
    "separate_lists_0",
    "separate_lists_1",
    "separate_lists_2",
    "separate_lists_3",
    "separate_lists_4",
    "separate_lists_5",
    "separate_lists_6",
    "separate_lists_7",
];

/// The kernel for one `k`, with the index that it searches.
pub(crate) struct SeparateLists<'a> {
    gpu: &'a Gpu,
    index: IndexView,
    kernel: Kernel,
    k: usize,
    is_pruned: bool,
}

/// Queries in device memory.
struct DeviceQueries {
    codes: DeviceBuffer<u8>,
    offsets: DeviceBuffer<u32>,
    /// Bases of the longest wanted query.
    longest: usize,
}

/// Results of one launch.
struct SeparateListsLaunch {
    /// All hits of the queries that lost none, and some of the other queries.
    hits: Vec<TrieHit>,
    /// Queries that lost a hit.
    incomplete: Vec<u32>,
    /// Number of hits of the incomplete queries.
    incomplete_hits: u64,
    metrics: TrieMetrics,
}

impl<'a> SeparateLists<'a> {
    /// Loads the kernel for `k`. Without `is_pruned`, no lower bounds are used.
    pub(crate) fn load(
        gpu: &'a Gpu,
        index: IndexView,
        k: usize,
        is_pruned: bool,
    ) -> Result<Self, DeviceError> {
        let fatbin = include_bytes!("../../cuda/separate_lists.fatbin");
        let kernel = gpu.load("separate_lists", fatbin)?.kernel(gpu, KERNELS[k])?;
        Ok(Self { gpu, index, kernel, k, is_pruned })
    }

    /// All hits of the wanted queries, each of more than `k` bases, in no particular order.
    pub(crate) fn search(
        &self,
        queries: &Queries,
        wanted: &[u32],
    ) -> Result<(Vec<TrieHit>, TrieMetrics), DeviceError> {
        let batch = DeviceQueries {
            codes: self.gpu.upload(queries.all_codes())?,
            offsets: self.gpu.upload(queries.offsets())?,
            longest: wanted.iter().map(|&q| queries.codes(q as usize).len()).max().unwrap_or(0),
        };
        let first = self.launch(&batch, wanted, 64 * wanted.len() as u64)?;
        let (mut hits, mut metrics) = (first.hits, first.metrics);
        if !first.incomplete.is_empty() {
            let incomplete: HashSet<u32> = first.incomplete.iter().copied().collect();
            hits.retain(|hit| !incomplete.contains(&hit.query));
            let second = self.launch(&batch, &first.incomplete, first.incomplete_hits)?;
            debug_assert!(second.incomplete.is_empty(), "there is a slot for every hit");
            hits.extend(second.hits);
            metrics.add(&second.metrics);
        }
        Ok((hits, metrics))
    }

    #[allow(unsafe_code)]
    fn launch(
        &self,
        batch: &DeviceQueries,
        wanted: &[u32],
        capacity: u64,
    ) -> Result<SeparateListsLaunch, DeviceError> {
        let gpu = self.gpu;
        let wanted_count = wanted.len() as u32;
        let numbers = gpu.upload(wanted)?;
        let hits = gpu.zeros::<TrieHit>(capacity as usize)?;
        let totals = gpu.zeros::<SeparateListsTotals>(1)?;
        let counts = gpu.zeros::<u32>(wanted.len())?;
        let lost = gpu.zeros::<u32>(wanted.len())?;
        let nodes = 3 * (batch.longest + self.k) as u64 + 4;
        let worklist_bytes = nodes * node_bytes(self.k);
        let blocks = self.blocks(wanted_count, worklist_bytes)?;
        let worklists =
            gpu.zeros::<u64>((u64::from(blocks * THREADS) * worklist_bytes / 8) as usize)?;
        let parameters = SeparateListsParameters {
            index: self.index,
            codes: batch.codes.device_address(gpu),
            offsets: batch.offsets.device_address(gpu),
            wanted: numbers.device_address(gpu),
            worklists: worklists.device_address(gpu),
            hits: hits.device_address(gpu),
            totals: totals.device_address(gpu),
            counts: counts.device_address(gpu),
            lost: lost.device_address(gpu),
            capacity,
            wanted_count,
            is_pruned: u32::from(self.is_pruned),
        };
        // SAFETY: `separate_lists_K` takes these parameters, and the arrays have the lengths that their fields ask for:
        // `nodes` nodes for each of blocks * THREADS threads, `capacity` hits, and `wanted_count` counts and flags.
        let seconds =
            gpu.timed(|| unsafe { self.kernel.launch(blocks, THREADS, 0, &parameters) })?;
        let totals =
            gpu.download(&totals, 1)?.first().copied().unwrap_or(SeparateListsTotals::zeroed());
        let effort = TrieEffort { nodes: totals.nodes, rows: totals.rows };
        let metrics = TrieMetrics { effort, seconds, slices: 1, ..TrieMetrics::default() };
        let written = totals.hits.min(capacity) as usize;
        let hits = pod_collect_to_vec(gpu.download_staged(&hits, written)?.bytes());
        let mut launched =
            SeparateListsLaunch { hits, incomplete: Vec::new(), incomplete_hits: 0, metrics };
        if totals.hits > capacity {
            let counts = gpu.download(&counts, wanted.len())?;
            let lost = gpu.download(&lost, wanted.len())?;
            for (i, &query) in wanted.iter().enumerate().filter(|(i, _)| lost[*i] != 0) {
                launched.incomplete.push(query);
                launched.incomplete_hits += u64::from(counts[i]);
            }
        }
        Ok(launched)
    }

    /// Number of blocks to launch: as many as run at once, unless there are fewer queries, or the worklists would take
    /// more than half of the free memory.
    fn blocks(&self, wanted_count: u32, worklist_bytes: u64) -> Result<u32, DeviceError> {
        let resident =
            self.kernel.blocks_per_multiprocessor(THREADS, 0)? * self.gpu.multiprocessors();
        let block_bytes = u64::from(THREADS) * worklist_bytes;
        let fitting = self.gpu.free_memory()? / 2 / block_bytes;
        if fitting == 0 {
            return Err(DeviceError::OutOfMemory(Some(block_bytes)));
        }
        let fitting = fitting.min(u64::from(u32::MAX)) as u32;
        Ok(resident.min(wanted_count.div_ceil(THREADS)).min(fitting))
    }
}
