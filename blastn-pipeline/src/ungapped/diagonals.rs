//! Extension of the word hits of a chunk, once for each part of a diagonal.
//!
//! For each diagonal, the end of the last extension is kept. A word hit that begins before it is part of an alignment
//! that has been found already, or of an extension that failed, and is skipped (`s_BlastnDiagTableExtendInitialHit`
//! in NCBI's `na_ungapped.c`).

use crate::query::batch::QueryBatch;
use crate::seed::word_hits::WordHit;
use crate::ungapped::extension::{ByteScoreTable, ChunkBases, UngappedExtender};
use crate::ungapped::hits::UngappedHit;

/// The position up to which each diagonal has been explored.
#[derive(Debug, Default)]
pub struct ExploredDiagonals {
    /// Up to where each diagonal is explored: one behind the last explored position of the subject, plus `offset`.
    /// Diagonals share an element if they differ by a multiple of the number of elements.
    explored_to: Vec<u32>,
    /// Number added to positions of the present subject: more than any position of earlier subjects with theirs. So
    /// an element that an earlier subject has set is below all positions of this one, as if nothing were explored,
    /// and the table need not be cleared.
    offset: u32,
}

impl ExploredDiagonals {
    /// Begins a subject of `length` bases and a batch of `letters` letters.
    fn begin(&mut self, letters: usize, length: usize) {
        let needed = letters.next_power_of_two();
        let fits = self.offset.checked_add(length as u32 + 1).is_some();
        if self.explored_to.len() != needed || !fits {
            self.explored_to.clear();
            self.explored_to.resize(needed, 0);
            self.offset = 0;
        }
    }

    /// Ends a subject of `length` bases: what was explored in it counts no longer.
    fn end(&mut self, length: usize) {
        self.offset += length as u32 + 1;
    }

    /// Extends a word hit by `extension`, unless its diagonal is explored beyond its [`probe`](WordHit::probe).
    fn admit(
        &mut self,
        word: &WordHit,
        extension: impl FnOnce() -> Option<UngappedHit>,
    ) -> Option<UngappedHit> {
        let offset = self.offset;
        let explored_to = self.explored_to(word.query, word.subject);
        if word.probe + offset < *explored_to {
            return None;
        }
        let hit = extension();
        *explored_to = hit.map_or(word.end, |hit| hit.subject + hit.length) + offset;
        hit
    }

    /// Up to where a diagonal is explored. A diagonal is numbered by position in the subject minus position in the
    /// letters of the batch, as in NCBI's table of diagonals. Diagonals that share an element are so far apart that the
    /// later cannot reach the earlier.
    #[inline]
    fn explored_to(&mut self, query: u32, subject: u32) -> &mut u32 {
        let mask = self.explored_to.len() - 1;
        &mut self.explored_to[subject.wrapping_sub(query) as usize & mask]
    }
}

/// Extends the word hits of a chunk, which must come in the order of their positions in the chunk.
pub struct ChunkExtender<'a> {
    extension: UngappedExtender<'a>,
    diagonals: &'a mut ExploredDiagonals,
}

impl<'a> ChunkExtender<'a> {
    /// Begins a chunk; `diagonals` are used again for each.
    pub fn new(
        batch: &'a QueryBatch,
        byte_scores: &'a ByteScoreTable,
        chunk: ChunkBases<'a>,
        diagonals: &'a mut ExploredDiagonals,
    ) -> Self {
        Self::of_piece(batch, batch.letters.len(), byte_scores, chunk, diagonals)
    }

    /// As [`new`](Self::new), for word hits that lie within `letters` letters of the batch in a row.
    pub(crate) fn of_piece(
        batch: &'a QueryBatch,
        letters: usize,
        byte_scores: &'a ByteScoreTable,
        chunk: ChunkBases<'a>,
        diagonals: &'a mut ExploredDiagonals,
    ) -> Self {
        diagonals.begin(letters, chunk.bases.len());
        Self { extension: UngappedExtender { batch, byte_scores, chunk }, diagonals }
    }

    /// Extends word hits, and appends the alignments that reach the
    /// [gap trigger](crate::query::context::ContextStatistics) to `found`.
    pub fn extend(&mut self, words: &[WordHit], found: &mut Vec<UngappedHit>) {
        for word in words {
            let extension = || self.extension.extend(word);
            found.extend(self.diagonals.admit(word, extension));
        }
    }
}

impl Drop for ChunkExtender<'_> {
    fn drop(&mut self) {
        self.diagonals.end(self.extension.chunk.bases.len());
    }
}
