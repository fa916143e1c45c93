//! Gapped extension of a seed to both sides: for the score alone, and for the alignment with its columns.
//!
//! The task `blastn` extends with affine gap costs by dynamic programming ([`affine`]), the task `megablast` greedily, with
//! linear gap costs ([`greedy`]) or affine ones ([`affine_greedy`]). The columns of greedy alignments are tidied afterwards, as in NCBI's program.
//!
//! A *seed* is a pair of places between letters, in a strand and in a subject, from which the sides begin. Places count from 0.

pub mod affine;
pub mod affine_greedy;
pub mod edit_script;
pub mod greedy;
pub mod side;
#[cfg(test)]
mod tests;
pub(crate) mod tidy;

use self::affine::{AffineReach, SidePair};
use self::affine_greedy::AffineGreedyReach;
use self::edit_script::{EditOp, EditScript};
use self::side::SequenceSide;
use crate::query::batch::QueryBatch;
use crate::scoring::Scoring;

/// Bases in a byte of the packed subject. Extensions with affine gap costs for the score begin at a byte.
const PACK: usize = 4;

/// Memory of gapped extensions, which the next one reuses.
#[derive(Debug, Default)]
pub struct GappedBuffers {
    affine: affine::AffineBuffers,
    greedy: greedy::GreedyBuffers,
    affine_greedy: affine_greedy::AffineGreedyBuffers,
}

/// A gapped alignment of a strand and a subject, or a part of one.
#[derive(Debug, Clone, Default)]
pub(crate) struct GappedAlignment {
    /// Raw score of the alignment.
    pub(crate) score: i32,
    /// Begin and end in the strand; the end is exclusive.
    pub(crate) query: (i32, i32),
    /// Begin and end in the subject; the end is exclusive.
    pub(crate) subject: (i32, i32),
    /// Places in the strand and the subject that the alignment goes through.
    pub(crate) seed: (i32, i32),
    /// Columns; empty if only the score was asked for.
    pub(crate) script: EditScript,
}

/// The pair of places at which an extension with affine gap costs for the score begins: at the first byte of the packed subject
/// behind the seed. `lengths` are those of strand and subject.
pub(crate) fn affine_begin(lengths: (usize, usize), seed: (usize, usize)) -> (usize, usize) {
    let moved = PACK - seed.1 % PACK;
    let (query, subject) = (seed.0 + moved, seed.1 + moved);
    if query > lengths.0 || subject > lengths.1 {
        return (query - PACK, subject - PACK);
    }
    (query, subject)
}

/// Extends a seed with affine gap costs for the score.
pub(crate) fn affine_score(
    batch: &QueryBatch,
    scoring: &Scoring,
    (strand, bases): (&[u8], &[u8]),
    seed: (usize, usize),
    x_drop: i32,
    work: &mut GappedBuffers,
) -> GappedAlignment {
    let begin = affine_begin((strand.len(), bases.len()), seed);
    let rows = SequenceSide { letters: bases, at: begin.1 };
    let columns = SequenceSide { letters: strand, at: begin.0 };
    let work = &mut work.affine;
    let sides = SidePair { rows, columns, scoring, matrix: &batch.matrix, x_drop };
    let left = affine::extend::<true, false>(&sides, work);
    let right = affine::extend::<false, false>(&sides, work);
    affine_scored(seed, begin, &left, &right)
}

/// The alignment of a left and a right side with affine gap costs, without columns; rows are letters of the subject. The sides
/// begin at the pair of places `(query, subject)`.
pub(crate) fn affine_scored(
    seed: (usize, usize),
    (query, subject): (usize, usize),
    left: &AffineReach,
    right: &AffineReach,
) -> GappedAlignment {
    GappedAlignment {
        score: left.score + right.score,
        query: ((query - left.columns) as i32, (query + right.columns) as i32),
        subject: ((subject - left.rows) as i32, (subject + right.rows) as i32),
        seed: (seed.0 as i32, seed.1 as i32),
        script: EditScript::default(),
    }
}

/// Aligns through a seed with affine gap costs.
pub(crate) fn affine_alignment(
    batch: &QueryBatch,
    scoring: &Scoring,
    (strand, letters): (&[u8], &[u8]),
    seed: (usize, usize),
    work: &mut GappedBuffers,
) -> GappedAlignment {
    let rows = SequenceSide { letters: strand, at: seed.0 + 1 };
    let columns = SequenceSide { letters, at: seed.1 + 1 };
    let x_drop = batch.parameters.final_x_drop;
    let sides = SidePair { rows, columns, scoring, matrix: &batch.matrix, x_drop };
    let work = &mut work.affine;
    let left = affine::extend::<true, true>(&sides, work);
    let of_left = affine::script(work, &left);
    let right = affine::extend::<false, true>(&sides, work);
    let of_right = affine::script(work, &right);
    affine_aligned(scoring, seed, (&left, of_left), (&right, &of_right))
}

/// The alignment of a left and a right side with affine gap costs and columns; rows are letters of the query. The sides begin
/// behind the seed's column.
pub(crate) fn affine_aligned(
    scoring: &Scoring,
    seed: (usize, usize),
    (left, of_left): (&AffineReach, EditScript),
    (right, of_right): (&AffineReach, &EditScript),
) -> GappedAlignment {
    let (query, subject) = (seed.0 + 1, seed.1 + 1);
    let mut gapped = GappedAlignment {
        score: left.score + right.score,
        query: ((query - left.rows) as i32, (query + right.rows) as i32),
        subject: ((subject - left.columns) as i32, (subject + right.columns) as i32),
        seed: (seed.0 as i32, seed.1 as i32),
        script: EditScript::join(of_left, of_right),
    };
    gapped.drop_outer_gaps(scoring);
    gapped
}

/// Extends a seed greedily for the score. The seed of the result is the middle of the longest run of equal bases.
pub(crate) fn greedy_score(
    batch: &QueryBatch,
    scoring: &Scoring,
    sequences: (&[u8], &[u8]),
    seed: (usize, usize),
    work: &mut GappedBuffers,
) -> GappedAlignment {
    let (query, subject) = sides(sequences, seed);
    let x_drop = batch.parameters.gapped_x_drop;
    if !scoring.is_linear() {
        let work = &mut work.affine_greedy;
        let right = affine_greedy::extend::<false, false>(query, subject, scoring, x_drop, work);
        let left = affine_greedy::extend::<true, false>(query, subject, scoring, x_drop, work);
        let mut gapped = affine_greedy_result(scoring, seed, &left, &right);
        gapped.seed = middle(seed, &gapped, &left.run, &right.run);
        return gapped;
    }
    let work = &mut work.greedy;
    let right = greedy::extend::<false, false>(query, subject, scoring, x_drop, work);
    let left = greedy::extend::<true, false>(query, subject, scoring, x_drop, work);
    greedy_scored(scoring, seed, &left, &right)
}

/// The alignment of a left and a right side that were extended greedily, without columns.
pub(crate) fn greedy_scored(
    scoring: &Scoring,
    seed: (usize, usize),
    left: &greedy::GreedyReach,
    right: &greedy::GreedyReach,
) -> GappedAlignment {
    let mut gapped = greedy_result(scoring, seed, left, right);
    gapped.seed = middle(seed, &gapped, &left.run, &right.run);
    gapped
}

/// Aligns greedily from a seed on, and tidies the columns.
pub(crate) fn greedy_alignment(
    batch: &QueryBatch,
    scoring: &Scoring,
    sequences: (&[u8], &[u8]),
    seed: (usize, usize),
    work: &mut GappedBuffers,
) -> GappedAlignment {
    let (query, subject) = sides(sequences, seed);
    let x_drop = batch.parameters.final_x_drop;
    let mut gapped = if scoring.is_linear() {
        let work = &mut work.greedy;
        let right = greedy::extend::<false, true>(query, subject, scoring, x_drop, work);
        let of_right = greedy::script(work, &right);
        let left = greedy::extend::<true, true>(query, subject, scoring, x_drop, work);
        let of_left = greedy::script(work, &left);
        greedy_aligned(scoring, seed, (&left, of_left), (&right, &of_right))
    } else {
        let work = &mut work.affine_greedy;
        let right = affine_greedy::extend::<false, true>(query, subject, scoring, x_drop, work);
        let of_right = affine_greedy::script(work, &right, scoring);
        let left = affine_greedy::extend::<true, true>(query, subject, scoring, x_drop, work);
        let of_left = affine_greedy::script(work, &left, scoring);
        let script = EditScript::join(of_left, &of_right);
        GappedAlignment { script, ..affine_greedy_result(scoring, seed, &left, &right) }
    };
    let within = |(begin, end): (i32, i32)| begin as usize..end as usize;
    let query = &sequences.0[within(gapped.query)];
    let subject = &sequences.1[within(gapped.subject)];
    tidy::tidy(&mut gapped.script, query, subject);
    gapped
}

/// The alignment of a left and a right side that were extended greedily, with columns that are not tidied.
pub(crate) fn greedy_aligned(
    scoring: &Scoring,
    seed: (usize, usize),
    (left, of_left): (&greedy::GreedyReach, EditScript),
    (right, of_right): (&greedy::GreedyReach, &EditScript),
) -> GappedAlignment {
    let gapped = greedy_result(scoring, seed, left, right);
    GappedAlignment { script: EditScript::join(of_left, of_right), ..gapped }
}

/// The sides of a strand and a subject that begin at a seed.
fn sides<'a>(
    (strand, letters): (&'a [u8], &'a [u8]),
    seed: (usize, usize),
) -> (SequenceSide<'a>, SequenceSide<'a>) {
    (SequenceSide { letters: strand, at: seed.0 }, SequenceSide { letters, at: seed.1 })
}

/// Score and ends of an alignment of two greedy sides.
fn greedy_result(
    scoring: &Scoring,
    seed: (usize, usize),
    left: &greedy::GreedyReach,
    right: &greedy::GreedyReach,
) -> GappedAlignment {
    let seed = (seed.0 as i32, seed.1 as i32);
    let letters = i64::from(left.query + right.query) + i64::from(left.subject + right.subject);
    let differences = i64::from(left.differences + right.differences);
    let (reward, penalty) = (i64::from(scoring.reward), i64::from(scoring.penalty));
    GappedAlignment {
        score: (letters * reward / 2 - differences * (reward - penalty)) as i32,
        query: (seed.0 - left.query, seed.0 + right.query),
        subject: (seed.1 - left.subject, seed.1 + right.subject),
        seed,
        script: EditScript::default(),
    }
}

/// Score and ends of an alignment of two sides that were extended greedily with affine gap costs.
fn affine_greedy_result(
    scoring: &Scoring,
    seed: (usize, usize),
    left: &AffineGreedyReach,
    right: &AffineGreedyReach,
) -> GappedAlignment {
    let seed = (seed.0 as i32, seed.1 as i32);
    GappedAlignment {
        score: (left.score + right.score) / affine_greedy::factor(scoring),
        query: (seed.0 - left.query, seed.0 + right.query),
        subject: (seed.1 - left.subject, seed.1 + right.subject),
        seed,
        script: EditScript::default(),
    }
}

/// The middle of the longest run of equal bases of both sides (`left`, `right`), of which only the part within the alignment counts.
fn middle(
    seed: (usize, usize),
    gapped: &GappedAlignment,
    left: &greedy::EqualRun,
    right: &greedy::EqualRun,
) -> (i32, i32) {
    let seed = (seed.0 as i32, seed.1 as i32);
    let (mut after, mut before) = (seed, seed);
    let (mut half_after, mut half_before) = (0, 0);
    let start = (seed.0 + right.query, seed.1 + right.subject);
    if start.0 < gapped.query.1 && start.1 < gapped.subject.1 {
        after = start;
        let room = (gapped.query.1 - start.0).min(gapped.subject.1 - start.1);
        half_after = room.min(right.length) / 2;
    }
    let start = (seed.0 - left.query, seed.1 - left.subject);
    if start.0 > gapped.query.0 && start.1 > gapped.subject.0 {
        before = start;
        let room = (start.0 - gapped.query.0).min(start.1 - gapped.subject.0);
        half_before = room.min(left.length) / 2;
    }
    if half_after > half_before {
        (after.0 + half_after, after.1 + half_after)
    } else {
        (before.0 - half_before, before.1 - half_before)
    }
}

impl GappedAlignment {
    /// Removes gaps at the ends, which only cost.
    fn drop_outer_gaps(&mut self, scoring: &Scoring) {
        let runs = self.script.ops_mut();
        while let Some(&(op, columns)) = runs.first().filter(|run| run.0 != EditOp::Pair) {
            self.score += scoring.gap_open + columns * scoring.gap_extend;
            let begin =
                if op == EditOp::Deletion { &mut self.subject.0 } else { &mut self.query.0 };
            *begin += columns;
            runs.remove(0);
        }
        while let Some(&(op, columns)) = runs.last().filter(|run| run.0 != EditOp::Pair) {
            self.score += scoring.gap_open + columns * scoring.gap_extend;
            let end = if op == EditOp::Deletion { &mut self.subject.1 } else { &mut self.query.1 };
            *end -= columns;
            runs.pop();
        }
    }
}
