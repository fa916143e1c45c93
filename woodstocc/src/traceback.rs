//! The alignment behind a distance.
//!
//! Of the strings that begin at the start and have the least distance, the one whose length is
//! nearest to the read's is taken, the longer of two. The path is traced from the read's end and
//! prefers the diagonal, then a deletion, then an insertion. Where bases are equal, the diagonal always
//! is a best way. A path of distance `d` strays at most `d` from the main diagonal, so `2d + 1`
//! diagonals hold all that is needed.

use fm_index::{PlainStretches, Reference};

use crate::alignment::{Alignment, Cigar, Op, Strand};
use crate::loci::Locus;
use crate::matches::{self, Match};
use crate::ungapped::{self, Packed};

/// A query, in two ways.
#[derive(Debug, Clone, Copy)]
pub struct Oriented<'q> {
    /// Its codes.
    pub codes: &'q [u8],
    /// The same bases.
    pub packed: &'q Packed,
}

/// Aligns queries to a reference, with memory that is reused.
#[derive(Debug)]
pub struct Aligner<'a> {
    reference: &'a Reference,
    stretches: PlainStretches<'a>,
    text: Vec<u8>,
    /// Of each place, the words of its differences.
    differences: Vec<u64>,
    furthest: Furthest,
}

impl<'a> Aligner<'a> {
    /// For matches on this reference.
    pub fn new(reference: &'a Reference) -> Self {
        let stretches = PlainStretches::new(reference);
        let (text, differences) = (Vec::new(), Vec::new());
        Self { reference, stretches, text, differences, furthest: Furthest::default() }
    }

    /// Appends the alignments of a read at all places. `queries` are its two orientations.
    ///
    /// # Panics
    /// If a query has another distance at a place.
    pub fn align<'p>(
        &mut self,
        queries: &[Oriented<'_>; 2],
        places: impl Iterator<Item = &'p Locus> + Clone,
        alignments: &mut Vec<Alignment>,
    ) {
        // Each place is a look somewhere into the text; without anything in between, these overlap.
        self.differences.clear();
        let words = self.reference.words();
        for Locus { best, strand } in places.clone() {
            let query = &queries[usize::from(*strand == Strand::Reverse)];
            match self.stretches.at_place(best.contig, best.start) {
                Some(text) if text.len() >= query.codes.len() => {
                    query.packed.differences(words, text.start, &mut self.differences);
                }
                _ => self.differences.extend(query.codes.chunks(ungapped::BASES).map(|_| u64::MAX)),
            }
        }
        let each = queries[0].codes.len().div_ceil(ungapped::BASES);
        for (number, &Locus { best, strand }) in places.enumerate() {
            let Match { contig, start, distance } = best;
            let codes = queries[usize::from(strand == Strand::Reverse)].codes;
            let differences = &self.differences[number * each..(number + 1) * each];
            let cigar = ungapped::align(differences, codes.len(), distance).unwrap_or_else(|| {
                let reach = codes.len() + usize::from(distance);
                matches::reference_window(self.reference, best, reach, &mut self.text);
                align(codes, &self.text, distance, &mut self.furthest)
            });
            alignments.push(Alignment { contig, start, strand, distance, cigar });
        }
    }
}

/// The alignment of `query` to the text that begins at its start, known to have this distance.
///
/// `text` must reach at least `query.len() + distance` bases, or to the end of the contig.
fn align(query: &[u8], text: &[u8], distance: u8, furthest: &mut Furthest) -> Cigar {
    let equal = |i: usize, j: usize| query[i] == text[j] && query[i] < 4;
    furthest.fill(query.len(), text.len(), isize::from(distance), equal);
    let (mut here, mut i) = (isize::from(distance), query.len());
    let diagonals = (0..=here).flat_map(|gap| [gap, -gap]);
    let end = diagonals.map(|gap| i as isize + gap).find(|&j| furthest.at_most(here, i, j));
    #[allow(clippy::expect_used)] // A caller's error, as documented.
    let mut j = end.expect("the distance is that of the best alignment") as usize;
    let mut cigar = Cigar::new();
    while i > 0 || j > 0 {
        if i > 0 && j > 0 && equal(i - 1, j - 1) {
            push(&mut cigar, Op::Equal);
            (i, j) = (i - 1, j - 1);
            continue;
        }
        here -= 1;
        if i > 0 && j > 0 && furthest.at_most(here, i - 1, j as isize - 1) {
            push(&mut cigar, Op::Different);
            (i, j) = (i - 1, j - 1);
        } else if j > 0 && furthest.at_most(here, i, j as isize - 1) {
            push(&mut cigar, Op::Deletion);
            j -= 1;
        } else {
            push(&mut cigar, Op::Insertion);
            i -= 1;
        }
    }
    cigar.reverse();
    cigar
}

/// Appends one operation.
fn push(cigar: &mut Cigar, op: Op) {
    match cigar.last_mut() {
        Some((last, count)) if *last == op => *count += 1,
        _ => cigar.push((op, 1)),
    }
}

/// How far each diagonal of the matrix is reached with so many differences (E. Ukkonen, "Algorithms for
/// approximate string matching", 1985). Distances never decrease along a diagonal, so this tells every
/// cell's, at the cost of the bases that are equal, and not of all cells.
#[derive(Debug, Default)]
struct Furthest {
    d: isize,
    /// For each distance, and diagonal from `-d - 1` to `d + 1`: the longest read prefix of a cell with
    /// no more than that distance; negative if there is none.
    prefixes: Vec<isize>,
}

/// Less than any prefix, also by one more.
const NONE: isize = -2;

impl Furthest {
    /// For a read of `m` bases, a text of `n`, and distances up to `d`.
    fn fill(&mut self, m: usize, n: usize, d: isize, equal: impl Fn(usize, usize) -> bool) {
        self.d = d;
        self.prefixes.clear();
        self.prefixes.resize(((d + 1) * (2 * d + 3)) as usize, NONE);
        let (m, n) = (m as isize, n as isize);
        for distance in 0..=d {
            for diagonal in -distance..=distance {
                // From the same diagonal by a mismatch, from the left one by a deletion, from the right
                // one by an insertion.
                let mut i = if distance == 0 {
                    0
                } else {
                    let last = |diagonal| self.prefixes[self.place(distance - 1, diagonal)];
                    (last(diagonal) + 1).max(last(diagonal - 1)).max(last(diagonal + 1) + 1)
                };
                i = i.min(m).min(n - diagonal);
                if i < 0 || i + diagonal < 0 {
                    continue;
                }
                while i < m && i + diagonal < n && equal(i as usize, (i + diagonal) as usize) {
                    i += 1;
                }
                let place = self.place(distance, diagonal);
                self.prefixes[place] = i;
            }
        }
    }

    fn place(&self, distance: isize, diagonal: isize) -> usize {
        (distance * (2 * self.d + 3) + diagonal + self.d + 1) as usize
    }

    /// Whether prefixes of `i` bases of the read and `j` of the text are that close.
    fn at_most(&self, distance: isize, i: usize, j: isize) -> bool {
        let diagonal = j - i as isize;
        j >= 0
            && distance >= 0
            && diagonal.abs() <= self.d
            && i as isize <= self.prefixes[self.place(distance, diagonal)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cigar(query: &str, text: &str, distance: u8) -> String {
        let codes = |s: &str| aligner_core::seq::encode_all(s.as_bytes());
        align(&codes(query), &codes(text), distance, &mut Furthest::default())
            .iter()
            .map(|(op, count)| format!("{count}{}", op.letter()))
            .collect()
    }

    #[test]
    fn preferences_are_as_documented() {
        assert_eq!(cigar("ACGT", "ACGTT", 0), "4=");
        assert_eq!(cigar("ACGT", "ACCTT", 1), "2=1X1=");
        // Neither a last mismatch, nor an insertion or a longer text: as long as the read.
        assert_eq!(cigar("ACGA", "ACGTC", 1), "3=1X");
        assert_eq!(cigar("ACGGT", "ACGT", 1), "2=1I2=");
        assert_eq!(cigar("ACGTAC", "ACGGTAC", 1), "2=1D4=");
        // The read's end comes first: gaps move to the left of a repeat.
        assert_eq!(cigar("CAAAG", "CAAG", 1), "1=1I3=");
        assert_eq!(cigar("CAAGTC", "CAAAGTC", 1), "1=1D5=");
        assert_eq!(cigar("NCG", "ACG", 1), "1X2=");
        assert_eq!(cigar("ACG", "NCG", 1), "1X2=");
        assert_eq!(cigar("AC", "", 2), "2I");
        assert_eq!(cigar("", "AC", 0), "");
    }
}
