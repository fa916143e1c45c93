//! Reads as queries: the bases of both orientations, 32 a word; and their codes, one a byte, for whoever asks for them.

use std::ops::Range;
use std::sync::OnceLock;

use aligner_core::device_struct;
use aligner_core::gpu::DeviceAddress;

use fm_index::{fetch, prefetch_all};
use rayon::prelude::*;

use crate::read::encoding::{UNKNOWN_BIT, pack_letters, reverse_complement};
use crate::read::packed::{BASES, PackedQuery};

/// Reads that one task of the thread pool handles, one after the other.
pub(crate) const READS_PER_TASK: usize = 256;

/// While a read is encoded, the letters of the read so many behind it are fetched: reads are far from each other in memory.
const READS_AHEAD: usize = 4;

/// Ranges of at most [`READS_PER_TASK`] of `reads` reads, in order.
pub(crate) fn read_ranges(reads: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let range =
        move |number: usize| number * READS_PER_TASK..reads.min((number + 1) * READS_PER_TASK);
    (0..reads.div_ceil(READS_PER_TASK)).into_par_iter().map(range)
}

/// The codes of a batch of reads in both orientations. Query `2r` is read `r` as sequenced, query `2r + 1` its reverse
/// complement, so that every query aligns along the forward strand of the reference. Codes are 0 to 3 for A, C, G and
/// T, and [`UNKNOWN`](aligner_core::seq::UNKNOWN) (4) for other letters, which match nothing.
#[derive(Debug, Clone)]
pub struct Queries {
    /// The codes, made when they are asked for: where a GPU aligns, they seldom are.
    codes: OnceLock<Vec<u8>>,
    /// Bases before each query, and of all queries.
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
            codes: OnceLock::new(),
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
        let Self { mut offsets, words: mut packed, mut unknown, mut word_offsets, .. } = self;
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
        packed.resize(words, 0);
        unknown.resize(words, 0);
        let mut parts = Vec::new();
        let mut rest = UnfilledQueries { words: &mut packed, unknown: &mut unknown };
        for part in reads.chunks(READS_PER_TASK) {
            let words = 2 * part.iter().map(|read| read.len().div_ceil(BASES)).sum::<usize>();
            parts.push((part, rest.take(words)));
        }
        parts.into_par_iter().for_each(|(part, mut unfilled)| {
            for (number, read) in part.iter().enumerate() {
                part.get(number + READS_AHEAD).into_iter().for_each(|later| prefetch_all(later));
                unfilled.push(read);
            }
        });
        Self { codes: OnceLock::new(), offsets, words: packed, unknown, word_offsets }
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
        &self.all_codes()[self.start(query) as usize..][..self.length(query)]
    }

    /// The codes of all queries, one query after the other. They are made by the first call.
    pub fn all_codes(&self) -> &[u8] {
        self.codes.get_or_init(|| {
            let mut codes = Vec::with_capacity(self.all_bases());
            for query in 0..self.len() as u32 {
                self.packed(query).append_codes(&mut codes);
            }
            codes
        })
    }

    /// The number of bases of all queries.
    pub fn all_bases(&self) -> usize {
        self.offsets.last().map_or(0, |&end| end as usize)
    }

    /// The number of bases of one query.
    #[inline]
    pub fn length(&self, query: u32) -> usize {
        let query = query as usize;
        (self.offsets[query + 1] - self.offsets[query]) as usize
    }

    /// The code of a query's base; `None` behind the query.
    #[inline]
    pub fn code(&self, query: u32, place: usize) -> Option<u8> {
        (place < self.length(query)).then(|| {
            let place = self.word_offsets[query as usize] as usize * BASES + place;
            let (word, shift) = (place / BASES, 2 * (place % BASES));
            let [base, unknown] = [&self.words, &self.unknown].map(|it| it[word] >> shift & 3);
            base as u8 | (unknown as u8) << UNKNOWN_BIT
        })
    }

    /// Bases before each query, and of all queries: where each begins in [`all_codes`](Self::all_codes).
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

    /// Bases before a query: its start in [`all_codes`](Self::all_codes).
    pub fn start(&self, query: u32) -> u32 {
        self.offsets[query as usize]
    }

    /// The number of the query that begins at a place of [`all_codes`](Self::all_codes); of several, the last: those before it
    /// have no bases.
    pub fn starting_at(&self, start: u32) -> u32 {
        // As if all queries had as many bases, as most often they have.
        let guess = u64::from(start) * self.len() as u64 / (self.all_bases() as u64).max(1);
        match self.offsets.get(guess as usize..) {
            Some(&[at, next, ..]) if at == start && next > start => guess as u32,
            _ => self.offsets.partition_point(|&it| it <= start) as u32 - 1,
        }
    }

    /// Number of bases of a read.
    pub fn bases(&self, read: u32) -> u32 {
        self.length(2 * read) as u32
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
        let (query, length) = (query as usize, self.length(query));
        let words = self.word_offsets[query] as usize..self.word_offsets[query + 1] as usize;
        PackedQuery { words: &self.words[words.clone()], unknown: &self.unknown[words], length }
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

/// The parts of a batch that are still to be filled for some reads.
struct UnfilledQueries<'q> {
    words: &'q mut [u64],
    unknown: &'q mut [u64],
}

impl UnfilledQueries<'_> {
    /// Takes off the first parts, of so many words.
    fn take(&mut self, count: usize) -> Self {
        Self {
            words: self.words.split_off_mut(..count).unwrap_or_default(),
            unknown: self.unknown.split_off_mut(..count).unwrap_or_default(),
        }
    }

    /// Fills in both queries of the next read.
    fn push(&mut self, letters: &[u8]) {
        let count = letters.len().div_ceil(BASES);
        let (forward, reverse) = (self.take(count), self.take(count));
        pack_letters(letters, [&mut *forward.words, &mut *forward.unknown]);
        let reversed = [reverse.words, reverse.unknown];
        reverse_complement([forward.words, forward.unknown], letters.len(), reversed);
    }
}

/// Whether a query is the reverse complement of its read.
pub const fn is_reverse(query: u32) -> bool {
    query % 2 == 1
}

#[cfg(test)]
mod tests {
    use aligner_core::seq::{UNKNOWN, encode_all, reverse_complement};

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
    fn queries_are_found_where_they_begin() {
        for lengths in [&[4, 4, 4][..], &[7, 0, 1, 30], &[0, 0, 3]] {
            let reads: Vec<&[u8]> = lengths.iter().map(|&length| &[b'A'; 30][..length]).collect();
            let queries = Queries::new(reads);
            for query in (0..queries.len() as u32).filter(|&query| queries.length(query) > 0) {
                assert_eq!(queries.starting_at(queries.start(query)), query, "{lengths:?}");
            }
        }
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
                let each = (0..=codes.len()).map_while(|place| queries.code(query, place));
                assert!(each.eq(codes.iter().copied()), "{length} {query}");
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
