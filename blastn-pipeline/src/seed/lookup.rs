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
use std::sync::{Arc, LazyLock};

use crate::options::SearchOptions;
use crate::query::batch::QueryBatch;
use crate::seed::template::TemplateTables;
use crate::seed::word_table::{WordTable, word_begins};

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

/// A table that is made when it is asked for the first time.
type TableOnDemand = LazyLock<WordTable, Box<dyn FnOnce() -> WordTable + Send + Sync>>;

/// The lookup table of a batch. A device makes the table for itself, of where words begin.
#[derive(Debug)]
pub struct Lookup {
    /// Number of bases of a word, at most 12; with templates, their length.
    width: usize,
    /// Distance between the words of the subject that are looked up.
    stride: usize,
    /// The positions of each word in the letters of the batch.
    table: TableOnDemand,
    /// Whether a word of the table begins at each position of the batch, a bit each.
    begins: Arc<[u64]>,
    /// As `begins`, of the table of all letters if this is a piece of it.
    indexed: Arc<[u64]>,
    /// Discontiguous words, if words are; then there are no others.
    templates: Option<TemplateTables>,
}

/// The arrays of a lookup table.
pub struct LookupArrays<'a> {
    /// Whether each word occurs in the batch, a bit each.
    pub present: &'a [u64],
    /// Index in `positions` of the first position of each word, and one behind the last.
    pub starts: &'a [u32],
    /// Positions in the letters of the batch, word by word, ascending for each word.
    pub positions: &'a [u32],
}

/// The unmasked segments of a batch that overlap a range of its letters, and are long enough for a word.
fn segments(
    batch: &QueryBatch,
    word_size: usize,
    range: Range<usize>,
) -> impl Iterator<Item = Range<usize>> {
    let first = batch.segments.partition_point(|segment| segment.end <= range.start);
    let later = batch.segments[first..].iter().cloned();
    let overlapping = later.take_while(move |segment| segment.start < range.end);
    overlapping.filter(move |segment| segment.len() >= word_size)
}

impl Lookup {
    /// Indexes the unmasked words of a batch that have no ambiguous letters, on the current rayon pool. `word_size` is that
    /// of the options. The table itself is made when the CPU needs it.
    pub fn new(batch: &Arc<QueryBatch>, word_size: usize) -> Self {
        let width = batch.parameters.lookup_width;
        let own = |range| segments(batch, word_size, range);
        let indexed: Arc<[u64]> = word_begins(&batch.letters, own, width).into();
        let begins = Arc::clone(&indexed);
        let batch = Arc::clone(batch);
        let table = move || {
            WordTable::new(&batch.letters, |range| segments(&batch, word_size, range), width)
        };
        let table = TableOnDemand::new(Box::new(table));
        Self { width, stride: word_size - width + 1, table, begins, indexed, templates: None }
    }

    /// Indexes the words that some options ask for, as [`new`](Self::new) or by templates.
    pub fn of_options(batch: &Arc<QueryBatch>, options: &SearchOptions) -> Self {
        let Some(templates) = options.templates else {
            return Self::new(batch, options.word_size);
        };
        let tables = TemplateTables::new(batch, templates, options.word_size);
        Self {
            width: tables.length(),
            stride: 1,
            table: TableOnDemand::new(Box::new(WordTable::default)),
            begins: Arc::default(),
            indexed: Arc::default(),
            templates: Some(tables),
        }
    }

    /// The part of a table with the words that begin in a range of the letters of the batch. The positions at which
    /// words begin stay known for all letters, so that hits are extended as with the whole table.
    #[must_use]
    pub fn piece(whole: &Arc<Self>, letters: Range<u32>) -> Self {
        let Self { width, stride, .. } = **whole;
        let first_bits = |count: u64| if count < 64 { (1 << count) - 1 } else { u64::MAX };
        let before = |number: usize, place: u32| {
            first_bits(u64::from(place).saturating_sub(64 * number as u64))
        };
        let Range { start, end } = letters;
        let words = whole.begins.iter().enumerate();
        let own = words.map(|(number, word)| word & before(number, end) & !before(number, start));
        let (begins, indexed) = (own.collect(), Arc::clone(&whole.indexed));
        let whole = Arc::clone(whole);
        let table = TableOnDemand::new(Box::new(move || whole.table.part(letters)));
        Self { width, stride, table, begins, indexed, templates: None }
    }

    /// Makes the table, on the current rayon pool, if it was not made yet: before several threads of the pool use it, as each
    /// would wait for one that waits for them.
    pub(crate) fn prepare(&self) {
        LazyLock::force(&self.table);
    }

    /// Whether a word of the table begins at each position of the batch, a bit each.
    pub(crate) fn begins(&self) -> &[u64] {
        &self.begins
    }

    /// Number of positions in the table.
    pub(crate) fn len(&self) -> usize {
        self.begins.iter().map(|word| word.count_ones() as usize).sum()
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
    pub fn find(&self, packed: &[u8], places: Range<usize>, hits: &mut Vec<LookupHit>) {
        if let Some(templates) = &self.templates {
            return templates.find(packed, places, |query, subject| {
                hits.push(LookupHit { query, subject });
            });
        }
        let mut subjects = places.step_by(self.stride);
        let WordTable { present: known, starts, positions } = &*self.table;
        let mut words = [(0_u32, 0_u32); WORDS_AHEAD];
        let mut entries = [(0_u32, 0_u32); WORDS_AHEAD];
        loop {
            // No branch depends on whether a word occurs, which is hard to predict.
            let (mut looked_up, mut present) = (0, 0);
            for subject in subjects.by_ref().take(WORDS_AHEAD) {
                let (code, is_present) = self.code(known, packed, subject);
                words[present] = (subject as u32, code as u32);
                present += usize::from(is_present);
                looked_up += 1;
            }
            if looked_up == 0 {
                return;
            }
            // The rest of the table, most of which is not in the cache, is read for many words before branches depend on any.
            for (entries, &(_, code)) in entries.iter_mut().zip(&words[..present]) {
                *entries = (starts[code as usize], starts[code as usize + 1]);
            }
            for (&(subject, _), &(start, end)) in words.iter().zip(&entries[..present]) {
                let of_queries = positions[start as usize..end as usize].iter();
                hits.extend(of_queries.map(|&query| LookupHit { query, subject }));
            }
        }
    }

    /// The code of the word at a position of a packed subject, and whether it occurs in the batch, given the bits that say so of all
    /// words. Of a word beyond the end, which occurs nowhere, the code is any.
    #[inline]
    fn code(&self, present: &[u64], packed: &[u8], subject: usize) -> (usize, bool) {
        let Some(&four) = packed[subject / 4..].first_chunk::<4>() else { return (0, false) };
        let shift = 32 - 2 * self.width as u32;
        let code = (u32::from_be_bytes(four) << (2 * (subject % 4)) >> shift) as usize;
        (code, present[code / 64] >> (code % 64) & 1 == 1)
    }

    /// Looks up the word at a position of a packed subject: the range of its entries in the table, which is empty if
    /// it does not occur.
    #[inline]
    pub(crate) fn at(&self, packed: &[u8], subject: usize) -> Range<usize> {
        let table = &*self.table;
        let (code, is_present) = self.code(&table.present, packed, subject);
        if !is_present {
            return 0..0;
        }
        table.starts[code] as usize..table.starts[code + 1] as usize
    }

    /// An entry of the table: a position in the letters of the batch.
    pub(crate) fn position(&self, entry: u32) -> u32 {
        self.table.positions[entry as usize]
    }

    /// The arrays of the table.
    pub fn arrays(&self) -> LookupArrays<'_> {
        let WordTable { present, starts, positions } = &*self.table;
        LookupArrays { present, starts, positions }
    }

    /// Whether a word begins at each position of the batch, in this piece of it or another one, a bit each.
    pub(crate) fn indexed(&self) -> &[u64] {
        &self.indexed
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
            let size = DatabaseSize { letters: 1000, sequences: 1 };
            let batch = Arc::new(QueryBatch::new(&records, &options, size));
            let lookup = Arc::new(Lookup::new(&batch, word));
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
            for piece in pieces.map(|letters| Lookup::piece(&lookup, letters)) {
                piece.find(&bytes, 0..end, &mut hits);
            }
            hits.sort_by_key(|hit| (hit.subject, hit.query));
            expected.sort_by_key(|hit| (hit.subject, hit.query));
            assert_eq!(hits, expected, "seed {seed}, pieces");
        }
    }
}
