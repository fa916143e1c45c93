//! Engine for processors.
//!
//! Pairs of similar size form a group that shares vector instructions, with a SIMD lane for each pair, and a word of 8 or 16 bits
//! for each cell of their matrices; groups are distributed over the threads of the current rayon pool. Only a band of each
//! matrix is computed where it is proven to have all best alignments.
//!
//! ```text
//!   banded              groups of pairs, and their bands                       band, expected_margin
//!     engine            a group: ends of alignments, or the whole alignments   traceback, pair_columns
//!       group_fill      its matrices, strip after strip                        blocked_traceback (very long pairs)
//!         interleaving  codes of all its pairs in vectors
//!         strip         a few rows, in registers
//!           pair_scorer scores of pairs of residues, for all lanes
//!           simd        vectors of AVX-512, AVX2 or plain code
//! ```

mod band;
mod banded;
mod blocked_traceback;
mod bytes;
mod engine;
mod expected_margin;
mod group_fill;
mod interleaving;
mod lane_scoring;
mod pair_columns;
mod pair_scorer;
mod simd;
mod strip;
mod strip_flags;
mod traceback;

use crate::alignment::Alignment;
use crate::batch::PairBatch;
use crate::scoring::Scoring;
use banded::BandedBatch;
use engine::engine;
use simd::Instructions;

/// Greatest number of bytes that a thread holds for the flags of cells. Where a group needs more, parts of its matrices are
/// computed twice, or its pairs are aligned one by one (`blocked_traceback`).
pub const MAX_DIRECTION_BYTES: usize = 128 << 20;

/// Scores of the pairs of a batch, in their order.
pub fn scores(scoring: &Scoring, batch: PairBatch<'_>) -> Vec<i32> {
    scores_with(scoring, batch, Instructions::best())
}

/// [`scores`] with one kind of instructions.
fn scores_with(scoring: &Scoring, batch: PairBatch<'_>, instructions: Instructions) -> Vec<i32> {
    let engine = engine(scoring, instructions);
    BandedBatch::new(scoring, engine.as_ref(), batch).scores()
}

/// Alignments of the pairs of a batch, in their order.
pub fn alignments(scoring: &Scoring, batch: PairBatch<'_>) -> Vec<Alignment> {
    alignments_within(scoring, batch, MAX_DIRECTION_BYTES)
}

/// [`alignments`] with at most about `budget` bytes for the flags of cells in each thread.
pub fn alignments_within(scoring: &Scoring, batch: PairBatch<'_>, budget: usize) -> Vec<Alignment> {
    alignments_with(scoring, batch, budget, Instructions::best())
}

/// [`alignments_within`] with one kind of instructions.
fn alignments_with(
    scoring: &Scoring,
    batch: PairBatch<'_>,
    budget: usize,
    instructions: Instructions,
) -> Vec<Alignment> {
    let engine = engine(scoring, instructions);
    BandedBatch::new(scoring, engine.as_ref(), batch).alignments(budget)
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;
    use crate::batch::{SequencePair, SequenceSet};
    use crate::oracle;
    use crate::scoring::{FreeEnds, GapCosts, SubstitutionMatrix};

    /// Scorings for words of 8 and of 16 bits, with and without matrices.
    fn scorings() -> Vec<Scoring> {
        let simple = |matching, mismatch, open, extend| {
            Scoring::with_match_mismatch(matching, mismatch, GapCosts { open, extend })
                .expect("a scoring")
        };
        let matrix = |name, open, extend| {
            let matrix = SubstitutionMatrix::built_in(name).expect("a name");
            let gaps = GapCosts { open, extend };
            Scoring::with_matrix(matrix.expect("a matrix"), gaps).expect("a scoring")
        };
        vec![
            simple(5, -4, 10, 1),
            simple(5, -4, 10, 10),
            simple(1, -3, 5, 0),
            simple(0, -1, 1, 1),
            simple(-1, -3, 4, 2),
            simple(500, -500, 500, 3),
            simple(90, -500, 60, 60),
            // Tables of five blocks, of less and of more.
            matrix("BLOSUM62", 11, 1),
            matrix("BLOSUM62", 4, 4),
            matrix("EDNAFULL", 10, 1),
            matrix("EBLOSUM62", 11, 1),
            matrix("BLOSUM62", 400, 30),
        ]
    }

    /// Random pairs, more than a group has, most of them related. Few differ so little that bands are narrow, and with two
    /// letters many alignments are equally good.
    fn pairs(random: &mut Rng, codes: u8, longest: usize) -> (SequenceSet, SequenceSet) {
        let (mut queries, mut targets) = (SequenceSet::default(), SequenceSet::default());
        for _ in 0..random.usize(1..90) {
            let codes = if random.bool() { codes } else { 2 };
            let length = random.usize(..=longest);
            let query: Vec<u8> = (0..length).map(|_| random.u8(..codes)).collect();
            let rate = random.usize(1..30);
            let mut target = Vec::new();
            for &code in &query {
                match random.usize(..3 * rate) {
                    0 => {}
                    1 => target.extend([code, random.u8(..codes)]),
                    2 => target.push(random.u8(..codes)),
                    _ => target.push(code),
                }
            }
            if random.u8(..8) == 0 {
                // A long gap, so that the narrowest band has no good alignment.
                target.drain(length / 8..(length / 3).min(target.len()).max(length / 8));
            }
            queries.push(&query);
            targets.push(&target);
        }
        (queries, targets)
    }

    /// Compares every kind of instructions with the oracle, also by the rule that free ends stand behind pairs.
    fn check(name: &str, scoring: &Scoring, seed: u64, longest: usize) {
        compare(name, scoring, seed, longest);
        let behind_pairs = scoring.clone().with_ends_behind_pairs();
        if behind_pairs.ends_behind_pairs() {
            compare(&format!("{name}, ends behind pairs"), &behind_pairs, seed, longest);
        }
    }

    /// Compares every kind of instructions with the oracle, for random pairs.
    fn compare(name: &str, scoring: &Scoring, seed: u64, longest: usize) {
        let mut random = Rng::with_seed(seed);
        let codes = scoring.alphabet().len() as u8;
        let (queries, targets) = pairs(&mut random, codes, longest);
        compare_sets(&format!("{name}, seed {seed}"), scoring, &queries, &targets);
    }

    /// Compares every kind of instructions with the oracle, for pairs of sequences with the same number.
    fn compare_sets(name: &str, scoring: &Scoring, queries: &SequenceSet, targets: &SequenceSet) {
        let pairs: Vec<_> = (0..queries.len() as u32)
            .map(|number| SequencePair { query: number, target: number })
            .collect();
        let batch = PairBatch { queries, targets, pairs: &pairs };
        let expected: Vec<Alignment> = pairs
            .iter()
            .map(|&pair| {
                let (query, target) = batch.sequences(pair);
                oracle::align(scoring, query, target)
            })
            .collect();
        let scores: Vec<i32> = expected.iter().map(|alignment| alignment.score).collect();
        for instructions in Instructions::available() {
            let case = format!("{name}, {instructions:?}");
            assert_eq!(scores_with(scoring, batch, instructions), scores, "{case}");
            // All flags at once; in parts; and pair by pair.
            for budget in [MAX_DIRECTION_BYTES, 100_000, 1] {
                let found = alignments_with(scoring, batch, budget, instructions);
                assert_eq!(found, expected, "{case}, budget {budget}");
            }
        }
    }

    /// Free ends that a seed chooses, none for every other one.
    fn free_ends(seed: u64) -> FreeEnds {
        let bits = if seed.is_multiple_of(2) { 0 } else { Rng::with_seed(seed).u8(1..16) };
        let [query_begin, query_end, target_begin, target_end] =
            [0, 1, 2, 3].map(|bit| bits >> bit & 1 != 0);
        FreeEnds { query_begin, query_end, target_begin, target_end }
    }

    #[test]
    fn every_kind_of_instructions_finds_the_alignments_of_the_oracle() {
        for (number, scoring) in scorings().into_iter().enumerate() {
            // Miri interprets what has no bands in a minute.
            let seeds = if cfg!(miri) { 1 } else { 6 };
            for seed in 0..seeds {
                let scoring = scoring.clone().with_free_ends(free_ends(seed));
                let longest = [3, 40, 150][seed as usize % 3];
                check(&format!("scoring {number}"), &scoring, seed, longest);
            }
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "takes hours")]
    fn alignments_in_bands_are_those_of_the_oracle() {
        for (number, scoring) in scorings().into_iter().enumerate() {
            for seed in 10..12 {
                let scoring = scoring.clone().with_free_ends(free_ends(seed));
                check(&format!("scoring {number}"), &scoring, seed, 400);
            }
        }
    }

    /// Pairs of which a sample tells what bands to expect: with the same share of differences, or unrelated, but for some that
    /// differ more or less than the others.
    #[test]
    #[cfg_attr(miri, ignore = "takes hours")]
    fn alignments_in_expected_bands_are_those_of_the_oracle() {
        let simple = Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 1 });
        let matrix = SubstitutionMatrix::built_in("BLOSUM62").expect("a name").expect("a matrix");
        let matrix = Scoring::with_matrix(matrix, GapCosts { open: 11, extend: 1 });
        for (name, scoring) in [("simple", simple), ("matrix", matrix)] {
            let scoring = scoring.expect("a scoring");
            let codes = scoring.alphabet().len() as u8;
            // A share of 1 is of unrelated sequences.
            for (number, share) in [0.0, 0.03, 0.1, 1.0].into_iter().enumerate() {
                let mut random = Rng::with_seed(number as u64);
                let (mut queries, mut targets) = (SequenceSet::default(), SequenceSet::default());
                for pair in 0..1_100 {
                    let share = if pair % 20 == 0 { random.f64() } else { share };
                    let length = random.usize(120..200);
                    let query: Vec<u8> = (0..length).map(|_| random.u8(..codes)).collect();
                    let mut target = Vec::new();
                    for &code in &query {
                        match random.usize(..10) {
                            _ if random.f64() >= share => target.push(code),
                            0 => {}
                            1 => target.extend([code, random.u8(..codes)]),
                            _ => target.push(random.u8(..codes)),
                        }
                    }
                    queries.push(&query);
                    targets.push(&target);
                }
                let case = format!("{name}, share {share}");
                compare_sets(&case, &scoring, &queries, &targets);
            }
        }
    }
}
