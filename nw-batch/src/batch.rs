//! Sets of sequences, and pairs of them that are aligned together.

use aligner_core::device_struct;
use rayon::prelude::*;

use crate::scoring::MAX_LENGTH;

/// Sequences of residue codes, stored one behind the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SequenceSet {
    codes: Vec<u8>,
    /// Index in `codes` of each sequence's first residue, and the end of the last sequence.
    offsets: Vec<u64>,
}

device_struct! {
    /// Pair of sequences to align, by their indices in two sets (which may be the same set).
    #[derive(PartialEq, Eq, Hash)]
    pub struct SequencePair {
        /// Index of the query.
        pub query: u32,
        /// Index of the target.
        pub target: u32,
    }
}

impl SequencePair {
    /// The pair with the target as the query.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { query: self.target, target: self.query }
    }
}

/// Pairs to align together, with the sets that they are from.
#[derive(Debug, Clone, Copy)]
pub struct PairBatch<'a> {
    /// Set of the queries.
    pub queries: &'a SequenceSet,
    /// Set of the targets.
    pub targets: &'a SequenceSet,
    /// Pairs to align; results have their order.
    pub pairs: &'a [SequencePair],
}

impl Default for SequenceSet {
    fn default() -> Self {
        Self { codes: Vec::new(), offsets: vec![0] }
    }
}

impl SequenceSet {
    /// Appends a sequence of codes.
    ///
    /// # Panics
    /// If the sequence is longer than [`MAX_LENGTH`].
    pub fn push(&mut self, codes: &[u8]) {
        assert!(codes.len() <= MAX_LENGTH, "a sequence of {} residues", codes.len());
        self.codes.extend_from_slice(codes);
        self.offsets.push(self.codes.len() as u64);
    }

    /// Sequences whose codes stand one behind the other: sequence `i` has those from `offsets[i]` to `offsets[i + 1]`.
    ///
    /// # Panics
    /// If the offsets do not begin with 0, descend, do not end with the number of codes, or a sequence is longer than
    /// [`MAX_LENGTH`].
    pub fn from_codes(codes: Vec<u8>, offsets: Vec<u64>) -> Self {
        let is_whole = offsets.first() == Some(&0) && offsets.last() == Some(&(codes.len() as u64));
        assert!(is_whole && offsets.is_sorted(), "offsets that are not those of the codes");
        let longest = offsets.windows(2).map(|ends| ends[1] - ends[0]).max().unwrap_or(0);
        assert!(longest <= MAX_LENGTH as u64, "a sequence of {longest} residues");
        Self { codes, offsets }
    }

    /// All sequences of some sets, one set behind the other, with `new` of each of their codes.
    pub fn concatenated(sets: &[Self], new: impl Fn(u8) -> u8 + Sync) -> Self {
        let length = sets.iter().map(|set| set.codes.len()).sum();
        let mut all = Self { codes: vec![0; length], offsets: vec![0] };
        let mut rest = all.codes.as_mut_slice();
        let mut copies = Vec::with_capacity(sets.len());
        for set in sets {
            let begin = (length - rest.len()) as u64;
            all.offsets.extend(set.offsets[1..].iter().map(|end| begin + end));
            let (codes, behind) = rest.split_at_mut(set.codes.len());
            rest = behind;
            copies.push((codes, &set.codes));
        }
        copies.into_par_iter().for_each(|(codes, old)| {
            codes.iter_mut().zip(old).for_each(|(code, &old)| *code = new(old));
        });
        all
    }

    /// Number of sequences in the set.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether the set has no sequence.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Codes of the sequence with this index.
    ///
    /// # Panics
    /// If the set has fewer sequences.
    pub fn get(&self, index: u32) -> &[u8] {
        let index = index as usize;
        &self.codes[self.offsets[index] as usize..self.offsets[index + 1] as usize]
    }

    /// Number of residues of the sequence with this index.
    ///
    /// # Panics
    /// If the set has fewer sequences.
    pub fn length(&self, index: u32) -> u32 {
        (self.offsets[index as usize + 1] - self.offsets[index as usize]) as u32
    }

    /// Codes of all sequences, one behind the other.
    pub fn all_codes(&self) -> &[u8] {
        &self.codes
    }

    /// Index in [`Self::all_codes`] of each sequence's first residue, and the end of the last sequence.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for SequenceSet {
    fn from_iter<I: IntoIterator<Item = S>>(all: I) -> Self {
        let mut sequences = Self::default();
        all.into_iter().for_each(|codes| sequences.push(codes.as_ref()));
        sequences
    }
}

impl<'a> PairBatch<'a> {
    /// Codes of the query and of the target of a pair.
    pub fn sequences(&self, pair: SequencePair) -> (&'a [u8], &'a [u8]) {
        (self.queries.get(pair.query), self.targets.get(pair.target))
    }

    /// Numbers of residues of the query and of the target of the pair with this index.
    pub fn lengths(&self, index: u32) -> (u32, u32) {
        let SequencePair { query, target } = self.pairs[index as usize];
        (self.queries.length(query), self.targets.length(target))
    }

    /// Number of matrix cells of all pairs.
    pub fn cells(&self) -> u64 {
        let cells = |&pair: &SequencePair| {
            let (query, target) = self.sequences(pair);
            query.len() as u64 * target.len() as u64
        };
        self.pairs.par_iter().map(cells).sum()
    }
}
