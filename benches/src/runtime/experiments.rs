//! The experiments: which cases each compares.

use std::fmt;
use std::str::FromStr;

use aligner_core::Device;
use aligner_core::stream::OutputScheme;
use serde::Serialize;

use super::apps::App;
use super::calibration::Calibration;
use super::case::{Case, Firing};
use crate::error::BenchError;

/// An experiment. Figures and sections are those of Cole 2017.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Experiment {
    /// Pipelines with queues against the fused one, by filter rate and work (Figure 3.12).
    Filtering,
    /// Four pipelines of one, of five and of twenty module types, by work (Figure 3.13).
    Pipelines,
    /// Occupancy at each stage of four pipelines, by policy (Figure 3.14).
    Occupancy,
    /// Firings and parts of the time of single pipelines, by policy (Figures 4.9 to 4.13).
    Firings,
    /// The pipeline as a loop, by work (section 3.4.2).
    Loops,
    /// Four pipelines to their ends, or merged behind their first nodes, by work.
    Joins,
    /// One thread an item, several, and several items a thread, by work.
    Mappings,
    /// Pipelines at several ensemble widths.
    Widths,
    /// Shares of the time that gathering, running, scattering and scheduling take, with little work and with much.
    Shares,
    /// Ways for the blocks of a GPU to write to sinks, by work, with no item dropped.
    Outputs,
    /// Ways to write to sinks, by the share of the outputs that do not fit at first (Elteir 2012, figures 4.14 to 4.17).
    Overflow,
    /// Random trees, explored depth first by the runtime or by a thread for each tree, by depth.
    Trees,
    /// Settings that the runtime chooses, beside the fastest of all, by application and work.
    Choices,
    /// Blocks of a GPU with and without memory warps, by work and blocks of a multiprocessor (Hagiescu et al.): kernels of their own, without the runtime.
    Prefetch,
}

pub(crate) const SCHEMES: [OutputScheme; 3] =
    [OutputScheme::Regions, OutputScheme::Atomics, OutputScheme::CountThenWrite];

/// The name of a way to write to sinks.
pub(crate) fn scheme_name(scheme: OutputScheme) -> &'static str {
    match scheme {
        OutputScheme::Regions => "regions",
        OutputScheme::Atomics => "atomics",
        OutputScheme::CountThenWrite => "count then write",
    }
}

/// The values that experiments vary.
#[derive(Debug)]
pub(crate) struct Scale {
    /// Ensemble width of all experiments except [`Experiment::Widths`].
    pub(crate) width: u32,
    pub(crate) filter_rates: &'static [f64],
    /// Levels of work, in microseconds an ensemble.
    pub(crate) work: &'static [f64],
    pub(crate) widths: &'static [u32],
    /// Levels of work of [`Experiment::Choices`].
    pub(crate) choices: &'static [f64],
    /// Levels of work of [`Experiment::Overflow`].
    pub(crate) overflow: &'static [f64],
}

impl Scale {
    /// The values of the dissertation.
    pub(crate) const FULL: Self = Self {
        width: 128,
        filter_rates: &[0.0, 0.25, 0.5, 0.75, 1.0],
        work: &[0.0, 1.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0],
        widths: &[32, 64, 128, 256, 512, 1024],
        choices: &[1.0, 10.0, 40.0],
        overflow: &[1.0, 40.0],
    };
    /// The ends and the middle of the values.
    pub(crate) const QUICK: Self = Self {
        width: 128,
        filter_rates: &[0.0, 0.5, 1.0],
        work: &[0.0, 5.0, 40.0],
        widths: &[32, 128, 1024],
        choices: &[10.0],
        overflow: &[5.0],
    };
}

impl Experiment {
    /// Every experiment, in the order of the enum.
    pub const ALL: [Self; 14] = [
        Self::Filtering,
        Self::Pipelines,
        Self::Occupancy,
        Self::Firings,
        Self::Loops,
        Self::Joins,
        Self::Mappings,
        Self::Widths,
        Self::Shares,
        Self::Outputs,
        Self::Overflow,
        Self::Trees,
        Self::Choices,
        Self::Prefetch,
    ];

    /// The experiments that can run on a device.
    pub fn of(device: &Device) -> Vec<Self> {
        let mut all = Self::ALL.to_vec();
        all.retain(|&experiment| match device {
            Device::Cpu => !matches!(experiment, Self::Outputs | Self::Overflow | Self::Prefetch),
            Device::Cuda(_) => true,
        });
        all
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Filtering => "filtering",
            Self::Pipelines => "pipelines",
            Self::Occupancy => "occupancy",
            Self::Firings => "firings",
            Self::Loops => "loops",
            Self::Joins => "joins",
            Self::Mappings => "mappings",
            Self::Widths => "widths",
            Self::Shares => "shares",
            Self::Outputs => "outputs",
            Self::Overflow => "overflow",
            Self::Trees => "trees",
            Self::Choices => "choices",
            Self::Prefetch => "prefetch",
        }
    }

    /// All names, separated by commas, for messages.
    pub(crate) fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// The cases, in groups whose cases take turns when they are measured.
    pub(crate) fn groups(self, scale: &Scale, calibration: &Calibration) -> Vec<Vec<Case>> {
        let case = |app, policy, filter_rate, microseconds| {
            let level = calibration.level(microseconds);
            let scheme = OutputScheme::Regions;
            Case { app, policy, filter_rate, level, width: scale.width, scheme }
        };
        let by_work = |apps: &[App]| -> Vec<Vec<Case>> {
            let group =
                |&work: &f64| apps.iter().map(|&app| case(app, Firing::Lazy, 0.5, work)).collect();
            scale.work.iter().map(group).collect()
        };
        let by_policy = |apps: &[App]| {
            let all = |&app: &App| {
                [Firing::Naive, Firing::Lazy, Firing::Shared]
                    .map(|policy| case(app, policy, 0.5, 40.0))
            };
            vec![apps.iter().flat_map(all).collect()]
        };
        match self {
            Self::Filtering => {
                let group = |rate: f64, work: f64| {
                    [App::Merged, App::DiffType]
                        .map(|app| case(app, Firing::Lazy, rate, work))
                        .to_vec()
                };
                let rates = scale.filter_rates.iter();
                rates
                    .flat_map(|&rate| scale.work.iter().map(move |&work| group(rate, work)))
                    .collect()
            }
            Self::Pipelines => by_work(&[App::Same, App::Diff, App::Staged]),
            Self::Occupancy => by_policy(&[App::Staged, App::Diff]),
            Self::Firings => by_policy(&[App::DiffType, App::SelfLoop, App::SameType, App::Merged]),
            Self::Loops => by_work(&[App::SelfLoop, App::SameType, App::DiffType]),
            Self::Joins => by_work(&[App::Staged, App::Rejoined]),
            Self::Mappings => by_work(&[App::SameType, App::OneToMany, App::ManyToOne]),
            Self::Widths => {
                let group = |&width: &u32| {
                    [App::DiffType, App::Merged]
                        .map(|app| Case { width, ..case(app, Firing::Lazy, 0.5, 10.0) })
                        .to_vec()
                };
                scale.widths.iter().map(group).collect()
            }
            Self::Shares => {
                let both = [1.0, 40.0].map(|work| case(App::DiffType, Firing::Lazy, 0.5, work));
                vec![both.to_vec()]
            }
            Self::Outputs => {
                let group = |&work: &f64| {
                    SCHEMES
                        .map(|scheme| Case {
                            scheme,
                            ..case(App::SameType, Firing::Lazy, 0.0, work)
                        })
                        .to_vec()
                };
                scale.work.iter().map(group).collect()
            }
            Self::Overflow | Self::Trees | Self::Choices | Self::Prefetch => Vec::new(),
        }
    }
}

impl fmt::Display for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Experiment {
    type Err = BenchError;

    fn from_str(name: &str) -> Result<Self, BenchError> {
        let found = Self::ALL.into_iter().find(|experiment| experiment.name() == name);
        found.ok_or_else(|| BenchError::UnknownExperiment {
            name: name.to_owned(),
            expected: Self::names(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CALIBRATION: Calibration =
        Calibration { width: 128, blocks: 8, empty_microseconds: 1.0, microseconds_per_round: 0.5 };

    #[test]
    fn names_parse_and_others_are_refused() {
        for experiment in Experiment::ALL {
            assert_eq!(experiment.to_string().parse::<Experiment>().ok(), Some(experiment));
        }
        let error = "fig".parse::<Experiment>().expect_err("there is none").to_string();
        assert!(error.starts_with("unknown experiment 'fig': expected one of filtering, "));
    }

    #[test]
    fn filtering_crosses_rates_and_work_and_has_the_control_in_each_group() {
        let groups = Experiment::Filtering.groups(&Scale::FULL, &CALIBRATION);
        assert_eq!(groups.len(), 5 * 9);
        for group in groups {
            assert_eq!(
                group.iter().map(|case| case.app).collect::<Vec<_>>(),
                [App::Merged, App::DiffType]
            );
            assert_eq!(group[0].level, group[1].level);
        }
    }

    #[test]
    fn policies_are_compared_side_by_side() {
        let groups = Experiment::Firings.groups(&Scale::QUICK, &CALIBRATION);
        let policies: Vec<Firing> = groups[0].iter().map(|case| case.policy).collect();
        assert_eq!(policies, [Firing::Naive, Firing::Lazy, Firing::Shared].repeat(4));
        assert!(groups[0].iter().all(|case| case.level.rounds == 80));
    }
}
