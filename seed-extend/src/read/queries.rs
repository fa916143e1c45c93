//! Reads as queries: the base codes of both orientations, one a byte and 32 a word.

use std::ops::Range;

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;
use aligner_core::seq::UNKNOWN;

use fm_index::fetch;
use rayon::prelude::*;

use crate::read::encoding::{encode_both, pack, reverse_complement, reversed};
use crate::read::packed::{BASES, PackedQuery};

/// Reads that one task of the thread pool handles, one after the other.
pub(crate) const READS_PER_TASK: usize = 256;

/// Ranges of at most [`READS_PER_TASK`] of `reads` reads, in order.
pub(crate) fn read_ranges(reads: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let range =
        move |number: usize| number * READS_PER_TASK..reads.min((number + 1) * READS_PER_TASK);
    (0..reads.div_ceil(READS_PER_TASK)).into_par_iter().map(range)
}

/// The codes of a batch of reads in both orientations. Query `2r` is read `r` as sequenced, query `2r + 1` its reverse
/// complement, so that every query aligns along the forward strand of the reference. Codes are 0 to 3 for A, C, G and
/// T, and [`UNKNOWN`] (4) for other letters, which match nothing.
#[derive(Debug, Clone)]
pub struct Queries {
    codes: Vec<u8>,
    /// Start of each query in `codes`, and the end of the last query.
    offsets: Vec<u32>,
    /// The codes in two bits a base, the first base in the lowest bits; [`UNKNOWN`] as 0. Every query begins a word.
    words: Vec<u64>,
    /// Words like `words`, with the lower bit of each base that is [`UNKNOWN`] set.
    unknown: Vec<u64>,
    /// First word of each query, and the end of the last query.
    word_offsets: Vec<u32>,
}

impl Default for Queries {
    fn default() -> Self {
        Self {
            codes: Vec::new(),
            offsets: vec![0],
            words: Vec::new(),
            unknown: Vec::new(),
            word_offsets: vec![0],
        }
    }
}

impl Queries {
    /// Encodes reads, letters in either case, on the current rayon pool.
    ///
    /// # Panics
    /// If the reads have 2^31 bases or more.
    pub fn new<'r>(reads: impl IntoIterator<Item = &'r [u8]>) -> Self {
        Self::default().replaced(reads)
    }

    /// Encodes other reads in the memory of these, which is faster than new memory.
    ///
    /// # Panics
    /// If the reads have 2^31 bases or more.
    #[must_use]
    pub fn replaced<'r>(self, reads: impl IntoIterator<Item = &'r [u8]>) -> Self {
        let Self { mut codes, mut offsets, words: mut packed, mut unknown, mut word_offsets } =
            self;
        let reads: Vec<&[u8]> = reads.into_iter().collect();
        for offsets in [&mut offsets, &mut word_offsets] {
            offsets.clear();
            offsets.reserve(2 * reads.len() + 1);
            offsets.push(0);
        }
        let (mut bases, mut words) = (0, 0);
        for read in &reads {
            for _ in 0..2 {
                bases += read.len();
                words += read.len().div_ceil(BASES);
                offsets.push(bases as u32);
                word_offsets.push(words as u32);
            }
        }
        assert!(u32::try_from(bases).is_ok(), "a batch has less than 2^31 bases");
        codes.resize(bases, 0);
        packed.resize(words, 0);
        unknown.resize(words, 0);
        let mut parts = Vec::new();
        let mut rest = (&mut codes[..], &mut packed[..], &mut unknown[..]);
        for part in reads.chunks(READS_PER_TASK) {
            let bases = 2 * part.iter().map(|read| read.len()).sum::<usize>();
            let words = 2 * part.iter().map(|read| read.len().div_ceil(BASES)).sum::<usize>();
            let (of_codes, of_packed, of_unknown) = rest;
            let (codes, more_codes) = of_codes.split_at_mut(bases);
            let (packed, more_packed) = of_packed.split_at_mut(words);
            let (unknown, more_unknown) = of_unknown.split_at_mut(words);
            rest = (more_codes, more_packed, more_unknown);
            parts.push((part, UnfilledQueries { codes, packed, unknown }));
        }
        parts.into_par_iter().for_each(|(part, mut unfilled)| {
            for read in part {
                unfilled.push(read);
            }
        });
        Self { codes, offsets, words: packed, unknown, word_offsets }
    }

    /// Number of queries: twice that of reads.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of one query, a byte each.
    pub fn codes(&self, query: u32) -> &[u8] {
        let query = query as usize;
        &self.codes[self.offsets[query] as usize..self.offsets[query + 1] as usize]
    }

    /// The codes of all queries, one query after the other.
    pub fn all_codes(&self) -> &[u8] {
        &self.codes
    }

    /// Start of each query in [`all_codes`](Self::all_codes), and the end of the last query.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The packed bases of all queries, 32 a word; every query begins a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// Words like [`words`](Self::words), with the lower bit of each unknown base set.
    pub fn unknown(&self) -> &[u64] {
        &self.unknown
    }

    /// First word of each query, and the end of the last query.
    pub fn word_offsets(&self) -> &[u32] {
        &self.word_offsets
    }

    /// Start of a query in [`all_codes`](Self::all_codes).
    pub fn start(&self, query: u32) -> u32 {
        self.offsets[query as usize]
    }

    /// Number of bases of a read.
    pub fn bases(&self, read: u32) -> u32 {
        self.offsets[2 * read as usize + 1] - self.offsets[2 * read as usize]
    }

    /// 32 bases of a query from a place on, packed, and whether the first `length` of them, 1 to 32, are known. Bases behind
    /// the query are of other queries, or 0.
    #[allow(clippy::inline_always)] // Into the steps of searches for seeds.
    #[inline(always)]
    pub(crate) fn bases_from(&self, query: u32, place: usize, length: usize) -> (u64, bool) {
        let place = self.word_offsets[query as usize] as usize * BASES + place;
        let unknown = fetch(&self.unknown, place) << (2 * (BASES - length));
        (fetch(&self.words, place), unknown == 0)
    }

    /// One query, 32 bases a word.
    #[allow(clippy::inline_always)] // Into the steps of searches for seeds.
    #[inline(always)]
    pub fn packed(&self, query: u32) -> PackedQuery<'_> {
        let query = query as usize;
        let words = self.word_offsets[query] as usize..self.word_offsets[query + 1] as usize;
        PackedQuery {
            words: &self.words[words.clone()],
            unknown: &self.unknown[words],
            length: (self.offsets[query + 1] - self.offsets[query]) as usize,
        }
    }
}

device_struct! {
    /// The queries of a batch in the memory of a device, in the form of [`Queries`].
    pub struct PackedQueries {
        /// Bases, 32 a word ([`Queries::words`]).
        pub words: DeviceAddress<u64>,
        /// The lower bit of each unknown base ([`Queries::unknown`]).
        pub unknown: DeviceAddress<u64>,
        /// First word of each query ([`Queries::word_offsets`]).
        pub word_offsets: DeviceAddress<u32>,
        /// Bases before each query ([`Queries::offsets`]).
        pub offsets: DeviceAddress<u32>,
    }
}

/// The bit of a code that only [`UNKNOWN`] has.
const UNKNOWN_BIT: i32 = UNKNOWN.trailing_zeros() as i32;

/// The parts of a batch that are still to be filled for some reads.
struct UnfilledQueries<'q> {
    codes: &'q mut [u8],
    packed: &'q mut [u64],
    unknown: &'q mut [u64],
}

impl UnfilledQueries<'_> {
    /// Fills in both queries of the next read.
    fn push(&mut self, letters: &[u8]) {
        let mut next = || self.codes.split_off_mut(..letters.len()).unwrap_or_default();
        let (forward, reverse) = (next(), next());
        encode_both(letters, forward, reverse);
        // Most reads have no unknown bases.
        let has_unknown = forward.iter().fold(0, |all, &code| all | code) >= UNKNOWN;
        let count = letters.len().div_ceil(BASES);
        let mut next = || {
            let words = self.packed.split_off_mut(..count).unwrap_or_default();
            let unknown = self.unknown.split_off_mut(..count).unwrap_or_default();
            (words, unknown)
        };
        let ((words, unknown), (reverse_words, reverse_unknown)) = (next(), next());
        pack::<0>(forward, words);
        reverse_complement(words, letters.len(), reverse_words);
        if has_unknown {
            pack::<UNKNOWN_BIT>(forward, unknown);
            reversed(unknown, letters.len(), reverse_unknown);
            // An unknown base is 0 in both orientations.
            for (word, unknown) in reverse_words.iter_mut().zip(reverse_unknown) {
                *word &= !(*unknown * 3);
            }
        } else {
            unknown.fill(0);
            reverse_unknown.fill(0);
        }
    }
}

/// Whether a query is the reverse complement of its read.
pub const fn is_reverse(query: u32) -> bool {
    query % 2 == 1
}

#[cfg(test)]
mod tests {
    use aligner_core::seq::{encode_all, reverse_complement};

    use super::*;

    #[test]
    fn both_orientations_are_laid_out() {
        let long = b"ACGT".repeat(9);
        let queries = Queries::new([b"ACGn".as_slice(), b"", b"t", &long]);
        assert_eq!(queries.len(), 8);
        assert_eq!(queries.codes(0), [0, 1, 2, 4]);
        assert_eq!(queries.codes(1), [4, 1, 2, 3]);
        assert_eq!((queries.codes(2), queries.codes(3)), ([].as_slice(), [].as_slice()));
        assert_eq!((queries.codes(4), queries.codes(5)), ([3].as_slice(), [0].as_slice()));
        assert_eq!(queries.packed(0).words, [0b10_01_00]);
        assert_eq!(queries.packed(0).unknown, [1 << 6]);
        assert_eq!(queries.packed(1).words, [0b11_10_01_00]);
        assert_eq!(queries.packed(1).unknown, [1]);
        assert!(queries.packed(2).words.is_empty());
        assert_eq!(queries.packed(6).words, [0xE4E4_E4E4_E4E4_E4E4, 0xE4]);
        assert_eq!(queries.packed(6).length, 36);
        assert!(is_reverse(7) && !is_reverse(6));
    }

    #[test]
    fn packed_queries_are_their_codes() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut queries = Queries::new([b"NNNN".repeat(99).as_slice(), b"ACGT"]);
        let lengths = (0..=131).rev().chain([150, 1000]);
        // With unknown bases and without.
        let reads = lengths.flat_map(|length| [(length, &b"ACGTN"[..]), (length, b"acgTU")]);
        for (length, letters) in reads {
            let read: Vec<u8> = (0..length).map(|_| letters[random.usize(..5)]).collect();
            queries = queries.replaced([read.as_slice()]);
            for query in 0..2 {
                let codes = encode_all(&read);
                let codes = if is_reverse(query) { reverse_complement(&codes) } else { codes };
                assert_eq!(queries.codes(query), codes, "{length} {query}");
                let PackedQuery { words, unknown, .. } = queries.packed(query);
                let (mut expected, mut others) = (vec![0; words.len()], vec![0; words.len()]);
                for (place, &code) in codes.iter().enumerate() {
                    let bits = 2 * (place % BASES);
                    expected[place / BASES] |= u64::from(code & 3) << bits;
                    others[place / BASES] |= u64::from(code == UNKNOWN) << bits;
                }
                assert_eq!((words, unknown), (&expected[..], &others[..]), "{length} {query}");
            }
        }
    }
}
