//! Memory and launches.

use std::ops::Range;

use aligner_core::DeviceError;
use aligner_core::stream::{Backend, Launch, Word};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use fm_index::Segments;
use rayon::prelude::*;

use super::super::Chains;
use super::numbers::{Counted, Numbers, slots_before};
use super::plan::Plan;
use crate::anchors::share;
use crate::chains::Chain;
use crate::lists::Lists;
use crate::options::Options;
use crate::queries::Queries;
use crate::seeds::Seed;

/// Threads of a block; the anchors' kernel wants as many.
const THREADS: u32 = 128;
/// Warps of a block.
const WARPS: u32 = THREADS / 32;

/// An index on a device, and the kernels of `find.cu` that look for reads in it.
#[derive(Debug)]
pub struct Engine<B: Backend> {
    backend: B,
    /// Address of the index's view.
    index: u64,
    numbers: B::Buffer,
    /// Ends of the text's segments, and how many they are.
    segments: (B::Buffer, u32),
    /// Anchors that may be on the device at a time.
    room: u64,
}

/// Queries on the device, and their seeds.
struct Seeded<B> {
    offsets: B,
    seeds: B,
    counted: B,
}

/// What was found for the reads of a batch.
#[derive(Debug)]
pub struct Found {
    /// The chains.
    pub chains: Chains,
    /// How many reads had more seeds than there was room for, and so were left to the CPU.
    pub left: usize,
}

impl<B: Backend> Engine<B> {
    /// For an index whose view, in the device's memory, is at this address for as long as the engine is
    /// used. Of more than one read no more than `room` anchors are found at a time.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(
        backend: B,
        index: u64,
        segments: &Segments,
        options: &Options,
        room: u64,
    ) -> Result<Self, DeviceError> {
        let ends: Vec<u32> = segments.all().iter().map(|segment| segment.indexed.end).collect();
        let numbers = upload(&backend, &[Numbers::from(options)])?;
        let segments = (upload(&backend, &ends)?, ends.len() as u32);
        Ok(Self { backend, index, numbers, segments, room })
    }

    /// The chains of reads. For those with too many seeds `search` finds them meanwhile, on the current
    /// rayon pool: chains and repeats.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn find(
        &self,
        queries: &Queries,
        search: impl Fn(u32) -> (Vec<Chain>, f32) + Sync,
    ) -> Result<Found, DeviceError> {
        let mut seeded = self.seed(queries)?;
        let mut counted: Vec<Counted> = self.read(&seeded.counted, queries.len())?;
        let left = leave_out(&mut counted);
        if !left.is_empty() {
            self.backend.write(&mut seeded.counted, cast_slice(&counted))?;
        }
        let plan = Plan::new(&counted, self.room);
        let starts = upload(&self.backend, &plan.starts)?;
        let mut chains = Chains::default();
        let mut searched = Vec::new();
        rayon::in_place_scope(|scope| {
            scope.spawn(|_| {
                left.par_iter().map(|&read| search(read)).collect_into_vec(&mut searched);
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
        for (&read, (own, repeats)) in left.iter().zip(searched) {
            chains.of_reads.replace(read as usize, &own);
            chains.repeats[read as usize] = repeats;
        }
        Ok(Found { chains, left: left.len() })
    }

    /// Finds seeds.
    fn seed(&self, queries: &Queries) -> Result<Seeded<B::Buffer>, DeviceError> {
        let backend = &self.backend;
        let count = queries.len() as u32;
        let words = upload(backend, queries.words())?;
        let unknown = upload(backend, queries.unknown())?;
        let word_offsets = upload(backend, queries.word_offsets())?;
        let offsets = upload(backend, queries.offsets())?;
        let slots = slots_before(queries.all_codes().len() as u32, count) as usize;
        let seeds = self.memory::<Seed>(slots)?;
        let counted = self.memory::<Counted>(count as usize)?;
        // There are offsets for each query and the end, and as many slots for seeds as are used.
        self.launch(
            "find_seeds",
            count.div_ceil(THREADS),
            &[
                Word::Address(self.index),
                self.at(&self.numbers),
                self.at(&words),
                self.at(&unknown),
                self.at(&word_offsets),
                self.at(&offsets),
                Word::Number(count),
                self.at(&seeds),
                self.at(&counted),
            ],
        )?;
        Ok(Seeded { offsets, seeds, counted })
    }

    /// Appends the chains of a slice of reads.
    fn slice(
        &self,
        reads: &Range<u32>,
        seeded: &Seeded<B::Buffer>,
        (plan, starts): (&Plan, &B::Buffer),
        found: &mut Lists<Chain>,
    ) -> Result<(), DeviceError> {
        let Seeded { offsets, seeds, counted } = seeded;
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
                Word::Address(self.index),
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
    fn launch(&self, kernel: &str, blocks: u32, arguments: &[Word]) -> Result<(), DeviceError> {
        if blocks == 0 {
            return Ok(());
        }
        let launch = Launch { kernel, blocks, width: THREADS, shared: 0, arguments };
        #[allow(unsafe_code)]
        // SAFETY: this function is private, and each of its calls passes the kernel's arguments, with
        // buffers as long as the comments there say.
        unsafe {
            self.backend.enqueue(&launch)
        }
    }

    fn at(&self, buffer: &B::Buffer) -> Word {
        Word::Address(self.backend.address(buffer))
    }

    fn memory<T>(&self, count: usize) -> Result<B::Buffer, DeviceError> {
        self.backend.room(count * size_of::<T>())
    }

    fn read<T: Pod>(&self, buffer: &B::Buffer, count: usize) -> Result<Vec<T>, DeviceError> {
        Ok(pod_collect_to_vec(self.backend.land(buffer, count * size_of::<T>())?.as_ref()))
    }
}

fn upload<B: Backend, T: Pod>(backend: &B, values: &[T]) -> Result<B::Buffer, DeviceError> {
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
