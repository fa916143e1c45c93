//! Word hits: looked-up words that are part of enough equal bases in a row.
//!
//! ```text
//!   lookup hit            --------             the word of the table
//!   word hit          ===========              word_size equal bases around it, widened to the left first
//! ```
//!
//! To *widen* a word is to compare the bases beside it, up to the word size; to *extend* is said of alignments alone.
//! This is `s_BlastNaExtend` and `s_IsSeedMasked` in NCBI's `na_ungapped.c`. Masked words and representative hits
//! (`representative_hits`) decide which word hits are worth an ungapped extension.

use crate::query::batch::QueryBatch;
use crate::seed::lookup::{Lookup, LookupHit};
use crate::sequence::equal_run::equal_run;

/// Number of columns before a hit that are compared to tell whether the hit is representative.
const COLUMNS_BEFORE: usize = 48;

/// A run of equal bases of query and subject, as long as the word size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordHit {
    /// Where the run begins in the letters of the batch.
    pub query: u32,
    /// Where the run begins in the subject.
    pub subject: u32,
    /// One behind the last position of the run in the subject.
    pub end: u32,
    /// Where the run would begin in the subject if nothing were masked. The hit is extended only if its diagonal has
    /// not been explored beyond this position.
    pub probe: u32,
}

/// Widens lookup hits to word hits and appends those to `words`; drops hits without enough equal bases in a row, or
/// with masked words. `bases` are those of the subject, one to a byte.
pub fn widen(
    batch: &QueryBatch,
    lookup: &Lookup,
    word_size: usize,
    bases: &[u8],
    hits: &[LookupHit],
    words: &mut Vec<WordHit>,
) {
    let widener = WordWidener { batch, lookup, word_size, bases };
    words.extend(hits.iter().filter_map(|&hit| widener.widen(hit)));
}

/// Widens lookup hits with one subject to word hits.
pub(crate) struct WordWidener<'a> {
    pub(crate) batch: &'a QueryBatch,
    pub(crate) lookup: &'a Lookup,
    pub(crate) word_size: usize,
    pub(crate) bases: &'a [u8],
}

impl WordWidener<'_> {
    /// The word hit around a lookup hit, if there is one. The word is widened to the left first, and to the right by
    /// what is still missing.
    pub(crate) fn widen(&self, hit: LookupHit) -> Option<WordHit> {
        let (query, subject) = (hit.query as usize, hit.subject as usize);
        let missing = self.word_size - self.lookup.width();
        if missing == 0 {
            let end = hit.subject + self.word_size as u32;
            return Some(WordHit {
                query: hit.query,
                subject: hit.subject,
                end,
                probe: hit.subject,
            });
        }
        let letters = &self.batch.letters;
        // A sentinel ends the run where the context begins.
        let before = |behind: usize| behind.saturating_sub(missing)..behind;
        let left = equal_run::<true>(&letters[before(query)], &self.bases[before(subject)]);
        let (behind, after) = (query + self.lookup.width(), subject + self.lookup.width());
        let right = missing - left;
        let of_query = letters.get(behind..behind + right)?;
        if of_query != self.bases.get(after..after + right)? {
            return None;
        }
        self.unmasked(query - left, subject - left)
    }

    /// Whether another word follows a word hit at once, and one behind the last position in the subject of the unmasked words
    /// that follow it, of at most a word size (`s_TypeOfWord` in NCBI's `na_ungapped.c`). Nothing follows a word hit that
    /// was looked up whole.
    pub(crate) fn double(&self, word: &WordHit) -> (bool, u32) {
        let width = self.lookup.width();
        if self.word_size == width {
            return (false, word.end);
        }
        let moved = (word.subject - word.probe) as usize;
        let query_end = word.query as usize - moved + self.word_size;
        let end = word.probe as usize + self.word_size;
        let context = &self.batch.contexts[self.batch.context_at(query_end)];
        let room = (context.range().end - query_end).min(self.bases.len() - end);
        let mut columns = word.end as usize - end;
        let wanted = columns + self.word_size;
        let room = room.min(wanted);
        while columns + width <= room && !self.is_masked(query_end + columns, end + columns) {
            columns += width;
        }
        let is_last_masked = |columns: usize| {
            let back = width - 1;
            self.is_masked(query_end + columns - back, end + columns - back)
        };
        while columns < room {
            if is_last_masked(columns) {
                return (false, (end + columns) as u32);
            }
            columns += 1;
        }
        (room == wanted, (end + columns) as u32)
    }

    /// Whether a lookup hit may be the one that its run of equal columns is extended from: it is a representative hit
    /// ([`representative_hits`]), or the representative hit may be masked.
    pub(crate) fn may_be_extended(&self, hit: LookupHit) -> bool {
        let (query, subject) = (hit.query as usize, hit.subject as usize);
        let before = |behind: usize| behind.saturating_sub(COLUMNS_BEFORE)..behind;
        let letters = &self.batch.letters[before(query)];
        let equal = equal_run::<true>(letters, &self.bases[before(subject)]);
        is_representative(self.lookup, self.word_size, equal)
            || (query - equal..=query).any(|position| !self.lookup.is_indexed(position))
    }

    /// The word hit of a run of equal bases that begins at a pair of positions: it is moved behind masked words at
    /// its beginning, and dropped if words within are masked.
    fn unmasked(&self, mut query: usize, mut subject: usize) -> Option<WordHit> {
        let (width, probe) = (self.lookup.width(), subject as u32);
        let (mut query_end, mut end) = (query + self.word_size, subject + self.word_size);
        if self.is_masked(query_end - width, end - width) {
            return None;
        }
        while self.is_masked(query, subject) {
            query += 1;
            subject += 1;
        }
        let lost = self.word_size - (query_end - query);
        let context = &self.batch.contexts[self.batch.context_at(query_end)];
        if lost > (context.range().end - query_end).min(self.bases.len() - end) {
            return None;
        }
        query_end += lost;
        end += lost;
        let (mut last, mut last_subject) = (query_end - width, end - width);
        while last_subject > subject {
            if self.is_masked(last, last_subject) {
                return None;
            }
            if last_subject < width {
                break;
            }
            // This is before the first letter only in the last round.
            last = last.saturating_sub(width);
            last_subject -= width;
        }
        Some(WordHit { query: query as u32, subject: subject as u32, end: end as u32, probe })
    }

    /// Whether the words of the table at a pair of positions differ, or are not in the table.
    #[inline]
    fn is_masked(&self, query: usize, subject: usize) -> bool {
        let width = self.lookup.width();
        !self.lookup.is_indexed(query)
            || self.batch.letters[query..query + width] != self.bases[subject..subject + width]
    }
}

/// Whether a lookup hit with `equal` equal columns before it, at most [`COLUMNS_BEFORE`], is representative.
///
/// Many lookup hits lie in the same run of equal columns, one every `stride` columns. No alignment ends within equal
/// columns, so when the search gets there, all of these hits are explored already, or none is. If none is, the first
/// hit is extended. If that fails, the next to be extended is the first that begins behind the word hit of the one
/// before, and so on. So the hits that can be extended at all, the *representative* ones, follow from the beginning
/// of the equal columns, if no word in between is masked. All other hits, half of those of similar sequences, need not be
/// stored.
fn is_representative(lookup: &Lookup, word_size: usize, equal: usize) -> bool {
    let (stride, missing) = (lookup.stride(), word_size - lookup.width());
    // Lookup hits are at multiples of the stride, so the distance of this one from the second hit that is extended,
    // behind the word hit of the first, is a multiple of the stride, too.
    let is_later = |behind: usize| {
        (behind - behind % stride).is_multiple_of(word_size.next_multiple_of(stride))
    };
    equal == COLUMNS_BEFORE
        || equal < stride
        || equal.checked_sub(word_size + missing).is_some_and(is_later)
}

/// The numbers of equal columns before a lookup hit that make it representative of its run of equal columns: bit `n`
/// stands for `n` columns, at most [`COLUMNS_BEFORE`].
///
/// Other hits may be extended only where words before them are masked.
pub(crate) fn representative_hits(lookup: &Lookup, word_size: usize) -> u64 {
    (0..=COLUMNS_BEFORE)
        .map(|equal| u64::from(is_representative(lookup, word_size, equal)) << equal)
        .sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use std::collections::HashMap;

    use super::*;
    use crate::options::{BlastTask, SearchOptions};
    use crate::sequence::fasta::FastaRecord;
    use crate::sequence::packed;
    use crate::statistics::DatabaseSize;

    /// A batch of one query (plus strand of `letters`) and its hits in `bases`.
    fn hits(letters: Vec<u8>, lower: Vec<std::ops::Range<u32>>, bases: &[u8]) -> Vec<WordHit> {
        let mut options = SearchOptions::new(BlastTask::Blastn);
        options.dust = None;
        options.masks_lower_case = true;
        options.strand = crate::options::Strand::Plus;
        let record = FastaRecord { letters, lower_case: lower, ..FastaRecord::default() };
        let size = DatabaseSize { letters: 1000, sequences: 1 };
        let batch = Arc::new(QueryBatch::new(&[record], &options, size));
        let lookup = Lookup::new(&batch, 11);
        let mut bytes = Vec::new();
        packed::pack(bases.iter().copied(), &mut bytes);
        bytes.extend([0; 4]);
        let (mut found, mut words) = (Vec::new(), Vec::new());
        lookup.find(&bytes, 0..(bases.len() + 1).saturating_sub(lookup.width()), &mut found);
        widen(&batch, &lookup, 11, bases, &found, &mut words);
        words
    }

    #[test]
    fn every_run_of_a_word_is_hit() {
        for seed in 0..200 {
            let mut random = fastrand::Rng::with_seed(seed);
            let query: Vec<u8> = (0..60).map(|_| random.u8(..4)).collect();
            let mut subject: Vec<u8> = (0..80).map(|_| random.u8(..4)).collect();
            let length = random.usize(5..20);
            let (from, to) = (random.usize(..=60 - length), random.usize(..=80 - length));
            subject[to..to + length].copy_from_slice(&query[from..from + length]);
            let found = hits(query.clone(), Vec::new(), &subject);
            for hit in &found {
                let (q, s) = (hit.query as usize - 1, hit.subject as usize);
                assert_eq!(query[q..q + 11], subject[s..s + 11], "seed {seed}");
                assert_eq!((hit.end, hit.probe), (hit.subject + 11, hit.subject));
            }
            let diagonals: std::collections::HashSet<i64> =
                found.iter().map(|hit| i64::from(hit.subject) - i64::from(hit.query)).collect();
            for q in 0..=60 - 11 {
                for s in 0..=80 - 11 {
                    let equal = query[q..q + 11] == subject[s..s + 11];
                    let diagonal = s as i64 - q as i64 - 1;
                    assert!(!equal || diagonals.contains(&diagonal), "seed {seed}: {q} {s}");
                }
            }
        }
    }

    #[test]
    fn masked_ends_move_a_hit_or_drop_it() {
        let mut random = fastrand::Rng::with_seed(8);
        let query: Vec<u8> = (0..40).map(|_| random.u8(..4)).collect();
        // 20 bases from place 10 on are in the subject, at place 8.
        let mut subject: Vec<u8> = query.iter().map(|base| 3 - base).collect();
        subject[8..28].copy_from_slice(&query[10..30]);
        let places = |lower| -> Vec<(u32, u32)> {
            let found = hits(query.clone(), lower, &subject);
            let on_diagonal = found.iter().filter(|hit| hit.query == hit.subject + 3);
            on_diagonal.map(|hit| (hit.query - 1, hit.end - hit.subject)).collect()
        };
        assert!(places(Vec::new()).iter().any(|&(query, length)| query <= 10 && length == 11));
        // Masked at the beginning: the run starts behind the mask.
        let found = places(vec![0..15]);
        assert!(
            !found.is_empty() && found.iter().all(|&(query, length)| query >= 15 && length == 11)
        );
        // Too little is left.
        assert!(places(vec![0..26]).is_empty());
        assert!(places(vec![14..40]).is_empty());
    }

    /// Sequences of few different stretches, some of them masked, have long equal columns and many diagonals.
    #[test]
    fn what_is_never_tried_is_not_missed() {
        let (mut all, mut left, mut words) = (0, 0, 0);
        for seed in 0..300 {
            let mut random = fastrand::Rng::with_seed(seed);
            let stretches: Vec<Vec<u8>> = (0..3)
                .map(|_| (0..random.usize(4..70)).map(|_| random.u8(..4)).collect())
                .collect();
            let mut sequence = |pieces: usize, share: usize| -> Vec<u8> {
                let of_stretch = |_| stretches[random.usize(..3)].clone();
                let mut letters = (0..pieces).flat_map(of_stretch).collect::<Vec<u8>>();
                letters
                    .iter_mut()
                    .filter(|_| random.usize(..share) == 0)
                    .for_each(|letter| *letter ^= 1);
                letters
            };
            let (query, subject) = (sequence(6, 30), sequence(12, 40));
            let task = if seed % 2 == 0 { BlastTask::Blastn } else { BlastTask::Megablast };
            let word = [11, 16, 28, 7][seed as usize / 2 % 4];
            let options = SearchOptions {
                word_size: word,
                dust: None,
                masks_lower_case: true,
                ..SearchOptions::new(task)
            };
            let lower = (0..seed % 3).map(|_| {
                let from = random.u32(..query.len() as u32);
                from..from.saturating_add(random.u32(1..20)).min(query.len() as u32)
            });
            let record = FastaRecord {
                lower_case: lower.collect(),
                letters: query,
                ..FastaRecord::default()
            };
            let size = DatabaseSize { letters: 100, sequences: 1 };
            let batch = Arc::new(QueryBatch::new(&[record], &options, size));
            let lookup = Lookup::new(&batch, word);
            let mut packed = Vec::new();
            packed::pack(subject.iter().copied(), &mut packed);
            packed.extend([0; 4]);
            let mut hits = Vec::new();
            let places = 0..(subject.len() + 1).saturating_sub(lookup.width());
            lookup.find(&packed, places, &mut hits);
            let widener =
                WordWidener { batch: &batch, lookup: &lookup, word_size: word, bases: &subject };
            // The words that are tried, some in vain and some not, whatever they score.
            let tried = |hits: &[LookupHit]| {
                let words: Vec<WordHit> =
                    hits.iter().filter_map(|&hit| widener.widen(hit)).collect();
                let mut levels = HashMap::new();
                let mut tried = Vec::new();
                for word in &words {
                    let level =
                        levels.entry(i64::from(word.subject) - i64::from(word.query)).or_insert(0);
                    if word.probe < *level {
                        continue;
                    }
                    tried.push(*word);
                    let columns = batch.letters[word.query as usize..].iter();
                    let columns = columns.zip(&subject[word.subject as usize..]);
                    let equal = columns.take_while(|(letter, base)| letter == base).count() as u32;
                    let is_found = (word.query ^ word.subject) % 3 == 0;
                    *level = if is_found { word.subject + equal } else { word.end };
                }
                (words.len(), tried)
            };
            let expected = tried(&hits);
            hits.retain(|&hit| widener.may_be_extended(hit));
            let found = tried(&hits);
            assert_eq!(found.1, expected.1, "seed {seed}");
            (all, left) = (all + expected.0, left + found.0);
            words += found.1.len();
        }
        assert!(left * 3 < all, "{left} of {all} words are left");
        assert!(words > 1_000, "{words} words are tried");
    }
}
