//! What was measured, as data, as figures and as a table.

use std::fmt::Write as _;

use serde::Serialize;

use super::calibration::Calibration;
use super::figures;
use super::measured::{Figure, Measured, firings};
use crate::error::BenchError;

/// The results of all experiments of a run.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Where.
    pub device: String,
    /// Version of gpualign.
    pub version: &'static str,
    /// Quotes at the source.
    pub items: u32,
    /// Runs of each case; the median counts.
    pub runs: usize,
    /// Settings of the runtime that are the same everywhere, in words.
    pub settings: String,
    /// What work costs on the device.
    pub calibration: Calibration,
    /// The experiments, in the order asked for.
    pub experiments: Vec<Measured>,
}

impl Report {
    /// One figure for each of the papers', and for those experiments that are ours.
    ///
    /// # Errors
    /// If one cannot be drawn.
    pub fn figures(&self) -> Result<Vec<Figure>, BenchError> {
        let mut all = Vec::new();
        for measured in &self.experiments {
            all.extend(figures::draw(measured)?);
        }
        Ok(all)
    }

    /// A line for each case: what Figure 4.11 of 000 has, for every experiment.
    pub fn table(&self) -> String {
        let mut text = row(HEADINGS);
        for Measured { experiment, points, kernels } in &self.experiments {
            for point in points {
                let metrics = &point.metrics;
                text += &row([
                    experiment.name(),
                    point.app.name(),
                    point.policy,
                    &point.filter_rate.to_string(),
                    &point.level.microseconds.to_string(),
                    &point.width.to_string(),
                    &format!("{:.3}", point.seconds * 1e3),
                    &firings(metrics).to_string(),
                    &format!("{:.2}", metrics.full_firings() * 100.0),
                    &format!("{:.1}", metrics.shares()[1] * 100.0),
                ]);
            }
            for kernel in kernels {
                let [name, app] = [experiment.name(), kernel.app];
                let work = format!("{} rounds", kernel.rounds);
                let time = format!("{:.3}", kernel.seconds * 1e3);
                text += &row([name, app, "-", "-", &work, "-", &time, "-", "-", "-"]);
            }
        }
        text
    }
}

const HEADINGS: [&str; 10] = [
    "experiment",
    "app",
    "policy",
    "filter",
    "work us",
    "width",
    "ms",
    "firings",
    "full %",
    "run %",
];

fn row([experiment, app, policy, rest @ ..]: [&str; 10]) -> String {
    let mut line = format!("{experiment:<10} {app:<9} {policy:<6}");
    for field in rest {
        // Writing to a string cannot fail.
        let _ = write!(line, " {field:>9}");
    }
    line + "\n"
}
