//! What a device does for a search. Everything above it is the same for all devices, and so can be tested
//! with one that runs the same kernels on the CPU.

use std::fmt::Debug;

use aligner_core::DeviceError;
use aligner_core::gpu::{Address, DeviceBuffer, Gpu};
use aligner_core::stream::{Backend, CudaBackend};

use crate::gpu::extensions::parameters::{TracedSides, GreedyScores, ExtensionSide};
use crate::gpu::extensions::traces::{DeviceQueries, GpuExtensions};
use crate::gpu::pairs::PairKernels;
use crate::gpu::pipeline::PipelineBuild;
use crate::gpu::pipeline::tables::{DatabaseChunk, FIRST_BASE};
use crate::gpu::pipeline::diagonals::{AdmittedHits, QueryPiece};
use crate::gpu::pipeline::gpu_pipeline::{GpuPipeline, settings};
use crate::gpu::pipeline::stages::PipelineInputs;
use crate::query::batch::Batch;
use crate::scoring::Scoring;

/// A device that looks up words and extends alignments. All errors are the device's: memory that does not
/// suffice, or a failure.
pub trait Worker: Debug + Send + Sync {
    /// ChunkBases of a part of a database in its memory.
    type Bases: Debug + Send + Sync;
    /// All letters of one.
    type Letters: Debug + Send + Sync;
    /// Queries.
    type Queries;
    /// Where its kernels run.
    type Backend: Backend;

    /// Takes packed bases, four a byte.
    ///
    /// # Errors
    /// See [`Worker`].
    fn bases(&self, packed: &[u8]) -> Result<Self::Bases, DeviceError>;

    /// Takes a [`crate::gpu::extensions::parameters::text`].
    ///
    /// # Errors
    /// See [`Worker`].
    fn letters(&self, text: &[u32]) -> Result<Self::Letters, DeviceError>;

    /// Takes the queries of a batch.
    ///
    /// # Errors
    /// See [`Worker`].
    fn queries(&self, batch: &Batch, scoring: &Scoring) -> Result<Self::Queries, DeviceError>;

    /// The ungapped alignments of a piece of the queries, whose words `context` has, with chunks of `bases`,
    /// whatever the chunks in `context`.
    ///
    /// # Errors
    /// See [`Worker`].
    fn ungapped(
        &self,
        bases: &Self::Bases,
        chunks: &[DatabaseChunk],
        context: &PipelineInputs,
        piece: QueryPiece<'_>,
    ) -> Result<AdmittedHits<Self::Backend>, DeviceError>;

    /// The kernels for what becomes of them.
    fn pairs(&self) -> &PairKernels<Self::Backend>;

    /// Where the first base is.
    fn address(&self, bases: &Self::Bases) -> u64;

    /// Extends sides with their columns: rows are letters of the queries, columns those of the database.
    ///
    /// # Errors
    /// See [`Worker`].
    fn traces(
        &self,
        queries: &Self::Queries,
        letters: &Self::Letters,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError>;

    /// The same greedily, with rows and columns exchanged.
    ///
    /// # Errors
    /// See [`Worker`].
    fn greedy_traces(
        &self,
        queries: &Self::Queries,
        letters: &Self::Letters,
        scores: GreedyScores,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError>;
}

/// A GPU.
#[derive(Debug)]
pub struct GpuWorker {
    gpu: Gpu,
    pipeline: GpuPipeline,
    pairs: PairKernels<CudaBackend>,
    extensions: GpuExtensions,
}

impl GpuWorker {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Self {
            gpu: gpu.clone(),
            pipeline: GpuPipeline::new(gpu.clone(), PipelineBuild::Split, settings(256))?,
            pairs: PairKernels::new(gpu)?,
            extensions: GpuExtensions::new(gpu.clone())?,
        })
    }
}

impl Worker for GpuWorker {
    type Bases = DeviceBuffer<u64>;
    type Letters = DeviceBuffer<u32>;
    type Queries = DeviceQueries;
    type Backend = CudaBackend;

    fn bases(&self, packed: &[u8]) -> Result<Self::Bases, DeviceError> {
        self.pipeline.upload(packed)
    }

    fn letters(&self, text: &[u32]) -> Result<Self::Letters, DeviceError> {
        self.gpu.upload(text)
    }

    fn queries(&self, batch: &Batch, scoring: &Scoring) -> Result<DeviceQueries, DeviceError> {
        DeviceQueries::new(&self.gpu, batch, scoring)
    }

    fn ungapped(
        &self,
        bases: &Self::Bases,
        chunks: &[DatabaseChunk],
        context: &PipelineInputs,
        piece: QueryPiece<'_>,
    ) -> Result<AdmittedHits<CudaBackend>, DeviceError> {
        Ok(self.pipeline.run(bases, chunks, context, piece)?.admitted)
    }

    fn pairs(&self) -> &PairKernels<CudaBackend> {
        &self.pairs
    }

    fn address(&self, bases: &Self::Bases) -> u64 {
        bases.address(&self.gpu) + FIRST_BASE
    }

    fn traces(
        &self,
        queries: &DeviceQueries,
        letters: &Self::Letters,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        self.extensions.traces(queries, letters, sides)
    }

    fn greedy_traces(
        &self,
        queries: &DeviceQueries,
        letters: &Self::Letters,
        scores: GreedyScores,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        self.extensions.greedy_traces(queries, letters, scores, sides)
    }
}
