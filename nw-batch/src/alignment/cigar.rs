//! CIGARs of global alignments: score, identity and lengths from the columns alone.
//!
//! A column is `=` or `X` (two residues, identical or not), `I` (a residue of the query beside a gap) or `D` (a residue
//! of the target beside a gap). A CIGAR covers both sequences from end to end, free ends included.

use std::fmt;

use aligner_core::cigar::push_run;
pub use aligner_core::cigar::{CigarOp, CigarRun};
use thiserror::Error;

use crate::scoring::{FreeEnds, Scoring};

/// Columns of an alignment, run by run. Neighbouring runs differ in kind, and none is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cigar(Vec<CigarRun>);

/// Borrowed columns of an alignment, run by run, wherever they are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CigarRef<'a>(pub &'a [CigarRun]);

/// Alignment of a pair of sequences.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Alignment {
    /// Score of the alignment.
    pub score: i32,
    /// Columns, from the first residues on.
    pub cigar: Cigar,
}

/// Numbers of columns of an alignment, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ColumnCounts {
    /// Number of all columns.
    pub length: u32,
    /// Number of columns with identical residues.
    pub identical: u32,
    /// Number of columns with residues whose score is above 0, which EMBOSS calls similar.
    pub similar: u32,
    /// Number of columns with a gap.
    pub gaps: u32,
}

/// Error: a CIGAR does not belong to the sequences that it is given with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the CIGAR does not describe an alignment of these sequences")]
pub struct CigarMismatch;

/// Upper bound on the runs of an alignment of a query of `rows` and a target of `columns` residues: except at free
/// ends, gaps of one kind have residues of the shorter sequence between them.
pub fn max_runs(rows: u32, columns: u32) -> u32 {
    (rows + columns).min(2 * rows.min(columns) + 3)
}

impl Cigar {
    /// Appends `length` columns of one kind.
    pub fn push(&mut self, op: CigarOp, length: u32) {
        push_run(&mut self.0, op, length);
    }

    /// Borrows the columns as a [`CigarRef`].
    pub fn view(&self) -> CigarRef<'_> {
        CigarRef(&self.0)
    }

    /// Reverses the order of the columns.
    pub(crate) fn reverse(&mut self) {
        self.0.reverse();
    }

    /// Score of the alignment, from its columns alone: [`CigarRef::rescore`].
    ///
    /// # Errors
    /// If the CIGAR belongs to other sequences.
    pub fn rescore(
        &self,
        scoring: &Scoring,
        query: &[u8],
        target: &[u8],
    ) -> Result<i32, CigarMismatch> {
        self.view().rescore(scoring, query, target)
    }
}

impl<'a> CigarRef<'a> {
    /// Iterates over the runs.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = CigarRun> + ExactSizeIterator + 'a {
        self.0.iter().copied()
    }

    /// Number of all columns, and number of columns with identical residues.
    pub fn length_and_identical(self) -> (u32, u32) {
        self.iter().fold((0, 0), |(length, identical), run| {
            let is_equal = run.op() == CigarOp::Equal;
            (length + run.length(), identical + if is_equal { run.length() } else { 0 })
        })
    }

    /// Number of residues of the query, and of the target, that the columns have.
    pub fn residues(self) -> (u64, u64) {
        self.iter().fold((0, 0), |(query, target), run| {
            let length = u64::from(run.length());
            match run.op() {
                CigarOp::Equal | CigarOp::Different => (query + length, target + length),
                CigarOp::Insertion => (query + length, target),
                CigarOp::Deletion => (query, target + length),
            }
        })
    }

    /// Counts the columns of an alignment of `query` and `target`, both as codes.
    ///
    /// # Errors
    /// If the CIGAR belongs to other sequences.
    pub fn column_counts(
        self,
        scoring: &Scoring,
        query: &[u8],
        target: &[u8],
    ) -> Result<ColumnCounts, CigarMismatch> {
        let mut counts = ColumnCounts::default();
        self.try_for_each_run(query, target, |run, q, t| {
            counts.length += run.length();
            match run.op() {
                CigarOp::Insertion | CigarOp::Deletion => counts.gaps += run.length(),
                CigarOp::Equal => counts.identical += run.length(),
                CigarOp::Different => {}
            }
            let similar = q.iter().zip(t).filter(|&(&q, &t)| scoring.pair_score(q, t) > 0).count();
            counts.similar += similar as u32;
            let all_are = |identical| {
                q.iter().zip(t).all(|(&q, &t)| scoring.alphabet().is_identical(q, t) == identical)
            };
            match run.op() {
                CigarOp::Equal => all_are(true),
                CigarOp::Different => all_are(false),
                CigarOp::Insertion | CigarOp::Deletion => true,
            }
        })?;
        Ok(counts)
    }

    /// Score of the alignment of `query` and `target`, both as codes, from its columns alone.
    ///
    /// # Errors
    /// If the CIGAR belongs to other sequences.
    pub fn rescore(
        self,
        scoring: &Scoring,
        query: &[u8],
        target: &[u8],
    ) -> Result<i32, CigarMismatch> {
        self.column_counts(scoring, query, target)?;
        let free = scoring.free_ends();
        let first_is_free = self.begins_with_free_gap(free);
        let last_is_free = self.ends_with_free_gap(free);
        let mut score = 0;
        let mut index = 0;
        let runs = self.0.len();
        self.try_for_each_run(query, target, |run, q, t| {
            score += match run.op() {
                CigarOp::Equal | CigarOp::Different => {
                    q.iter().zip(t).map(|(&q, &t)| scoring.pair_score(q, t)).sum()
                }
                _ if (index == 0 && first_is_free) || (index + 1 == runs && last_is_free) => 0,
                CigarOp::Insertion | CigarOp::Deletion => -scoring.gaps().cost(run.length()),
            };
            index += 1;
            true
        })?;
        Ok(score)
    }

    /// Whether the first run is a gap that costs nothing.
    pub fn begins_with_free_gap(self, free: FreeEnds) -> bool {
        is_free_gap(self.0.first(), free.query_begin, free.target_begin)
    }

    /// Whether the last run is a gap that costs nothing.
    pub fn ends_with_free_gap(self, free: FreeEnds) -> bool {
        is_free_gap(self.0.last(), free.query_end, free.target_end)
    }

    /// Passes each run, with its residues of both sequences, to `visit`, until that returns `false`.
    fn try_for_each_run<'s>(
        self,
        mut query: &'s [u8],
        mut target: &'s [u8],
        mut visit: impl FnMut(CigarRun, &'s [u8], &'s [u8]) -> bool,
    ) -> Result<(), CigarMismatch> {
        for run in self.iter() {
            let residues = |consumes: bool| if consumes { run.length() as usize } else { 0 };
            let q = query.split_at_checked(residues(run.op() != CigarOp::Deletion));
            let t = target.split_at_checked(residues(run.op() != CigarOp::Insertion));
            let (q, t) = (q.ok_or(CigarMismatch)?, t.ok_or(CigarMismatch)?);
            (query, target) = (q.1, t.1);
            if !visit(run, q.0, t.0) {
                return Err(CigarMismatch);
            }
        }
        if query.is_empty() && target.is_empty() { Ok(()) } else { Err(CigarMismatch) }
    }
}

/// Whether a run at an end is an insertion where the query's end is free, or a deletion where the target's is.
fn is_free_gap(run: Option<&CigarRun>, query_is_free: bool, target_is_free: bool) -> bool {
    match run.map(|run| run.op()) {
        Some(CigarOp::Insertion) => query_is_free,
        Some(CigarOp::Deletion) => target_is_free,
        _ => false,
    }
}

impl fmt::Display for CigarRef<'_> {
    /// Writes a CIGAR string as in SAM; `*` if there is no column.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("*");
        }
        self.iter().try_for_each(|run| write!(f, "{run}"))
    }
}

impl fmt::Display for Cigar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(f)
    }
}

impl ColumnCounts {
    /// Share of identical columns among all columns, gaps and free ends included, as EMBOSS needle counts; 1 for two
    /// empty sequences.
    pub fn identity(self) -> f64 {
        if self.length == 0 { 1.0 } else { f64::from(self.identical) / f64::from(self.length) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::GapCosts;

    fn scoring() -> Scoring {
        Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 1 }).expect("a scoring")
    }

    fn cigar(runs: &[(CigarOp, u32)]) -> Cigar {
        let mut cigar = Cigar::default();
        for &(op, count) in runs {
            cigar.push(op, count);
        }
        cigar
    }

    #[test]
    fn columns_and_scores_come_from_the_runs() {
        let (query, target) = ([0, 1, 2, 3, 3], [0, 2, 2]);
        let cigar = cigar(&[
            (CigarOp::Equal, 1),
            (CigarOp::Different, 1),
            (CigarOp::Equal, 1),
            (CigarOp::Insertion, 2),
        ]);
        assert_eq!(cigar.to_string(), "1=1X1=2I");
        let columns = cigar.view().column_counts(&scoring(), &query, &target).expect("it fits");
        assert_eq!(columns, ColumnCounts { length: 5, identical: 2, similar: 2, gaps: 2 });
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
        let all = cigar(&[(CigarOp::Equal, 2)]);
        let fits: Vec<bool> =
            pairs.iter().map(|(q, t)| all.rescore(&scoring(), q, t).is_ok()).collect();
        assert_eq!(fits, [false, true, false]);
        assert_eq!(all.rescore(&scoring(), &[0, 1], &[0, 2]), Err(CigarMismatch));
        assert_eq!(
            cigar(&[(CigarOp::Different, 1)]).rescore(&scoring(), &[0], &[0]),
            Err(CigarMismatch)
        );
        assert_eq!(Cigar::default().rescore(&scoring(), &[], &[]), Ok(0));
    }
}
