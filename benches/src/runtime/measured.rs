//! The results of one experiment, and the figures drawn from them.

use aligner_core::stream::Metrics;
use serde::Serialize;

use super::experiments::Experiment;
use super::prefetch::Timing;
use super::runner::Point;

/// The results of one experiment.
#[derive(Debug, Clone, Serialize)]
pub struct Measured {
    /// Which one.
    pub experiment: Experiment,
    /// Its cases.
    pub points: Vec<Point>,
    /// What it measures outside of the runtime: kernels with memory warps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kernels: Vec<Timing>,
}

/// A drawing.
#[derive(Debug, Clone)]
pub struct Figure {
    /// Its name, fit for a file name.
    pub name: &'static str,
    /// The drawing.
    pub svg: String,
}

/// Firings of all modules.
pub(crate) fn firings(metrics: &Metrics) -> u64 {
    metrics.modules.iter().map(|module| module.firings).sum()
}
