//! Reads as queries: codes of both orientations, one a byte and packed.

use std::ops::Range;

use aligner_core::seq::{UNKNOWN, complement, encode_into};

use rayon::prelude::*;

use crate::packed::{BASES, LOWER, Packed};

/// Reads that one task handles, one after the other.
pub(crate) const TOGETHER: usize = 256;

/// Parts of a batch of reads, in order, a task each.
pub(crate) fn parts(reads: usize) -> impl IndexedParallelIterator<Item = Range<usize>> {
    let part = move |number: usize| number * TOGETHER..reads.min((number + 1) * TOGETHER);
    (0..reads.div_ceil(TOGETHER)).into_par_iter().map(part)
}

/// The codes of reads in both orientations: query `2r` is read `r` as given, query `2r + 1` its reverse
/// complement. Both lie along the forward strand of the reference.
#[derive(Debug, Clone)]
pub struct Queries {
    codes: Vec<u8>,
    /// Start of each query in `codes`, and the end of the last.
    offsets: Vec<u32>,
    /// Two bits a base, the first in the lowest; [`UNKNOWN`] as 0. Every query begins a word.
    words: Vec<u64>,
    /// The lower bit of each base that is [`UNKNOWN`].
    unknown: Vec<u64>,
    /// First word of each query.
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
    /// If they have 2^31 bases or more.
    pub fn new<'r>(reads: impl IntoIterator<Item = &'r [u8]>) -> Self {
        Self::default().replaced(reads)
    }

    /// The same in the memory of these: to get as much from the system takes longer than to fill it.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    #[must_use]
    pub fn replaced<'r>(self, reads: impl IntoIterator<Item = &'r [u8]>) -> Self {
        let Self { mut codes, mut offsets, words: mut packed, mut unknown, mut word_offsets } =
            self;
        let reads: Vec<&[u8]> = reads.into_iter().collect();
        for offsets in [&mut offsets, &mut word_offsets] {
            offsets.clear();
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
        for part in reads.chunks(TOGETHER) {
            let bases = 2 * part.iter().map(|read| read.len()).sum::<usize>();
            let words = 2 * part.iter().map(|read| read.len().div_ceil(BASES)).sum::<usize>();
            let (of_codes, of_packed, of_unknown) = rest;
            let (codes, more_codes) = of_codes.split_at_mut(bases);
            let (packed, more_packed) = of_packed.split_at_mut(words);
            let (unknown, more_unknown) = of_unknown.split_at_mut(words);
            rest = (more_codes, more_packed, more_unknown);
            parts.push((part, Lanes { codes, packed, unknown }));
        }
        parts.into_par_iter().for_each(|(part, mut lanes)| {
            for read in part {
                lanes.push(read);
            }
        });
        Self { codes, offsets, words: packed, unknown, word_offsets }
    }

    /// How many queries there are: twice the reads.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of one query.
    pub fn codes(&self, query: u32) -> &[u8] {
        let query = query as usize;
        &self.codes[self.offsets[query] as usize..self.offsets[query + 1] as usize]
    }

    /// All codes, query after query.
    pub fn all_codes(&self) -> &[u8] {
        &self.codes
    }

    /// Place of the first code of each query among all, and the end of the last's.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// All words of packed bases, query after query, each beginning a word.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// The lower bit of each unknown base, in words like those of the bases.
    pub fn unknown(&self) -> &[u64] {
        &self.unknown
    }

    /// First word of each query, and the end of the last's.
    pub fn word_offsets(&self) -> &[u32] {
        &self.word_offsets
    }

    /// Place of the first code of a query among all.
    pub fn start(&self, query: u32) -> u32 {
        self.offsets[query as usize]
    }

    /// Bases of a read.
    pub fn bases(&self, read: u32) -> u32 {
        self.offsets[2 * read as usize + 1] - self.offsets[2 * read as usize]
    }

    /// The same, packed.
    pub fn packed(&self, query: u32) -> Packed<'_> {
        let query = query as usize;
        let words = self.word_offsets[query] as usize..self.word_offsets[query + 1] as usize;
        Packed {
            words: &self.words[words.clone()],
            unknown: &self.unknown[words],
            length: (self.offsets[query + 1] - self.offsets[query]) as usize,
        }
    }
}

/// A one in every byte.
const EACH: u64 = u64::MAX / 255;

/// The lowest two bits of each of eight bytes, whose others are 0, next to each other.
fn joined(bytes: u64) -> u64 {
    let fours = (bytes | bytes >> 6) & 0x000F_000F_000F_000F;
    let eights = (fours | fours >> 12) & 0x0000_00FF_0000_00FF;
    (eights | eights >> 24) & 0xFFFF
}

/// What is still to be filled for some reads, with anything in it.
struct Lanes<'q> {
    codes: &'q mut [u8],
    packed: &'q mut [u64],
    unknown: &'q mut [u64],
}

impl Lanes<'_> {
    /// Fills in the queries of a read.
    fn push(&mut self, letters: &[u8]) {
        let forward = self.codes.split_off_mut(..letters.len()).unwrap_or_default();
        encode_into(letters, forward);
        let reverse = self.codes.split_off_mut(..letters.len()).unwrap_or_default();
        for (code, &other) in reverse.iter_mut().zip(forward.iter().rev()) {
            *code = complement(other);
        }
        let count = letters.len().div_ceil(BASES);
        let mut next = || {
            let words = self.packed.split_off_mut(..count).unwrap_or_default();
            (words, self.unknown.split_off_mut(..count).unwrap_or_default())
        };
        let ((words, unknown), (turned, turned_unknown)) = (next(), next());
        for ((codes, word), unknown) in
            forward.chunks(BASES).zip(words.iter_mut()).zip(unknown.iter_mut())
        {
            (*word, *unknown) = (0, 0);
            for (number, eight) in codes.chunks(8).enumerate() {
                let mut bytes = [0; 8];
                bytes[..eight.len()].copy_from_slice(eight);
                let eight = u64::from_le_bytes(bytes);
                *word |= joined(eight & (3 * EACH)) << (16 * number);
                *unknown |= joined((eight >> UNKNOWN.trailing_zeros()) & EACH) << (16 * number);
            }
        }
        turn(unknown, letters.len(), turned_unknown);
        turn(words, letters.len(), turned);
        let mut rest = letters.len();
        for (word, unknown) in turned.iter_mut().zip(turned_unknown) {
            let known = u64::MAX >> (2 * BASES.saturating_sub(rest)) & !(*unknown * 3);
            *word = !*word & known;
            rest = rest.saturating_sub(BASES);
        }
    }
}

/// Sets `turned` to the pairs of bits of these words, of which there are `length`, last to first.
fn turn(words: &[u64], length: usize, turned: &mut [u64]) {
    let pairs = |word: u64| {
        let bits = word.reverse_bits();
        (bits & LOWER) << 1 | bits >> 1 & LOWER
    };
    // Behind the last pair there is nothing, which comes first then.
    let shift = 2 * (BASES * words.len() - length);
    let mut words = words.iter().rev().map(|&word| pairs(word)).peekable();
    for to in turned {
        let word = words.next().unwrap_or_default();
        let after = words.peek().copied().unwrap_or_default();
        *to = if shift == 0 { word } else { word >> shift | after << (64 - shift) };
    }
}

/// Whether a query is the reverse complement of its read.
pub const fn is_reverse(query: u32) -> bool {
    query % 2 == 1
}

#[cfg(test)]
mod tests {
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
        for length in (0..=131).rev().chain([150, 1000]) {
            let read: Vec<u8> = (0..length).map(|_| b"ACGTN"[random.usize(..5)]).collect();
            queries = queries.replaced([read.as_slice()]);
            for query in 0..2 {
                let Packed { words, unknown, .. } = queries.packed(query);
                let (mut expected, mut others) = (vec![0; words.len()], vec![0; words.len()]);
                for (place, &code) in queries.codes(query).iter().enumerate() {
                    let bits = 2 * (place % BASES);
                    expected[place / BASES] |= u64::from(code & 3) << bits;
                    others[place / BASES] |= u64::from(code == UNKNOWN) << bits;
                }
                assert_eq!((words, unknown), (&expected[..], &others[..]), "{length} {query}");
            }
        }
    }
}
