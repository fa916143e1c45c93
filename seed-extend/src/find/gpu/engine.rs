//! Memory and launches.

use std::ops::Range;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::stream::{Backend, CudaBackend, Kernels, Launch, Loaded, RunError, Word};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use fm_index::Segments;
use rayon::prelude::*;

use super::super::Chains;
use super::numbers::{Counted, Numbers};
use super::plan::{BYTES_PER_ANCHOR, Plan};
use super::seeded::{Indexed, Seeded, failed};
use crate::anchors::share;
use crate::chains::Chain;
use crate::lists::Lists;
use crate::options::Options;
use crate::queries::Queries;
use crate::seeding;
use crate::seeds::SeedOptions;

/// Threads of a block; the anchors' kernel wants as many.
pub(super) const THREADS: u32 = 128;
/// Warps of a block.
const WARPS: u32 = THREADS / 32;

/// An index on a device, and the kernels of `seeds.cu` and `find.cu` that look for reads in it.
#[derive(Debug)]
pub struct Engine<B: Backend> {
    pub(super) backend: B,
    pub(super) indexed: Indexed,
    pub(super) options: SeedOptions,
    /// The stages that find seeds.
    pub(super) seeding: Loaded<B>,
    pub(super) numbers: B::Buffer,
    /// Ends of the text's segments, and how many they are.
    segments: (B::Buffer, u32),
    /// Anchors that may be on the device at a time.
    room: u64,
}

/// What was found for the reads of a batch.
#[derive(Debug)]
pub struct Found {
    /// The chains.
    pub chains: Chains,
    /// How many reads had more seeds than there was room for, and so were left to the CPU.
    pub left: usize,
}

/// Anchors may take this part of a GPU's memory that is free once the index is there.
const ROOM: u64 = 4;

impl Engine<CudaBackend> {
    /// For an index on a GPU, which stays there for as long as the engine is used.
    ///
    /// # Errors
    /// If the device fails.
    pub fn on_gpu(
        gpu: &Gpu,
        indexed: Indexed,
        segments: &Segments,
        options: &Options,
    ) -> Result<Self, DeviceError> {
        const SEEDS: Kernels =
            Kernels { name: "seeds", fatbin: include_bytes!("../../../cuda/seeds.fatbin") };
        let width = seeding::settings(0, false).width;
        let seeding = SEEDS.load(gpu, width).map_err(failed)?;
        let backend = CudaBackend::new(gpu, "find", include_bytes!("../../../cuda/find.fatbin"))?;
        let room = gpu.free_memory()? / ROOM / BYTES_PER_ANCHOR;
        Self::new((backend, seeding), indexed, segments, options, room)
    }
}

impl<B: Backend + Clone> Engine<B> {
    /// For an index that stays in the device's memory for as long as the engine is used, with the kernels of
    /// `find.cu` and the stages that find seeds. Of more than one read no more than `room` anchors are found
    /// at a time.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(
        (backend, seeding): (B, Loaded<B>),
        indexed: Indexed,
        segments: &Segments,
        options: &Options,
        room: u64,
    ) -> Result<Self, DeviceError> {
        let ends: Vec<u32> = segments.all().iter().map(|segment| segment.indexed.end).collect();
        let numbers = upload(&backend, &[Numbers::from(options)])?;
        let segments = (upload(&backend, &ends)?, ends.len() as u32);
        let options = options.seeds;
        Ok(Self { backend, indexed, options, seeding, numbers, segments, room })
    }

    /// The chains of reads. For those with too many seeds `search` finds them meanwhile, on the current
    /// rayon pool: chains and repeats.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn find(
        &self,
        queries: &Queries,
        search: impl Fn(u32) -> Result<(Vec<Chain>, f32), RunError> + Sync,
    ) -> Result<Found, DeviceError> {
        let mut seeded = self.seed(queries, false)?;
        let mut counted: Vec<Counted> = self.read(&seeded.counted, queries.len())?;
        let left = leave_out(&mut counted);
        if !left.is_empty() {
            self.backend.write(&mut seeded.counted, cast_slice(&counted))?;
        }
        let plan = Plan::new(&counted, self.room);
        let starts = upload(&self.backend, &plan.starts)?;
        let mut chains = Chains::default();
        let mut searched = Ok(Vec::new());
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                searched = left.par_iter().map(|&read| search(read)).collect();
            });
            plan.slices.iter().try_for_each(|reads| {
                self.slice(reads, &seeded, (&plan, &starts), &mut chains.of_reads)
            })
        })?;
        let of_read = |(read, counted): (u32, &[Counted])| {
            let covered = counted.iter().map(|query| query.repeats).max().unwrap_or_default();
            share(covered, queries.bases(read))
        };
        chains.repeats = (0..).zip(counted.chunks(2)).map(of_read).collect();
        let searched: Vec<_> = searched.map_err(failed)?;
        for (&read, (own, repeats)) in left.iter().zip(searched) {
            chains.of_reads.replace(read as usize, &own);
            chains.repeats[read as usize] = repeats;
        }
        Ok(Found { chains, left: left.len() })
    }

    /// Appends the chains of a slice of reads.
    fn slice(
        &self,
        reads: &Range<u32>,
        seeded: &Seeded<B::Buffer>,
        (plan, starts): (&Plan, &B::Buffer),
        found: &mut Lists<Chain>,
    ) -> Result<(), DeviceError> {
        let Seeded { offsets, seeds, counted, .. } = seeded;
        let anchors = plan.anchors(reads) as usize;
        // Room for each anchor of the slice, and counts of all queries and reads up to its end.
        let keys = self.memory::<u64>(anchors)?;
        let chains = self.memory::<Chain>(anchors)?;
        let kept = self.memory::<u32>(anchors)?;
        let chain_counts = self.memory::<u32>(2 * reads.end as usize)?;
        let kept_counts = self.memory::<u32>(reads.end as usize)?;
        let (first, count) = (reads.start, reads.len() as u32);
        let (first_query, queries) = (Word::Number(2 * first), Word::Number(2 * count));
        let (first_read, read_count) = (Word::Number(first), Word::Number(count));
        self.launch(
            "find_anchors",
            (2 * count).div_ceil(WARPS),
            &[
                Word::Address(self.indexed.address),
                self.at(&self.numbers),
                self.at(offsets),
                first_query,
                queries,
                self.at(seeds),
                self.at(counted),
                self.at(starts),
                self.at(&keys),
            ],
        )?;
        self.launch(
            "find_chains",
            count.div_ceil(WARPS),
            &[
                self.at(&self.numbers),
                self.at(offsets),
                first_query,
                queries,
                self.at(counted),
                self.at(starts),
                self.at(&keys),
                self.at(&self.segments.0),
                Word::Number(self.segments.1),
                self.at(&chains),
                self.at(&chain_counts),
            ],
        )?;
        self.launch(
            "find_best",
            count.div_ceil(WARPS),
            &[
                self.at(&self.numbers),
                self.at(offsets),
                first_read,
                read_count,
                self.at(starts),
                self.at(&keys),
                self.at(&chains),
                self.at(&chain_counts),
                self.at(&kept),
                self.at(&kept_counts),
            ],
        )?;
        let counts: Vec<u32> = self.read(&kept_counts, reads.end as usize)?;
        // The first chain of each read, and the end of the last's; nothing is before the slice.
        let mut firsts = vec![0; first as usize];
        let mut end = 0;
        firsts.push(end);
        for kept in &counts[first as usize..] {
            end += kept;
            firsts.push(end);
        }
        let gathered = self.memory::<Chain>(end as usize)?;
        let firsts = upload(&self.backend, &firsts)?;
        self.launch(
            "find_gather",
            count.div_ceil(WARPS),
            &[
                first_read,
                read_count,
                self.at(starts),
                self.at(&chains),
                self.at(&kept),
                self.at(&firsts),
                self.at(&gathered),
            ],
        )?;
        let chains = self.read(&gathered, end as usize)?;
        found.extend(chains, &counts[first as usize..]);
        Ok(())
    }

    /// Launches a kernel of `find.cu`. Callers pass what it takes, in its order.
    pub(super) fn launch(
        &self,
        kernel: &str,
        blocks: u32,
        arguments: &[Word],
    ) -> Result<(), DeviceError> {
        if blocks == 0 {
            return Ok(());
        }
        let launch = Launch { kernel, blocks, width: THREADS, shared: 0, arguments };
        #[allow(unsafe_code)]
        // SAFETY: only engines call this, and each call passes the kernel's arguments, with buffers as
        // long as the comments there say.
        unsafe {
            self.backend.enqueue(&launch)
        }
    }

    pub(super) fn at(&self, buffer: &B::Buffer) -> Word {
        Word::Address(self.backend.address(buffer))
    }

    pub(super) fn memory<T>(&self, count: usize) -> Result<B::Buffer, DeviceError> {
        self.backend.room(count * size_of::<T>())
    }

    pub(super) fn read<T: Pod>(
        &self,
        buffer: &B::Buffer,
        count: usize,
    ) -> Result<Vec<T>, DeviceError> {
        Ok(pod_collect_to_vec(self.backend.land(buffer, count * size_of::<T>())?.as_ref()))
    }
}

pub(super) fn upload<B: Backend, T: Pod>(
    backend: &B,
    values: &[T],
) -> Result<B::Buffer, DeviceError> {
    backend.upload(cast_slice(values))
}

/// Reads that have a query with too many seeds; their queries have no anchors then.
fn leave_out(counted: &mut [Counted]) -> Vec<u32> {
    let mut left = Vec::new();
    for (read, queries) in (0..).zip(counted.chunks_mut(2)) {
        if queries.iter().any(|query| query.seeds == Counted::MANY) {
            left.push(read);
            queries.fill(Counted::default());
        }
    }
    left
}
