//! Edit distances, a bit a cell (Myers, J. ACM 46, 1999; in words with carries between them by Hyyro,
//! 2003), as `cuda/edit.cu` computes them; here with a pair a lane.
//!
//! A bit stands for a row. Of each column there are only the vertical differences to the row above,
//! 1, 0 or -1, in two words of 64 rows; the horizontal difference below a word is carried to the next.

// Everything is inlined into the functions for one kind of processor each.
#![allow(clippy::inline_always)]

use std::array::from_fn;

use super::rows::Lanes;

/// Pairs that are computed together: two vectors of 256 bits, whose steps overlap.
pub(super) const LANES: usize = 8;

/// Rows of a word.
const ROWS: usize = u64::BITS as usize;

/// A word of each lane.
type Words = Lanes<u64, LANES>;

/// Codes, a bit of each in a word of its own, and which are those of known nucleotides.
#[derive(Debug, Clone, Copy)]
struct Codes {
    low: Words,
    high: Words,
    known: Words,
}

/// 64 rows of a column.
#[derive(Debug, Clone, Copy)]
struct Block {
    rows: Codes,
    /// Vertical differences of 1 and of -1.
    rises: Words,
    falls: Words,
}

/// The edit distances of up to [`LANES`] pairs of sequences of nucleotides, as codes; those that are
/// unknown are equal to nothing.
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

#[inline(always)]
fn compute(pairs: &[(&[u8], &[u8])]) -> [u32; LANES] {
    let rows = pairs.iter().map(|pair| pair.0.len()).max().unwrap_or(0);
    let columns = pairs.iter().map(|pair| pair.1.len()).max().unwrap_or(0);
    let mut blocks: Vec<Block> =
        (0..rows.div_ceil(ROWS)).map(|number| Block::new(pairs, number * ROWS)).collect();
    // Without columns, all residues of the query are left over.
    let mut found = from_fn(|lane| pairs.get(lane).map_or(0, |pair| pair.0.len() as u32));
    for column in 0..columns {
        let codes = Codes::of_column(pairs, column);
        // The row above the first one rises by 1 with each column.
        let (mut rises, mut falls) = ([1; LANES], [0; LANES]);
        for block in &mut blocks {
            (rises, falls) = block.step(&codes, rises, falls);
        }
        for (lane, (query, target)) in pairs.iter().enumerate() {
            if target.len() == column + 1 {
                let down = |(block, rows): (&Block, &[u8])| block.sum(lane, rows.len());
                let sum: i64 = blocks.iter().zip(query.chunks(ROWS)).map(down).sum();
                found[lane] = (target.len() as i64 + sum) as u32;
            }
        }
    }
    found
}

impl Codes {
    const NONE: Self = Self { low: [0; LANES], high: [0; LANES], known: [0; LANES] };

    /// Sets the bits `mask` of a lane to a code.
    #[inline(always)]
    fn set(&mut self, lane: usize, mask: u64, code: u8) {
        let of_bit = |set: bool| if set { mask } else { 0 };
        self.low[lane] |= of_bit(code & 1 != 0);
        self.high[lane] |= of_bit(code & 2 != 0);
        self.known[lane] |= of_bit(code < 4);
    }

    /// The codes of a column, in all bits; beyond a target's end unknown.
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

impl Block {
    /// The rows from `first` on, in column 0: each is one more than the one above it.
    fn new(pairs: &[(&[u8], &[u8])], first: usize) -> Self {
        let mut rows = Codes::NONE;
        for (lane, (query, _)) in pairs.iter().enumerate() {
            for (row, &code) in query.iter().skip(first).take(ROWS).enumerate() {
                rows.set(lane, 1 << row, code);
            }
        }
        Self { rows, rises: [u64::MAX; LANES], falls: [0; LANES] }
    }

    /// Goes on to the next column, with these codes. Takes the horizontal differences above the block,
    /// whether they are 1 and whether they are -1, and gives those of its last row.
    #[inline(always)]
    fn step(&mut self, codes: &Codes, rises_above: Words, falls_above: Words) -> (Words, Words) {
        let (mut rises_below, mut falls_below) = ([0; LANES], [0; LANES]);
        for l in 0..LANES {
            let alike = !(self.rows.low[l] ^ codes.low[l]) & !(self.rows.high[l] ^ codes.high[l]);
            let equal = alike & self.rows.known[l] & codes.known[l];
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

    /// The differences of a lane down the first `rows` rows, of 1 to 64.
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
