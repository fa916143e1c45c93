//! Units of work: groups of queries, and subtries for each group.

use super::settings::{MAX_WORD, PodSettings};
use super::stage::TrieUnit;

/// Units that a block should get on average. Few are enough: a unit costs the steps from the root to its word for all
/// queries of its group, and blocks that run out of units get work of others.
const UNITS_PER_BLOCK: u64 = 2;

/// Cuts queries with these ascending lengths into groups, and the trie of each group into subtries, for `blocks` blocks.
///
/// The words of a group are shorter than its queries by more than `k`, because hits above the words' nodes would not be
/// found.
pub(super) fn cut(lengths: &[u32], k: usize, blocks: u32, settings: &PodSettings) -> Vec<TrieUnit> {
    let size = settings.group.max(1) as usize;
    let count = lengths.len().div_ceil(size);
    // Groups have about the same size.
    let size = lengths.len().div_ceil(count.max(1)).max(1);
    let wanted = UNITS_PER_BLOCK * u64::from(blocks);
    let word = settings.word.unwrap_or_else(|| {
        (0..MAX_WORD).find(|word| (count as u64) << (2 * word) >= wanted).unwrap_or(MAX_WORD)
    });
    let mut units = Vec::new();
    for (number, queries) in lengths.chunks(size).enumerate() {
        let length = word.min(MAX_WORD).min(queries[0] - k as u32 - 1);
        let (first, queries) = ((number * size) as u32, queries.len() as u32);
        units.extend((0..1 << (2 * length)).map(|word| TrieUnit { first, queries, word, length }));
    }
    units
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_gets_several_units() {
        let settings = PodSettings { group: 3, ..PodSettings::default() };
        let unit = |first, queries, word, length| TrieUnit { first, queries, word, length };
        assert_eq!(cut(&[], 2, 4, &settings), []);
        let units = cut(&[3, 5, 5, 40, 41], 2, 4, &settings);
        let first = unit(0, 3, 0, 0);
        assert_eq!(units, [&[first][..], &[0, 1, 2, 3].map(|word| unit(3, 2, word, 1))].concat());
        let settings = PodSettings { group: 1000, word: Some(1), ..settings };
        assert_eq!(cut(&[40; 5], 2, 4, &settings), [0, 1, 2, 3].map(|word| unit(0, 5, word, 1)));
    }
}
