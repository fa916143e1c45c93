//! High-scoring segment pairs (HSPs): local alignments of a context (a strand of a query) and a subject.

pub mod best_hit;
pub(crate) mod best_segment;
pub(crate) mod containment;
pub(crate) mod culling;
pub(crate) mod linking;
pub(crate) mod ranking;
pub mod subject_hit;

use std::cmp::Ordering;

use crate::gapped::edit_script::{EditOp, EditScript};

/// A local alignment. Positions count from 0, within the context and the subject.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Hsp {
    /// Number of the context, see [`QueryBatch::contexts`](crate::query::batch::QueryBatch::contexts).
    pub context: usize,
    /// Raw score: the sum over columns and gaps.
    pub score: i32,
    /// Range in the context: its first position, and the one behind its last.
    pub query: (i32, i32),
    /// Range in the subject: its first position, and the one behind its last.
    pub subject: (i32, i32),
    /// A pair of positions in context and subject that the alignment goes through.
    pub(crate) seed: (i32, i32),
    /// Columns of the alignment; empty before the final gapped extension.
    pub script: EditScript,
    /// E-value: the expected number of alignments with at least this score by chance; with sum statistics, of sets of
    /// alignments.
    pub e_value: f64,
    /// Number of alignments that the E-value is of: with sum statistics, those of the set that this one is in; else 0 or 1.
    pub set_size: usize,
}

impl Hsp {
    /// The diagonals of the beginning and of the end: position in the context minus position in the subject. The
    /// ungapped stages ([`crate::ungapped::diagonals`]) count the other way round, as NCBI's table of diagonals does.
    pub(crate) fn diagonals(&self) -> (i32, i32) {
        (self.query.0 - self.subject.0, self.query.1 - self.subject.1)
    }

    /// The order in which the alignments of a query and a subject are reported: by E-value, then as [`Self::by_score`].
    /// Of both strands of a query, the alignment with the better score may have the greater E-value, if gaps cost so
    /// much that the composition of the strand counts.
    pub(crate) fn by_e_value(&self, other: &Self) -> Ordering {
        ranking::compare_e_values(self.e_value, other.e_value).then_with(|| self.by_score(other))
    }

    /// The order in which the alignments of a query and a subject are compared with each other: by score, then by
    /// position (`ScoreCompareHSPs` in NCBI's `blast_hits.c`).
    pub(crate) fn by_score(&self, other: &Self) -> Ordering {
        other
            .score
            .cmp(&self.score)
            .then(self.subject.0.cmp(&other.subject.0))
            .then(other.subject.1.cmp(&self.subject.1))
            .then(self.query.0.cmp(&other.query.0))
            .then(other.query.1.cmp(&self.query.1))
    }

    /// An order in which alignments with the same beginning follow each other, the best first.
    fn by_begin(&self, other: &Self) -> Ordering {
        let begin = |hsp: &Self| (hsp.context, hsp.query.0, hsp.subject.0);
        let rest = |hsp: &Self| (hsp.score, hsp.query.1, hsp.subject.1);
        begin(self).cmp(&begin(other)).then(rest(other).cmp(&rest(self)))
    }

    /// An order in which alignments with the same end follow each other, the best first.
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

    /// Cuts the alignment at a pair of positions: keeps its end behind them, or its beginning before them. An
    /// alignment that does not reach the positions stays whole.
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

/// Keeps only the best of alignments that begin at the same pair of positions, and of those that end there
/// (`Blast_HSPListPurgeHSPsWithCommonEndpoints` in NCBI's `blast_hits.c`).
pub(crate) fn purge_common_ends(hsps: &mut Vec<Hsp>) {
    hsps.sort_by(Hsp::by_begin);
    hsps.dedup_by(|later, kept| later.begins_with(kept));
    hsps.sort_by(Hsp::by_end);
    hsps.dedup_by(|later, kept| later.ends_with(kept));
}

/// As [`purge_common_ends`], but the columns that an alignment has beyond a better one with the same beginning or end
/// are kept, as an alignment of their own.
pub(crate) fn cut_common_ends(mut hsps: Vec<Hsp>) -> WholeAndCut {
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
    // Of rests with the same ends and score, the one that was cut last counts.
    cut.reverse();
    WholeAndCut { whole: hsps, cut }
}

/// Alignments of which none begins or ends where another does, see [`cut_common_ends`].
pub(crate) struct WholeAndCut {
    /// Alignments without a better one that has the same beginning or end.
    pub(crate) whole: Vec<Hsp>,
    /// Rests of the others, the last one that was cut first; their scores are no longer right.
    pub(crate) cut: Vec<Hsp>,
}

/// Diagonals of the alignments of two chunks of a subject that may be parts of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseDiagonals {
    /// The same diagonal: alignments have no gaps.
    Same,
    /// Diagonals that differ by less than 10 (`OVERLAP_DIAG_CLOSE` in NCBI's `blast_hits.c`).
    Near,
}

impl CloseDiagonals {
    fn has(self, difference: i32) -> bool {
        difference.abs() < if self == Self::Same { 1 } else { 10 }
    }
}

/// Adds the alignments of the next chunk of a subject, which begins at `start` and shares its first `overlap` bases
/// with the chunk before. Parts of an alignment that crosses the seam, on about the same diagonal, become one
/// (`Blast_HSPListsMerge` in NCBI's `blast_hits.c`).
pub(crate) fn merge(
    all: &mut Vec<Hsp>,
    mut next: Vec<Hsp>,
    (start, overlap): (i32, i32),
    close: CloseDiagonals,
) {
    let crossing = all.iter_mut().filter(|hsp| hsp.subject.1 > start);
    for hsp in crossing {
        next.retain(|other| {
            let mergeable = other.subject.0 < start + overlap
                && other.context == hsp.context
                && close.has(hsp.diagonals().1 - other.diagonals().0);
            !(mergeable && join(hsp, other))
        });
    }
    all.append(&mut next);
    all.sort_by(Hsp::by_score);
}

/// Joins `other` to `hsp` if they meet, and tells whether they do. The score of the joined alignment is an estimate.
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

/// Counts of the columns of an alignment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ColumnCounts {
    /// Number of columns with equal letters.
    pub identities: usize,
    /// Length of the alignment: number of all columns.
    pub length: usize,
    /// Number of gaps, of whatever length.
    pub gap_opens: usize,
    /// Number of columns with a gap.
    pub gaps: usize,
}

impl Hsp {
    /// Counts the columns, given the letters of the ranges of the alignment in context and subject.
    pub fn columns(&self, query: &[u8], subject: &[u8]) -> ColumnCounts {
        let mut columns = ColumnCounts::default();
        let (mut q, mut s) = (0, 0);
        for &(op, length) in self.script.ops() {
            let length = length as usize;
            columns.length += length;
            match op {
                EditOp::Pair => {
                    let pairs = query[q..q + length].iter().zip(&subject[s..s + length]);
                    columns.identities += pairs.filter(|(one, other)| one == other).count();
                    q += length;
                    s += length;
                }
                EditOp::Insertion | EditOp::Deletion => {
                    columns.gap_opens += 1;
                    columns.gaps += length;
                    if op == EditOp::Insertion { q += length } else { s += length }
                }
            }
        }
        columns
    }
}
