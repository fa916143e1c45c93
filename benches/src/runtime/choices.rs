//! The settings that the runtime chooses itself, beside the fastest of all and those that the other experiments use: for
//! each application alone, and for applications that compute the same quotes, among which it chooses, too.

use std::time::Instant;

use aligner_core::Device;
use aligner_core::stream::{
    Backend, Calibration, CpuExecutor, CudaBackend, CudaExecutor, DeviceItems, LoadedKernels,
    RunError, Settings, SettingsGrid, Variant,
};
use serde::Serialize;

use super::apps::{App, BuiltApp};
use super::calibration::Calibration as WorkCalibration;
use super::case::WorkLevel;
use super::quote::{Model, Quote};
use super::runner::OUTPUT_SLOTS;
use crate::chart::{Chart, Kind, Series};
use crate::error::BenchError;
use crate::timing::median;

/// Applications that compute the same quotes at one sink: with queues or fused, as a loop, with other items to threads.
const ONE_SINK: [App; 7] = [
    App::DiffType,
    App::SameType,
    App::SelfLoop,
    App::Merged,
    App::OneToMany,
    App::ManyToOne,
    App::Rejoined,
];

/// Applications that compute the same quotes at four sinks, by other module types.
const FOUR_SINKS: [App; 3] = [App::Same, App::Diff, App::Staged];

/// Share of its inputs that each working node drops.
const FILTER_RATE: f64 = 0.5;

/// How many of the fastest settings are measured again, beside those that were chosen.
const FINALISTS: usize = 5;

/// Runs of each of these in a turn.
const RUNS_A_TURN: usize = 4;

/// The time of one application with some settings.
#[derive(Debug, Clone, Serialize)]
pub struct SettingsTiming {
    /// The application that ran.
    pub app: App,
    /// Its settings, in words.
    pub settings: String,
    /// Median seconds: of the kernels on a GPU, of the whole run on a CPU.
    pub seconds: f64,
}

/// A choice, and what it is compared with.
#[derive(Debug, Clone, Serialize)]
pub struct ChoiceTiming {
    /// The application, or the alternatives among which the runtime chose.
    pub apps: Vec<App>,
    /// The work of a node.
    pub level: WorkLevel,
    /// Quotes at the source.
    pub items: usize,
    /// The choice of the runtime.
    pub chosen: SettingsTiming,
    /// The fastest of all alternatives and settings.
    pub best: SettingsTiming,
    /// The first application with the default settings.
    pub default: SettingsTiming,
    /// Time of the choice by the best time.
    pub ratio: f64,
    /// Settings of the grid, of all alternatives together.
    pub candidates: usize,
    /// Runs of a sample that the choice took.
    pub runs: usize,
    /// Seconds that the choice took.
    pub choice_seconds: f64,
}

impl ChoiceTiming {
    /// The application, or the number of alternatives.
    fn name(&self) -> String {
        match &self.apps[..] {
            [app] => app.name().to_owned(),
            apps => format!("{} and {} more", apps[0].name(), apps.len() - 1),
        }
    }

    /// A line of the report's table.
    pub(crate) fn line(&self) -> String {
        let timing = |name: &str, timing: &SettingsTiming| {
            let SettingsTiming { app, settings, seconds } = timing;
            format!("  {name:<7} {:>9.3} ms  {}, {settings}\n", seconds * 1e3, app.name())
        };
        let heading = format!(
            "choices    {:<20} {:>5} us  ratio {:.3}; {} of {} settings tried in {:.2} s\n",
            self.name(),
            self.level.microseconds,
            self.ratio,
            self.runs,
            self.candidates,
            self.choice_seconds
        );
        heading
            + &timing("chosen", &self.chosen)
            + &timing("best", &self.best)
            + &timing("default", &self.default)
    }
}

/// Time by the best time, of what the runtime chose and of the default settings, for each application and level of work.
pub(crate) fn chart(timings: &[ChoiceTiming]) -> Chart<'static> {
    let series = |name: &str, of: fn(&ChoiceTiming) -> &SettingsTiming| Series {
        name: name.to_owned(),
        values: timings.iter().map(|timing| of(timing).seconds / timing.best.seconds).collect(),
    };
    let category =
        |timing: &ChoiceTiming| format!("{} {}", timing.name(), timing.level.microseconds);
    Chart {
        kind: Kind::Bars,
        title: "Settings that the runtime chose",
        x: "application and work (microseconds an ensemble)",
        y: "time by the best time",
        categories: timings.iter().map(category).collect(),
        series: vec![
            series("chosen", |timing| &timing.chosen),
            series("default", |timing| &timing.default),
        ],
        reference: Some(1.0),
    }
}

/// An application, some settings and the seconds of a run.
type TimedSettings = (App, Settings, f64);

/// Measures applications with settings on a device.
struct Measurement<'m> {
    device: &'m Device,
    model: &'m Model,
    inputs: &'m [Quote],
    /// The kernels of each application, and the inputs in the device's memory, if it is a GPU.
    kernels: Vec<(App, CudaBackend)>,
    on_device: Option<DeviceItems<CudaBackend>>,
    built: Vec<(App, BuiltApp<'m>)>,
}

fn failed(app: App) -> impl Fn(RunError) -> BenchError {
    move |source| BenchError::Run { app: app.name(), source }
}

impl<'m> Measurement<'m> {
    fn new(device: &'m Device, model: &'m Model, inputs: &'m [Quote]) -> Result<Self, BenchError> {
        let mut kernels = Vec::new();
        let mut on_device = None;
        if let Device::Cuda(gpu) = device {
            for app in App::ALL {
                let loaded = app.kernels();
                let backend = CudaBackend::new(gpu, loaded.name, loaded.fatbin)?;
                if on_device.is_none() {
                    let items = backend.upload(bytemuck::cast_slice(inputs))?;
                    on_device = Some(DeviceItems { items, count: inputs.len() });
                }
                kernels.push((app, backend));
            }
        }
        let built = App::ALL.map(|app| (app, app.build(model))).into();
        Ok(Self { device, model, inputs, kernels, on_device, built })
    }

    fn topology(&self, app: App) -> Option<&BuiltApp<'m>> {
        self.built.iter().find(|(other, _)| *other == app).map(|(_, built)| built)
    }

    /// Seconds of each of `runs` runs after a first one; none if the device or the application refuses the settings.
    fn seconds(&self, app: App, settings: &Settings, runs: usize) -> Result<Vec<f64>, BenchError> {
        match self.run(app, settings, runs) {
            Err(RunError::Settings(_)) => Ok(Vec::new()),
            other => other.map_err(failed(app)),
        }
    }

    fn run(&self, app: App, settings: &Settings, runs: usize) -> Result<Vec<f64>, RunError> {
        let Some(BuiltApp { topology, .. }) = self.topology(app) else { return Ok(Vec::new()) };
        let mut seconds = Vec::new();
        let kernels = self.kernels.iter().find(|(other, _)| *other == app);
        if let (Some((_, backend)), Some(inputs)) = (kernels, &self.on_device) {
            let loaded =
                LoadedKernels::with_backend(backend.clone(), app.kernels().name, settings.width)?;
            let executor = CudaExecutor::loaded(&loaded, topology, settings, self.model)?;
            for _ in 0..=runs {
                seconds.push(executor.run_device_items::<Quote>(inputs)?.device_seconds);
            }
        } else {
            let executor = CpuExecutor::new(topology, settings)?;
            for _ in 0..=runs {
                let start = Instant::now();
                executor.run(self.inputs)?;
                seconds.push(start.elapsed().as_secs_f64());
            }
        }
        seconds.remove(0);
        Ok(seconds)
    }

    /// Lets the runtime choose among `apps`, and compares the choice with `all` times of these applications.
    fn choose(
        &self,
        apps: &[App],
        grid: &SettingsGrid,
        (level, runs): (WorkLevel, usize),
        all: &[TimedSettings],
    ) -> Result<ChoiceTiming, BenchError> {
        let variants: Vec<Variant<'_, '_, Model>> = apps
            .iter()
            .filter_map(|&app| {
                Some(Variant::new(app.name(), &self.topology(app)?.topology, app.kernels()))
            })
            .collect();
        let first = failed(apps[0]);
        let choice = Calibration::new(&variants, grid.clone())
            .choose(self.device, self.model, self.inputs)
            .map_err(&first)?;
        let named = |app: &&App| app.name() == choice.variant.name;
        let app = *apps.iter().find(named).unwrap_or(&apps[0]);
        // The choice has to yield the same quotes.
        let mut outputs = choice.run(self.device, self.model, self.inputs).map_err(failed(app))?;
        if let Some(built) = self.topology(app) {
            let (wrong, expected) = built.check(*self.model, self.inputs, &mut outputs);
            if wrong > 0 {
                return Err(BenchError::WrongOutput { app: app.name(), wrong, expected });
            }
        }
        let mut sorted: Vec<&TimedSettings> =
            all.iter().filter(|(app, ..)| apps.contains(app)).collect();
        sorted.sort_by(|one, other| one.2.total_cmp(&other.2));
        let candidates = sorted.len();
        sorted.truncate(FINALISTS);
        let mut finalists: Vec<(App, Settings)> =
            vec![(app, choice.settings.clone()), (apps[0], grid.base.clone())];
        finalists.extend(sorted.into_iter().map(|(app, settings, _)| (*app, settings.clone())));
        // In turns, so that a change of the device's speed affects all of them alike.
        let mut seconds = vec![Vec::new(); finalists.len()];
        for _ in 0..runs {
            for ((app, settings), seconds) in finalists.iter().zip(&mut seconds) {
                seconds.extend(self.seconds(*app, settings, RUNS_A_TURN)?);
            }
        }
        let mut timings: Vec<SettingsTiming> = finalists
            .iter()
            .zip(&seconds)
            .map(|((app, settings), seconds)| SettingsTiming {
                app: *app,
                settings: in_words(settings),
                seconds: median(seconds),
            })
            .collect();
        let mut others = timings.split_off(2);
        others.push(timings[0].clone());
        others.sort_by(|one, other| one.seconds.total_cmp(&other.seconds));
        let (best, [chosen, default]) = (others.remove(0), [timings.remove(0), timings.remove(0)]);
        Ok(ChoiceTiming {
            apps: apps.to_vec(),
            level,
            items: self.inputs.len(),
            ratio: chosen.seconds / best.seconds,
            chosen,
            best,
            default,
            candidates,
            runs: choice.runs,
            choice_seconds: choice.seconds,
        })
    }
}

/// Settings in words, those that a choice is about.
fn in_words(settings: &Settings) -> String {
    let Settings { width, blocks, policy, capacity, shared_queues, share_rest, .. } = settings;
    let rest = if *share_rest { ", rests shared" } else { "" };
    format!(
        "width {width}, blocks {blocks}, {policy:?}, {capacity:?}, {shared_queues} B shared{rest}"
    )
}

/// Measures all settings of the usual grid for every application at each level of work, and what the runtime chooses.
///
/// # Errors
/// If a run fails, or a choice yields other quotes than a plain loop.
pub(crate) fn measure(
    device: &Device,
    runs: usize,
    inputs: &[Quote],
    (work, calibration): (&[f64], &WorkCalibration),
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<ChoiceTiming>, BenchError> {
    let base = Settings { output_slots: OUTPUT_SLOTS, ..Settings::default() };
    let grid = SettingsGrid::usual(&base, device);
    let mut timings = Vec::new();
    for &microseconds in work {
        let level = calibration.level(microseconds);
        let model = Model::new(level.rounds, FILTER_RATE);
        let measurement = Measurement::new(device, &model, inputs)?;
        let mut all: Vec<TimedSettings> = Vec::new();
        for app in App::ALL {
            progress(&format!("choices, {microseconds} us: {}", app.name()));
            for settings in grid.all_settings() {
                let seconds = measurement.seconds(app, &settings, 3)?;
                let least = seconds.into_iter().reduce(f64::min);
                all.extend(least.map(|seconds| (app, settings, seconds)));
            }
        }
        let alone = App::ALL.map(|app| vec![app]);
        for apps in alone.into_iter().chain([ONE_SINK.to_vec(), FOUR_SINKS.to_vec()]) {
            timings.push(measurement.choose(&apps, &grid, (level, runs), &all)?);
        }
    }
    Ok(timings)
}
