//! Search and locate on a GPU.
//!
//! [`GpuEngine`] holds the index on the device. It walks the trie by pods ([`crate::pods`]) or, to
//! compare with, by the "separate lists" kernel (`cuda/separate_lists.cu`), one thread a query.
//!
//! Separate worklists live in device memory, so their room bounds how many threads run at once; the
//! rest of the batch follows in a grid-stride loop. Hits go to one array by an atomic counter. If it
//! was too short, the queries that lost a hit run again with room for exactly what they found:
//! nothing is dropped.

mod scheme;

use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::{Argument, DeviceBuffer, Gpu, Kernel};
use aligner_core::stream::{CudaBackend, LoadedKernels, Settings};
use fm_index::FmIndex;
use fm_index::gpu::DeviceIndex;

use crate::filter::Filtered;
use crate::filter::gpu::GpuFilter;
use crate::hits::{Hit, Segment};
use crate::params::MAX_TRIE_K;
use crate::pods::Measured;
use crate::query::Queries;
use crate::row::MAX_K_OF_U64;
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

/// An index on a GPU, and the kernels that search it.
#[derive(Debug)]
pub struct GpuEngine {
    pub(crate) gpu: Gpu,
    pub(crate) index: DeviceIndex,
    pub(crate) pods: CudaBackend,
    filter: GpuFilter,
    scheme: LoadedKernels,
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
    measured: Measured,
}

/// Does all of `wanted` or, if that does not fit into device memory, its halves one after the other.
pub(crate) fn in_parts(
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
        let pods = CudaBackend::new(&gpu, "pods", include_bytes!("../cuda/pods.fatbin"))?;
        let filter = GpuFilter::new(&gpu)?;
        let scheme = scheme::load(&gpu)?;
        let index = DeviceIndex::new(&gpu, index)?;
        Ok(Self { gpu, index, pods, filter, scheme })
    }

    /// All hits of the wanted queries, each of more than `k` bases, in no particular order, by
    /// separate lists. If the batch does not fit into device memory, its halves are searched one
    /// after the other.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub fn search_separately(
        &self,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        pruned: bool,
    ) -> Result<(Vec<Hit>, Measured), DeviceError> {
        let fatbin = include_bytes!("../cuda/separate_lists.fatbin");
        let kernel = self.gpu.load("separate_lists", fatbin)?.kernel(&self.gpu, KERNELS[k])?;
        let mut hits = Vec::new();
        let mut measured = Measured::default();
        in_parts(wanted, |part| {
            let (found, done) = self.search_part(&kernel, queries, part, k, pruned)?;
            hits.extend(found);
            measured.add(&done);
            Ok(())
        })?;
        Ok((hits, measured))
    }

    fn search_part(
        &self,
        kernel: &Kernel,
        queries: &Queries,
        wanted: &[u32],
        k: usize,
        pruned: bool,
    ) -> Result<(Vec<Hit>, Measured), DeviceError> {
        let batch = Batch {
            codes: self.gpu.upload(queries.all_codes())?,
            offsets: self.gpu.upload(queries.offsets())?,
            longest: wanted.iter().map(|&q| queries.codes(q as usize).len()).max().unwrap_or(0),
        };
        let first = self.launch(kernel, &batch, wanted, 64 * wanted.len() as u64, k, pruned)?;
        let (mut hits, mut measured) = (first.hits, first.measured);
        if !first.again.is_empty() {
            let lost: std::collections::HashSet<u32> = first.again.iter().copied().collect();
            hits.retain(|hit| !lost.contains(&hit.query));
            let second = self.launch(kernel, &batch, &first.again, first.room, k, pruned)?;
            debug_assert!(second.again.is_empty(), "room was made for every hit");
            hits.extend(second.hits);
            measured.add(&second.measured);
        }
        Ok((hits, measured))
    }

    #[allow(unsafe_code)]
    fn launch(
        &self,
        kernel: &Kernel,
        batch: &Batch,
        wanted: &[u32],
        capacity: u64,
        k: usize,
        pruned: bool,
    ) -> Result<Launched, DeviceError> {
        let gpu = &self.gpu;
        let count = wanted.len() as u32;
        let queries = gpu.upload(wanted)?;
        let hits = gpu.zeros::<u32>(capacity as usize * HIT_WORDS)?;
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
        let seconds = gpu.timed(|| unsafe {
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
                    Argument::U32(u32::from(pruned)),
                ],
            )
        })?;
        let totals = gpu.download(&totals, 3)?;
        let effort = Effort { nodes: totals[1], rows: totals[2] };
        let measured = Measured { effort, seconds, slices: 1, ..Measured::default() };
        let written = totals[0].min(capacity) as usize;
        let landed = gpu.download_staged(&hits, written * HIT_WORDS)?;
        let found = bytemuck::cast_slice(landed.bytes()).to_vec();
        let mut launched = Launched { hits: found, again: Vec::new(), room: 0, measured };
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

    /// The windows of the wanted queries by the filter. Halves the batch as [`search`](Self::search)
    /// does.
    ///
    /// # Errors
    /// If not even one query fits, or the driver fails.
    pub(crate) fn filter(
        &self,
        index: &FmIndex,
        queries: &Arc<Queries>,
        wanted: &[u32],
        k: usize,
        settings: &Settings,
    ) -> Result<Filtered, DeviceError> {
        let mut all = Filtered::default();
        in_parts(wanted, |part| {
            let on_gpu = (&self.gpu, &self.index);
            all.append(self.filter.filter(on_gpu, (index, queries), part, k, settings)?);
            Ok(())
        })?;
        Ok(all)
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
