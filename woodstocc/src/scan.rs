//! Search by scanning the reference, for reads so short that most of it matches.
//!
//! A read of no more than `k` bases matches at every start, and one of a few more bases at most
//! starts; walking a trie to find that out visits the whole index. The scan computes, from the end
//! of a contig to its front, the column
//!
//! ```text
//!   E[p][i] = least edit distance between read[i..] and any prefix of contig[p..]
//!           = min( E[p+1][i+1] + (read[i] != contig[p]),  E[p+1][i] + 1,  E[p][i+1] + 1 )
//! ```
//!
//! whose first cell is the distance of start `p`. Its cost is length of read times length of
//! reference, whatever matches.

use fm_index::Reference;

use crate::matches::Match;

/// Calls `found` with every match of the query within `k`, contig by contig, last start first.
pub fn search(reference: &Reference, query: &[u8], k: usize, mut found: impl FnMut(Match)) {
    let m = query.len();
    for (number, contig) in reference.contigs().iter().enumerate() {
        let text = reference.codes(contig.offset..contig.offset + contig.length);
        let mut column: Vec<usize> = (0..=m).rev().collect();
        for (start, &base) in text.iter().enumerate().rev() {
            let mut below = column[m];
            for i in (0..m).rev() {
                let differs = usize::from(query[i] != base || base > 3);
                let value = (below + differs).min(column[i] + 1).min(column[i + 1] + 1);
                below = column[i];
                column[i] = value;
            }
            if column[0] <= k {
                found(Match {
                    contig: number as u32,
                    start: start as u32,
                    distance: column[0] as u8,
                });
            }
        }
    }
}
