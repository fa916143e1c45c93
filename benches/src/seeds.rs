//! Seeds of reads: one query after the other on a thread, or word by word on the streaming runtime.

use std::sync::Arc;
use std::time::Instant;

use aligner_core::gpu::Gpu;
use aligner_core::stream::{CpuExecutor, Metrics};
use aligner_core::{Device, DeviceError};
use fm_index::gpu::DeviceIndex;
use fm_index::{FmIndex, Segments};
use rayon::prelude::*;
use seed_extend::Options;
use seed_extend::find::Chains;
use seed_extend::find::gpu::{Engine, Indexed, Seeding};
use seed_extend::queries::Queries;
use seed_extend::seeding::stages::Context;
use seed_extend::seeding::{hunts, settings, topology};
use seed_extend::seeds::{Seed, Seeder};
use serde::Serialize;

use crate::BenchError;
use crate::runner::median;
use crate::stage_use::{StageUse, shares};

/// One way to find seeds.
#[derive(Debug, Clone, Serialize)]
pub struct SeedsTiming {
    /// `queries` or `stages`.
    pub way: &'static str,
    /// Reads.
    pub reads: usize,
    /// Median time of all of them; on a GPU from the queries on the host to how many seeds each has.
    pub seconds: f64,
    /// Reads by that time, in 10^6 a second.
    pub mreads: f64,
    /// Of a block's time: gathering, running, scattering, scheduling.
    pub shares: [f64; 4],
    /// Copies of the application.
    pub blocks: u32,
    /// Launches of it.
    pub launches: u32,
    /// The stages.
    pub stages: Vec<StageUse>,
}

impl SeedsTiming {
    fn new(way: &'static str, batches: &[Arc<Queries>], seconds: f64, metrics: &Metrics) -> Self {
        let reads = batches.iter().map(|queries| queries.len() / 2).sum();
        Self {
            way,
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

/// Measures both ways with batches of reads, on a GPU or the current rayon pool. `progress` is told what
/// comes next.
///
/// # Errors
/// If the device fails, or the ways find different seeds.
pub fn seeds(
    device: &Device,
    index: &FmIndex,
    batches: &[Arc<Queries>],
    runs: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<SeedsTiming>, BenchError> {
    match device {
        Device::Cpu => on_cpu(index, batches, runs, progress),
        Device::Cuda(gpu) => on_gpu(gpu, index, batches, runs, progress),
    }
}

fn on_cpu(
    index: &FmIndex,
    batches: &[Arc<Queries>],
    runs: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<SeedsTiming>, BenchError> {
    let options = Options::default().seeds;
    progress("queries");
    let (expected, seconds) = repeat(runs, || {
        let of = |queries: &Arc<Queries>| {
            let all = (0..queries.len() as u32).into_par_iter();
            all.fold(Vec::new, |mut seeds, query| {
                Seeder::new(index, options).seeds(queries, query, &mut seeds);
                seeds
            })
            .reduce(Vec::new, |mut all, more| {
                all.extend(more);
                all
            })
        };
        Ok(batches.iter().map(|queries| sorted(of(queries))).collect::<Vec<_>>())
    })?;
    let queries = SeedsTiming::new("queries", batches, seconds, &Metrics::default());
    progress("stages");
    let run = |queries: &Arc<Queries>, metrics: bool| -> Result<(Vec<Seed>, Metrics), BenchError> {
        let context = Context { index: index.clone(), queries: Arc::clone(queries), options };
        let (app, sinks) = topology(&context);
        let failed = |source| BenchError::Run { app: "seeds", source };
        let settings = settings(queries.all_codes().len() as u64, metrics);
        let executor = CpuExecutor::new(&app, &settings).map_err(failed)?;
        let hunts = hunts(0..queries.len() as u32);
        let mut outputs = executor.run(&hunts).map_err(failed)?;
        let found = [outputs.take(sinks.first), outputs.take(sinks.again)].concat();
        Ok((found, outputs.metrics))
    };
    let (found, seconds) = repeat(runs, || {
        let of = |queries| run(queries, false).map(|(seeds, _)| sorted(seeds));
        batches.iter().map(of).collect::<Result<Vec<_>, _>>()
    })?;
    if found != expected {
        return Err(BenchError::OtherSeeds { way: "stages" });
    }
    let mut metrics = Metrics::default();
    for queries in batches {
        metrics.add(&run(queries, true)?.1);
    }
    Ok(vec![queries, SeedsTiming::new("stages", batches, seconds, &metrics)])
}

fn sorted(mut seeds: Vec<Seed>) -> Vec<Seed> {
    seeds.par_sort_unstable();
    seeds
}

fn on_gpu(
    gpu: &Gpu,
    index: &FmIndex,
    batches: &[Arc<Queries>],
    runs: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<SeedsTiming>, BenchError> {
    let on_device = DeviceIndex::new(gpu, index)?;
    let indexed = Indexed::new(index, &on_device, gpu);
    let segments = Segments::new(index.reference());
    let mut timings = Vec::new();
    let mut expected: Option<Vec<Chains>> = None;
    for way in ["queries", "stages"] {
        progress(way);
        let seeding = if way == "queries" { Seeding::Threads } else { Seeding::stages(gpu)? };
        let options = Options::default();
        let engine = Engine::on_gpu(gpu, indexed.clone(), &segments, &options, seeding)?;
        let found = batches.iter().map(|queries| {
            // Reads with very many seeds would be left to the CPU, whatever the way.
            Ok(engine.find(queries, |_| (Vec::new(), 0.0))?.chains)
        });
        let found = found.collect::<Result<Vec<Chains>, DeviceError>>()?;
        if *expected.get_or_insert_with(|| found.clone()) != found {
            return Err(BenchError::OtherSeeds { way });
        }
        let count = |metrics: bool| -> Result<Metrics, BenchError> {
            let mut all = Metrics::default();
            for queries in batches {
                all.add(&engine.count_seeds(queries, metrics)?.1);
            }
            Ok(all)
        };
        let ((), seconds) = repeat(runs, || count(false).map(drop))?;
        timings.push(SeedsTiming::new(way, batches, seconds, &count(true)?));
    }
    Ok(timings)
}

/// What `work` gives, and the median of its times; the first run loads code and grows memory.
fn repeat<T>(
    runs: usize,
    mut work: impl FnMut() -> Result<T, BenchError>,
) -> Result<(T, f64), BenchError> {
    let mut found = work()?;
    let mut times = Vec::new();
    for _ in 0..runs {
        let start = Instant::now();
        found = work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    Ok((found, median(&times)))
}

/// A table of them.
pub fn seeds_table(timings: &[SeedsTiming]) -> String {
    let line = |cells: [String; 7]| {
        let [way, reads, ms, mreads, blocks, shares, stages] = cells;
        format!("{way:<8} {reads:>9} {ms:>9} {mreads:>8} {blocks:>7}  {shares:<24} {stages}\n")
    };
    let heading =
        ["way", "reads", "ms", "Mreads/s", "blocks", "gather/run/scatter/plan", "occupancy"];
    let row = |timing: &SeedsTiming| {
        line([
            timing.way.to_owned(),
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
