//! The results of a run: data, figures and a table.

use std::fmt::Write as _;

use serde::Serialize;

use super::calibration::Calibration;
use super::figures;
use super::measured::{ExperimentResult, Figure, firings};
use crate::error::BenchError;

/// The results of all experiments of a run.
#[derive(Debug, Clone, Serialize)]
pub struct RuntimeReport {
    /// The device that was measured, in words.
    pub device: String,
    /// The version of gpualign.
    pub version: &'static str,
    /// Quotes at the source.
    pub items: u32,
    /// Timed runs of each case; the median counts.
    pub runs: usize,
    /// The settings of the runtime that all cases share, in words.
    pub settings: String,
    /// The time that work takes on the device.
    pub calibration: Calibration,
    /// Results of the experiments, in the order of the request.
    pub experiments: Vec<ExperimentResult>,
}

impl RuntimeReport {
    /// Draws the figures of all experiments.
    ///
    /// # Errors
    /// If a figure cannot be drawn.
    pub fn figures(&self) -> Result<Vec<Figure>, BenchError> {
        let mut all = Vec::new();
        for measured in &self.experiments {
            all.extend(figures::draw(measured)?);
        }
        Ok(all)
    }

    /// A table with a line for each case, with the columns of Cole 2017, figure 4.11, for every experiment.
    pub fn table(&self) -> String {
        let mut text = row(HEADINGS);
        for measured in &self.experiments {
            let ExperimentResult { experiment, points, kernels, overflow, trees, choices } =
                measured;
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
            for tree in trees {
                let metrics = &tree.metrics;
                text += &row([
                    experiment.name(),
                    tree.app,
                    "-",
                    "-",
                    &format!("depth {}", tree.depth),
                    &metrics.width.to_string(),
                    &format!("{:.3}", tree.seconds * 1e3),
                    &firings(metrics).to_string(),
                    &format!("{:.2}", metrics.full_firings() * 100.0),
                    &format!("{:.1}", metrics.shares()[1] * 100.0),
                ]);
            }
            for timing in overflow {
                let work = timing.level.microseconds.to_string();
                let share = format!("{:.0}%", timing.asked_share * 100.0);
                let time = format!("{:.3}", timing.seconds * 1e3);
                let [name, launches] = [experiment.name(), &timing.launches.to_string()];
                text +=
                    &row([name, timing.scheme, "-", &share, &work, "-", &time, launches, "-", "-"]);
            }
            for choice in choices {
                text += &choice.line();
            }
            for kernel in kernels {
                let [name, app] = [experiment.name(), kernel.app];
                let work = format!("{} rounds", kernel.rounds);
                let blocks = format!("{} a SM", kernel.resident);
                let time = format!("{:.3}", kernel.seconds * 1e3);
                text += &row([name, app, "-", &blocks, &work, "-", &time, "-", "-", "-"]);
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
