//! The alignment behind a distance.
//!
//! Of the strings that begin at the start and have the least distance, the one whose length is
//! nearest to the read's is taken, the longer of two. The path is traced from the read's end and
//! prefers the diagonal, then a deletion, then an insertion. Where bases are equal, the diagonal always
//! is a best way. A path of distance `d` strays at most `d` from the main diagonal, so `2d + 1`
//! diagonals hold all that is needed.

use std::hint::black_box;
use std::ops::Range;

use fm_index::{PlainStretches, Reference};

use crate::alignment::{CigarOp, CigarRun, Mapping, Strand};
use crate::diagonals::Diagonals;
use crate::loci::Locus;
use crate::matches;
use crate::ungapped::{self, Packed, Ungapped, Word};

/// Places whose text is fetched before any of it is looked at.
const TOGETHER: usize = 64;

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
    diagonals: Diagonals,
    furthest: Furthest,
}

impl<'a> Aligner<'a> {
    /// For matches on this reference.
    pub fn new(reference: &'a Reference) -> Self {
        let stretches = PlainStretches::new(reference);
        let (diagonals, furthest) = (Diagonals::default(), Furthest::default());
        Self { reference, stretches, text: Vec::new(), diagonals, furthest }
    }

    /// Appends the alignments of a read at places. `queries` are its two orientations.
    ///
    /// # Panics
    /// If a query has another distance at a place.
    pub fn align(&mut self, queries: &[Oriented<'_>; 2], places: &[Locus], mapping: &mut Mapping) {
        let words = self.reference.packed_text();
        for places in places.chunks(TOGETHER) {
            // Each place is a look somewhere into the text: one after the other, with nothing in between,
            // these overlap.
            let mut texts = [const { None }; TOGETHER];
            let mut touched = 0;
            for (text, Locus { best, .. }) in texts.iter_mut().zip(places) {
                *text = self.stretches.at_contig_position(best.contig, best.start);
                touched ^=
                    text.as_ref().map_or(0, |text| words[text.start as usize / ungapped::BASES]);
            }
            black_box(touched);
            for (&place, text) in places.iter().zip(&texts) {
                let query = &queries[usize::from(place.strand == Strand::Reverse)];
                self.align_at(query, place, text.as_ref(), mapping);
            }
        }
    }

    /// Appends the alignment at a place, where this plain text is.
    fn align_at(
        &mut self,
        query: &Oriented<'_>,
        place: Locus,
        text: Option<&Range<u32>>,
        mapping: &mut Mapping,
    ) {
        let Locus { best, .. } = place;
        let words = self.reference.packed_text();
        let (length, d) = (query.codes.len(), best.distance);
        match text {
            Some(text) if text.len() >= length => {
                let path =
                    mapping.push(place, |path| path.extend(query.packed.on(words, text.start)));
                // As many differences as the least there: the preferred one. The text is as long as the
                // read, and as no path to a cell of the diagonal is better, the diagonal is followed.
                if ungapped::distance(path) == u32::from(d) {
                    return;
                }
            }
            _ => {
                let unknown = std::iter::repeat_n(Word::default(), Ungapped::words(length as u32));
                mapping.push(place, |path| path.extend(unknown));
            }
        }
        let reach = length + usize::from(d);
        let end = match text {
            Some(text) if text.len() >= reach && text.start >= u32::from(d) => {
                self.diagonals.set_packed(query.packed, length, d, words, text.start);
                reach
            }
            _ => {
                matches::reference_window(self.reference, best, reach, &mut self.text);
                self.diagonals.set_codes(query.codes, d, &self.text);
                self.text.len()
            }
        };
        mapping.set_runs(|runs| align(&self.diagonals, (length, end), d, &mut self.furthest, runs));
    }
}

/// Appends the alignment of a query to the text that begins at its start, known to have this distance.
/// `lengths` are those of both; the text's must be at least the query's and the distance, or reach to the
/// end of the contig.
fn align(
    diagonals: &Diagonals,
    lengths: (usize, usize),
    distance: u8,
    furthest: &mut Furthest,
    runs: &mut Vec<CigarRun>,
) {
    let begin = runs.len();
    furthest.fill(diagonals, lengths, isize::from(distance));
    let (mut here, mut i) = (isize::from(distance), lengths.0);
    let ends = (0..=here).flat_map(|gap| [gap, -gap]);
    let end = ends.map(|gap| i as isize + gap).find(|&j| furthest.at_most(here, i, j));
    #[allow(clippy::expect_used)] // A caller's error, as documented.
    let mut j = end.expect("the distance is that of the best alignment") as usize;
    while i > 0 || j > 0 {
        let equal = diagonals.equal_before(j as isize - i as isize, i).min(j);
        if equal > 0 {
            runs.push(CigarRun::new(CigarOp::Equal, equal as u32));
            (i, j) = (i - equal, j - equal);
            continue;
        }
        here -= 1;
        let op = if i > 0 && j > 0 && furthest.at_most(here, i - 1, j as isize - 1) {
            (i, j) = (i - 1, j - 1);
            CigarOp::Different
        } else if j > 0 && furthest.at_most(here, i, j as isize - 1) {
            j -= 1;
            CigarOp::Deletion
        } else {
            i -= 1;
            CigarOp::Insertion
        };
        match runs[begin..].last_mut() {
            Some(last) if last.op() == op => *last = CigarRun::new(op, last.length() + 1),
            _ => runs.push(CigarRun::new(op, 1)),
        }
    }
    runs[begin..].reverse();
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
    /// For a read and a text of these lengths, and distances up to `d`.
    fn fill(&mut self, diagonals: &Diagonals, (m, n): (usize, usize), d: isize) {
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
                i = (diagonals.next(diagonal, i as usize) as isize).min(n - diagonal);
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
        let (mut diagonals, mut runs) = (Diagonals::default(), Vec::new());
        diagonals.set_codes(&codes(query), distance, &codes(text));
        let lengths = (query.len(), text.len());
        align(&diagonals, lengths, distance, &mut Furthest::default(), &mut runs);
        runs.iter().map(CigarRun::to_string).collect()
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
