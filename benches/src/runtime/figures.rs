//! The charts of each experiment, named after the figures of Cole 2017 that they repeat.

use aligner_core::stream::ModuleMetrics;

use super::apps::App;
use super::choices;
use super::experiments::Experiment;
use super::measured::{ExperimentResult, Figure, firings};
use super::overflow;
use super::prefetch;
use super::quote::STAGES;
use super::runner::CaseTiming;
use super::trees;
use crate::chart::{Chart, Kind, Series};
use crate::error::BenchError;

const WORK: &str = "work of a node (microseconds an ensemble)";
const TIME: &str = "time (ms)";

/// Draws the figures of one experiment.
pub(crate) fn draw(measured: &ExperimentResult) -> Result<Vec<Figure>, BenchError> {
    let points = &measured.points;
    let charts = match measured.experiment {
        Experiment::Filtering => vec![("fig-3-12-filtering", filtering(points))],
        Experiment::Pipelines => {
            let title = "Four pipelines, half of the items dropped at each node";
            vec![("fig-3-13-pipelines", by_work(title, points))]
        }
        Experiment::Occupancy => vec![("fig-3-14-occupancy", occupancy(points))],
        Experiment::Firings => vec![
            ("fig-4-9-firings", counts(points)),
            ("fig-4-12-parts", parts("Parts of the time", TIME, points, milliseconds)),
            (
                "fig-4-13-parts-per-firing",
                parts(
                    "Parts of the time of a firing",
                    "thousand cycles a firing (CPU: us)",
                    points,
                    a_firing,
                ),
            ),
        ],
        Experiment::Loops => vec![("loops", by_work("A loop and what it stands for", points))],
        Experiment::Joins => {
            vec![(
                "joins",
                by_work("Four pipelines, apart or merged behind their first nodes", points),
            )]
        }
        Experiment::Mappings => vec![("mappings", by_work("Items to threads", points))],
        Experiment::Widths => vec![("widths", widths(points))],
        Experiment::Shares => {
            let share = |_: &CaseTiming, share: f64| share * 100.0;
            vec![("shares", parts("Shares of the time", "share of the cycles (%)", points, share))]
        }
        Experiment::Outputs => {
            vec![("outputs", times("Ways to write to sinks", points, |point| point.scheme))]
        }
        Experiment::Overflow => vec![("overflow", overflow::chart(&measured.overflow))],
        Experiment::Trees => vec![("trees", trees::chart(&measured.trees))],
        Experiment::Choices => vec![("choices", choices::chart(&measured.choices))],
        Experiment::Prefetch => vec![("prefetch", prefetch::chart(&measured.kernels))],
    };
    charts
        .into_iter()
        .map(|(name, chart)| {
            let svg = chart
                .svg()
                .map_err(|error| BenchError::Figure { figure: name, reason: error.to_string() })?;
            Ok(Figure { name, svg })
        })
        .collect()
}

/// Each value once, in the order of first appearance.
fn distinct<T: PartialEq>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for value in values {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    found
}

/// The levels of work of the points, as labels of an axis.
fn levels(points: &[CaseTiming]) -> Vec<String> {
    distinct(points.iter().map(|point| point.level.microseconds.to_string()))
}

/// The values of the points that `of` selects, in their order, as one series.
fn series(
    name: impl Into<String>,
    points: &[CaseTiming],
    of: impl Fn(&CaseTiming) -> bool,
    value: impl Fn(&CaseTiming) -> f64,
) -> Series {
    let values = points.iter().filter(|point| of(point)).map(value).collect();
    Series { name: name.into(), values }
}

fn ratio(above: f64, below: f64) -> f64 {
    if below > 0.0 { above / below } else { 0.0 }
}

/// Speedups of the split pipeline over the fused one, by work, with a line for each filter rate.
fn filtering(points: &[CaseTiming]) -> Chart<'static> {
    let speedups = |&rate: &f64| {
        let of = |app| {
            let same = move |point: &CaseTiming| point.app == app && point.filter_rate.eq(&rate);
            series("", points, same, |point| point.seconds).values
        };
        let times = of(App::Merged).into_iter().zip(of(App::DiffType));
        let values = times.map(|(merged, split)| ratio(merged, split)).collect();
        Series { name: format!("filter rate {rate}"), values }
    };
    Chart {
        kind: Kind::Lines,
        title: "DiffType against Merged",
        x: WORK,
        y: "speedup",
        categories: levels(points),
        series: distinct(points.iter().map(|point| point.filter_rate))
            .iter()
            .map(speedups)
            .collect(),
        reference: Some(1.0),
    }
}

/// Times by work, with a line for each application.
fn by_work(title: &'static str, points: &[CaseTiming]) -> Chart<'static> {
    times(title, points, |point| point.app.name())
}

/// Times by work, with a line for each value of `name`.
fn times(
    title: &'static str,
    points: &[CaseTiming],
    name: impl Fn(&CaseTiming) -> &'static str,
) -> Chart<'static> {
    let line = |line: &'static str| {
        series(line, points, |point| name(point) == line, |point| point.seconds * 1e3)
    };
    Chart {
        kind: Kind::Lines,
        title,
        x: WORK,
        y: TIME,
        categories: levels(points),
        series: distinct(points.iter().map(&name)).into_iter().map(line).collect(),
        reference: None,
    }
}

/// Times by ensemble width, with a line for each application.
fn widths(points: &[CaseTiming]) -> Chart<'static> {
    Chart {
        x: "ensemble width (threads)",
        categories: distinct(points.iter().map(|point| point.width.to_string())),
        ..by_work("Ensemble widths", points)
    }
}

/// Mean occupancy of each stage, with bars for each application and policy.
fn occupancy(points: &[CaseTiming]) -> Chart<'static> {
    let bars = |point: &CaseTiming| {
        let at = |stage: u32| {
            let modules = point.metrics.modules.iter().enumerate();
            let mut all = ModuleMetrics::default();
            for (_, module) in
                modules.filter(|&(index, _)| point.app.stage_of(index) == Some(stage as usize))
            {
                all.ensemble = module.ensemble;
                all.lanes += module.lanes;
                all.ensembles += module.ensembles;
            }
            all.occupancy() * 100.0
        };
        Series { name: label(point), values: (0..STAGES).map(at).collect() }
    };
    Chart {
        kind: Kind::Bars,
        title: "Occupancy of the stages of four pipelines",
        x: "stage",
        y: "threads with an item (%)",
        categories: (1..=STAGES).map(|stage| stage.to_string()).collect(),
        series: points.iter().map(bars).collect(),
        reference: None,
    }
}

fn label(point: &CaseTiming) -> String {
    format!("{} {}", point.app.name(), point.policy)
}

/// Firings and full firings by application, with bars for each policy.
fn counts(points: &[CaseTiming]) -> Chart<'static> {
    let bars = |policy: &str| {
        let of = |point: &CaseTiming| point.policy == policy;
        let full = |point: &CaseTiming| {
            point.metrics.modules.iter().map(|module| module.full_firings).sum::<u64>() as f64
        };
        [
            series(format!("{policy}, all"), points, of, |point| firings(&point.metrics) as f64),
            series(format!("{policy}, full"), points, of, full),
        ]
    };
    Chart {
        kind: Kind::Bars,
        title: "Firings",
        x: "application",
        y: "firings",
        categories: distinct(points.iter().map(|point| point.app.name().to_owned())),
        series: ["naive", "lazy", "shared"].into_iter().flat_map(bars).collect(),
        reference: None,
    }
}

/// Milliseconds of a run that a share of its cycles stands for.
fn milliseconds(point: &CaseTiming, share: f64) -> f64 {
    point.seconds * 1e3 * share
}

/// Thousands of cycles for one firing that a share of the cycles stands for.
fn a_firing(point: &CaseTiming, share: f64) -> f64 {
    let cycles = point.metrics.total_cycles as f64 * share;
    ratio(cycles / 1e3, firings(&point.metrics) as f64)
}

/// Bars of gathering, running, scattering and scheduling, by case; `value` converts a share of the cycles to the
/// unit of the axis.
fn parts(
    title: &'static str,
    y: &'static str,
    points: &[CaseTiming],
    value: impl Fn(&CaseTiming, f64) -> f64,
) -> Chart<'static> {
    let names = ["gather", "run", "scatter", "scheduler"];
    let bars = |(part, &name): (usize, &&str)| {
        series(name, points, |_| true, |point| value(point, point.metrics.shares()[part]))
    };
    // Cases differ by policy or by work, and are named by that.
    let by_policy = distinct(points.iter().map(|point| point.policy)).len() > 1;
    let category = |point: &CaseTiming| {
        if by_policy { label(point) } else { format!("{} us", point.level.microseconds) }
    };
    Chart {
        kind: Kind::Bars,
        title,
        x: if by_policy { "application and policy" } else { WORK },
        y,
        categories: points.iter().map(category).collect(),
        series: names.iter().enumerate().map(bars).collect(),
        reference: None,
    }
}
