//! One banded row of the alignment matrix (dissertation, section 2.3.1), as bits.
//!
//! A node of the suffix trie at depth `L` spells `L` reference bases. Its row holds, for read
//! prefixes of length `i` around `L`, the least edit distance `D[L][i]` between that prefix and the
//! spelled string. Only `|i - L| <= k` can be within `k`, so a row has `2k + 1` cells; cell `j`
//! stands for the prefix of length `i = L + j - k`.
//!
//! ```text
//!   D[L+1][i] = min( D[L][i-1] + (read[i-1] != base),   the same cell j of the row above
//!                    D[L][i]   + 1,                      cell j + 1 above: a deletion
//!                    D[L+1][i-1] + 1 )                   cell j - 1 of this row: an insertion
//! ```
//!
//! Only whether a value is 0, 1, .. or `k` matters, so a row is kept in unary: bit `j` of *level*
//! `e` says that cell `j` is at most `e` (the encoding of S. Wu and U. Manber, 1992, cut to the
//! band). All levels of all cells lie in one word, `2k + 2` bits a level, the topmost always clear;
//! the minimum of three terms becomes an OR of three shifts, and a step takes about 15 instructions
//! whatever the values. A word has 64 bits up to `k` = 4 and 128 up to [`MAX_TRIE_K`]. The
//! CUDA kernels use the same encoding (`cuda/include/woodstocc/row.cuh`).

use std::ops::{BitAnd, BitOr, Mul, Shl, Shr};

use crate::bound::Bound;
use crate::params::MAX_TRIE_K;

/// A word that holds a row.
pub trait Word:
    Copy
    + Eq
    + From<u64>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + Mul<Output = Self>
    + Shl<usize, Output = Self>
    + Shr<usize, Output = Self>
{
}

impl Word for u64 {}
impl Word for u128 {}

/// The greatest `k` whose rows fit into 64 bits.
pub const MAX_K_OF_U64: usize = 4;

/// The shape of the rows for one `k`, with the masks that steps need.
#[derive(Debug, Clone, Copy)]
pub struct Band<W> {
    k: usize,
    /// Bits of a level.
    width: usize,
    /// Bit 0 of every level.
    levels: W,
    /// All cells of all levels.
    cells: W,
}

impl<W: Word> Band<W> {
    /// The band of this `k`: at most [`MAX_K_OF_U64`] for `u64`, [`MAX_TRIE_K`] for
    /// `u128`.
    pub fn new(k: usize) -> Self {
        let width = 2 * k + 2;
        let levels = (0..=k).fold(W::from(0), |bits, e| bits | W::from(1) << (e * width));
        let cells = levels * W::from((1 << (2 * k + 1)) - 1);
        Self { k, width, levels, cells }
    }

    /// The row at the root of a query: a prefix of length `i` against nothing costs `i` insertions.
    pub fn root(&self, length: usize) -> W {
        (0..=self.k).fold(W::from(0), |row, e| {
            let cells = (1_u64 << (e.min(length) + 1)) - 1;
            row | W::from(cells) << (e * self.width + self.k)
        })
    }

    /// The row at `depth` below `row`. Bit `j` of `equal` says whether the base that cell `j` adds
    /// equals the base that the path adds; `last` is the cell of the whole query,
    /// `query length + k - depth`, which must not be negative.
    #[inline]
    pub fn step(&self, row: W, equal: u64, last: usize) -> W {
        let matched = row & (self.levels * W::from(equal));
        let mismatched = row << self.width;
        let deleted = row << (self.width - 1);
        let mut new = (matched | mismatched | deleted) & self.cells;
        for _ in 0..self.k {
            new = new | (new << (self.width + 1) & self.cells);
        }
        if last < 2 * self.k {
            // Cells of prefixes longer than the query.
            new = new & (self.levels * W::from((2 << last) - 1));
        }
        new
    }

    /// Whether any cell is less than `bound` (1 to `k + 1`): only then can a continuation of the
    /// path be closer than `bound` to the whole query.
    #[inline]
    pub fn is_below(&self, row: W, bound: u8) -> bool {
        let level = (usize::from(bound) - 1) * self.width;
        row >> level & W::from((1 << self.width) - 1) != W::from(0)
    }

    /// Whether a continuation of the path can be closer than `wanted` (1 to `k + 1`) to the whole
    /// query, for all that is known of the rest: whether a cell and the bound of what lies behind
    /// it add up to less.
    #[inline]
    pub fn reaches(&self, row: W, depth: usize, wanted: u8, rest: &Bound) -> bool {
        let mut cells = W::from(0);
        for (e, &from) in rest.from[..usize::from(wanted)].iter().rev().enumerate() {
            // Cell j is the prefix of length depth + j - k.
            let first = (usize::from(from) + self.k).saturating_sub(depth);
            if first <= 2 * self.k {
                let level = row >> (e * self.width) & W::from((1 << self.width) - 1);
                cells = cells | level >> first;
            }
        }
        cells != W::from(0)
    }

    /// Cell `j`, if it lies in the band and is less than `bound` (1 to `k + 1`).
    #[inline]
    pub fn below(&self, row: W, j: usize, bound: u8) -> Option<u8> {
        let is_at_most = |e: usize| row >> (e * self.width + j) & W::from(1) != W::from(0);
        if j > 2 * self.k || !is_at_most(usize::from(bound) - 1) {
            return None;
        }
        (0..bound).find(|&e| is_at_most(usize::from(e)))
    }
}

/// Zero bits before the first base of a profile, for the cells of prefixes that do not exist.
const PAD: usize = MAX_TRIE_K as usize + 1;

/// The bases of many queries as one bit mask for each code, so that the comparisons of a whole row
/// are one shift: bit `i + PAD` of mask `c` says that base `i` equals `c`. An unknown base sets no
/// bit.
#[derive(Debug, Clone)]
pub struct Profiles {
    words: Vec<u64>,
    /// Words of one mask.
    stride: usize,
}

impl Profiles {
    /// Profiles of queries of at most `longest` bases.
    pub fn new(longest: usize) -> Self {
        Self { words: Vec::new(), stride: (longest + 2 * PAD) / 64 + 2 }
    }

    /// Adds a query of codes.
    pub fn push(&mut self, codes: &[u8]) {
        let start = self.words.len();
        self.words.resize(start + 4 * self.stride, 0);
        for (i, &code) in codes.iter().enumerate().filter(|(_, code)| **code < 4) {
            let word = start + usize::from(code) * self.stride + (i + PAD) / 64;
            self.words[word] |= 1 << ((i + PAD) % 64);
        }
    }

    /// For the row at `depth >= 1` under `code`: bit `j` says whether the base that cell `j` adds
    /// equals `code`. Bits above `2k` are clear.
    #[inline]
    pub fn equal(&self, query: usize, code: usize, depth: usize, k: usize) -> u64 {
        let bit = depth + PAD - 1 - k;
        let word = (4 * query + code) * self.stride + bit / 64;
        let shift = bit % 64;
        // The second shift is split in two so that it is defined for a shift of 0.
        let bits = self.words[word] >> shift | self.words[word + 1] << 1 << (63 - shift);
        bits & ((1 << (2 * k + 1)) - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `D[i]`, for all prefixes of the query, against the string.
    fn full_row(query: &[u8], string: &[u8]) -> Vec<usize> {
        let mut row: Vec<usize> = (0..=query.len()).collect();
        for (l, &base) in string.iter().enumerate() {
            let above = row.clone();
            row[0] = l + 1;
            for i in 1..=query.len() {
                let differs = usize::from(query[i - 1] != base || base > 3);
                row[i] = (above[i - 1] + differs).min(above[i] + 1).min(row[i - 1] + 1);
            }
        }
        row
    }

    fn rows_equal_full_rows<W: Word>(greatest_k: usize, mut state: u64) {
        let seed = state;
        let mut random = |below: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for case in 0..1000 {
            let k = random(greatest_k as u64 + 1) as usize;
            let length = 1 + random(80) as usize;
            let alphabet = 1 + random(5);
            let query: Vec<u8> = (0..length).map(|_| random(alphabet) as u8).collect();
            let mut profiles = Profiles::new(length);
            profiles.push(&[0; 7]);
            profiles.push(&query);
            let band = Band::<W>::new(k);
            let mut row = band.root(length);
            let mut string = Vec::new();
            for depth in 1..=length + k {
                // Mostly follow the query, so that rows stay within k.
                let code = match query.get(depth - 1) {
                    Some(&code) if code < 4 && random(6) > 0 => code,
                    _ => random(4) as u8,
                };
                string.push(code);
                let last = length + k - depth;
                row = band.step(row, profiles.equal(1, usize::from(code), depth, k), last);
                let full = full_row(&query, &string);
                let cells: Vec<Option<u8>> = (0..=2 * k)
                    .map(|j| {
                        let i = (depth + j).checked_sub(k)?;
                        full.get(i).filter(|value| **value <= k).map(|&value| value as u8)
                    })
                    .collect();
                for bound in 1..=k as u8 + 1 {
                    let context = format!("seed {seed}, case {case}, depth {depth}, bound {bound}");
                    let below = |value: &Option<u8>| value.filter(|value| *value < bound);
                    for (j, cell) in cells.iter().enumerate() {
                        assert_eq!(band.below(row, j, bound), below(cell), "{context}, cell {j}");
                    }
                    let any = cells.iter().any(|cell| below(cell).is_some());
                    assert_eq!(band.is_below(row, bound), any, "{context}");
                }
            }
        }
    }

    #[test]
    fn rows_of_64_bits_equal_full_rows() {
        rows_equal_full_rows::<u64>(MAX_K_OF_U64, 0x5EED);
    }

    #[test]
    fn rows_of_128_bits_equal_full_rows() {
        rows_equal_full_rows::<u128>(usize::from(MAX_TRIE_K), 0xBEEF);
    }
}
