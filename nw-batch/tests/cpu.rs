//! Scores and alignments of the CPU engine are those of the oracle.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use common::{Pairs, free_ends, mutated, pair, scorings, sequence};
use fastrand::Rng;
use nw_batch::alignment::max_runs;
use nw_batch::{GapCosts, IdentityFilter, PairBatch, Scoring, SubstitutionMatrix, cpu, oracle};

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

#[test]
fn a_pair_that_the_filter_drops_does_not_reach_the_identity() {
    let gaps = GapCosts { open: 10, extend: 1 };
    let nucleotides = Scoring::with_match_mismatch(5, -4, gaps).expect("a scoring");
    let matrix = |name| SubstitutionMatrix::built_in(name).expect("a name").expect("a matrix");
    let by_matrix = |name| Scoring::with_matrix(matrix(name), gaps).expect("a scoring");
    // Cheap gaps, so that alignments have as many identical columns as there can be.
    let common = GapCosts { open: 0, extend: 0 };
    let subsequence = Scoring::with_match_mismatch(1, 0, common).expect("a scoring");
    let scorings = [nucleotides, subsequence, by_matrix("EDNAFULL"), by_matrix("BLOSUM62")];
    let (mut dropped, mut reaching) = (0, 0);
    for seed in 0..24 {
        let mut random = Rng::with_seed(seed);
        let scoring = &scorings[seed as usize % scorings.len()];
        let scoring = scoring.clone().with_free_ends(free_ends(random.u8(..16)));
        let codes = scoring.alphabet().len() as u8;
        let longest = [12, 60, 250][random.usize(..3)];
        let mut all: Vec<_> = (0..60).map(|_| pair(&mut random, codes, longest)).collect();
        // A few differences, far from each other or side by side.
        for every in [10, 20, 50] {
            let query = sequence(&mut random, codes, longest);
            let target = mutated(&mut random, codes, &query, every);
            let mut gapped = query.clone();
            gapped.drain(longest / 3..longest / 2);
            all.extend([(query.clone(), target), (gapped.clone(), query.clone()), (query, gapped)]);
        }
        let pairs = Pairs::new(&all);
        let alignments = cpu::alignments(&scoring, pairs.batch());
        let identities = pairs.numbers.iter().zip(&alignments).map(|(&pair, alignment)| {
            let (query, target) = pairs.batch().sequences(pair);
            let counts = alignment.cigar.view().column_counts(&scoring, query, target);
            counts.expect("it fits").identity()
        });
        let identities: Vec<f64> = identities.collect();
        for least in [0.0, 0.3, 0.7, 0.9, 0.97, 1.0].into_iter().chain(identities.iter().copied()) {
            let filter =
                IdentityFilter::new(scoring.alphabet(), &pairs.queries, &pairs.targets, least);
            let kept = filter.keep(&pairs.numbers);
            assert!(kept.is_sorted_by_key(|pair| pair.query));
            for (pair, &identity) in pairs.numbers.iter().zip(&identities) {
                let is_kept = kept.contains(pair);
                dropped += usize::from(!is_kept);
                reaching += usize::from(identity >= least);
                assert!(is_kept || identity < least, "seed {seed}: {identity} {least}");
            }
        }
    }
    assert!(dropped > 10_000 && reaching > 10_000, "{dropped} {reaching}");
}
