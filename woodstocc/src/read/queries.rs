//! A batch of reads, encoded as queries.
//!
//! Every read is searched for in both orientations. Query `2r` is read `r` as given, query `2r + 1` its
//! reverse complement; both are compared with the forward strand of the reference.

use aligner_core::seq;
use rayon::prelude::*;

/// Reads that one rayon task encodes, one after the other.
const READS_PER_TASK: usize = 1024;

/// A read as the caller has it.
#[derive(Debug, Clone, Copy)]
pub struct Read<'a> {
    /// Name of the read. Together with [`Params::seed`](crate::Params::seed) it decides which of several equally good
    /// loci becomes the primary one.
    pub name: &'a [u8],
    /// Bases of the read, IUPAC letters in upper or lower case. May be empty.
    pub sequence: &'a [u8],
}

/// The codes of a batch of reads in both orientations, query after query. A code is 0 to 3 for A, C, G and T, and 4 for
/// any other letter.
#[derive(Debug, Clone, Default)]
pub struct Queries {
    codes: Vec<u8>,
    /// Start of each query in `codes`, followed by the end of the last query.
    offsets: Vec<u32>,
}

impl Queries {
    /// Encodes reads in both orientations, on the current rayon pool.
    pub fn new(reads: &[Read<'_>]) -> Self {
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
        let mut tasks = Vec::with_capacity(reads.len().div_ceil(READS_PER_TASK));
        let mut rest = codes.as_mut_slice();
        for reads in reads.chunks(READS_PER_TASK) {
            let bases: usize = reads.iter().map(|read| 2 * read.sequence.len()).sum();
            let (part, others) = rest.split_at_mut(bases);
            tasks.push((reads, part));
            rest = others;
        }
        tasks.into_par_iter().for_each(|(reads, mut codes)| {
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

    /// Number of queries: twice the number of reads.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether the batch has no reads.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The codes of one query, in the order of the forward strand of the reference.
    ///
    /// # Panics
    /// If there is no query of this number.
    pub fn codes(&self, query: usize) -> &[u8] {
        &self.codes[self.offsets[query] as usize..self.offsets[query + 1] as usize]
    }

    /// The codes of all queries, one after the other.
    pub fn all_codes(&self) -> &[u8] {
        &self.codes
    }

    /// Start of each query in [`all_codes`](Self::all_codes), followed by the end of the last query.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::Strand;

    #[test]
    fn both_orientations_are_laid_out() {
        let reads = [b"ACGN".as_slice(), b"", b"t"];
        let reads: Vec<_> = reads.iter().map(|&sequence| Read { name: b"r", sequence }).collect();
        let queries = Queries::new(&reads);
        assert_eq!(queries.len(), 6);
        assert_eq!(queries.codes(0), [0, 1, 2, 4]);
        assert_eq!(queries.codes(1), [4, 1, 2, 3]);
        assert_eq!((queries.codes(2), queries.codes(3)), ([].as_slice(), [].as_slice()));
        assert_eq!((queries.codes(4), queries.codes(5)), ([3].as_slice(), [0].as_slice()));
        assert_eq!((Strand::of_query(4), Strand::of_query(5)), (Strand::Forward, Strand::Reverse));
    }
}
