//! The pipeline on a GPU.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, DeviceBuffer, Gpu};
use aligner_core::stream::{
    CudaBackend, CudaExecutor, Kernels, LoadedKernels, Metrics, RunError, Settings,
};

use super::device::{DeviceChunk, Tables, packed_words};
use super::diagonals::{Admitted, Piece, Rule};
use super::stages::Context;
use super::{Build, slices, topology};

const SPLIT: Kernels =
    Kernels { name: "pipeline", fatbin: include_bytes!("../../../cuda/pipeline.fatbin") };
const MERGED: Kernels =
    Kernels { name: "merged", fatbin: include_bytes!("../../../cuda/merged.fatbin") };

/// How the pipeline is run, in blocks of `width` threads. No queue is in shared memory, which serves as cache
/// for the table of words instead.
pub fn settings(width: u32) -> Settings {
    Settings { width, shared_queues: 0, ..Settings::default() }
}

/// The kernels of the pipeline.
#[derive(Debug)]
pub struct GpuPipeline {
    gpu: Gpu,
    build: Build,
    settings: Settings,
    app: LoadedKernels,
    /// Bytes and items that the last run left in each sink: the next batch is made to find as many.
    likely: Mutex<Vec<(usize, u64)>>,
    rule: Rule<CudaBackend>,
}

/// Of the memory that is free, the part that may be room for what is likely to be found, which is twice that.
const ROOM: u64 = 4;

/// What a run found.
pub struct Run {
    /// Ungapped alignments.
    pub admitted: Admitted<CudaBackend>,
    /// Words, whether they scored enough or not.
    pub words: usize,
    /// Of the kernels.
    pub device_seconds: f64,
    /// Of the runtime.
    pub metrics: Metrics,
}

impl GpuPipeline {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: Gpu, build: Build, settings: Settings) -> Result<Self, DeviceError> {
        let kernels = if build == Build::Split { SPLIT } else { MERGED };
        let app = kernels.load(&gpu, settings.width).map_err(failed)?;
        let rule = Rule::new(&gpu)?;
        Ok(Self { gpu, build, settings, app, likely: Mutex::default(), rule })
    }

    /// Puts bases on the device, 4 a byte.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub fn upload(&self, packed: &[u8]) -> Result<DeviceBuffer<u64>, DeviceError> {
        self.gpu.upload(&packed_words(packed))
    }

    /// The ungapped alignments of a piece of the queries, whose words `context` has, with chunks of `bases`,
    /// whatever the chunks in `context`.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub fn run(
        &self,
        bases: &DeviceBuffer<u64>,
        chunks: &[DeviceChunk],
        context: &Context,
        piece: Piece<'_>,
    ) -> Result<Run, DeviceError> {
        let tables = Tables::new(context, chunks);
        let arrays = tables.arrays();
        let mut uploaded = Vec::with_capacity(arrays.len());
        for array in arrays {
            uploaded.push(self.gpu.upload(array)?);
        }
        let addresses = std::array::from_fn(|n| uploaded[n].address(&self.gpu));
        let known = tables.context(bases.address(&self.gpu), addresses);
        let (app, sinks) = topology(context, self.build);
        let likely = self.likely().clone();
        let bytes: usize = likely.iter().map(|&(bytes, _)| bytes).sum();
        let fits = 2 * bytes as u64 <= self.gpu.free_memory()? / ROOM;
        let counts = likely.into_iter().map(|(_, count)| count);
        let likely_outputs = if fits { counts.collect() } else { Vec::new() };
        let settings = Settings { likely_outputs, ..self.settings.clone() };
        let executor = CudaExecutor::loaded(&self.app, &app, &settings, &known).map_err(failed)?;
        let slices = slices(&context.lookup, chunks.iter().map(|chunk| chunk.length));
        let mut outputs = executor.run_in_place(&slices).map_err(failed)?;
        *self.likely() = outputs.counts().collect();
        let words = (outputs.take(sinks.extended)?, outputs.take(sinks.spent)?);
        Ok(Run {
            words: words.0.count + words.1.count,
            admitted: self.rule.admitted(&known, chunks, words, piece)?,
            device_seconds: outputs.device_seconds,
            metrics: outputs.metrics,
        })
    }

    fn likely(&self) -> MutexGuard<'_, Vec<(usize, u64)>> {
        self.likely.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("pipeline")
}
