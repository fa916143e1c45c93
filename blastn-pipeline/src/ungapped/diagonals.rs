//! Extension of the word hits of a chunk, once for each part of a diagonal.
//!
//! For each diagonal, the end of the last extension is kept. A word hit that begins before it is part of an alignment
//! that has been found already, or of an extension that failed, and is skipped (`s_BlastnDiagTableExtendInitialHit`
//! in NCBI's `na_ungapped.c`).

use crate::query::batch::QueryBatch;
use crate::seed::word_hits::WordHit;
use crate::ungapped::approximate_filter::{self, ApproximateFilter};
use crate::ungapped::extension::{ByteScoreTable, ChunkBases, UngappedExtender};
use crate::ungapped::hits::UngappedHit;

/// Greatest number of word hits whose diagonals are in the table together, so few that the table stays in the cache.
const MAX_WORDS: usize = 4_000;

/// The position up to which each diagonal has been explored.
///
/// Word hits come in the order of their positions in the chunk. So only diagonals that are explored beyond the last hits
/// matter to later ones, and these are few. The table has the diagonals of 4,000 hits at a time, and the few that
/// matter to them from before, however many letters the batch has.
#[derive(Debug, Default)]
pub struct ExploredDiagonals {
    /// Diagonals by their hash; one whose place is taken has the next free one. At least half are free.
    table: Vec<ExploredDiagonal>,
    /// Diagonals that are explored beyond the hits that were extended last, each once or more, the last time the farthest.
    open: Vec<ExploredDiagonal>,
}

/// A diagonal, and up to where it is explored.
#[derive(Debug, Clone, Copy, Default)]
struct ExploredDiagonal {
    /// Position in the subject minus position in the letters of the batch, as in NCBI's table of diagonals.
    diagonal: u32,
    /// One behind the last explored position of the subject; 0 in a free place of the table.
    end: u32,
}

impl ExploredDiagonals {
    /// Begins a chunk, in which nothing is explored.
    fn clear(&mut self) {
        self.open.clear();
    }

    /// Empties the table for so many word hits, apart from the diagonals that are explored beyond `position`.
    fn begin(&mut self, words: usize, position: u32) {
        self.open.retain(|explored| explored.end > position);
        let places = (2 * (words + self.open.len())).next_power_of_two();
        self.table.clear();
        self.table.resize(places, ExploredDiagonal::default());
        for explored in &self.open {
            *end_of(&mut self.table, explored.diagonal) = explored.end;
        }
    }

    /// Extends a word hit by `extension`, unless its diagonal is explored beyond its [`probe`](WordHit::probe). Later word
    /// hits have no probe before `next_probe`.
    fn admit(
        &mut self,
        word: &WordHit,
        next_probe: u32,
        extension: impl FnOnce() -> Option<UngappedHit>,
    ) -> Option<UngappedHit> {
        let diagonal = word.subject.wrapping_sub(word.query);
        let explored = end_of(&mut self.table, diagonal);
        if word.probe < *explored {
            return None;
        }
        let hit = extension();
        let end = hit.map_or(word.end, |hit| hit.subject + hit.length);
        *explored = end;
        if end > next_probe {
            self.open.push(ExploredDiagonal { diagonal, end });
        }
        hit
    }
}

/// The end of a diagonal in a table, which is added if it is new.
#[inline]
fn end_of(table: &mut [ExploredDiagonal], diagonal: u32) -> &mut u32 {
    let mask = table.len() - 1;
    // Fibonacci hashing: the high bits of the product depend on all bits of the diagonal.
    let hash = u64::from(diagonal).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
    let mut place = hash as usize & mask;
    while table[place].end != 0 && table[place].diagonal != diagonal {
        place = (place + 1) & mask;
    }
    table[place].diagonal = diagonal;
    &mut table[place].end
}

/// Extends the word hits of a chunk, which must come in the order in which the words of the chunk were looked up.
pub struct ChunkExtender<'a> {
    extension: UngappedExtender<'a>,
    filter: Option<ApproximateFilter<'a>>,
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
        diagonals.clear();
        let filter = ApproximateFilter::new(batch, byte_scores, chunk.bases);
        Self { extension: UngappedExtender { batch, byte_scores, chunk }, filter, diagonals }
    }

    /// Extends word hits, and appends the alignments that reach the
    /// [gap trigger](crate::query::context::ContextStatistics) to `found`.
    pub fn extend(&mut self, words: &[WordHit], found: &mut Vec<UngappedHit>) {
        for words in words.chunks(MAX_WORDS) {
            let (first_probe, next_probe) =
                (least_later_probe(&words[0]), least_later_probe(&words[words.len() - 1]));
            self.diagonals.begin(words.len(), first_probe);
            for words in words.chunks(approximate_filter::MAX_WORDS) {
                let filter = self.filter.as_ref();
                let columns = filter.map(|filter| filter.columns(words));
                for (number, word) in words.iter().enumerate() {
                    let passes = || {
                        let columns = filter.zip(columns.as_ref());
                        columns.is_none_or(|(filter, columns)| filter.passes(columns[number]))
                    };
                    let extension = || passes().then(|| self.extension.extend(word)).flatten();
                    found.extend(self.diagonals.admit(word, next_probe, extension));
                }
            }
        }
    }
}

/// The least probe that the word hits from this one on can have. A looked-up word is widened to the left by less than a
/// word hit is long, so the looked-up words of this and of later hits begin at its probe or behind it, and their hits less
/// than that before it.
fn least_later_probe(word: &WordHit) -> u32 {
    word.probe.saturating_sub(word.end - word.subject)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn word_hits_are_extended_where_their_diagonal_is_not_explored() {
        let (mut extended, mut passed) = (0, 0);
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let (word_size, missing) = (random.u32(4..30), random.u32(..4));
            let mut diagonals = ExploredDiagonals::default();
            // Chunks one after the other, with the same memory.
            for _ in 0..3 {
                diagonals.clear();
                let mut explored: HashMap<u32, u32> = HashMap::new();
                let (mut looked_up, range) = (missing, random.u32(1..3_000));
                for _ in 0..random.usize(1..20) {
                    let words: Vec<WordHit> = (0..random.usize(1..300))
                        .map(|_| {
                            looked_up += random.u32(..4);
                            let probe = looked_up - random.u32(..=missing);
                            let subject = probe + random.u32(..3);
                            let query = subject.wrapping_sub(random.u32(..range) * 977);
                            WordHit { query, subject, end: subject + word_size, probe }
                        })
                        .collect();
                    let lengths: Vec<Option<u32>> = (0..words.len())
                        .map(|_| (random.u8(..4) == 0).then(|| word_size + random.u32(..2_000)))
                        .collect();
                    let next_probe = least_later_probe(&words[words.len() - 1]);
                    diagonals.begin(words.len(), least_later_probe(&words[0]));
                    for (word, length) in words.iter().zip(lengths) {
                        let hit = length.map(|length| UngappedHit {
                            query: word.query,
                            subject: word.subject,
                            length,
                            score: 1,
                            seed_query: word.query,
                            seed_subject: word.subject,
                        });
                        let mut is_extended = false;
                        let found = diagonals.admit(word, next_probe, || {
                            is_extended = true;
                            hit
                        });
                        let end =
                            explored.entry(word.subject.wrapping_sub(word.query)).or_default();
                        let expected = word.probe >= *end;
                        if expected {
                            *end = hit.map_or(word.end, |hit| hit.subject + hit.length);
                            extended += 1;
                        } else {
                            passed += 1;
                        }
                        assert_eq!(is_extended, expected, "seed {seed}");
                        assert_eq!(found, hit.filter(|_| expected), "seed {seed}");
                    }
                }
            }
        }
        assert!(extended > 10_000 && passed > 10_000, "{extended} {passed}");
    }
}
