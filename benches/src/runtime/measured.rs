//! The results of one experiment, and the figures drawn from them.

use aligner_core::stream::Metrics;
use serde::Serialize;

use super::choices::ChoiceTiming;
use super::experiments::Experiment;
use super::overflow::OverflowTiming;
use super::prefetch::PrefetchTiming;
use super::runner::CaseTiming;
use super::trees::TreeTiming;

/// The results of one experiment.
#[derive(Debug, Clone, Serialize)]
pub struct ExperimentResult {
    /// The experiment that was run.
    pub experiment: Experiment,
    /// The measured cases, in the order of the experiment.
    pub points: Vec<CaseTiming>,
    /// Timings of kernels outside of the runtime, by the experiment on memory warps only.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<PrefetchTiming>,
    /// Timings of the experiment on outputs that do not fit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overflow: Vec<OverflowTiming>,
    /// Timings of the experiment on trees.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trees: Vec<TreeTiming>,
    /// Choices of the experiment on choices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<ChoiceTiming>,
}

/// A figure as SVG.
#[derive(Debug, Clone)]
pub struct Figure {
    /// The name, which is also a file name without extension.
    pub name: &'static str,
    /// The whole SVG document.
    pub svg: String,
}

/// The number of firings of all modules together.
pub(crate) fn firings(metrics: &Metrics) -> u64 {
    metrics.modules.iter().map(|module| module.firings).sum()
}
