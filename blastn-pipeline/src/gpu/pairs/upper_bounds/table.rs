//! UpperBounds by a device, for all pairs of a run, and what is chosen by them.

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, DeviceItems};
use bytemuck::{Pod, Zeroable};

use super::{BoundCosts, LONGEST, words};
use crate::gpu::launch;
use crate::gpu::pairs::{PairKernels, device};
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::options::Options;
use crate::query::batch::Batch;
use crate::ungapped::hits::ChunkHit;

/// Threads of a block: one warp.
const THREADS: u32 = 32;

/// Heights that bounds are counted by.
const HEIGHTS: usize = 4096;

/// `UpperBounds` of `bounds.cuh`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
struct UpperBoundParameters {
    // Addresses.
    packed: u64,
    chunks: u64,
    is_bounded: u64,
    strands: u64,
    words: u64,
    bounds: u64,
    histograms: u64,
    found: u64,
    floors: u64,
    promising: u64,
    cursors: u64,
    // Numbers.
    chunk_count: u32,
    strand_count: u32,
    query_count: u32,
    hit_count: u32,
    reward: i32,
    difference: i32,
    with_unbounded: u32,
    shift: u32,
}

const _: () = assert!(size_of::<UpperBoundParameters>() == 120);

/// UpperBounds of the queries of a batch with the chunks of a run.
#[derive(Debug)]
pub struct UpperBounds<'p, B: Backend> {
    pairs: &'p PairKernels<B>,
    task: UpperBoundParameters,
    _arrays: [B::Buffer; 4],
    /// Those of each chunk with each query.
    table: B::Buffer,
}

/// Bits of a bound that do not count for its height, so that there are heights enough; `reward` is doubled.
fn shift(batch: &Batch, reward: i32) -> u32 {
    let longest = batch.contexts.iter().map(|context| context.length).max().unwrap_or(0);
    let greatest = reward as u64 / 2 * (longest as u64).min(u64::from(LONGEST));
    (0..u64::BITS).find(|&shift| greatest >> shift < HEIGHTS as u64).unwrap_or(0)
}

impl<'p, B: Backend> UpperBounds<'p, B> {
    /// UpperBounds those pairs whose chunks `is_bounded` tells; the others have none. `bases` is the address of those
    /// of the database.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn new(
        pairs: &'p PairKernels<B>,
        (batch, options): (&Batch, &Options),
        bases: u64,
        chunks: &[DatabaseChunk],
        is_bounded: &[bool],
    ) -> Result<Self, DeviceError> {
        let queries = batch.queries();
        let is_bounded: Vec<u32> = is_bounded.iter().map(|&is_bounded| is_bounded.into()).collect();
        let arrays = [
            pairs.upload(chunks)?,
            pairs.upload(&is_bounded)?,
            pairs.upload(&parameters::strands(batch))?,
            pairs.upload(&words(&batch.letters))?,
        ];
        let table = pairs.zeros::<u32>(chunks.len() * queries)?;
        let [on_device, is_bounded, strands, words] =
            arrays.each_ref().map(|array| pairs.bounds.address(array));
        let BoundCosts { reward, difference } = BoundCosts::new(options);
        let task = UpperBoundParameters {
            packed: bases,
            chunks: on_device,
            is_bounded,
            strands,
            words,
            bounds: pairs.bounds.address(&table),
            chunk_count: chunks.len() as u32,
            strand_count: batch.contexts.len() as u32,
            query_count: queries as u32,
            reward,
            difference,
            shift: shift(batch, reward),
            ..UpperBoundParameters::zeroed()
        };
        let new = Self { pairs, task, _arrays: arrays, table };
        new.launch_warps()?;
        Ok(new)
    }

    /// The bounds of each query, chunk by chunk.
    ///
    /// # Errors
    /// If the device fails.
    pub fn of_queries(&self) -> Result<Vec<Vec<u32>>, DeviceError> {
        let queries = self.queries();
        let all = self.pairs.land::<u32>(&self.table, self.count())?;
        let all = all.part(0);
        let of_query = |query| all.iter().skip(query).step_by(queries).copied().collect();
        Ok((0..queries).map(of_query).collect())
    }

    /// Of each query, a floor that bounds of `most` chunks reach, and few more; 0 if there are not so many.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn floors(&self, most: usize) -> Result<Vec<u32>, DeviceError> {
        let pairs = self.pairs;
        let heights = self.queries() * HEIGHTS;
        let histograms = pairs.zeros::<u32>(heights)?;
        let task = UpperBoundParameters { histograms: pairs.bounds.address(&histograms), ..self.task };
        self.launch("count_bounds", self.count(), &task)?;
        let histograms = pairs.land::<u32>(&histograms, heights)?;
        let floor = |heights: &[u32]| {
            let mut count = 0;
            let reached = (0..HEIGHTS as u32).zip(heights).rev().find(|&(_, &of_height)| {
                count += of_height as usize;
                count >= most
            });
            reached.map_or(0, |(height, _)| height << self.task.shift)
        };
        Ok(histograms.part(0).chunks_exact(HEIGHTS).map(floor).collect())
    }

    /// Those of hits whose pair's bound is its query's floor or more; and those without a bound, if
    /// `unbounded` are wanted.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn promising(
        &self,
        found: &DeviceItems<B>,
        floors: &[u32],
        unbounded: bool,
    ) -> Result<DeviceItems<B>, DeviceError> {
        let (pairs, count) = (self.pairs, found.count);
        let items = pairs.room::<ChunkHit>(count)?;
        let (floors, cursor) = (pairs.upload(floors)?, pairs.zeros::<u32>(1)?);
        let address = |buffer: &B::Buffer| pairs.bounds.address(buffer);
        let task = UpperBoundParameters {
            found: address(&found.items),
            floors: address(&floors),
            promising: address(&items),
            cursors: address(&cursor),
            hit_count: count as u32,
            with_unbounded: unbounded.into(),
            ..self.task
        };
        self.launch("choose_hits", count, &task)?;
        Ok(DeviceItems { items, count: pairs.count(&cursor)? })
    }

    fn queries(&self) -> usize {
        self.task.query_count as usize
    }

    /// How many bounds there are.
    fn count(&self) -> usize {
        self.task.chunk_count as usize * self.queries()
    }

    #[allow(unsafe_code)]
    fn launch_warps(&self) -> Result<(), DeviceError> {
        let resident = self.pairs.bounds.resident_blocks("bound_pairs", THREADS, 0)?.max(1);
        let blocks = resident.min(self.task.chunk_count);
        if blocks == 0 {
            return Ok(());
        }
        let shape = (blocks, THREADS, 0);
        // SAFETY: the task has the addresses of arrays as long as the kernel's contract says, whose
        // memory is given back after it; chunks lie within the bases.
        unsafe { launch::launch_blocks(&self.pairs.bounds, "bound_pairs", shape, &self.task) }
    }

    #[allow(unsafe_code)]
    fn launch(&self, kernel: &str, items: usize, task: &UpperBoundParameters) -> Result<(), DeviceError> {
        // SAFETY: as above; hits are of these chunks and queries.
        unsafe { launch::launch(&self.pairs.bounds, kernel, items, task) }
    }
}
