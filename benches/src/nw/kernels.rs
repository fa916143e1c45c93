//! Global alignments on a GPU: the speed of each kind of kernel, each checked against the CPU.

use std::time::Instant;

use aligner_core::gpu::Gpu;
use nw_batch::gpu::Engine;
use nw_batch::gpu::engine::KernelKind;
use nw_batch::gpu::plan::full_matrix::FullMatrixKernel;
use nw_batch::{GapCosts, PairBatch, Scoring, ScoringError, SequencePair, SubstitutionMatrix, cpu};
use serde::Serialize;

use super::workload::{MIXED_LENGTHS, NwOptions, genes, lengths};
use crate::error::BenchError;
use crate::timing::median;

/// Pairs of each case that are checked against the CPU.
const CHECKED: usize = 256;

/// Cells of the largest matrix that the CPU fills for a check.
const CHECKED_CELLS: u64 = 1 << 24;

/// Sequences of mixed lengths, each of which is aligned with all others.
const MIXED_SEQUENCES: u32 = 300;

/// Residues of the sequences of one long pair.
const LONG: u32 = 1_000_000;

/// The speed of one kind of kernel.
#[derive(Debug, Clone, Serialize)]
pub struct NwTiming {
    /// The gap costs, the output, and the kernel, separated by commas.
    pub name: &'static str,
    /// Pairs in a run.
    pub pairs: usize,
    /// Matrix cells of all pairs.
    pub cells: u64,
    /// Median seconds of the launches, by the device's events.
    pub kernel_seconds: f64,
    /// Median seconds with planning, copies and results on the host.
    pub seconds: f64,
    /// Cells by `kernel_seconds`, in 10^12 a second.
    pub kernel_tcells: f64,
    /// Cells by `seconds`, in 10^12 a second.
    pub tcells: f64,
}

/// One kind of kernel with a scoring.
struct KernelCase {
    name: &'static str,
    scoring: Scoring,
    /// The kernel for scores; `None` measures alignments.
    method: Option<KernelKind>,
    /// One pair in `share` is aligned, so that slow kernels get fewer.
    share: usize,
}

/// A scoring by match and mismatch.
fn simple(matching: i32, mismatch: i32, open: i32, extend: i32) -> Result<Scoring, ScoringError> {
    Scoring::with_match_mismatch(matching, mismatch, GapCosts { open, extend })
}

fn cases() -> Result<Vec<KernelCase>, BenchError> {
    let blosum = SubstitutionMatrix::built_in("BLOSUM62").ok_or(ScoringError::NoMatrix)??;
    let (linear, affine) = (simple(5, -4, 10, 10)?, simple(5, -4, 10, 1)?);
    let protein = Scoring::with_matrix(blosum, GapCosts { open: 11, extend: 1 })?;
    let edit = simple(0, -1, 1, 1)?;
    let case = |name, scoring: &Scoring, method, share| KernelCase {
        name,
        scoring: scoring.clone(),
        method,
        share,
    };
    let full = |kernel| Some(KernelKind::FullMatrix(kernel));
    Ok(vec![
        case("linear, scores, warp", &linear, Some(KernelKind::Warp), 1),
        case("affine, scores, warp", &affine, Some(KernelKind::Warp), 1),
        case("BLOSUM62, scores, warp", &protein, Some(KernelKind::Warp), 4),
        case("edit distance, scores, edit", &edit, Some(KernelKind::Edit), 1),
        case("linear, alignments, warp", &linear, None, 2),
        case("affine, alignments, warp", &affine, None, 2),
        case("linear, scores, dscan", &linear, full(FullMatrixKernel::Dscan), 16),
        case("linear, scores, tiled-dscan", &linear, full(FullMatrixKernel::TiledDscan), 16),
        case("linear, scores, rscan", &linear, full(FullMatrixKernel::Rscan), 16),
        case("linear, scores, rodinia", &linear, full(FullMatrixKernel::Rodinia), 1024),
    ])
}

/// Measures all kinds of kernels. `progress` gets the name of each case before it begins.
///
/// # Errors
/// If the GPU fails, or gives other results than the CPU.
pub fn nw(
    gpu: &Gpu,
    options: NwOptions,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<NwTiming>, BenchError> {
    let mut timings = Vec::new();
    for case in cases()? {
        progress(case.name);
        let codes = (case.scoring.alphabet().len() as u8).min(20);
        let sequences = genes(options, if codes == 5 { 4 } else { codes });
        let pairs = all_pairs(sequences.len() as u32, case.share);
        let batch = PairBatch { queries: &sequences, targets: &sequences, pairs: &pairs };
        timings.push(measure(gpu, &case, batch, options.runs)?);
    }
    Ok(timings)
}

/// Measures scores and alignments of sequences of mixed lengths, and of one pair of long sequences. `progress` gets the name
/// of each case before it begins.
///
/// # Errors
/// If the GPU fails, or gives other results than the CPU.
pub fn nw_lengths(
    gpu: &Gpu,
    runs: usize,
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<NwTiming>, BenchError> {
    let (linear, affine) = (simple(5, -4, 10, 10)?, simple(5, -4, 10, 1)?);
    let (mixed, long) = (lengths(MIXED_SEQUENCES, MIXED_LENGTHS), lengths(2, LONG..=LONG));
    let (warp, none) = (Some(KernelKind::Warp), None);
    let cases = [
        ("linear, scores, mixed", &linear, warp, &mixed, 1),
        ("affine, scores, mixed", &affine, warp, &mixed, 1),
        ("linear, alignments, mixed", &linear, none, &mixed, 8),
        ("affine, alignments, mixed", &affine, none, &mixed, 8),
        ("linear, scores, one pair", &linear, warp, &long, 1),
        ("affine, scores, one pair", &affine, warp, &long, 1),
        ("linear, alignments, one pair", &linear, none, &long, 1),
        ("affine, alignments, one pair", &affine, none, &long, 1),
    ];
    let mut timings = Vec::new();
    for (name, scoring, method, sequences, share) in cases {
        progress(name);
        let case = KernelCase { name, scoring: scoring.clone(), method, share };
        let pairs = all_pairs(sequences.len() as u32, share);
        let batch = PairBatch { queries: sequences, targets: sequences, pairs: &pairs };
        timings.push(measure(gpu, &case, batch, runs)?);
    }
    Ok(timings)
}

/// One in `share` of the pairs of different sequences.
fn all_pairs(sequences: u32, share: usize) -> Vec<SequencePair> {
    let all = (0..sequences)
        .flat_map(|query| (query + 1..sequences).map(move |target| SequencePair { query, target }));
    all.step_by(share).collect()
}

fn measure(
    gpu: &Gpu,
    case: &KernelCase,
    batch: PairBatch<'_>,
    runs: usize,
) -> Result<NwTiming, BenchError> {
    let mut engine = Engine::new(gpu.clone(), &case.scoring, batch.queries, batch.targets)?;
    let planned = match case.method {
        Some(method) => engine.plan_scores(batch, method)?,
        None => engine.plan_alignments(batch)?,
    };
    let (mut kernel, mut whole) = (Vec::new(), Vec::new());
    // Run 0 loads code and grows memory; its results are checked, its time does not count.
    for run in 0..=runs {
        let mut launched = None;
        let seconds = gpu.timed(|| {
            launched = Some(engine.launch(&planned)?);
            Ok(())
        })?;
        drop(launched);
        let start = Instant::now();
        let mut wrong = 0;
        let some = if run == 0 { checked(batch) } else { Vec::new() };
        let (some, large): (Vec<usize>, Vec<usize>) =
            some.into_iter().partition(|&at| cells(batch, at) <= CHECKED_CELLS);
        let pairs: Vec<SequencePair> = some.iter().map(|&at| batch.pairs[at]).collect();
        let part = PairBatch { pairs: &pairs, ..batch };
        if let Some(method) = case.method {
            let launched = engine.begin_scores(batch, method)?;
            let scores = engine.finish_scores(&launched, batch.pairs.len())?;
            whole.push(start.elapsed().as_secs_f64());
            let right = cpu::scores(&case.scoring, part);
            wrong += some.iter().zip(right).filter(|&(&at, right)| scores[at] != right).count();
        } else {
            let (alignments, _) = engine.alignments(batch)?;
            whole.push(start.elapsed().as_secs_f64());
            let right = cpu::alignments(&case.scoring, part);
            wrong +=
                some.iter().zip(right).filter(|(at, right)| alignments.get(**at) != *right).count();
            // Alignments too large for the CPU are worth what they say.
            let is_wrong = |&&at: &&usize| {
                let (alignment, (query, target)) =
                    (alignments.get(at), batch.sequences(batch.pairs[at]));
                alignment.cigar.rescore(&case.scoring, query, target) != Ok(alignment.score)
            };
            wrong += large.iter().filter(is_wrong).count();
        }
        if wrong > 0 {
            return Err(BenchError::WrongAlignments { name: case.name, wrong });
        }
        kernel.push(seconds);
    }
    let (kernel_seconds, seconds) = (median(&kernel[1..]), median(&whole[1..]));
    let cells = batch.cells();
    Ok(NwTiming {
        name: case.name,
        pairs: batch.pairs.len(),
        cells,
        kernel_seconds,
        seconds,
        kernel_tcells: cells as f64 / kernel_seconds / 1e12,
        tcells: cells as f64 / seconds / 1e12,
    })
}

/// Cells of the matrix of a pair.
fn cells(batch: PairBatch<'_>, at: usize) -> u64 {
    let (rows, columns) = batch.lengths(at as u32);
    u64::from(rows) * u64::from(columns)
}

/// Indexes of the pairs that are checked, evenly spread over the batch.
fn checked(batch: PairBatch<'_>) -> Vec<usize> {
    (0..batch.pairs.len()).step_by((batch.pairs.len() / CHECKED).max(1)).collect()
}

/// A table with a line for each case.
pub fn nw_table(timings: &[NwTiming]) -> String {
    let row = |name: &str, cells: [String; 5]| {
        let [pairs, ms, kernel, whole, rate] = cells;
        format!("{name:<30} {pairs:>9} {ms:>11} {kernel:>15} {whole:>13} {rate:>14}\n")
    };
    let heading = ["pairs", "kernel ms", "kernel Tcells/s", "all Tcells/s", "all pairs/s"];
    let mut table = row("", heading.map(str::to_owned));
    for timing in timings {
        table += &row(
            timing.name,
            [
                timing.pairs.to_string(),
                format!("{:.2}", timing.kernel_seconds * 1e3),
                format!("{:.3}", timing.kernel_tcells),
                format!("{:.3}", timing.tcells),
                format!("{:.0}", timing.pairs as f64 / timing.seconds),
            ],
        );
    }
    table
}
