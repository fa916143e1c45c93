//! What was found for the reads of a batch.

use aligner_core::stream::Items;

use crate::chains::Chain;

/// The chains of a batch of reads that may matter.
#[derive(Debug, Default)]
pub struct Chains {
    parts: Vec<Part>,
    /// Of each read the share that has only seeds which are too frequent.
    pub repeats: Vec<f32>,
}

/// The chains of some reads that follow each other, in the memory that they came to.
#[derive(Debug)]
struct Part {
    /// The first of the reads.
    first: usize,
    /// Chains, read after read; those of each by weight.
    chains: Items<Chain>,
    /// Where those of each read end.
    ends: Vec<u32>,
}

impl Part {
    fn of(&self, number: usize) -> &[Chain] {
        let begin = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.chains.part(0)[begin as usize..self.ends[number] as usize]
    }
}

impl Chains {
    /// How many reads there are.
    pub fn reads(&self) -> usize {
        self.parts.last().map_or(0, |last| last.first + last.ends.len())
    }

    /// Those of a read.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn of(&self, read: usize) -> &[Chain] {
        let part = &self.parts[self.parts.partition_point(|part| part.first <= read) - 1];
        part.of(read - part.first)
    }

    /// Those of all reads, in order.
    pub fn iter(&self) -> impl Iterator<Item = &[Chain]> {
        self.parts.iter().flat_map(|part| (0..part.ends.len()).map(|number| part.of(number)))
    }

    /// Adds the chains of further reads, which have so many each.
    pub(super) fn add(&mut self, chains: impl Into<Items<Chain>>, counts: &[u32]) {
        let mut end = 0;
        let ends = counts.iter().map(|count| {
            end += count;
            end
        });
        let (ends, first, chains) = (ends.collect(), self.reads(), chains.into());
        self.parts.push(Part { first, chains, ends });
    }

    /// Adds others.
    pub(super) fn append(&mut self, others: Self) {
        for part in others.parts {
            self.parts.push(Part { first: self.reads(), ..part });
        }
        self.repeats.extend(others.repeats);
    }
}

impl PartialEq for Chains {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter()) && self.repeats == other.repeats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_the_same_in_whatever_parts() {
        let chain = |weight| Chain { weight, ..Chain::default() };
        let all: Vec<Chain> = (0..6).map(chain).collect();
        let counts = [2, 0, 3, 0, 1];
        let mut whole = Chains::default();
        whole.add(all.clone(), &counts);
        let mut parts = Chains::default();
        parts.add(Vec::new(), &[]);
        parts.add(all[..2].to_vec(), &counts[..2]);
        let mut rest = Chains::default();
        rest.add(all[2..].to_vec(), &counts[2..]);
        assert_ne!(parts, whole);
        parts.append(rest);
        assert_eq!(parts, whole);
        assert_eq!((parts.reads(), Chains::default().reads()), (5, 0));
        let weights = |read| parts.of(read).iter().map(|chain| chain.weight).collect::<Vec<_>>();
        assert_eq!(
            [0, 1, 2, 3, 4].map(weights),
            [vec![0, 1], vec![], vec![2, 3, 4], vec![], vec![5]]
        );
        parts.repeats.push(0.5);
        assert_ne!(parts, whole);
    }
}
