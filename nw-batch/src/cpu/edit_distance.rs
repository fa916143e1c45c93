//! Edit distances with a bit for each matrix cell (Myers, J. ACM 46, 1999), in words with carries between them (Hyyro,
//! 2003). `cuda/edit.cu` computes the same; here a SIMD lane has a pair.
//!
//! Each bit of a word is a row. A column is kept as the differences of its cells to the cells above them, which are 1,
//! 0 or -1: two words (rises and falls) for every 64 rows. The difference of the last of these rows to the column
//! before is carried on to the next 64.
//!
//! ```text
//!            column j-1   column j
//!   row i-1      a  ------->  b        horizontal difference b - a, carried in from the word above
//!                |            |
//!   row i        c            d        vertical differences c - a (kept of column j-1) and d - b (computed)
//! ```

// Everything is inlined into the functions for one kind of processor each.
#![allow(clippy::inline_always)]

use std::array::from_fn;

/// Pairs that are computed together: two vectors of 256 bits, whose instructions overlap.
pub(super) const LANES: usize = 8;

/// Rows of a word.
const ROWS: usize = u64::BITS as usize;

/// A word for each lane.
type Words = [u64; LANES];

/// Codes of residues, one residue a bit: the low bits of all codes in one word, the high bits in another, and in a
/// third which residues are known nucleotides.
#[derive(Debug, Clone, Copy)]
struct CodeBits {
    low: Words,
    high: Words,
    known: Words,
}

/// 64 rows of the current column.
#[derive(Debug, Clone, Copy)]
struct RowWord {
    /// Codes of the query's residues.
    query: CodeBits,
    /// Bits of the cells that are 1 more than the cell above.
    rises: Words,
    /// Bits of the cells that are 1 less than the cell above.
    falls: Words,
}

/// Edit distances of up to [`LANES`] pairs of nucleotide sequences, given as codes. Unknown residues are equal to
/// nothing. Lanes without a pair get 0.
pub(super) fn distances(pairs: &[(&[u8], &[u8])]) -> [u32; LANES] {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            #[allow(unsafe_code)]
            // SAFETY: the processor has these instructions.
            return unsafe { distances_avx2(pairs) };
        }
    }
    compute(pairs)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn distances_avx2(pairs: &[(&[u8], &[u8])]) -> [u32; LANES] {
    compute(pairs)
}

/// [`distances`], for any processor.
#[inline(always)]
fn compute(pairs: &[(&[u8], &[u8])]) -> [u32; LANES] {
    let rows = pairs.iter().map(|pair| pair.0.len()).max().unwrap_or(0);
    let columns = pairs.iter().map(|pair| pair.1.len()).max().unwrap_or(0);
    let mut blocks: Vec<RowWord> =
        (0..rows.div_ceil(ROWS)).map(|number| RowWord::new(pairs, number * ROWS)).collect();
    // The distance to an empty target is the query's length.
    let mut distances = from_fn(|lane| pairs.get(lane).map_or(0, |pair| pair.0.len() as u32));
    for column in 0..columns {
        let codes = CodeBits::of_column(pairs, column);
        // Row 0 rises by 1 with each column.
        let (mut rises, mut falls) = ([1; LANES], [0; LANES]);
        for block in &mut blocks {
            (rises, falls) = block.step(&codes, rises, falls);
        }
        for (lane, (query, target)) in pairs.iter().enumerate() {
            if target.len() == column + 1 {
                let down = |(block, rows): (&RowWord, &[u8])| block.sum(lane, rows.len());
                let sum: i64 = blocks.iter().zip(query.chunks(ROWS)).map(down).sum();
                distances[lane] = (target.len() as i64 + sum) as u32;
            }
        }
    }
    distances
}

impl CodeBits {
    /// Codes of no residues: all bits are 0.
    const NONE: Self = Self { low: [0; LANES], high: [0; LANES], known: [0; LANES] };

    /// Sets the residues of a lane with the bits `mask`, which were unset, to a code.
    #[inline(always)]
    fn set(&mut self, lane: usize, mask: u64, code: u8) {
        let of_bit = |set: bool| if set { mask } else { 0 };
        self.low[lane] |= of_bit(code & 1 != 0);
        self.high[lane] |= of_bit(code & 2 != 0);
        self.known[lane] |= of_bit(code < 4);
    }

    /// Code of the target's residue in a column, in all bits; unknown beyond a target's end.
    #[inline(always)]
    fn of_column(pairs: &[(&[u8], &[u8])], column: usize) -> Self {
        let mut codes = Self::NONE;
        for (lane, (_, target)) in pairs.iter().enumerate() {
            if let Some(&code) = target.get(column) {
                codes.set(lane, u64::MAX, code);
            }
        }
        codes
    }
}

impl RowWord {
    /// Rows from `first` (from 0) on, in column 0, where each cell is 1 more than the cell above.
    fn new(pairs: &[(&[u8], &[u8])], first: usize) -> Self {
        let mut rows = CodeBits::NONE;
        for (lane, (query, _)) in pairs.iter().enumerate() {
            for (row, &code) in query.iter().skip(first).take(ROWS).enumerate() {
                rows.set(lane, 1 << row, code);
            }
        }
        Self { query: rows, rises: [u64::MAX; LANES], falls: [0; LANES] }
    }

    /// Advances to the next column, whose residues have these codes. Takes the horizontal differences of the row above
    /// (bit 0 of the two words: 1, -1), and returns those of the last row.
    #[inline(always)]
    fn step(&mut self, codes: &CodeBits, rises_above: Words, falls_above: Words) -> (Words, Words) {
        let (mut rises_below, mut falls_below) = ([0; LANES], [0; LANES]);
        for l in 0..LANES {
            let alike = !(self.query.low[l] ^ codes.low[l]) & !(self.query.high[l] ^ codes.high[l]);
            let equal = alike & self.query.known[l] & codes.known[l];
            let vertical = equal | self.falls[l];
            let equal = equal | falls_above[l];
            let up = self.rises[l];
            let diagonal = ((equal & up).wrapping_add(up) ^ up) | equal;
            let rises = self.falls[l] | !(diagonal | up);
            let falls = up & diagonal;
            rises_below[l] = rises >> (ROWS - 1);
            falls_below[l] = falls >> (ROWS - 1);
            let (rises, falls) = (rises << 1 | rises_above[l], falls << 1 | falls_above[l]);
            self.rises[l] = falls | !(vertical | rises);
            self.falls[l] = rises & vertical;
        }
        (rises_below, falls_below)
    }

    /// Sum of a lane's vertical differences over the first `rows` rows, 1 to 64.
    fn sum(&self, lane: usize, rows: usize) -> i64 {
        let inside = u64::MAX >> (ROWS - rows);
        let count = |words: &Words| i64::from((words[lane] & inside).count_ones());
        count(&self.rises) - count(&self.falls)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_that_can_be_counted_by_hand() {
        let pairs: [(&[u8], &[u8]); 7] = [
            (&[], &[]),
            (&[], &[1, 2, 3]),
            (&[1; 130], &[]),
            (&[0, 1, 2, 3], &[0, 2, 2, 3, 3]),
            (&[1; 64], &[1; 65]),
            (&[4; 70], &[4; 70]),
            (&[3; 200], &[3; 190]),
        ];
        assert_eq!(distances(&pairs), [0, 3, 130, 2, 1, 70, 10, 0]);
        assert_eq!(compute(&pairs), distances(&pairs));
        assert_eq!(distances(&[]), [0; LANES]);
    }
}
