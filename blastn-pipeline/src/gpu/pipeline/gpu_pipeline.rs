//! The pipeline as kernels of a GPU.

use std::sync::{Mutex, MutexGuard, PoisonError};

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer, Gpu};
use aligner_core::stream::{
    CudaBackend, CudaExecutor, Kernels, LoadedKernels, Metrics, RunError, Settings,
};

use super::application::{PipelineBuild, slices, topology};
use super::diagonals::{AdmittedHits, DiagonalRule, QueryPiece};
use super::lookup_tables::LookupTables;
use super::stages::PipelineInputs;
use super::tables::{
    DatabaseChunk, PerArray, PerLookupArray, PipelineArrays, PipelineTables, packed_words,
};

const SPLIT: Kernels =
    Kernels { name: "pipeline", fatbin: include_bytes!("../../../cuda/pipeline.fatbin") };
const MERGED: Kernels =
    Kernels { name: "merged", fatbin: include_bytes!("../../../cuda/merged.fatbin") };

/// Settings of the pipeline in blocks of `width` threads. No queue is in shared memory, which serves as cache for the lookup
/// table instead.
pub fn settings(width: u32) -> Settings {
    Settings { width, shared_queues: 0, ..Settings::default() }
}

/// The pipeline on a GPU: its kernels, and the rule of diagonals.
#[derive(Debug)]
pub struct GpuPipeline {
    gpu: Gpu,
    build: PipelineBuild,
    settings: Settings,
    app: LoadedKernels,
    /// Bytes and items that the last run left in each sink: as many are expected of the next run.
    likely: Mutex<Vec<(usize, u64)>>,
    lookup_tables: LookupTables<CudaBackend>,
    rule: DiagonalRule<CudaBackend>,
}

/// Room for expected outputs is made in advance if twice their size is at most this part (1/4) of the free memory.
const FREE_MEMORY_PART: u64 = 4;

/// Tables of a piece of the queries in device memory, for runs of any chunks.
#[derive(Debug)]
pub struct PieceTables {
    inputs: PipelineInputs,
    /// The tables without a database.
    tables: PipelineTables,
    /// Keeps the arrays of `tables` alive.
    _arrays: PerArray<DeviceBuffer<u8>>,
    _lookup: PerLookupArray<DeviceBuffer<u8>>,
}

/// Results and measurements of a run of the pipeline.
pub struct PipelineRun {
    /// Ungapped alignments that the rule of diagonals admits.
    pub admitted: AdmittedHits<CudaBackend>,
    /// Number of seeds, whether they scored enough or not.
    pub words: usize,
    /// Time of the kernels.
    pub device_seconds: f64,
    /// Measurements of the streaming runtime.
    pub metrics: Metrics,
}

impl GpuPipeline {
    /// Loads the kernels of the pipeline onto a GPU.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: Gpu, build: PipelineBuild, settings: Settings) -> Result<Self, DeviceError> {
        let kernels = if build == PipelineBuild::Split { SPLIT } else { MERGED };
        let app = kernels.load(&gpu, settings.width).map_err(failed)?;
        let (lookup_tables, rule) = (LookupTables::new(&gpu)?, DiagonalRule::new(&gpu)?);
        Ok(Self { gpu, build, settings, app, likely: Mutex::default(), lookup_tables, rule })
    }

    /// Copies bases, which are four a byte, to the device.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub fn upload(&self, packed: &[u8]) -> Result<DeviceBuffer<u64>, DeviceError> {
        self.gpu.upload(&packed_words(packed))
    }

    /// Copies what kernels read about a piece of the queries, whose words `inputs` has, to the device, and makes their lookup table
    /// there; the chunks of `inputs` are not used.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if it does not fit, or the driver fails.
    pub fn piece_tables(&self, inputs: PipelineInputs) -> Result<PieceTables, DeviceError> {
        let arrays = PipelineArrays::new(&inputs);
        let uploaded = arrays.bytes().try_map(|array| self.gpu.upload(array))?;
        let address = |buffer: &DeviceBuffer<u8>| buffer.device_address(&self.gpu).get();
        let addresses = uploaded.map(address);
        let letters = (DeviceAddress::new(addresses.letters), inputs.batch.letters.len());
        let lookup = self.lookup_tables.table(&inputs.lookup, letters)?;
        let tables = arrays.tables(&addresses, &lookup.map(address));
        Ok(PieceTables { inputs, tables, _arrays: uploaded, _lookup: lookup })
    }

    /// Finds the ungapped alignments of a piece of the queries with chunks of `bases`.
    ///
    /// # Errors
    /// [`DeviceError::OutOfMemory`] if they do not fit, or the driver fails.
    pub fn run(
        &self,
        bases: &DeviceBuffer<u64>,
        chunks: &[DatabaseChunk],
        PieceTables { inputs, tables, .. }: &PieceTables,
        piece: QueryPiece<'_>,
    ) -> Result<PipelineRun, DeviceError> {
        let on_device = self.gpu.upload(chunks)?;
        let tables = tables.with_database(
            bases.device_address(&self.gpu).get(),
            on_device.device_address(&self.gpu).get(),
        );
        let (app, sinks) = topology(inputs, self.build);
        let likely = self.likely().clone();
        let bytes: usize = likely.iter().map(|&(bytes, _)| bytes).sum();
        let fits = 2 * bytes as u64 <= self.gpu.free_memory()? / FREE_MEMORY_PART;
        let counts = likely.into_iter().map(|(_, count)| count);
        let likely_outputs = if fits { counts.collect() } else { Vec::new() };
        let settings = Settings { likely_outputs, ..self.settings.clone() };
        let executor = CudaExecutor::loaded(&self.app, &app, &settings, &tables).map_err(failed)?;
        let slices = slices(&inputs.lookup, chunks.iter().map(|chunk| chunk.length));
        let mut outputs = executor.run_in_place(&slices).map_err(failed)?;
        *self.likely() = outputs.counts().collect();
        let (extended, unaligned) = (outputs.take(sinks.extended)?, outputs.take(sinks.unaligned)?);
        Ok(PipelineRun {
            words: extended.count + unaligned.count,
            admitted: self.rule.admitted(&tables, chunks, (extended, unaligned), piece)?,
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
