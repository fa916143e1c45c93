//! Definition of the alignment of a pair, in plain code: three full matrices (Gotoh, J. Mol. Biol. 162, 1982), and the
//! traceback through them. Tests compare the engines with it; it shares no code with them.
//!
//! Of several equally good alignments the traceback's preferences choose one, and every engine has the same
//! preferences:
//!
//! 1. The alignment ends at the best cell among those where it may end (the corner alone if no end is free); of equally
//!    good cells at the one with the greatest row, then the greatest column. If free ends stand behind pairs
//!    ([`Scoring::ends_behind_pairs`]), the cells have the scores of alignments that end in a pair.
//! 2. From the last residues to the first, a pair of residues is preferred to a deletion, and a deletion to an
//!    insertion.
//! 3. Within a gap, to open it here is preferred to extending it.

use crate::alignment::{Alignment, Cigar, CigarOp};
use crate::scoring::Scoring;

/// Stands for "no alignment": less than any score, and far from overflow.
const NEVER: i64 = i64::MIN / 2;

/// Gotoh's three matrices, each of `(query length + 1) * width` values, row after row.
struct GotohMatrices {
    /// Values of a row: the target's length + 1.
    width: usize,
    /// Best score of the prefixes that end in each cell.
    best: Vec<i64>,
    /// Best score of the alignments of these prefixes that end in a deletion.
    deletion: Vec<i64>,
    /// Best score of the alignments of these prefixes that end in an insertion.
    insertion: Vec<i64>,
}

/// Score of the best alignment of two sequences of codes.
pub fn score(scoring: &Scoring, query: &[u8], target: &[u8]) -> i32 {
    let matrices = fill(scoring, query, target);
    end_cell(scoring, &matrices, query, target).score as i32
}

/// Best alignment of two sequences of codes.
pub fn align(scoring: &Scoring, query: &[u8], target: &[u8]) -> Alignment {
    let matrices = fill(scoring, query, target);
    let (m, n) = (query.len(), target.len());
    let EndCell { score, mut row, mut column } = end_cell(scoring, &matrices, query, target);
    let mut cigar = Cigar::default();
    cigar.push(CigarOp::Insertion, (m - row) as u32);
    cigar.push(CigarOp::Deletion, (n - column) as u32);
    let (open, extend) = (i64::from(scoring.gaps().open), i64::from(scoring.gaps().extend));
    let mut is_pair = scoring.ends_behind_pairs();
    while row > 0 && column > 0 {
        let at = |row: usize, column: usize| row * matrices.width + column;
        let here = matrices.best[at(row, column)];
        let (q, t) = (query[row - 1], target[column - 1]);
        let through = matrices.best[at(row - 1, column - 1)] + i64::from(scoring.pair_score(q, t));
        if std::mem::take(&mut is_pair) || here == through {
            let equal = scoring.alphabet().is_identical(q, t);
            cigar.push(if equal { CigarOp::Equal } else { CigarOp::Different }, 1);
            (row, column) = (row - 1, column - 1);
        } else if here == matrices.deletion[at(row, column)] {
            loop {
                let here = matrices.deletion[at(row, column)];
                cigar.push(CigarOp::Deletion, 1);
                column -= 1;
                if here == matrices.best[at(row, column)] - open {
                    break;
                }
                assert_eq!(here, matrices.deletion[at(row, column)] - extend);
            }
        } else {
            assert_eq!(here, matrices.insertion[at(row, column)]);
            loop {
                let here = matrices.insertion[at(row, column)];
                cigar.push(CigarOp::Insertion, 1);
                row -= 1;
                if here == matrices.best[at(row, column)] - open {
                    break;
                }
                assert_eq!(here, matrices.insertion[at(row, column)] - extend);
            }
        }
    }
    cigar.push(CigarOp::Insertion, row as u32);
    cigar.push(CigarOp::Deletion, column as u32);
    cigar.reverse();
    Alignment { score: score as i32, cigar }
}

/// Fills the three matrices.
fn fill(scoring: &Scoring, query: &[u8], target: &[u8]) -> GotohMatrices {
    let width = target.len() + 1;
    let cells = (query.len() + 1) * width;
    let mut best = vec![NEVER; cells];
    let mut deletion = vec![NEVER; cells];
    let mut insertion = vec![NEVER; cells];
    let gaps = scoring.gaps();
    let (open, extend) = (i64::from(gaps.open), i64::from(gaps.extend));
    let border = |free: bool, length: usize| {
        if free { 0 } else { -i64::from(gaps.cost(length as u32)) }
    };
    for (column, cell) in best[..width].iter_mut().enumerate() {
        *cell = border(scoring.free_ends().target_begin, column);
    }
    for row in 1..=query.len() {
        best[row * width] = border(scoring.free_ends().query_begin, row);
        for column in 1..width {
            let here = row * width + column;
            let (left, above) = (here - 1, here - width);
            deletion[here] = (deletion[left] - extend).max(best[left] - open);
            insertion[here] = (insertion[above] - extend).max(best[above] - open);
            let pair = scoring.pair_score(query[row - 1], target[column - 1]);
            let diagonal = best[above - 1] + i64::from(pair);
            best[here] = diagonal.max(deletion[here]).max(insertion[here]);
        }
    }
    GotohMatrices { width, best, deletion, insertion }
}

/// The cell where an alignment ends. Of several, the greatest is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EndCell {
    score: i64,
    row: usize,
    column: usize,
}

/// The cell where the alignment ends.
fn end_cell(scoring: &Scoring, matrices: &GotohMatrices, query: &[u8], target: &[u8]) -> EndCell {
    let (m, n) = (query.len(), target.len());
    let free = scoring.free_ends();
    let rows = (0..m).filter(|_| free.query_end).map(|row| (row, n));
    let columns = (0..n).filter(|_| free.target_end).map(|column| (m, column));
    let end = |(row, column): (usize, usize)| {
        let mut score = matrices.best[row * matrices.width + column];
        if scoring.ends_behind_pairs() && row > 0 && column > 0 {
            let pair = scoring.pair_score(query[row - 1], target[column - 1]);
            score = matrices.best[(row - 1) * matrices.width + column - 1] + i64::from(pair);
        }
        EndCell { score, row, column }
    };
    rows.chain(columns).map(end).fold(end((m, n)), EndCell::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::{FreeEnds, GapCosts};

    fn align_letters(scoring: &Scoring, query: &[u8], target: &[u8]) -> (i32, String) {
        let encode = |letters| scoring.alphabet().encode(letters).expect("letters");
        let (query, target) = (encode(query), encode(target));
        let alignment = align(scoring, &query, &target);
        assert_eq!(alignment.score, score(scoring, &query, &target));
        assert_eq!(alignment.cigar.rescore(scoring, &query, &target), Ok(alignment.score));
        (alignment.score, alignment.cigar.to_string())
    }

    #[test]
    fn alignments_that_can_be_checked_by_hand() {
        let linear = Scoring::with_match_mismatch(1, -1, GapCosts { open: 1, extend: 1 })
            .expect("a scoring");
        for (query, target, expected) in [
            ("", "", (0, "*")),
            ("ACG", "", (-3, "3I")),
            ("", "AC", (-2, "2D")),
            ("ACGT", "ACGT", (4, "4=")),
            ("ACGT", "AGT", (2, "1=1I2=")),
            ("AAA", "AA", (1, "1I2=")),
            ("NN", "NN", (-2, "2X")),
        ] {
            let found = align_letters(&linear, query.as_bytes(), target.as_bytes());
            assert_eq!((found.0, found.1.as_str()), expected, "{query} {target}");
        }
        let affine = Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 1 })
            .expect("a scoring");
        let found = align_letters(&affine, b"ACGTTTTACGA", b"ACGACGA");
        assert_eq!(found, (35 - 13, "3=4I4=".to_owned()));
    }

    #[test]
    fn free_ends_cost_nothing() {
        let scoring = Scoring::with_match_mismatch(5, -4, GapCosts { open: 10, extend: 1 })
            .expect("a scoring");
        let inside = FreeEnds { target_begin: true, target_end: true, ..FreeEnds::default() };
        let found = align_letters(&scoring.clone().with_free_ends(inside), b"ACG", b"TTTACGTT");
        assert_eq!(found, (15, "3D3=2D".to_owned()));
        let overlap = FreeEnds { query_begin: true, target_end: true, ..FreeEnds::default() };
        let found = align_letters(&scoring.clone().with_free_ends(overlap), b"TTTACG", b"ACGCC");
        assert_eq!(found, (15, "3I3=2D".to_owned()));
        let all =
            FreeEnds { query_begin: true, query_end: true, target_begin: true, target_end: true };
        let scoring = scoring.with_free_ends(all);
        let (query, target) = (b"ACGTACGTAAAA", b"ACGTACGTCCCC");
        assert_eq!(align_letters(&scoring, query, target), (27, "8=4I4D".to_owned()));
        let scoring = scoring.with_ends_behind_pairs();
        assert_eq!(align_letters(&scoring, query, target), (24, "8=4X".to_owned()));
    }
}
