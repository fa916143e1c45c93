//! Greedy gapped extension of similar sequences, from a pair of places to one side (Zhang et al., J. Comput. Biol. 7, 2000).
//!
//! With linear gap costs the score of an alignment depends only on its end and its number of differences. So for each number of
//! differences and each diagonal, the farthest end is all there is to know. A diagonal is the position in
//! the query minus the position in the subject.
//!
//! ```text
//!   farthest ends with d differences -->  one more difference, then equal letters as far as they go  --> with d + 1
//!     diagonal k - 1: a letter of the query beside a gap      \
//!     diagonal k:     a mismatch                               > the farthest of the three on diagonal k
//!     diagonal k + 1: a letter of the subject beside a gap    /
//! ```

use crate::gapped::edit_script::{EditOp, EditScript};
use crate::gapped::side::SequenceSide;
use crate::scoring::Scoring;
use crate::sequence::equal_run::equal_run;

/// End on a diagonal that no alignment has reached.
pub(super) const UNREACHED: i32 = -2;

/// A run of equal letters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EqualRun {
    /// Letters of the query before it.
    pub query: i32,
    /// Letters of the subject before it.
    pub subject: i32,
    /// Number of equal letters.
    pub length: i32,
}

/// How far the best alignment of a greedy extension reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GreedyReach {
    /// Mismatches and columns of gaps.
    pub differences: i32,
    /// Letters of the query.
    pub query: i32,
    /// Letters of the subject.
    pub subject: i32,
    /// The longest run of equal letters.
    pub run: EqualRun,
    /// The diagonal at the far end.
    diagonal: i32,
}

impl GreedyReach {
    /// A reach of so many differences and letters.
    pub(crate) fn new(differences: i32, query: i32, subject: i32, run: EqualRun) -> Self {
        Self { differences, query, subject, run, diagonal: query - subject }
    }
}

/// A front: the farthest ends of the alignments with some number of differences, as places of the subject, by diagonal.
#[derive(Debug, Default, Clone)]
struct Front {
    /// Diagonal of the first end.
    first: i32,
    ends: Vec<i32>,
}

impl Front {
    /// An empty front for diagonals from `first` to `last`.
    fn reset(&mut self, first: i32, last: i32) {
        self.first = first;
        self.ends.clear();
        self.ends.resize((last - first + 1) as usize, UNREACHED);
    }

    #[inline]
    fn get(&self, diagonal: i32) -> i32 {
        self.ends[(diagonal - self.first) as usize]
    }

    #[inline]
    fn set(&mut self, diagonal: i32, end: i32) {
        let place = (diagonal - self.first) as usize;
        self.ends[place] = end;
    }
}

/// Memory of greedy extensions, which the next one reuses.
#[derive(Debug, Default)]
pub struct GreedyBuffers {
    /// Front of the number of differences before the current one.
    before: Front,
    /// Front of the current number of differences.
    now: Front,
    /// Fronts of all numbers of differences but the last, one after the other; empty unless columns are asked for.
    all: Vec<i32>,
    /// Of each front, the index of its first end in `all` minus its first diagonal.
    starts: Vec<isize>,
    /// Best score by number of differences.
    scores: Vec<i32>,
}

impl GreedyBuffers {
    /// Keeps the front before the current one for the columns.
    fn keep(&mut self) {
        self.starts.push(self.all.len() as isize - self.before.first as isize);
        self.all.extend(&self.before.ends);
    }

    /// The end on a diagonal in the front of some number of differences.
    fn kept(&self, differences: usize, diagonal: i32) -> i32 {
        self.all[(self.starts[differences] + diagonal as isize) as usize]
    }
}

/// The letters of both sides.
pub(super) struct GreedySides<'a, const REVERSE: bool> {
    query: SequenceSide<'a>,
    subject: SequenceSide<'a>,
    /// Numbers of letters of query and subject.
    pub(super) lengths: (i32, i32),
}

impl<'a, const REVERSE: bool> GreedySides<'a, REVERSE> {
    pub(super) fn new(query: SequenceSide<'a>, subject: SequenceSide<'a>) -> Self {
        let lengths = (query.len::<REVERSE>() as i32, subject.len::<REVERSE>() as i32);
        Self { query, subject, lengths }
    }

    /// Counts equal letters from two places on; ambiguous letters equal none.
    pub(super) fn run(&self, query: i32, subject: i32) -> i32 {
        let (of_query, of_subject) = (self.lengths.0 - query, self.lengths.1 - subject);
        if of_query <= 0 || of_subject <= 0 {
            return 0;
        }
        let query = self.query.range::<REVERSE>(query as usize, self.lengths.0 as usize);
        let subject = self.subject.range::<REVERSE>(subject as usize, self.lengths.1 as usize);
        equal_run::<REVERSE>(query, subject) as i32
    }
}

/// Extends to one side, to the left if `REVERSE`. With `TRACE`, [`script`] gives the columns afterwards.
pub fn extend<const REVERSE: bool, const TRACE: bool>(
    query: SequenceSide<'_>,
    subject: SequenceSide<'_>,
    scoring: &Scoring,
    x_drop: i32,
    work: &mut GreedyBuffers,
) -> GreedyReach {
    // All scores are doubled if half a match is no integer.
    let factor = 1 + scoring.reward % 2;
    let (reward, x_drop) = (factor * scoring.reward, factor * x_drop);
    let cost = reward - factor * scoring.penalty;
    let half = reward / 2;
    let back = ((x_drop + half) / cost + 1) as usize;

    let sides = GreedySides::<REVERSE>::new(query, subject);
    let lengths = sides.lengths;
    let run = sides.run(0, 0);
    let mut reach = GreedyReach {
        query: run,
        subject: run,
        run: EqualRun { length: run, ..EqualRun::default() },
        ..GreedyReach::default()
    };
    work.all.clear();
    work.starts.clear();
    work.scores.clear();
    work.scores.resize(back, 0);
    work.before.reset(-3, 3);
    work.before.set(0, run);
    if run == lengths.0 || run == lengths.1 {
        if TRACE {
            work.keep();
        }
        return reach;
    }
    work.scores.push(run * reward);
    let (mut lower, mut upper) = (-1, 1);
    let (mut query_ended, mut subject_ended) = (false, false);
    for differences in 1.. {
        for outside in [lower - 1, lower, upper, upper + 1] {
            work.before.set(outside, UNREACHED);
        }
        if TRACE {
            work.keep();
        }
        // The next number of differences reads and resets this front up to two diagonals farther out.
        work.now.reset(lower - 3, upper + 3);
        let least = work.scores[differences as usize] + cost * differences - x_drop;
        let least = (f64::from(least) / f64::from(half)).ceil() as i32;
        let (mut extent, mut farthest) = (0, (0, 0));
        let reachable = lower..=upper;
        for diagonal in reachable {
            let before = &work.before;
            let by_pair = before.get(diagonal + 1).max(before.get(diagonal)) + 1;
            let mut end = by_pair.max(before.get(diagonal - 1));
            if end < 0 || end + end + diagonal < least {
                if diagonal == lower {
                    lower += 1;
                }
                continue;
            }
            upper = diagonal;
            let run = sides.run(end + diagonal, end);
            if run > reach.run.length {
                reach.run = EqualRun { query: end + diagonal, subject: end, length: run };
            }
            end += run;
            work.now.set(diagonal, end);
            if end + end + diagonal > extent {
                extent = end + end + diagonal;
                farthest = (end, diagonal);
            }
            if end == lengths.1 {
                lower = diagonal + 1;
                subject_ended = true;
            }
            if end + diagonal == lengths.0 {
                upper = diagonal - 1;
                query_ended = true;
            }
        }
        let score = extent * half - differences * cost;
        let best = work.scores[work.scores.len() - 1];
        // Of equally good ends the one with most differences counts.
        if score >= best {
            let (end, diagonal) = farthest;
            reach =
                GreedyReach { differences, query: end + diagonal, subject: end, diagonal, ..reach };
        }
        work.scores.push(score.max(best));
        if lower > upper {
            break;
        }
        lower -= i32::from(!subject_ended);
        upper += i32::from(!query_ended);
        std::mem::swap(&mut work.before, &mut work.now);
    }
    reach
}

/// Columns of the last extension, from its far end to its begin.
pub fn script(work: &GreedyBuffers, reach: &GreedyReach) -> EditScript {
    let mut script = EditScript::default();
    let (mut diagonal, mut end) = (reach.diagonal, reach.subject);
    for before in (0..reach.differences as usize).rev() {
        let [left, same, right] = [-1, 0, 1].map(|side| work.kept(before, diagonal + side));
        let pairs;
        if left > same.max(right) {
            pairs = end - left;
            (diagonal, end) = (diagonal - 1, left);
            script.push(EditOp::Pair, pairs);
            script.push(EditOp::Insertion, 1);
        } else if same > right {
            pairs = end - same;
            end = same;
            script.push(EditOp::Pair, pairs);
        } else {
            pairs = end - right - 1;
            (diagonal, end) = (diagonal + 1, right);
            script.push(EditOp::Pair, pairs);
            script.push(EditOp::Deletion, 1);
        }
    }
    script.push(EditOp::Pair, end);
    script
}
