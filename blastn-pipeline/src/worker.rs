//! What a device does for a search. Everything above it is the same for all devices, and so can be tested
//! with one that runs the same kernels on the CPU.

use std::fmt::Debug;

use aligner_core::DeviceError;
use aligner_core::gpu::{DeviceBuffer, Gpu};
use aligner_core::stream::Settings;

use crate::extensions::device::{Answers, GreedyReached, GreedyScores, Side};
use crate::extensions::gpu::{DeviceQueries, GpuExtensions};
use crate::pipeline::Build;
use crate::pipeline::device::DeviceChunk;
use crate::pipeline::diagonals::{Admitted, Piece};
use crate::pipeline::gpu::GpuPipeline;
use crate::pipeline::stages::Context;
use crate::queries::Batch;
use crate::scoring::Scoring;

/// A device that looks up words and extends alignments. All errors are the device's: memory that does not
/// suffice, or a failure.
pub trait Worker: Debug + Sync {
    /// Bases of a part of a database in its memory.
    type Bases: Debug + Send;
    /// All letters of one.
    type Letters: Debug + Send;
    /// Queries.
    type Queries;

    /// Takes packed bases, four a byte.
    ///
    /// # Errors
    /// See [`Worker`].
    fn bases(&self, packed: &[u8]) -> Result<Self::Bases, DeviceError>;

    /// Takes a [`crate::extensions::device::text`].
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
        chunks: &[DeviceChunk],
        context: &Context,
        piece: Piece<'_>,
    ) -> Result<Admitted, DeviceError>;

    /// Extends sides for the score: rows are bases of the database, columns letters of the queries.
    ///
    /// # Errors
    /// See [`Worker`].
    fn scores(
        &self,
        queries: &Self::Queries,
        bases: &Self::Bases,
        sides: &[Side],
    ) -> Result<Answers, DeviceError>;

    /// The same greedily.
    ///
    /// # Errors
    /// See [`Worker`].
    fn greedy_scores(
        &self,
        queries: &Self::Queries,
        bases: &Self::Bases,
        scores: GreedyScores,
        sides: &[Side],
    ) -> Result<Vec<GreedyReached>, DeviceError>;

    /// Extends sides with their columns: rows are letters of the queries, columns those of the database.
    ///
    /// # Errors
    /// See [`Worker`].
    fn traces(
        &self,
        queries: &Self::Queries,
        letters: &Self::Letters,
        sides: &[Side],
    ) -> Result<Answers, DeviceError>;

    /// The same greedily, with rows and columns exchanged.
    ///
    /// # Errors
    /// See [`Worker`].
    fn greedy_traces(
        &self,
        queries: &Self::Queries,
        letters: &Self::Letters,
        scores: GreedyScores,
        sides: &[Side],
    ) -> Result<Answers, DeviceError>;
}

/// A GPU.
#[derive(Debug)]
pub struct GpuWorker {
    gpu: Gpu,
    pipeline: GpuPipeline,
    extensions: GpuExtensions,
}

impl GpuWorker {
    /// Loads the kernels.
    ///
    /// # Errors
    /// If the driver fails.
    pub fn new(gpu: &Gpu) -> Result<Self, DeviceError> {
        let settings = Settings { width: 256, ..Settings::default() };
        Ok(Self {
            gpu: gpu.clone(),
            pipeline: GpuPipeline::new(gpu.clone(), Build::Split, settings)?,
            extensions: GpuExtensions::new(gpu.clone())?,
        })
    }
}

impl Worker for GpuWorker {
    type Bases = DeviceBuffer<u64>;
    type Letters = DeviceBuffer<u32>;
    type Queries = DeviceQueries;

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
        chunks: &[DeviceChunk],
        context: &Context,
        piece: Piece<'_>,
    ) -> Result<Admitted, DeviceError> {
        Ok(self.pipeline.run(bases, chunks, context, piece)?.admitted)
    }

    fn scores(
        &self,
        queries: &DeviceQueries,
        bases: &Self::Bases,
        sides: &[Side],
    ) -> Result<Answers, DeviceError> {
        self.extensions.scores(queries, bases, sides)
    }

    fn greedy_scores(
        &self,
        queries: &DeviceQueries,
        bases: &Self::Bases,
        scores: GreedyScores,
        sides: &[Side],
    ) -> Result<Vec<GreedyReached>, DeviceError> {
        self.extensions.greedy_scores(queries, bases, scores, sides)
    }

    fn traces(
        &self,
        queries: &DeviceQueries,
        letters: &Self::Letters,
        sides: &[Side],
    ) -> Result<Answers, DeviceError> {
        self.extensions.traces(queries, letters, sides)
    }

    fn greedy_traces(
        &self,
        queries: &DeviceQueries,
        letters: &Self::Letters,
        scores: GreedyScores,
        sides: &[Side],
    ) -> Result<Answers, DeviceError> {
        self.extensions.greedy_traces(queries, letters, scores, sides)
    }
}
