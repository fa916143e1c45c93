//! Traceback of one alignment from its last cell to its first, by a byte of directions for each cell, with the
//! preferences of [`crate::oracle`].

use crate::alignment::{AlignmentEnd, Cigar, CigarOp};
use crate::scoring::Scoring;

/// Mask of the bits that tell where the best score of a cell comes from: 0 for the diagonal, else [`DELETION`] or
/// [`INSERTION`].
pub(crate) const SOURCE: u8 = 3;
/// The best alignment of the prefixes ends in a deletion.
pub(crate) const DELETION: u8 = 1;
/// The best alignment of the prefixes ends in an insertion.
pub(crate) const INSERTION: u8 = 2;
/// Bit: the deletion that ends in this cell is one residue long.
pub(crate) const DELETION_OPENS: u8 = 4;
/// Bit: the insertion that ends in this cell is one residue long.
pub(crate) const INSERTION_OPENS: u8 = 8;

/// Matrix that the traceback is in: the best scores, or within a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TracebackState {
    Best,
    Deletion,
    Insertion,
}

/// Traceback under way, at a cell of the matrix.
pub(crate) struct Traceback<'a> {
    scoring: &'a Scoring,
    query: &'a [u8],
    target: &'a [u8],
    /// Row of the current cell.
    pub row: usize,
    /// Column of the current cell.
    pub column: usize,
    state: TracebackState,
    /// Columns found so far, from the last to the first.
    cigar: Cigar,
}

impl<'a> Traceback<'a> {
    /// Starts at the alignment's last cell.
    pub fn new(scoring: &'a Scoring, query: &'a [u8], target: &'a [u8], end: AlignmentEnd) -> Self {
        let mut cigar = Cigar::default();
        let (row, column) = (end.row as usize, end.column as usize);
        cigar.push(CigarOp::Insertion, (query.len() - row) as u32);
        cigar.push(CigarOp::Deletion, (target.len() - column) as u32);
        Self { scoring, query, target, row, column, state: TracebackState::Best, cigar }
    }

    /// Follows the directions until row `top` or column 0 is reached. `direction` gives the byte of a cell, by its row
    /// and column, in the rows below `top`.
    pub fn follow(&mut self, top: usize, direction: impl Fn(usize, usize) -> u8) {
        while self.row > top && self.column > 0 {
            let here = direction(self.row, self.column);
            match self.state {
                TracebackState::Best => match here & SOURCE {
                    0 => {
                        let (q, t) = (self.query[self.row - 1], self.target[self.column - 1]);
                        let equal = self.scoring.alphabet().is_identical(q, t);
                        self.cigar.push(if equal { CigarOp::Equal } else { CigarOp::Different }, 1);
                        self.row -= 1;
                        self.column -= 1;
                    }
                    DELETION => self.state = TracebackState::Deletion,
                    _ => self.state = TracebackState::Insertion,
                },
                TracebackState::Deletion => {
                    self.cigar.push(CigarOp::Deletion, 1);
                    self.column -= 1;
                    if here & DELETION_OPENS != 0 {
                        self.state = TracebackState::Best;
                    }
                }
                TracebackState::Insertion => {
                    self.cigar.push(CigarOp::Insertion, 1);
                    self.row -= 1;
                    if here & INSERTION_OPENS != 0 {
                        self.state = TracebackState::Best;
                    }
                }
            }
        }
    }

    /// The alignment's columns, once row 0 or column 0 is reached.
    pub fn finish(mut self) -> Cigar {
        self.cigar.push(CigarOp::Insertion, self.row as u32);
        self.cigar.push(CigarOp::Deletion, self.column as u32);
        self.cigar.reverse();
        self.cigar
    }
}
