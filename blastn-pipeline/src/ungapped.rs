//! Ungapped extension of word hits, once for each part of a diagonal.
//!
//! The score may fall by the X-drop below its best. Four bases at a time are scored first, which
//! only tells whether it is worth while to do it base by base (Zhang et al., J. Comput. Biol. 7,
//! 2000, section 4, for the packed comparison).

use crate::options::Options;
use crate::packed;
use crate::queries::{Batch, Statistics};
use crate::words::WordHit;

/// Words of fewer bases are extended base by base at once.
const PACKED_FROM: usize = 11;

/// Of the score that is needed, what an extension four bases at a time must reach.
const NEARLY: f64 = 0.8;

/// An ungapped alignment that may become a gapped one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UngappedHit {
    /// Where it begins in the batch's letters.
    pub query: u32,
    /// Where it begins in the subject.
    pub subject: u32,
    /// Its columns.
    pub length: u32,
    /// The sum over its columns.
    pub score: i32,
    /// The word it was extended from: place in the batch's letters.
    pub seed_query: u32,
    /// And in the subject.
    pub seed_subject: u32,
}

/// How far each diagonal has been explored.
#[derive(Debug, Default)]
pub struct Diagonals {
    /// One behind the last place that is explored, plus the offset.
    levels: Vec<u32>,
    /// Grows with each subject, so that no level of an earlier one counts.
    offset: u32,
}

impl Diagonals {
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

    /// Diagonals that share a level are so far apart that the later cannot reach the earlier.
    #[inline]
    fn level(&mut self, query: u32, subject: u32) -> &mut u32 {
        let mask = self.levels.len() - 1;
        &mut self.levels[subject.wrapping_sub(query) as usize & mask]
    }
}

/// A subject, or a chunk of one, as it is searched.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Bases, four a byte, and 4 bytes to spare.
    pub packed: &'a [u8],
    /// Bases, one a byte.
    pub bases: &'a [u8],
}

/// Extends the word hits of a chunk. They come in order of their places in the subject.
pub struct Extender<'a> {
    batch: &'a Batch,
    chunk: Chunk<'a>,
    by_four: bool,
    /// Scores of four columns, given the exclusive or of their bases.
    fours: [i32; 256],
    diagonals: &'a mut Diagonals,
}

impl<'a> Extender<'a> {
    /// Begins a chunk.
    pub fn new(
        batch: &'a Batch,
        options: &Options,
        chunk: Chunk<'a>,
        diagonals: &'a mut Diagonals,
    ) -> Self {
        diagonals.begin(batch.letters.len(), chunk.bases.len());
        let (reward, penalty) = (options.scoring.reward, options.scoring.penalty);
        let fours = std::array::from_fn(|differences| {
            let score = |column: usize| {
                if (differences >> (2 * column)).is_multiple_of(4) { reward } else { penalty }
            };
            (0..4).map(score).sum()
        });
        Self { batch, chunk, by_four: options.word >= PACKED_FROM, fours, diagonals }
    }

    /// Extends hits; those that score enough are added to `found`.
    pub fn extend(&mut self, words: &[WordHit], found: &mut Vec<UngappedHit>) {
        let offset = self.diagonals.offset;
        for word in words {
            let level = *self.diagonals.level(word.query, word.subject);
            if word.probe + offset < level {
                continue;
            }
            let context = self.batch.context_at(word.query as usize);
            let statistics = self.batch.statistics(context);
            let hit = self.extension(word, statistics);
            let end = match hit {
                Some(hit) if hit.score >= statistics.trigger => {
                    found.push(hit);
                    hit.subject + hit.length
                }
                _ => word.end,
            };
            *self.diagonals.level(word.query, word.subject) = end + offset;
        }
    }

    /// The extension of a word, if it may score enough.
    fn extension(&self, word: &WordHit, statistics: &Statistics) -> Option<UngappedHit> {
        let enough = (NEARLY * f64::from(statistics.trigger)) as i32;
        if self.by_four && self.approximate(word, -statistics.x_drop) < enough {
            return None;
        }
        Some(self.exact(word, -statistics.x_drop))
    }

    /// The score of an extension by four columns at a time, from a byte of the subject on.
    fn approximate(&self, word: &WordHit, drop: i32) -> i32 {
        let letters = &self.batch.letters;
        let to_byte = (packed::BASES - word.subject as usize % packed::BASES) % packed::BASES;
        let (query, subject) = (word.query as usize + to_byte, word.subject as usize + to_byte);
        // The first letter of the batch is a sentinel.
        let left = (query - 1).min(subject) / packed::BASES;
        let length = self.chunk.bases.len();
        let right = (letters.len() - 1).saturating_sub(query).min(length.saturating_sub(subject))
            / packed::BASES;
        let byte = subject / packed::BASES;
        let four = |query: usize, byte: usize| {
            // A letter that is no base spills over into its neighbours.
            let letter = |i: usize| letters[query + i];
            let of_query = letter(0) << 6 | letter(1) << 4 | letter(2) << 2 | letter(3);
            self.fours[usize::from(of_query ^ self.chunk.packed[byte])]
        };
        let leftward = (1..=left).map(|i| four(query - 4 * i, byte - i));
        let rightward = (0..right).map(|i| four(query + 4 * i, byte + i));
        best_sum(leftward, drop) + best_sum(rightward, drop)
    }

    fn exact(&self, word: &WordHit, drop: i32) -> UngappedHit {
        let (letters, bases) = (&self.batch.letters, self.chunk.bases);
        let (query, subject) = (word.query as usize, word.subject as usize);
        let matrix = &self.batch.matrix;
        let (mut score, mut sum) = (0, 0);
        let (mut before, mut behind) = (0, 0);
        for i in 1..=query.min(subject) {
            sum += matrix.get(letters[query - i], bases[subject - i]);
            if sum > 0 {
                before = i;
                score += sum;
                sum = 0;
            } else if sum < drop {
                break;
            }
        }
        sum = 0;
        let mut limit = drop;
        for i in 0..(letters.len() - query).min(bases.len() - subject) {
            sum += matrix.get(letters[query + i], bases[subject + i]);
            if sum > 0 {
                behind = i + 1;
                score += sum;
                sum = 0;
                // Nothing is gained by an extension whose score as a whole is negative.
                limit = drop.max(-score);
            } else if sum < limit {
                break;
            }
        }
        UngappedHit {
            query: (query - before) as u32,
            subject: (subject - before) as u32,
            length: (before + behind) as u32,
            score,
            seed_query: word.query,
            seed_subject: word.subject,
        }
    }
}

impl Drop for Extender<'_> {
    fn drop(&mut self) {
        self.diagonals.end(self.chunk.bases.len());
    }
}

/// The greatest sum of the first scores, until it drops by too much.
fn best_sum(scores: impl Iterator<Item = i32>, drop: i32) -> i32 {
    let (mut best, mut sum) = (0, 0);
    for score in scores {
        sum += score;
        if sum > 0 {
            best += sum;
            sum = 0;
        }
        if sum < drop {
            break;
        }
    }
    best
}
