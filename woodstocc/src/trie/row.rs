//! One row of the banded alignment matrix of a query (Cole 2017, 2.3.1), as bits of one word.
//!
//! A node of the suffix trie at depth `L` spells `L` reference bases. The row of a query at that node holds, for
//! prefixes of the query of length `i` around `L`, the edit distance `D[L][i]` between that prefix and the spelled
//! string. Only prefixes with `|i - L| <= k` can be within `k`, so a row has `2k + 1` cells; cell `j` belongs to the
//! prefix of length `i = L + j - k`.
//!
//! ```text
//!   D[L+1][i] = min( D[L][i-1] + (query[i-1] != base),   the same cell j of the row above
//!                    D[L][i]   + 1,                       cell j + 1 of the row above: a deletion
//!                    D[L+1][i-1] + 1 )                    cell j - 1 of this row: an insertion
//! ```
//!
//! Only the values 0 to `k` matter, so a row is kept in unary: bit `j` of *level* `e` is set if cell `j` is at most `e`
//! (the encoding of S. Wu and U. Manber, "Fast text searching allowing errors", 1992, restricted to the band). All
//! levels of all cells lie in one word, `2k + 2` bits a level, the highest bit of each level always clear. So the
//! minimum of three terms becomes an OR of three shifts, and a step takes about 15 instructions whatever the values.
//! For `k` = 1, a word is
//!
//! ```text
//!   bit     7  6 5 4   3  2 1 0
//!           0  . . .   0  . . .      levels 1 and 0; cells 2, 1, 0 of each
//!          '-level 1-' '-level 0-'
//! ```
//!
//! A word has 64 bits up to `k` = 4 and 128 bits up to [`MAX_TRIE_K`]. The CUDA kernels use the same encoding
//! (`cuda/include/woodstocc/trie/row.cuh`).
//!
//! Wider rows for greater `k` would not help: the number of nodes that the walk visits grows exponentially with `k`.
//! Such reads are searched for by [filtering](crate::filter).

use std::ops::{BitAnd, BitOr, Mul, Shl, Shr};

use super::bound::SuffixBound;
use crate::params::MAX_TRIE_K;

/// An integer that holds the bits of a row: `u64` or `u128`.
pub trait RowWord:
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

impl RowWord for u64 {}
impl RowWord for u128 {}

/// The greatest `k` whose rows fit into 64 bits.
pub const MAX_K_OF_U64: usize = 4;

/// The layout of rows for one `k`, with bit masks, and the operations on rows.
#[derive(Debug, Clone, Copy)]
pub struct RowBand<W> {
    k: usize,
    /// Bits of a level: `2k + 2`.
    width: usize,
    /// Bit 0 of every level.
    levels: W,
    /// The bits of all cells of all levels.
    cells: W,
}

impl<W: RowWord> RowBand<W> {
    /// The layout for a `k` of at most [`MAX_K_OF_U64`] if rows are `u64`, or [`MAX_TRIE_K`] if they are `u128`.
    pub fn new(k: usize) -> Self {
        let width = 2 * k + 2;
        let levels = (0..=k).fold(W::from(0), |bits, e| bits | W::from(1) << (e * width));
        let cells = levels * W::from((1 << (2 * k + 1)) - 1);
        Self { k, width, levels, cells }
    }

    /// The row at the root of the trie for a query of `length` bases. A prefix of `i` bases is at distance `i`
    /// (insertions) from the empty string.
    pub fn root(&self, length: usize) -> W {
        (0..=self.k).fold(W::from(0), |row, e| {
            let cells = (1_u64 << (e.min(length) + 1)) - 1;
            row | W::from(cells) << (e * self.width + self.k)
        })
    }

    /// The row of a child node, at `depth`, given the row of its parent. Bit `j` of `equal` says whether the base that
    /// cell `j` adds to the prefix equals the base that the child adds to the string ([`Profiles::equal`]). `last` is
    /// the cell of the whole query, `query length + k - depth`, which must not be negative.
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
            // Clears the cells of prefixes longer than the query.
            new = new & (self.levels * W::from((2 << last) - 1));
        }
        new
    }

    /// Whether any cell is less than `bound` (1 to `k + 1`). Only then can a descendant of the node be closer than
    /// `bound` to the whole query.
    #[inline]
    pub fn is_below(&self, row: W, bound: u8) -> bool {
        let level = (usize::from(bound) - 1) * self.width;
        row >> level & W::from((1 << self.width) - 1) != W::from(0)
    }

    /// Whether a descendant of the node at `depth` can be closer than `wanted` (1 to `k + 1`) to the whole query, by
    /// the lower bounds of its suffixes: whether a cell plus the bound of the suffix after its prefix is less than
    /// `wanted`.
    #[inline]
    pub fn reaches(&self, row: W, depth: usize, wanted: u8, bound: &SuffixBound) -> bool {
        let mut cells = W::from(0);
        for (e, &from) in bound.from[..usize::from(wanted)].iter().rev().enumerate() {
            // Cell j belongs to the prefix of length depth + j - k.
            let first = (usize::from(from) + self.k).saturating_sub(depth);
            if first <= 2 * self.k {
                let level = row >> (e * self.width) & W::from((1 << self.width) - 1);
                cells = cells | level >> first;
            }
        }
        cells != W::from(0)
    }

    /// The value of cell `j`, if `j` lies in the band and the value is less than `bound` (1 to `k + 1`).
    #[inline]
    pub fn below(&self, row: W, j: usize, bound: u8) -> Option<u8> {
        let is_at_most = |e: usize| row >> (e * self.width + j) & W::from(1) != W::from(0);
        if j > 2 * self.k || !is_at_most(usize::from(bound) - 1) {
            return None;
        }
        (0..bound).find(|&e| is_at_most(usize::from(e)))
    }
}

/// Zero bits before the first base of a profile, for cells whose prefix would have less than no bases.
const PAD: usize = MAX_TRIE_K as usize + 1;

/// The bases of many queries as four bit masks each, one for each code, so that all comparisons of a row are one
/// shift: bit `i + PAD` of mask `c` is set if base `i` has code `c`. An ambiguous base sets no bit.
#[derive(Debug, Clone)]
pub struct Profiles {
    words: Vec<u64>,
    /// 64-bit words of one mask.
    stride: usize,
}

impl Profiles {
    /// Makes an empty collection for queries of at most `longest` bases.
    pub fn new(longest: usize) -> Self {
        Self { words: Vec::new(), stride: (longest + 2 * PAD) / 64 + 2 }
    }

    /// Appends the profile of a query, given as codes 0 to 4.
    pub fn push(&mut self, codes: &[u8]) {
        let start = self.words.len();
        self.words.resize(start + 4 * self.stride, 0);
        for (i, &code) in codes.iter().enumerate().filter(|(_, code)| **code < 4) {
            let word = start + usize::from(code) * self.stride + (i + PAD) / 64;
            self.words[word] |= 1 << ((i + PAD) % 64);
        }
    }

    /// The comparisons for the row of query number `query` at a node of `depth` 1 or more whose last base is `code`:
    /// bit `j` is set if the base that cell `j` adds equals `code`. Bits above `2k` are clear.
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

    /// The edit distances of all prefixes of the query to the string.
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

    fn rows_equal_full_rows<W: RowWord>(greatest_k: usize, mut state: u64) {
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
            let band = RowBand::<W>::new(k);
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
