//! Search and locate on a GPU.
//!
//! [`GpuEngine`] holds the index on the device and runs the "separate lists" kernel
//! (`cuda/separate_lists.cu`), one thread a query. Worklists live in device memory, so their room
//! bounds how many threads run at once; the rest of the batch follows in a grid-stride loop. Hits
//! go to one array by an atomic counter. If it was too short, the queries that lost a hit run
//! again with room for exactly what they found: nothing is dropped.

mod scheme;

use std::sync::{Mutex, PoisonError};

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, Argument, DeviceBuffer, Gpu, Kernel, PinnedBuffer};
use aligner_core::stream::{CudaExecutor, Kernels, RunError, Settings};
use fm_index::FmIndex;
use fm_index::gpu::DeviceIndex;

use crate::filter::stages::{Context, DeviceContext};
use crate::filter::{self, Filtered};
use crate::hits::{Hit, Segment};
use crate::params::MAX_TRIE_K;
use crate::query::Queries;
use crate::row::MAX_K_OF_U64;
use crate::stats::Counters;
use crate::trie::Effort;

const THREADS: u32 = 128;

/// Bytes of a worklist node, as in `separate_lists.cu`: a row, an interval and four bytes more.
const fn node_bytes(k: usize) -> u64 {
    if k <= MAX_K_OF_U64 { 24 } else { 32 }
}

/// 32-bit words of a hit.
const HIT_WORDS: usize = size_of::<Hit>() / 4;

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

const FILTER: Kernels = Kernels { name: "filter", fatbin: include_bytes!("../cuda/filter.fatbin") };

/// An index on a GPU, and the kernels that search it.
#[derive(Debug)]
pub struct GpuEngine {
    gpu: Gpu,
    index: DeviceIndex,
    kernels: Vec<Kernel>,
    /// Page-locked memory that hits come back through, grown when needed.
    landing: Mutex<Option<PinnedBuffer<u32>>>,
}

/// A batch on the device.
struct Batch {
    codes: DeviceBuffer<u8>,
    offsets: DeviceBuffer<u32>,
    longest: usize,
}

/// What one launch found.
struct Launched {
    /// Hits of the queries that lost none, and some of those that did.
    hits: Vec<Hit>,
    /// Queries that lost a hit.
    again: Vec<u32>,
    /// How many hits those have in all.
    room: u64,
}

/// Does all of `wanted` or, if that does not fit into device memory, its halves one after the other.
fn in_parts(
    wanted: &[u32],
    mut work: impl FnMut(&[u32]) -> Result<(), DeviceError>,
) -> Result<(), DeviceError> {
    let mut open = vec![wanted];
    while let Some(part) = open.pop().filter(|part| !part.is_empty()) {
        match work(part) {
            Err(DeviceError::OutOfMemory(_)) if part.len() > 1 => {
                let (left, right) = part.split_at(part.len() / 2);
                open.extend([right, left]);
            }
            done => done?,
        }
    }
    Ok(())
}

impl GpuEngine {
    /// Puts an index on the GPU.
    ///
    /// # Errors
    /// If it does not fit, or the driver fails.
    pub fn new(gpu: Gpu, index: &FmIndex) -> Result<Self, DeviceError> {
        let module = gpu.load("separate_lists", include_bytes!("../cuda/separate_lists.fatbin"))?;
        let kernels =
            KERNELS.iter().map(|name| module.kernel(&gpu, name)).collect::<Result<_, _>>()?;
        let index = DeviceIndex::new(&gpu, index)?;
        Ok(Self { gpu, index, kernels, landing: Mutex::new(None) })
    }

    /// All hits of the wanted queries, in no particular order. If the batch does not fit into
    /// device memory, its halves are searched one after the other.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub(crate) fn search(
        &self,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        counters: &Counters,
    ) -> Result<Vec<Hit>, DeviceError> {
        let mut hits = Vec::new();
        in_parts(wanted, |part| {
            hits.append(&mut self.search_part(queries, part, k, counters)?);
            Ok(())
        })?;
        Ok(hits)
    }

    fn search_part(
        &self,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        counters: &Counters,
    ) -> Result<Vec<Hit>, DeviceError> {
        let batch = Batch {
            codes: self.gpu.upload(queries.all_codes())?,
            offsets: self.gpu.upload(queries.offsets())?,
            longest: wanted.iter().map(|&q| queries.codes(q as usize).len()).max().unwrap_or(0),
        };
        let first = self.launch(&batch, wanted, 64 * wanted.len() as u64, k, counters)?;
        let mut hits = first.hits;
        if !first.again.is_empty() {
            let lost: std::collections::HashSet<u32> = first.again.iter().copied().collect();
            hits.retain(|hit| !lost.contains(&hit.query));
            let second = self.launch(&batch, &first.again, first.room, k, counters)?;
            debug_assert!(second.again.is_empty(), "room was made for every hit");
            hits.extend(second.hits);
        }
        Ok(hits)
    }

    #[allow(unsafe_code)]
    fn launch(
        &self,
        batch: &Batch,
        wanted: &[u32],
        capacity: u64,
        k: usize,
        counters: &Counters,
    ) -> Result<Launched, DeviceError> {
        let gpu = &self.gpu;
        let kernel = &self.kernels[k];
        let count = wanted.len() as u32;
        let queries = gpu.upload(wanted)?;
        let mut hits = gpu.zeros::<u32>(capacity as usize * HIT_WORDS)?;
        let totals = gpu.zeros::<u64>(3)?;
        let counts = gpu.zeros::<u32>(wanted.len())?;
        let lost = gpu.zeros::<u32>(wanted.len())?;
        let room = 3 * (batch.longest + k) as u64 + 4;
        let room_bytes = room * node_bytes(k);
        let blocks = self.blocks(kernel, count, room_bytes)?;
        let worklists =
            gpu.zeros::<u64>((u64::from(blocks * THREADS) * room_bytes / 8) as usize)?;
        // SAFETY: the arguments are those of `separate_lists_K`; the arrays have the lengths that
        // its contract asks for: worklists of `room` nodes for each of blocks * THREADS threads,
        // `capacity` hits, and `count` counts and flags.
        unsafe {
            kernel.launch(
                blocks,
                THREADS,
                0,
                &[
                    Argument::Buffer(self.index.view()),
                    Argument::Buffer(&batch.codes),
                    Argument::Buffer(&batch.offsets),
                    Argument::Buffer(&queries),
                    Argument::U32(count),
                    Argument::Buffer(&worklists),
                    Argument::Buffer(&hits),
                    Argument::U64(capacity),
                    Argument::Buffer(&totals),
                    Argument::Buffer(&counts),
                    Argument::Buffer(&lost),
                ],
            )?;
        }
        let totals = gpu.download(&totals, 3)?;
        counters.searched(Effort { nodes: totals[1], rows: totals[2] });
        let written = totals[0].min(capacity) as usize;
        let found = self.download_hits(&mut hits, written)?;
        let mut launched = Launched { hits: found, again: Vec::new(), room: 0 };
        if totals[0] > capacity {
            let counts = gpu.download(&counts, wanted.len())?;
            let lost = gpu.download(&lost, wanted.len())?;
            for (i, &query) in wanted.iter().enumerate().filter(|(i, _)| lost[*i] != 0) {
                launched.again.push(query);
                launched.room += u64::from(counts[i]);
            }
        }
        Ok(launched)
    }

    /// Blocks to launch: all that run at once, unless there is less work, or their worklists would
    /// take more than half of the free memory.
    fn blocks(&self, kernel: &Kernel, count: u32, room_bytes: u64) -> Result<u32, DeviceError> {
        let resident = kernel.blocks_per_multiprocessor(THREADS, 0)? * self.gpu.multiprocessors();
        let block_bytes = u64::from(THREADS) * room_bytes;
        let fitting = self.gpu.free_memory()? / 2 / block_bytes;
        if fitting == 0 {
            return Err(DeviceError::OutOfMemory(Some(block_bytes)));
        }
        Ok(resident.min(count.div_ceil(THREADS)).min(fitting.min(u64::from(u32::MAX)) as u32))
    }

    fn download_hits(
        &self,
        hits: &mut DeviceBuffer<u32>,
        count: usize,
    ) -> Result<Vec<Hit>, DeviceError> {
        let words = count * HIT_WORDS;
        let mut landing = self.landing.lock().unwrap_or_else(PoisonError::into_inner);
        let pinned = match landing.take().filter(|pinned| pinned.len() >= words) {
            Some(pinned) => landing.insert(pinned),
            None => landing.insert(self.gpu.pinned(words.next_power_of_two())?),
        };
        let words = self.gpu.download_pinned(hits, words, pinned)?;
        Ok(bytemuck::cast_slice(words).to_vec())
    }

    /// The windows of the wanted queries by the filter. Halves the batch as [`search`](Self::search)
    /// does.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub(crate) fn filter(
        &self,
        context: &Context,
        wanted: &[u32],
        settings: &Settings,
    ) -> Result<Filtered, DeviceError> {
        let mut all = Filtered::default();
        in_parts(wanted, |part| {
            all.append(self.filter_part(context, part, settings)?);
            Ok(())
        })?;
        Ok(all)
    }

    fn filter_part(
        &self,
        context: &Context,
        wanted: &[u32],
        settings: &Settings,
    ) -> Result<Filtered, DeviceError> {
        let gpu = &self.gpu;
        let codes = gpu.upload(context.queries.all_codes())?;
        let offsets = gpu.upload(context.queries.offsets())?;
        let [codes_at, offsets_at] = [codes.address(gpu), offsets.address(gpu)];
        let on_device = DeviceContext::new(self.index.values(), codes_at, offsets_at, context.k);
        let (app, sink) = filter::topology(context);
        let failed = |error| match error {
            RunError::Device(error) => error,
            // Not a matter of the input: say what the runtime says.
            other => DeviceError::Cuda { operation: "filter".into(), reason: other.to_string() },
        };
        let executor = CudaExecutor::new(gpu, &app, settings, &FILTER, &on_device);
        let pieces = filter::pieces(wanted, context.k);
        let outputs = executor.and_then(|executor| executor.run(&pieces)).map_err(failed)?;
        Ok(Filtered::new(outputs, sink))
    }

    /// The text position of every row of the segments, in their order.
    ///
    /// # Errors
    /// If the driver fails.
    pub(crate) fn locate(&self, segments: &[Segment]) -> Result<Vec<u32>, DeviceError> {
        let (lo, sizes): (Vec<u32>, Vec<u32>) =
            segments.iter().map(|segment| (segment.lo, segment.size)).unzip();
        self.index.locate(&self.gpu, &lo, &sizes)
    }
}
