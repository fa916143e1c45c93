//! Outputs that do not fit the room that was made for them (Elteir 2012, section 4.7.5, figures 4.14 to 4.17): the ways for
//! the blocks of a GPU to write to sinks, by the share of the outputs for which the first launch has no room.
//!
//! Regions and arrays get room for the rest of the outputs. A block with a full region stops, and goes on when the host has
//! made more room; with atomics, the whole run is repeated. Counting first needs no guess, so its time is the same for every
//! share: it is Mars in the dissertation, and the control here.

use std::ops::ControlFlow;
use std::time::Instant;

use aligner_core::Device;
use aligner_core::stream::{
    Backend, CudaBackend, CudaExecutor, DeviceItems, LoadedKernels, OutputScheme, Progress,
    RunError, Settings,
};
use serde::Serialize;

use super::apps::{App, BuiltApp};
use super::case::WorkLevel;
use super::experiments::{Experiment, SCHEMES, scheme_name};
use super::quote::{Model, Quote};
use crate::chart::{Chart, Kind, Series};
use crate::error::BenchError;
use crate::timing::median;

/// The application, which sends all its inputs to one sink.
const APP: App = App::SameType;

/// Shares of the outputs for which there is no room at first.
pub(crate) const SHARES: [f64; 8] = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0];

/// The speed of one way to write outputs, with one share of them that overflows.
#[derive(Debug, Clone, Serialize)]
pub struct OverflowTiming {
    /// `regions`, `atomics` or `count then write`.
    pub scheme: &'static str,
    /// The work of a node.
    pub level: WorkLevel,
    /// Share of the outputs for which regions or arrays were given no room, 0 to 1; at 0 they have twice the room.
    pub asked_share: f64,
    /// Share of the outputs that a later launch wrote, 0 to 1: with atomics all of them, if any did not fit.
    pub later_share: f64,
    /// Items of a block's region, or of a block's part of the array; unused when counting first.
    pub slots: u32,
    /// Blocks of a launch.
    pub blocks: u32,
    /// Launches of a run.
    pub launches: u32,
    /// Quotes at the source and at the sink.
    pub items: usize,
    /// Median seconds of a run from device memory to device memory, with what the host does between launches.
    pub seconds: f64,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// Median seconds of a run that the application's kernel took.
    pub kernel_seconds: f64,
}

/// Measures all ways and shares on a GPU, in turns, `runs` times each, after a run that is checked.
///
/// # Errors
/// If there is no GPU, a run fails, or it yields other quotes than a plain loop.
pub(crate) fn measure(
    device: &Device,
    runs: usize,
    inputs: &[Quote],
    levels: &[WorkLevel],
    width: u32,
) -> Result<Vec<OverflowTiming>, BenchError> {
    let Device::Cuda(gpu) = device else {
        return Err(BenchError::NeedsGpu(Experiment::Overflow.name()));
    };
    let kernels = APP.kernels();
    let backend = CudaBackend::new(gpu, kernels.name, kernels.fatbin)?;
    let mut timings = Vec::new();
    for &level in levels {
        timings.extend(measure_level(&backend, runs, inputs, level, width)?);
    }
    Ok(timings)
}

/// Measures all ways and shares at one level of work on a backend that has the kernels of [`App::SameType`].
///
/// # Errors
/// If a run fails, or yields other quotes than a plain loop.
pub fn measure_level<B: Backend + Clone>(
    backend: &B,
    runs: usize,
    inputs: &[Quote],
    level: WorkLevel,
    width: u32,
) -> Result<Vec<OverflowTiming>, BenchError> {
    let failed = |source| BenchError::Run { app: APP.name(), source };
    let model = Model::new(level.rounds, 0.0);
    let built = APP.build(&model);
    let kernels =
        LoadedKernels::with_backend(backend.clone(), APP.kernels().name, width).map_err(failed)?;
    let executor = |settings: &Settings| {
        CudaExecutor::loaded(&kernels, &built.topology, settings, &model).map_err(failed)
    };
    let base = Settings { width, ..Settings::default() };
    let blocks = executor(&base)?.blocks(inputs.len()).map_err(failed)?;
    let on_device =
        DeviceItems { items: backend.upload(bytemuck::cast_slice(inputs))?, count: inputs.len() };

    let mut timings = Vec::new();
    for share in SHARES {
        let slots = slots(inputs.len(), blocks, width, share);
        let first = timings.len();
        let mut executors = Vec::new();
        for outputs in SCHEMES {
            let executor = executor(&Settings { outputs, output_slots: slots, ..base.clone() })?;
            let (launches, later_share) = check(&executor, &built, model, inputs)?;
            timings.push(OverflowTiming {
                scheme: scheme_name(outputs),
                level,
                asked_share: share,
                later_share: match outputs {
                    OutputScheme::Regions => later_share,
                    OutputScheme::Atomics => f64::from(u8::from(launches > 1)),
                    OutputScheme::CountThenWrite => 1.0,
                },
                slots,
                blocks,
                launches,
                items: inputs.len(),
                seconds: 0.0,
                runs: Vec::with_capacity(runs),
                kernel_seconds: 0.0,
            });
            executors.push(executor);
        }
        let mut kernel_seconds = vec![Vec::with_capacity(runs); executors.len()];
        for run in 0..=runs {
            let turn = timings[first..].iter_mut().zip(&mut kernel_seconds).zip(&executors);
            for ((timing, kernels), executor) in turn {
                let start = Instant::now();
                let outputs = executor.run_device_items::<Quote>(&on_device).map_err(failed)?;
                // The first turn fills the device's pool of memory, and does not count.
                if run > 0 {
                    timing.runs.push(start.elapsed().as_secs_f64());
                    kernels.push(outputs.device_seconds);
                }
            }
        }
        for (timing, kernels) in timings[first..].iter_mut().zip(&kernel_seconds) {
            timing.seconds = median(&timing.runs);
            timing.kernel_seconds = median(kernels);
        }
    }
    Ok(timings)
}

/// Items for which a block has room, so that `share` of all outputs have none. If all are to have room, there is twice as
/// much, because blocks do not get the same number of inputs.
fn slots(items: usize, blocks: u32, width: u32, share: f64) -> u32 {
    let each = items as f64 / f64::from(blocks.max(1));
    if share > 0.0 {
        ((each * (1.0 - share)).round() as u32).max(1)
    } else {
        (2.0 * each).ceil() as u32 + 4 * width
    }
}

/// Runs an application once, compares its quotes with those of a plain loop, and gives the number of launches, and the share
/// of the outputs that came after the first one.
fn check<B: Backend + Clone>(
    executor: &CudaExecutor<'_, '_, Model, B>,
    built: &BuiltApp<'_>,
    model: Model,
    inputs: &[Quote],
) -> Result<(u32, f64), BenchError> {
    let mut first = None;
    let mut progress = |now: Progress| {
        first.get_or_insert(now.outputs);
        ControlFlow::Continue(())
    };
    let failed = |source: RunError| BenchError::Run { app: APP.name(), source };
    let mut outputs = executor.run_with(inputs, &mut progress).map_err(failed)?;
    let (wrong, expected) = built.check(model, inputs, &mut outputs);
    if wrong > 0 {
        return Err(BenchError::WrongOutput { app: APP.name(), wrong, expected });
    }
    let later = 1.0 - first.unwrap_or_default() as f64 / expected.max(1) as f64;
    Ok((outputs.metrics.launches, later))
}

/// Speedup over counting first, by the share of outputs without room, with a line for each other way and level of work.
pub(crate) fn chart(timings: &[OverflowTiming]) -> Chart<'static> {
    let counting = scheme_name(OutputScheme::CountThenWrite);
    let mut lines: Vec<Series> = Vec::new();
    for timing in timings.iter().filter(|timing| timing.scheme != counting) {
        let control = timings.iter().find(|other| {
            let same_work = other.level == timing.level;
            other.scheme == counting && same_work && other.asked_share.eq(&timing.asked_share)
        });
        let speedup = control.map_or(0.0, |control| control.seconds / timing.seconds);
        let name = format!("{}, {} us", timing.scheme, timing.level.microseconds);
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.values.push(speedup),
            None => lines.push(Series { name, values: vec![speedup] }),
        }
    }
    Chart {
        kind: Kind::Lines,
        title: "Outputs that do not fit",
        x: "outputs without room at first (%)",
        y: "speedup over counting first",
        categories: SHARES.iter().map(|share| format!("{:.0}", share * 100.0)).collect(),
        series: lines,
        reference: Some(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::super::quote::inputs;
    use super::*;

    #[test]
    fn room_is_for_what_does_not_overflow() {
        assert_eq!(slots(10_000, 10, 128, 0.0), 2_512);
        assert_eq!(slots(10_000, 10, 128, 0.25), 750);
        assert_eq!(slots(10_000, 10, 128, 1.0), 1);
    }

    #[test]
    fn a_cpu_has_no_regions() {
        let error = measure(&Device::Cpu, 3, &inputs(4), &[], 128).expect_err("there is no GPU");
        assert_eq!(error.to_string(), "overflow: needs a GPU");
    }

    #[test]
    fn the_chart_has_speedups_over_counting_first() {
        let timing = |(scheme, seconds): (OutputScheme, f64)| OverflowTiming {
            scheme: scheme_name(scheme),
            level: WorkLevel { microseconds: 40.0, rounds: 60 },
            asked_share: 0.5,
            later_share: 0.5,
            slots: 1,
            blocks: 1,
            launches: 2,
            items: 2,
            seconds,
            runs: Vec::new(),
            kernel_seconds: seconds,
        };
        let points: Vec<OverflowTiming> =
            SCHEMES.into_iter().zip([1.0, 4.0, 2.0]).map(timing).collect();
        let lines = chart(&points).series;
        let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
        assert_eq!(names, ["regions, 40 us", "atomics, 40 us"]);
        let speedups = lines.iter().map(|line| line.values[0]);
        assert!(
            speedups
                .zip([2.0, 0.5])
                .all(|(ours, expected): (f64, f64)| (ours - expected).abs() < 1e-9)
        );
    }
}
