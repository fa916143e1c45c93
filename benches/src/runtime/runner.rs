//! Runs the cases of a group in turns, and checks the quotes that they yield.

use std::time::Instant;

use aligner_core::Device;
use aligner_core::stream::{
    CpuExecutor, CudaExecutor, Metrics, Outputs, RunError, Settings, Topology,
};
use serde::Serialize;

use super::apps::{App, BuiltApp};
use super::case::{Case, WorkLevel};
use super::experiments::scheme_name;
use super::quote::{Model, Quote};
use crate::error::BenchError;
use crate::timing::median;

/// Quotes that a block has room for at each sink: few, so that four sinks of every block of a large GPU fit into memory.
pub(super) const OUTPUT_SLOTS: u32 = 1 << 12;

/// The measurement of one case.
#[derive(Debug, Clone, Serialize)]
pub struct CaseTiming {
    /// The application that ran.
    pub app: App,
    /// `naive`, `lazy`, or `shared`: lazy, and blocks share what is left at the end of the input.
    pub policy: &'static str,
    /// Share of its inputs that each working node drops, 0 to 1.
    pub filter_rate: f64,
    /// The work of a node.
    pub level: WorkLevel,
    /// The ensemble width, in threads.
    pub width: u32,
    /// How blocks of a GPU write to sinks: `regions`, `atomics` or `count then write`.
    pub scheme: &'static str,
    /// Quotes at the source.
    pub inputs: usize,
    /// Quotes at the sinks.
    pub outputs: usize,
    /// Median seconds of a run: of the kernels on a GPU, of the whole run on a CPU.
    pub seconds: f64,
    /// Seconds of each run.
    pub runs: Vec<f64>,
    /// Firings and cycles, from a separate run, since counting takes time.
    pub metrics: Metrics,
}

/// An application that is ready to run on a device.
enum Executor<'t, 'g> {
    Cpu(CpuExecutor<'t, 'g, Model>),
    Cuda(CudaExecutor<'t, 'g, Model>),
}

impl<'t, 'g> Executor<'t, 'g> {
    fn new(
        device: &Device,
        (app, model): (App, &Model),
        topology: &'t Topology<'g, Model>,
        settings: &Settings,
    ) -> Result<Self, RunError> {
        match device {
            Device::Cpu => Ok(Self::Cpu(CpuExecutor::new(topology, settings)?)),
            Device::Cuda(gpu) => {
                let executor = CudaExecutor::new(gpu, topology, settings, &app.kernels(), model)?;
                Ok(Self::Cuda(executor))
            }
        }
    }

    /// Runs the application once: its seconds and its outputs.
    fn run(&self, inputs: &[Quote]) -> Result<(f64, Outputs), RunError> {
        match self {
            Self::Cpu(executor) => {
                let start = Instant::now();
                let outputs = executor.run(inputs)?;
                Ok((start.elapsed().as_secs_f64(), outputs))
            }
            Self::Cuda(executor) => {
                let outputs = executor.run(inputs)?;
                Ok((outputs.device_seconds, outputs))
            }
        }
    }
}

/// The device, and the number of runs of each case.
#[derive(Debug)]
pub(crate) struct Runner<'a> {
    pub(crate) device: &'a Device,
    /// Timed runs of each case; the median counts.
    pub(crate) runs: usize,
}

impl Runner<'_> {
    /// The settings of a case.
    fn settings(&self, case: &Case) -> Settings {
        let blocks = match self.device {
            // One block for each thread, so that an ensemble takes the time of a block that runs alone.
            Device::Cpu => rayon::current_num_threads() as u32,
            Device::Cuda(_) => 0,
        };
        Settings {
            width: case.width,
            blocks,
            policy: case.policy.policy(),
            share_rest: case.policy.shares_rest(),
            output_slots: OUTPUT_SLOTS,
            outputs: case.scheme,
            ..Settings::default()
        }
    }

    /// The settings that all cases share, in words.
    pub(crate) fn describe() -> String {
        let Settings { capacity, shared_queues, .. } = Settings::default();
        format!("capacity {capacity:?}, output slots {OUTPUT_SLOTS}, shared queues {shared_queues}")
    }

    /// Measures the cases in turns, one run of each at a time, so that a change of the device's speed affects
    /// all of them alike.
    pub(crate) fn compare(
        &self,
        cases: &[Case],
        inputs: &[Quote],
    ) -> Result<Vec<CaseTiming>, BenchError> {
        let models: Vec<Model> =
            cases.iter().map(|case| Model::new(case.level.rounds, case.filter_rate)).collect();
        let built: Vec<BuiltApp<'_>> =
            cases.iter().zip(&models).map(|(case, model)| case.app.build(model)).collect();

        let mut points = Vec::with_capacity(cases.len());
        let mut executors = Vec::with_capacity(cases.len());
        for ((case, model), built) in cases.iter().zip(&models).zip(&built) {
            let failed = |source| BenchError::Run { app: case.app.name(), source };
            let settings = self.settings(case);
            let executor = |settings: &Settings| {
                Executor::new(self.device, (case.app, model), &built.topology, settings)
            };
            let metered = Settings { metrics: true, ..settings.clone() };
            let metered = executor(&metered).map_err(failed)?;
            let (_, mut outputs) = metered.run(inputs).map_err(failed)?;
            let (wrong, expected) = built.check(*model, inputs, &mut outputs);
            if wrong > 0 {
                return Err(BenchError::WrongOutput { app: case.app.name(), wrong, expected });
            }
            points.push(CaseTiming {
                app: case.app,
                policy: case.policy.name(),
                filter_rate: case.filter_rate,
                level: case.level,
                width: case.width,
                scheme: scheme_name(case.scheme),
                inputs: inputs.len(),
                outputs: expected,
                seconds: 0.0,
                runs: Vec::with_capacity(self.runs),
                metrics: outputs.metrics,
            });
            let timed = executor(&settings).map_err(failed)?;
            timed.run(inputs).map_err(failed)?;
            executors.push(timed);
        }
        for _ in 0..self.runs {
            for (point, executor) in points.iter_mut().zip(&executors) {
                let (seconds, _) = executor
                    .run(inputs)
                    .map_err(|source| BenchError::Run { app: point.app.name(), source })?;
                point.runs.push(seconds);
            }
        }
        for point in &mut points {
            point.seconds = median(&point.runs);
        }
        Ok(points)
    }
}
