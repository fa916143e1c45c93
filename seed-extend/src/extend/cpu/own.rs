//! Codes of each of several tasks by themselves, and how they become lanes.

use super::across::NONE;

/// Sequences of codes, in rows of one length.
#[derive(Default)]
pub(super) struct Own {
    codes: Vec<u8>,
    stride: usize,
}

/// Sequences, and places of each, that are turned at a time: bytes of a word.
const SIDE: usize = 8;

impl Own {
    /// Makes room for `count` sequences of `len` codes, all of them [`NONE`].
    pub fn clear(&mut self, count: usize, len: usize) {
        self.stride = len.next_multiple_of(SIDE);
        self.codes.clear();
        self.codes.resize(count * self.stride, NONE);
    }

    /// A sequence.
    pub fn of(&self, number: usize) -> &[u8] {
        &self.codes[number * self.stride..][..self.stride]
    }

    /// The same, to write.
    pub fn of_mut(&mut self, number: usize) -> &mut [u8] {
        &mut self.codes[number * self.stride..][..self.stride]
    }

    /// Writes the codes by places: number `l` of an array is of sequence `l`.
    pub fn transpose<const L: usize>(&self, across: &mut Vec<[u8; L]>) {
        across.clear();
        across.resize(self.stride, [NONE; L]);
        let count = self.codes.len() / self.stride.max(1);
        for lane in (0..count).step_by(SIDE) {
            let lanes = SIDE.min(count - lane);
            for (block, places) in across.chunks_exact_mut(SIDE).enumerate() {
                let mut words = [u64::from_le_bytes([NONE; SIDE]); SIDE];
                for (l, word) in words[..lanes].iter_mut().enumerate() {
                    let codes = &self.of(lane + l)[block * SIDE..];
                    if let Some(codes) = codes.first_chunk::<SIDE>() {
                        *word = u64::from_le_bytes(*codes);
                    }
                }
                turn(&mut words);
                for (place, word) in places.iter_mut().zip(words) {
                    let end = L.min(lane + SIDE);
                    place[lane..end].copy_from_slice(&word.to_le_bytes()[..end - lane]);
                }
            }
        }
    }
}

/// Byte `i` of word `j` becomes byte `j` of word `i`.
fn turn(words: &mut [u64; SIDE]) {
    for (step, mask) in
        [(1, 0x00FF_00FF_00FF_00FF_u64), (2, 0x0000_FFFF_0000_FFFF), (4, 0x0000_0000_FFFF_FFFF)]
    {
        for i in (0..SIDE).filter(|i| i & step == 0) {
            let swapped = (words[i] >> (8 * step) ^ words[i + step]) & mask;
            words[i + step] ^= swapped;
            words[i] ^= swapped << (8 * step);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_lanes() {
        let mut own = Own::default();
        let (mut across, mut alone) = (vec![[1; 16]; 3], Vec::new());
        for (count, len) in [(0, 9), (1, 0), (1, 1), (3, 7), (8, 8), (9, 23), (16, 16)] {
            own.clear(count, len);
            for lane in 0..count {
                for (place, code) in own.of_mut(lane)[..len].iter_mut().enumerate() {
                    *code = (lane * 16 + place) as u8;
                }
            }
            own.transpose(&mut across);
            assert!(across.len() >= len);
            if count == 1 {
                own.transpose::<1>(&mut alone);
                assert!(alone.iter().zip(&across).all(|(one, all)| one[0] == all[0]));
            }
            for (place, codes) in across.iter().enumerate() {
                for (lane, &code) in codes.iter().enumerate() {
                    let inside = lane < count && place < len;
                    assert_eq!(code, if inside { (lane * 16 + place) as u8 } else { NONE });
                }
            }
        }
    }
}
