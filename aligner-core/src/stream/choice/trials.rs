//! Runs of a sample on a device, as a search asks for them.

use std::time::Instant;

use super::grid::{Candidate, VARIANT};
use super::model::{Counted, LanesOf};
use super::search::Trials;
use super::{Calibration, Variant};
use crate::stream::cuda::{Backend, CudaBackend, CudaExecutor, DeviceItems, LoadedKernels};
use crate::stream::{CpuExecutor, Item, Metrics, Policy, RunError, Settings};
use crate::{Device, DeviceError};

/// A sample that takes fewer seconds is enlarged.
pub(super) const LEAST_SECONDS: f64 = 2e-3;

/// The most times that a run of a short sample is repeated.
pub(super) const MOST_REPEATS: usize = 9;

/// Runs of a sample on a device.
pub(super) struct SampleTrials<'t, 'c, 'v, 'g, G: Sync + ?Sized, P: Item, T: Item> {
    calibration: &'t Calibration<'c, 'v, 'g, G>,
    device: &'t Device,
    global: &'t P,
    inputs: &'t [T],
    /// Number of inputs that are the sample.
    sample: usize,
    runs_of_enlarging: usize,
    /// How often each run is repeated.
    repeats: usize,
    start: Instant,
    /// For each variant, its kernels once they are loaded.
    backends: Vec<Option<CudaBackend>>,
    /// The sample in the device's memory, if it is a GPU and a run was made.
    on_device: Option<DeviceItems<CudaBackend>>,
    /// For each variant and policy of which one run was counted, the counts; `None` if the settings were refused.
    counted: Vec<((usize, Policy), Option<Counted>)>,
}

impl<'t, 'c, 'v, 'g, G: Sync + ?Sized, P: Item, T: Item> SampleTrials<'t, 'c, 'v, 'g, G, P, T> {
    /// Trials of the first `sample` inputs on a device with the application's parameters, for a calibration that began
    /// at
    /// `start`.
    pub(super) fn new(
        calibration: &'t Calibration<'c, 'v, 'g, G>,
        (device, global): (&'t Device, &'t P),
        inputs: &'t [T],
        sample: usize,
        start: Instant,
    ) -> Self {
        Self {
            calibration,
            device,
            global,
            inputs,
            sample,
            runs_of_enlarging: 0,
            repeats: 1,
            start,
            backends: calibration.variants.iter().map(|_| None).collect(),
            on_device: None,
            counted: Vec::new(),
        }
    }

    /// Number of runs that the search did not ask for.
    pub(super) fn other_runs(&self) -> usize {
        self.counted.len() + self.runs_of_enlarging
    }

    /// Enlarges the sample, as far as there are inputs, and repeats runs, if a run with the first settings that are not
    /// refused is so short that the start and the end of runs would decide.
    pub(super) fn enlarge_sample(&mut self) -> Result<(), RunError> {
        let settings = self.calibration.grid.middle();
        for variant in 0..self.calibration.variants.len() {
            // The first run loads code and grows memory.
            self.runs_of_enlarging += 1;
            if accepted(self.run(variant, &settings))?.is_none() {
                continue;
            }
            self.runs_of_enlarging += 1;
            let (seconds, ..) = self.run(variant, &settings)?;
            let factor = (LEAST_SECONDS / seconds.max(1e-6)).ceil().max(1.0);
            let before = self.sample as f64;
            self.sample = (before * factor).min(self.inputs.len() as f64) as usize;
            let seconds = seconds * self.sample as f64 / before;
            self.repeats = ((LEAST_SECONDS / seconds.max(1e-6)).ceil() as usize).min(MOST_REPEATS);
            self.on_device = None;
            break;
        }
        Ok(())
    }

    /// Runs the sample, more than once if that is short: its median seconds, its metrics and the blocks that ran side
    /// by side.
    fn run(
        &mut self,
        variant: usize,
        settings: &Settings,
    ) -> Result<(f64, Metrics, u32), RunError> {
        let Variant { name, topology, kernels } = &self.calibration.variants[variant];
        let sample = &self.inputs[..self.sample];
        let (seconds, metrics, blocks) = match self.device {
            Device::Cpu => {
                let executor = CpuExecutor::new(topology, settings)?;
                let run = || {
                    let start = Instant::now();
                    let outputs = executor.run(sample)?;
                    Ok((start.elapsed().as_secs_f64(), outputs.metrics))
                };
                let (seconds, metrics) = median(self.repeats, run)?;
                let threads = rayon::current_num_threads() as u32;
                let blocks =
                    if settings.blocks == 0 { threads } else { settings.blocks.min(threads) };
                (seconds, metrics, blocks)
            }
            Device::Cuda(gpu) => {
                let backend = match &self.backends[variant] {
                    Some(backend) => backend.clone(),
                    None => CudaBackend::new(gpu, kernels.name, kernels.fatbin)?,
                };
                self.backends[variant] = Some(backend.clone());
                let loaded =
                    LoadedKernels::with_backend(backend.clone(), kernels.name, settings.width)?;
                let executor = CudaExecutor::loaded(&loaded, topology, settings, self.global)?;
                let count = sample.len();
                let on_device = if let Some(items) = self.on_device.take() {
                    items
                } else {
                    let items = backend.upload(bytemuck::cast_slice(sample))?;
                    DeviceItems { items, count }
                };
                let on_device = self.on_device.insert(on_device);
                let run = || {
                    let outputs = executor.run_device_items::<T>(on_device)?;
                    Ok((outputs.device_seconds, outputs.metrics.clone()))
                };
                let (seconds, metrics) = median(self.repeats, run)?;
                (seconds, metrics, executor.blocks(count)?)
            }
        };
        let known = self.calibration.times.map(|times| times(name, settings, seconds));
        Ok((known.unwrap_or(seconds), metrics, blocks))
    }

    /// The counts of a run with metrics of a variant under a policy; `None` if it was refused.
    fn counted(&mut self, variant: usize, policy: Policy) -> Result<Option<&Counted>, RunError> {
        let key = (variant, policy);
        if let Some(place) = self.counted.iter().position(|(other, _)| *other == key) {
            return Ok(self.counted[place].1.as_ref());
        }
        let grid = &self.calibration.grid;
        let settings = Settings { policy, metrics: true, ..grid.middle() };
        let lanes = match self.device {
            Device::Cpu => LanesOf::OneThread,
            Device::Cuda(_) => LanesOf::OneEach,
        };
        let counts = accepted(self.run(variant, &settings))?
            .map(|(_, metrics, blocks)| Counted::new(metrics, settings, blocks, lanes));
        self.counted.push((key, counts));
        Ok(self.counted.last().and_then(|(_, counts)| counts.as_ref()))
    }
}

impl<G: Sync + ?Sized, P: Item, T: Item> Trials for SampleTrials<'_, '_, '_, '_, G, P, T> {
    fn seconds(&mut self, candidate: Candidate) -> Result<Option<f64>, RunError> {
        let settings = self.calibration.grid.settings(candidate);
        Ok(accepted(self.run(candidate.0[VARIANT], &settings))?.map(|(seconds, ..)| seconds))
    }

    fn estimate(&mut self, candidate: Candidate) -> Result<f64, RunError> {
        if self.calibration.times.is_some() {
            return Ok(1.0);
        }
        let settings = self.calibration.grid.settings(candidate);
        let counted = self.counted(candidate.0[VARIANT], settings.policy)?;
        Ok(counted.map_or(f64::INFINITY, |counted| counted.cost(&settings)))
    }

    fn elapsed(&self) -> f64 {
        if self.calibration.times.is_some() { 0.0 } else { self.start.elapsed().as_secs_f64() }
    }
}

/// The median seconds of `repeats` runs behind a first one, which touches memory; or of that one alone. With the
/// metrics of the last run.
fn median(
    repeats: usize,
    run: impl Fn() -> Result<(f64, Metrics), RunError>,
) -> Result<(f64, Metrics), RunError> {
    let (mut seconds, mut metrics) = run()?;
    if repeats > 1 {
        let mut all = Vec::with_capacity(repeats);
        for _ in 0..repeats {
            (seconds, metrics) = run()?;
            all.push(seconds);
        }
        all.sort_by(f64::total_cmp);
        seconds = all[repeats / 2];
    }
    Ok((seconds, metrics))
}

/// The result of a run, or `None` if the settings do not suit the topology, its kernels or the device.
fn accepted<T>(result: Result<T, RunError>) -> Result<Option<T>, RunError> {
    match result {
        Ok(result) => Ok(Some(result)),
        Err(RunError::Settings(_) | RunError::Device(DeviceError::OutOfMemory { .. })) => Ok(None),
        Err(error) => Err(error),
    }
}
