//! The walk back from the last cell to the first, by one byte a cell.
//!
//! Its choices are those of [`crate::oracle`].

use crate::cigar::{Cigar, Op};
use crate::scoring::Scoring;

/// Where the best score of a cell comes from, in the two lowest bits of its byte: 0 from the
/// diagonal, or from a gap.
pub(crate) const SOURCE: u8 = 3;
pub(crate) const DELETION: u8 = 1;
pub(crate) const INSERTION: u8 = 2;
/// The deletion that ends in this cell begins with it.
pub(crate) const DELETION_OPENS: u8 = 4;
/// The insertion that ends in this cell begins with it.
pub(crate) const INSERTION_OPENS: u8 = 8;

/// Where an alignment ends, and its score: the greatest in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct End {
    pub score: i32,
    pub row: usize,
    pub column: usize,
}

/// What the walk is within.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Best,
    Deletion,
    Insertion,
}

/// A walk under way.
pub(crate) struct Walk<'a> {
    scoring: &'a Scoring,
    query: &'a [u8],
    target: &'a [u8],
    pub row: usize,
    pub column: usize,
    state: State,
    cigar: Cigar,
}

impl<'a> Walk<'a> {
    /// Begins at the alignment's end.
    pub fn new(scoring: &'a Scoring, query: &'a [u8], target: &'a [u8], end: End) -> Self {
        let mut cigar = Cigar::default();
        cigar.push(Op::Insertion, (query.len() - end.row) as u32);
        cigar.push(Op::Deletion, (target.len() - end.column) as u32);
        let (row, column) = (end.row, end.column);
        Self { scoring, query, target, row, column, state: State::Best, cigar }
    }

    /// Goes on until it leaves the rows below `top` or reaches column 0. `direction` gives the byte
    /// of a cell in them.
    pub fn go(&mut self, top: usize, direction: impl Fn(usize, usize) -> u8) {
        while self.row > top && self.column > 0 {
            let here = direction(self.row, self.column);
            match self.state {
                State::Best => match here & SOURCE {
                    0 => {
                        let (q, t) = (self.query[self.row - 1], self.target[self.column - 1]);
                        let equal = self.scoring.alphabet().identical(q, t);
                        self.cigar.push(if equal { Op::Equal } else { Op::Different }, 1);
                        self.row -= 1;
                        self.column -= 1;
                    }
                    DELETION => self.state = State::Deletion,
                    _ => self.state = State::Insertion,
                },
                State::Deletion => {
                    self.cigar.push(Op::Deletion, 1);
                    self.column -= 1;
                    if here & DELETION_OPENS != 0 {
                        self.state = State::Best;
                    }
                }
                State::Insertion => {
                    self.cigar.push(Op::Insertion, 1);
                    self.row -= 1;
                    if here & INSERTION_OPENS != 0 {
                        self.state = State::Best;
                    }
                }
            }
        }
    }

    /// The columns, once row 0 or column 0 is reached.
    pub fn finish(mut self) -> Cigar {
        self.cigar.push(Op::Insertion, self.row as u32);
        self.cigar.push(Op::Deletion, self.column as u32);
        self.cigar.reverse();
        self.cigar
    }
}
