//! Looked-up words to runs of equal bases as long as a hit must be.

use crate::query::batch::QueryBatch;
use crate::seed::lookup::{Lookup, LookupHit};

/// Columns before a hit that are looked at to tell whether it may be tried.
const BEFORE: usize = 48;

/// A run of equal bases of query and subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordHit {
    /// Where it begins in the batch's letters.
    pub query: u32,
    /// Where it begins in the subject.
    pub subject: u32,
    /// Where it ends in the subject.
    pub end: u32,
    /// Where it would begin if nothing were masked: a hit is tried once for each part of a diagonal,
    /// and this tells which part.
    pub probe: u32,
}

/// Extends looked-up words, to the left first and only as far as needed, to `word` equal bases, the
/// words of which must not be masked at the ends; drops those that cannot be.
///
/// `bases` are those of the subject.
pub fn extend(
    batch: &QueryBatch,
    lookup: &Lookup,
    word: usize,
    bases: &[u8],
    hits: &[LookupHit],
    words: &mut Vec<WordHit>,
) {
    let run = WordExtender { batch, lookup, word, bases };
    words.extend(hits.iter().filter_map(|&hit| run.extend(hit)));
}

/// What looked-up words are extended with, as [`extend`] says.
pub(crate) struct WordExtender<'a> {
    pub(crate) batch: &'a QueryBatch,
    pub(crate) lookup: &'a Lookup,
    pub(crate) word: usize,
    pub(crate) bases: &'a [u8],
}

impl WordExtender<'_> {
    /// One of them.
    pub(crate) fn extend(&self, hit: LookupHit) -> Option<WordHit> {
        let (query, subject) = (hit.query as usize, hit.subject as usize);
        let missing = self.word - self.lookup.width();
        if missing == 0 {
            let end = hit.subject + self.word as u32;
            return Some(WordHit {
                query: hit.query,
                subject: hit.subject,
                end,
                probe: hit.subject,
            });
        }
        let letters = &self.batch.letters;
        // A sentinel ends this before the context does.
        let left = (1..=missing.min(subject))
            .take_while(|i| letters[query - i] == self.bases[subject - i])
            .count();
        let (behind, after) = (query + self.lookup.width(), subject + self.lookup.width());
        let right = missing - left;
        let of_query = letters.get(behind..behind + right)?;
        if of_query != self.bases.get(after..after + right)? {
            return None;
        }
        self.unmasked(query - left, subject - left)
    }

    /// Whether the rule of diagonals ([`crate::ungapped`]) may try this hit, if it has a run: it has a turn
    /// ([`turns`]), or what would have had one may be masked.
    pub(crate) fn may_be_extended(&self, hit: LookupHit) -> bool {
        let (query, subject) = (hit.query as usize, hit.subject as usize);
        let is_equal = |i: &usize| self.batch.letters[query - i] == self.bases[subject - i];
        let equal = (1..=BEFORE.min(subject)).take_while(is_equal).count();
        is_representative(self.lookup, self.word, equal)
            || (query - equal..=query).any(|place| !self.lookup.is_indexed(place))
    }

    /// The run from where it is not masked on, extended to the right by what it lost on the left.
    fn unmasked(&self, mut query: usize, mut subject: usize) -> Option<WordHit> {
        let (width, probe) = (self.lookup.width(), subject as u32);
        let (mut query_end, mut end) = (query + self.word, subject + self.word);
        if self.is_masked(query_end - width, end - width) {
            return None;
        }
        while self.is_masked(query, subject) {
            query += 1;
            subject += 1;
        }
        let lost = self.word - (query_end - query);
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
            // Before the first letter only if this was the last round.
            last = last.saturating_sub(width);
            last_subject -= width;
        }
        Some(WordHit { query: query as u32, subject: subject as u32, end: end as u32, probe })
    }

    /// Whether the word at these places is not the same, or not looked up.
    #[inline]
    fn is_masked(&self, query: usize, subject: usize) -> bool {
        let width = self.lookup.width();
        !self.lookup.is_indexed(query)
            || self.batch.letters[query..query + width] != self.bases[subject..subject + width]
    }
}

/// Whether a hit with so many equal columns before it, up to [`BEFORE`], has a turn.
///
/// Most hits are others of the same equal columns: they follow each other by the stride. No alignment ends
/// within equal columns, so on arrival all of these are explored, or none is. In the second case the first
/// hit is tried. If that is in vain, the next is the first that begins behind its run, and so on: which
/// these are follows from where the equal columns begin, if no place in between is masked. Others are never
/// tried, and need not be remembered.
fn is_representative(lookup: &Lookup, word: usize, equal: usize) -> bool {
    let (stride, missing) = (lookup.stride(), word - lookup.width());
    // Hits are at multiples of the stride: so the second one that is tried, behind the run of the first, and this
    // one are multiples of it apart.
    let is_later =
        |behind: usize| (behind - behind % stride).is_multiple_of(word.next_multiple_of(stride));
    equal == BEFORE || equal < stride || equal.checked_sub(word + missing).is_some_and(is_later)
}

/// Which hits have a turn: a bit for each number of equal columns before it, the lowest for none.
///
/// A hit that has none may be tried all the same where places before it are masked.
pub(crate) fn representative_hits(lookup: &Lookup, word: usize) -> u64 {
    (0..=BEFORE).map(|equal| u64::from(is_representative(lookup, word, equal)) << equal).sum()
}

#[cfg(test)]
mod tests {
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
        let batch =
            QueryBatch::new(&[record], &options, DatabaseSize { letters: 1000, sequences: 1 });
        let lookup = Lookup::new(&batch, 11);
        let mut bytes = Vec::new();
        packed::pack(bases.iter().copied(), &mut bytes);
        bytes.extend([0; 4]);
        let (mut found, mut words) = (Vec::new(), Vec::new());
        lookup.find(&bytes, 0..(bases.len() + 1).saturating_sub(lookup.width()), &mut found);
        extend(&batch, &lookup, 11, bases, &found, &mut words);
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
            let batch =
                QueryBatch::new(&[record], &options, DatabaseSize { letters: 100, sequences: 1 });
            let lookup = Lookup::new(&batch, word);
            let mut packed = Vec::new();
            packed::pack(subject.iter().copied(), &mut packed);
            packed.extend([0; 4]);
            let mut hits = Vec::new();
            let places = 0..(subject.len() + 1).saturating_sub(lookup.width());
            lookup.find(&packed, places, &mut hits);
            let run = WordExtender { batch: &batch, lookup: &lookup, word, bases: &subject };
            // The words that are tried, some in vain and some not, whatever they score.
            let tried = |hits: &[LookupHit]| {
                let words: Vec<WordHit> = hits.iter().filter_map(|&hit| run.extend(hit)).collect();
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
            hits.retain(|&hit| run.may_be_extended(hit));
            let found = tried(&hits);
            assert_eq!(found.1, expected.1, "seed {seed}");
            (all, left) = (all + expected.0, left + found.0);
            words += found.1.len();
        }
        assert!(left * 3 < all, "{left} of {all} words are left");
        assert!(words > 1_000, "{words} words are tried");
    }
}
