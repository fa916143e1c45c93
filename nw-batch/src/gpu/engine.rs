//! What all launches have in common: sequences on the device, kernels, and memory.
//!
//! Kernels run on one stream, in the order in which they are launched; copies for the next ones, and
//! of what the last ones gave, go beside them ([`Gpu::beside`]). So a GPU that is given a batch before
//! the last one is waited for has no pause between them.

use std::collections::HashMap;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Gpu, Kernel as Function, Module};

use crate::batch::Sequences;
use crate::bias::Bias;
use crate::gpu::full::Full;
use crate::gpu::model::{Model, table};
use crate::gpu::plan::Planner;
use crate::scoring::Scoring;

/// Threads of a block of `warp.cu` and `edit.cu`.
pub(super) const THREADS: u32 = 128;

/// Which scores a launch gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Method {
    /// `warp.cu`.
    Warp,
    /// `edit.cu`.
    Edit,
    /// `full.cu`.
    Full(Full),
}

/// Sequences on a GPU, and the kernels that align them.
#[derive(Debug)]
pub struct Engine {
    pub(super) gpu: Gpu,
    /// For copies beside kernels.
    pub(super) copies: Gpu,
    pub(super) planner: Planner,
    warp: Module,
    edit: Module,
    full: Module,
    functions: HashMap<String, Function>,
    pub(super) queries: DeviceBuffer<u8>,
    pub(super) query_offsets: DeviceBuffer<u64>,
    pub(super) targets: DeviceBuffer<u8>,
    pub(super) target_offsets: DeviceBuffer<u64>,
    pub(super) narrow: Constants,
    pub(super) wide: Constants,
    /// Directions of a launch, or matrices: kept from launch to launch, as far as memory goes.
    pub(super) room: DeviceBuffer<u32>,
    /// Whether memory allows no more of it.
    room_is_full: bool,
    /// Runs of CIGARs, as walks find them.
    pub(super) walked: DeviceBuffer<u32>,
    /// Arrays for the runs of all alignments of a batch, not in use.
    pub(super) spare_runs: Vec<DeviceBuffer<u32>>,
}

/// The recurrence on the device.
#[derive(Debug)]
pub(super) struct Constants {
    pub(super) model: DeviceBuffer<Model>,
    pub(super) table: DeviceBuffer<i16>,
}

impl Constants {
    fn new(gpu: &Gpu, scoring: &Scoring, bias: &Bias) -> Result<Self, DeviceError> {
        Ok(Self {
            model: gpu.upload(&[Model::new(scoring, bias)])?,
            table: gpu.upload(&table(scoring, bias))?,
        })
    }
}

impl Engine {
    /// Puts sequences on the GPU.
    ///
    /// # Errors
    /// If they do not fit, or the driver fails.
    pub fn new(
        gpu: Gpu,
        scoring: &Scoring,
        queries: &Sequences,
        targets: &Sequences,
    ) -> Result<Self, DeviceError> {
        let warp = gpu.load("warp", include_bytes!("../../cuda/warp.fatbin"))?;
        let edit = gpu.load("edit", include_bytes!("../../cuda/edit.fatbin"))?;
        let full = gpu.load("full", include_bytes!("../../cuda/full.fatbin"))?;
        Ok(Self {
            warp,
            edit,
            full,
            functions: HashMap::new(),
            queries: gpu.upload(queries.all_codes())?,
            query_offsets: gpu.upload(queries.offsets())?,
            targets: gpu.upload(targets.all_codes())?,
            target_offsets: gpu.upload(targets.offsets())?,
            narrow: Constants::new(&gpu, scoring, &Bias::narrow(scoring))?,
            wide: Constants::new(&gpu, scoring, &Bias::wide(scoring))?,
            room: gpu.zeros(0)?,
            room_is_full: false,
            walked: gpu.zeros(0)?,
            spare_runs: Vec::new(),
            planner: Planner::new(scoring, targets),
            copies: gpu.with_own_stream()?,
            gpu,
        })
    }

    /// The GPU.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Makes room for `words` words of directions, or for what memory allows; gives how many.
    pub(super) fn make_room(&mut self, words: u64) -> Result<u64, DeviceError> {
        if words <= self.room.len() as u64 || self.room_is_full {
            return Ok(self.room.len() as u64);
        }
        self.room = self.gpu.zeros(0)?;
        self.gpu.synchronize()?;
        // A quarter of the memory is for everything else.
        let most = self.gpu.free_memory()? / 4 * 3 / 4;
        // A little more, for the next batch.
        let mut words = (words + words / 8).min(most);
        self.room_is_full = words == most;
        loop {
            match self.gpu.zeros(words as usize) {
                Err(DeviceError::OutOfMemory(_)) if words > 1 << 20 => {
                    words /= 2;
                    self.room_is_full = true;
                }
                made => {
                    self.room = made?;
                    return Ok(words);
                }
            }
        }
    }

    pub(super) fn function(&mut self, module: Method, name: &str) -> Result<Function, DeviceError> {
        if let Some(function) = self.functions.get(name) {
            return Ok(function.clone());
        }
        let module = match module {
            Method::Warp => &self.warp,
            Method::Edit => &self.edit,
            Method::Full(_) => &self.full,
        };
        let function = module.kernel(&self.gpu, name)?;
        self.functions.insert(name.to_owned(), function.clone());
        Ok(function)
    }

    /// Blocks that fill the device, but no more than `tasks` need.
    pub(super) fn blocks(&self, function: &Function, tasks: u32) -> Result<u32, DeviceError> {
        let resident = function.blocks_per_multiprocessor(THREADS, 0)?.max(1);
        Ok(tasks.div_ceil(THREADS / 32).min(resident * self.gpu.multiprocessors()).max(1))
    }
}
