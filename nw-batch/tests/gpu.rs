//! The GPU yields what the CPU does. Needs a GPU: `cargo test -p nw-batch --test gpu -- --ignored`.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use aligner_core::{Device, DeviceRequest};
use common::{Pairs, free_ends, mutated, pair, scorings, sequence};
use fastrand::Rng;
use nw_batch::gpu::full::Full;
use nw_batch::{Aligner, Choice, Found, Gaps, Scoring, cpu};

fn on_gpu(scoring: &Scoring, pairs: &Pairs, trace: bool, choice: Choice) -> Found {
    let device = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device;
    let sets = (&pairs.queries, &pairs.targets);
    let mut aligner = Aligner::new(scoring, sets, trace, device, choice).expect("an aligner");
    // Two batches under way at a time.
    let half = pairs.numbers.len() / 2;
    let first = aligner.begin(pairs.numbers[..half].to_vec());
    let second = aligner.begin(pairs.numbers[half..].to_vec());
    let found = [aligner.finish(first).1, aligner.finish(second).1];
    assert_eq!(aligner.failure(), None, "the GPU did the work");
    match found {
        [Found::Scores(mut all), Found::Scores(rest)] => {
            all.extend(rest);
            Found::Scores(all)
        }
        [Found::Alignments(first), Found::Alignments(second)] => {
            let owned = first.iter().chain(second.iter()).map(|found| found.to_alignment());
            Found::Alignments(owned.collect::<Vec<_>>().into())
        }
        _ => panic!("scores and alignments"),
    }
}

fn check(case: &str, scoring: &Scoring, pairs: &Pairs) {
    let scores = Found::Scores(cpu::scores(scoring, pairs.batch()));
    assert_eq!(on_gpu(scoring, pairs, false, Choice::Warp), scores, "{case}");
    assert_eq!(on_gpu(scoring, pairs, false, Choice::Auto), scores, "{case}");
    let alignments = Found::Alignments(cpu::alignments(scoring, pairs.batch()).into());
    assert_eq!(on_gpu(scoring, pairs, true, Choice::Auto), alignments, "{case}");
    if scoring.gaps().are_linear() && scoring.free() == free_ends(0) {
        for kernel in [Full::Rodinia, Full::TiledDscan, Full::Dscan, Full::Rscan] {
            let found = on_gpu(scoring, pairs, false, Choice::Full(kernel));
            assert_eq!(found, scores, "{case}, {kernel:?}");
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn random_pairs_align_alike() {
    for (kind, (name, scoring)) in scorings().into_iter().enumerate() {
        for seed in 0..6 {
            let mut random = Rng::with_seed(seed * 100 + kind as u64);
            let codes = (scoring.alphabet().len() as u8).min(if seed < 3 { 4 } else { 32 });
            let scoring =
                scoring.clone().with_free_ends(free_ends([0, 15, 3, 0, 12, 5][seed as usize]));
            let longest = [3, 150, 600, 1100, 1550, 3400][seed as usize];
            let all: Vec<_> = (0..301).map(|_| pair(&mut random, codes, longest)).collect();
            check(&format!("{name}, seed {seed}"), &scoring, &Pairs::new(&all));
        }
    }
}

#[test]
#[ignore = "needs a GPU"]
fn extreme_lengths_align_alike() {
    let mut random = Rng::with_seed(1);
    let long = sequence(&mut random, 4, 40_000);
    let related = mutated(&mut random, 4, &long, 20);
    let longest = sequence(&mut random, 4, nw_batch::MAX_LENGTH);
    let all = [
        (vec![], vec![]),
        (vec![], long.clone()),
        (vec![4; 900], vec![4; 1000]),
        (long[..3000].to_vec(), related[..3100].to_vec()),
        (long[..90].to_vec(), longest.clone()),
        (longest, long[..33].to_vec()),
        (long, related),
    ];
    for scoring in [
        Scoring::simple(5, -4, Gaps { open: 10, extend: 1 }),
        Scoring::simple(0, -1, Gaps { open: 1, extend: 1 }),
    ] {
        let scoring = scoring.expect("a scoring");
        let pairs = Pairs::new(&all);
        let scores = Found::Scores(cpu::scores(&scoring, pairs.batch()));
        assert_eq!(on_gpu(&scoring, &pairs, false, Choice::Auto), scores);
        assert_eq!(on_gpu(&scoring, &pairs, false, Choice::Warp), scores);
    }
}
