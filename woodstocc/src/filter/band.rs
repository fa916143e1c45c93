//! Distances of a query near a diagonal, by a banded bit-parallel matrix.
//!
//! A *diagonal* is where the query would start if nothing were inserted or deleted. An alignment with
//! at most `k` differences that touches diagonal `D` stays within `D - k` to `D + k`. The matrix of
//! the query against the text is filled from the query's end to its front, a row a base:
//!
//! ```text
//!   E[s][p] = least distance between query[s..] and any prefix of text[p..],  p - s within the band
//! ```
//!
//! The first row filled is 0 everywhere, as the alignment may end anywhere, and the last one has the
//! distances of the starts. Neighbours in a row differ by -1, 0 or 1, so a row is two words of a bit
//! for each diagonal, as in H. Hyyro, "A bit-vector algorithm for computing Levenshtein and Damerau
//! edit distances" (2003): 15 operations a row, whatever `k`. Cells outside of the band count as
//! infinite. `cuda/include/woodstocc/band.cuh` is the same for a GPU.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use fm_index::FmIndex;

/// The starts near a diagonal where a query matches. The kernels write the same struct.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Window {
    /// Number of the query in its batch.
    pub query: u32,
    /// The first start, in indexed coordinates modulo 2^32; `starts` are relative to it.
    pub first: u32,
    /// Bit `b`: there is a match at start `first + b`.
    pub starts: u32,
    /// Always 0.
    pub padding: u32,
    /// Four bits a start: its distance; 0 where there is no match.
    pub distances: [u64; 2],
}

const _: () = assert!(size_of::<Window>() == 32, "as in band.cuh");

impl Window {
    /// The matches: position in the indexed text, and distance, by position.
    pub fn matches(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        let mut starts = self.starts;
        std::iter::from_fn(move || {
            let b = starts.trailing_zeros();
            starts &= starts.wrapping_sub(1);
            let distances = self.distances.get(b as usize / 16)?;
            Some((self.first.wrapping_add(b), (distances >> (4 * (b % 16)) & 15) as u8))
        })
    }
}

/// The indexed text as the filter reads it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// 32 bases a word, the first in the lowest two bits.
    pub words: &'a [u64],
    /// Bases.
    pub length: u32,
}

impl<'a> Text<'a> {
    /// That of an index.
    pub fn of(index: &'a FmIndex) -> Self {
        let reference = index.reference();
        Self { words: reference.packed_text(), length: reference.indexed_len() }
    }

    /// The code at a position modulo 2^32, or `None` outside of the text.
    #[inline]
    pub fn code(&self, position: u32) -> Option<u8> {
        (position < self.length)
            .then(|| (self.words[position as usize / 32] >> (2 * (position % 32))) as u8 & 3)
    }
}

/// The banded matrix of a query near a diagonal, filled from the query's end to its front.
struct Matrix<'t> {
    text: Text<'t>,
    k: u32,
    diagonal: u32,
    /// Bit `i` of these is for position `s + diagonal + k - i` when the query's base `s` is next: the
    /// bits of the code, and whether the text has the position.
    low: u32,
    high: u32,
    known: u32,
    /// Differences between neighbours: where they are +1, and where -1.
    plus: u32,
    minus: u32,
    /// The value of the diagonal furthest right.
    rightmost: u32,
}

impl<'t> Matrix<'t> {
    /// Before the row of the query's base `from - 1`; the alignment may end anywhere there.
    fn new(text: Text<'t>, from: usize, k: u32, diagonal: u32) -> Self {
        let (low, high, known, plus, minus, rightmost) = (0, 0, 0, 0, 0, 0);
        let mut matrix = Self { text, k, diagonal, low, high, known, plus, minus, rightmost };
        let right = diagonal.wrapping_add(from as u32).wrapping_add(k);
        for back in 1..=2 * k {
            matrix.enter(right.wrapping_sub(back));
        }
        matrix
    }

    /// Takes the base at a position into the band.
    fn enter(&mut self, position: u32) {
        let code = self.text.code(position);
        let bits = u32::from(code.unwrap_or(0));
        let newest = 2 * self.k;
        self.low = self.low >> 1 | (bits & 1) << newest;
        self.high = self.high >> 1 | (bits >> 1) << newest;
        self.known = self.known >> 1 | u32::from(code.is_some()) << newest;
    }

    /// Which bases of the band equal a code.
    fn equal(&self, code: u8) -> u32 {
        let same = |plane: u32, bit: u8| if bit == 1 { plane } else { !plane };
        if code > 3 {
            return 0;
        }
        same(self.low, code & 1) & same(self.high, code >> 1) & self.known
    }

    /// Whether all cells exceed `k`, and so will all that follow: none ever decreases along its
    /// diagonal, and none is less than the rightmost by more than there are steps down.
    fn hopeless(&self) -> bool {
        self.rightmost > self.k + self.minus.count_ones()
    }

    /// Fills the rows of these bases of the query, the last ones first, and whether there is hope.
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
            if s % 8 == 0 && self.hopeless() {
                return false;
            }
        }
        !self.hopeless()
    }
}

/// Whether a query may match near a diagonal where the piece that begins at `piece` occurs. Looks at
/// the half without the piece, or as much of it as a random text seldom passes.
pub fn promising(text: &Text<'_>, codes: &[u8], k: u32, diagonal: u32, piece: usize) -> bool {
    let most = 8 * (k as usize / 2 + 2);
    let length = codes.len();
    let rows =
        if 2 * piece < length { length.saturating_sub(most)..length } else { 0..most.min(length) };
    Matrix::new(*text, rows.end, k, diagonal).fill(codes, rows)
}

/// The matches of a query within `k`, at most 15, whose alignment stays within `k` of a diagonal,
/// with their least distance there; `None` if there are none. `diagonal` is modulo 2^32.
pub fn window(text: &Text<'_>, query: u32, codes: &[u8], k: u32, diagonal: u32) -> Option<Window> {
    let mut matrix = Matrix::new(*text, codes.len(), k, diagonal);
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

    /// Least distances of all starts near the diagonal, in a band of full cells.
    fn plainly(text: &[u8], query: &[u8], k: i64, diagonal: i64) -> Vec<(u32, u8)> {
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
            let packed = Text { words: &words, length: text.len() as u32 };
            let found: Vec<_> = window(&packed, 7, &query, k, diagonal as u32)
                .iter()
                .flat_map(|window| window.matches().collect::<Vec<_>>())
                .collect();
            let expected = plainly(&text, &query, i64::from(k), diagonal);
            for piece in 0..query.len() {
                let hope = promising(&packed, &query, k, diagonal as u32, piece);
                assert!(hope || expected.is_empty(), "case {case}: no hope, but {expected:?}");
            }
            assert_eq!(found, expected, "case {case}: k {k}, {query:?} at {diagonal} of {text:?}");
        }
    }
}
