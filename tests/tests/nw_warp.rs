//! The warp kernels of nw-batch, run on the CPU, give what the CPU engine gives.
// Launching a kernel is unsafe; the launches pass what the kernels take.
// A test's helpers may panic as the test itself may.
#![allow(unsafe_code, clippy::expect_used)]

#[path = "../../nw-batch/tests/common/mod.rs"]
mod common;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use common::{Pairs, free_ends, pair, scorings, sequence};
use fastrand::Rng;
use nw_batch::bias::Bias;
use nw_batch::gpu::model::{End, Model, table};
use nw_batch::gpu::plan::{Family, Kernel, Work, plan};
use nw_batch::gpu::runs;
use nw_batch::{Alignment, Batch, Gaps, Scoring, cpu};
use simt::{Argument, Launch, Module};

static KERNELS: LazyLock<Module> =
    LazyLock::new(|| gpualign_tests::kernels("nw-batch", "warp").expect("the build made it"));

const POISON: u32 = 0xDEAD_BEEF;

/// Runs one launch of a plan; gives the score, and with trace the alignment, of each of its pairs.
fn run(scoring: &Scoring, batch: Batch<'_>, work: &Work, blocks: u32) -> Vec<Alignment> {
    let kernel = work.kernel;
    let wide = kernel.family == Family::Wide;
    let bias = if wide { Bias::wide(scoring) } else { Bias::narrow(scoring) };
    let model = [Model::new(scoring, &bias)];
    let table = table(scoring, &bias);
    let threads = 64;
    let rooms = (blocks * threads / 32) as usize * 2 * work.row_words as usize;
    let mut rooms = vec![POISON; rooms];
    let mut ends = vec![End { score: i32::MIN, row: POISON, column: POISON }; work.places.len()];
    let mut directions = vec![POISON; work.direction_words as usize];
    let mut next = [0_u32];
    let arguments = [
        Argument::input(&model),
        Argument::input(&work.places),
        Argument::value(work.tasks()),
        Argument::input(batch.queries.all_codes()),
        Argument::input(batch.targets.all_codes()),
        Argument::input(&table),
        Argument::output(&mut next),
        Argument::output(&mut rooms),
        Argument::value(work.row_words),
        Argument::output(&mut ends),
        Argument::input(&work.starts),
        Argument::output(&mut directions),
    ];
    let function = KERNELS.kernel(&kernel.name()).expect("it is exported");
    // SAFETY: the arguments are those of the kernel, with the lengths its contract asks for.
    unsafe { function.launch(&Launch::new(blocks, threads), &arguments) }.expect("it runs");
    let scores = ends.iter().map(|end| Alignment { score: end.score, ..Alignment::default() });
    if !kernel.trace {
        return scores.take(work.pairs.len()).collect();
    }
    let count = work.pairs.len();
    let walk = |counts: &mut [u32], behind: &[u64], out: &mut [u32]| {
        let runs = if out.is_empty() { Argument::value(0_u64) } else { Argument::output(out) };
        let arguments = [
            Argument::input(&model),
            Argument::input(&work.places),
            Argument::value(count as u32),
            Argument::input(batch.queries.all_codes()),
            Argument::input(batch.targets.all_codes()),
            Argument::input(&ends),
            Argument::input(&work.starts),
            Argument::input(&directions),
            Argument::value(kernel.rows),
            Argument::value(u32::from(kernel.is_affine())),
            Argument::value(kernel.pairs_of_task()),
            Argument::output(counts),
            Argument::input(behind),
            runs,
        ];
        let function = KERNELS.kernel("nw_walk").expect("it is exported");
        // SAFETY: the arguments are those of the kernel, with the lengths its contract asks for.
        unsafe { function.launch(&Launch::new(1, 32), &arguments) }.expect("it runs");
    };
    let mut counts = vec![POISON; count];
    walk(&mut counts, &[], &mut []);
    let behind: Vec<u64> = counts
        .iter()
        .scan(0, |sum, &count| {
            *sum += u64::from(count);
            Some(*sum)
        })
        .collect();
    let mut out = vec![POISON; behind.last().map_or(0, |&all| all as usize)];
    walk(&mut counts, &behind, &mut out);
    let cigars = behind.iter().zip(&counts).map(|(&behind, &count)| {
        runs::cigar(&out[behind as usize - count as usize..behind as usize])
    });
    scores.zip(cigars).map(|(found, cigar)| Alignment { cigar, ..found }).collect()
}

/// Compares all pairs of a batch with the CPU engine; gives the kernels that were used.
fn check(case: &str, scoring: &Scoring, batch: Batch<'_>, budget: u64) -> BTreeSet<Kernel> {
    let mut used = BTreeSet::new();
    let expected = cpu::alignments(scoring, batch);
    for trace in [false, true] {
        let plan = plan(scoring, batch, trace, budget);
        let planned: usize = plan.work.iter().map(|work| work.pairs.len()).sum();
        assert_eq!(planned + plan.left.len(), batch.pairs.len(), "{case}");
        for work in &plan.work {
            used.insert(work.kernel);
            let found = run(scoring, batch, work, 1 + used.len() as u32 % 2);
            for (&number, found) in work.pairs.iter().zip(found) {
                let case = format!("{case}, {}, pair {number}", work.kernel.name());
                assert_eq!(found.score, expected[number].score, "{case}");
                if trace {
                    assert_eq!(found.cigar, expected[number].cigar, "{case}");
                }
            }
        }
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
    for (name, scoring) in scorings() {
        for (rows, columns) in [(1, 1), (300, 40), (700, 33), (1100, 31), (1600, 20), (3300, 9)] {
            let codes = (scoring.alphabet().len() as u8).min(4);
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
    // Long enough for 32 bits.
    let scoring = Scoring::simple(500, -500, Gaps { open: 500, extend: 400 }).expect("a scoring");
    for rows in [60, 1100] {
        let all = [(sequence(&mut random, 4, rows), sequence(&mut random, 4, 45))];
        used.append(&mut check("wide", &scoring, Pairs::new(&all).batch(), u64::MAX));
    }
    assert_eq!(used, Kernel::all().collect());
}
