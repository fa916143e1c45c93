//! The lookup table: the positions of all words of a batch of queries.
//!
//! Words of the table are shorter than the word size of the options, which is the number of equal bases in a row that
//! an alignment must have. So only every `stride`-th word of the subject needs to be looked up: any run of
//! `word_size` equal bases contains one of them whole.
//!
//! ```text
//!   subject     ACGTTGCATGCCATTACG     word size 11, width 8, stride 11 - 8 + 1 = 4
//!   looked up   --------
//!                   --------
//!                       --------
//! ```
//!
//! The width is a matter of speed, but it determines which word of a run is met first. So it follows NCBI's choice
//! (`BatchParameters::lookup_width`).
//!
//! Of discontiguous words ([`template`](crate::seed::template)), the width is that of the template, and the stride is 1.

use std::ops::Range;
use std::sync::Arc;

use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::seed::template::TemplateTables;
use crate::seed::word_table::WordTable;

/// Number of words of the subject that are looked up together. Of a batch of genes, one word in ten occurs.
const WORDS_AHEAD: usize = 512;

/// A word of the subject that occurs in a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LookupHit {
    /// Position of the word in the letters of the batch.
    pub query: u32,
    /// Position of the word in the subject.
    pub subject: u32,
}

/// The lookup table of a batch.
#[derive(Debug)]
pub struct Lookup {
    /// Number of bases of a word, at most 12; with templates, their length.
    width: usize,
    /// Distance between the words of the subject that are looked up.
    stride: usize,
    /// Whether each word occurs in the batch, a bit each.
    present: Vec<u64>,
    /// Index in `positions` of the first position of each word, and one behind the last.
    starts: Vec<u32>,
    /// Positions in the letters of the batch, word by word, ascending for each word.
    positions: Vec<u32>,
    /// Whether a word of the table begins at each position of the batch, a bit each.
    indexed: Arc<[u64]>,
    /// Discontiguous words, if words are; then all arrays above are empty.
    templates: Option<TemplateTables>,
}

/// The arrays of a lookup table.
pub(crate) struct LookupArrays<'a> {
    /// Whether each word occurs in the batch, a bit each.
    pub(crate) present: &'a [u64],
    /// Index in `positions` of the first position of each word, and one behind the last.
    pub(crate) starts: &'a [u32],
    /// Positions in the letters of the batch.
    pub(crate) positions: &'a [u32],
    /// Whether a word of the table begins at each position of the batch, a bit each.
    pub(crate) indexed: &'a [u64],
}

impl Lookup {
    /// Indexes the unmasked words of a batch that have no ambiguous letters, on the current rayon pool. `word_size` is that
    /// of the options.
    pub fn new(batch: &QueryBatch, word_size: usize) -> Self {
        let width = batch.parameters.lookup_width;
        let WordTable { present, starts, positions, indexed } = WordTable::new(
            &batch.letters,
            |range| {
                let first = batch.segments.partition_point(|segment| segment.end <= range.start);
                let later = batch.segments[first..].iter().cloned();
                later
                    .take_while(move |segment| segment.start < range.end)
                    .filter(|segment| segment.len() >= word_size)
            },
            width,
        );
        let indexed = indexed.into();
        let stride = word_size - width + 1;
        Self { width, stride, present, starts, positions, indexed, templates: None }
    }

    /// Indexes the words that some options ask for, as [`new`](Self::new) or by templates.
    pub fn of_options(batch: &QueryBatch, options: &SearchOptions) -> Self {
        let Some(templates) = options.templates else {
            return Self::new(batch, options.word_size);
        };
        let tables = TemplateTables::new(batch, templates, options.word_size);
        Self {
            width: tables.length(),
            stride: 1,
            present: Vec::new(),
            starts: Vec::new(),
            positions: Vec::new(),
            indexed: Arc::default(),
            templates: Some(tables),
        }
    }

    /// The part of the table with the words that begin in a range of the letters of the batch. The positions at which
    /// words begin stay known for all letters, so that hits are extended as with the whole table.
    #[must_use]
    pub fn piece(&self, letters: Range<u32>) -> Self {
        let mut present = vec![0; self.present.len()];
        let (mut starts, mut positions) = (Vec::with_capacity(self.starts.len()), Vec::new());
        for (code, bounds) in self.starts.windows(2).enumerate() {
            starts.push(positions.len() as u32);
            let of_word = &self.positions[bounds[0] as usize..bounds[1] as usize];
            let before = |end: u32| of_word.partition_point(|&position| position < end);
            let own = before(letters.start)..before(letters.end);
            if !own.is_empty() {
                present[code / 64] |= 1 << (code % 64);
                positions.extend(&of_word[own]);
            }
        }
        starts.push(positions.len() as u32);
        let Self { width, stride, .. } = *self;
        let indexed = Arc::clone(&self.indexed);
        Self { width, stride, present, starts, positions, indexed, templates: None }
    }

    /// Number of positions in the table.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Number of bases of a word.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The positions of a subject of `length` bases whose words are looked up.
    pub fn subject_positions(&self, length: usize) -> impl ExactSizeIterator<Item = usize> + use<> {
        let end = (length + 1).saturating_sub(self.width);
        (0..end).step_by(self.stride)
    }

    /// Looks up the words of a subject at every `stride`-th of some positions, and appends the hits. `packed` has 4
    /// spare bytes behind the bases.
    pub fn find(&self, packed: &[u8], positions: Range<usize>, hits: &mut Vec<LookupHit>) {
        if let Some(templates) = &self.templates {
            return templates.find(packed, positions, |query, subject| {
                hits.push(LookupHit { query, subject });
            });
        }
        let mut subjects = positions.step_by(self.stride);
        let mut words = [(0_u32, 0_u32); WORDS_AHEAD];
        let mut entries = [(0_u32, 0_u32); WORDS_AHEAD];
        loop {
            // No branch depends on whether a word occurs, which is hard to predict.
            let (mut looked_up, mut present) = (0, 0);
            for subject in subjects.by_ref().take(WORDS_AHEAD) {
                let (code, is_present) = self.code(packed, subject);
                words[present] = (subject as u32, code as u32);
                present += usize::from(is_present);
                looked_up += 1;
            }
            if looked_up == 0 {
                return;
            }
            // The rest of the table, most of which is not in the cache, is read for many words before branches depend on any.
            for (entries, &(_, code)) in entries.iter_mut().zip(&words[..present]) {
                *entries = (self.starts[code as usize], self.starts[code as usize + 1]);
            }
            for (&(subject, _), &(start, end)) in words.iter().zip(&entries[..present]) {
                let of_queries = self.positions[start as usize..end as usize].iter();
                hits.extend(of_queries.map(|&query| LookupHit { query, subject }));
            }
        }
    }

    /// The code of the word at a position of a packed subject, and whether it occurs in the batch. Of a word beyond the end,
    /// which occurs nowhere, the code is any.
    #[inline]
    fn code(&self, packed: &[u8], subject: usize) -> (usize, bool) {
        let Some(&four) = packed[subject / 4..].first_chunk::<4>() else { return (0, false) };
        let shift = 32 - 2 * self.width as u32;
        let code = (u32::from_be_bytes(four) << (2 * (subject % 4)) >> shift) as usize;
        (code, self.present[code / 64] >> (code % 64) & 1 == 1)
    }

    /// Looks up the word at a position of a packed subject: the range of its entries in the table, which is empty if
    /// it does not occur.
    #[inline]
    pub(crate) fn at(&self, packed: &[u8], subject: usize) -> Range<usize> {
        let (code, is_present) = self.code(packed, subject);
        if !is_present {
            return 0..0;
        }
        self.starts[code] as usize..self.starts[code + 1] as usize
    }

    /// An entry of the table: a position in the letters of the batch.
    pub(crate) fn position(&self, entry: u32) -> u32 {
        self.positions[entry as usize]
    }

    /// The arrays of the table, as a device needs them.
    pub(crate) fn arrays(&self) -> LookupArrays<'_> {
        let Self { present, starts, positions, indexed, .. } = self;
        LookupArrays { present, starts, positions, indexed }
    }

    /// Distance between the words of the subject that are looked up.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Whether words are contiguous and have more than 8 bases: such words are those of `BlastMBLookupTable` in NCBI's program.
    pub(crate) fn is_wide(&self) -> bool {
        self.width > 8 && self.templates.is_none()
    }

    /// Number of bases of a word hit: the word size of the options, or the length of the templates.
    pub(crate) fn word_length(&self) -> usize {
        self.width + self.stride - 1
    }

    /// Whether a word of the table begins at a position of the batch.
    #[inline]
    pub(crate) fn is_indexed(&self, position: usize) -> bool {
        self.indexed[position / 64] >> (position % 64) & 1 == 1
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
            assert_eq!(
                lookup.subject_positions(subject.len()).len(),
                end.div_ceil(lookup.stride())
            );
            let mut expected = Vec::new();
            for place in lookup.subject_positions(subject.len()) {
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
