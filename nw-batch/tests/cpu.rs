//! Scores and alignments of the CPU engine are those of the oracle.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use common::{Pairs, free_ends, mutated, pair, scorings, sequence};
use fastrand::Rng;
use nw_batch::alignment::max_runs;
use nw_batch::{GapCosts, PairBatch, Scoring, cpu, oracle};

/// Compares the CPU engine with the oracle, and alignments with their scores, for all pairs of a batch.
fn check(case: &str, scoring: &Scoring, batch: PairBatch<'_>) {
    let expected: Vec<_> = batch
        .pairs
        .iter()
        .map(|&pair| {
            let (query, target) = batch.sequences(pair);
            oracle::align(scoring, query, target)
        })
        .collect();
    let scores: Vec<i32> = expected.iter().map(|alignment| alignment.score).collect();
    assert_eq!(cpu::scores(scoring, batch), scores, "{case}");
    for budget in [cpu::MAX_DIRECTION_BYTES, 5000, 1] {
        let found = cpu::alignments_within(scoring, batch, budget);
        assert_eq!(found, expected, "{case}, budget {budget}");
    }
    for (&pair, alignment) in batch.pairs.iter().zip(&expected) {
        let (query, target) = batch.sequences(pair);
        let again = alignment.cigar.rescore(scoring, query, target);
        assert_eq!(again, Ok(alignment.score), "{case}: {}", alignment.cigar);
        let most = max_runs(query.len() as u32, target.len() as u32) as usize;
        assert!(alignment.cigar.view().0.len() <= most, "{case}: {}", alignment.cigar);
    }
}

#[test]
fn random_pairs() {
    for (name, scoring) in scorings() {
        for seed in 0..16 {
            let mut random = Rng::with_seed(seed);
            let codes = scoring.alphabet().len() as u8;
            let scoring = scoring.clone().with_free_ends(free_ends(seed as u8));
            let longest = [0, 1, 7, 90][random.usize(..4)];
            let count = random.usize(..70);
            let all: Vec<_> = (0..count).map(|_| pair(&mut random, codes, longest)).collect();
            check(&format!("{name}, seed {seed}"), &scoring, Pairs::new(&all).batch());
        }
    }
}

#[test]
fn empty_and_unknown() {
    let none = Pairs::new(&[]);
    let all = [
        (vec![], vec![]),
        (vec![], vec![1, 2, 3]),
        (vec![3; 9], vec![]),
        (vec![4; 40], vec![4; 37]),
        (vec![4], vec![4]),
        (vec![0], vec![1]),
    ];
    let some = Pairs::new(&all);
    for (name, scoring) in scorings() {
        for bits in 0..16 {
            let scoring = scoring.clone().with_free_ends(free_ends(bits));
            check(name, &scoring, none.batch());
            check(name, &scoring, some.batch());
        }
    }
}

#[test]
fn edit_distances_of_all_lengths() {
    let (_, scoring) = scorings().swap_remove(2);
    assert!(scoring.is_edit_distance());
    for seed in 0..20 {
        let mut random = Rng::with_seed(seed);
        let codes = 4 + seed as u8 % 2;
        let longest = [5, 70, 130, 400][seed as usize % 4];
        let count = random.usize(..40);
        let mut all: Vec<_> = (0..count).map(|_| pair(&mut random, codes, longest)).collect();
        for length in [1, 63, 64, 65, 127, 128, 129] {
            let query = sequence(&mut random, codes, length);
            all.push((query.clone(), mutated(&mut random, codes, &query, 6)));
        }
        let pairs = Pairs::new(&all);
        let expected: Vec<i32> = all
            .iter()
            .map(|(query, target)| oracle::align(&scoring, query, target).score)
            .collect();
        assert_eq!(cpu::scores(&scoring, pairs.batch()), expected, "seed {seed}");
    }
}

#[test]
fn both_sides_of_the_limit_of_16_bits() {
    let mut random = Rng::with_seed(7);
    let scoring = Scoring::with_match_mismatch(500, -500, GapCosts { open: 500, extend: 100 })
        .expect("a scoring");
    let limit = (1..60_000)
        .find(|&n| !nw_batch::scoring::bias::ScoreBias::narrow(&scoring).fits(n, n))
        .expect("one");
    let all: Vec<_> = (limit - 3..limit + 3)
        .flat_map(|length| {
            let query = sequence(&mut random, 4, length);
            let related = mutated(&mut random, 4, &query, 5);
            let other = sequence(&mut random, 4, length);
            [(query.clone(), query.clone()), (query.clone(), related), (query, other)]
        })
        .collect();
    check("limit", &scoring, Pairs::new(&all).batch());
}

#[test]
fn long_beside_short() {
    let mut random = Rng::with_seed(8);
    let (_, scoring) = scorings().swap_remove(4);
    let long = sequence(&mut random, 4, 100_000);
    let all = [
        (vec![], long.clone()),
        (long.clone(), vec![2]),
        (long[500..560].to_vec(), long.clone()),
        (long[..20_000].to_vec(), long[19_900..19_950].to_vec()),
    ];
    for bits in [0, 12, 3] {
        let scoring = scoring.clone().with_free_ends(free_ends(bits));
        check("long", &scoring, Pairs::new(&all).batch());
    }
}

#[test]
fn a_million_residues() {
    let mut random = Rng::with_seed(9);
    let (_, scoring) = scorings().swap_remove(6);
    let long = sequence(&mut random, 4, nw_batch::MAX_LENGTH);
    let all = Pairs::new(&[(long.clone(), vec![]), (vec![0], long.clone()), (vec![1, 2], long)]);
    let found = cpu::alignments(&scoring, all.batch());
    let gap = |length: i32| -500 - (length - 1) * 499;
    let scores: Vec<i32> = found.iter().map(|alignment| alignment.score).collect();
    let inner = 500 + gap(1_000_000) + 499;
    assert_eq!(scores[0], gap(1_000_000));
    assert!(scores[1] == inner || scores[1] == inner - 1, "{}", scores[1]);
    for (&pair, alignment) in all.numbers.iter().zip(&found) {
        let (query, target) = all.batch().sequences(pair);
        assert_eq!(alignment.cigar.rescore(&scoring, query, target), Ok(alignment.score));
    }
}
