//! Search by scanning the reference, for reads so short that most of the reference matches them.
//!
//! A read of no more than `k` bases matches at every start, and a read of up to `3k` bases at most starts. An index is
//! of no use then: a search of the trie would visit all of it. The scan computes, from the end of each contig to its
//! begin, the column
//!
//! ```text
//!   E[p][i] = least edit distance between read[i..] and any prefix of contig[p..]
//!           = min( E[p+1][i+1] + (read[i] != contig[p]),  E[p+1][i] + 1,  E[p][i+1] + 1 )
//! ```
//!
//! whose first cell is the distance of match start `p`. The cost is the length of the read times the length of the
//! reference, however many matches there are.

use fm_index::Reference;

use crate::locus::matches::Match;

/// Calls `found` with every match of the query within `k`, contig by contig, with descending starts.
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
