//! Gapped extension: for the score alone, and for the alignment.
//!
//! Both tasks extend to both sides of a seed. `blastn` fills matrices ([`affine`]), many cells at a time
//! where the processor can (`vector`); `megablast` is [`greedy`], the columns of which are `tidy`ed
//! afterwards.

pub mod affine;
pub mod greedy;
pub mod script;
pub mod side;
#[cfg(test)]
mod tests;
pub(crate) mod tidy;

use self::affine::{Extension, Sides};
use self::script::{Op, Script};
use self::side::Side;
use crate::query::batch::QueryBatch;
use crate::scoring::Scoring;

/// Bases in a byte of the packed subject: seeds of matrices are moved to the next byte.
const PACK: usize = 4;

/// Memory of extensions, to be used again.
#[derive(Debug, Default)]
pub struct Work {
    affine: affine::Work,
    greedy: greedy::Work,
}

/// A gapped alignment between places within the strand and the subject (or part of it).
#[derive(Debug, Clone, Default)]
pub(crate) struct Gapped {
    pub(crate) score: i32,
    pub(crate) query: (i32, i32),
    pub(crate) subject: (i32, i32),
    /// A pair of places that the alignment goes through.
    pub(crate) seed: (i32, i32),
    pub(crate) script: Script,
}

/// The pair of places that an extension by a matrix for the score begins at: the first byte of the
/// subject behind the seed. Query and subject have so many letters.
pub(crate) fn affine_begin(lengths: (usize, usize), seed: (usize, usize)) -> (usize, usize) {
    let moved = PACK - seed.1 % PACK;
    let (query, subject) = (seed.0 + moved, seed.1 + moved);
    if query > lengths.0 || subject > lengths.1 {
        return (query - PACK, subject - PACK);
    }
    (query, subject)
}

/// Scores by a matrix.
pub(crate) fn affine_score(
    batch: &QueryBatch,
    scoring: &Scoring,
    (strand, bases): (&[u8], &[u8]),
    seed: (usize, usize),
    x_drop: i32,
    work: &mut Work,
) -> Gapped {
    let begin = affine_begin((strand.len(), bases.len()), seed);
    let rows = Side { letters: bases, at: begin.1 };
    let columns = Side { letters: strand, at: begin.0 };
    let work = &mut work.affine;
    let sides = Sides { rows, columns, scoring, matrix: &batch.matrix, x_drop };
    let left = affine::extend::<true, false>(&sides, work);
    let right = affine::extend::<false, false>(&sides, work);
    affine_scored(seed, begin, &left, &right)
}

/// What two sides make of a seed; their rows are letters of the subject.
pub(crate) fn affine_scored(
    seed: (usize, usize),
    (query, subject): (usize, usize),
    left: &Extension,
    right: &Extension,
) -> Gapped {
    Gapped {
        score: left.score + right.score,
        query: ((query - left.columns) as i32, (query + right.columns) as i32),
        subject: ((subject - left.rows) as i32, (subject + right.rows) as i32),
        seed: (seed.0 as i32, seed.1 as i32),
        script: Script::default(),
    }
}

/// Aligns by a matrix, through the seed.
pub(crate) fn affine_alignment(
    batch: &QueryBatch,
    scoring: &Scoring,
    (strand, letters): (&[u8], &[u8]),
    seed: (usize, usize),
    work: &mut Work,
) -> Gapped {
    let rows = Side { letters: strand, at: seed.0 + 1 };
    let columns = Side { letters, at: seed.1 + 1 };
    let x_drop = batch.parameters.final_x_drop;
    let sides = Sides { rows, columns, scoring, matrix: &batch.matrix, x_drop };
    let work = &mut work.affine;
    let left = affine::extend::<true, true>(&sides, work);
    let of_left = affine::script(work, &left);
    let right = affine::extend::<false, true>(&sides, work);
    let of_right = affine::script(work, &right);
    affine_aligned(scoring, seed, (&left, of_left), (&right, &of_right))
}

/// What two sides make of a seed; their rows are letters of the query, from behind it on.
pub(crate) fn affine_aligned(
    scoring: &Scoring,
    seed: (usize, usize),
    (left, of_left): (&Extension, Script),
    (right, of_right): (&Extension, &Script),
) -> Gapped {
    let (query, subject) = (seed.0 + 1, seed.1 + 1);
    let mut gapped = Gapped {
        score: left.score + right.score,
        query: ((query - left.rows) as i32, (query + right.rows) as i32),
        subject: ((subject - left.columns) as i32, (subject + right.columns) as i32),
        seed: (seed.0 as i32, seed.1 as i32),
        script: Script::join(of_left, of_right),
    };
    gapped.drop_outer_gaps(scoring);
    gapped
}

/// Extends greedily for the score; the seed becomes the middle of the longest run of equal bases.
pub(crate) fn greedy_score(
    batch: &QueryBatch,
    scoring: &Scoring,
    sequences: (&[u8], &[u8]),
    seed: (usize, usize),
    work: &mut Work,
) -> Gapped {
    let (query, subject) = sides(sequences, seed);
    let (x_drop, work) = (batch.parameters.gapped_x_drop, &mut work.greedy);
    let right = greedy::extend::<false, false>(query, subject, scoring, x_drop, work);
    let left = greedy::extend::<true, false>(query, subject, scoring, x_drop, work);
    greedy_scored(scoring, seed, &left, &right)
}

/// What two sides make of a seed, for the score.
pub(crate) fn greedy_scored(
    scoring: &Scoring,
    seed: (usize, usize),
    left: &greedy::Reach,
    right: &greedy::Reach,
) -> Gapped {
    let mut gapped = greedy_result(scoring, seed, left, right);
    gapped.seed = middle(seed, &gapped, left, right);
    gapped
}

/// Aligns greedily from the seed on.
pub(crate) fn greedy_alignment(
    batch: &QueryBatch,
    scoring: &Scoring,
    sequences: (&[u8], &[u8]),
    seed: (usize, usize),
    work: &mut Work,
) -> Gapped {
    let (query, subject) = sides(sequences, seed);
    let (x_drop, work) = (batch.parameters.final_x_drop, &mut work.greedy);
    let right = greedy::extend::<false, true>(query, subject, scoring, x_drop, work);
    let of_right = greedy::script(work, &right);
    let left = greedy::extend::<true, true>(query, subject, scoring, x_drop, work);
    let of_left = greedy::script(work, &left);
    let mut gapped = greedy_aligned(scoring, seed, (&left, of_left), (&right, &of_right));
    let within = |(begin, end): (i32, i32)| begin as usize..end as usize;
    let query = &sequences.0[within(gapped.query)];
    let subject = &sequences.1[within(gapped.subject)];
    tidy::tidy(&mut gapped.script, query, subject);
    gapped
}

/// What two greedy sides make of a seed, not yet tidied.
pub(crate) fn greedy_aligned(
    scoring: &Scoring,
    seed: (usize, usize),
    (left, of_left): (&greedy::Reach, Script),
    (right, of_right): (&greedy::Reach, &Script),
) -> Gapped {
    let gapped = greedy_result(scoring, seed, left, right);
    Gapped { script: Script::join(of_left, of_right), ..gapped }
}

fn sides<'a>(
    (strand, letters): (&'a [u8], &'a [u8]),
    seed: (usize, usize),
) -> (Side<'a>, Side<'a>) {
    (Side { letters: strand, at: seed.0 }, Side { letters, at: seed.1 })
}

fn greedy_result(
    scoring: &Scoring,
    seed: (usize, usize),
    left: &greedy::Reach,
    right: &greedy::Reach,
) -> Gapped {
    let seed = (seed.0 as i32, seed.1 as i32);
    let letters = left.query + left.subject + right.query + right.subject;
    let differences = left.differences + right.differences;
    Gapped {
        score: letters * scoring.reward / 2 - differences * (scoring.reward - scoring.penalty),
        query: (seed.0 - left.query, seed.0 + right.query),
        subject: (seed.1 - left.subject, seed.1 + right.subject),
        seed,
        script: Script::default(),
    }
}

/// The middle of the longest run of equal bases, of the part of it within the alignment.
fn middle(
    seed: (usize, usize),
    gapped: &Gapped,
    left: &greedy::Reach,
    right: &greedy::Reach,
) -> (i32, i32) {
    let seed = (seed.0 as i32, seed.1 as i32);
    let (mut after, mut before) = (seed, seed);
    let (mut half_after, mut half_before) = (0, 0);
    let start = (seed.0 + right.run.0, seed.1 + right.run.1);
    if start.0 < gapped.query.1 && start.1 < gapped.subject.1 {
        after = start;
        let room = (gapped.query.1 - start.0).min(gapped.subject.1 - start.1);
        half_after = room.min(right.run.2) / 2;
    }
    let start = (seed.0 - left.run.0, seed.1 - left.run.1);
    if start.0 > gapped.query.0 && start.1 > gapped.subject.0 {
        before = start;
        let room = (start.0 - gapped.query.0).min(start.1 - gapped.subject.0);
        half_before = room.min(left.run.2) / 2;
    }
    if half_after > half_before {
        (after.0 + half_after, after.1 + half_after)
    } else {
        (before.0 - half_before, before.1 - half_before)
    }
}

impl Gapped {
    /// Drops gaps at the ends, which cost without any gain.
    fn drop_outer_gaps(&mut self, scoring: &Scoring) {
        let runs = self.script.ops_mut();
        while let Some(&(op, columns)) = runs.first().filter(|run| run.0 != Op::Pair) {
            self.score += scoring.gap_open + columns * scoring.gap_extend;
            let begin = if op == Op::Deletion { &mut self.subject.0 } else { &mut self.query.0 };
            *begin += columns;
            runs.remove(0);
        }
        while let Some(&(op, columns)) = runs.last().filter(|run| run.0 != Op::Pair) {
            self.score += scoring.gap_open + columns * scoring.gap_extend;
            let end = if op == Op::Deletion { &mut self.subject.1 } else { &mut self.query.1 };
            *end -= columns;
            runs.pop();
        }
    }
}
