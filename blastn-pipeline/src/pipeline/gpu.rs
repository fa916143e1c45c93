//! The pipeline on a GPU.

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, DeviceBuffer, Gpu};
use aligner_core::stream::{
    CudaBackend, CudaExecutor, Kernels, Loaded, Metrics, RunError, Settings,
};

use super::device::{DeviceChunk, Tables, packed_words};
use super::diagonals::Rule;
use super::stages::Context;
use super::{Build, slices, topology};
use crate::hits::ChunkHit;

const SPLIT: Kernels =
    Kernels { name: "pipeline", fatbin: include_bytes!("../../cuda/pipeline.fatbin") };
const MERGED: Kernels =
    Kernels { name: "merged", fatbin: include_bytes!("../../cuda/merged.fatbin") };

/// The kernels of the pipeline.
#[derive(Debug)]
pub struct GpuPipeline {
    gpu: Gpu,
    build: Build,
    settings: Settings,
    app: Loaded,
    rule: Rule<CudaBackend>,
}

/// Bases of chunks in the memory of a GPU.
#[derive(Debug)]
pub struct DeviceBases {
    packed: DeviceBuffer<u64>,
    chunks: Vec<DeviceChunk>,
}

/// What a run found.
#[derive(Debug)]
pub struct Run {
    /// Ungapped alignments, in no particular order.
    pub hits: Vec<ChunkHit>,
    /// Words, whether they scored enough or not.
    pub words: usize,
    /// Of the kernels.
    pub device_seconds: f64,
    /// Of the runtime.
    pub metrics: Metrics,
}

impl DeviceBases {
    /// The bases as [`packed_words`].
    pub(crate) fn packed(&self) -> &DeviceBuffer<u64> {
        &self.packed
    }

    /// The chunks.
    pub(crate) fn chunks(&self) -> &[DeviceChunk] {
        &self.chunks
    }
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
        Ok(Self { gpu, build, settings, app, rule })
    }

    /// Puts bases on the device, 4 a byte, of which `chunks` are parts.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub fn upload(
        &self,
        packed: &[u8],
        chunks: Vec<DeviceChunk>,
    ) -> Result<DeviceBases, DeviceError> {
        Ok(DeviceBases { packed: self.gpu.upload(&packed_words(packed))?, chunks })
    }

    /// The ungapped alignments of queries with chunks of a database, whatever the chunks in `context`.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub fn run(&self, bases: &DeviceBases, context: &Context) -> Result<Run, DeviceError> {
        let tables = Tables::new(context, &bases.chunks);
        let arrays = tables.arrays();
        let mut uploaded = Vec::with_capacity(arrays.len());
        for array in arrays {
            uploaded.push(self.gpu.upload(array)?);
        }
        let addresses = std::array::from_fn(|n| uploaded[n].address(&self.gpu));
        let known = tables.context(bases.packed.address(&self.gpu), addresses);
        let (app, sinks) = topology(context, self.build);
        let executor =
            CudaExecutor::loaded(&self.app, &app, &self.settings, &known).map_err(failed)?;
        let slices = slices(&context.lookup, bases.chunks.iter().map(|chunk| chunk.length));
        let mut outputs = executor.run_in_place(&slices).map_err(failed)?;
        let extended = outputs.take(sinks.extended)?;
        let spent = outputs.take(sinks.spent)?;
        Ok(Run {
            words: extended.count + spent.count,
            hits: self.rule.admitted(&known, &bases.chunks, &extended, &spent)?,
            device_seconds: outputs.device_seconds,
            metrics: outputs.metrics,
        })
    }
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("pipeline")
}
