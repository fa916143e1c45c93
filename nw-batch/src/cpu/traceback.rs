//! Traceback of one alignment from its last cell to its first, by the flags of its cells, with the preferences of
//! [`crate::oracle`].

use super::pair_columns::push_backwards;
use crate::alignment::{Alignment, AlignmentEnd, Cigar, CigarOp};
use crate::scoring::Scoring;

/// Flag of a cell: the best alignment of the prefixes ends in a pair of residues.
pub(crate) const IS_PAIR: usize = 0;
/// Flag of a cell: if not in a pair, the best alignment of the prefixes ends in a deletion, else in an insertion.
pub(crate) const IS_DELETION: usize = 1;
/// Flag of a cell: a deletion of the next column is the first residue of its gap. Not used with linear gaps, whose residues
/// are gaps of their own.
pub(crate) const DELETION_OPENS: usize = 2;
/// Flag of a cell: an insertion of the next row is the first residue of its gap. Not used with linear gaps.
pub(crate) const INSERTION_OPENS: usize = 3;

/// Number of flags of a cell.
pub(crate) const fn flags_of_cell(is_affine: bool) -> usize {
    if is_affine { 4 } else { 2 }
}

/// State of a traceback: which alignment up to the current cell it follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TracebackState {
    /// It is the best alignment that ends in a pair.
    EndsInPair,
    /// It is the best alignment.
    Best,
    /// A deletion of the next column was found, whose gap may begin before it.
    BeforeDeletion,
    /// An insertion of the next row was found, whose gap may begin before it.
    BeforeInsertion,
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
    score: i32,
    /// Columns found so far, from the last to the first, without `pairs`.
    cigar: Cigar,
    /// Pairs of residues that follow the current cell, and are not yet in the CIGAR.
    pairs: usize,
}

impl<'a> Traceback<'a> {
    /// Starts at the alignment's last cell.
    pub fn new(scoring: &'a Scoring, query: &'a [u8], target: &'a [u8], end: AlignmentEnd) -> Self {
        let mut cigar = Cigar::default();
        let (row, column) = (end.row as usize, end.column as usize);
        cigar.push(CigarOp::Insertion, (query.len() - row) as u32);
        cigar.push(CigarOp::Deletion, (target.len() - column) as u32);
        let state = if scoring.ends_behind_pairs() {
            TracebackState::EndsInPair
        } else {
            TracebackState::Best
        };
        let score = end.score;
        Self { scoring, query, target, row, column, state, score, cigar, pairs: 0 }
    }

    /// Goes on until row `top` or column 0 is reached. `flags` gives the flags of a cell in the rows below `top`, by its row and
    /// column: a function that tells whether the cell has a flag.
    pub fn follow<F: Fn(usize) -> bool>(&mut self, top: usize, flags: impl Fn(usize, usize) -> F) {
        let is_linear = self.scoring.gaps().is_linear();
        while self.row > top && self.column > 0 {
            let has = flags(self.row, self.column);
            let opens = match self.state {
                TracebackState::EndsInPair | TracebackState::Best => true,
                TracebackState::BeforeDeletion => has(DELETION_OPENS),
                TracebackState::BeforeInsertion => has(INSERTION_OPENS),
            };
            if opens && (self.state == TracebackState::EndsInPair || has(IS_PAIR)) {
                self.follow_pairs(top, &flags);
                continue;
            }
            let is_deletion = match self.state {
                TracebackState::BeforeDeletion if !opens => true,
                TracebackState::BeforeInsertion if !opens => false,
                _ => has(IS_DELETION),
            };
            self.push_pairs();
            let (op, state) = if is_deletion {
                self.column -= 1;
                (CigarOp::Deletion, TracebackState::BeforeDeletion)
            } else {
                self.row -= 1;
                (CigarOp::Insertion, TracebackState::BeforeInsertion)
            };
            self.cigar.push(op, 1);
            self.state = if is_linear { TracebackState::Best } else { state };
        }
    }

    /// Goes on through the current cell, which is a pair of residues, and all pairs before it (see [`Self::follow`]).
    #[inline]
    fn follow_pairs<F: Fn(usize) -> bool>(
        &mut self,
        top: usize,
        flags: &impl Fn(usize, usize) -> F,
    ) {
        let most = (self.row - top).min(self.column);
        let is_pair = |&count: &usize| flags(self.row - count, self.column - count)(IS_PAIR);
        let more = (1..most).take_while(is_pair).count();
        self.row -= more + 1;
        self.column -= more + 1;
        self.pairs += more + 1;
        self.state = TracebackState::Best;
    }

    /// Appends the pairs to the CIGAR.
    fn push_pairs(&mut self) {
        let query = &self.query[..self.row + self.pairs];
        let target = &self.target[..self.column + self.pairs];
        let unknown = self.scoring.alphabet().unknown();
        push_backwards(&mut self.cigar, (query, target), self.pairs, unknown);
        self.pairs = 0;
    }

    /// The alignment, once row 0 or column 0 is reached.
    pub fn finish(mut self) -> Alignment {
        self.push_pairs();
        self.cigar.push(CigarOp::Insertion, self.row as u32);
        self.cigar.push(CigarOp::Deletion, self.column as u32);
        self.cigar.reverse();
        Alignment { score: self.score, cigar: self.cigar }
    }
}
