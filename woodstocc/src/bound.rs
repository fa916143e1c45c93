//! Lower bounds that prune the trie: how many differences the rest of a query needs at least.
//!
//! The walk spells the reference from the start of a match on, so what a row leaves open is a suffix
//! of the query. Two pieces of a suffix that do not overlap and do not occur in the reference cost a
//! difference each, wherever the suffix is aligned; a scan from the query's end that cuts a piece
//! off as soon as it does not occur cuts off as many as there can be. This is the array `D` of BWA
//! (H. Li and R. Durbin, "Fast and accurate short read alignment with Burrows-Wheeler transform",
//! 2009, figure 3), turned around. A query stays live where the distance so far and the bound of the
//! rest do not add up to more than is wanted; every hit is still found, since the path to it never
//! needs more.
//!
//! The bound falls by steps along the query, so a query needs one position for each number of
//! differences ([`Bound`]) and a node as many shifts ([`crate::row::Band::reaches`]).

use bytemuck::{Pod, Zeroable};
use fm_index::FmIndex;

use crate::params::MAX_TRIE_K;

/// From where on few differences may do. The kernels read the same struct.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Pod, Zeroable)]
pub struct Bound {
    /// Entry `r`: the least `i` such that the suffix `query[i..]` may match within `r` differences.
    /// All 0: nothing is known, and nothing pruned.
    pub from: [u16; MAX_TRIE_K as usize + 1],
}

const _: () = assert!(size_of::<Bound>() == 16, "as in bound.cuh");

impl Bound {
    /// The bound of a query of at most 65,535 codes, for up to `k` differences; takes a step of the
    /// index for each code.
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
        Bound::new(&index, query, k).from
    }

    #[test]
    fn each_piece_that_does_not_occur_costs_a_difference() {
        let text = b"ACGTACGTAACC";
        // ACG|T TA|A: nothing but GTT and what holds it is missing.
        assert_eq!(bound(text, &[0, 1, 2, 3, 0, 0], 3), [0; 8]);
        assert_eq!(bound(text, &[0, 1, 2, 3, 3, 0], 3), [4, 0, 0, 0, 0, 0, 0, 0]);
        // Unknown bases occur nowhere.
        assert_eq!(bound(text, &[4, 4, 0, 4], 3), [4, 2, 1, 0, 0, 0, 0, 0]);
        assert_eq!(bound(text, &[4, 4, 0, 4], 1), [4, 2, 0, 0, 0, 0, 0, 0]);
        assert_eq!(bound(text, &[], 7), [0; 8]);
    }
}
