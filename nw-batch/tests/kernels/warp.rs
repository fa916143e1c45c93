//! Ends and alignments of `warp.cu` are those of the CPU engine.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use fastrand::Rng;
use nw_batch::alignment::{AlignmentEnd, CigarRef, CigarRun, TracedAlignment};
use nw_batch::gpu::plan::strips::DeviceLimits;
use nw_batch::gpu::plan::warp::{LaunchPlanner, TracebackPart, WarpLaunch};
use nw_batch::gpu::plan::warp_kernel::{KernelFamily, WarpKernel};
use nw_batch::gpu::structs::{BiasedScoring, TracebackParameters, WarpParameters, biased_table};
use nw_batch::scoring::bias::ScoreBias;
use nw_batch::{GapCosts, PairBatch, Scoring, SequencePair, SequenceSet, cpu};
use simt::{Argument, Launch, Module};

use crate::addresses::{device_sequences, input, output};
use crate::common::{Pairs, free_ends, pair, scorings, sequence};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "warp").expect("the build made it"));

const POISON: u32 = 0xDEAD_BEEF;

/// A scoring in words of 16 or 32 bits, and the table of it.
fn biased(scoring: &Scoring, is_wide: bool) -> (BiasedScoring, Vec<i16>) {
    let bias = if is_wide { ScoreBias::wide(scoring) } else { ScoreBias::narrow(scoring) };
    (BiasedScoring::new(scoring, &bias), biased_table(scoring, &bias))
}

/// Runs one launch of a plan: writes ends and directions.
fn fill(
    scoring: &Scoring,
    batch: PairBatch<'_>,
    launch: &WarpLaunch,
    blocks: u32,
    (ends, directions): (&mut [AlignmentEnd], &mut [u32]),
) {
    let kernel = launch.kernel;
    let letters = scoring.alphabet().len() as u32;
    let (scoring, table) = biased(scoring, kernel.family == KernelFamily::Wide);
    let threads = 64;
    let shared = threads / 32 * kernel.shared_bytes_per_warp(letters);
    let words = (blocks * threads / 32) as usize * 2 * launch.row_words as usize;
    let mut strip_rows = vec![POISON; words];
    let mut next_task = [0_u32];
    let parameters = WarpParameters {
        sequences: device_sequences(batch),
        scoring,
        tasks: launch.tasks(),
        table: input(&table),
        pairs: input(batch.pairs),
        order: input(&launch.order),
        next_task: output(&mut next_task),
        strip_rows: output(&mut strip_rows),
        ends: output(ends),
        directions_starts: input(&launch.directions_starts),
        directions: output(directions),
        row_words: launch.row_words,
        letters,
        one: 1,
        padding: 0,
    };
    let function = KERNELS.kernel(&kernel.name()).expect("it is exported");
    let size = Launch::new(blocks, threads).shared(shared.into());
    // SAFETY: the parameters are those of the kernel, with the lengths its contract asks for.
    unsafe { function.launch(&size, &[Argument::value(parameters)]) }.expect("it runs");
}

/// Memory that tracebacks write to.
struct Traced {
    run_count: [u64; 1],
    runs: Vec<CigarRun>,
    alignments: Vec<TracedAlignment>,
}

/// Runs the tracebacks of a part of a plan: writes alignments, and runs behind those already there.
fn trace_back(
    scoring: &Scoring,
    batch: PairBatch<'_>,
    part: &TracebackPart,
    (ends, directions): (&[AlignmentEnd], &[u32]),
    traced: &mut Traced,
) {
    let (scoring, _) = biased(scoring, false);
    let mut run_room = vec![bytemuck::cast::<u32, CigarRun>(POISON); part.max_runs as usize];
    let parameters = TracebackParameters {
        sequences: device_sequences(batch),
        pairs: input(batch.pairs),
        tasks: input(&part.tracebacks),
        ends: input(ends),
        directions: input(directions),
        run_room: output(&mut run_room),
        run_count: output(&mut traced.run_count),
        runs: output(&mut traced.runs),
        alignments: output(&mut traced.alignments),
        count: part.tracebacks.len() as u32,
        unknown: scoring.unknown,
    };
    let function = KERNELS.kernel("nw_traceback").expect("it is exported");
    // SAFETY: the parameters are those of the kernel, with the lengths its contract asks for.
    unsafe { function.launch(&Launch::new(2, 32), &[Argument::value(parameters)]) }
        .expect("it runs");
}

/// Compares all pairs of a batch with the CPU engine; returns the kernels that were used.
fn check(case: &str, scoring: &Scoring, batch: PairBatch<'_>, budget: u64) -> BTreeSet<WarpKernel> {
    const NO_END: AlignmentEnd = AlignmentEnd { score: i32::MIN, row: POISON, column: POISON };
    const NO_ALIGNMENT: TracedAlignment =
        TracedAlignment { score: i32::MIN, run_count: 0, first_run: 0 };
    let mut used = BTreeSet::new();
    let expected = cpu::alignments(scoring, batch);
    let planner = LaunchPlanner::new(scoring, batch.queries);
    let is_left = |left: &[usize], place| left.contains(&place);

    let plan = planner.plan_scores(batch, u64::MAX);
    assert!(plan.long.is_empty(), "{case}");
    let mut ends = vec![NO_END; batch.pairs.len()];
    for launch in &plan.launches {
        used.insert(launch.kernel);
        fill(scoring, batch, launch, 1 + used.len() as u32 % 2, (&mut ends, &mut []));
    }
    for (place, (end, expected)) in ends.iter().zip(&expected).enumerate() {
        let (m, n) = batch.lengths(place as u32);
        assert_eq!(is_left(&plan.left, place), m == 0 || n == 0, "{case}, pair {place}");
        let score = if m == 0 || n == 0 { i32::MIN } else { expected.score };
        assert_eq!(end.score, score, "{case}, pair {place}");
    }

    let limits = DeviceLimits { multiprocessors: 1, words: budget };
    let plan = planner.sort_for_alignments(batch, u64::MAX).into_parts(limits);
    let mut ends = vec![NO_END; batch.pairs.len()];
    let mut traced = Traced {
        run_count: [0],
        runs: vec![bytemuck::cast(POISON); plan.max_runs as usize],
        alignments: vec![NO_ALIGNMENT; batch.pairs.len()],
    };
    for part in &plan.parts {
        assert!(part.direction_words <= budget, "{case}");
        let mut directions = vec![POISON; part.direction_words as usize];
        for launch in &part.launches {
            used.insert(launch.kernel);
            fill(scoring, batch, launch, 1, (&mut ends, &mut directions));
        }
        trace_back(scoring, batch, part, (&ends, &directions), &mut traced);
    }
    for (place, (found, expected)) in traced.alignments.iter().zip(&expected).enumerate() {
        let case = format!("{case}, pair {place}");
        if is_left(&plan.left, place) {
            assert_eq!(*found, NO_ALIGNMENT, "{case}");
            continue;
        }
        let own = &traced.runs[found.first_run as usize..][..found.run_count as usize];
        assert_eq!(found.score, expected.score, "{case}");
        assert_eq!(CigarRef(own), expected.cigar.view(), "{case}");
    }
    used
}

/// Some pairs of one set are turned, and their scores are the same.
#[test]
fn turned_pairs_have_the_same_scores() {
    for (name, scoring) in scorings() {
        let mut random = Rng::with_seed(5);
        let codes = scoring.alphabet().len() as u8;
        let mut one = |number: usize| {
            let length = random.usize(1..300);
            // Code 4 of nucleotides is an unknown residue.
            let codes = if number.is_multiple_of(3) { codes.min(32) } else { 4 };
            sequence(&mut random, codes, length)
        };
        let set: SequenceSet = (0..9).map(&mut one).collect();
        let pairs: Vec<SequencePair> = (0..9)
            .flat_map(|query| (0..9).map(move |target| SequencePair { query, target }))
            .collect();
        let batch = PairBatch { queries: &set, targets: &set, pairs: &pairs };
        let turned = LaunchPlanner::new(&scoring, &set).turned(batch);
        for (pair, turned) in pairs.iter().zip(&turned) {
            assert!(turned == pair || *turned == pair.turned(), "{name}: {pair:?}");
        }
        assert!(turned != pairs, "{name}");
        let batch_of_turned = PairBatch { pairs: &turned, ..batch };
        check(name, &scoring, batch_of_turned, 100_000);
        if !scoring.is_symmetric() {
            continue;
        }
        assert_eq!(cpu::scores(&scoring, batch_of_turned), cpu::scores(&scoring, batch), "{name}");
    }
}

/// Two pairs of which each fits into 16 bits, but not both in one matrix, in sequences that match everywhere: the halves of a word, which
/// are added as one number, would overflow. Each has a task for itself.
#[test]
fn pairs_that_do_not_fit_together_are_apart() {
    let gaps = GapCosts { open: 10, extend: 10 };
    let scoring = Scoring::with_match_mismatch(5, -4, gaps).expect("a scoring");
    let set: SequenceSet = [vec![0; 1500], vec![0; 3000]].iter().collect();
    let pairs = [SequencePair { query: 0, target: 1 }, SequencePair { query: 1, target: 0 }];
    let batch = PairBatch { queries: &set, targets: &set, pairs: &pairs };
    let bias = ScoreBias::narrow(&scoring);
    assert!(bias.fits(1500, 3000) && bias.fits(3000, 1500) && !bias.fits(3000, 3000));
    let plan = LaunchPlanner::new(&scoring, &set).plan_scores(batch, u64::MAX);
    let orders: Vec<_> = plan.launches.iter().map(|launch| launch.order.clone()).collect();
    assert_eq!(orders, [[1, 1, 0, 0]]);
    let mut ends = [AlignmentEnd { score: i32::MIN, row: POISON, column: POISON }; 2];
    fill(&scoring, batch, &plan.launches[0], 1, (&mut ends, &mut []));
    assert_eq!(ends.map(|end| end.score), [1500 * 5 - 1500 * 10; 2]);
}

#[test]
fn a_sequence_without_unknown_residues_becomes_the_query() {
    let (known, mut unknown) = (vec![1; 1400], vec![1; 1400]);
    unknown[700] = 4;
    let set: SequenceSet = [unknown, known].iter().collect();
    let (first, second) =
        (SequencePair { query: 0, target: 1 }, SequencePair { query: 1, target: 0 });
    let batch = PairBatch { queries: &set, targets: &set, pairs: &[first, second] };
    for extend in [10, 1] {
        let gaps = GapCosts { open: 10, extend };
        let scoring = Scoring::with_match_mismatch(5, -4, gaps).expect("a scoring");
        assert_eq!(LaunchPlanner::new(&scoring, &set).turned(batch), [second, second], "{gaps:?}");
    }
}

#[test]
fn random_pairs() {
    for (kind, (name, scoring)) in scorings().into_iter().enumerate() {
        for seed in 0..4 {
            let mut random = Rng::with_seed(seed * 100 + kind as u64);
            let codes = (scoring.alphabet().len() as u8).min(if seed == 0 { 32 } else { 4 });
            let scoring =
                scoring.clone().with_free_ends(free_ends(random.u8(..16) * (seed as u8 % 2)));
            let longest = [3, 60, 130, 300][seed as usize];
            let all: Vec<_> = (0..7).map(|_| pair(&mut random, codes, longest)).collect();
            let case = format!("{name}, seed {seed}");
            check(&case, &scoring, Pairs::new(&all).batch(), 100_000);
        }
    }
}

#[test]
fn every_kernel_with_one_strip_and_several() {
    let mut used = BTreeSet::new();
    let mut random = Rng::with_seed(5);
    let sizes = [(1, 1), (300, 40), (700, 33), (1100, 31), (1600, 20), (3300, 9)];
    for (name, scoring) in scorings() {
        // With unknown residues, and without.
        for most in [4, 32] {
            for (rows, columns) in sizes {
                let codes = (scoring.alphabet().len() as u8).min(most);
                let all = [
                    (sequence(&mut random, codes, rows), sequence(&mut random, codes, columns)),
                    (
                        sequence(&mut random, codes, rows - rows / 9),
                        sequence(&mut random, codes, columns + 7),
                    ),
                    (vec![0; rows], vec![1; columns]),
                ];
                let scoring = scoring.clone().with_free_ends(free_ends(random.u8(..16)));
                used.append(&mut check(name, &scoring, Pairs::new(&all).batch(), u64::MAX));
            }
        }
    }
    // Long enough for 32 bits.
    let scoring = Scoring::with_match_mismatch(500, -500, GapCosts { open: 500, extend: 400 })
        .expect("a scoring");
    for rows in [60, 1100] {
        let all = [(sequence(&mut random, 4, rows), sequence(&mut random, 4, 45))];
        used.append(&mut check("wide", &scoring, Pairs::new(&all).batch(), u64::MAX));
    }
    assert_eq!(used, WarpKernel::all().collect());
}
