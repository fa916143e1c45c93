//! Columns of an alignment that are pairs of residues, as runs of identical and of different ones.
//!
//! Eight residues of both sequences are compared at a time, as the bytes of a word. So no branch depends on a single pair: in
//! distant sequences, identical pairs and different ones follow each other in no order that a processor could predict.

use super::bytes::{differences, places};
use crate::alignment::{Cigar, CigarOp};

/// Bytes of a word.
const BYTES: usize = 8;

/// Most pairs whose differences are bits of a word.
const CHUNK: usize = 64;

/// Appends the columns of the last `count` pairs of two sequences to a CIGAR, from the last pair to the first. The last residues
/// are the last pair, and a residue with the code `unknown` is identical to none.
pub(crate) fn push_backwards(
    cigar: &mut Cigar,
    (mut query, mut target): (&[u8], &[u8]),
    count: usize,
    unknown: Option<u8>,
) {
    for done in (0..count).step_by(CHUNK) {
        let mut left = (count - done).min(CHUNK) as u32;
        let mut differences = difference_bits(query, target, left, unknown);
        while left > 0 {
            let is_different = differences >> (CHUNK - 1) != 0;
            let others = if is_different { !differences } else { differences };
            let length = others.leading_zeros().min(left);
            let op = if is_different { CigarOp::Different } else { CigarOp::Equal };
            cigar.push(op, length);
            differences = differences.checked_shl(length).unwrap_or(0);
            left -= length;
        }
        query = &query[..query.len().saturating_sub(CHUNK)];
        target = &target[..target.len().saturating_sub(CHUNK)];
    }
}

/// Bits of the pairs that are not identical, among the last `count` pairs, up to [`CHUNK`]: that of the last one is the highest
/// bit. Bits of further pairs may be set.
fn difference_bits(query: &[u8], target: &[u8], count: u32, unknown: Option<u8>) -> u64 {
    let mut bits = 0;
    for done in (0..count as usize).step_by(BYTES) {
        let (codes, others) = (eight_codes_before(query, done), eight_codes_before(target, done));
        let mut marks = differences(codes, others);
        if let Some(unknown) = unknown {
            marks |= places(codes, unknown);
        }
        // The product puts each byte's mark at a place of its own in the highest byte.
        let eight_bits = marks.wrapping_mul(0x0102_0408_1020_4080) >> 56;
        bits |= eight_bits << (CHUNK - BYTES - done);
    }
    bits
}

/// Eight codes of a sequence before its last `behind` ones, the last of them in the highest byte; 0 before its begin.
fn eight_codes_before(sequence: &[u8], behind: usize) -> u64 {
    let codes = &sequence[..sequence.len().saturating_sub(behind)];
    match codes.last_chunk() {
        Some(all) => u64::from_le_bytes(*all),
        None => codes
            .iter()
            .rev()
            .zip(1..)
            .map(|(&code, place)| u64::from(code) << (64 - 8 * place))
            .sum(),
    }
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;

    use super::*;

    #[test]
    fn runs_are_those_of_the_single_pairs() {
        for seed in 0..200 {
            let mut random = Rng::with_seed(seed);
            let length = random.usize(..200);
            let codes = random.u8(1..32);
            let query: Vec<u8> = (0..length).map(|_| random.u8(..codes)).collect();
            let differ = random.u8(1..20);
            let other =
                |&code: &u8| if random.u8(..differ) == 0 { random.u8(..codes) } else { code };
            let target: Vec<u8> = query.iter().map(other).collect();
            let unknown = (seed % 2 == 0).then_some(codes - 1);
            let mut expected = Cigar::default();
            let count = random.usize(..=length);
            for (&q, &t) in query.iter().zip(&target).rev().take(count) {
                let is_equal = q == t && Some(q) != unknown;
                expected.push(if is_equal { CigarOp::Equal } else { CigarOp::Different }, 1);
            }
            let mut found = Cigar::default();
            push_backwards(&mut found, (&query, &target), count, unknown);
            assert_eq!(found, expected, "seed {seed}");
        }
    }
}
