//! Scores and alignments of the GPU engine are those of the CPU engine. The tests need a GPU: `cargo test -p nw-batch
//! --test gpu -- --ignored`.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use aligner_core::{Device, DeviceRequest};
use common::{Pairs, free_ends, mutated, pair, scorings, sequence};
use fastrand::Rng;
use nw_batch::gpu::plan::full_matrix::FullMatrixKernel;
use nw_batch::{
    Aligner, BatchResults, GapCosts, KernelChoice, PairBatch, ResultKind, Scoring, SequencePair,
    SequenceSet, cpu,
};

fn on_gpu(
    scoring: &Scoring,
    pairs: &Pairs,
    kind: ResultKind,
    choice: KernelChoice,
) -> BatchResults {
    let device = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device;
    let (queries, targets) = (&pairs.queries, &pairs.targets);
    let aligner = Aligner::new(scoring, queries, targets, kind, device, choice);
    let mut aligner = aligner.expect("an aligner");
    // Two batches under way at a time.
    let half = pairs.numbers.len() / 2;
    let first = aligner.begin(pairs.numbers[..half].to_vec());
    let second = aligner.begin(pairs.numbers[half..].to_vec());
    let found = [aligner.finish(first).1, aligner.finish(second).1];
    assert_eq!(aligner.failure(), None, "the GPU did the work");
    match found {
        [BatchResults::Scores(mut all), BatchResults::Scores(rest)] => {
            all.extend(rest);
            BatchResults::Scores(all)
        }
        [BatchResults::Alignments(first), BatchResults::Alignments(second)] => {
            let owned = first.iter().chain(second.iter()).map(|found| found.to_alignment());
            BatchResults::Alignments(owned.collect::<Vec<_>>().into())
        }
        _ => panic!("scores and alignments"),
    }
}

fn check(case: &str, scoring: &Scoring, pairs: &Pairs) {
    let scores = BatchResults::Scores(cpu::scores(scoring, pairs.batch()));
    assert_eq!(on_gpu(scoring, pairs, ResultKind::Scores, KernelChoice::Warp), scores, "{case}");
    assert_eq!(on_gpu(scoring, pairs, ResultKind::Scores, KernelChoice::Auto), scores, "{case}");
    let alignments = BatchResults::Alignments(cpu::alignments(scoring, pairs.batch()).into());
    assert_eq!(
        on_gpu(scoring, pairs, ResultKind::Alignments, KernelChoice::Auto),
        alignments,
        "{case}"
    );
    if scoring.gaps().is_linear() && scoring.free_ends() == free_ends(0) {
        for kernel in [
            FullMatrixKernel::Rodinia,
            FullMatrixKernel::TiledDscan,
            FullMatrixKernel::Dscan,
            FullMatrixKernel::Rscan,
        ] {
            let found =
                on_gpu(scoring, pairs, ResultKind::Scores, KernelChoice::FullMatrix(kernel));
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

/// Either sequence of a pair may be the query.
#[test]
#[ignore = "needs a GPU"]
fn pairs_of_one_set_score_alike() {
    for (kind, (name, scoring)) in scorings().into_iter().enumerate() {
        let mut random = Rng::with_seed(kind as u64);
        let codes = (scoring.alphabet().len() as u8).min(32);
        let mut one = |number: usize| {
            let length = random.usize(..1700);
            // Code 4 of nucleotides is an unknown residue.
            sequence(&mut random, if number.is_multiple_of(3) { codes } else { 4 }, length)
        };
        let set: SequenceSet = (0..40).map(&mut one).collect();
        let pairs: Vec<SequencePair> = (0..40)
            .flat_map(|query| (0..40).map(move |target| SequencePair { query, target }))
            .collect();
        let batch = PairBatch { queries: &set, targets: &set, pairs: &pairs };
        let device = Device::open(DeviceRequest::Cuda(0)).expect("a GPU").device;
        let choice = KernelChoice::Warp;
        let aligner = Aligner::new(&scoring, &set, &set, ResultKind::Scores, device, choice);
        let mut aligner = aligner.expect("an aligner");
        let expected = BatchResults::Scores(cpu::scores(&scoring, batch));
        assert!(aligner.align(pairs.clone()) == expected, "{name}");
        assert_eq!(aligner.failure(), None, "the GPU did the work");
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
        Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 1 }),
        Scoring::with_match_mismatch(0, -1, GapCosts { open: 1, extend: 1 }),
    ] {
        let scoring = scoring.expect("a scoring");
        let pairs = Pairs::new(&all);
        let scores = BatchResults::Scores(cpu::scores(&scoring, pairs.batch()));
        assert_eq!(on_gpu(&scoring, &pairs, ResultKind::Scores, KernelChoice::Auto), scores);
        assert_eq!(on_gpu(&scoring, &pairs, ResultKind::Scores, KernelChoice::Warp), scores);
    }
}

/// Pairs so few that many warps share each of them, with scores that 16 bits hold and others.
#[test]
#[ignore = "needs a GPU"]
fn few_long_pairs_align_alike() {
    for (kind, (name, scoring)) in scorings().into_iter().enumerate() {
        let mut random = Rng::with_seed(kind as u64);
        let codes = (scoring.alphabet().len() as u8).min(if kind % 2 == 0 { 4 } else { 32 });
        let long = sequence(&mut random, codes, 16_000);
        let all = [
            (long.clone(), mutated(&mut random, codes, &long, 20)),
            (long[..9_000].to_vec(), sequence(&mut random, codes, 5_000)),
            (long[3_000..6_000].to_vec(), long),
        ];
        let scoring = scoring.with_free_ends(free_ends(random.u8(..16)));
        let pairs = Pairs::new(&all);
        let scores = BatchResults::Scores(cpu::scores(&scoring, pairs.batch()));
        for choice in [KernelChoice::Warp, KernelChoice::Auto] {
            assert_eq!(on_gpu(&scoring, &pairs, ResultKind::Scores, choice), scores, "{name}");
        }
        let alignments = BatchResults::Alignments(cpu::alignments(&scoring, pairs.batch()).into());
        let found = on_gpu(&scoring, &pairs, ResultKind::Alignments, KernelChoice::Auto);
        assert_eq!(found, alignments, "{name}");
    }
}
