//! Batches on their way through the GPU: planned, then launched, then waited for.

use aligner_core::gpu::{DeviceBuffer, Event};

use crate::alignment::{AlignmentEnd, CigarRun, TracedAlignment};
use crate::batch::PairBatch;
use crate::gpu::plan::edit::EditLaunch;
use crate::gpu::plan::full_matrix::{FullMatrixKernel, MatrixGroup};
use crate::gpu::plan::strips::StripPart;
use crate::gpu::plan::warp::{TracebackPlan, WarpLaunch};

/// Planned batch: the launches for its scores or alignments.
#[derive(Debug)]
pub struct PlannedBatch<'a> {
    pub(super) batch: PairBatch<'a>,
    pub(super) launches: PlannedLaunches,
    /// Indices of the pairs that no kernel aligns.
    pub(super) left: Vec<usize>,
}

/// Launches of a planned batch, by the kind of kernels.
#[derive(Debug)]
pub(super) enum PlannedLaunches {
    Warp(Vec<WarpLaunch>, Vec<StripPart>),
    Edit(Vec<EditLaunch>, Vec<StripPart>),
    FullMatrix(FullMatrixKernel, Vec<MatrixGroup>),
    Traceback(TracebackPlan),
}

/// Launched batch, whose results the GPU is computing.
#[derive(Debug)]
pub struct LaunchedBatch {
    /// Event after the last kernel. Dropped first: it waits for the kernels, which use the memory below.
    pub(super) done: Event,
    pub(super) results: DeviceResults,
    /// Indices of the pairs that no kernel aligns.
    pub left: Vec<usize>,
    pub(super) _held: Vec<HeldMemory>,
}

/// Memory that kernels write results to, in the order of the pairs.
#[derive(Debug)]
pub(super) enum DeviceResults {
    Ends(DeviceBuffer<AlignmentEnd>),
    Scores(DeviceBuffer<i32>),
    MatrixGroups(Vec<MatrixGroupScores>),
    Alignments {
        alignments: DeviceBuffer<TracedAlignment>,
        /// Number of runs of all alignments.
        run_count: DeviceBuffer<u64>,
        runs: DeviceBuffer<CigarRun>,
    },
}

/// Scores of a group of pairs whose full matrices are in memory together.
#[derive(Debug)]
pub(super) struct MatrixGroupScores {
    /// Indices of the pairs in the batch.
    pub(super) pairs: Vec<usize>,
    pub(super) scores: DeviceBuffer<i32>,
    /// Memory that the kernels read.
    pub(super) _held: Vec<HeldMemory>,
}

/// Device memory of any type, which is kept alive until kernels have used it.
pub(super) type HeldMemory = Box<dyn DeviceMemory>;

/// Anything that owns device memory.
pub(super) trait DeviceMemory: std::fmt::Debug + Send {}
impl<T: std::fmt::Debug + Send> DeviceMemory for T {}
