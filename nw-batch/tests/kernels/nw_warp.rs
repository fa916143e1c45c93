//! The warp kernels of nw-batch, run on the CPU, give what the CPU engine gives.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

use std::collections::BTreeSet;
use std::sync::LazyLock;

use fastrand::Rng;
use nw_batch::bias::Bias;
use nw_batch::gpu::kernel::{Family, Kernel};
use nw_batch::gpu::model::{End, Model, Traced, table};
use nw_batch::gpu::plan::{Part, Planner, Work};
use nw_batch::{Batch, Gaps, Runs, Scoring, cpu};
use simt::{Argument, Launch, Module};

use crate::nw_common::{Pairs, free_ends, pair, scorings, sequence};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "warp").expect("the build made it"));

const POISON: u32 = 0xDEAD_BEEF;

fn model(scoring: &Scoring, wide: bool) -> (Vec<Model>, Vec<i16>) {
    let bias = if wide { Bias::wide(scoring) } else { Bias::narrow(scoring) };
    (vec![Model::new(scoring, &bias)], table(scoring, &bias))
}

/// Runs one launch of a plan: writes ends and directions.
fn fill(
    scoring: &Scoring,
    batch: Batch<'_>,
    work: &Work,
    blocks: u32,
    (ends, directions): (&mut [End], &mut [u32]),
) {
    let kernel = work.kernel;
    let (model, table) = model(scoring, kernel.family == Family::Wide);
    let threads = 64;
    let rooms = (blocks * threads / 32) as usize * 2 * work.row_words as usize;
    let mut rooms = vec![POISON; rooms];
    let mut next = [0_u32];
    let arguments = [
        Argument::input(&model),
        Argument::input(batch.pairs),
        Argument::input(&work.order),
        Argument::value(work.tasks()),
        Argument::input(batch.queries.all_codes()),
        Argument::input(batch.queries.offsets()),
        Argument::input(batch.targets.all_codes()),
        Argument::input(batch.targets.offsets()),
        Argument::input(&table),
        Argument::output(&mut next),
        Argument::output(&mut rooms),
        Argument::value(work.row_words),
        Argument::output(ends),
        Argument::input(&work.starts),
        Argument::output(directions),
    ];
    let function = KERNELS.kernel(&kernel.name()).expect("it is exported");
    // SAFETY: the arguments are those of the kernel, with the lengths its contract asks for.
    unsafe { function.launch(&Launch::new(blocks, threads), &arguments) }.expect("it runs");
}

/// Runs the walks of a part of a plan: writes what was traced, and runs from `taken` on.
fn walk(
    scoring: &Scoring,
    batch: Batch<'_>,
    part: &Part,
    (ends, directions): (&[End], &[u32]),
    (taken, runs, traced): (&mut [u64; 1], &mut [u32], &mut [Traced]),
) {
    let (model, _) = model(scoring, false);
    let mut room = vec![POISON; part.runs as usize];
    let arguments = [
        Argument::input(&model),
        Argument::input(batch.pairs),
        Argument::input(&part.traces),
        Argument::value(part.traces.len() as u32),
        Argument::input(batch.queries.all_codes()),
        Argument::input(batch.queries.offsets()),
        Argument::input(batch.targets.all_codes()),
        Argument::input(batch.targets.offsets()),
        Argument::input(ends),
        Argument::input(directions),
        Argument::output(&mut room),
        Argument::output(taken),
        Argument::output(runs),
        Argument::output(traced),
    ];
    let function = KERNELS.kernel("nw_walk").expect("it is exported");
    // SAFETY: the arguments are those of the kernel, with the lengths its contract asks for.
    unsafe { function.launch(&Launch::new(2, 32), &arguments) }.expect("it runs");
}

/// Compares all pairs of a batch with the CPU engine; gives the kernels that were used.
fn check(case: &str, scoring: &Scoring, batch: Batch<'_>, budget: u64) -> BTreeSet<Kernel> {
    const NO_END: End = End { score: i32::MIN, row: POISON, column: POISON };
    const NO_TRACE: Traced = Traced { score: i32::MIN, count: 0, first: 0 };
    let mut used = BTreeSet::new();
    let expected = cpu::alignments(scoring, batch);
    let planner = Planner::new(scoring, batch.targets);
    let is_left = |left: &[usize], place| left.contains(&place);

    let plan = planner.scores(batch);
    let mut ends = vec![NO_END; batch.pairs.len()];
    for work in &plan.work {
        used.insert(work.kernel);
        fill(scoring, batch, work, 1 + used.len() as u32 % 2, (&mut ends, &mut []));
    }
    for (place, (end, expected)) in ends.iter().zip(&expected).enumerate() {
        let (m, n) = batch.lengths(place as u32);
        assert_eq!(is_left(&plan.left, place), m == 0 || n == 0, "{case}, pair {place}");
        let score = if m == 0 || n == 0 { i32::MIN } else { expected.score };
        assert_eq!(end.score, score, "{case}, pair {place}");
    }

    let plan = planner.sort_for_traces(batch).parts(budget);
    let mut runs = vec![POISON; plan.runs as usize];
    let mut traced = vec![NO_TRACE; batch.pairs.len()];
    let mut ends = vec![NO_END; batch.pairs.len()];
    let mut taken = [0_u64];
    for part in &plan.parts {
        assert!(part.words <= budget, "{case}");
        let mut directions = vec![POISON; part.words as usize];
        for work in &part.work {
            used.insert(work.kernel);
            fill(scoring, batch, work, 1, (&mut ends, &mut directions));
        }
        let out = (&mut taken, &mut runs[..], &mut traced[..]);
        walk(scoring, batch, part, (&ends, &directions), out);
    }
    for (place, (found, expected)) in traced.iter().zip(&expected).enumerate() {
        let case = format!("{case}, pair {place}");
        if is_left(&plan.left, place) {
            assert_eq!(*found, NO_TRACE, "{case}");
            continue;
        }
        let own = &runs[found.first as usize..][..found.count as usize];
        assert_eq!(found.score, expected.score, "{case}");
        assert_eq!(Runs(bytemuck::cast_slice(own)), expected.cigar.runs(), "{case}");
    }
    used
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
    let scoring = Scoring::simple(500, -500, Gaps { open: 500, extend: 400 }).expect("a scoring");
    for rows in [60, 1100] {
        let all = [(sequence(&mut random, 4, rows), sequence(&mut random, 4, 45))];
        used.append(&mut check("wide", &scoring, Pairs::new(&all).batch(), u64::MAX));
    }
    assert_eq!(used, Kernel::all().collect());
}
