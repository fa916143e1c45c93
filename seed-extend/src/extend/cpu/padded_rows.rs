//! Sequences of codes in rows of one length, and their interleaved layout.

/// The code of padding: of a place outside of the window, beyond the query, or of a lane without a task.
const NONE: u8 = 7;

/// Sequences of codes, a row each, padded to one length.
#[derive(Default)]
pub(super) struct PaddedRows {
    codes: Vec<u8>,
    stride: usize,
}

/// Side of the square blocks of codes that are transposed at a time: the bytes of a word.
const SIDE: usize = 8;

impl PaddedRows {
    /// Resizes to `count` rows of `len` codes, all of them [`NONE`].
    pub fn clear(&mut self, count: usize, len: usize) {
        self.stride = len.next_multiple_of(SIDE);
        self.codes.clear();
        self.codes.resize(count * self.stride, NONE);
    }

    /// The codes of a row, with its padding.
    pub fn row(&self, number: usize) -> &[u8] {
        &self.codes[number * self.stride..][..self.stride]
    }

    /// The codes of a row, to write them.
    pub fn row_mut(&mut self, number: usize) -> &mut [u8] {
        &mut self.codes[number * self.stride..][..self.stride]
    }

    /// Writes the interleaved layout: element `l` of array `i` is code `i` of row `l`.
    pub fn interleave<const L: usize>(&self, interleaved: &mut Vec<[u8; L]>) {
        interleaved.clear();
        interleaved.resize(self.stride, [NONE; L]);
        let count = self.codes.len() / self.stride.max(1);
        for lane in (0..count).step_by(SIDE) {
            let lanes = SIDE.min(count - lane);
            for (block, places) in interleaved.chunks_exact_mut(SIDE).enumerate() {
                let mut words = [u64::from_le_bytes([NONE; SIDE]); SIDE];
                for (l, word) in words[..lanes].iter_mut().enumerate() {
                    let codes = &self.row(lane + l)[block * SIDE..];
                    if let Some(codes) = codes.first_chunk::<SIDE>() {
                        *word = u64::from_le_bytes(*codes);
                    }
                }
                transpose(&mut words);
                for (place, word) in places.iter_mut().zip(words) {
                    let end = L.min(lane + SIDE);
                    place[lane..end].copy_from_slice(&word.to_le_bytes()[..end - lane]);
                }
            }
        }
    }
}

/// Transposes a block: byte `i` of word `j` becomes byte `j` of word `i`.
fn transpose(words: &mut [u64; SIDE]) {
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
        let mut own = PaddedRows::default();
        let (mut interleaved, mut alone) = (vec![[1; 16]; 3], Vec::new());
        for (count, len) in [(0, 9), (1, 0), (1, 1), (3, 7), (8, 8), (9, 23), (16, 16)] {
            own.clear(count, len);
            for lane in 0..count {
                for (place, code) in own.row_mut(lane)[..len].iter_mut().enumerate() {
                    *code = (lane * 16 + place) as u8;
                }
            }
            own.interleave(&mut interleaved);
            assert!(interleaved.len() >= len);
            if count == 1 {
                own.interleave::<1>(&mut alone);
                assert!(alone.iter().zip(&interleaved).all(|(one, all)| one[0] == all[0]));
            }
            for (place, codes) in interleaved.iter().enumerate() {
                for (lane, &code) in codes.iter().enumerate() {
                    let inside = lane < count && place < len;
                    assert_eq!(code, if inside { (lane * 16 + place) as u8 } else { NONE });
                }
            }
        }
    }
}
