//! Scores of extensions against those of the crate `bio` (Rust-Bio), an independent implementation of pairwise
//! alignment.
// A test's helpers may panic as the test itself may.
#![allow(clippy::expect_used)]

mod common;

use aligner_core::cigar::CigarOp;
use bio::alignment::pairwise::{Aligner, Scoring as BioScoring};
use common::{Case, mutate, scoring, sequence};
use fastrand::Rng;
use seed_extend::extend::{Alignment, QueryClips, Scoring, cpu};

/// Scores of a match, penalties of a mismatch, of a gap (Rust-Bio has one for both kinds) and of clipping the 5' and the
/// 3' end, in which a clipped end costs no more than a gap. With others, Rust-Bio lets an alignment begin or end with an
/// insertion, where [`seed_extend::extend`] wants a pair.
const SCORINGS: [(i32, i32, [i32; 2], [i32; 2]); 6] = [
    (1, 4, [6, 1], [5, 5]),
    (1, 1, [0, 1], [0, 0]),
    (2, 3, [5, 2], [7, 7]),
    (5, 1, [0, 3], [2, 2]),
    (200, 300, [400, 30], [100, 100]),
    (1, 4, [6, 1], [7, 2]),
];

/// The best score of a query in a window by Rust-Bio, or 0 if that is more: ends of the window are free, and clipped
/// ends of the query cost what the scoring says.
fn expected(scoring: Scoring, clips: QueryClips, query: &[u8], window: &[u8]) -> i32 {
    let pair = |a: u8, b: u8| scoring.pair(a, b);
    let gap = scoring.deletion();
    // Rust-Bio's penalty of opening a gap is that of its first column.
    let scoring = BioScoring::new(-gap.of(1), -gap.extend, pair);
    let scoring = scoring.xclip_prefix(-clips.begin).xclip_suffix(-clips.end).yclip(0);
    let mut aligner = Aligner::with_scoring(scoring);
    aligner.custom(query, window).score.max(0)
}

/// The score of an alignment, from its columns alone.
fn rescored(
    scoring: Scoring,
    clips: QueryClips,
    (query, window): (&[u8], &[u8]),
    alignment: &Alignment,
) -> i32 {
    let span = alignment.span;
    let (mut i, mut j) = (span.query_begin as usize, span.window_begin as usize);
    let mut score = 0;
    for run in &alignment.runs {
        let count = run.length() as usize;
        match run.op() {
            CigarOp::Equal | CigarOp::Different => {
                let pairs = query[i..i + count].iter().zip(&window[j..j + count]);
                score += pairs.map(|(&a, &b)| scoring.pair(a, b)).sum::<i32>();
                (i, j) = (i + count, j + count);
            }
            CigarOp::Insertion => {
                (i, score) = (i + count, score - scoring.insertion().of(run.length()));
            }
            CigarOp::Deletion => {
                (j, score) = (j + count, score - scoring.deletion().of(run.length()));
            }
        }
    }
    assert_eq!((i, j), (span.query_end as usize, span.window_end as usize));
    score - i32::from(span.query_begin > 0) * clips.begin - i32::from(i < query.len()) * clips.end
}

#[test]
fn scores_are_those_of_rust_bio() {
    let mut aligned = 0;
    for (match_score, mismatch_penalty, gap, clip) in SCORINGS {
        let scoring = scoring(match_score, mismatch_penalty, [gap; 2], clip);
        for seed in 0..12 {
            let mut random = Rng::with_seed(seed);
            let mut case = Case::default();
            for _ in 0..20 {
                let letters = [2, 4, 4, 5][random.usize(..4)];
                let window_length = random.usize(..150);
                let window = sequence(&mut random, window_length, letters);
                let begin = random.usize(..=window.len());
                let end = random.usize(begin..=window.len());
                let changes = random.usize(..=(end - begin).div_ceil(12));
                let query = mutate(&mut random, &window[begin..end], changes, letters);
                case.add(&query, &window, i32::MIN, i32::MAX);
            }
            let found = cpu::align(scoring, case.tasks());
            for (number, &task) in case.tasks.iter().enumerate() {
                let (query, window) = (case.tasks().query(task), case.tasks().window(task));
                let clips = scoring.query_clips(task.is_reverse != 0);
                let alignment = found.get(number);
                let score = alignment.span.score;
                let told =
                    || format!("{scoring:?} seed {seed} task {number}: {query:?} {window:?}");
                assert_eq!(score, expected(scoring, clips, query, &window), "{}", told());
                if score > 0 {
                    let again = rescored(scoring, clips, (query, &window), &alignment);
                    assert_eq!(again, score, "{}", told());
                    aligned += 1;
                }
            }
        }
    }
    assert!(aligned > 500, "{aligned} alignments: the test shows little");
}
