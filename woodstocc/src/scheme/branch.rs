//! Branches of a search, and what becomes of them.

use bytemuck::{Pod, Zeroable};
use fm_index::{FmIndex, Interval, Transforms};

use super::cells::{self, SPARE};
use super::plan::{NEVER, Plan, Run};

/// A word of the text, and how the query's pieces so far align with it. The kernels use the same struct.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, Pod, Zeroable)]
pub struct Branch {
    /// The word's occurrences.
    pub rows: Interval,
    /// The row of the run's matrix, see [`cells`].
    pub cells: u32,
    /// Bases of the text that the run has taken.
    pub text: u16,
    /// Bases put to the left of the word that the search began with.
    pub left: u16,
    /// Number of the run.
    pub run: u8,
    /// Differences in the runs before.
    pub spent: u8,
    /// Always 0.
    pub padding: u16,
}

const _: () = assert!(size_of::<Branch>() == 24, "as in branch.cuh");

/// Takes the branches that a branch leads to: of those for one base, up to two open ones, or one that is
/// not to be followed.
pub trait Branches {
    /// Takes a branch that goes on.
    fn open(&mut self, branch: Branch);
    /// Takes a branch that is to be verified in the text at all its occurrences.
    fn verify(&mut self, branch: Branch);
}

/// A query, and a search of its scheme.
#[derive(Debug, Clone, Copy)]
pub struct Path<'a> {
    /// The query.
    pub codes: &'a [u8],
    /// Its pieces.
    pub pieces: usize,
    /// The search.
    pub plan: &'a Plan,
    /// Bases of the word that it begins with.
    pub word: usize,
    /// A branch that occurs no more often is verified.
    pub few: u32,
}

/// A run of a query, in bases.
struct Extent {
    right: bool,
    /// Where it starts: the query's base there is the first to the right, the one before to the left.
    start: usize,
    length: usize,
}

/// A row of a run's matrix.
struct Row {
    /// The cells that it may have.
    bounds: u32,
    /// Those where the run is complete.
    ends: u32,
    /// Whether from here on a cell beyond the matrix may be allowed.
    leaves: bool,
    /// Whether the query is complete where the run is.
    last: bool,
}

/// Where a piece of a query begins if all are equally long, but for rounding.
pub fn begin(length: usize, pieces: usize, piece: usize) -> usize {
    piece * length / pieces
}

impl<'a> Path<'a> {
    /// A search of a query. It begins with a word of the look-up table if the first piece is long enough,
    /// else with the empty word.
    pub fn new(index: &FmIndex, codes: &'a [u8], pieces: usize, plan: &'a Plan, few: u32) -> Self {
        let first = usize::from(plan.order[0]);
        let piece = begin(codes.len(), pieces, first + 1) - begin(codes.len(), pieces, first);
        let word = if piece < index.table_length() { 0 } else { index.table_length() };
        Self { codes, pieces, plan, word, few }
    }

    fn begin(&self, boundary: u8) -> usize {
        begin(self.codes.len(), self.pieces, usize::from(boundary))
    }

    fn extent(&self, number: u8) -> Extent {
        let run = &self.plan.runs[usize::from(number)];
        let word = if number == 0 { self.word } else { 0 };
        let right = run.right == 1;
        let from = self.begin(run.from);
        let start = if right { from + word } else { from - word };
        Extent { right, start, length: start.abs_diff(self.begin(run.to)) }
    }

    /// How many bases of a run must come before so many differences, of all runs together.
    fn allowed(&self, extent: &Extent, run: &Run, differences: usize) -> usize {
        match run.allowed.get(differences) {
            None | Some(&NEVER) => usize::MAX / 2,
            Some(&boundary) if extent.right => self.begin(boundary).saturating_sub(extent.start),
            Some(&boundary) => extent.start.saturating_sub(self.begin(boundary)),
        }
    }

    /// Where the word that the search begins with lies in the query.
    pub fn origin(&self) -> usize {
        let run = &self.plan.runs[0];
        let from = self.begin(run.from);
        if run.right == 1 { from } else { from - self.word }
    }

    /// Begins the search.
    pub fn start(&self, index: &FmIndex, branches: &mut impl Branches) {
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

    fn row(&self, extent: &Extent, run: u8, text: u16, spent: u8) -> Row {
        let (run, row) = (&self.plan.runs[usize::from(run)], usize::from(text));
        let allowed = |more: usize| self.allowed(extent, run, usize::from(spent) + more);
        Row {
            bounds: cells::bounds(row, extent.length, [1, 2, 3].map(allowed)),
            ends: cells::complete(row, extent.length),
            leaves: row + SPARE + 1 >= allowed(SPARE + 1),
            last: run.last == 1,
        }
    }

    /// Puts a branch where it belongs.
    fn admit(&self, row: &Row, mut branch: Branch, branches: &mut impl Branches) {
        if branch.cells == 0 {
            return;
        }
        let complete = branch.cells & row.ends;
        if branch.rows.size <= self.few || row.leaves || (complete != 0 && row.last) {
            branches.verify(branch);
            return;
        }
        if complete != 0 {
            let (run, spent) = (branch.run + 1, branch.spent + cells::differences(complete));
            let extent = self.extent(run);
            let first = self.row(&extent, run, 0, spent);
            // A short run is not worth a matrix, and could end before it takes any text.
            if extent.length <= SPARE || first.leaves {
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

    /// Extends a branch by each base. What has the query's next base is opened first, so that on a stack
    /// it lies below those that soon come to an end.
    pub fn extend(
        &self,
        transforms: &Transforms<'_>,
        branch: &Branch,
        branches: &mut impl Branches,
    ) {
        let extent = self.extent(branch.run);
        let mut equal = [0_u32; 5];
        for i in 0..=2 * SPARE {
            let Some(j) = (usize::from(branch.text) + i).checked_sub(SPARE) else { continue };
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
        let straight = (0..4).find(|&code| equal[code] >> SPARE & 1 == 1).unwrap_or(0);
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

    /// 64-byte lines of the index that extending a branch reads.
    pub fn lines(&self, branch: &Branch) -> u64 {
        let right = self.plan.runs[usize::from(branch.run)].right == 1;
        let Interval { lo, lo_reverse, size } = branch.rows;
        let from = if right { lo_reverse } else { lo };
        1 + u64::from(
            from / fm_index::SYMBOLS_PER_BLOCK != (from + size) / fm_index::SYMBOLS_PER_BLOCK,
        )
    }
}
