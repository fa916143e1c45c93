//! The engine: an index on a device, and the kernel that chooses diagonals of windows.

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceStruct, Gpu};
use aligner_core::stream::{Backend, CudaBackend, Launch};
use bytemuck::{cast_slice, pod_collect_to_vec};
use fm_index::gpu::IndexView;

use super::parameters::MatesParameters;
use crate::pair::mate_window::{ChosenDiagonals, DiagonalChoice, MateWindow};
use crate::read::device_queries::DeviceQueries;
use crate::read::queries::Queries;

/// Threads of a block.
const THREADS: u32 = 128;
/// Warps of a block.
const WARPS: u32 = THREADS / 32;

/// An index on a device, and the kernel that chooses diagonals of windows of its text.
#[derive(Debug)]
pub struct MateEngine<B: Backend> {
    /// The device, with the kernel of `mates.cu`.
    backend: B,
    /// Addresses of the index on the device.
    index: IndexView,
}

impl MateEngine<CudaBackend> {
    /// An engine for an index on a GPU, which must stay there for as long as the engine is used.
    ///
    /// # Errors
    /// If the device fails.
    pub fn on_gpu(gpu: &Gpu, index: IndexView) -> Result<Self, DeviceError> {
        let fatbin = include_bytes!("../../../cuda/mates.fatbin");
        Ok(Self::new(CudaBackend::new(gpu, "mates", fatbin)?, index))
    }
}

impl<B: Backend> MateEngine<B> {
    /// An engine for an index in the memory of a device, which must stay there for as long as the engine is used.
    /// `backend` has the kernel of `mates.cu`.
    pub fn new(backend: B, index: IndexView) -> Self {
        Self { backend, index }
    }

    /// Chooses diagonals of each window.
    ///
    /// # Errors
    /// If memory does not suffice, or the device fails.
    pub fn choose_diagonals(
        &self,
        queries: &Queries,
        windows: &[MateWindow],
        choice: DiagonalChoice,
    ) -> Result<ChosenDiagonals, DeviceError> {
        let slots = choice.slots(windows);
        let count = slots * windows.len();
        if count == 0 {
            return Ok(ChosenDiagonals { slots, numbers: Vec::new() });
        }
        let backend = &self.backend;
        let (numbers, windows) = renumbered(windows, queries.len());
        let queries = DeviceQueries::of_some(backend, queries, &numbers)?;
        let on_device = backend.upload(cast_slice(&windows))?;
        let chosen = backend.uninitialized(count * size_of::<u32>())?;
        let parameters = MatesParameters {
            index: self.index,
            queries: queries.packed(backend),
            windows: backend.device_address(&on_device),
            chosen: backend.device_address(&chosen),
            count: windows.len() as u64,
            slots: slots as u32,
            margin: choice.margin,
            min_words: choice.min_words,
            padding: 0,
        };
        let blocks = (windows.len() as u64).div_ceil(WARPS.into()).min(i32::MAX as u64) as u32;
        let parameters = parameters.bytes();
        let launch =
            Launch { kernel: "mates_choose", blocks, width: THREADS, shared: 0, parameters };
        #[allow(unsafe_code)]
        // SAFETY: these are the kernel's parameters. All windows are of queries of the batch, and `chosen` has `slots`
        // numbers for each of them.
        unsafe {
            backend.enqueue(&launch)?;
        }
        let numbers = backend.read_staged(&chosen, count * size_of::<u32>())?;
        Ok(ChosenDiagonals { slots, numbers: pod_collect_to_vec(numbers.as_ref()) })
    }
}

/// The numbers of the queries that windows are of, which are few of a batch's `queries`, and the windows with the places of their
/// queries among these.
fn renumbered(windows: &[MateWindow], queries: usize) -> (Vec<u32>, Vec<MateWindow>) {
    /// The place of a query that is not among them yet.
    const NONE: u32 = u32::MAX;
    let (mut places, mut numbers) = (vec![NONE; queries], Vec::new());
    let windows = windows.iter().map(|window| {
        let place = &mut places[window.query as usize];
        if *place == NONE {
            *place = numbers.len() as u32;
            numbers.push(window.query);
        }
        MateWindow { query: *place, ..*window }
    });
    let windows = windows.collect();
    (numbers, windows)
}
