//! The alignment behind a distance.
//!
//! Of the strings that begin at the start and have the least distance, the one whose length is
//! nearest to the read's is taken, the longer of two. The path is traced from the read's end and
//! prefers the diagonal, then a deletion, then an insertion. A path of distance `d` strays at most
//! `d` from the main diagonal, so a band of `2d + 1` cells a row holds all that is needed.

use fm_index::{PlainStretches, Reference};

use crate::alignment::{Cigar, Op};
use crate::matches::{self, Match};
use crate::ungapped::{self, Packed};

/// Aligns queries to a reference, with memory that is reused.
#[derive(Debug)]
pub struct Aligner<'a> {
    reference: &'a Reference,
    stretches: PlainStretches<'a>,
    text: Vec<u8>,
    band: Band,
}

impl<'a> Aligner<'a> {
    /// For matches on this reference.
    pub fn new(reference: &'a Reference) -> Self {
        let stretches = PlainStretches::new(reference);
        Self { reference, stretches, text: Vec::new(), band: Band::default() }
    }

    /// The alignment of a match. `packed` are the same bases as `codes`.
    ///
    /// # Panics
    /// If the query has another distance there.
    pub fn align(&mut self, codes: &[u8], packed: &Packed, found: Match) -> Cigar {
        if let Some(place) = self.stretches.at_place(found.contig, found.start)
            && place.len() >= codes.len()
            && let Some(cigar) =
                ungapped::align(packed, self.reference.words(), place.start, found.distance)
        {
            return cigar;
        }
        let reach = codes.len() + usize::from(found.distance);
        matches::reference_window(self.reference, found, reach, &mut self.text);
        align(codes, &self.text, found.distance, &mut self.band)
    }
}

/// The alignment of `query` to the text that begins at its start, known to have this distance.
///
/// `text` must reach at least `query.len() + distance` bases, or to the end of the contig.
fn align(query: &[u8], text: &[u8], distance: u8, band: &mut Band) -> Cigar {
    band.fill(query, text, usize::from(distance));
    let m = query.len();
    let end = (m.saturating_sub(band.d)..=(m + band.d).min(text.len()))
        .filter(|&j| band.at(m, j) == distance)
        .min_by_key(|&j| (j.abs_diff(m), usize::MAX - j));
    #[allow(clippy::expect_used)] // A caller's error, as documented.
    let end = end.expect("the distance is that of the best alignment");
    let mut cigar = Cigar::new();
    let (mut i, mut j) = (m, end);
    while i > 0 || j > 0 {
        let here = band.at(i, j);
        let equal = i > 0 && j > 0 && query[i - 1] == text[j - 1] && query[i - 1] < 4;
        if i > 0 && j > 0 && band.at(i - 1, j - 1) + u8::from(!equal) == here {
            push(&mut cigar, if equal { Op::Equal } else { Op::Different });
            (i, j) = (i - 1, j - 1);
        } else if j > 0 && band.at(i, j - 1) + 1 == here {
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

/// Cells `(i, j)`, read prefix and text prefix, with `|i - j| <= d`; all others count as more than
/// `d`.
#[derive(Debug, Default)]
struct Band {
    d: usize,
    /// A row for each read prefix: a cell beside the band, the cells of the band, and another one.
    cells: Vec<u8>,
}

impl Band {
    fn width(&self) -> usize {
        2 * self.d + 3
    }

    fn fill(&mut self, query: &[u8], text: &[u8], d: usize) {
        self.d = d;
        let (width, beyond) = (self.width(), d as u8 + 1);
        self.cells.clear();
        self.cells.resize((query.len() + 1) * width, beyond);
        for j in 0..=d.min(text.len()) {
            self.cells[1 + d + j] = j as u8;
        }
        for (i, &code) in query.iter().enumerate() {
            // The cell of (i + 1, j) is at j + d - i of its row; so `above` of it is one further.
            let (above, row) = self.cells[i * width..(i + 2) * width].split_at_mut(width);
            let first = (i + 1).saturating_sub(d);
            if first == 0 {
                row[d - i] = above[1 + d - i] + 1;
            }
            let mut left = row[(first.max(1) + d - i) - 1];
            for j in first.max(1)..=(i + 1 + d).min(text.len()) {
                let base = text[j - 1];
                let place = j + d - i;
                let diagonal = above[place] + u8::from(base != code || code > 3);
                left = diagonal.min(left + 1).min(above[place + 1] + 1).min(beyond);
                row[place] = left;
            }
        }
    }

    fn at(&self, i: usize, j: usize) -> u8 {
        if i.abs_diff(j) > self.d {
            return self.d as u8 + 1;
        }
        self.cells[i * self.width() + 1 + (j + self.d - i)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cigar(query: &str, text: &str, distance: u8) -> String {
        let codes = |s: &str| aligner_core::seq::encode_all(s.as_bytes());
        let letter = |op| match op {
            Op::Equal => '=',
            Op::Different => 'X',
            Op::Insertion => 'I',
            Op::Deletion => 'D',
        };
        align(&codes(query), &codes(text), distance, &mut Band::default())
            .iter()
            .map(|(op, count)| format!("{count}{}", letter(*op)))
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
