//! Errors of benchmarks.

use aligner_core::DeviceError;
use aligner_core::stream::RunError;
use thiserror::Error;

/// Why a benchmark has no result.
#[derive(Debug, Error)]
pub enum BenchError {
    /// There is no experiment of this name.
    #[error("unknown experiment '{name}': expected one of {expected}")]
    UnknownExperiment {
        /// The name that was given.
        name: String,
        /// The names of all experiments, separated by commas.
        expected: String,
    },
    /// An application of the runtime could not be run.
    #[error("{app} cannot be run")]
    Run {
        /// The name of the application.
        app: &'static str,
        /// The error that the runtime returned.
        source: RunError,
    },
    /// An application yields other quotes than a plain loop.
    #[error("{app}: {wrong} of {expected} quotes are missing or wrong at the sinks")]
    WrongOutput {
        /// The name of the application.
        app: &'static str,
        /// Quotes that only the application or only the loop yields.
        wrong: usize,
        /// Quotes that the loop yields.
        expected: usize,
    },
    /// A variant of the aligner finds other hits than the first one.
    #[error("{variant}: finds {found} hits that are not the {expected} of the first variant")]
    OtherHits {
        /// The name of the variant.
        variant: String,
        /// Hits that it finds.
        found: usize,
        /// Hits of the first variant.
        expected: usize,
    },
    /// The GPU finds other chains of reads than the CPU.
    #[error("the GPU finds other chains than the CPU")]
    OtherChains,
    /// The mapper gave up the GPU after a failure, so that the CPU would be measured from then on.
    #[error("the GPU was given up: {0}")]
    GivenUp(String),
    /// The experiment of this name needs a GPU, and the device is the CPU.
    #[error("{0}: needs a GPU")]
    NeedsGpu(&'static str),
    /// A kernel gives other scores or alignments than the CPU.
    #[error("{name}: {wrong} pairs differ from the CPU's")]
    WrongAlignments {
        /// The name of the case that was measured.
        name: &'static str,
        /// Pairs with another result than the CPU's, among those that were checked.
        wrong: usize,
    },
    /// Blocks that the GPU compressed are damaged, or have another content.
    #[error("{wrong} of {all} compressed blocks are wrong")]
    WrongBlocks {
        /// Blocks that are wrong.
        wrong: usize,
        /// Blocks of the batch.
        all: usize,
    },
    /// A scoring of a benchmark is malformed.
    #[error(transparent)]
    Scoring(#[from] nw_batch::ScoringError),
    /// The CUDA driver or a kernel failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A figure could not be drawn.
    #[error("{figure}: cannot be drawn: {reason}")]
    Figure {
        /// The name of the figure.
        figure: &'static str,
        /// The error of the drawing library.
        reason: String,
    },
}
