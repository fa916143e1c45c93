//! Codes of several sequences as vectors, with a lane for each sequence.
//!
//! Eight codes of each of eight sequences are a square of bytes, which is transposed. All squares of a vector are transposed at the
//! same time, so that plain code becomes vector instructions:
//!
//! ```text
//!   words of 64 bits, each with 8 codes of a sequence       vectors of 8 residues, with a byte for each sequence
//!      row 0    s0  s8   s16  ...                              s0 s1 ... s7   s8  s9  ...      first residues
//!      row 1    s1  s9   s17  ...        -->                   s0 s1 ... s7   s8  s9  ...      second residues
//!      ...
//! ```

// Everything is inlined into the functions that are compiled for one kind of instructions each.
#![allow(clippy::inline_always)]

use super::bytes::places;
use super::simd::{Simd, SimdJob, Word};

/// Rows and columns of a square, which are bytes of a word.
const SQUARE: usize = 8;

/// Most squares of a vector.
const MAX_SQUARES: usize = 8;

/// A word of each square of a vector.
type SquareRow = [u64; MAX_SQUARES];

/// Makes vectors of the codes of up to `L` sequences, residue after residue. Lanes without a sequence, and residues beyond the end of
/// one, have the code 0.
pub(crate) struct Interleaving<'a, const L: usize> {
    pub sequences: &'a [&'a [u8]],
    /// A code that becomes the next one, if there is one.
    pub incremented: Option<u8>,
}

impl<S: Simd<L>, const L: usize> SimdJob<S> for Interleaving<'_, L> {
    type Output = Vec<S::Vector>;

    #[inline(always)]
    fn run(self, simd: S) -> Vec<S::Vector> {
        let longest = self.sequences.iter().map(|sequence| sequence.len()).max().unwrap_or(0);
        let mut vectors = Vec::with_capacity(longest.next_multiple_of(SQUARE));
        for from in (0..longest).step_by(SQUARE) {
            let mut rows = [[0; MAX_SQUARES]; SQUARE];
            for lane in 0..self.sequences.len().min(L) {
                rows[lane % SQUARE][lane / SQUARE] = eight_codes(self.sequences[lane], from);
            }
            transpose::<L>(&mut rows);
            for row in &mut rows {
                if let Some(code) = self.incremented {
                    for codes in row.iter_mut().take(L / SQUARE) {
                        *codes += places(*codes, code);
                    }
                }
                let mut words = [S::Word::default(); L];
                for square in 0..L / SQUARE {
                    let codes = row[square].to_le_bytes();
                    for place in 0..SQUARE {
                        words[SQUARE * square + place] = S::Word::of(codes[place].into());
                    }
                }
                vectors.push(simd.vector(&words));
            }
        }
        vectors.truncate(longest);
        vectors
    }
}

/// Eight codes of a sequence, the first one in the lowest byte; 0 beyond its end.
#[inline(always)]
fn eight_codes(sequence: &[u8], from: usize) -> u64 {
    let codes = sequence.get(from..).unwrap_or_default();
    match codes.first_chunk() {
        Some(all) => u64::from_le_bytes(*all),
        None => codes.iter().rev().fold(0, |eight, &code| eight << 8 | u64::from(code)),
    }
}

/// Transposes the squares of a vector of `L` bytes: swaps squares of one byte in them, then of two, then of four.
#[inline(always)]
fn transpose<const L: usize>(rows: &mut [SquareRow; SQUARE]) {
    for (size, mask) in [(1, 0x00ff_00ff_00ff_00ff), (2, 0x0000_ffff_0000_ffff), (4, 0xffff_ffff)] {
        for row in (0..SQUARE).filter(|row| row & size == 0) {
            let (upper_rows, lower_rows) = rows.split_at_mut(row + size);
            let squares = upper_rows[row].iter_mut().zip(&mut lower_rows[0]);
            for (upper, lower) in squares.take(L / SQUARE) {
                (*upper, *lower) = (
                    *upper & mask | (*lower & mask) << (8 * size),
                    *upper >> (8 * size) & mask | *lower & !mask,
                );
            }
        }
    }
}
