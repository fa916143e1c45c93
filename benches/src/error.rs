//! What can go wrong with a benchmark.

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
    /// An application could not be run.
    #[error("{app} cannot be run")]
    Run {
        /// Its name.
        app: &'static str,
        /// Why.
        source: RunError,
    },
    /// An application yielded other quotes than it has to.
    #[error("{app}: {wrong} of {expected} quotes are missing or wrong at the sinks")]
    WrongOutput {
        /// Its name.
        app: &'static str,
        /// Quotes that only one side has.
        wrong: usize,
        /// Quotes expected.
        expected: usize,
    },
    /// A variant of the aligner finds other hits than the first one.
    #[error("{variant}: finds {found} hits that are not the {expected} of the first variant")]
    OtherHits {
        /// Its name.
        variant: String,
        /// Hits that it finds.
        found: usize,
        /// Hits of the first variant.
        expected: usize,
    },
    /// A GPU finds other chains of reads than the CPU.
    #[error("the GPU finds other chains than the CPU")]
    OtherChains,
    /// A GPU failed, and the CPU would be measured from then on.
    #[error("the GPU was given up: {0}")]
    GivenUp(String),
    /// An experiment is about GPUs, and there is none.
    #[error("{0}: needs a GPU")]
    NeedsGpu(&'static str),
    /// A kernel aligned pairs in another way than the CPU.
    #[error("{name}: {wrong} pairs differ from the CPU's")]
    WrongAlignments {
        /// What was measured.
        name: &'static str,
        /// How many differ.
        wrong: usize,
    },
    /// A scoring is malformed.
    #[error(transparent)]
    Scoring(#[from] nw_batch::ScoringError),
    /// The GPU failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// A figure could not be drawn.
    #[error("{figure}: cannot be drawn: {reason}")]
    Figure {
        /// Its name.
        figure: &'static str,
        /// Why.
        reason: String,
    },
}
