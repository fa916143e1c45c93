//! The pipeline on a GPU.

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, DeviceBuffer, Gpu};
use aligner_core::stream::{CudaExecutor, Kernels, Loaded, Metrics, RunError, Settings};

use super::device::{DeviceChunk, Tables, packed_words};
use super::stages::{Bases, Context};
use super::{Build, diagonals, slices, topology};
use crate::ungapped::UngappedHit;

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
    /// Ungapped alignments of each chunk.
    pub hits: Vec<Vec<UngappedHit>>,
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
        Ok(Self { gpu, build, settings, app })
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

    /// The ungapped alignments of queries with chunks of a database, whatever the chunks in `context`;
    /// `on_host` gives the bases of one.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub fn run(
        &self,
        bases: &DeviceBases,
        context: &Context,
        on_host: impl Fn(u32) -> Bases + Sync,
    ) -> Result<Run, DeviceError> {
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
        let mut outputs = executor.run(&slices).map_err(failed)?;
        let extended = joined(sinks.extended.into_iter().map(|sink| outputs.take(sink)));
        let spent = joined(sinks.spent.into_iter().map(|sink| outputs.take(sink)));
        Ok(Run {
            words: extended.len() + spent.len(),
            hits: diagonals::admitted(context, &extended, &spent, bases.chunks.len(), on_host),
            device_seconds: outputs.device_seconds,
            metrics: outputs.metrics,
        })
    }
}

/// Lists end to end; the first, which is the longest, is not copied.
fn joined<T>(lists: impl Iterator<Item = Vec<T>>) -> Vec<T> {
    let join = |mut all: Vec<T>, mut list: Vec<T>| {
        all.append(&mut list);
        all
    };
    lists.reduce(join).unwrap_or_default()
}

fn failed(error: RunError) -> DeviceError {
    error.into_device_error("pipeline")
}
