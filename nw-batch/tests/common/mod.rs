//! Random pairs of sequences, and scorings, for tests.

#![allow(dead_code, clippy::expect_used, reason = "shared by tests, which may panic")]

use fastrand::Rng;
use nw_batch::{
    FreeEnds, GapCosts, PairBatch, Scoring, SequencePair, SequenceSet, SubstitutionMatrix,
};

/// Sequences in pairs: the first query with the first target, and so on.
pub struct Pairs {
    pub queries: SequenceSet,
    pub targets: SequenceSet,
    pub numbers: Vec<SequencePair>,
}

impl Pairs {
    pub fn new(all: &[(Vec<u8>, Vec<u8>)]) -> Self {
        Self {
            queries: all.iter().map(|pair| &pair.0).collect(),
            targets: all.iter().map(|pair| &pair.1).collect(),
            numbers: (0..all.len() as u32).map(|n| SequencePair { query: n, target: n }).collect(),
        }
    }

    pub fn batch(&self) -> PairBatch<'_> {
        PairBatch { queries: &self.queries, targets: &self.targets, pairs: &self.numbers }
    }
}

pub fn sequence(random: &mut Rng, codes: u8, length: usize) -> Vec<u8> {
    (0..length).map(|_| random.u8(..codes)).collect()
}

/// Copy of a sequence with about one difference in `every` residues.
pub fn mutated(random: &mut Rng, codes: u8, sequence: &[u8], every: usize) -> Vec<u8> {
    let mut copy = Vec::new();
    for &code in sequence {
        match random.usize(..every * 3) {
            0 => {}
            1 => copy.extend([code, random.u8(..codes)]),
            2 => copy.push(random.u8(..codes)),
            3 if random.u8(..4) == 0 => {
                let length = random.usize(1..20);
                copy.extend((0..length).map(|_| random.u8(..codes)));
            }
            _ => copy.push(code),
        }
    }
    copy
}

/// Random pair of related or unrelated sequences of up to `longest` residues.
pub fn pair(random: &mut Rng, codes: u8, longest: usize) -> (Vec<u8>, Vec<u8>) {
    let length = random.usize(..=longest);
    let query = sequence(random, codes, length);
    let target = match random.u8(..4) {
        0 => {
            let length = random.usize(..=longest);
            sequence(random, codes, length)
        }
        1 => query.clone(),
        _ => mutated(random, codes, &query, 10),
    };
    (query, target)
}

/// Free ends by the four bits of a number: query begin, query end, target begin, target end.
pub fn free_ends(bits: u8) -> FreeEnds {
    FreeEnds {
        query_begin: bits & 1 != 0,
        query_end: bits & 2 != 0,
        target_begin: bits & 4 != 0,
        target_end: bits & 8 != 0,
    }
}

/// Scoring by a matrix of the greatest and the least score, not symmetric.
fn extreme_matrix() -> Scoring {
    let score =
        |query: u8, target: u8| if (2 * query + target).is_multiple_of(3) { 500 } else { -500 };
    let matrix = SubstitutionMatrix::from_scores(b"ACGTN", score).expect("a matrix");
    Scoring::with_matrix(matrix, GapCosts { open: 500, extend: 500 }).expect("a scoring")
}

/// Scorings of all kinds, with their names.
pub fn scorings() -> Vec<(&'static str, Scoring)> {
    let simple = |matching, mismatch, open, extend| {
        Scoring::with_match_mismatch(matching, mismatch, GapCosts { open, extend })
            .expect("a scoring")
    };
    let matrix = |name, open, extend| {
        let matrix = SubstitutionMatrix::built_in(name).expect("a name").expect("a matrix");
        Scoring::with_matrix(matrix, GapCosts { open, extend }).expect("a scoring")
    };
    vec![
        ("linear", simple(5, -4, 10, 10)),
        ("linear, cheap gaps", simple(2, -7, 1, 1)),
        ("edit distance", simple(0, -1, 1, 1)),
        ("longest common subsequence", simple(1, 0, 0, 0)),
        ("affine", simple(5, -4, 10, 1)),
        ("affine, free extension", simple(1, -1, 3, 0)),
        ("greatest", simple(500, -500, 500, 499)),
        ("greatest, linear", simple(500, -500, 500, 500)),
        ("greatest, free extension", simple(500, -500, 500, 0)),
        ("least", simple(-499, -500, 500, 500)),
        ("least, free gaps", simple(-499, -500, 0, 0)),
        ("greatest matrix", extreme_matrix()),
        ("BLOSUM62", matrix("BLOSUM62", 11, 1)),
        ("NUC.4.4", matrix("NUC.4.4", 10, 10)),
    ]
}
