//! Reads as queries: codes of both orientations, one a byte and packed.

use aligner_core::seq::{UNKNOWN, complement, encode};

use crate::packed::{BASES, Packed};

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
    /// Encodes reads, letters in either case.
    pub fn new<'r>(reads: impl IntoIterator<Item = &'r [u8]>) -> Self {
        let mut queries = Self::default();
        reads.into_iter().for_each(|read| queries.push(read));
        queries
    }

    /// Removes all and keeps the memory.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.offsets.truncate(1);
        self.words.clear();
        self.unknown.clear();
        self.word_offsets.truncate(1);
    }

    /// Appends a read's letters, in either case.
    pub fn push(&mut self, letters: &[u8]) {
        let begin = self.codes.len();
        self.codes.extend(letters.iter().map(|&letter| encode(letter)));
        self.finish();
        let end = self.codes.len();
        self.codes.extend_from_within(begin..end);
        let reverse = &mut self.codes[end..];
        reverse.reverse();
        for code in reverse {
            *code = complement(*code);
        }
        self.finish();
    }

    /// Ends a query whose codes were appended.
    fn finish(&mut self) {
        let begin = self.offsets[self.offsets.len() - 1] as usize;
        for codes in self.codes[begin..].chunks(BASES) {
            let (mut word, mut unknown) = (0, 0);
            for (place, &code) in codes.iter().enumerate() {
                word |= u64::from(code & 3) << (2 * place);
                unknown |= u64::from(code / UNKNOWN) << (2 * place);
            }
            self.words.push(word);
            self.unknown.push(unknown);
        }
        self.offsets.push(self.codes.len() as u32);
        self.word_offsets.push(self.words.len() as u32);
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
}
