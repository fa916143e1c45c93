//! Distances of a query at all starts near a diagonal, by a banded bit-parallel matrix.
//!
//! The *diagonal* of an alignment column is the position where the query would start if nothing were inserted or
//! deleted before that column. An alignment with at most `k` differences that touches diagonal `D` stays within `D - k`
//! to `D + k`. The matrix of the query against the text is filled from the query's end to its front, one row for each
//! base:
//!
//! ```text
//!   E[s][p] = least edit distance between query[s..] and any prefix of text[p..],  p - s within the band
//! ```
//!
//! The first row that is filled is 0 everywhere, since the alignment may end anywhere, and the last one holds the
//! distances of the match starts. Neighbours in a row differ by -1, 0 or 1, so a row is two words with one bit for each
//! diagonal, as in H. Hyyro, "A bit-vector algorithm for computing Levenshtein and Damerau edit distances" (2003): 15
//! operations for a row, whatever `k`. Cells outside of the band count as infinite. The GPU's version is
//! `cuda/include/woodstocc/verify/band.cuh`.
//!
//! The rows of the trie ([`crate::trie::row`]) have a bit for each cell and each distance up to `k`, and so need longer
//! words for greater `k`. Here the bits are differences between neighbours, and two words hold a row for any `k` up to
//! 15. The value of one cell and one population count tell when all cells exceed `k` and the matrix can be given up.

use std::ops::Range;

use fm_index::{FmIndex, prefetch};

use super::window::Window;

/// The indexed text (the reference without ambiguous bases), two bits a base.
#[derive(Debug, Clone, Copy)]
pub struct IndexedText<'a> {
    /// 32 bases a word, the first one in the lowest two bits.
    pub words: &'a [u64],
    /// Number of bases of the text.
    pub length: u32,
}

impl<'a> IndexedText<'a> {
    /// The text of an index.
    pub fn of(index: &'a FmIndex) -> Self {
        let reference = index.reference();
        Self { words: reference.packed_text(), length: reference.indexed_len() }
    }

    /// The code, 0 to 3, at a position modulo 2^32; `None` outside of the text.
    #[inline]
    pub fn code(&self, position: u32) -> Option<u8> {
        (position < self.length)
            .then(|| (self.words[position as usize / 32] >> (2 * (position % 32))) as u8 & 3)
    }
}

/// The banded matrix of a query near a diagonal, filled from the query's end to its front. In the row of base `s`, bit
/// `i` of each bit mask belongs to text position `s + diagonal + k - i`.
struct BandedMatrix<'t> {
    text: IndexedText<'t>,
    k: u32,
    diagonal: u32,
    /// Lower bits of the codes in the band.
    low: u32,
    /// Higher bits of the codes in the band.
    high: u32,
    /// Positions of the band that lie within the text.
    known: u32,
    /// Cells whose left neighbour is greater by one.
    plus: u32,
    /// Cells whose left neighbour is less by one.
    minus: u32,
    /// Value of the cell on the rightmost diagonal.
    rightmost: u32,
}

impl<'t> BandedMatrix<'t> {
    /// The matrix before the row of query base `from - 1`; the alignment may end at any position of the band.
    fn new(text: IndexedText<'t>, from: usize, k: u32, diagonal: u32) -> Self {
        let (low, high, known, plus, minus, rightmost) = (0, 0, 0, 0, 0, 0);
        let mut matrix = Self { text, k, diagonal, low, high, known, plus, minus, rightmost };
        let right = diagonal.wrapping_add(from as u32).wrapping_add(k);
        for back in 1..=2 * k {
            matrix.enter(right.wrapping_sub(back));
        }
        matrix
    }

    /// Shifts the band by one position to the left, taking in the base there.
    fn enter(&mut self, position: u32) {
        let code = self.text.code(position);
        let bits = u32::from(code.unwrap_or(0));
        let newest = 2 * self.k;
        self.low = self.low >> 1 | (bits & 1) << newest;
        self.high = self.high >> 1 | (bits >> 1) << newest;
        self.known = self.known >> 1 | u32::from(code.is_some()) << newest;
    }

    /// The positions of the band whose base equals a code, 0 to 4.
    fn equal(&self, code: u8) -> u32 {
        let same = |plane: u32, bit: u8| if bit == 1 { plane } else { !plane };
        if code > 3 {
            return 0;
        }
        same(self.low, code & 1) & same(self.high, code >> 1) & self.known
    }

    /// Whether all cells of the row exceed `k`. Then all cells of later rows do, since values never decrease along a
    /// diagonal. No cell is less than the rightmost one by more than the number of -1 steps between neighbours.
    fn exceeds_k(&self) -> bool {
        self.rightmost > self.k + self.minus.count_ones()
    }

    /// Fills the rows of a range of query bases, from its end to its begin. Returns false as soon as all cells
    /// exceed `k`.
    fn fill(&mut self, codes: &[u8], rows: Range<usize>) -> bool {
        let mask = u32::MAX >> (31 - 2 * self.k);
        for s in rows.rev() {
            let code = codes[s];
            self.enter(self.diagonal.wrapping_add(s as u32).wrapping_sub(self.k));
            let (equal, plus, minus) = (self.equal(code), self.plus, self.minus);
            let stays = (((equal & plus).wrapping_add(plus) ^ plus) | equal | minus) & mask;
            let up = minus | !(stays | plus);
            let down = plus & stays;
            self.plus = down | !(stays >> 1 | up);
            self.minus = stays >> 1 & up;
            self.rightmost += 1 - (stays & 1);
            if s % 8 == 0 && self.exceeds_k() {
                return false;
            }
        }
        !self.exceeds_k()
    }
}

/// Prefilter: whether a query can match near a diagonal where its piece beginning at query base `piece` occurs. Fills
/// only rows of the half of the query without that piece, and only as many as most random texts fail within.
pub fn passes_prefilter(
    text: &IndexedText<'_>,
    codes: &[u8],
    k: u32,
    diagonal: u32,
    piece: usize,
) -> bool {
    let rows = prefilter_rows(codes.len(), k, piece);
    BandedMatrix::new(*text, rows.end, k, diagonal).fill(codes, rows)
}

/// The rows that [`passes_prefilter`] fills for a query of `length` bases.
fn prefilter_rows(length: usize, k: u32, piece: usize) -> Range<usize> {
    let most = 8 * (k as usize / 2 + 2);
    if 2 * piece < length { length.saturating_sub(most)..length } else { 0..most.min(length) }
}

/// Starts to fetch the text that [`passes_prefilter`] will read for a query of `length` bases.
pub fn prefetch_for_prefilter(
    text: &IndexedText<'_>,
    length: usize,
    k: u32,
    diagonal: u32,
    piece: usize,
) {
    let rows = prefilter_rows(length, k, piece);
    for row in [rows.start, rows.end] {
        let position = diagonal.wrapping_add(row as u32);
        if let Some(word) = text.words.get(position as usize / 32) {
            prefetch(word);
        }
    }
}

/// The matches of a query within `k` (at most 15) whose alignments stay within `k` of a diagonal, with the least
/// distance of such an alignment at each start. `None` if there are none. `diagonal` is a text position modulo 2^32.
pub fn window(
    text: &IndexedText<'_>,
    query: u32,
    codes: &[u8],
    k: u32,
    diagonal: u32,
) -> Option<Window> {
    let mut matrix = BandedMatrix::new(*text, codes.len(), k, diagonal);
    if !matrix.fill(codes, 0..codes.len()) {
        return None;
    }
    let mut found = Window { query, first: diagonal.wrapping_sub(k), ..Window::default() };
    let mut value = matrix.rightmost;
    for i in 0..=2 * k {
        let b = 2 * k - i;
        if value <= k && found.first.wrapping_add(b) < text.length {
            found.starts |= 1 << b;
            found.distances[b as usize / 16] |= u64::from(value) << (4 * (b % 16));
        }
        value = value.wrapping_add(matrix.plus >> i & 1).wrapping_sub(matrix.minus >> i & 1);
    }
    (found.starts != 0).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Least distances of all starts near the diagonal, by a band of integer cells.
    fn by_full_cells(text: &[u8], query: &[u8], k: i64, diagonal: i64) -> Vec<(u32, u8)> {
        let far = 1000;
        let width = 2 * k + 1;
        let mut row = vec![0_i64; width as usize];
        for s in (0..query.len() as i64).rev() {
            let mut next = vec![far; width as usize];
            for b in (0..width).rev() {
                let position = s + diagonal - k + b;
                let base = usize::try_from(position).ok().and_then(|p| text.get(p));
                let differs = i64::from(base != Some(&query[s as usize]));
                let mut value = row[b as usize] + differs;
                if b > 0 {
                    value = value.min(row[b as usize - 1] + 1);
                }
                if b + 1 < width {
                    value = value.min(next[b as usize + 1] + 1);
                }
                next[b as usize] = value;
            }
            row = next;
        }
        (0..width)
            .filter(|&b| row[b as usize] <= k)
            .filter(|&b| (0..text.len() as i64).contains(&(diagonal - k + b)))
            .map(|b| ((diagonal - k + b) as u32, row[b as usize] as u8))
            .collect()
    }

    #[test]
    fn bits_equal_cells() {
        let mut state = 0x2F1_u64;
        let mut random = |bound: u64| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E_F767_814F);
            (state >> 33) % bound
        };
        for case in 0..20_000 {
            let k = random(16) as u32;
            let letters = 1 + random(4);
            let text: Vec<u8> = (0..=random(90)).map(|_| random(letters) as u8).collect();
            let start = random(text.len() as u64) as usize;
            let mut query: Vec<u8> = text[start..].iter().copied().take(60).collect();
            for _ in 0..random(u64::from(k) + 2) {
                let at = random(query.len() as u64) as usize;
                match random(4) {
                    0 => query[at] = random(5) as u8,
                    1 if query.len() > 1 => drop(query.remove(at)),
                    _ => query.insert(at, random(4) as u8),
                }
            }
            let diagonal = start as i64 + random(2 * u64::from(k) + 3) as i64 - i64::from(k) - 1;
            let mut words = vec![0_u64; text.len().div_ceil(32)];
            for (i, &code) in text.iter().enumerate() {
                words[i / 32] |= u64::from(code) << (2 * (i % 32));
            }
            let packed = IndexedText { words: &words, length: text.len() as u32 };
            let found: Vec<_> = window(&packed, 7, &query, k, diagonal as u32)
                .iter()
                .flat_map(|window| window.matches().collect::<Vec<_>>())
                .collect();
            let expected = by_full_cells(&text, &query, i64::from(k), diagonal);
            for piece in 0..query.len() {
                let passes = passes_prefilter(&packed, &query, k, diagonal as u32, piece);
                assert!(passes || expected.is_empty(), "case {case}: fails, but {expected:?}");
            }
            assert_eq!(found, expected, "case {case}: k {k}, {query:?} at {diagonal} of {text:?}");
        }
    }
}
