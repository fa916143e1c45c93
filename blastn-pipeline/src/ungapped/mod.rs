//! Ungapped extension of word hits, once for each part of a diagonal.
//!
//! The score may fall by the X-drop below its best. Four bases at a time are scored first, which
//! only tells whether it is worth while to do it base by base (Zhang et al., J. Comput. Biol. 7,
//! 2000, section 4, for the packed comparison).

pub mod hits;

use bytemuck::{Pod, Zeroable};

use crate::options::Options;
use crate::query::queries::Batch;
use crate::seed::words::WordHit;
use crate::sequence::packed;

/// Words of fewer bases are extended base by base at once.
const PACKED_FROM: usize = 11;

/// An ungapped alignment that may become a gapped one.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
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

/// A subject, or a chunk of one, as it is searched.
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    /// Bases, four a byte, and 4 bytes to spare.
    pub packed: &'a [u8],
    /// Bases, one a byte.
    pub bases: &'a [u8],
}

/// Scores of four columns, given the exclusive or of their bases; nothing if words are so short that
/// extensions are not tried by four.
#[derive(Debug)]
pub struct Fours(pub(crate) Option<[i32; 256]>);

impl Fours {
    /// For some scores.
    pub fn new(options: &Options) -> Self {
        let (reward, penalty) = (options.scoring.reward, options.scoring.penalty);
        let of = |differences: usize| {
            let score = |column: usize| {
                if (differences >> (2 * column)).is_multiple_of(4) { reward } else { penalty }
            };
            (0..4).map(score).sum()
        };
        Self((options.word >= PACKED_FROM).then(|| std::array::from_fn(of)))
    }
}

/// Extends the word hits of a chunk. They come in order of their places in the subject.
pub struct Extender<'a> {
    extension: Extension<'a>,
    diagonals: &'a mut Diagonals,
}

impl<'a> Extender<'a> {
    /// Begins a chunk.
    pub fn new(
        batch: &'a Batch,
        fours: &'a Fours,
        chunk: Chunk<'a>,
        diagonals: &'a mut Diagonals,
    ) -> Self {
        diagonals.begin(batch.letters.len(), chunk.bases.len());
        Self { extension: Extension { batch, fours, chunk }, diagonals }
    }

    /// Extends hits; those that score enough are added to `found`.
    pub fn extend(&mut self, words: &[WordHit], found: &mut Vec<UngappedHit>) {
        for word in words {
            let extension = || self.extension.of(word);
            found.extend(self.diagonals.admit(word, extension));
        }
    }
}

/// Extends word hits of a chunk, whatever is known of their diagonals.
pub(crate) struct Extension<'a> {
    pub(crate) batch: &'a Batch,
    pub(crate) fours: &'a Fours,
    pub(crate) chunk: Chunk<'a>,
}

impl Extension<'_> {
    /// The extension of a word, if it scores enough.
    pub(crate) fn of(&self, word: &WordHit) -> Option<UngappedHit> {
        let context = self.batch.context_at(word.query as usize);
        let statistics = self.batch.statistics(context);
        let (drop, nearly) = (-statistics.x_drop, statistics.nearly());
        if let Fours(Some(fours)) = self.fours
            && !self.is_promising(word, fours, drop, nearly)
        {
            return None;
        }
        let hit = self.exact(word, drop);
        (hit.score >= statistics.trigger).then_some(hit)
    }

    /// Whether a run of equal bases as long as a word's begins before a word on its diagonal, so that an
    /// extension from there is likely to pass this word: to its left, within `window` columns of bases,
    /// the score does not fall by more than the X-drop in between. `length` is that of words.
    pub(crate) fn follows(&self, word: &WordHit, length: usize, window: usize) -> bool {
        let context = self.batch.context_at(word.query as usize);
        let drop = -self.batch.statistics(context).x_drop;
        let (letters, bases) = (&self.batch.letters, self.chunk.bases);
        let (query, subject) = (word.query as usize, word.subject as usize);
        let (mut sum, mut run) = (0, length);
        for i in 1..=query.min(subject).min(window) {
            let (letter, base) = (letters[query - i], bases[subject - i]);
            if letter > 3 {
                break;
            }
            run = if letter == base { run + 1 } else { 0 };
            // The word itself, if it is longer than it has to be.
            if run >= length {
                return true;
            }
            sum = (sum + self.batch.matrix.get(letter, base)).min(0);
            if sum < drop {
                break;
            }
        }
        false
    }

    /// Whether an extension by four columns at a time, from a byte of the subject on, scores enough.
    fn is_promising(&self, word: &WordHit, fours: &[i32; 256], drop: i32, enough: i32) -> bool {
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
            fours[usize::from(of_query ^ self.chunk.packed[byte])]
        };
        let leftward = (1..=left).map(|i| four(query - 4 * i, byte - i));
        let rightward = (0..right).map(|i| four(query + 4 * i, byte + i));
        let left = best_sum(leftward, drop, enough);
        left + best_sum(rightward, drop, enough - left) >= enough
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
        self.diagonals.end(self.extension.chunk.bases.len());
    }
}

/// The greatest sum of the first scores, until it drops by too much, or is enough.
fn best_sum(scores: impl Iterator<Item = i32>, drop: i32, enough: i32) -> i32 {
    let (mut best, mut sum) = (0, 0);
    for score in scores {
        if best >= enough {
            break;
        }
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
