//! Memory and launches.

use std::ops::Range;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::stream::{Backend, CudaBackend, Kernels, Launch, Loaded, Word};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use fm_index::Segments;

use super::super::Chains;
use super::numbers::Numbers;
use super::plan::{BYTES_PER_ANCHOR, slices};
use super::seeded::{Indexed, Seeded, failed};
use crate::anchors::share;
use crate::chains::Chain;
use crate::options::Options;
use crate::queries::Queries;
use crate::seeding;
use crate::seeds::SeedOptions;

/// Threads of a block; the anchors' kernel wants as many.
pub(super) const THREADS: u32 = 128;
/// Warps of a block.
pub(super) const WARPS: u32 = THREADS / 32;
/// Threads of a block that adds up, and the most such blocks: `find::ADDING`.
const ADDING: u32 = 256;
/// Numbers that such a block adds up at most, unless there are as many blocks as there may be.
const PART: u32 = 1024;

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
pub struct Found<B> {
    /// The chains.
    pub chains: Chains,
    /// The codes of all queries, on the device.
    pub codes: B,
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

    /// The chains of reads.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn find(&self, queries: &Queries) -> Result<Found<B::Buffer>, DeviceError> {
        let reads = (queries.len() / 2) as u32;
        let seeded = self.seed(queries, false)?;
        let anchors = self.anchors(&seeded)?;
        let mut chains = Chains::default();
        if anchors <= self.room {
            self.slice(&(0..reads), anchors, &seeded, &mut chains)?;
        } else {
            let starts: Vec<u64> = self.read(&seeded.starts, queries.len() + 1)?;
            for reads in slices(&starts, self.room) {
                let [first, end] = [reads.start, reads.end].map(|read| starts[2 * read as usize]);
                self.slice(&reads, end - first, &seeded, &mut chains)?;
            }
        }
        let repeats: Vec<u32> = self.read(&seeded.repeats, reads as usize)?;
        let of_read = |(read, covered)| share(covered, queries.bases(read));
        chains.repeats = (0..).zip(repeats).map(of_read).collect();
        Ok(Found { chains, codes: seeded.codes })
    }

    /// Appends the chains of a slice of reads, which have so many anchors.
    fn slice(
        &self,
        reads: &Range<u32>,
        anchors: u64,
        seeded: &Seeded<B::Buffer>,
        found: &mut Chains,
    ) -> Result<(), DeviceError> {
        let Seeded { offsets, seeds, seed_starts, starts, .. } = seeded;
        let (first, count) = (reads.start, reads.len() as u32);
        // Room for each anchor of the slice, and counts of its queries and reads.
        let keys = self.memory::<u64>(anchors as usize)?;
        let chains = self.memory::<Chain>(anchors as usize)?;
        let kept = self.memory::<u32>(anchors as usize)?;
        let chain_counts = self.memory::<u32>(2 * count as usize)?;
        let kept_counts = self.memory::<u32>(count as usize)?;
        let (first_query, queries) = (Word::Number(2 * first), Word::Number(2 * count));
        let (first_read, read_count) = (Word::Number(first), Word::Number(count));
        self.launch(
            "find_anchors",
            ((2 * count).div_ceil(WARPS), THREADS),
            &[
                Word::Address(self.indexed.address),
                self.at(&self.numbers),
                first_query,
                queries,
                self.at(seeds),
                self.at(seed_starts),
                self.at(starts),
                self.at(&keys),
            ],
        )?;
        self.launch(
            "find_chains",
            (count.div_ceil(WARPS), THREADS),
            &[
                self.at(&self.numbers),
                self.at(offsets),
                first_query,
                queries,
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
            (count.div_ceil(WARPS), THREADS),
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
        let (firsts, total) = self.sums(&kept_counts, count)?;
        let all = self.read::<u64>(&total, 1)?[0] as usize;
        let gathered = self.memory::<Chain>(all)?;
        self.launch(
            "find_gather",
            (count.div_ceil(WARPS), THREADS),
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
        let gathered = self.backend.land(&gathered, all * size_of::<Chain>())?;
        found.add(gathered, &self.read(&kept_counts, count as usize)?);
        Ok(())
    }

    /// The sums of these numbers before each and of all, and that of all once more.
    pub(super) fn sums(
        &self,
        numbers: &B::Buffer,
        count: u32,
    ) -> Result<(B::Buffer, B::Buffer), DeviceError> {
        let blocks = count.div_ceil(PART).clamp(1, ADDING);
        let totals = self.memory::<u64>(blocks as usize)?;
        let (sums, total) = (self.memory::<u64>(count as usize + 1)?, self.memory::<u64>(1)?);
        let part = Word::Number(count.div_ceil(blocks));
        let given = [self.at(numbers), Word::Number(count), part, self.at(&totals)];
        self.launch("find_totals", (blocks, ADDING), &given)?;
        let [numbers, count, part, totals] = given;
        let given = [numbers, count, part, totals, self.at(&sums), self.at(&total)];
        self.launch("find_sums", (blocks, ADDING), &given)?;
        Ok((sums, total))
    }

    /// Launches a kernel of `find.cu`. Callers pass what it takes, in its order.
    pub(super) fn launch(
        &self,
        kernel: &str,
        (blocks, width): (u32, u32),
        arguments: &[Word],
    ) -> Result<(), DeviceError> {
        if blocks == 0 {
            return Ok(());
        }
        let launch = Launch { kernel, blocks, width, shared: 0, arguments };
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
