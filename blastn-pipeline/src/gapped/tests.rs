//! Extensions find what matrices that are filled completely find.

use super::affine::{self, SidePair};
use super::edit_script::{EditOp, EditScript};
use super::greedy;
use super::side::SequenceSide;
use crate::scoring::{ScoreMatrix, Scoring};

/// No score drops by so much.
const NO_DROP: i32 = 1 << 20;

/// The best score of an alignment that begins before both sequences and ends anywhere.
fn oracle(
    (rows, columns): (&[u8], &[u8]),
    pair: impl Fn(u8, u8) -> i32,
    (open, extend): (i32, i32),
) -> i32 {
    let dead = i32::MIN / 2;
    // Scores of ways that end in anything, in a gap in the rows, in a gap in the columns.
    let mut cells = vec![vec![(dead, dead, dead); columns.len() + 1]; rows.len() + 1];
    let mut best = 0;
    for i in 0..=rows.len() {
        for j in 0..=columns.len() {
            let mut any = if i + j == 0 { 0 } else { dead };
            let (mut across, mut down) = (dead, dead);
            if j > 0 {
                let left = cells[i][j - 1];
                across = (left.0 - open).max(left.1) - extend;
            }
            if i > 0 {
                let above = cells[i - 1][j];
                down = (above.0 - open).max(above.2) - extend;
            }
            if i > 0 && j > 0 {
                any = cells[i - 1][j - 1].0 + pair(rows[i - 1], columns[j - 1]);
            }
            any = any.max(across).max(down);
            cells[i][j] = (any, across, down);
            best = best.max(any);
        }
    }
    best
}

/// Score of the columns of a script, and their letters of rows and columns.
fn rescore(
    script: &EditScript,
    (rows, columns): (&[u8], &[u8]),
    pair: impl Fn(u8, u8) -> i32,
    (open, extend): (i32, i32),
) -> (i32, usize, usize) {
    let (mut score, mut i, mut j) = (0, 0, 0);
    for &(op, count) in script.ops() {
        let letters = count as usize;
        match op {
            EditOp::Pair => {
                let pairs = rows[i..i + letters].iter().zip(&columns[j..j + letters]);
                score += pairs.map(|(&one, &other)| pair(one, other)).sum::<i32>();
                (i, j) = (i + letters, j + letters);
            }
            EditOp::Insertion => (score, i) = (score - open - extend * count, i + letters),
            EditOp::Deletion => (score, j) = (score - open - extend * count, j + letters),
        }
    }
    (score, i, j)
}

/// Two related sequences, either of which may be empty.
fn related(random: &mut fastrand::Rng, letters: u8) -> (Vec<u8>, Vec<u8>) {
    let one: Vec<u8> = (0..random.usize(..60)).map(|_| random.u8(..letters)).collect();
    let mut other = Vec::new();
    for &letter in &one {
        match random.u8(..16) {
            0 => {}
            1 => other.extend([random.u8(..letters), letter]),
            2 => other.push(random.u8(..letters)),
            _ => other.push(letter),
        }
    }
    (one, other)
}

fn sides<'a, const REVERSE: bool>(
    (one, other): (&'a [u8], &'a [u8]),
) -> (SequenceSide<'a>, SequenceSide<'a>) {
    let side =
        |letters: &'a [u8]| SequenceSide { letters, at: if REVERSE { letters.len() } else { 0 } };
    (side(one), side(other))
}

fn backwards(letters: &[u8]) -> Vec<u8> {
    letters.iter().rev().copied().collect()
}

#[test]
fn affine_extensions_are_the_best() {
    let mut work = affine::AffineBuffers::default();
    for seed in 0..400 {
        let mut random = fastrand::Rng::with_seed(seed);
        let scoring = [(2, -3, 5, 2), (1, -2, 2, 1), (1, -1, 3, 2)][random.usize(..3)];
        let (reward, penalty, gap_open, gap_extend) = scoring;
        let scoring = Scoring { reward, penalty, gap_open, gap_extend };
        let matrix = ScoreMatrix::new(&scoring);
        let pair = |one, other| matrix.get(one, other);
        let gap = (gap_open, gap_extend);
        let (one, other) = related(&mut random, 15);
        let expected = oracle((&one, &other), pair, gap);

        let (rows, columns) = sides::<false>((&one, &other));
        let x_drop = NO_DROP;
        let given = SidePair { rows, columns, scoring: &scoring, matrix: &matrix, x_drop };
        let found = affine::extend::<false, true>(&given, &mut work);
        assert_eq!(found.score, expected, "seed {seed}");
        let mut script = EditScript::default();
        for &(op, count) in affine::script(&work, &found).ops().iter().rev() {
            script.push(op, count);
        }
        let ends = (found.score, found.rows, found.columns);
        assert_eq!(rescore(&script, (&one, &other), pair, gap), ends, "seed {seed}");
        let without = affine::extend::<false, false>(&given, &mut work);
        assert_eq!(without, found, "seed {seed}");

        let turned = (backwards(&one), backwards(&other));
        let (rows, columns) = sides::<true>((&turned.0, &turned.1));
        let given = SidePair { rows, columns, ..given };
        let reverse = affine::extend::<true, false>(&given, &mut work);
        assert_eq!(reverse, found, "seed {seed}");
        let given = SidePair { x_drop: 9, ..given };
        let dropped = affine::extend::<true, false>(&given, &mut work);
        assert!((0..=expected).contains(&dropped.score), "seed {seed}");
    }
}

#[test]
fn greedy_extensions_are_the_best() {
    let mut work = greedy::GreedyBuffers::default();
    for seed in 0..400 {
        let mut random = fastrand::Rng::with_seed(seed);
        let (reward, penalty) = [(1, -2), (2, -3), (1, -3), (4, -5)][random.usize(..4)];
        let scoring = Scoring { reward, penalty, gap_open: 0, gap_extend: 0 };
        // Twice the scores are integers.
        let pair = |one, other| 2 * if one == other { reward } else { penalty };
        let gap = (0, reward - 2 * penalty);
        let (one, other) = related(&mut random, 4);
        let expected = oracle((&one, &other), pair, gap);
        let score = |reach: &greedy::GreedyReach| {
            (reach.query + reach.subject) * reward - 2 * reach.differences * (reward - penalty)
        };

        let (query, subject) = sides::<false>((&one, &other));
        let found = greedy::extend::<false, true>(query, subject, &scoring, NO_DROP, &mut work);
        assert_eq!(score(&found), expected, "seed {seed}");
        let mut script = EditScript::default();
        for &(op, count) in greedy::script(&work, &found).ops().iter().rev() {
            script.push(op, count);
        }
        let ends = (expected, found.query as usize, found.subject as usize);
        assert_eq!(rescore(&script, (&one, &other), pair, gap), ends, "seed {seed}");
        let without = greedy::extend::<false, false>(query, subject, &scoring, NO_DROP, &mut work);
        assert_eq!(without, found, "seed {seed}");

        let turned = (backwards(&one), backwards(&other));
        let (query, subject) = sides::<true>((&turned.0, &turned.1));
        let reverse = greedy::extend::<true, false>(query, subject, &scoring, NO_DROP, &mut work);
        assert_eq!(reverse, found, "seed {seed}");
        let greedy::EqualRun { query: first, subject: place, length } = found.run;
        let run = |letters: &[u8], begin: i32| {
            letters[begin as usize..(begin + length) as usize].to_vec()
        };
        assert_eq!(run(&one, first), run(&other, place), "seed {seed}");
        let dropped = greedy::extend::<true, false>(query, subject, &scoring, 6, &mut work);
        assert!((0..=expected).contains(&score(&dropped)), "seed {seed}");
    }
}

/// Sequences of so many letters that are alike in stretches, between some that are not.
fn long(random: &mut fastrand::Rng, letters: usize) -> (Vec<u8>, Vec<u8>) {
    let (mut one, mut other) = (Vec::new(), Vec::new());
    while one.len() < letters {
        let alphabet = if random.u8(..8) == 0 { 15 } else { 4 };
        let (a, b) = related(random, alphabet);
        one.extend(a);
        other.extend(b);
        if random.u8(..16) == 0 {
            other.extend((0..random.usize(..40)).map(|_| random.u8(..4)));
        }
    }
    (one, other)
}

/// Extends cell by cell and by SIMD, with the same result; gives the score.
fn extended<const REVERSE: bool, const TRACE: bool>(
    seed: u64,
    sequences: (&[u8], &[u8]),
    scoring: &Scoring,
    x_drop: i32,
    work: &mut affine::AffineBuffers,
) -> i32 {
    let (rows, columns) = sides::<REVERSE>(sequences);
    let matrix = ScoreMatrix::new(scoring);
    let script = |found, work: &affine::AffineBuffers| TRACE.then(|| affine::script(work, &found));
    let ops = |script: Option<EditScript>| script.map(|script| script.ops().to_vec());
    let given = SidePair { rows, columns, scoring, matrix: &matrix, x_drop };
    let expected = affine::extend_scalar::<REVERSE, TRACE>(&given, work);
    let expected_ops = ops(script(expected, work));
    let found = affine::extend::<REVERSE, TRACE>(&given, work);
    assert_eq!(found, expected, "seed {seed}, {REVERSE}, {TRACE}");
    assert_eq!(ops(script(found, work)), expected_ops, "seed {seed}, {REVERSE}");
    found.score
}

#[test]
fn cells_score_the_same_one_by_one_and_many_at_a_time() {
    let mut work = affine::AffineBuffers::default();
    let (mut greatest, mut ended) = (0, 0);
    let scorings = [(2, -3, 5, 2), (1, -2, 2, 1), (1, -1, 0, 2), (60, -90, 50, 70), (5, -4, 8, 6)];
    for seed in 0..600 {
        let mut random = fastrand::Rng::with_seed(seed);
        // Scores of more than 16 bits.
        let is_long = seed % 100 == 99;
        let choice = if is_long { scorings.len() - 1 } else { random.usize(..scorings.len()) };
        let (reward, penalty, gap_open, gap_extend) = scorings[choice];
        let scoring = Scoring { reward, penalty, gap_open, gap_extend };
        let length = if is_long { 14_000 } else { [0, 1, 20, 300, 1_000][random.usize(..5)] };
        let (mut one, mut other) = long(&mut random, length);
        if random.bool() {
            one.truncate(random.usize(length / 2..=one.len()));
            other.truncate(random.usize(length / 2..=other.len()));
        }
        let drop = [0, 5, 17, 33, 60, 100, 110, 123, 124, 125, 1_000, 8_000][random.usize(..12)];
        let drop = if is_long { 1_000 } else { drop };
        let both = (&one[..], &other[..]);
        let score = extended::<false, false>(seed, both, &scoring, drop, &mut work);
        extended::<true, false>(seed, both, &scoring, drop, &mut work);
        extended::<false, true>(seed, both, &scoring, drop, &mut work);
        extended::<true, true>(seed, both, &scoring, drop, &mut work);
        greatest = greatest.max(score);
        ended += usize::from(score < reward * one.len() as i32 / 2);
    }
    assert!(greatest > i32::from(i16::MAX) && ended > 100, "{greatest}, {ended} ended before");
}
