//! Looked-up words to runs of equal bases as long as a hit must be.

use crate::lookup::{Lookup, LookupHit};
use crate::queries::Batch;

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
    batch: &Batch,
    lookup: &Lookup,
    word: usize,
    bases: &[u8],
    hits: &[LookupHit],
    words: &mut Vec<WordHit>,
) {
    let run = Run { batch, lookup, word, bases };
    words.extend(hits.iter().filter_map(|&hit| run.through(hit)));
}

/// What looked-up words are extended with, as [`extend`] says.
pub(crate) struct Run<'a> {
    pub(crate) batch: &'a Batch,
    pub(crate) lookup: &'a Lookup,
    pub(crate) word: usize,
    pub(crate) bases: &'a [u8],
}

impl Run<'_> {
    /// One of them.
    pub(crate) fn through(&self, hit: LookupHit) -> Option<WordHit> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fasta::Record;
    use crate::options::{Options, Task};
    use crate::packed;
    use crate::queries::Extent;

    /// A batch of one query (plus strand of `letters`) and its hits in `bases`.
    fn hits(letters: Vec<u8>, lower: Vec<std::ops::Range<u32>>, bases: &[u8]) -> Vec<WordHit> {
        let mut options = Options::new(Task::Blastn);
        options.dust = None;
        options.mask_lower = true;
        options.strand = crate::options::Strand::Plus;
        let record = Record { letters, lower, ..Record::default() };
        let batch = Batch::new(&[record], &options, Extent { letters: 1000, sequences: 1 });
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
}
