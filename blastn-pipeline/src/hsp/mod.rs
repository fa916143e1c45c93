//! High-scoring segment pairs: alignments of a strand of a query and a subject.

pub(crate) mod best_segment;
pub(crate) mod containment;
pub(crate) mod culling;
pub(crate) mod ranking;
pub mod subject_hit;

use std::cmp::Ordering;

use crate::gapped::script::{Op, Script};

/// An alignment. Places count from 0, within the context and the subject.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hsp {
    /// The strand of a query, see [`crate::query::batch::QueryBatch::contexts`].
    pub context: usize,
    /// The sum over columns and gaps.
    pub score: i32,
    /// First place in the query, and the one behind the last.
    pub query: (i32, i32),
    /// First place in the subject, and the one behind the last.
    pub subject: (i32, i32),
    /// A pair of places that the alignment goes through.
    pub(crate) seed: (i32, i32),
    /// Its columns; none before they are known.
    pub script: Script,
    /// Expected number of alignments that score as much by chance.
    pub e_value: f64,
}

impl Hsp {
    /// Diagonals at the begin and at the end.
    pub(crate) fn diagonals(&self) -> (i32, i32) {
        (self.query.0 - self.subject.0, self.query.1 - self.subject.1)
    }

    /// The order in which alignments of a query and a subject are reported.
    pub(crate) fn by_score(&self, other: &Self) -> Ordering {
        other
            .score
            .cmp(&self.score)
            .then(self.subject.0.cmp(&other.subject.0))
            .then(other.subject.1.cmp(&self.subject.1))
            .then(self.query.0.cmp(&other.query.0))
            .then(other.query.1.cmp(&self.query.1))
    }

    fn by_begin(&self, other: &Self) -> Ordering {
        let begin = |hsp: &Self| (hsp.context, hsp.query.0, hsp.subject.0);
        let rest = |hsp: &Self| (hsp.score, hsp.query.1, hsp.subject.1);
        begin(self).cmp(&begin(other)).then(rest(other).cmp(&rest(self)))
    }

    fn by_end(&self, other: &Self) -> Ordering {
        let end = |hsp: &Self| (hsp.context, hsp.query.1, hsp.subject.1);
        let rest = |hsp: &Self| (hsp.score, hsp.query.0, hsp.subject.0);
        end(self).cmp(&end(other)).then(rest(other).cmp(&rest(self)))
    }

    fn begins_with(&self, other: &Self) -> bool {
        self.context == other.context
            && (self.query.0, self.subject.0) == (other.query.0, other.subject.0)
    }

    fn ends_with(&self, other: &Self) -> bool {
        self.context == other.context
            && (self.query.1, self.subject.1) == (other.query.1, other.subject.1)
    }

    /// Cuts off the columns up to, or from, a pair of places that the alignment reaches; leaves it
    /// whole if it does not.
    fn cut(&mut self, at: (i32, i32), keep_end: bool) {
        let Some(cut) = self.script.reach(at.0 - self.query.0, at.1 - self.subject.0) else {
            return;
        };
        let place = (self.query.0 + cut.query, self.subject.0 + cut.subject);
        if keep_end {
            self.script = self.script.from(&cut);
            (self.query.0, self.subject.0) = place;
        } else {
            self.script = self.script.up_to(&cut);
            (self.query.1, self.subject.1) = place;
        }
    }
}

/// Of alignments that begin at the same pair of places, or end, keeps that with the best score.
pub(crate) fn purge_common_ends(hsps: &mut Vec<Hsp>) {
    hsps.sort_by(Hsp::by_begin);
    hsps.dedup_by(|later, kept| later.begins_with(kept));
    hsps.sort_by(Hsp::by_end);
    hsps.dedup_by(|later, kept| later.ends_with(kept));
}

/// As [`purge_common_ends`], but what an alignment has beyond a better one that begins or ends with
/// it, is kept. Returns those that were left whole and those that were cut.
pub(crate) fn cut_common_ends(mut hsps: Vec<Hsp>) -> (Vec<Hsp>, Vec<Hsp>) {
    let mut cut = Vec::new();
    hsps.sort_by(Hsp::by_begin);
    hsps.dedup_by(|later, kept| {
        let common = later.begins_with(kept);
        if common && later.query.1 > kept.query.1 {
            let mut rest = later.clone();
            rest.cut((kept.query.1, kept.subject.1), true);
            cut.push(rest);
        }
        common
    });
    hsps.sort_by(Hsp::by_end);
    hsps.dedup_by(|later, kept| {
        let common = later.ends_with(kept);
        if common && later.query.0 < kept.query.0 {
            let mut rest = later.clone();
            rest.cut((kept.query.0, kept.subject.0), false);
            cut.push(rest);
        }
        common
    });
    (hsps, cut)
}

/// Diagonals that the alignments of two chunks of a subject may differ by to be parts of one.
const CLOSE: i32 = 10;

/// Adds alignments of the next chunk of a subject, which begins at `start` and shares its first
/// `overlap` bases with the chunk before. Those that cross the seam become one.
pub(crate) fn merge(all: &mut Vec<Hsp>, mut next: Vec<Hsp>, start: i32, overlap: i32) {
    let crossing = all.iter_mut().filter(|hsp| hsp.subject.1 > start);
    for hsp in crossing {
        next.retain(|other| {
            let mergeable = other.subject.0 < start + overlap
                && other.context == hsp.context
                && (hsp.diagonals().1 - other.diagonals().0).abs() < CLOSE;
            !(mergeable && join(hsp, other))
        });
    }
    all.append(&mut next);
    all.sort_by(Hsp::by_score);
}

/// Makes one alignment, whose score is an estimate, of two that meet.
fn join(hsp: &mut Hsp, other: &Hsp) -> bool {
    let within = |query: i32, subject: i32| {
        (hsp.query.0..=hsp.query.1).contains(&query)
            && (hsp.subject.0..=hsp.subject.1).contains(&subject)
    };
    if !within(other.query.0, other.subject.0) && !within(other.query.1, other.subject.1) {
        return false;
    }
    let length = |hsp: &Hsp| hsp.query.1 - hsp.query.0;
    let density = f64::from(hsp.score + other.score) / f64::from(length(hsp) + length(other));
    hsp.query = (hsp.query.0.min(other.query.0), hsp.query.1.max(other.query.1));
    hsp.subject = (hsp.subject.0.min(other.subject.0), hsp.subject.1.max(other.subject.1));
    if other.score > hsp.score {
        hsp.seed = other.seed;
        hsp.score = other.score;
    }
    hsp.score = hsp.score.max((density * f64::from(length(hsp))) as i32);
    true
}

/// Columns of an alignment that are equal, all, gaps, and columns of gaps.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Columns {
    /// Columns with equal letters.
    pub identities: usize,
    /// All columns.
    pub length: usize,
    /// Gaps.
    pub gap_opens: usize,
    /// Columns of gaps.
    pub gaps: usize,
}

impl Hsp {
    /// Counts columns, given the letters of the alignment's ranges of query and subject.
    pub fn columns(&self, query: &[u8], subject: &[u8]) -> Columns {
        let mut columns = Columns::default();
        let (mut q, mut s) = (0, 0);
        for &(op, length) in self.script.ops() {
            let length = length as usize;
            columns.length += length;
            match op {
                Op::Pair => {
                    let pairs = query[q..q + length].iter().zip(&subject[s..s + length]);
                    columns.identities += pairs.filter(|(one, other)| one == other).count();
                    q += length;
                    s += length;
                }
                Op::Insertion | Op::Deletion => {
                    columns.gap_opens += 1;
                    columns.gaps += length;
                    if op == Op::Insertion { q += length } else { s += length }
                }
            }
        }
        columns
    }
}
