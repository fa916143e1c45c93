//! Seeds and chains of reads, which applications of the streaming runtime find.

use std::sync::Arc;

use aligner_core::Device;
use aligner_core::gpu::Gpu;
use aligner_core::stream::{CpuExecutor, Metrics, RunError, Settings};
use fm_index::gpu::DeviceIndex;
use fm_index::{FmIndex, Segments};
use seed_extend::Options;
use seed_extend::chain::gpu::{ApplicationTiming, ChainEngine, runtime_settings};
use seed_extend::chain::{FinderInputs, cpu};
use seed_extend::read::queries::Queries;
use seed_extend::seed::context::SeedContext;
use seed_extend::seed::{searches, settings, topology};
use serde::Serialize;

use crate::error::BenchError;
use crate::other_settings::around;
use crate::stage_use::{StageUse, shares};
use crate::timing::{median, repeat};

/// The speed of finding seeds, or chains, of many reads.
#[derive(Debug, Clone, Serialize)]
pub struct SeedsTiming {
    /// The application: `seeds` or `chains`.
    pub app: &'static str,
    /// `program` for the settings of the program, or what is different.
    pub settings: &'static str,
    /// The kind of device: `cpu` or `cuda`.
    pub device: &'static str,
    /// Reads in all batches.
    pub reads: usize,
    /// Median seconds for all reads; on a GPU, of the application's kernels.
    pub seconds: f64,
    /// Reads by `seconds`, in 10^6 a second.
    pub mreads: f64,
    /// Shares of a block's time, 0 to 1: gathering, running, scattering, scheduling.
    pub shares: [f64; 4],
    /// Blocks, each of which runs the whole application.
    pub blocks: u32,
    /// Launches of the application.
    pub launches: u32,
    /// The use of each stage.
    pub stages: Vec<StageUse>,
}

impl SeedsTiming {
    fn new(
        (app, settings, device): (&'static str, &'static str, &'static str),
        batches: &[Arc<Queries>],
        seconds: f64,
        metrics: &Metrics,
    ) -> Self {
        let reads = batches.iter().map(|queries| queries.len() / 2).sum();
        Self {
            app,
            settings,
            device,
            reads,
            seconds,
            mreads: reads as f64 / seconds / 1e6,
            shares: metrics.shares(),
            blocks: metrics.blocks,
            launches: metrics.launches,
            stages: StageUse::all(metrics),
        }
    }
}

/// Measures finding seeds on the current rayon pool, or seeds and chains on a GPU, with batches of reads. `progress`
/// gets the name of each step before it begins. With `other_settings` a GPU is measured by other settings of the runtime, too.
///
/// # Errors
/// If the device fails, or its chains are not those of the CPU.
pub fn seeds(
    device: &Device,
    index: &FmIndex,
    batches: &[Arc<Queries>],
    (runs, other_settings): (usize, bool),
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<SeedsTiming>, BenchError> {
    match device {
        Device::Cpu => on_cpu(index, batches, runs, progress),
        Device::Cuda(gpu) => on_gpu(gpu, index, batches, (runs, other_settings), progress),
    }
}

fn on_cpu(
    index: &FmIndex,
    batches: &[Arc<Queries>],
    runs: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<SeedsTiming>, BenchError> {
    progress("stages");
    let count = |metrics: bool| -> Result<Metrics, BenchError> {
        let mut all = Metrics::default();
        for queries in batches {
            let (index, queries) = (index.clone(), Arc::clone(queries));
            let context = SeedContext { index, queries, options: Options::default().seeds };
            let settings = settings(
                context.queries.all_bases() as u64,
                &Settings { metrics, ..Settings::default() },
            );
            let (app, _) = topology(&context);
            let run = |executor: CpuExecutor<'_, '_, SeedContext>| {
                executor.run(&searches(0..context.queries.len() as u32))
            };
            let outputs = CpuExecutor::new(&app, &settings).and_then(run);
            all.add(&outputs.map_err(failed)?.metrics);
        }
        Ok(all)
    };
    let (_, seconds) = repeat(runs, || count(false))?;
    Ok(vec![SeedsTiming::new(("seeds", "program", "cpu"), batches, seconds, &count(true)?)])
}

fn on_gpu(
    gpu: &Gpu,
    index: &FmIndex,
    batches: &[Arc<Queries>],
    (runs, other_settings): (usize, bool),
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<SeedsTiming>, BenchError> {
    let on_device = DeviceIndex::new(gpu, index)?;
    on_device.locate_ahead()?;
    on_device.wait_for_positions()?;
    let known = || {
        let segments = Arc::new(Segments::new(index.reference()));
        Arc::new(FinderInputs { index: index.clone(), segments, options: Options::default() })
    };
    let engine = ChainEngine::on_gpu(gpu, on_device.values(), &known())?;
    progress("chains of the CPU");
    let inputs = known();
    let find = |queries: &Arc<Queries>, settings: &Settings| {
        engine
            .find_with(queries, settings, usize::MAX)
            .map(|found| found.ok_or(BenchError::OtherChains))
    };
    for queries in batches {
        let found = find(queries, &runtime_settings())??;
        let expected = cpu::find(&inputs, queries, usize::MAX);
        if expected.as_ref() != Some(&engine.download(&found)?) {
            return Err(BenchError::OtherChains);
        }
    }
    progress("stages");
    let measure = |settings: &Settings| -> Result<[ApplicationTiming; 2], BenchError> {
        let mut all = [ApplicationTiming::default(), ApplicationTiming::default()];
        for queries in batches {
            let found = find(queries, settings)??;
            for (all, one) in all.iter_mut().zip(&found.timings) {
                all.seconds += one.seconds;
                all.metrics.add(&one.metrics);
            }
        }
        Ok(all)
    };
    let mut timings = Vec::new();
    for (name, settings) in around(&runtime_settings(), other_settings) {
        let timed: Vec<[ApplicationTiming; 2]> =
            (0..=runs).map(|_| measure(&settings)).collect::<Result<_, _>>()?;
        let counted = measure(&Settings { metrics: true, ..settings })?;
        for (number, app) in ["seeds", "chains"].into_iter().enumerate() {
            // The first run loads code and grows memory, and does not count.
            let seconds: Vec<f64> = timed[1..].iter().map(|run| run[number].seconds).collect();
            let of = (app, name, "cuda");
            timings.push(SeedsTiming::new(of, batches, median(&seconds), &counted[number].metrics));
        }
    }
    Ok(timings)
}

fn failed(source: RunError) -> BenchError {
    BenchError::Run { app: "seeds", source }
}

/// A table with a line for each application.
pub fn seeds_table(timings: &[SeedsTiming]) -> String {
    let line = |cells: [String; 9]| {
        let [app, settings, device, reads, ms, mreads, blocks, shares, stages] = cells;
        format!(
            "{app:<8} {settings:<13} {device:<8} {reads:>9} {ms:>9} {mreads:>8} {blocks:>7}  {shares:<24} {stages}\n"
        )
    };
    let heading = [
        "app",
        "settings",
        "device",
        "reads",
        "ms",
        "Mreads/s",
        "blocks",
        "gather/run/scatter/plan",
        "occupancy",
    ];
    let row = |timing: &SeedsTiming| {
        line([
            timing.app.to_owned(),
            timing.settings.to_owned(),
            timing.device.to_owned(),
            timing.reads.to_string(),
            format!("{:.2}", timing.seconds * 1e3),
            format!("{:.3}", timing.mreads),
            timing.blocks.to_string(),
            shares(timing.shares),
            StageUse::line(&timing.stages),
        ])
    };
    line(heading.map(str::to_owned)) + &timings.iter().map(row).collect::<String>()
}
