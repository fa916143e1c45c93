//! Reads as queries.
//!
//! Every read is searched in both orientations. Query `2r` is read `r` as given, query `2r + 1` its
//! reverse complement; both lie along the forward strand of the reference.

use aligner_core::seq;
use rayon::prelude::*;

use crate::alignment::Strand;

/// Reads that one task encodes, one after the other.
const TOGETHER: usize = 1024;

/// A read as the caller has it.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Its name; with the seed it chooses among equally good loci.
    pub name: &'a [u8],
    /// Its bases, letters in either case. May be empty.
    pub sequence: &'a [u8],
}

/// The codes of a batch of reads in both orientations, one after the other.
#[derive(Debug, Clone, Default)]
pub struct Queries {
    codes: Vec<u8>,
    /// Start of each query in `codes`, and the end of the last.
    offsets: Vec<u32>,
}

impl Queries {
    /// Encodes reads, on the current rayon pool.
    pub fn new(reads: &[Query<'_>]) -> Self {
        let mut offsets = Vec::with_capacity(2 * reads.len() + 1);
        offsets.push(0);
        let mut end = 0;
        for read in reads {
            for _ in 0..2 {
                end += read.sequence.len();
                offsets.push(end as u32);
            }
        }
        let mut codes = vec![0; end];
        let mut parts = Vec::with_capacity(reads.len().div_ceil(TOGETHER));
        let mut rest = codes.as_mut_slice();
        for reads in reads.chunks(TOGETHER) {
            let bases: usize = reads.iter().map(|read| 2 * read.sequence.len()).sum();
            let (part, others) = rest.split_at_mut(bases);
            parts.push((reads, part));
            rest = others;
        }
        parts.into_par_iter().for_each(|(reads, mut codes)| {
            for read in reads {
                let (forward, others) = codes.split_at_mut(read.sequence.len());
                let (reverse, others) = others.split_at_mut(read.sequence.len());
                for (code, &letter) in forward.iter_mut().zip(read.sequence) {
                    *code = seq::encode(letter);
                }
                for (reverse, &code) in reverse.iter_mut().rev().zip(&*forward) {
                    *reverse = seq::complement(code);
                }
                codes = others;
            }
        });
        Self { codes, offsets }
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
    pub fn codes(&self, query: usize) -> &[u8] {
        &self.codes[self.offsets[query] as usize..self.offsets[query + 1] as usize]
    }

    /// All codes, query after query.
    pub fn all_codes(&self) -> &[u8] {
        &self.codes
    }

    /// Start of each query in [`all_codes`](Self::all_codes), and the end of the last.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }
}

/// The strand that a query stands for.
pub fn strand(query: usize) -> Strand {
    if query.is_multiple_of(2) { Strand::Forward } else { Strand::Reverse }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orientations_are_laid_out() {
        let reads = [b"ACGN".as_slice(), b"", b"t"];
        let reads: Vec<_> = reads.iter().map(|&sequence| Query { name: b"r", sequence }).collect();
        let queries = Queries::new(&reads);
        assert_eq!(queries.len(), 6);
        assert_eq!(queries.codes(0), [0, 1, 2, 4]);
        assert_eq!(queries.codes(1), [4, 1, 2, 3]);
        assert_eq!((queries.codes(2), queries.codes(3)), ([].as_slice(), [].as_slice()));
        assert_eq!((queries.codes(4), queries.codes(5)), ([3].as_slice(), [0].as_slice()));
        assert_eq!((strand(4), strand(5)), (Strand::Forward, Strand::Reverse));
    }
}
