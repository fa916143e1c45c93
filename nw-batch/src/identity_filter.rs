//! Pairs that cannot reach an identity, told without aligning them.
//!
//! The identity of an alignment is `I / L`, with `I` identical columns among `L`, gaps and free ends included. It is at least
//! `t` only if the `D = L - I` other columns are at most `I (1 - t) / t`. A query of `m` residues and a target of `n` have
//! `I <= min(m, n)`, and therefore
//!
//! ```text
//!   D <= d,   d = floor(min(m, n) (1 - t) / t)
//! ```
//!
//! whatever the scoring and the alignment. A pair is dropped in two cases, in which `D > d` is certain:
//!
//! 1. *Lengths.* At least `|m - n|` columns have a gap, so `D >= |m - n|`. The pair is dropped if `|m - n| > d`.
//! 2. *Words.* The target has `n - q + 1` words of `q` residues. If a word's residues are in `q` neighbouring columns, all of
//!    them identical, then it is also a word of the query. Each of the `D` other columns stops at most `q` words of the target
//!    from being so: a column with a residue of the target is in at most `q` words, and a column without one stands between
//!    two neighbouring residues, which at most `q - 1` words have both. So at least `n - q + 1 - q D` words of the target
//!    occur in the query. The pair is dropped if fewer than `n - q + 1 - q d` do.
//!
//! The second case stays true if words are counted that occur in the query anywhere, or more than once, and if letters are
//! mapped to fewer ones: all this only counts more words. So nucleotides are mapped to two bits (ambiguous ones to those of
//! A), and one bit for each possible word tells whether the query has it: 8 KiB, which stay in the nearest cache while the
//! words of one target after another are looked up.

use rayon::prelude::*;

use crate::batch::{SequencePair, SequenceSet};
use crate::scoring::{Alphabet, CODES};

/// Bits of a word.
const WORD_BITS: u32 = 16;

/// Pairs that a thread judges at a time.
const PAIRS_PER_PIECE: usize = 1 << 10;

/// Drops pairs that cannot reach an identity.
#[derive(Debug, Clone)]
pub struct IdentityFilter<'a> {
    queries: &'a SequenceSet,
    targets: &'a SequenceSet,
    least_identity: f64,
    /// Bits of a residue in a word.
    residue_bits: u32,
    /// Residues of a word.
    word_length: u32,
    /// Bits of each code.
    residues: [u8; CODES],
}

/// Words of one query.
struct QueryWords {
    query: Option<u32>,
    /// A bit for each possible word.
    words: Vec<u64>,
}

impl<'a> IdentityFilter<'a> {
    /// A filter for pairs of these sets, whose codes are of an alphabet. Identities are between 0 and 1.
    pub fn new(
        alphabet: &Alphabet,
        queries: &'a SequenceSet,
        targets: &'a SequenceSet,
        least_identity: f64,
    ) -> Self {
        let mut residues = [0; CODES];
        let residue_bits = if alphabet.is_nucleotides() {
            for (residue, letters) in (0..).zip([b"AA", b"CC", b"GG", b"TU"]) {
                for &letter in letters {
                    if let Some(code) = alphabet.code(letter) {
                        residues[usize::from(code)] = residue;
                    }
                }
            }
            2
        } else {
            (0..).zip(&mut residues).for_each(|(code, residue)| *residue = code);
            5
        };
        let word_length = WORD_BITS / residue_bits;
        Self { queries, targets, least_identity, residue_bits, word_length, residues }
    }

    /// The pairs that may reach the identity, in their order. All pairs that do reach it are among them.
    pub fn keep(&self, pairs: &[SequencePair]) -> Vec<SequencePair> {
        let pieces = pairs.par_chunks(PAIRS_PER_PIECE).map(|pairs| {
            let mut words = QueryWords { query: None, words: vec![0; 1 << (WORD_BITS - 6)] };
            let may_reach = |pair: &SequencePair| self.may_reach(*pair, &mut words);
            pairs.iter().copied().filter(may_reach).collect::<Vec<_>>()
        });
        pieces.collect::<Vec<_>>().concat()
    }

    /// Whether a pair may reach the identity.
    fn may_reach(&self, pair: SequencePair, words: &mut QueryWords) -> bool {
        let SequencePair { query, target } = pair;
        let (m, n) = (self.queries.length(query), self.targets.length(target));
        if self.least_identity <= 0.0 {
            return true;
        }
        // The greatest `d`; rounding must not make it smaller.
        let ratio = (1.0 - self.least_identity) / self.least_identity;
        let most_differences = f64::from(m.min(n)) * ratio + 1e-6;
        if f64::from(m.abs_diff(n)) > most_differences {
            return false;
        }
        let word_length = f64::from(self.word_length);
        let least_words = f64::from(n) - word_length + 1.0 - word_length * most_differences.floor();
        if least_words <= 0.0 {
            return true;
        }
        words.take(self, query);
        f64::from(self.common_words(target, words)) >= least_words
    }

    /// Number of words of a target that occur in the query.
    fn common_words(&self, target: u32, query: &QueryWords) -> u32 {
        let has = |word: usize| (query.words[word / 64] >> (word % 64)) as u32 & 1;
        self.words(self.targets.get(target)).map(has).sum()
    }

    /// The words of a sequence, from the first residue on.
    fn words<'s>(&'s self, codes: &'s [u8]) -> impl Iterator<Item = usize> + 's {
        let mask = (1 << (self.residue_bits * self.word_length)) - 1;
        let append = move |word: &mut usize, &code: &u8| {
            // Codes are below CODES.
            let residue = self.residues[usize::from(code) % CODES];
            *word = (*word << self.residue_bits | usize::from(residue)) & mask;
            Some(*word)
        };
        codes.iter().scan(0, append).skip(self.word_length as usize - 1)
    }
}

impl QueryWords {
    /// Takes the words of a query in place of those that it has.
    fn take(&mut self, filter: &IdentityFilter<'_>, query: u32) {
        if self.query == Some(query) {
            return;
        }
        self.query = Some(query);
        self.words.fill(0);
        for word in filter.words(filter.queries.get(query)) {
            self.words[word / 64] |= 1 << (word % 64);
        }
    }
}
