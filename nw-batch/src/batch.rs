//! Many sequences, and pairs of them.

use bytemuck::{Pod, Zeroable};

use crate::scoring::MAX_LENGTH;

/// Sequences of codes, one behind the other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sequences {
    codes: Vec<u8>,
    /// Where each begins, and where the last ends.
    offsets: Vec<u64>,
}

/// A pair of sequences, by their numbers in two sets (which may be one and the same).
/// Kernels see it so, too (`cuda/include/nw_batch/task.cuh`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct Pair {
    /// Number of the query.
    pub query: u32,
    /// Number of the target.
    pub target: u32,
}

const _: () = assert!(size_of::<Pair>() == 8);

/// Pairs and the sets that they are of.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// The set of queries.
    pub queries: &'a Sequences,
    /// The set of targets.
    pub targets: &'a Sequences,
    /// The pairs.
    pub pairs: &'a [Pair],
}

impl Default for Sequences {
    fn default() -> Self {
        Self { codes: Vec::new(), offsets: vec![0] }
    }
}

impl Sequences {
    /// Adds a sequence of codes.
    ///
    /// # Panics
    /// If it is longer than [`MAX_LENGTH`].
    pub fn push(&mut self, codes: &[u8]) {
        assert!(codes.len() <= MAX_LENGTH, "a sequence of {} residues", codes.len());
        self.codes.extend_from_slice(codes);
        self.offsets.push(self.codes.len() as u64);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of one.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn get(&self, number: u32) -> &[u8] {
        let number = number as usize;
        &self.codes[self.offsets[number] as usize..self.offsets[number + 1] as usize]
    }

    /// Residues of one.
    ///
    /// # Panics
    /// If there is none of this number.
    pub fn length(&self, number: u32) -> u32 {
        (self.offsets[number as usize + 1] - self.offsets[number as usize]) as u32
    }

    /// The codes of all.
    pub fn all_codes(&self) -> &[u8] {
        &self.codes
    }

    /// Where each begins in [`Self::all_codes`], and where the last ends.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }
}

impl<S: AsRef<[u8]>> FromIterator<S> for Sequences {
    fn from_iter<I: IntoIterator<Item = S>>(all: I) -> Self {
        let mut sequences = Self::default();
        all.into_iter().for_each(|codes| sequences.push(codes.as_ref()));
        sequences
    }
}

impl<'a> Batch<'a> {
    /// The sequences of a pair.
    pub fn sequences(&self, pair: Pair) -> (&'a [u8], &'a [u8]) {
        (self.queries.get(pair.query), self.targets.get(pair.target))
    }

    /// Residues of the query and the target of the `place`-th pair.
    pub fn lengths(&self, place: u32) -> (u32, u32) {
        let Pair { query, target } = self.pairs[place as usize];
        (self.queries.length(query), self.targets.length(target))
    }

    /// Cells of the pairs' matrices.
    pub fn cells(&self) -> u64 {
        let cells = |&pair: &Pair| {
            let (query, target) = self.sequences(pair);
            query.len() as u64 * target.len() as u64
        };
        self.pairs.iter().map(cells).sum()
    }
}
