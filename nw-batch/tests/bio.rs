//! Scores of the CPU engine and of the oracle are those of the pairwise aligner of the crate `bio`, an independent
//! implementation.

#![allow(clippy::expect_used)] // A failure is the test's.

mod common;

use bio::alignment::AlignmentOperation;
use bio::alignment::pairwise::Aligner;
use bio::scores;
use common::{Pairs, pair};
use fastrand::Rng;
use nw_batch::{Cigar, CigarOp, GapCosts, Scoring, SubstitutionMatrix, cpu, oracle};

/// Costs of gaps, linear and affine: of the first residue, of each further one.
const GAPS: [GapCosts; 5] = [
    GapCosts { open: 1, extend: 1 },
    GapCosts { open: 10, extend: 10 },
    GapCosts { open: 10, extend: 1 },
    GapCosts { open: 11, extend: 2 },
    GapCosts { open: 3, extend: 0 },
];

/// Score of two letters.
type PairScore = fn(u8, u8) -> i32;

/// CIGAR of an alignment of `bio`.
fn cigar(operations: &[AlignmentOperation]) -> Cigar {
    let mut cigar = Cigar::default();
    for operation in operations {
        let op = match operation {
            AlignmentOperation::Match => CigarOp::Equal,
            AlignmentOperation::Subst => CigarOp::Different,
            AlignmentOperation::Ins => CigarOp::Insertion,
            AlignmentOperation::Del => CigarOp::Deletion,
            AlignmentOperation::Xclip(_) | AlignmentOperation::Yclip(_) => {
                panic!("a clip in a global alignment")
            }
        };
        cigar.push(op, 1);
    }
    cigar
}

/// Compares random pairs of sequences with the first `codes` codes of the scoring's alphabet; `score` is the score of
/// two letters.
fn check(case: &str, scoring: &Scoring, codes: u8, score: impl Fn(u8, u8) -> i32) {
    let letter = |code: &u8| scoring.alphabet().letter(*code);
    let GapCosts { open, extend } = scoring.gaps();
    let mut theirs = Aligner::new(-open, -extend, score);
    for seed in 0..12 {
        let mut random = Rng::with_seed(seed);
        let longest = [1, 8, 60, 200][seed as usize % 4];
        let all: Vec<_> = (0..25)
            .map(|_| pair(&mut random, codes, longest))
            .filter(|(query, target)| !query.is_empty() && !target.is_empty())
            .collect();
        let pairs = Pairs::new(&all);
        let scores = cpu::scores(scoring, pairs.batch());
        for ((query, target), score) in all.iter().zip(scores) {
            let letters = |codes: &[u8]| codes.iter().map(letter).collect::<Vec<u8>>();
            let expected = theirs.global(&letters(query), &letters(target));
            let case = format!("{case}, {open} {extend}, seed {seed}: {query:?} {target:?}");
            assert_eq!(score, expected.score, "{case}");
            assert_eq!(oracle::score(scoring, query, target), expected.score, "{case}");
            let columns = cigar(&expected.operations);
            let rescored = columns.rescore(scoring, query, target);
            assert_eq!(rescored, Ok(expected.score), "{case}: {columns}");
        }
    }
}

#[test]
fn nucleotides_score_as_in_bio() {
    for gaps in GAPS {
        for (match_score, mismatch_score) in [(5, -4), (1, -1), (2, -7), (0, -1)] {
            let scoring = Scoring::with_match_mismatch(match_score, mismatch_score, gaps);
            let score = |a, b| if a == b { match_score } else { mismatch_score };
            check("nucleotides", &scoring.expect("a scoring"), 4, score);
        }
    }
}

#[test]
fn proteins_score_as_in_bio() {
    let matrices: [(&str, PairScore); 4] = [
        ("BLOSUM62", scores::blosum62),
        ("BLOSUM45", scores::blosum45),
        ("PAM120", scores::pam120),
        ("PAM250", scores::pam250),
    ];
    for gaps in GAPS {
        for (name, score) in matrices {
            let matrix = SubstitutionMatrix::built_in(name).expect("a name").expect("a matrix");
            // The 20 amino acids, B, Z and X.
            let scoring = Scoring::with_matrix(matrix, gaps).expect("a scoring");
            check(name, &scoring, 23, score);
        }
    }
}
