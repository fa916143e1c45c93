//! The words of a batch of queries: where each is.
//!
//! Words are shorter than what an alignment must have in a row, so that the subject needs to be read
//! only every few bases: of a run of `word` equal bases, one of the words at every `stride`-th place
//! of the subject lies within. How long they are is a matter of speed, but as it decides which part
//! of a run is met first, it follows NCBI's choice (`manner`).

use std::ops::Range;
use std::sync::Arc;

use crate::query::batch::QueryBatch;

/// A word of the subject that is in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookupHit {
    /// Place in the batch's letters.
    pub query: u32,
    /// Place in the subject.
    pub subject: u32,
}

/// Where the words of a batch are.
#[derive(Debug)]
pub struct Lookup {
    /// Bases of a word.
    width: usize,
    /// Bases between words that are read of the subject.
    stride: usize,
    /// Which words there are, a bit each.
    present: Vec<u64>,
    /// Where the places of each word begin in `places`, and the end.
    starts: Vec<u32>,
    /// Places in the batch's letters, ascending for each word.
    places: Vec<u32>,
    /// Places at which a word begins, a bit each.
    indexed: Arc<[u64]>,
}

impl Lookup {
    /// Indexes the unmasked words of a batch, those with ambiguous letters left out, for hits of
    /// `word` bases.
    pub fn new(batch: &QueryBatch, word: usize) -> Self {
        let width = batch.parameters.lookup_width;
        let count = 1usize << (2 * width);
        let mut starts = vec![0u32; count + 1];
        let mut indexed = vec![0u64; batch.letters.len() / 64 + 1];
        let long_enough = || batch.segments.iter().filter(|segment| segment.len() >= word);
        for segment in long_enough() {
            for_each_word(&batch.letters, segment.clone(), width, |code, place| {
                starts[code] += 1;
                indexed[place / 64] |= 1 << (place % 64);
            });
        }
        let mut present = vec![0u64; count.div_ceil(64)];
        let mut sum = 0;
        for (code, start) in starts.iter_mut().enumerate() {
            if *start > 0 {
                present[code / 64] |= 1 << (code % 64);
            }
            sum += *start;
            *start = sum;
        }
        // From the last place to the first, each start moves down to where its places begin.
        let mut places = vec![0u32; sum as usize];
        for segment in batch.segments.iter().rev().filter(|segment| segment.len() >= word) {
            let mut of_segment = Vec::with_capacity(segment.len());
            for_each_word(&batch.letters, segment.clone(), width, |code, place| {
                of_segment.push((code, place));
            });
            for (code, place) in of_segment.into_iter().rev() {
                starts[code] -= 1;
                places[starts[code] as usize] = place as u32;
            }
        }
        let indexed = indexed.into();
        Self { width, stride: word - width + 1, present, starts, places, indexed }
    }

    /// The words that begin at some of the batch's letters. Which letters words begin at is known of all, so
    /// that hits are extended alike.
    #[must_use]
    pub fn piece(&self, letters: Range<u32>) -> Self {
        let mut present = vec![0; self.present.len()];
        let (mut starts, mut places) = (Vec::with_capacity(self.starts.len()), Vec::new());
        for (code, bounds) in self.starts.windows(2).enumerate() {
            starts.push(places.len() as u32);
            let of_word = &self.places[bounds[0] as usize..bounds[1] as usize];
            let before = |end: u32| of_word.partition_point(|&place| place < end);
            let own = before(letters.start)..before(letters.end);
            if !own.is_empty() {
                present[code / 64] |= 1 << (code % 64);
                places.extend(&of_word[own]);
            }
        }
        starts.push(places.len() as u32);
        let Self { width, stride, .. } = *self;
        Self { width, stride, present, starts, places, indexed: Arc::clone(&self.indexed) }
    }

    /// How many places it has.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Bases of a word.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The places in the subject whose words are looked up.
    pub fn places(&self, length: usize) -> impl ExactSizeIterator<Item = usize> + use<> {
        let end = (length + 1).saturating_sub(self.width);
        (0..end).step_by(self.stride)
    }

    /// Looks up the words of a subject (packed, with 4 bytes to spare) at some places.
    pub fn find(&self, packed: &[u8], places: Range<usize>, hits: &mut Vec<LookupHit>) {
        for subject in places.step_by(self.stride) {
            let of_queries = &self.places[self.at(packed, subject)];
            let subject = subject as u32;
            hits.extend(of_queries.iter().map(|&query| LookupHit { query, subject }));
        }
    }

    /// Looks up the word at a place of a subject; gives where its places are in the table.
    #[inline]
    pub(crate) fn at(&self, packed: &[u8], subject: usize) -> Range<usize> {
        let Some(&four) = packed[subject / 4..].first_chunk::<4>() else { return 0..0 };
        let shift = 32 - 2 * self.width as u32;
        let code = (u32::from_be_bytes(four) << (2 * (subject % 4)) >> shift) as usize;
        if self.present[code / 64] >> (code % 64) & 1 == 0 {
            return 0..0;
        }
        self.starts[code] as usize..self.starts[code + 1] as usize
    }

    /// An entry of the table: a place in the batch's letters.
    pub(crate) fn place(&self, entry: u32) -> u32 {
        self.places[entry as usize]
    }

    /// For a device: which words there are, where the places of each begin, the places, and at which
    /// places a word begins.
    pub(crate) fn tables(&self) -> (&[u64], &[u32], &[u32], &[u64]) {
        (&self.present, &self.starts, &self.places, &self.indexed)
    }

    /// Bases between places that are looked up.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Whether a word begins at a place of the batch.
    #[inline]
    pub(crate) fn is_indexed(&self, place: usize) -> bool {
        self.indexed[place / 64] >> (place % 64) & 1 == 1
    }
}

/// Passes on the words of a range of letters that have no ambiguous ones, with their places.
fn for_each_word(
    letters: &[u8],
    range: Range<usize>,
    width: usize,
    mut take: impl FnMut(usize, usize),
) {
    let mask = (1usize << (2 * width)) - 1;
    let (mut code, mut bases) = (0, 0);
    for place in range {
        let letter = letters[place];
        if letter > 3 {
            bases = 0;
            continue;
        }
        code = code << 2 & mask | usize::from(letter);
        bases += 1;
        if bases >= width {
            take(code, place + 1 - width);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::{BlastTask, SearchOptions};
    use crate::sequence::fasta::FastaRecord;
    use crate::sequence::packed;
    use crate::statistics::DatabaseSize;

    #[test]
    fn every_word_is_found_where_it_is() {
        for seed in 0..30 {
            let mut random = fastrand::Rng::with_seed(seed);
            let letter = |random: &mut fastrand::Rng| match random.u8(..30) {
                0 => 14,
                _ => random.u8(..4),
            };
            let mut options = SearchOptions::new(BlastTask::Blastn);
            options.masks_lower_case = true;
            let word = random.usize(4..14);
            let records: Vec<FastaRecord> = (0..4)
                .map(|_| FastaRecord {
                    letters: (0..random.usize(0..300)).map(|_| letter(&mut random)).collect(),
                    ..FastaRecord::default()
                })
                .map(|record| {
                    let length = record.letters.len() as u32;
                    FastaRecord { lower_case: vec![length / 3..length / 2], ..record }
                })
                .collect();
            options.word_size = word;
            let batch =
                QueryBatch::new(&records, &options, DatabaseSize { letters: 1000, sequences: 1 });
            let lookup = Lookup::new(&batch, word);
            let subject: Vec<u8> = (0..400).map(|_| random.u8(..4)).collect();
            let mut bytes = Vec::new();
            packed::pack(subject.iter().copied(), &mut bytes);
            bytes.extend([0; 4]);
            let mut hits = Vec::new();
            let end = subject.len() + 1 - lookup.width();
            lookup.find(&bytes, 0..end, &mut hits);
            assert_eq!(lookup.places(subject.len()).len(), end.div_ceil(lookup.stride()));
            let mut expected = Vec::new();
            for place in lookup.places(subject.len()) {
                let of_subject = &subject[place..place + lookup.width()];
                for segment in batch.segments.iter().filter(|segment| segment.len() >= word) {
                    for query in segment.start..=segment.end - lookup.width() {
                        if batch.letters[query..query + lookup.width()] == *of_subject {
                            let (query, subject) = (query as u32, place as u32);
                            expected.push(LookupHit { query, subject });
                            assert!(lookup.is_indexed(query as usize));
                        }
                    }
                }
            }
            assert_eq!(hits, expected, "seed {seed}");
            let seam = random.u32(..=batch.letters.len() as u32);
            let pieces = [0..seam, seam..batch.letters.len() as u32];
            let mut hits = Vec::new();
            for piece in pieces.map(|letters| lookup.piece(letters)) {
                piece.find(&bytes, 0..end, &mut hits);
            }
            hits.sort_by_key(|hit| (hit.subject, hit.query));
            expected.sort_by_key(|hit| (hit.subject, hit.query));
            assert_eq!(hits, expected, "seed {seed}, pieces");
        }
    }
}
