//! Upper bounds of all pairs of a run of chunks, computed by a device, and hits chosen by them. The parameters are shared with
//! `cuda/include/blastn/pairs/upper_bounds.cuh`.

use aligner_core::gpu::DeviceAddress;
use aligner_core::stream::{Backend, DeviceItems};
use aligner_core::{DeviceError, device_struct};
use bytemuck::Zeroable;

use super::costs::{BoundCosts, LONGEST, words};
use crate::gpu::launch::{self, Grid};
use crate::gpu::pairs::kernels::PairKernels;
use crate::gpu::pairs::parameters::{PairStrand, strands};
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::ungapped::hits::ChunkHit;

/// Threads of a block: one warp.
const THREADS: u32 = 32;

/// Bins of a query's histogram of upper bounds.
const BINS: usize = 4096;

device_struct! {
    /// Parameters of the kernels of `bounds.cu`.
    pub(crate) struct UpperBoundParameters {
        /// Bases of the database.
        packed_bases: DeviceAddress<u32>,
        /// Chunks of the run.
        chunks: DeviceAddress<DatabaseChunk>,
        /// Of each chunk, 1 if it gets upper bounds, else 0.
        is_bounded: DeviceAddress<u32>,
        /// Strands of the batch.
        strands: DeviceAddress<PairStrand>,
        /// Words that begin at each letter of the batch, as [`words`] makes them.
        words: DeviceAddress<u16>,
        /// Of each chunk, the upper bounds of all queries.
        bounds: DeviceAddress<u32>,
        /// Of each query, [`BINS`] counts of chunks by upper bound; 0 before they are counted.
        histograms: DeviceAddress<u32>,
        /// Hits to choose from.
        found: DeviceAddress<ChunkHit>,
        /// Of each query, the least upper bound that is wanted.
        floors: DeviceAddress<u32>,
        /// Output: hits of pairs whose upper bound is wanted.
        chosen: DeviceAddress<ChunkHit>,
        /// Count of chosen hits; 0 before.
        cursor: DeviceAddress<u32>,
        /// Number of chunks of the run.
        chunk_count: u32,
        /// Number of strands of the batch.
        strand_count: u32,
        /// Number of queries of the batch.
        query_count: u32,
        /// Number of hits to choose from.
        hit_count: u32,
        /// [`BoundCosts`]: twice the greatest score of a letter.
        reward: i32,
        /// [`BoundCosts`]: twice the least cost of a difference.
        difference: i32,
        /// 1 if pairs without an upper bound are wanted, too.
        with_unbounded: u32,
        /// An upper bound's bin is the bound shifted right by so many bits.
        bin_shift: u32,
    }
}

/// Upper bounds of the queries of a batch with the chunks of a run.
#[derive(Debug)]
pub struct UpperBounds<'p, B: Backend> {
    kernels: &'p PairKernels<B>,
    parameters: UpperBoundParameters,
    /// Keeps the input arrays of `parameters` alive.
    _arrays: [B::Buffer; 4],
    /// Of each chunk, the upper bounds of all queries.
    table: B::Buffer,
}

/// Bits by which upper bounds are shifted so that all have bins; `reward` is doubled.
fn bin_shift(batch: &QueryBatch, reward: i32) -> u32 {
    let longest = batch.contexts.iter().map(|context| context.length).max().unwrap_or(0);
    let greatest = reward as u64 / 2 * (longest as u64).min(u64::from(LONGEST));
    (0..u64::BITS).find(|&shift| greatest >> shift < BINS as u64).unwrap_or(0)
}

impl<'p, B: Backend> UpperBounds<'p, B> {
    /// Bounds the pairs with chunks for which `is_bounded`; the others get [`UNBOUNDED`](super::UNBOUNDED). `bases` is the
    /// address of the bases that the chunks are in.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn new(
        kernels: &'p PairKernels<B>,
        (batch, options): (&QueryBatch, &SearchOptions),
        bases: DeviceAddress<u32>,
        chunks: &[DatabaseChunk],
        is_bounded: &[bool],
    ) -> Result<Self, DeviceError> {
        let queries = batch.queries();
        let is_bounded: Vec<u32> = is_bounded.iter().map(|&is_bounded| is_bounded.into()).collect();
        let on_device = kernels.upload(chunks)?;
        let is_bounded = kernels.upload(&is_bounded)?;
        let strands = kernels.upload(&strands(batch))?;
        let words = kernels.upload(&words(&batch.letters))?;
        let table = kernels.zeros::<u32>(chunks.len() * queries)?;
        let BoundCosts { reward, difference } = BoundCosts::new(options);
        let parameters = UpperBoundParameters {
            packed_bases: bases,
            chunks: kernels.address(&on_device),
            is_bounded: kernels.address(&is_bounded),
            strands: kernels.address(&strands),
            words: kernels.address(&words),
            bounds: kernels.address(&table),
            chunk_count: chunks.len() as u32,
            strand_count: batch.contexts.len() as u32,
            query_count: queries as u32,
            reward,
            difference,
            bin_shift: bin_shift(batch, reward),
            ..UpperBoundParameters::zeroed()
        };
        let arrays = [on_device, is_bounded, strands, words];
        let new = Self { kernels, parameters, _arrays: arrays, table };
        new.bound_pairs()?;
        Ok(new)
    }

    /// The upper bounds of each query, chunk by chunk.
    ///
    /// # Errors
    /// If the device fails.
    pub fn of_queries(&self) -> Result<Vec<Vec<u32>>, DeviceError> {
        let queries = self.queries();
        let all = self.kernels.download::<u32>(&self.table, self.count())?;
        let all = all.only_part();
        let of_query = |query| all.iter().skip(query).step_by(queries).copied().collect();
        Ok((0..queries).map(of_query).collect())
    }

    /// Of each query, a floor that the upper bounds of `count` chunks reach, and of few more; 0 if there are not so many.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn floors(&self, count: usize) -> Result<Vec<u32>, DeviceError> {
        let kernels = self.kernels;
        let bins = self.queries() * BINS;
        let histograms = kernels.zeros::<u32>(bins)?;
        let parameters =
            UpperBoundParameters { histograms: kernels.address(&histograms), ..self.parameters };
        self.launch("count_bounds", self.count(), &parameters)?;
        let histograms = kernels.download::<u32>(&histograms, bins)?;
        let floor = |histogram: &[u32]| {
            let mut chunks = 0;
            let reached = (0..BINS as u32).zip(histogram).rev().find(|&(_, &of_bin)| {
                chunks += of_bin as usize;
                chunks >= count
            });
            reached.map_or(0, |(bin, _)| bin << self.parameters.bin_shift)
        };
        Ok(histograms.only_part().chunks_exact(BINS).map(floor).collect())
    }

    /// Chooses the hits of pairs whose upper bound is at least their query's floor; and those of pairs without an upper
    /// bound, if `with_unbounded`.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn choose(
        &self,
        found: &DeviceItems<B>,
        floors: &[u32],
        with_unbounded: bool,
    ) -> Result<DeviceItems<B>, DeviceError> {
        let (kernels, count) = (self.kernels, found.count);
        let items = kernels.room::<ChunkHit>(count)?;
        let (floors, cursor) = (kernels.upload(floors)?, kernels.zeros::<u32>(1)?);
        let parameters = UpperBoundParameters {
            found: kernels.address(&found.items),
            floors: kernels.address(&floors),
            chosen: kernels.address(&items),
            cursor: kernels.address(&cursor),
            hit_count: count as u32,
            with_unbounded: with_unbounded.into(),
            ..self.parameters
        };
        self.launch("choose_hits", count, &parameters)?;
        Ok(DeviceItems { items, count: kernels.count(&cursor)? })
    }

    fn queries(&self) -> usize {
        self.parameters.query_count as usize
    }

    /// Number of upper bounds.
    fn count(&self) -> usize {
        self.parameters.chunk_count as usize * self.queries()
    }

    /// Computes the upper bounds, a warp a chunk.
    #[allow(unsafe_code)]
    fn bound_pairs(&self) -> Result<(), DeviceError> {
        let backend = &self.kernels.bounds;
        let resident = backend.resident_blocks("bound_pairs", THREADS, 0)?.max(1);
        let blocks = resident.min(self.parameters.chunk_count);
        if blocks == 0 {
            return Ok(());
        }
        let grid = Grid { blocks, threads: THREADS, shared: 0 };
        // SAFETY: the kernel takes these parameters, with arrays as long as its contract says, whose memory is given back
        // after the launch; chunks lie within the bases.
        unsafe { launch::launch_grid(backend, "bound_pairs", grid, &self.parameters) }
    }

    #[allow(unsafe_code)]
    fn launch(
        &self,
        kernel: &str,
        items: usize,
        parameters: &UpperBoundParameters,
    ) -> Result<(), DeviceError> {
        // SAFETY: all kernels of `bounds` take these parameters, with arrays as long as their contracts say, whose memory is
        // given back after the launch; hits are of these chunks and queries.
        unsafe { launch::launch(&self.kernels.bounds, kernel, items, parameters) }
    }
}
