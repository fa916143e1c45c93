//! Traceback: the alignment of a query at a match start whose distance is known.
//!
//! Of the reference strings that begin at the match start and have the least distance, the one whose length is closest
//! to the read's is chosen, the longer one of two. The path is traced back from the read's end and prefers the
//! diagonal, then a deletion, then an insertion. Where bases are equal, going along the diagonal is always optimal. A
//! path of distance `d` stays within `d` of the main diagonal, so `2d + 1` diagonals are enough.

use std::hint::black_box;
use std::ops::Range;

use aligner_core::cigar::{CigarOp, CigarRun};
use fm_index::{PlainStretches, Reference};

use super::diagonals::DiagonalDifferences;
use super::mapping::Mapping;
use super::ungapped::{self, AlignedWord, PackedQuery, UngappedPath};
use crate::error::MapError;
use crate::locus::loci::Locus;
use crate::locus::matches;
use crate::read::Strand;

/// Number of loci whose text is fetched from memory before any of it is compared, so that the waits for memory of all
/// of them overlap.
const LOCI_PER_FETCH: usize = 64;

/// A query in both of its encodings.
#[derive(Debug, Clone, Copy)]
pub struct OrientedQuery<'q> {
    /// Codes 0 to 4.
    pub codes: &'q [u8],
    /// Packed bases, for comparisons of 32 bases at a time.
    pub packed: &'q PackedQuery,
}

/// Aligns queries at their loci. Reuses its memory from locus to locus.
#[derive(Debug)]
pub struct LocusAligner<'a> {
    reference: &'a Reference,
    stretches: PlainStretches<'a>,
    text: Vec<u8>,
    diagonals: DiagonalDifferences,
    furthest: FurthestPrefixes,
}

impl<'a> LocusAligner<'a> {
    /// Makes an aligner for loci on this reference.
    pub fn new(reference: &'a Reference) -> Self {
        let stretches = PlainStretches::new(reference);
        let (diagonals, furthest) = (DiagonalDifferences::default(), FurthestPrefixes::default());
        Self { reference, stretches, text: Vec::new(), diagonals, furthest }
    }

    /// Appends the alignments of a read at `loci` to `mapping`. `queries` are its two orientations.
    ///
    /// # Errors
    /// [`MapError::InconsistentIndex`] if the distance of a locus is not the query's distance there.
    pub fn align(
        &mut self,
        queries: &[OrientedQuery<'_>; 2],
        loci: &[Locus],
        mapping: &mut Mapping,
    ) -> Result<(), MapError> {
        let words = self.reference.packed_text();
        for loci in loci.chunks(LOCI_PER_FETCH) {
            // Each locus is a random access to the text. Done one right after the other, the accesses overlap.
            let mut texts = [const { None }; LOCI_PER_FETCH];
            let mut touched = 0;
            for (text, Locus { best, .. }) in texts.iter_mut().zip(loci) {
                *text = self.stretches.at_contig_position(best.contig, best.start);
                touched ^=
                    text.as_ref().map_or(0, |text| words[text.start as usize / ungapped::BASES]);
            }
            black_box(touched);
            for (&locus, text) in loci.iter().zip(&texts) {
                let query = &queries[usize::from(locus.strand == Strand::Reverse)];
                self.align_at(query, locus, text.as_ref(), mapping)?;
            }
        }
        Ok(())
    }

    /// Appends the alignment at a locus. `text` is the range of the indexed text from the match start up to the next
    /// ambiguous base or contig end; `None` if the match starts at an ambiguous base.
    fn align_at(
        &mut self,
        query: &OrientedQuery<'_>,
        locus: Locus,
        text: Option<&Range<u32>>,
        mapping: &mut Mapping,
    ) -> Result<(), MapError> {
        let Locus { best, .. } = locus;
        let words = self.reference.packed_text();
        let (length, d) = (query.codes.len(), best.distance);
        match text {
            Some(text) if text.len() >= length => {
                let path =
                    mapping.push(locus, |path| path.extend(query.packed.on(words, text.start)));
                // With no more mismatches than the least distance, this is the preferred alignment: its text is as long
                // as the read, and no path to a cell of the diagonal is better than the diagonal itself.
                if ungapped::distance(path) == u32::from(d) {
                    return Ok(());
                }
            }
            _ => {
                let unknown =
                    std::iter::repeat_n(AlignedWord::default(), UngappedPath::words(length as u32));
                mapping.push(locus, |path| path.extend(unknown));
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
        mapping.set_runs(|runs| {
            trace_back(&self.diagonals, (length, end), d, &mut self.furthest, runs)
        })
    }
}

/// Appends the alignment of a query to a text that begins at the match start of this distance. `lengths` are the
/// lengths of query and text; the text must be at least as long as the query plus the distance, or reach to the
/// contig's end.
fn trace_back(
    diagonals: &DiagonalDifferences,
    lengths: (usize, usize),
    distance: u8,
    furthest: &mut FurthestPrefixes,
    runs: &mut Vec<CigarRun>,
) -> Result<(), MapError> {
    let begin = runs.len();
    furthest.fill(diagonals, lengths, isize::from(distance));
    let (mut here, mut i) = (isize::from(distance), lengths.0);
    let ends = (0..=here).flat_map(|gap| [gap, -gap]);
    let end = ends.map(|gap| i as isize + gap).find(|&j| furthest.at_most(here, i, j));
    let mut j = end.ok_or(MapError::InconsistentIndex)? as usize;
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
    Ok(())
}

/// The furthest cell on each diagonal of the matrix that each number of differences reaches (E. Ukkonen, "Algorithms
/// for approximate string matching", 1985). Distances never decrease along a diagonal, so this determines the distance
/// of every cell without filling the matrix.
#[derive(Debug, Default)]
struct FurthestPrefixes {
    d: isize,
    /// For each distance from 0 to `d`, and diagonal from `-d - 1` to `d + 1`: the longest read prefix of a cell on the
    /// diagonal with at most that distance; negative if there is none.
    prefixes: Vec<isize>,
}

/// Marks a diagonal that is not reached; still negative if 1 is added.
const NONE: isize = -2;

impl FurthestPrefixes {
    /// Computes the cells for a read and a text of lengths `m` and `n`, and distances up to `d`.
    fn fill(&mut self, diagonals: &DiagonalDifferences, (m, n): (usize, usize), d: isize) {
        self.d = d;
        self.prefixes.clear();
        self.prefixes.resize(((d + 1) * (2 * d + 3)) as usize, NONE);
        let (m, n) = (m as isize, n as isize);
        for distance in 0..=d {
            for diagonal in -distance..=distance {
                // Reached from the same diagonal by a mismatch, from the left one by a deletion, or from the right one
                // by an insertion.
                let mut i = if distance == 0 {
                    0
                } else {
                    let last = |diagonal| self.prefixes[self.slot(distance - 1, diagonal)];
                    (last(diagonal) + 1).max(last(diagonal - 1)).max(last(diagonal + 1) + 1)
                };
                i = i.min(m).min(n - diagonal);
                if i < 0 || i + diagonal < 0 {
                    continue;
                }
                i = (diagonals.next(diagonal, i as usize) as isize).min(n - diagonal);
                let slot = self.slot(distance, diagonal);
                self.prefixes[slot] = i;
            }
        }
    }

    fn slot(&self, distance: isize, diagonal: isize) -> usize {
        (distance * (2 * self.d + 3) + diagonal + self.d + 1) as usize
    }

    /// Whether the prefixes of `i` bases of the read and `j` bases of the text have at most this distance.
    fn at_most(&self, distance: isize, i: usize, j: isize) -> bool {
        let diagonal = j - i as isize;
        j >= 0
            && distance >= 0
            && diagonal.abs() <= self.d
            && i as isize <= self.prefixes[self.slot(distance, diagonal)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cigar(query: &str, text: &str, distance: u8) -> String {
        let codes = |s: &str| aligner_core::seq::encode_all(s.as_bytes());
        let (mut diagonals, mut runs) = (DiagonalDifferences::default(), Vec::new());
        diagonals.set_codes(&codes(query), distance, &codes(text));
        let lengths = (query.len(), text.len());
        trace_back(&diagonals, lengths, distance, &mut FurthestPrefixes::default(), &mut runs)
            .expect("is an alignment");
        runs.iter().map(CigarRun::to_string).collect()
    }

    #[test]
    fn preferences_are_as_documented() {
        assert_eq!(cigar("ACGT", "ACGTT", 0), "4=");
        assert_eq!(cigar("ACGT", "ACCTT", 1), "2=1X1=");
        // A final mismatch is preferred to an insertion or a longer text, as it keeps the text as long as the read.
        assert_eq!(cigar("ACGA", "ACGTC", 1), "3=1X");
        assert_eq!(cigar("ACGGT", "ACGT", 1), "2=1I2=");
        assert_eq!(cigar("ACGTAC", "ACGGTAC", 1), "2=1D4=");
        // The path is traced back from the read's end, so gaps in a repeat are at its left end.
        assert_eq!(cigar("CAAAG", "CAAG", 1), "1=1I3=");
        assert_eq!(cigar("CAAGTC", "CAAAGTC", 1), "1=1D5=");
        assert_eq!(cigar("NCG", "ACG", 1), "1X2=");
        assert_eq!(cigar("ACG", "NCG", 1), "1X2=");
        assert_eq!(cigar("AC", "", 2), "2I");
        assert_eq!(cigar("", "AC", 0), "");
    }
}
