//! How the work is cut: groups of reads, each a number of subtries.

use super::layout::Group;
use super::{MAX_WORD, Settings};

/// Units that a block should get on average. A unit costs the steps from the root to its word, for all
/// reads of its group; blocks that run out of units are given work of others anyway.
const UNITS_PER_BLOCK: u64 = 2;

/// Groups of reads whose `lengths` ascend, cut for `blocks` blocks; and how many units they have.
///
/// The words of a group are shorter than its reads by more than `k`, since no one looks for hits
/// above their nodes.
pub(super) fn cut(
    lengths: &[u32],
    k: usize,
    blocks: u32,
    settings: &Settings,
) -> (Vec<Group>, u32) {
    let size = settings.group as usize;
    let count = lengths.len().div_ceil(size);
    // Groups of about the same size.
    let size = lengths.len().div_ceil(count.max(1)).max(1);
    let wanted = UNITS_PER_BLOCK * u64::from(blocks);
    let word = settings.word.unwrap_or_else(|| {
        (0..MAX_WORD).find(|word| (count as u64) << (2 * word) >= wanted).unwrap_or(MAX_WORD)
    });
    let mut units = 0;
    let mut groups = Vec::with_capacity(count);
    for (number, reads) in lengths.chunks(size).enumerate() {
        let word = word.min(reads[0] - k as u32 - 1);
        groups.push(Group {
            first: (number * size) as u32,
            reads: reads.len() as u32,
            word,
            first_unit: units,
        });
        units += 1 << (2 * word);
    }
    (groups, units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_gets_several_units() {
        let settings = Settings { group: 3, ..Settings::default() };
        let group = |first, reads, word, first_unit| Group { first, reads, word, first_unit };
        assert_eq!(cut(&[], 2, 4, &settings), (vec![], 0));
        let (groups, units) = cut(&[3, 5, 5, 40, 41], 2, 4, &settings);
        assert_eq!(groups, [group(0, 3, 0, 0), group(3, 2, 1, 1)]);
        assert_eq!(units, 5);
        let settings = Settings { group: 1000, word: Some(1), ..settings };
        assert_eq!(cut(&[40; 5], 2, 4, &settings), (vec![group(0, 5, 1, 0)], 4));
    }
}
