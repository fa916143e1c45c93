//! Workers: what a device does for a search. The code above is the same for all devices, so tests use a worker that runs the
//! same kernels on the CPU.

use std::fmt::Debug;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceAddress, DeviceBuffer, Gpu};
use aligner_core::stream::{Backend, CudaBackend};

use crate::gpu::gapped::parameters::{ExtensionSide, GreedyScores, TracedSides};
use crate::gpu::gapped::traces::{DeviceQueries, TraceExtender};
use crate::gpu::pairs::PairKernels;
use crate::gpu::pipeline::PipelineBuild;
use crate::gpu::pipeline::diagonals::{AdmittedHits, QueryPiece};
use crate::gpu::pipeline::gpu_pipeline::{GpuPipeline, PieceTables, settings};
use crate::gpu::pipeline::stages::PipelineInputs;
use crate::gpu::pipeline::tables::{DatabaseChunk, first_bases};
use crate::query::batch::QueryBatch;
use crate::scoring::Scoring;

/// A device that looks up words and extends alignments, on a stream of its own. All errors are the device's: memory that does
/// not suffice, or a failure.
pub trait Worker: Debug + Send + Sync {
    /// Bases of a part of a database in device memory.
    type Bases: Debug + Send + Sync;
    /// All letters of a part of a database in device memory.
    type Letters: Debug + Send + Sync;
    /// Tables of a piece of the queries of a batch in device memory, for seeding.
    type PieceTables;
    /// Queries of a batch in device memory.
    type Queries;
    /// The backend that runs its kernels.
    type Backend: Backend<Buffer: Send + Sync> + Send + Sync;

    /// Copies bases, which are four a byte, to the device, and waits: other workers, on other streams, read them, too.
    ///
    /// # Errors
    /// See [`Worker`].
    fn bases(&self, packed: &[u8]) -> Result<Self::Bases, DeviceError>;

    /// Copies a [`text`](crate::gpu::gapped::text::text) to the device, and waits, as [`bases`](Self::bases).
    ///
    /// # Errors
    /// See [`Worker`].
    fn letters(&self, text: &[u32]) -> Result<Self::Letters, DeviceError>;

    /// Copies the queries of a batch to the device.
    ///
    /// # Errors
    /// See [`Worker`].
    fn queries(&self, batch: &QueryBatch, scoring: &Scoring) -> Result<Self::Queries, DeviceError>;

    /// Copies what seeding needs of a piece of the queries, whose words `inputs` has, to the device; the chunks of `inputs` are not
    /// used.
    ///
    /// # Errors
    /// See [`Worker`].
    fn piece_tables(&self, inputs: PipelineInputs) -> Result<Self::PieceTables, DeviceError>;

    /// Finds the ungapped alignments of a piece of the queries with chunks of `bases`.
    ///
    /// # Errors
    /// See [`Worker`].
    fn ungapped(
        &self,
        bases: &Self::Bases,
        chunks: &[DatabaseChunk],
        tables: &Self::PieceTables,
        piece: QueryPiece<'_>,
    ) -> Result<AdmittedHits<Self::Backend>, DeviceError>;

    /// The kernels for pairs of queries and chunks.
    fn pairs(&self) -> &PairKernels<Self::Backend>;

    /// Address of the first base.
    fn address(&self, bases: &Self::Bases) -> DeviceAddress<u32>;

    /// Extends sides with affine gap costs, with their columns. Rows are letters of the queries, columns those of the database.
    ///
    /// # Errors
    /// See [`Worker`].
    fn traces(
        &self,
        queries: &Self::Queries,
        letters: &Self::Letters,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError>;

    /// Extends sides greedily, with their columns. Here rows are letters of the database and columns those of the queries,
    /// unlike in [`Worker::traces`]: fronts hold positions of the subject.
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

/// A GPU as a worker.
#[derive(Debug)]
pub struct GpuWorker {
    gpu: Gpu,
    pipeline: GpuPipeline,
    pairs: PairKernels<CudaBackend>,
    trace_extender: TraceExtender,
}

impl GpuWorker {
    /// Loads all kernels onto a GPU.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        Ok(Self {
            gpu: gpu.clone(),
            pipeline: GpuPipeline::new(gpu.clone(), PipelineBuild::Split, settings(256))?,
            pairs: PairKernels::new(gpu)?,
            trace_extender: TraceExtender::new(gpu.clone())?,
        })
    }
}

impl Worker for GpuWorker {
    type Bases = DeviceBuffer<u64>;
    type Letters = DeviceBuffer<u32>;
    type PieceTables = PieceTables;
    type Queries = DeviceQueries;
    type Backend = CudaBackend;

    fn bases(&self, packed: &[u8]) -> Result<Self::Bases, DeviceError> {
        let bases = self.pipeline.upload(packed)?;
        self.gpu.synchronize()?;
        Ok(bases)
    }

    fn letters(&self, text: &[u32]) -> Result<Self::Letters, DeviceError> {
        let letters = self.gpu.upload(text)?;
        self.gpu.synchronize()?;
        Ok(letters)
    }

    fn queries(&self, batch: &QueryBatch, scoring: &Scoring) -> Result<DeviceQueries, DeviceError> {
        DeviceQueries::new(&self.gpu, batch, scoring)
    }

    fn piece_tables(&self, inputs: PipelineInputs) -> Result<PieceTables, DeviceError> {
        self.pipeline.piece_tables(inputs)
    }

    fn ungapped(
        &self,
        bases: &Self::Bases,
        chunks: &[DatabaseChunk],
        tables: &PieceTables,
        piece: QueryPiece<'_>,
    ) -> Result<AdmittedHits<CudaBackend>, DeviceError> {
        Ok(self.pipeline.run(bases, chunks, tables, piece)?.admitted)
    }

    fn pairs(&self) -> &PairKernels<CudaBackend> {
        &self.pairs
    }

    fn address(&self, bases: &Self::Bases) -> DeviceAddress<u32> {
        first_bases(bases.device_address(&self.gpu).get())
    }

    fn traces(
        &self,
        queries: &DeviceQueries,
        letters: &Self::Letters,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        self.trace_extender.traces(queries, letters, sides)
    }

    fn greedy_traces(
        &self,
        queries: &DeviceQueries,
        letters: &Self::Letters,
        scores: GreedyScores,
        sides: &[ExtensionSide],
    ) -> Result<TracedSides, DeviceError> {
        self.trace_extender.greedy_traces(queries, letters, scores, sides)
    }
}
