//! Extension of the word hits of a chunk, once for each part of a diagonal.

use crate::query::batch::QueryBatch;
use crate::seed::word_hits::WordHit;
use crate::ungapped::extension::{ByteScoreTable, ChunkBases, UngappedExtender};
use crate::ungapped::hits::UngappedHit;

/// How far each diagonal has been explored.
#[derive(Debug, Default)]
pub struct ExploredDiagonals {
    /// One behind the last place that is explored, plus the offset.
    levels: Vec<u32>,
    /// Grows with each subject, so that no level of an earlier one counts.
    offset: u32,
}

impl ExploredDiagonals {
    /// Prepares for a subject of `length` bases and a batch of `letters`.
    fn begin(&mut self, letters: usize, length: usize) {
        let needed = letters.next_power_of_two();
        let fits = self.offset.checked_add(length as u32 + 1).is_some();
        if self.levels.len() != needed || !fits {
            self.levels.clear();
            self.levels.resize(needed, 0);
            self.offset = 0;
        }
    }

    /// Forgets a subject of `length` bases.
    fn end(&mut self, length: usize) {
        self.offset += length as u32 + 1;
    }

    /// Extends a word unless its part of the diagonal is explored.
    fn admit(
        &mut self,
        word: &WordHit,
        extension: impl FnOnce() -> Option<UngappedHit>,
    ) -> Option<UngappedHit> {
        let offset = self.offset;
        let level = self.level(word.query, word.subject);
        if word.probe + offset < *level {
            return None;
        }
        let hit = extension();
        *level = hit.map_or(word.end, |hit| hit.subject + hit.length) + offset;
        hit
    }

    /// Diagonals that share a level are so far apart that the later cannot reach the earlier.
    #[inline]
    fn level(&mut self, query: u32, subject: u32) -> &mut u32 {
        let mask = self.levels.len() - 1;
        &mut self.levels[subject.wrapping_sub(query) as usize & mask]
    }
}

/// Extends the word hits of a chunk. They come in order of their places in the subject.
pub struct ChunkExtender<'a> {
    extension: UngappedExtender<'a>,
    diagonals: &'a mut ExploredDiagonals,
}

impl<'a> ChunkExtender<'a> {
    /// Begins a chunk.
    pub fn new(
        batch: &'a QueryBatch,
        byte_scores: &'a ByteScoreTable,
        chunk: ChunkBases<'a>,
        diagonals: &'a mut ExploredDiagonals,
    ) -> Self {
        diagonals.begin(batch.letters.len(), chunk.bases.len());
        Self { extension: UngappedExtender { batch, byte_scores, chunk }, diagonals }
    }

    /// Extends hits; those that score enough are added to `found`.
    pub fn extend(&mut self, words: &[WordHit], found: &mut Vec<UngappedHit>) {
        for word in words {
            let extension = || self.extension.of(word);
            found.extend(self.diagonals.admit(word, extension));
        }
    }
}

impl Drop for ChunkExtender<'_> {
    fn drop(&mut self) {
        self.diagonals.end(self.extension.chunk.bases.len());
    }
}
