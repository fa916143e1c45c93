//! Benchmarks of the streaming runtime: the synthetic applications that the papers measure it with
//! (000, sections 3.4 and 4.5.1), on a CPU or a GPU. And of the aligner of 000, chapter 2 ([`trie`]).
//!
//! # Design
//!
//! ```text
//!   App --build--> Topology ----+
//!   Experiment --groups--> Case +--Runner--> Point --> Report --> figures (SVG), table, JSON
//!   Calibration --level--> work +
//! ```
//!
//! | module | concept |
//! |---|---|
//! | [`quote`] | the items, the work on them, and which of them get through |
//! | [`stages`] | module types |
//! | [`apps`] | topologies |
//! | [`calibration`] | how much time work takes on this device |
//! | [`experiments`] | what is compared with what |
//! | `blastn` | the filter pipeline of blastn, split and merged |
//! | `extend` | extensions in bands, on the CPU or a GPU |
//! | `mapping` | the stages of everyday mapping between reads and ranked alignments |
//! | `nw` | global alignments, not of the runtime |
//! | `seeds` | seeds of reads, by stages |
//! | `prefetch` | kernels of their own, with and without memory warps |
//! | [`runner`] | running cases in turn, checking what they yield |
//! | [`trie`] | the complete aligner over the suffix trie, technique by technique |
//! | [`report`], `figures`, `chart` | results as data, tables and drawings |
//!
//! The program `evidence` (`src/bin/evidence`) is apart from all this: it measures the program gpualign beside
//! other people's.
//!
//! Every application yields the same quotes, which a plain loop tells in advance; a run that yields
//! others is an error, not a time.

pub mod apps;
mod blastn;
pub mod calibration;
mod error;
pub mod experiments;
mod extend;
mod figures;
mod firing;
mod mapping;
mod nw;
mod prefetch;
pub mod quote;
pub mod report;
pub mod runner;
mod seeds;
mod stage_use;
pub mod stages;
pub mod trie;

use aligner_core::Device;

pub use gpualign::chart;

pub use apps::App;
pub use blastn::{BlastnOptions, BlastnTiming, blastn, blastn_table};
pub use error::BenchError;
pub use experiments::Experiment;
pub use extend::{ExtendOptions, ExtendTiming, extend, extend_table};
pub use mapping::{MappingTiming, mapping, mapping_table};
pub use nw::{NwOptions, NwPoint, NwTiming, nw, nw_figures, nw_figures_table, nw_table};
pub use prefetch::{PriceParameters, Timing};
pub use report::{Figure, Measured, Report};
pub use runner::Point;
pub use seeds::{SeedsTiming, seeds, seeds_table};
pub use stage_use::StageUse;
pub use trie::{Ablation, AblationOptions, woodstocc};

use calibration::Calibration;
use experiments::Scale;
use runner::Runner;

/// What to measure.
#[derive(Debug, Clone)]
pub struct Options {
    /// Quotes at the source.
    pub items: u32,
    /// Fewer cases and fewer runs of each.
    pub quick: bool,
    /// The experiments.
    pub experiments: Vec<Experiment>,
}

/// As many quotes as the papers take for a GPU, and what a CPU can work off in a similar time.
pub fn default_items(device: &Device) -> u32 {
    match device {
        Device::Cpu => 20_000,
        Device::Cuda(_) => 1_000_000,
    }
}

/// Measures the runtime on a device. `progress` is told what comes next. On a CPU the blocks run on
/// the current rayon pool.
///
/// # Errors
/// If an application fails or yields other quotes than it has to, or an experiment is about GPUs and
/// the device is none.
pub fn runtime(
    device: &Device,
    options: &Options,
    progress: &mut dyn FnMut(&str),
) -> Result<Report, BenchError> {
    let (scale, runs) = if options.quick { (Scale::QUICK, 3) } else { (Scale::FULL, 5) };
    let runner = Runner { device, runs };
    // Found out now, not after the other experiments.
    if matches!(device, Device::Cpu) && options.experiments.contains(&Experiment::Prefetch) {
        return Err(BenchError::NeedsGpu(Experiment::Prefetch.name()));
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
        experiments.push(Measured { experiment, points, kernels });
    }
    Ok(Report {
        device: device.describe(),
        version: env!("CARGO_PKG_VERSION"),
        items: options.items,
        runs,
        settings: Runner::describe(),
        calibration,
        experiments,
    })
}
