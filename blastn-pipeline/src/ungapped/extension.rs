//! Ungapped extension of one word hit.

use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::seed::word_hits::WordHit;
use crate::sequence::packed;
use crate::ungapped::hits::UngappedHit;

/// Least word size for which extensions are tried four bases at a time; with shorter words they are made base by base
/// at once.
const MIN_PACKED_WORD: usize = 11;

/// The bases of a subject, or of a chunk of one, packed and unpacked.
#[derive(Debug, Clone, Copy)]
pub struct ChunkBases<'a> {
    /// Bases, four to a byte, with 4 spare bytes behind them.
    pub packed: &'a [u8],
    /// Bases, one to a byte.
    pub bases: &'a [u8],
}

/// The score lookup table: scores of four columns at a time, by the exclusive or of a packed byte of the query and
/// one of the subject (`nucl_score_table` of NCBI's `BlastInitialWordParameters`). `None` if the word size is so
/// small that extensions are made base by base at once.
#[derive(Debug)]
pub struct ByteScoreTable(pub(crate) Option<[i32; 256]>);

impl ByteScoreTable {
    /// The table for the match and mismatch scores of the options.
    pub fn new(options: &SearchOptions) -> Self {
        let (reward, penalty) = (options.scoring.reward, options.scoring.penalty);
        let of = |differences: usize| {
            let score = |column: usize| {
                if (differences >> (2 * column)).is_multiple_of(4) { reward } else { penalty }
            };
            (0..4).map(score).sum()
        };
        Self((options.word_size >= MIN_PACKED_WORD).then(|| std::array::from_fn(of)))
    }
}

/// Extends word hits of a chunk without gaps, regardless of what is known of their diagonals.
pub(crate) struct UngappedExtender<'a> {
    pub(crate) batch: &'a QueryBatch,
    pub(crate) byte_scores: &'a ByteScoreTable,
    pub(crate) chunk: ChunkBases<'a>,
}

impl UngappedExtender<'_> {
    /// The ungapped alignment of a word hit, if it reaches the gap trigger.
    pub(crate) fn extend(&self, word: &WordHit) -> Option<UngappedHit> {
        let context = self.batch.context_at(word.query as usize);
        let statistics = self.batch.statistics(context);
        let (drop, enough) = (-statistics.x_drop, statistics.approximate_cutoff());
        if let ByteScoreTable(Some(byte_scores)) = self.byte_scores
            && !self.passes_approximate_extension(word, byte_scores, drop, enough)
        {
            return None;
        }
        let hit = self.extend_exactly(word, drop);
        (hit.score >= statistics.gap_trigger).then_some(hit)
    }

    /// The ungapped alignment of a word hit, whatever it scores. If its approximate extension scores too little, it is that
    /// extension, but ends no earlier than the word hit.
    pub(crate) fn extend_whatever(&self, word: &WordHit) -> UngappedHit {
        let statistics = self.batch.statistics(self.batch.context_at(word.query as usize));
        let drop = -statistics.x_drop;
        let Self { byte_scores: ByteScoreTable(Some(byte_scores)), .. } = self else {
            return self.extend_exactly(word, drop);
        };
        let (left, right) = self.quads(word, byte_scores);
        let ((before, of_left), (behind, of_right)) =
            (best_part(left, drop), best_part(right, drop));
        let score = of_left + of_right;
        if score >= statistics.approximate_cutoff() {
            return self.extend_exactly(word, drop);
        }
        let (query, subject) = first_byte(word);
        let (query_begin, subject_begin) = (query - 4 * before, subject - 4 * before);
        // An empty right side counts as a column.
        let columns = 4 * before + (4 * behind).max(1);
        let length = columns.max((word.end as usize).saturating_sub(subject_begin));
        UngappedHit {
            query: query_begin as u32,
            subject: subject_begin as u32,
            length: length as u32,
            score,
            seed_query: word.query,
            seed_subject: word.subject,
        }
    }

    /// Whether an extension of an earlier word hit on the same diagonal is likely to pass this one: whether within
    /// `window` columns to its left there is another run of `word_size` equal bases, and the score does not fall by
    /// more than the X-drop in between.
    pub(crate) fn is_likely_passed(&self, word: &WordHit, word_size: usize, window: usize) -> bool {
        let context = self.batch.context_at(word.query as usize);
        let drop = -self.batch.statistics(context).x_drop;
        let (letters, bases) = (&self.batch.letters, self.chunk.bases);
        let (query, subject) = (word.query as usize, word.subject as usize);
        let (mut sum, mut run) = (0, word_size);
        for i in 1..=query.min(subject).min(window) {
            let (letter, base) = (letters[query - i], bases[subject - i]);
            if letter > 3 {
                break;
            }
            run = if letter == base { run + 1 } else { 0 };
            // The run may include the word hit itself, if that is longer than a word.
            if run >= word_size {
                return true;
            }
            sum = (sum + self.batch.matrix.get(letter, base)).min(0);
            if sum < drop {
                break;
            }
        }
        false
    }

    /// Whether an approximate extension, four columns at a time from a byte of the subject on, scores at least
    /// `enough`.
    fn passes_approximate_extension(
        &self,
        word: &WordHit,
        byte_scores: &[i32; 256],
        drop: i32,
        enough: i32,
    ) -> bool {
        let (leftward, rightward) = self.quads(word, byte_scores);
        let left = best_sum(leftward, drop, enough);
        left + best_sum(rightward, drop, enough - left) >= enough
    }

    /// The scores of four columns at a time to the left and to the right of the beginning of an approximate extension.
    fn quads(
        &self,
        word: &WordHit,
        byte_scores: &[i32; 256],
    ) -> (impl Iterator<Item = i32>, impl Iterator<Item = i32>) {
        let letters = &self.batch.letters;
        let (query, subject) = first_byte(word);
        // The first letter of the batch is a sentinel.
        let left = (query - 1).min(subject) / packed::BASES;
        let length = self.chunk.bases.len();
        let right = (letters.len() - 1).saturating_sub(query).min(length.saturating_sub(subject))
            / packed::BASES;
        let byte = subject / packed::BASES;
        let four = move |query: usize, byte: usize| {
            // The code of a letter that is no base spills over into its neighbours, as in NCBI's program.
            let letter = |i: usize| letters[query + i];
            let of_query = letter(0) << 6 | letter(1) << 4 | letter(2) << 2 | letter(3);
            byte_scores[usize::from(of_query ^ self.chunk.packed[byte])]
        };
        let leftward = (1..=left).map(move |i| four(query - 4 * i, byte - i));
        (leftward, (0..right).map(move |i| four(query + 4 * i, byte + i)))
    }

    /// Extends a word hit base by base to both sides.
    fn extend_exactly(&self, word: &WordHit, drop: i32) -> UngappedHit {
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
                // An extension whose whole score would be negative gains nothing.
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

/// The greatest sum of the first scores. It stops where the sum falls by more than `drop` (negative) below the
/// greatest, or where that is `enough`.
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

/// The number of scores that make the greatest sum of the first ones, and that sum. It stops where the sum falls by more than
/// `drop` (negative) below the greatest.
fn best_part(scores: impl Iterator<Item = i32>, drop: i32) -> (usize, i32) {
    let (mut best, mut sum) = ((0, 0), 0);
    for (count, score) in (1..).zip(scores) {
        sum += score;
        if sum > 0 {
            best = (count, best.1 + sum);
            sum = 0;
        }
        if sum < drop {
            break;
        }
    }
    best
}

/// The positions in the letters of the batch and in the subject at which an approximate extension begins: at the first
/// byte of the subject from the beginning of the word hit on.
pub(crate) fn first_byte(word: &WordHit) -> (usize, usize) {
    let to_byte = (packed::BASES - word.subject as usize % packed::BASES) % packed::BASES;
    (word.query as usize + to_byte, word.subject as usize + to_byte)
}
