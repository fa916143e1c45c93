//! Memory and launches.

use std::ops::Range;
use std::sync::Arc;

use aligner_core::DeviceError;
use aligner_core::gpu::Gpu;
use aligner_core::stream::{
    Backend, CudaBackend, CudaExecutor, Kernels, Launch, LoadedKernels, Metrics, RunError, Word,
};
use bytemuck::{Pod, cast_slice, pod_collect_to_vec};
use fm_index::gpu::View;

use super::super::Chains;
use super::plan::{BYTES_PER_ANCHOR, slices};
use super::seeded::Seeded;
use crate::anchors::share;
use crate::chaining;
use crate::chaining::stages::{Context, DeviceContext, Known, Numbers};
use crate::chains::Chain;
use crate::queries::Queries;

/// Items of an ensemble of the applications.
pub const WIDTH: u32 = 128;
/// Threads of a block.
pub(super) const THREADS: u32 = 128;
/// Warps of a block.
pub(super) const WARPS: u32 = THREADS / 32;
/// Threads of a block that adds up, and the most such blocks: `find::ADDING`.
const ADDING: u32 = 256;
/// Numbers that such a block adds up at most, unless there are as many blocks as there may be.
const PART: u32 = 1024;

/// An index on a device, and the applications and kernels that look for reads in it.
#[derive(Debug)]
pub struct Engine<B: Backend> {
    /// With the kernels of `find.cu`.
    pub(super) backend: B,
    pub(super) known: Arc<Known>,
    /// Where the index is.
    pub(super) view: View,
    pub(super) stages: Stages<B>,
    pub(super) numbers: B::Buffer,
    /// Ends of the text's segments, and how many they are.
    segments: (B::Buffer, u32),
    /// Anchors that may be on the device at a time.
    room: u64,
}

/// The applications.
#[derive(Debug)]
pub struct Stages<B> {
    /// Finds seeds.
    pub seeds: LoadedKernels<B>,
    /// Finds chains of them.
    pub chains: LoadedKernels<B>,
}

/// What was found for the reads of a batch.
#[derive(Debug)]
pub struct Found<B> {
    /// The chains.
    pub chains: Chains,
    /// The codes of all queries, on the device.
    pub codes: B,
    /// What was measured of the applications, for seeds and for chains.
    pub measured: [Measured; 2],
}

/// What was measured of an application.
#[derive(Debug, Default)]
pub struct Measured {
    /// Seconds that its kernels took.
    pub seconds: f64,
    /// What the runtime measured, if it was asked to.
    pub metrics: Metrics,
}

/// Anchors may take this part of a GPU's memory that is free once the index is there.
const ROOM: u64 = 4;

impl Engine<CudaBackend> {
    /// For an index on a GPU, which stays there for as long as the engine is used.
    ///
    /// # Errors
    /// If the device fails.
    pub fn on_gpu(gpu: &Gpu, view: View, known: &Arc<Known>) -> Result<Self, DeviceError> {
        const SEEDS: Kernels =
            Kernels { name: "seeds", fatbin: include_bytes!("../../../cuda/seeds.fatbin") };
        const CHAINS: Kernels =
            Kernels { name: "chains", fatbin: include_bytes!("../../../cuda/chains.fatbin") };
        let load = |kernels: Kernels| kernels.load(gpu, WIDTH).map_err(failed);
        let stages = Stages { seeds: load(SEEDS)?, chains: load(CHAINS)? };
        let backend = CudaBackend::new(gpu, "find", include_bytes!("../../../cuda/find.fatbin"))?;
        let room = gpu.free_memory()? / ROOM / BYTES_PER_ANCHOR;
        Self::new((backend, stages), view, known, room)
    }
}

impl<B: Backend + Clone> Engine<B> {
    /// For an index that stays in the device's memory for as long as the engine is used, with the kernels of
    /// `find.cu` and the applications, which are for ensembles of [`WIDTH`] items. Of more than one read no more
    /// than `room` anchors are found at a time.
    ///
    /// # Errors
    /// If the device fails.
    pub fn new(
        (backend, stages): (B, Stages<B>),
        view: View,
        known: &Arc<Known>,
        room: u64,
    ) -> Result<Self, DeviceError> {
        let ends: Vec<u32> =
            known.segments.all().iter().map(|segment| segment.indexed.end).collect();
        let numbers = upload(&backend, &[Numbers::from(&known.options)])?;
        let segments = (upload(&backend, &ends)?, ends.len() as u32);
        Ok(Self { backend, known: Arc::clone(known), view, stages, numbers, segments, room })
    }

    /// The chains of reads.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn find(&self, queries: &Queries) -> Result<Found<B::Buffer>, DeviceError> {
        self.measured(queries, false)
    }

    /// The same; lets the runtime measure if `metrics` asks for it.
    ///
    /// # Errors
    /// As [`Self::find`].
    pub fn measured(
        &self,
        queries: &Queries,
        metrics: bool,
    ) -> Result<Found<B::Buffer>, DeviceError> {
        let reads = (queries.len() / 2) as u32;
        let seeded = self.seed(queries, metrics)?;
        let anchors = self.anchors(&seeded)?;
        let mut chains = Chains::default();
        let mut of_chains = Measured::default();
        let mut slice = |reads: Range<u32>, anchors: Range<u64>| {
            let measured = self.slice(&reads, &anchors, &seeded, &mut chains, metrics)?;
            of_chains.seconds += measured.seconds;
            of_chains.metrics.add(&measured.metrics);
            Ok::<(), DeviceError>(())
        };
        if anchors <= self.room {
            slice(0..reads, 0..anchors)?;
        } else {
            let starts: Vec<u64> = self.read(&seeded.starts, queries.len() + 1)?;
            for reads in slices(&starts, self.room) {
                let [first, end] = [reads.start, reads.end].map(|read| starts[2 * read as usize]);
                slice(reads, first..end)?;
            }
        }
        let repeats: Vec<u32> = self.read(&seeded.repeats, reads as usize)?;
        let of_read = |(read, covered)| share(covered, queries.bases(read));
        chains.repeats = (0..).zip(repeats).map(of_read).collect();
        Ok(Found { chains, codes: seeded.codes, measured: [seeded.measured, of_chains] })
    }

    /// Appends the chains of a slice of reads, which have these anchors.
    fn slice(
        &self,
        reads: &Range<u32>,
        anchors: &Range<u64>,
        seeded: &Seeded<B::Buffer>,
        found: &mut Chains,
        metrics: bool,
    ) -> Result<Measured, DeviceError> {
        let (count, base) = (reads.len(), anchors.start);
        let anchors = (anchors.end - anchors.start) as usize;
        let keys = self.memory::<u64>(anchors)?;
        let chains = self.memory::<Chain>(anchors)?;
        let numbers = self.memory::<u32>(anchors)?;
        let counts = self.backend.zeros(count * size_of::<u32>())?;
        let address = |buffer| self.backend.address(buffer);
        let told = DeviceContext {
            index: self.view,
            numbers: Numbers::from(&self.known.options),
            seeds: address(&seeded.seeds),
            seed_starts: address(&seeded.seed_starts),
            starts: address(&seeded.starts),
            offsets: address(&seeded.offsets),
            ends: address(&self.segments.0),
            base,
            keys: address(&keys),
            chains: address(&chains),
            kept: address(&numbers),
            counts: address(&counts),
            segments: self.segments.1,
            first_read: reads.start,
        };
        let context = Context::of_device(&self.known);
        let (app, sink) = chaining::topology(&context);
        let settings = chaining::settings(count, metrics);
        let executor = CudaExecutor::loaded(&self.stages.chains, &app, &settings, &told);
        let inputs: Vec<u32> = reads.clone().collect();
        let executor = executor.map_err(failed)?;
        let mut outputs = executor.run_in_place(&inputs).map_err(failed)?;
        let kept = outputs.take([sink])?;
        let (firsts, _) = self.sums(&counts, count as u32)?;
        let ordered = self.memory::<Chain>(kept.count)?;
        self.launch(
            "find_order",
            ((kept.count as u32).div_ceil(THREADS), THREADS),
            &[
                self.at(&kept.items),
                Word::Number(kept.count as u32),
                Word::Number(reads.start),
                self.at(&firsts),
                self.at(&ordered),
            ],
        )?;
        let ordered = self.backend.read_staged(&ordered, kept.count * size_of::<Chain>())?;
        found.add(ordered, &self.read(&counts, count)?);
        Ok(Measured { seconds: outputs.device_seconds, metrics: outputs.metrics })
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
        self.backend.uninitialized(count * size_of::<T>())
    }

    pub(super) fn read<T: Pod>(
        &self,
        buffer: &B::Buffer,
        count: usize,
    ) -> Result<Vec<T>, DeviceError> {
        Ok(pod_collect_to_vec(self.backend.read_staged(buffer, count * size_of::<T>())?.as_ref()))
    }
}

pub(super) fn upload<B: Backend, T: Pod>(
    backend: &B,
    values: &[T],
) -> Result<B::Buffer, DeviceError> {
    backend.upload(cast_slice(values))
}

pub(super) fn failed(error: RunError) -> DeviceError {
    error.into_device_error("chains")
}
