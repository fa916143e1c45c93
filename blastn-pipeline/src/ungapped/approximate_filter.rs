//! A quick test that tells of most word hits that their approximate extension scores too little.
//!
//! Most word hits are chance, and their extensions end within a few bytes of the subject. Here the columns around the first byte
//! of a word hit are compared all at once, and the scores of the bytes are added up until they fall by more than the X-drop:
//!
//! ```text
//!                 left            right          each byte has four columns
//!   letters   GATT ACAG GATT | ACAT TACA GGTA
//!   bases     CCTA AGAA GATT | ACAT TACC TTTC
//!   differ    1101 0101 0000 | 0000 0001 1101
//!   scores     -7   -2    8  |   8    3   -7     match 2, mismatch -3
//! ```
//!
//! The test takes the greatest X-drop and the least cutoff of all contexts, so that it need not know the context of a word hit.
//! Where it cannot tell, the word hit passes.

use crate::query::batch::QueryBatch;
use crate::query::context::LenientLimits;
use crate::seed::word_hits::WordHit;
use crate::ungapped::extension::{ByteScoreTable, first_byte};

/// Number of columns that are compared on each side.
const SIDE: usize = 32;

/// Greatest number of word hits that are tested together.
pub(crate) const MAX_WORDS: usize = 64;

/// A bit for each column around the first byte of a word hit, from left to right, set if it differs. `None` if there are fewer
/// columns, or a letter that is no base.
pub(crate) type DifferingColumns = Option<u64>;

/// Tests the word hits of a batch of queries.
#[derive(Debug)]
pub(crate) struct ApproximateFilter<'a> {
    /// Letters of the batch.
    letters: &'a [u8],
    /// Bases of the chunk.
    bases: &'a [u8],
    /// Scores of four columns, by the bits that say which of them differ.
    scores: [i32; 16],
    limits: LenientLimits,
}

impl<'a> ApproximateFilter<'a> {
    /// The test for word hits of a batch with the bases of a chunk; `None` if extensions are made base by base at once.
    pub(crate) fn new(
        batch: &'a QueryBatch,
        byte_scores: &ByteScoreTable,
        bases: &'a [u8],
    ) -> Option<Self> {
        let ByteScoreTable(byte_scores) = byte_scores;
        let byte_scores = byte_scores.as_ref()?;
        // A byte of the table has two bits a column, which are not both 0 where the column differs.
        let byte = |differ: usize| (0..4).map(|i| (differ >> i & 1) << (2 * i)).sum::<usize>();
        let scores = std::array::from_fn(|differ| byte_scores[byte(differ)]);
        Some(Self { letters: batch.letters(), bases, scores, limits: batch.lenient_limits() })
    }

    /// The columns around each of at most [`MAX_WORDS`] word hits.
    ///
    /// They are compared for many word hits before branches depend on any of them, since most letters are not in the cache.
    pub(crate) fn columns(&self, words: &[WordHit]) -> [DifferingColumns; MAX_WORDS] {
        let mut columns = [None; MAX_WORDS];
        for (columns, word) in columns.iter_mut().zip(words) {
            *columns = self.differing_columns(word);
        }
        columns
    }

    #[inline]
    fn differing_columns(&self, word: &WordHit) -> DifferingColumns {
        let (query, subject) = first_byte(word);
        let letters = self.letters.get(query.checked_sub(SIDE)?..query + SIDE)?.as_chunks::<8>().0;
        let bases = self.bases.get(subject.checked_sub(SIDE)?..subject + SIDE)?.as_chunks::<8>().0;
        let (mut differ, mut all_letters) = (0, 0);
        for (number, (&letters, &bases)) in letters.iter().zip(bases).enumerate() {
            let (letters, bases) = (u64::from_le_bytes(letters), u64::from_le_bytes(bases));
            all_letters |= letters;
            let both_bits = letters ^ bases;
            let low_bits = (both_bits | both_bits >> 1) & 0x0101_0101_0101_0101;
            // The product has the low bits of all eight bytes in its highest byte.
            let byte = low_bits.wrapping_mul(0x0102_0408_1020_4080) >> 56;
            differ |= byte << (8 * number);
        }
        (all_letters & 0xFCFC_FCFC_FCFC_FCFC == 0).then_some(differ)
    }

    /// Whether the approximate extension of a word hit may reach the cutoff, by the columns around it.
    #[inline]
    pub(crate) fn passes(&self, columns: DifferingColumns) -> bool {
        let Some(differ) = columns else { return true };
        let (left, right) = (differ as u32, (differ >> SIDE) as u32);
        let leftward = (0..8).rev().map(|byte| left >> (4 * byte) & 15);
        let rightward = (0..8).map(|byte| right >> (4 * byte) & 15);
        let sides = self.best_sum(leftward).zip(self.best_sum(rightward));
        sides.is_none_or(|(left, right)| left + right >= self.limits.approximate_cutoff)
    }

    /// The greatest sum of the scores of the first bytes until the X-drop; `None` if the sum has not fallen so far at the last.
    #[inline]
    fn best_sum(&self, bytes: impl Iterator<Item = u32>) -> Option<i32> {
        let (mut best, mut sum) = (0, 0);
        for differ in bytes {
            sum += self.scores[differ as usize];
            if sum > 0 {
                best += sum;
                sum = 0;
            }
            if sum < -self.limits.x_drop {
                return Some(best);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{BlastTask, SearchOptions};
    use crate::sequence::fasta::FastaRecord;
    use crate::sequence::packed;
    use crate::statistics::DatabaseSize;
    use crate::ungapped::extension::{ChunkBases, UngappedExtender};

    #[test]
    fn word_hits_that_do_not_pass_have_no_alignment() {
        let (mut dropped, mut passed, mut kept) = (0, 0, 0);
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let mut options = SearchOptions::new(BlastTask::Blastn);
            (options.scoring.reward, options.scoring.penalty) =
                [(2, -3), (1, -3), (1, -1)][seed as usize % 3];
            (options.scoring.gap_open, options.scoring.gap_extend) =
                [(5, 2), (2, 2), (4, 2)][seed as usize % 3];
            options.dust = None;
            let subject: Vec<u8> = (0..2_000).map(|_| random.u8(..4)).collect();
            // Queries of different composition, so that their limits differ; some letters are ambiguous.
            let records: Vec<FastaRecord> = (0..6)
                .map(|_| {
                    let (length, from) = (random.usize(12..400), random.usize(..1_000));
                    let rate = random.u8(1..8);
                    let mutate = |&base: &u8| match random.u8(..) {
                        0 => 14,
                        1..100 if random.u8(..rate) > 0 => random.u8(..4),
                        _ => base,
                    };
                    let letters = subject[from..from + length].iter().map(mutate).collect();
                    FastaRecord { letters, ..FastaRecord::default() }
                })
                .collect();
            let size = DatabaseSize { letters: 100_000, sequences: 9 };
            let batch = QueryBatch::new(&records, &options, size);
            let byte_scores = ByteScoreTable::new(&options);
            let mut bytes = Vec::new();
            packed::pack(subject.iter().copied(), &mut bytes);
            bytes.extend([0; 4]);
            let chunk = ChunkBases { packed: &bytes, bases: &subject };
            let filter =
                ApproximateFilter::new(&batch, &byte_scores, &subject).expect("words are long");
            let extender = UngappedExtender { batch: &batch, byte_scores: &byte_scores, chunk };
            let mut words = Vec::new();
            for context in batch.contexts.iter().filter(|context| context.statistics.is_some()) {
                for _ in 0..200 {
                    let begin = random.usize(..=context.length - 11);
                    // Half of the words are anywhere, half on the diagonal that the query is from.
                    let query = &batch.letters[context.first + begin..][..11];
                    let anywhere = random.usize(..=subject.len() - 11);
                    let place = subject.windows(11).position(|bases| bases == query);
                    let of_subject =
                        if random.bool() { anywhere } else { place.unwrap_or(anywhere) };
                    let (query, subject) = ((context.first + begin) as u32, of_subject as u32);
                    words.push(WordHit { query, subject, end: subject + 11, probe: subject });
                }
            }
            for words in words.chunks(MAX_WORDS) {
                let columns = filter.columns(words);
                for (word, columns) in words.iter().zip(columns) {
                    let hit = extender.extend(word);
                    let passes = filter.passes(columns);
                    assert!(passes || hit.is_none(), "seed {seed}: {word:?} {hit:?}");
                    *(if passes { &mut passed } else { &mut dropped }) += 1;
                    kept += usize::from(hit.is_some());
                }
            }
        }
        assert!(dropped > 10_000 && passed > kept && kept > 3_000, "{dropped} {passed} {kept}");
    }
}
