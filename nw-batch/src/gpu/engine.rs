//! State of a GPU between launches: sequences, kernels, and memory that is used again.
//!
//! Kernels run on one stream, in the order in which they are launched. Copies for the next launches, and of results,
//! run on a second stream ([`Gpu::with_own_stream`]). So a GPU does not pause between two batches if the second is
//! launched before the first is waited for.

use std::collections::HashMap;

use aligner_core::DeviceError;
use aligner_core::cigar::CigarRun;
use aligner_core::gpu::{DeviceBuffer, Gpu, Kernel, Module};

use crate::batch::{PairBatch, SequencePair, SequenceSet};
use crate::gpu::plan::full_matrix::FullMatrixKernel;
use crate::gpu::plan::warp::LaunchPlanner;
use crate::gpu::structs::{BiasedScoring, DeviceSequences, biased_table};
use crate::scoring::Scoring;
use crate::scoring::bias::ScoreBias;

/// Threads of a block of `warp.cu` and `edit.cu`.
pub(super) const BLOCK_THREADS: u32 = 128;

/// Kind of the kernels that compute scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KernelKind {
    /// Kernels of `warp.cu`, and of `strips.cu` for long pairs, for all scorings.
    Warp,
    /// Kernels of `edit.cu`, and of `strips.cu` for long pairs, for edit distances.
    Edit,
    /// Kernels of `full.cu`, for linear gaps without free ends.
    FullMatrix(FullMatrixKernel),
}

/// A file of kernels, by its name in `cuda/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KernelFile {
    Warp,
    Strips,
    Edit,
    Full,
}

/// Sequences on a GPU, and the kernels that align them.
#[derive(Debug)]
pub struct Engine {
    pub(super) gpu: Gpu,
    /// Handle of the same GPU with a second stream, for copies.
    pub(super) copy_stream: Gpu,
    pub(super) planner: LaunchPlanner,
    /// Number of codes of residues.
    pub(super) letters: u32,
    warp: Module,
    strips: Module,
    edit: Module,
    full: Module,
    /// Kernels that were used, by name.
    kernels: HashMap<String, Kernel>,
    pub(super) queries: DeviceBuffer<u8>,
    query_offsets: DeviceBuffer<u64>,
    pub(super) targets: DeviceBuffer<u8>,
    target_offsets: DeviceBuffer<u64>,
    /// Scoring in words of 16 bits.
    pub(super) narrow: WordScoring,
    /// Scoring in words of 32 bits.
    pub(super) wide: WordScoring,
    /// Memory for directions, for strips of long pairs, or for full matrices. It is kept from launch to launch, and grows as far as device memory
    /// allows.
    pub(super) matrix_memory: DeviceBuffer<u32>,
    /// Whether device memory allows no more of it.
    matrix_memory_is_full: bool,
    /// Memory for the runs of CIGARs while tracebacks find them.
    pub(super) run_room: DeviceBuffer<CigarRun>,
    /// Unused buffers for the runs of all alignments of a batch.
    pub(super) free_run_buffers: Vec<DeviceBuffer<CigarRun>>,
}

/// Scoring in words of one width.
#[derive(Debug)]
pub(super) struct WordScoring {
    pub(super) scoring: BiasedScoring,
    /// Biased scores of all pairs of codes.
    pub(super) table: DeviceBuffer<i16>,
}

impl WordScoring {
    fn new(gpu: &Gpu, scoring: &Scoring, bias: &ScoreBias) -> Result<Self, DeviceError> {
        let table = gpu.upload(&biased_table(scoring, bias))?;
        Ok(Self { scoring: BiasedScoring::new(scoring, bias), table })
    }
}

impl Engine {
    /// Copies sequences to a GPU, and loads the kernels.
    ///
    /// # Errors
    /// If they do not fit, or the driver fails.
    pub fn new(
        gpu: Gpu,
        scoring: &Scoring,
        queries: &SequenceSet,
        targets: &SequenceSet,
    ) -> Result<Self, DeviceError> {
        let warp = gpu.load("warp", include_bytes!("../../cuda/warp.fatbin"))?;
        let strips = gpu.load("strips", include_bytes!("../../cuda/strips.fatbin"))?;
        let edit = gpu.load("edit", include_bytes!("../../cuda/edit.fatbin"))?;
        let full = gpu.load("full", include_bytes!("../../cuda/full.fatbin"))?;
        Ok(Self {
            warp,
            strips,
            edit,
            full,
            kernels: HashMap::new(),
            queries: gpu.upload(queries.all_codes())?,
            query_offsets: gpu.upload(queries.offsets())?,
            targets: gpu.upload(targets.all_codes())?,
            target_offsets: gpu.upload(targets.offsets())?,
            narrow: WordScoring::new(&gpu, scoring, &ScoreBias::narrow(scoring))?,
            wide: WordScoring::new(&gpu, scoring, &ScoreBias::wide(scoring))?,
            matrix_memory: gpu.zeros(0)?,
            matrix_memory_is_full: false,
            run_room: gpu.zeros(0)?,
            free_run_buffers: Vec::new(),
            planner: LaunchPlanner::new(scoring, queries),
            letters: scoring.alphabet().len() as u32,
            copy_stream: gpu.with_own_stream()?,
            gpu,
        })
    }

    /// Pairs of one set, each with that sequence as the query with which its score is found sooner; see
    /// [`LaunchPlanner::turned`].
    pub fn turned(&self, batch: PairBatch<'_>) -> Vec<SequencePair> {
        self.planner.turned(batch)
    }

    /// The GPU that the engine runs on.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Addresses of the sequences.
    pub(super) fn device_sequences(&self) -> DeviceSequences {
        DeviceSequences {
            queries: self.queries.device_address(&self.gpu),
            query_offsets: self.query_offsets.device_address(&self.gpu),
            targets: self.targets.device_address(&self.gpu),
            target_offsets: self.target_offsets.device_address(&self.gpu),
        }
    }

    /// Words of memory for directions or matrices that device memory allows.
    pub(super) fn possible_matrix_memory(&self) -> Result<u64, DeviceError> {
        let words = self.matrix_memory.len() as u64;
        Ok(words + if self.matrix_memory_is_full { 0 } else { self.free_words()? })
    }

    /// Words of free device memory for directions or matrices: a quarter is left for everything else.
    fn free_words(&self) -> Result<u64, DeviceError> {
        Ok(self.gpu.free_memory()? / 4 * 3 / 4)
    }

    /// Reserves `words` words of memory for directions or matrices, or as many as device memory allows; returns the
    /// number.
    pub(super) fn reserve_matrix_memory(&mut self, words: u64) -> Result<u64, DeviceError> {
        if words <= self.matrix_memory.len() as u64 || self.matrix_memory_is_full {
            return Ok(self.matrix_memory.len() as u64);
        }
        self.matrix_memory = self.gpu.zeros(0)?;
        self.gpu.synchronize()?;
        let most = self.free_words()?;
        // An eighth more, so that it suffices for the next batch.
        let mut words = (words + words / 8).min(most);
        self.matrix_memory_is_full = words == most;
        loop {
            match self.gpu.zeros(words as usize) {
                Err(DeviceError::OutOfMemory(_)) if words > 1 << 20 => {
                    words /= 2;
                    self.matrix_memory_is_full = true;
                }
                made => {
                    self.matrix_memory = made?;
                    return Ok(words);
                }
            }
        }
    }

    /// The kernel of a name, from its file.
    pub(super) fn kernel(&mut self, file: KernelFile, name: &str) -> Result<Kernel, DeviceError> {
        if let Some(kernel) = self.kernels.get(name) {
            return Ok(kernel.clone());
        }
        let module = match file {
            KernelFile::Warp => &self.warp,
            KernelFile::Strips => &self.strips,
            KernelFile::Edit => &self.edit,
            KernelFile::Full => &self.full,
        };
        let kernel = module.kernel(&self.gpu, name)?;
        self.kernels.insert(name.to_owned(), kernel.clone());
        Ok(kernel)
    }

    /// Number of blocks of `threads` threads, with `shared` bytes of dynamic shared memory each, that fill the device, but
    /// no more than `tasks` warps need.
    pub(super) fn blocks(
        &self,
        kernel: &Kernel,
        (threads, shared): (u32, u32),
        tasks: u32,
    ) -> Result<u32, DeviceError> {
        let resident = kernel.blocks_per_multiprocessor(threads, shared as usize)?.max(1);
        Ok(tasks.div_ceil(threads / 32).min(resident * self.gpu.multiprocessors()).max(1))
    }
}
