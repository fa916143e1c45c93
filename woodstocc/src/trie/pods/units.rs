//! Units of work: groups of queries, and subtries for each group.

use super::layout::QueryGroup;
use super::settings::{MAX_WORD, PodSettings};

/// Units that a block should get on average. Few are enough: a unit costs the steps from the root to its word for all
/// queries of its group, and blocks that run out of units get work of others.
const UNITS_PER_BLOCK: u64 = 2;

/// Cuts queries with these ascending lengths into groups, for `blocks` blocks. Returns the groups and the number of
/// their units.
///
/// The words of a group are shorter than its queries by more than `k`, because hits above the words' nodes would not be
/// found.
pub(super) fn cut(
    lengths: &[u32],
    k: usize,
    blocks: u32,
    settings: &PodSettings,
) -> (Vec<QueryGroup>, u32) {
    let size = settings.group as usize;
    let count = lengths.len().div_ceil(size);
    // Groups have about the same size.
    let size = lengths.len().div_ceil(count.max(1)).max(1);
    let wanted = UNITS_PER_BLOCK * u64::from(blocks);
    let word = settings.word.unwrap_or_else(|| {
        (0..MAX_WORD).find(|word| (count as u64) << (2 * word) >= wanted).unwrap_or(MAX_WORD)
    });
    let mut units = 0;
    let mut groups = Vec::with_capacity(count);
    for (number, queries) in lengths.chunks(size).enumerate() {
        let word = word.min(queries[0] - k as u32 - 1);
        groups.push(QueryGroup {
            first: (number * size) as u32,
            queries: queries.len() as u32,
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
        let settings = PodSettings { group: 3, ..PodSettings::default() };
        let group =
            |first, queries, word, first_unit| QueryGroup { first, queries, word, first_unit };
        assert_eq!(cut(&[], 2, 4, &settings), (vec![], 0));
        let (groups, units) = cut(&[3, 5, 5, 40, 41], 2, 4, &settings);
        assert_eq!(groups, [group(0, 3, 0, 0), group(3, 2, 1, 1)]);
        assert_eq!(units, 5);
        let settings = PodSettings { group: 1000, word: Some(1), ..settings };
        assert_eq!(cut(&[40; 5], 2, 4, &settings), (vec![group(0, 5, 1, 0)], 4));
    }
}
