//! Sizes of sets of duplicate pairs.

use std::collections::BTreeMap;

/// How many sets of pairs there are of each size. The pairs of a set are alike, so that all but one are duplicates; a pair
/// without duplicates is a set of its own.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct SetSizes(BTreeMap<u64, SetCounts>);

/// The numbers of sets of one size, as Picard's metrics name them.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct SetCounts {
    /// The number of all sets.
    pub all: u64,
    /// The number of sets that are so large by one pair and its optical duplicates.
    pub optical: u64,
    /// The number of sets that are so large without their optical duplicates.
    pub non_optical: u64,
}

impl SetSizes {
    /// Counts a set of so many pairs, of which some are optical duplicates.
    pub fn add(&mut self, pairs: u64, optical: u64) {
        self.of(pairs).all += 1;
        self.of(pairs - optical).non_optical += 1;
        if optical > 0 {
            self.of(optical + 1).optical += 1;
        }
    }

    /// Adds the counts of other sets.
    pub fn add_all(&mut self, others: &Self) {
        for (size, counts) in others.iter() {
            let sum = self.of(size);
            sum.all += counts.all;
            sum.optical += counts.optical;
            sum.non_optical += counts.non_optical;
        }
    }

    /// The counts of each size that occurs, from the smallest on.
    pub fn iter(&self) -> impl Iterator<Item = (u64, SetCounts)> {
        self.0.iter().map(|(&size, &counts)| (size, counts))
    }

    fn of(&mut self, size: u64) -> &mut SetCounts {
        self.0.entry(size).or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optical_duplicates_count_by_themselves() {
        let mut sets = SetSizes::default();
        sets.add(1, 0);
        sets.add(5, 3);
        let mut more = SetSizes::default();
        more.add(4, 0);
        sets.add_all(&more);
        let counts = |all, optical, non_optical| SetCounts { all, optical, non_optical };
        let expected = [
            (1, counts(1, 0, 1)),
            (2, counts(0, 0, 1)),
            (4, counts(1, 1, 1)),
            (5, counts(1, 0, 0)),
        ];
        assert_eq!(sets.iter().collect::<Vec<_>>(), expected);
    }
}
