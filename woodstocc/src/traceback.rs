//! The alignment behind a distance.
//!
//! Of the strings that begin at the start and have the least distance, the one whose length is
//! nearest to the read's is taken, the longer of two. The path is traced from the read's end and
//! prefers the diagonal, then a deletion, then an insertion. A path of distance `d` strays at most
//! `d` from the main diagonal, so a band of `2d + 1` cells a row holds all that is needed.

use crate::alignment::{Cigar, Op};

/// The alignment of `query` to the text that begins at its start, known to have this distance.
///
/// `text` must reach at least `query.len() + distance` bases, or to the end of the contig.
///
/// # Panics
/// If no prefix of `text` has this distance to `query`.
pub fn align(query: &[u8], text: &[u8], distance: u8) -> Cigar {
    if let Some(cigar) = without_gaps(query, text, distance) {
        return cigar;
    }
    let band = Band::fill(query, text, usize::from(distance));
    let m = query.len();
    let end = (m.saturating_sub(band.d)..=(m + band.d).min(text.len()))
        .filter(|&j| band.at(m, j) == usize::from(distance))
        .min_by_key(|&j| (j.abs_diff(m), usize::MAX - j));
    #[allow(clippy::expect_used)] // A caller's error, as documented.
    let end = end.expect("the distance is that of the best alignment");
    let mut cigar = Cigar::new();
    let (mut i, mut j) = (m, end);
    while i > 0 || j > 0 {
        let here = band.at(i, j);
        let equal = i > 0 && j > 0 && query[i - 1] == text[j - 1] && query[i - 1] < 4;
        if i > 0 && j > 0 && band.at(i - 1, j - 1) + usize::from(!equal) == here {
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

/// The alignment, if so many mismatches are all it takes. It is the preferred one then: the text is as
/// long as the read, and as no path to a cell of the diagonal is better, the diagonal is followed.
fn without_gaps(query: &[u8], text: &[u8], distance: u8) -> Option<Cigar> {
    let text = text.get(..query.len())?;
    let equal = |i: usize| query[i] == text[i] && query[i] < 4;
    let mismatches = (0..query.len()).filter(|&i| !equal(i)).count();
    if mismatches != usize::from(distance) {
        return None;
    }
    let mut cigar = Cigar::new();
    for i in 0..query.len() {
        push(&mut cigar, if equal(i) { Op::Equal } else { Op::Different });
    }
    Some(cigar)
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
struct Band {
    d: usize,
    cells: Vec<u8>,
}

impl Band {
    fn fill(query: &[u8], text: &[u8], d: usize) -> Self {
        let mut band = Self { d, cells: vec![d as u8 + 1; (query.len() + 1) * (2 * d + 1)] };
        for i in 0..=query.len() {
            for j in i.saturating_sub(d)..=(i + d).min(text.len()) {
                let value = if i == 0 {
                    j
                } else {
                    let diagonal = if j > 0 {
                        let equal = query[i - 1] == text[j - 1] && query[i - 1] < 4;
                        band.at(i - 1, j - 1) + usize::from(!equal)
                    } else {
                        usize::MAX
                    };
                    let left = if j > 0 { band.at(i, j - 1) + 1 } else { usize::MAX };
                    diagonal.min(left).min(band.at(i - 1, j) + 1)
                };
                band.cells[i * (2 * d + 1) + (j + d - i)] = value.min(d + 1) as u8;
            }
        }
        band
    }

    fn at(&self, i: usize, j: usize) -> usize {
        if i.abs_diff(j) > self.d {
            return self.d + 1;
        }
        usize::from(self.cells[i * (2 * self.d + 1) + (j + self.d - i)])
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
        align(&codes(query), &codes(text), distance)
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
