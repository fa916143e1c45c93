//! Alignments as CIGAR strings, and what can be said about them.
//!
//! `=` and `X` are columns of two residues, identical or not; `I` a residue of the query beside a
//! gap, `D` one of the target. A CIGAR covers both sequences from end to end, free ends too.

use std::fmt;

pub use aligner_core::cigar::{Op, Run};
use thiserror::Error;

use crate::scoring::Scoring;

/// Runs of columns; neighbouring runs differ, and none is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cigar(Vec<Run>);

/// The runs of an alignment, wherever they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Runs<'a>(pub &'a [Run]);

/// An alignment of a pair of sequences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// Its score.
    pub score: i32,
    /// Its columns, from the first residues on.
    pub cigar: Cigar,
}

/// Counts of an alignment's columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Columns {
    /// All.
    pub length: u32,
    /// Identical residues.
    pub identical: u32,
    /// Residues whose score is above 0, as EMBOSS counts similar ones.
    pub similar: u32,
    /// Gap positions.
    pub gaps: u32,
}

/// A CIGAR that is none of the sequences it is given with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the CIGAR does not describe an alignment of these sequences")]
pub struct Mismatched;

/// More runs than any alignment of a query of `rows` residues and a target of `columns` has: gaps
/// of a kind have residues of the shorter sequence between them, but at free ends.
pub fn max_runs(rows: u32, columns: u32) -> u32 {
    (rows + columns).min(2 * rows.min(columns) + 3)
}

impl Cigar {
    /// Adds columns behind the others.
    pub fn push(&mut self, op: Op, count: u32) {
        match self.0.last_mut() {
            _ if count == 0 => {}
            Some(last) if last.op() == op => *last = Run::new(op, last.count() + count),
            _ => self.0.push(Run::new(op, count)),
        }
    }

    /// The runs.
    pub fn runs(&self) -> Runs<'_> {
        Runs(&self.0)
    }

    /// The same columns from the last to the first.
    pub(crate) fn reverse(&mut self) {
        self.0.reverse();
    }

    /// [`Runs::rescore`].
    ///
    /// # Errors
    /// If it is of other sequences.
    pub fn rescore(
        &self,
        scoring: &Scoring,
        query: &[u8],
        target: &[u8],
    ) -> Result<i32, Mismatched> {
        self.runs().rescore(scoring, query, target)
    }
}

impl<'a> Runs<'a> {
    /// Each run.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = (Op, u32)> + ExactSizeIterator + 'a {
        self.0.iter().map(|run| (run.op(), run.count()))
    }

    /// All columns, and those of identical residues.
    pub fn length_and_identical(self) -> (u32, u32) {
        self.iter().fold((0, 0), |(length, identical), (op, count)| {
            (length + count, identical + if op == Op::Equal { count } else { 0 })
        })
    }

    /// How many residues of query and target the columns have.
    pub fn residues(self) -> (u64, u64) {
        self.iter().fold((0, 0), |(query, target), (op, count)| {
            let count = u64::from(count);
            match op {
                Op::Equal | Op::Different => (query + count, target + count),
                Op::Insertion => (query + count, target),
                Op::Deletion => (query, target + count),
            }
        })
    }

    /// Counts of the columns of an alignment of `query` and `target`, both as codes.
    ///
    /// # Errors
    /// If it is of other sequences.
    pub fn columns(
        self,
        scoring: &Scoring,
        query: &[u8],
        target: &[u8],
    ) -> Result<Columns, Mismatched> {
        let mut columns = Columns::default();
        self.walk(query, target, |op, q, t| {
            columns.length += op.1;
            match op.0 {
                Op::Insertion | Op::Deletion => columns.gaps += op.1,
                Op::Equal => columns.identical += op.1,
                Op::Different => {}
            }
            let similar = q.iter().zip(t).filter(|&(&q, &t)| scoring.pair(q, t) > 0).count();
            columns.similar += similar as u32;
            let alike =
                |op| q.iter().zip(t).all(|(&q, &t)| scoring.alphabet().identical(q, t) == op);
            match op.0 {
                Op::Equal => alike(true),
                Op::Different => alike(false),
                Op::Insertion | Op::Deletion => true,
            }
        })?;
        Ok(columns)
    }

    /// The score of the alignment, from its columns alone.
    ///
    /// # Errors
    /// If it is of other sequences.
    pub fn rescore(
        self,
        scoring: &Scoring,
        query: &[u8],
        target: &[u8],
    ) -> Result<i32, Mismatched> {
        self.columns(scoring, query, target)?;
        let free = scoring.free();
        let (first, last) = (self.free_run(free.query_begin, free.target_begin, true), {
            self.free_run(free.query_end, free.target_end, false)
        });
        let mut score = 0;
        let mut place = 0;
        let runs = self.0.len();
        self.walk(query, target, |(op, count), q, t| {
            score += match op {
                Op::Equal | Op::Different => {
                    q.iter().zip(t).map(|(&q, &t)| scoring.pair(q, t)).sum()
                }
                _ if (place == 0 && first) || (place + 1 == runs && last) => 0,
                Op::Insertion | Op::Deletion => -scoring.gaps().cost(count),
            };
            place += 1;
            true
        })?;
        Ok(score)
    }

    /// Whether the first or last run is a gap at a free end.
    pub fn free_run(self, query: bool, target: bool, first: bool) -> bool {
        let run = if first { self.0.first() } else { self.0.last() };
        match run.map(|run| run.op()) {
            Some(Op::Insertion) => query,
            Some(Op::Deletion) => target,
            _ => false,
        }
    }

    /// Gives each run with its residues of both sequences to `visit`, until that says `false`.
    fn walk<'s>(
        self,
        mut query: &'s [u8],
        mut target: &'s [u8],
        mut visit: impl FnMut((Op, u32), &'s [u8], &'s [u8]) -> bool,
    ) -> Result<(), Mismatched> {
        for (op, count) in self.iter() {
            let count_of = |takes: bool| if takes { count as usize } else { 0 };
            let q = query.split_at_checked(count_of(op != Op::Deletion)).ok_or(Mismatched)?;
            let t = target.split_at_checked(count_of(op != Op::Insertion)).ok_or(Mismatched)?;
            (query, target) = (q.1, t.1);
            if !visit((op, count), q.0, t.0) {
                return Err(Mismatched);
            }
        }
        if query.is_empty() && target.is_empty() { Ok(()) } else { Err(Mismatched) }
    }
}

impl fmt::Display for Runs<'_> {
    /// As in SAM; `*` if there is no column.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("*");
        }
        self.iter().try_for_each(|(op, count)| write!(f, "{count}{}", op.letter()))
    }
}

impl fmt::Display for Cigar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.runs().fmt(f)
    }
}

impl Columns {
    /// Identical columns among all columns, gaps and free ends included, as EMBOSS needle counts
    /// them; 1 for two empty sequences.
    pub fn identity(self) -> f64 {
        if self.length == 0 { 1.0 } else { f64::from(self.identical) / f64::from(self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{FreeEnds, Gaps};

    fn scoring() -> Scoring {
        Scoring::simple(5, -4, Gaps { open: 10, extend: 1 }).expect("a scoring")
    }

    fn cigar(runs: &[(Op, u32)]) -> Cigar {
        let mut cigar = Cigar::default();
        for &(op, count) in runs {
            cigar.push(op, count);
        }
        cigar
    }

    #[test]
    fn columns_and_scores_come_from_the_runs() {
        let (query, target) = ([0, 1, 2, 3, 3], [0, 2, 2]);
        let cigar =
            cigar(&[(Op::Equal, 1), (Op::Different, 1), (Op::Equal, 1), (Op::Insertion, 2)]);
        assert_eq!(cigar.to_string(), "1=1X1=2I");
        let columns = cigar.runs().columns(&scoring(), &query, &target).expect("it fits");
        assert_eq!(columns, Columns { length: 5, identical: 2, similar: 2, gaps: 2 });
        assert!((columns.identity() - 0.4).abs() < 1e-9);
        assert_eq!(cigar.rescore(&scoring(), &query, &target), Ok(5 - 4 + 5 - 11));
        let free = FreeEnds { query_end: true, ..FreeEnds::default() };
        assert_eq!(cigar.rescore(&scoring().with_free_ends(free), &query, &target), Ok(6));
        let free = FreeEnds { target_end: true, query_begin: true, ..FreeEnds::default() };
        assert_eq!(cigar.rescore(&scoring().with_free_ends(free), &query, &target), Ok(-5));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let pairs = [(&[0_u8][..], &[0_u8][..]), (&[0, 1], &[0, 1]), (&[], &[0, 1])];
        let all = cigar(&[(Op::Equal, 2)]);
        let fits: Vec<bool> =
            pairs.iter().map(|(q, t)| all.rescore(&scoring(), q, t).is_ok()).collect();
        assert_eq!(fits, [false, true, false]);
        assert_eq!(all.rescore(&scoring(), &[0, 1], &[0, 2]), Err(Mismatched));
        assert_eq!(cigar(&[(Op::Different, 1)]).rescore(&scoring(), &[0], &[0]), Err(Mismatched));
        assert_eq!(Cigar::default().rescore(&scoring(), &[], &[]), Ok(0));
    }
}
