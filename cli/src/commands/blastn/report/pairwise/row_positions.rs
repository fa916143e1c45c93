//! The positions at both ends of each line of a row, as NCBI's program finds them (`CAlnVec::GetWholeAlnSeqString`).

/// A part of a row without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// Column of its first letter.
    pub column: usize,
    /// Position of its first letter in the sequence, from 0.
    pub position: usize,
    pub length: usize,
}

impl Piece {
    /// Whether the letter at a position of the sequence, in this column, follows the piece.
    pub fn is_followed_by(&self, column: usize, position: usize, is_minus: bool) -> bool {
        let behind = step(self.position as i64, self.length as i64, is_minus);
        column == self.column + self.length && position as i64 == behind
    }

    /// The position of its last letter.
    pub fn last(&self, is_minus: bool) -> usize {
        if is_minus { self.position + 1 - self.length } else { self.position + self.length - 1 }
    }
}

/// The positions at the ends of a line, from 1. Where a line has no letter, they are those of letters beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Positions {
    pub first: i64,
    pub last: i64,
}

/// The position so many letters behind another one.
fn step(position: i64, letters: i64, is_minus: bool) -> i64 {
    if is_minus { position - letters } else { position + letters }
}

/// The positions of all lines of a row with so many columns, `width` in a line. The pieces ascend by column, and their positions
/// descend if the row is of the minus strand.
pub fn line_positions(
    pieces: &[Piece],
    is_minus: bool,
    columns: usize,
    width: usize,
) -> Vec<Positions> {
    const NONE: i64 = -1;
    let mut lines = Vec::with_capacity(columns.div_ceil(width));
    // Positions of the line that is not complete, and the first column of this line.
    let (mut first, mut last, mut line) = (NONE, NONE, 0);
    for piece in pieces {
        let begin = piece.position as i64;
        let end = piece.column + piece.length;
        if first < 0 {
            first = begin;
            if last < 0 {
                last = begin;
            }
        }
        while line + width <= piece.column {
            lines.push((first, last));
            first = begin;
            line += width;
        }
        let mut column = piece.column;
        while line + width <= end {
            let letters = (line + width - column) as i64;
            let is_before = if is_minus { first > begin } else { first < begin };
            let behind = step(if is_before { begin } else { first }, letters, is_minus);
            last = step(behind, -1, is_minus);
            lines.push((first, last));
            first = behind;
            line += width;
            column = line;
        }
        if end <= line {
            first = NONE;
        }
        last = piece.last(is_minus) as i64;
    }
    while line < columns {
        lines.push((first, last));
        first = last;
        line += width;
    }
    lines.into_iter().map(|(first, last)| Positions { first: first + 1, last: last + 1 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_the_positions_of_their_letters() {
        // ACG--TAC GT------ as lines of four columns, from position 10 on, then reversed.
        let piece = |column, position, length| Piece { column, position, length };
        let plus = [piece(0, 10, 3), piece(5, 13, 5)];
        let minus = [piece(0, 17, 3), piece(5, 14, 5)];
        let shown = |pieces: &[Piece], is_minus| -> Vec<(i64, i64)> {
            let lines = line_positions(pieces, is_minus, 16, 4);
            lines.iter().map(|line| (line.first, line.last)).collect()
        };
        assert_eq!(shown(&plus, false), [(11, 13), (14, 16), (17, 18), (18, 18)]);
        assert_eq!(shown(&minus, true), [(18, 16), (15, 13), (12, 11), (11, 11)]);
        assert!(plus[0].is_followed_by(3, 13, false) && !plus[0].is_followed_by(5, 13, false));
    }
}
