//! Alignments without gaps, on packed bases.
//!
//! Nearly all alignments of few differences have none but mismatches. Those are where the exclusive or
//! of two packed texts is not 0, found 32 bases at a time.

use crate::alignment::{Cigar, Op};

/// Bases in a word.
pub const BASES: usize = 32;

/// The lower bit of each base of a word.
const LOWER: u64 = 0x5555_5555_5555_5555;

/// A query, two bits a base, the first one in the lowest bits.
#[derive(Debug, Clone, Default)]
pub struct Packed {
    words: Vec<u64>,
    /// The lower bit of each base that is unknown, and so equals nothing.
    unknown: Vec<u64>,
    length: usize,
}

impl Packed {
    /// Takes the codes of another query.
    pub fn set(&mut self, codes: &[u8]) {
        self.length = codes.len();
        self.words.clear();
        self.unknown.clear();
        for chunk in codes.chunks(BASES) {
            let (mut word, mut unknown) = (0, 0);
            for (i, &code) in chunk.iter().enumerate() {
                word |= u64::from(code & 3) << (2 * i);
                unknown |= u64::from(code >> 2) << (2 * i);
            }
            self.words.push(word);
            self.unknown.push(unknown);
        }
    }

    /// Appends, for every word, the lower bit of each base that differs from the text from `start` on.
    /// The text must hold as many bases from there on.
    pub fn differences(&self, text: &[u64], start: u32, differences: &mut Vec<u64>) {
        let shift = 2 * (start as usize % BASES);
        let text = &text[start as usize / BASES..];
        for (number, &word) in self.words.iter().enumerate() {
            // The last word may have no successor, but then nothing of that is wanted.
            let high = text.get(number + 1).map_or(0, |word| (word << 1) << (63 - shift));
            let differs = word ^ (text[number] >> shift | high);
            let known = self.length - number * BASES;
            let wanted = if known < BASES { LOWER & ((1 << (2 * known)) - 1) } else { LOWER };
            differences.push((differs | differs >> 1 | self.unknown[number]) & wanted);
        }
    }
}

/// The alignment of a query of `length` bases with these differences, if they are as many as `distance`,
/// the least there. It is the preferred one then: the text is as long as the read, and as no path to a
/// cell of the diagonal is better, the diagonal is followed.
pub fn align(differences: &[u64], length: usize, distance: u8) -> Option<Cigar> {
    let mismatches: u32 = differences.iter().map(|word| word.count_ones()).sum();
    if mismatches != u32::from(distance) {
        return None;
    }
    let mut cigar = Cigar::new();
    let mut done = 0;
    for (number, &word) in differences.iter().enumerate() {
        let mut left = word;
        while left != 0 {
            let place = number * BASES + left.trailing_zeros() as usize / 2;
            left &= left - 1;
            match cigar.last_mut() {
                Some((Op::Different, count)) if place == done => *count += 1,
                _ => {
                    if place > done {
                        cigar.push((Op::Equal, (place - done) as u32));
                    }
                    cigar.push((Op::Different, 1));
                }
            }
            done = place + 1;
        }
    }
    if length > done {
        cigar.push((Op::Equal, (length - done) as u32));
    }
    Some(cigar)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The alignment base by base.
    fn naive(query: &[u8], text: &[u8], distance: u8) -> Option<Cigar> {
        let ops: Vec<Op> = query
            .iter()
            .zip(text)
            .map(|(q, t)| if q == t { Op::Equal } else { Op::Different })
            .collect();
        let mismatches = ops.iter().filter(|&&op| op == Op::Different).count();
        let runs = ops.chunk_by(|left, right| left == right);
        (mismatches == usize::from(distance))
            .then(|| runs.map(|run| (run[0], run.len() as u32)).collect())
    }

    #[test]
    fn every_length_and_start_is_as_base_by_base() {
        let mut state = 11_u64;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            (state >> 33) % below
        };
        let text: Vec<u8> = (0..160).map(|_| random(4) as u8).collect();
        let pack = |chunk: &[u8]| {
            chunk.iter().enumerate().map(|(i, &c)| u64::from(c) << (2 * i)).sum::<u64>()
        };
        let words: Vec<u64> = text.chunks(BASES).map(pack).collect();
        let mut packed = Packed::default();
        for start in 0..=text.len() {
            for length in 0..=text.len() - start {
                let mut query = text[start..start + length].to_vec();
                for _ in 0..random(5).min(length as u64) {
                    query[random(length as u64) as usize] = random(5) as u8;
                }
                packed.set(&query);
                let mut differences = Vec::new();
                packed.differences(&words, start as u32, &mut differences);
                for distance in 0..5 {
                    assert_eq!(
                        align(&differences, length, distance),
                        naive(&query, &text[start..], distance),
                        "start {start}, length {length}, distance {distance}"
                    );
                }
            }
        }
    }
}
