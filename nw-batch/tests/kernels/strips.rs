//! Ends and alignments of `strips.cu` are those of the CPU engine.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use aligner_core::gpu::DeviceAddress;
use fastrand::Rng;
use nw_batch::alignment::{AlignmentEnd, CigarRef, CigarRun, TracedAlignment};
use nw_batch::gpu::plan::strips::{DeviceLimits, LongPairs, StripPart};
use nw_batch::gpu::plan::warp::LaunchPlanner;
use nw_batch::gpu::plan::warp_kernel::KernelFamily;
use nw_batch::gpu::strip_structs::{FillStripsParameters, StripParameters, TraceStripsParameters};
use nw_batch::gpu::structs::{BiasedScoring, biased_table};
use nw_batch::scoring::bias::ScoreBias;
use nw_batch::{Alignment, GapCosts, PairBatch, Scoring, cpu};
use rayon::prelude::*;
use simt::{Argument, Launch, Module};

use crate::addresses::{device_sequences, input, output};
use crate::common::{Pairs, free_ends, mutated, pair, scorings, sequence};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "strips").expect("the build made it"));

const POISON: u32 = 0xDEAD_BEEF;
const NO_ALIGNMENT: TracedAlignment =
    TracedAlignment { score: i32::MIN, run_count: 0, first_run: 0 };

/// Memory that a part of a plan reads and writes.
struct Memory {
    table: Vec<i16>,
    words: Vec<u32>,
    ends: Vec<AlignmentEnd>,
    scores: Vec<i32>,
    run_count: [u64; 1],
    runs: Vec<CigarRun>,
    alignments: Vec<TracedAlignment>,
}

impl Memory {
    fn new(scoring: &Scoring, batch: PairBatch<'_>, words: u64, runs: u64) -> Self {
        let pairs = batch.pairs.len();
        Self {
            table: biased_table(scoring, &ScoreBias::wide(scoring)),
            words: vec![POISON; words as usize],
            ends: vec![AlignmentEnd { score: i32::MIN, row: POISON, column: POISON }; pairs],
            scores: vec![i32::MIN; pairs],
            run_count: [0],
            runs: vec![bytemuck::cast(POISON); runs as usize],
            alignments: vec![NO_ALIGNMENT; pairs],
        }
    }

    fn parameters(
        &mut self,
        scoring: &Scoring,
        batch: PairBatch<'_>,
        part: &StripPart,
    ) -> StripParameters {
        StripParameters {
            sequences: device_sequences(batch),
            scoring: BiasedScoring::new(scoring, &ScoreBias::wide(scoring)),
            letters: scoring.alphabet().len() as u32,
            table: input(&self.table),
            pairs: input(batch.pairs),
            long_pairs: input(&part.long_pairs),
            words: output(&mut self.words),
            ends: output(&mut self.ends),
            one: 1,
            count: part.long_pairs.len() as u32,
        }
    }

    /// Fills the strips of a part, and traces its alignments back if it has tracebacks.
    fn run(&mut self, scoring: &Scoring, batch: PairBatch<'_>, part: &StripPart, blocks: u32) {
        let letters = scoring.alphabet().len() as u32;
        let (mut next_task, mut columns_done) = ([0_u32], vec![0_u32; part.tasks.len()]);
        let scores = output(&mut self.scores);
        let parameters = FillStripsParameters {
            launch: self.parameters(scoring, batch, part),
            tasks: input(&part.tasks),
            next_task: output(&mut next_task),
            columns_done: output(&mut columns_done),
            scores: if blocks == 1 { DeviceAddress::new(0) } else { scores },
            task_count: part.tasks.len() as u32,
            saves_states: u32::from(part.trace.is_some()),
        };
        let threads = part.fill_threads();
        let shared = threads / 32 * part.shared_bytes_per_warp(letters);
        let kernel = KERNELS.kernel(&part.fill_kernel()).expect("it is exported");
        let size = Launch::new(blocks, threads).shared(shared.into());
        // SAFETY: the parameters are those of the kernel, with the lengths its contract asks for.
        unsafe { kernel.launch(&size, &[Argument::value(parameters)]) }.expect("it runs");
        let Some(trace) = part.trace else { return };

        let mut run_room = vec![bytemuck::cast::<u32, CigarRun>(POISON); part.max_runs() as usize];
        let mut next_pair = [0_u32];
        let parameters = TraceStripsParameters {
            launch: self.parameters(scoring, batch, part),
            directions_start: part.words,
            next_pair: output(&mut next_pair),
            run_room: output(&mut run_room),
            run_count: output(&mut self.run_count),
            runs: output(&mut self.runs),
            alignments: output(&mut self.alignments),
            side: trace.side,
            padding: 0,
        };
        let warps = trace.side * trace.side;
        let shared = warps * part.shared_bytes_per_warp(letters);
        let kernel = KERNELS.kernel(&part.trace_kernel()).expect("it is exported");
        let size = Launch::new(trace.blocks, 32 * warps).shared(shared.into());
        // SAFETY: as above.
        unsafe { kernel.launch(&size, &[Argument::value(parameters)]) }.expect("it runs");
    }
}

/// Long pairs of a batch, by the families of their kernels.
fn long_pairs(scoring: &Scoring, batch: PairBatch<'_>) -> Vec<LongPairs> {
    let all = (0..batch.pairs.len() as u32).collect();
    LaunchPlanner::new(scoring, batch.queries).families(batch, all)
}

/// Compares the pairs of a batch, none of them with an empty sequence, with the CPU engine; returns the families of kernels
/// that were used, with the sides of their squares.
fn check(
    case: &str,
    scoring: &Scoring,
    batch: PairBatch<'_>,
    limits: DeviceLimits,
) -> BTreeSet<(KernelFamily, u32)> {
    let expected = cpu::alignments(scoring, batch);
    let mut used = BTreeSet::new();
    for long in long_pairs(scoring, batch) {
        for with_alignments in [false, true] {
            let (mut parts, mut left) = (Vec::new(), Vec::new());
            let words = long.words(batch, with_alignments, limits).min(limits.words);
            let limits = DeviceLimits { words, ..limits };
            long.plan(batch, with_alignments, limits, &mut parts, &mut left);
            let runs = parts.iter().map(StripPart::max_runs).sum();
            let mut memory = Memory::new(scoring, batch, words, runs);
            for part in &parts {
                let directions = part.trace.map_or(0, |trace| trace.direction_words);
                assert!(part.words + directions <= words, "{case}");
                used.extend(part.trace.map(|trace| (part.family, trace.side)));
                memory.run(scoring, batch, part, 1 + u32::from(with_alignments));
            }
            for &index in &long.pairs {
                let case = format!("{case}, pair {index}, alignments {with_alignments}");
                let Alignment { score, cigar } = &expected[index as usize];
                let found = memory.alignments[index as usize];
                if left.contains(&(index as usize)) {
                    assert_eq!(found, NO_ALIGNMENT, "{case}");
                    continue;
                }
                assert_eq!(memory.ends[index as usize].score, *score, "{case}");
                if with_alignments {
                    assert_eq!(memory.scores[index as usize], *score, "{case}");
                    let own = &memory.runs[found.first_run as usize..][..found.run_count as usize];
                    assert_eq!((found.score, CigarRef(own)), (*score, cigar.view()), "{case}");
                }
            }
        }
    }
    used
}

/// Scorings whose scores fit into a byte.
fn byte_scorings() -> Vec<(&'static str, Scoring)> {
    let mut all = scorings();
    let one = Pairs::new(&[(vec![0], vec![0])]);
    all.retain(|(_, scoring)| !long_pairs(scoring, one.batch()).is_empty());
    all
}

#[test]
fn random_pairs() {
    for (kind, (name, scoring)) in byte_scorings().into_iter().enumerate() {
        for seed in 0..3 {
            let mut random = Rng::with_seed(seed * 100 + kind as u64);
            let codes = (scoring.alphabet().len() as u8).min(if seed == 0 { 32 } else { 4 });
            let scoring =
                scoring.clone().with_free_ends(free_ends(random.u8(..16) * (seed as u8 % 2)));
            let longest = [3, 90, 1300][seed as usize];
            let mut all: Vec<_> = (0..4).map(|_| pair(&mut random, codes, longest)).collect();
            all.retain(|pair| !pair.0.is_empty() && !pair.1.is_empty());
            let limits = DeviceLimits { multiprocessors: 1, words: u64::MAX };
            check(&format!("{name}, seed {seed}"), &scoring, Pairs::new(&all).batch(), limits);
        }
    }
}

/// Related sequences, and unrelated ones with long gaps, of one strip or several, and of one segment or several.
#[test]
fn every_kernel_with_several_strips_and_segments() {
    let mut cases = Vec::new();
    let mut random = Rng::with_seed(5);
    let simple = |open, extend| {
        Scoring::with_match_mismatch(5, -4, GapCosts { open, extend }).expect("a scoring")
    };
    let blosum = byte_scorings().into_iter().find(|(name, _)| *name == "BLOSUM62");
    let scorings = [("linear", simple(6, 6)), ("affine", simple(10, 1)), blosum.expect("a matrix")];
    for (name, scoring) in scorings {
        // With unknown residues, and without.
        for most in [4, 32] {
            let codes = (scoring.alphabet().len() as u8).min(most);
            let long = sequence(&mut random, codes, 3000);
            let all = [
                (long[..2100].to_vec(), mutated(&mut random, codes, &long[..2300], 15)),
                (long[..1024].to_vec(), long[..961].to_vec()),
                (long[..1025].to_vec(), sequence(&mut random, codes, 962)),
                ([&long[..700], &long[2000..]].concat(), long),
            ];
            let scoring = scoring.clone().with_free_ends(free_ends(random.u8(..16)));
            // Less memory than all pairs need; too little for the largest pair.
            for (multiprocessors, share) in [(1, (1, 1)), (1, (3, 4)), (1, (1, 3)), (9, (1, 1))] {
                cases.push((name, scoring.clone(), all.clone(), multiprocessors, share));
            }
        }
    }
    let used = cases.into_par_iter().map(|case| {
        let (name, scoring, all, multiprocessors, (numerator, denominator)) = case;
        let pairs = Pairs::new(&all);
        let batch = pairs.batch();
        let limits = DeviceLimits { multiprocessors, words: u64::MAX };
        let words = |long: &LongPairs| long.words(batch, true, limits);
        let most = long_pairs(&scoring, batch).iter().map(words).max().unwrap_or(0);
        let limits = DeviceLimits { words: most / denominator * numerator, ..limits };
        check(name, &scoring, batch, limits)
    });
    let used: BTreeSet<_> = used.flatten_iter().collect();
    let sides = |family| if family == KernelFamily::Profile { vec![1] } else { vec![2, 4] };
    let all = KernelFamily::ALL
        .into_iter()
        .filter(|family| !matches!(family, KernelFamily::Table | KernelFamily::Wide));
    let all = all.flat_map(|family| sides(family).into_iter().map(move |side| (family, side)));
    assert_eq!(used, all.collect());
}
