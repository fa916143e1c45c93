//! Branches of a search: words of the text that are within the allowed differences so far.
//!
//! [`QuerySearch::extend`] extends a branch by each base, on the side that its run goes to. What becomes of the new
//! branches is up to a [`BranchSink`]: it follows them, or has them verified in the text.

use aligner_core::device_struct;
use fm_index::{FmIndex, Interval, Transforms};

use super::cells::{self, MAX_DIFFERENCES};
use super::plan::{NEVER, PieceRun, SearchPlan};

device_struct! {
    /// A word of the text, with its alignment to the pieces of the query so far.
    #[derive(Default)]
    pub struct Branch {
        /// The word's occurrences, as rows of both transforms.
        pub rows: Interval,
        /// The row of the run's matrix ([`cells`]).
        pub cells: u32,
        /// Bases that the run has added to the word.
        pub text: u16,
        /// Bases added to the left of the word that the search began with.
        pub left: u16,
        /// Number of the run.
        pub run: u8,
        /// Differences in the runs before.
        pub spent: u8,
        /// Padding of the struct, always 0.
        pub padding: u16,
    }
}

/// Takes the branches that extending a branch yields. For one base these are none, up to two to follow, or one to
/// verify.
pub trait BranchSink {
    /// Takes a branch to follow.
    fn open(&mut self, branch: Branch);
    /// Takes a branch to verify in the text at all its occurrences.
    fn verify(&mut self, branch: Branch);
}

/// One search of the scheme for one query.
#[derive(Debug, Clone, Copy)]
pub struct QuerySearch<'a> {
    /// Codes of the query.
    pub codes: &'a [u8],
    /// Number of pieces of the query.
    pub pieces: usize,
    /// The search as runs of pieces.
    pub plan: &'a SearchPlan,
    /// Bases of the word that the search begins with: 0, or the length of the words of the look-up table.
    pub word: usize,
    /// A branch with no more occurrences than this is verified in the text.
    pub rare_limit: u32,
}

/// The part of a query that a run covers, in bases.
struct RunExtent {
    /// Whether the run goes to the right.
    right: bool,
    /// Query position where the run starts. Its first base is at `start` if it goes to the right, else at `start - 1`.
    start: usize,
    length: usize,
}

/// Limits of one row of a run's matrix.
struct RunRow {
    /// Cells that the run allows.
    bounds: u32,
    /// Cells where the run is complete.
    ends: u32,
    /// Whether the run may allow more differences from this row on than its matrix can represent.
    exceeds_matrix: bool,
    /// Whether the query is complete where the run is.
    is_last: bool,
}

/// The first base of a piece if a query of `length` bases is cut into equally long pieces, but for rounding.
pub fn begin(length: usize, pieces: usize, piece: usize) -> usize {
    piece * length / pieces
}

impl<'a> QuerySearch<'a> {
    /// A search of a query. It begins with a word of the index's look-up table if the first piece is long enough, else
    /// with the empty word.
    pub fn new(
        index: &FmIndex,
        codes: &'a [u8],
        pieces: usize,
        plan: &'a SearchPlan,
        rare_limit: u32,
    ) -> Self {
        let first = usize::from(plan.order[0]);
        let piece = begin(codes.len(), pieces, first + 1) - begin(codes.len(), pieces, first);
        let word = if piece < index.table_length() { 0 } else { index.table_length() };
        Self { codes, pieces, plan, word, rare_limit }
    }

    fn begin(&self, boundary: u8) -> usize {
        begin(self.codes.len(), self.pieces, usize::from(boundary))
    }

    fn extent(&self, number: u8) -> RunExtent {
        let run = &self.plan.runs[usize::from(number)];
        let word = if number == 0 { self.word } else { 0 };
        let right = run.right == 1;
        let from = self.begin(run.from);
        let start = if right { from + word } else { from - word };
        RunExtent { right, start, length: start.abs_diff(self.begin(run.to)) }
    }

    /// The least number of bases of a run after which this number of differences, of all runs together, is allowed.
    fn allowed(&self, extent: &RunExtent, run: &PieceRun, differences: usize) -> usize {
        match run.allowed.get(differences) {
            None | Some(&NEVER) => usize::MAX / 2,
            Some(&boundary) if extent.right => self.begin(boundary).saturating_sub(extent.start),
            Some(&boundary) => extent.start.saturating_sub(self.begin(boundary)),
        }
    }

    /// Query position of the word that the search begins with.
    pub fn origin(&self) -> usize {
        let run = &self.plan.runs[0];
        let from = self.begin(run.from);
        if run.right == 1 { from } else { from - self.word }
    }

    /// Begins the search: passes on its first branch, if the query can have any.
    pub fn start(&self, index: &FmIndex, branches: &mut impl BranchSink) {
        let rows = match self.word {
            0 => index.root(),
            word => index.lookup(&self.codes[self.origin()..][..word]),
        };
        if !rows.is_empty() {
            let row = self.row(&self.extent(0), 0, 0, 0);
            let cells = cells::first(row.bounds);
            self.admit(&row, Branch { rows, cells, ..Branch::default() }, branches);
        }
    }

    fn row(&self, extent: &RunExtent, run: u8, text: u16, spent: u8) -> RunRow {
        let (run, row) = (&self.plan.runs[usize::from(run)], usize::from(text));
        let allowed = |more: usize| self.allowed(extent, run, usize::from(spent) + more);
        RunRow {
            bounds: cells::bounds(row, extent.length, [1, 2, 3].map(allowed)),
            ends: cells::complete(row, extent.length),
            exceeds_matrix: row + MAX_DIFFERENCES + 1 >= allowed(MAX_DIFFERENCES + 1),
            is_last: run.last == 1,
        }
    }

    /// Passes a branch on: to be verified, to be followed, or not at all if no cell is left.
    fn admit(&self, row: &RunRow, mut branch: Branch, branches: &mut impl BranchSink) {
        if branch.cells == 0 {
            return;
        }
        let complete = branch.cells & row.ends;
        if branch.rows.size <= self.rare_limit
            || row.exceeds_matrix
            || (complete != 0 && row.is_last)
        {
            branches.verify(branch);
            return;
        }
        if complete != 0 {
            let (run, spent) = (branch.run + 1, branch.spent + cells::differences(complete));
            let extent = self.extent(run);
            let first = self.row(&extent, run, 0, spent);
            // A short run is not worth a matrix, and could be complete before any text is added.
            if extent.length <= MAX_DIFFERENCES || first.exceeds_matrix {
                branches.verify(branch);
                return;
            }
            let cells = cells::first(first.bounds);
            branches.open(Branch { cells, text: 0, run, spent, ..branch });
            branch.cells &= !row.ends;
            if branch.cells == 0 {
                return;
            }
        }
        branches.open(branch);
    }

    /// Extends a branch by each base. The branch with the query's next base is opened first, so that on a stack it lies
    /// below the others, most of which end soon.
    pub fn extend(
        &self,
        transforms: &Transforms<'_>,
        branch: &Branch,
        branches: &mut impl BranchSink,
    ) {
        let extent = self.extent(branch.run);
        let mut equal = [0_u32; 5];
        for i in 0..=2 * MAX_DIFFERENCES {
            let Some(j) = (usize::from(branch.text) + i).checked_sub(MAX_DIFFERENCES) else {
                continue;
            };
            if j < extent.length {
                let s = if extent.right { extent.start + j } else { extent.start - 1 - j };
                equal[usize::from(self.codes[s])] |= 1 << i;
            }
        }
        let words = if extent.right {
            transforms.extend_right(branch.rows)
        } else {
            transforms.extend_left(branch.rows)
        };
        let text = branch.text + 1;
        let row = self.row(&extent, branch.run, text, branch.spent);
        let straight = (0..4).find(|&code| equal[code] >> MAX_DIFFERENCES & 1 == 1).unwrap_or(0);
        for code in [0, 1, 2, 3].map(|i| straight ^ i) {
            if words[code].is_empty() {
                continue;
            }
            let next = Branch {
                rows: words[code],
                cells: cells::next(branch.cells, equal[code], row.bounds),
                text,
                left: branch.left + u16::from(!extent.right),
                ..*branch
            };
            self.admit(&row, next, branches);
        }
    }

    /// Number of 64-byte lines of the index that extending a branch reads: 1 or 2.
    pub fn lines(&self, branch: &Branch) -> u64 {
        let right = self.plan.runs[usize::from(branch.run)].right == 1;
        let Interval { lo, lo_reverse, size } = branch.rows;
        let from = if right { lo_reverse } else { lo };
        1 + u64::from(
            from / fm_index::SYMBOLS_PER_BLOCK != (from + size) / fm_index::SYMBOLS_PER_BLOCK,
        )
    }
}
