//! The streaming runtime under the synthetic applications of the papers (Cole 2017, sections 3.4 and 4.5.1).
//!
//! ```text
//!   App --build--> Topology ----+
//!   Experiment --groups--> Case +--Runner--> CaseTiming --> RuntimeReport --> figures (SVG), table, JSON
//!   Calibration --level--> WorkLevel
//! ```

pub mod apps;
pub mod calibration;
mod case;
pub mod choices;
pub mod experiments;
mod figures;
pub mod measured;
pub mod overflow;
pub mod prefetch;
pub mod quote;
pub mod report;
pub mod runner;
pub mod stages;
pub mod trees;

use aligner_core::Device;

use calibration::Calibration;
use experiments::{Experiment, Scale};
use measured::ExperimentResult;
use report::RuntimeReport;
use runner::Runner;

use crate::error::BenchError;

pub use case::WorkLevel;

/// The experiments to run, and their size.
#[derive(Debug, Clone)]
pub struct RuntimeOptions {
    /// Quotes that each application gets.
    pub items: u32,
    /// Fewer cases and fewer runs of each.
    pub quick: bool,
    /// The experiments, in the order of the report.
    pub experiments: Vec<Experiment>,
}

/// The default number of quotes: that of the dissertation for a GPU, and fewer for a CPU, so that a run takes a similar time.
pub fn default_items(device: &Device) -> u32 {
    match device {
        Device::Cpu => 20_000,
        Device::Cuda(_) => 1_000_000,
    }
}

/// Measures the runtime on a device. `progress` gets the name of each step before it begins. On a CPU the blocks run on
/// the current rayon pool.
///
/// # Errors
/// If an application fails or yields other quotes than a plain loop, or an experiment needs a GPU and the device
/// is the CPU.
pub fn runtime(
    device: &Device,
    options: &RuntimeOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<RuntimeReport, BenchError> {
    let (scale, runs) = if options.quick { (Scale::QUICK, 3) } else { (Scale::FULL, 5) };
    let runner = Runner { device, runs };
    // Checked before the other experiments take their time.
    for experiment in [Experiment::Overflow, Experiment::Prefetch] {
        if matches!(device, Device::Cpu) && options.experiments.contains(&experiment) {
            return Err(BenchError::NeedsGpu(experiment.name()));
        }
    }
    progress("calibrating");
    let calibration = Calibration::measure(&runner, scale.width)?;
    let inputs = quote::inputs(options.items);
    let mut experiments = Vec::new();
    for &experiment in &options.experiments {
        let groups = experiment.groups(&scale, &calibration);
        let mut points = Vec::new();
        for (index, cases) in groups.iter().enumerate() {
            progress(&format!("{experiment} {}/{}", index + 1, groups.len()));
            points.extend(runner.compare(cases, &inputs)?);
        }
        let mut kernels = Vec::new();
        if experiment == Experiment::Prefetch {
            progress(experiment.name());
            kernels = prefetch::measure(device, runs, &inputs)?;
        }
        let mut overflow = Vec::new();
        if experiment == Experiment::Overflow {
            progress(experiment.name());
            let levels: Vec<WorkLevel> =
                scale.overflow.iter().map(|&work| calibration.level(work)).collect();
            overflow = overflow::measure(device, runs, &inputs, &levels, scale.width)?;
        }
        let mut explored = Vec::new();
        if experiment == Experiment::Trees {
            progress(experiment.name());
            explored = trees::measure(device, runs, options.items)?;
        }
        let mut chosen = Vec::new();
        if experiment == Experiment::Choices {
            let work = (scale.choices, &calibration);
            chosen = choices::measure(device, runs, &inputs, work, progress)?;
        }
        let (trees, choices) = (explored, chosen);
        experiments.push(ExperimentResult {
            experiment,
            points,
            kernels,
            overflow,
            trees,
            choices,
        });
    }
    Ok(RuntimeReport {
        device: device.describe(),
        version: env!("CARGO_PKG_VERSION"),
        items: options.items,
        runs,
        settings: Runner::describe(),
        calibration,
        experiments,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use aligner_core::gpu::{DeviceStruct, LayoutHeader};

    use super::prefetch::PriceParameters;
    use super::quote::{Model, Quote};
    use super::trees::{Forest, TreeNode};

    #[test]
    fn layouts() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("cuda/include/benches/layouts.cuh");
        let includes = ["benches/price.cuh", "benches/quote.cuh", "benches/trees.cuh"];
        let structs = [
            Quote::LAYOUT,
            Model::LAYOUT,
            PriceParameters::LAYOUT,
            TreeNode::LAYOUT,
            Forest::LAYOUT,
        ];
        LayoutHeader { namespace: "benches", includes: &includes, structs: &structs }.check(&path);
    }
}
