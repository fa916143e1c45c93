//! The chains of a batch of reads.

use std::ops::Range;

use aligner_core::stream::Items;

use crate::chain::chains::Chain;
#[cfg(doc)]
use crate::chain::whole_match::WholeMatch;

/// The chains of a batch of reads, without those that cannot matter, and what is known of repeats.
#[derive(Debug, Default)]
pub struct ChainsOfReads {
    chunks: Vec<ChainChunk>,
    /// For each read the fraction that lies only in seeds too frequent to be located completely, from 0 to 1.
    pub repeat_fractions: Vec<f32>,
}

/// The chains of consecutive reads, in the memory that they were downloaded to.
#[derive(Debug)]
struct ChainChunk {
    /// Number of the first read.
    first: usize,
    /// Chains, read after read; the chains of a read are sorted by weight, the heaviest first.
    chains: Items<Chain>,
    /// For each chain [`WholeMatch::place`].
    places: Items<u32>,
    /// End of the chains of each read in `chains`.
    ends: Vec<u32>,
}

impl ChainChunk {
    /// The range in `chains` of those of the read with this number in the chunk.
    fn range(&self, number: usize) -> Range<usize> {
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        begin as usize..self.ends[number] as usize
    }

    /// The chains of the read with this number in the chunk.
    fn of(&self, number: usize) -> &[Chain] {
        &self.chains.only_part()[self.range(number)]
    }
}

impl ChainsOfReads {
    /// The number of reads of the batch.
    pub fn reads(&self) -> usize {
        self.chunks.last().map_or(0, |last| last.first + last.ends.len())
    }

    /// The number of chains of all reads.
    pub fn count(&self) -> usize {
        self.chunks.iter().filter_map(|chunk| chunk.ends.last()).map(|&end| end as usize).sum()
    }

    /// The chains of a read, the heaviest first.
    ///
    /// # Panics
    /// If there is no such read.
    pub fn of(&self, read: usize) -> &[Chain] {
        let (chunk, number) = self.chunk_of(read);
        chunk.of(number)
    }

    /// The chunk that has a read, and the read's number in it.
    fn chunk_of(&self, read: usize) -> (&ChainChunk, usize) {
        let chunk = &self.chunks[self.chunks.partition_point(|chunk| chunk.first <= read) - 1];
        (chunk, read - chunk.first)
    }

    /// The chains of a read as [`of`](Self::of) gives them, each with its [`WholeMatch::place`].
    ///
    /// # Panics
    /// If there is no such read.
    pub fn with_places(&self, read: usize) -> impl Iterator<Item = (&Chain, u32)> {
        let (chunk, number) = self.chunk_of(read);
        let places = chunk.places.only_part()[chunk.range(number)].iter().copied();
        chunk.of(number).iter().zip(places)
    }

    /// The chains of each read, in the order of reads.
    pub fn iter(&self) -> impl Iterator<Item = &[Chain]> {
        self.chunks.iter().flat_map(|chunk| (0..chunk.ends.len()).map(|number| chunk.of(number)))
    }

    /// Adds the chains of further reads: `places` has the [`WholeMatch::place`] of each chain, `counts` the number of chains of
    /// each read.
    pub(super) fn add(
        &mut self,
        chains: impl Into<Items<Chain>>,
        places: impl Into<Items<u32>>,
        counts: &[u32],
    ) {
        let mut end = 0;
        let ends = counts.iter().map(|count| {
            end += count;
            end
        });
        let (ends, first) = (ends.collect(), self.reads());
        let (chains, places) = (chains.into(), places.into());
        self.chunks.push(ChainChunk { first, chains, places, ends });
    }

    /// Adds the chains of further reads.
    pub(super) fn append(&mut self, others: Self) {
        for chunk in others.chunks {
            self.chunks.push(ChainChunk { first: self.reads(), ..chunk });
        }
        self.repeat_fractions.extend(others.repeat_fractions);
    }
}

impl PartialEq for ChainsOfReads {
    fn eq(&self, other: &Self) -> bool {
        let is_equal = |read| self.with_places(read).eq(other.with_places(read));
        self.reads() == other.reads()
            && (0..self.reads()).all(is_equal)
            && self.repeat_fractions == other.repeat_fractions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_the_same_in_whatever_parts() {
        let chain = |weight| Chain { weight, ..Chain::default() };
        let all: Vec<Chain> = (0..6).map(chain).collect();
        let (counts, places) = ([2, 0, 3, 0, 1], [7, 0, 8, 7, 9, 0]);
        let mut whole = ChainsOfReads::default();
        whole.add(all.clone(), places.to_vec(), &counts);
        let mut parts = ChainsOfReads::default();
        parts.add(Vec::new(), Vec::new(), &[]);
        parts.add(all[..2].to_vec(), places[..2].to_vec(), &counts[..2]);
        let mut rest = ChainsOfReads::default();
        rest.add(all[2..].to_vec(), places[2..].to_vec(), &counts[2..]);
        assert_ne!(parts, whole);
        parts.append(rest);
        assert_eq!(parts, whole);
        assert_eq!((parts.reads(), ChainsOfReads::default().reads()), (5, 0));
        let weights = |read| parts.of(read).iter().map(|chain| chain.weight).collect::<Vec<_>>();
        assert_eq!(
            [0, 1, 2, 3, 4].map(weights),
            [vec![0, 1], vec![], vec![2, 3, 4], vec![], vec![5]]
        );
        parts.repeat_fractions.push(0.5);
        assert_ne!(parts, whole);
    }
}
