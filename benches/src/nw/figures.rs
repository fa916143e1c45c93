//! The comparisons of Li 2016, section 3.4.2, figures 8 to 12, on this device.
//!
//! The dissertation's kernels leave whole matrices in device memory, and alignments are traced on the host, so figures
//! 8 and 12 include the copies of the matrices. Random sequences of 1,536 bases stand in for 16S genes.

use std::panic::resume_unwind;
use std::thread;
use std::time::Instant;

use aligner_core::gpu::{Gpu, PinnedBuffer};
use nw_batch::gpu::Engine;
use nw_batch::gpu::engine::KernelKind;
use nw_batch::gpu::launch::batch::PlannedBatch;
use nw_batch::gpu::plan::full_matrix::{self, FullMatrixKernel};
use nw_batch::{GapCosts, PairBatch, Scoring, SequencePair, SequenceSet, cpu};
use serde::Serialize;

use super::workload::{NwOptions, genes};
use crate::error::BenchError;
use crate::timing::median;

/// Lengths of sequences, in bases, at which figures 9 to 11 compare kernels.
const LENGTHS: [u32; 7] = [128, 256, 512, 1024, 1536, 2048, 4096];

/// Numbers of pairs in the small batches of figures 9 and 10.
const FEW: [usize; 4] = [8, 16, 32, 64];

/// The length of figures 8 and 12, in bases.
const GENE: u32 = 1536;

/// Matrix values in a batch of figure 12: 16 GiB. Copies take the time, not the kernel, so larger batches would not
/// change the result.
const BATCH_VALUES: u64 = 4 << 30;

/// Timed runs, of which the median counts, after one that loads code and allocates memory.
const RUNS: usize = 3;

/// Batches that figure 12 processes; its times are for one.
const BATCHES: f64 = 3.0;

/// Seconds of a first run from which on loading code and allocating memory do not matter, so it is the only one.
const LONG: f64 = 0.3;

/// One bar or point of a figure.
#[derive(Debug, Clone, Serialize)]
pub struct NwPoint {
    /// The figure's number in the dissertation.
    pub figure: &'static str,
    /// The kernel, and where its matrices go.
    pub name: String,
    /// Residues of a sequence.
    pub length: u32,
    /// Pairs in a batch.
    pub pairs: usize,
    /// Median seconds for a batch.
    pub seconds: f64,
    /// Matrix cells, in 10^9 a second.
    pub gcells: f64,
    /// How many times as fast as the figure's baseline.
    pub speedup: f64,
}

/// Pairs of sequences of one length.
struct PairWorkload {
    length: u32,
    sequences: SequenceSet,
    pairs: Vec<SequencePair>,
}

impl PairWorkload {
    fn new(length: u32, pairs: usize) -> Self {
        let sequences = genes(NwOptions { sequences: 64, length, runs: 1 }, 4);
        let count = sequences.len() as u32;
        let pair = |number: u32| SequencePair {
            query: number % count,
            target: (number % count + 1 + number / count % (count - 1)) % count,
        };
        Self { length, pairs: (0..pairs as u32).map(pair).collect(), sequences }
    }

    fn batch(&self) -> PairBatch<'_> {
        PairBatch { queries: &self.sequences, targets: &self.sequences, pairs: &self.pairs }
    }

    fn engine(&self, gpu: &Gpu, scoring: &Scoring) -> Result<Engine, BenchError> {
        Ok(Engine::new(gpu.clone(), scoring, &self.sequences, &self.sequences)?)
    }

    /// Median seconds of the launches of a kernel for scores.
    fn kernel(&self, gpu: &Gpu, scoring: &Scoring, method: KernelKind) -> Result<f64, BenchError> {
        let mut engine = self.engine(gpu, scoring)?;
        let planned = engine.plan_scores(self.batch(), method)?;
        median_time(|| {
            let mut launched = None;
            let seconds = gpu.timed(|| {
                launched = Some(engine.launch(&planned)?);
                Ok(())
            })?;
            Ok(seconds)
        })
    }

    fn point(
        &self,
        figure: &'static str,
        name: impl Into<String>,
        seconds: f64,
        baseline: f64,
    ) -> NwPoint {
        NwPoint {
            figure,
            name: name.into(),
            length: self.length,
            pairs: self.pairs.len(),
            seconds,
            gcells: self.batch().cells() as f64 / seconds / 1e9,
            speedup: baseline / seconds,
        }
    }
}

/// The median seconds of [`RUNS`] runs after a first one, or the seconds of the first if it takes longer than [`LONG`].
fn median_time(mut run: impl FnMut() -> Result<f64, BenchError>) -> Result<f64, BenchError> {
    let first = run()?;
    if first > LONG {
        return Ok(first);
    }
    let times: Result<Vec<f64>, BenchError> = (0..RUNS).map(|_| run()).collect();
    Ok(median(&times?))
}

/// The seconds that `work` takes on the host's clock.
fn clocked(work: impl FnOnce() -> Result<(), BenchError>) -> Result<f64, BenchError> {
    let start = Instant::now();
    work()?;
    Ok(start.elapsed().as_secs_f64())
}

/// Measures all figures. `progress` gets the name of each before it begins.
///
/// # Errors
/// If the GPU fails.
pub fn nw_figures(gpu: &Gpu, progress: &mut dyn FnMut(&str)) -> Result<Vec<NwPoint>, BenchError> {
    let scoring = Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 10 })?;
    let mut points = Vec::new();
    progress("figure 8");
    points.extend(memory(gpu, &scoring)?);
    for length in LENGTHS {
        progress(&format!("figures 9 to 11, length {length}"));
        points.extend(few(gpu, &scoring, length)?);
        points.extend(full_batch(gpu, &scoring, length)?);
    }
    progress("figure 12");
    points.extend(throughput(gpu, &scoring)?);
    Ok(points)
}

/// Figure 8: 64 pairs of `rodinia`, with the matrices made on the host as Rodinia does, on the
/// device, and with page-locked memory.
fn memory(gpu: &Gpu, scoring: &Scoring) -> Result<Vec<NwPoint>, BenchError> {
    let work = PairWorkload::new(GENE, 64);
    let mut engine = work.engine(gpu, scoring)?;
    let planned =
        engine.plan_scores(work.batch(), KernelKind::FullMatrix(FullMatrixKernel::Rodinia))?;
    let values = full_matrix::batch_values(work.batch()) as usize;
    let mut pageable = vec![0_u32; values];
    let mut pinned = gpu.pinned::<u32>(values)?;
    // Rodinia copies matrices with borders, and a score for every cell, to the device.
    let made_on_host = vec![1_u32; 2 * values];
    let on_host = median_time(|| {
        clocked(|| {
            let copied = gpu.upload(&made_on_host)?;
            let launched = engine.launch(&planned)?;
            engine.matrices_into(&mut pageable)?;
            drop((launched, copied));
            Ok(())
        })
    })?;
    let mut to = |memory: &mut [u32]| {
        median_time(|| {
            clocked(|| {
                let launched = engine.launch(&planned)?;
                engine.matrices_into(memory)?;
                drop(launched);
                Ok(())
            })
        })
    };
    let on_device = to(&mut pageable)?;
    let locked = to(pinned.as_mut_slice()?)?;
    Ok(vec![
        work.point("8", "rodinia, set up on the host", on_host, on_host),
        work.point("8", "rodinia, set up on the device", on_device, on_host),
        work.point("8", "rodinia, and page-locked memory", locked, on_host),
    ])
}

/// Every kernel for linear gap costs, with its name.
fn kernels() -> [(&'static str, KernelKind); 5] {
    [
        ("rodinia", KernelKind::FullMatrix(FullMatrixKernel::Rodinia)),
        ("tiled-dscan", KernelKind::FullMatrix(FullMatrixKernel::TiledDscan)),
        ("dscan", KernelKind::FullMatrix(FullMatrixKernel::Dscan)),
        ("rscan", KernelKind::FullMatrix(FullMatrixKernel::Rscan)),
        ("warp", KernelKind::Warp),
    ]
}

/// Figures 9 and 10: small batches.
fn few(gpu: &Gpu, scoring: &Scoring, length: u32) -> Result<Vec<NwPoint>, BenchError> {
    let mut points = Vec::new();
    for pairs in FEW {
        let work = PairWorkload::new(length, pairs);
        let mut rodinia = 0.0;
        for (name, method) in kernels() {
            let seconds = work.kernel(gpu, scoring, method)?;
            rodinia = if name == "rodinia" { seconds } else { rodinia };
            points.push(work.point("9, 10", name, seconds, rodinia));
        }
    }
    Ok(points)
}

/// Figure 11: as many pairs as 70% of the device's memory has room for. Rodinia takes one pair
/// after the other, so its time is extrapolated from 64 pairs.
fn full_batch(gpu: &Gpu, scoring: &Scoring, length: u32) -> Result<Vec<NwPoint>, BenchError> {
    let one = full_matrix::batch_values(PairWorkload::new(length, 1).batch());
    let pairs = gpu.free_memory()? / 10 * 7 / 4 / one;
    let work = PairWorkload::new(length, pairs as usize);
    let some = PairWorkload::new(length, 64);
    let of_some = some.kernel(gpu, scoring, KernelKind::FullMatrix(FullMatrixKernel::Rodinia))?;
    let rodinia = of_some * pairs as f64 / 64.0;
    let mut points = vec![work.point("11", "rodinia, from 64 pairs", rodinia, rodinia)];
    for (name, method) in kernels().into_iter().skip(1) {
        points.push(work.point("11", name, work.kernel(gpu, scoring, method)?, rodinia));
    }
    Ok(points)
}

/// Figure 12: `dscan` with its matrices copied to the host, three batches, or six of half the size
/// of which one is copied while another is computed; and the copies without kernels.
fn throughput(gpu: &Gpu, scoring: &Scoring) -> Result<Vec<NwPoint>, BenchError> {
    let one = full_matrix::batch_values(PairWorkload::new(GENE, 1).batch());
    let size = (BATCH_VALUES / one) as usize;
    let (work, half) = (PairWorkload::new(GENE, size), PairWorkload::new(GENE, size / 2));
    let some = PairWorkload::new(GENE, 512);
    let on_cpu = median_time(|| {
        clocked(|| {
            cpu::scores(scoring, some.batch());
            Ok(())
        })
    })? / 512.0;
    let values = |work: &PairWorkload| full_matrix::batch_values(work.batch()) as usize;
    let mut one = PlannedEngine::new(gpu, &work, scoring)?;
    let mut pageable = vec![1; values(&work)];
    let unpinned = clocked(|| one.run(&mut pageable))?;
    let mut landing = gpu.pinned(values(&work))?;
    let pinned = clocked(|| one.run(landing.as_mut_slice()?))?;
    // The copies alone: the ceiling that the link to the host sets.
    let copied = clocked(|| one.copy(landing.as_mut_slice()?))?;
    drop((one, pageable, landing));
    // Two streams, each with a thread and half of the memory.
    let mut halves = Vec::new();
    for _ in 0..2 {
        let own = Gpu::open(gpu.ordinal())?;
        halves.push((PlannedEngine::new(&own, &half, scoring)?, own.pinned(values(&half))?));
    }
    let doubled = clocked(|| {
        thread::scope(|scope| {
            let run = |(ready, landing): &mut (PlannedEngine<'_>, PinnedBuffer<u32>)| {
                ready.run(landing.as_mut_slice()?)
            };
            let threads: Vec<_> =
                halves.iter_mut().map(|half| scope.spawn(move || run(half))).collect();
            let done = threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            done.collect()
        })
    })?;
    let cpu = on_cpu * size as f64;
    let threads = rayon::current_num_threads();
    Ok(vec![
        work.point("12", format!("this CPU, {threads} threads, scores"), cpu, cpu),
        work.point("12", "dscan, pageable memory", unpinned / BATCHES, cpu),
        work.point("12", "dscan, page-locked memory", pinned / BATCHES, cpu),
        work.point("12", "dscan, double buffering", doubled / BATCHES, cpu),
        work.point("12", "copies alone, page-locked memory", copied / BATCHES, cpu),
    ])
}

/// A batch of figure 12, planned for a stream of its own.
struct PlannedEngine<'a> {
    engine: Engine,
    planned: PlannedBatch<'a>,
}

impl<'a> PlannedEngine<'a> {
    /// Plans a batch and launches it once, which loads code and allocates memory.
    fn new(gpu: &Gpu, work: &'a PairWorkload, scoring: &Scoring) -> Result<Self, BenchError> {
        let mut engine = work.engine(gpu, scoring)?;
        let planned =
            engine.plan_scores(work.batch(), KernelKind::FullMatrix(FullMatrixKernel::Dscan))?;
        drop(engine.launch(&planned)?);
        gpu.synchronize()?;
        Ok(Self { engine, planned })
    }

    /// Computes the batch three times, and copies its matrices to the host each time.
    fn run(&mut self, memory: &mut [u32]) -> Result<(), BenchError> {
        for _ in 0..BATCHES as usize {
            let launched = self.engine.launch(&self.planned)?;
            self.engine.matrices_into(memory)?;
            drop(launched);
        }
        Ok(())
    }

    /// Copies the matrices to the host three times, without computing them.
    fn copy(&self, memory: &mut [u32]) -> Result<(), BenchError> {
        for _ in 0..BATCHES as usize {
            self.engine.matrices_into(memory)?;
        }
        Ok(())
    }
}

/// A table with a line for each point.
pub fn nw_figures_table(points: &[NwPoint]) -> String {
    let line = |cells: [String; 7]| {
        let [figure, name, length, pairs, ms, gcells, speedup] = cells;
        format!("{figure:<6} {name:<40} {length:>6} {pairs:>8} {ms:>12} {gcells:>9} {speedup:>8}\n")
    };
    let heading = ["figure", "", "length", "pairs", "ms", "Gcells/s", "speedup"];
    let row = |point: &NwPoint| {
        line([
            point.figure.to_owned(),
            point.name.clone(),
            point.length.to_string(),
            point.pairs.to_string(),
            format!("{:.3}", point.seconds * 1e3),
            format!("{:.2}", point.gcells),
            format!("{:.2}", point.speedup),
        ])
    };
    line(heading.map(str::to_owned)) + &points.iter().map(row).collect::<String>()
}
