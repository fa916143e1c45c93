//! Chunks of a long subject, which are searched one by one so that threads and devices can share the work.

use std::ops::Range;

use crate::sequence::packed;

/// Greatest number of bases of a chunk (`MAX_DBSEQ_LEN` in NCBI's `blast_def.h`).
const CHUNK: usize = 5_000_000;
/// Number of bases that a chunk shares with the next, or a few more (`DBSEQ_CHUNK_OVERLAP` in NCBI's `blast_def.h`).
pub(crate) const OVERLAP: usize = 100;

/// The chunks of a subject of `length` bases. Each begins with a byte of the packed bases.
pub(crate) fn chunks(length: usize) -> Vec<Range<usize>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    while start + CHUNK < length {
        chunks.push(start..start + CHUNK);
        start += CHUNK - OVERLAP;
        start -= start % packed::BASES;
    }
    chunks.push(start..length);
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_overlap_and_cover() {
        for length in [0, 1, CHUNK, CHUNK + 1, 3 * CHUNK, 64_444_167] {
            let chunks = chunks(length);
            assert_eq!((chunks[0].start, chunks[chunks.len() - 1].end), (0, length));
            for two in chunks.windows(2) {
                assert!(two[1].start.is_multiple_of(packed::BASES));
                assert!(two[0].end - two[1].start >= OVERLAP && two[1].end > two[0].end);
            }
        }
    }
}
