//! Counts of the records of a run, by flags, mapping quality and insert size.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::output::record::fields::{
    FIRST, LAST, PAIRED, PROPER, Record, SECONDARY, SUPPLEMENTARY, UNMAPPED,
};

/// Counts of all records of a run.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Primary records, one for each read.
    pub primary: u64,
    /// Primary records of mapped reads.
    pub mapped: u64,
    /// Primary records of reads that have a mate.
    pub paired: u64,
    /// Primary records of reads that are properly paired.
    pub properly_paired: u64,
    /// Secondary records of all reads.
    pub secondary: u64,
    /// Supplementary records of all reads.
    pub supplementary: u64,
    /// Mapped reads by mapping quality.
    pub mapq: BTreeMap<u8, u64>,
    /// Properly paired pairs by insert size, in bases.
    pub insert_size: BTreeMap<u32, u64>,
}

/// Counts of records while they are made, or of pieces of them: quick to count in, where [`Tally`] is ordered.
#[derive(Debug)]
pub struct RecordCounts {
    primary: u64,
    paired: u64,
    properly_paired: u64,
    secondary: u64,
    supplementary: u64,
    /// Mapped reads by mapping quality.
    mapq: [u64; 256],
    /// Properly paired pairs of counts that were added, by insert size, in bases.
    insert_size: FxHashMap<u32, u64>,
    /// The insert size of each pair that was counted here: a piece has fewer pairs than there are sizes.
    own_insert_sizes: Vec<u32>,
}

impl Default for RecordCounts {
    fn default() -> Self {
        Self {
            primary: 0,
            paired: 0,
            properly_paired: 0,
            secondary: 0,
            supplementary: 0,
            mapq: [0; 256],
            insert_size: FxHashMap::default(),
            own_insert_sizes: Vec::new(),
        }
    }
}

impl RecordCounts {
    /// Counts a record.
    pub fn count(&mut self, record: &Record<'_>) {
        let &Record { flag, mapq, mate, .. } = record;
        if flag & SECONDARY != 0 {
            self.secondary += 1;
            return;
        }
        if flag & SUPPLEMENTARY != 0 {
            self.supplementary += 1;
            return;
        }
        self.primary += 1;
        if flag & UNMAPPED == 0 {
            self.mapq[usize::from(mapq)] += 1;
        }
        self.paired += u64::from(flag & PAIRED != 0);
        self.properly_paired += u64::from(flag & PROPER != 0);
        // Each pair once.
        if flag & PROPER != 0 && flag & (FIRST | LAST) == FIRST {
            let size = mate.map_or(0, |mate| mate.span.unsigned_abs());
            self.own_insert_sizes.push(size);
        }
    }

    /// Adds the counts of other records.
    pub fn add(&mut self, others: &Self) {
        let Self {
            primary,
            paired,
            properly_paired,
            secondary,
            supplementary,
            mapq,
            insert_size: _,
            own_insert_sizes: _,
        } = others;
        self.primary += primary;
        self.paired += paired;
        self.properly_paired += properly_paired;
        self.secondary += secondary;
        self.supplementary += supplementary;
        self.mapq.iter_mut().zip(mapq).for_each(|(own, count)| *own += count);
        for (size, count) in others.insert_sizes() {
            *self.insert_size.entry(size).or_default() += count;
        }
    }

    /// Numbers of properly paired pairs with an insert size, which may come several times.
    fn insert_sizes(&self) -> impl Iterator<Item = (u32, u64)> {
        let own = self.own_insert_sizes.iter().map(|&size| (size, 1));
        self.insert_size.iter().map(|(&size, &count)| (size, count)).chain(own)
    }

    /// The tally that these counts are.
    pub fn tally(&self) -> Tally {
        let by_quality = (0..=u8::MAX).zip(self.mapq);
        let mut insert_size = BTreeMap::new();
        for (size, count) in self.insert_sizes() {
            *insert_size.entry(size).or_default() += count;
        }
        Tally {
            primary: self.primary,
            mapped: self.mapq.iter().sum(),
            paired: self.paired,
            properly_paired: self.properly_paired,
            secondary: self.secondary,
            supplementary: self.supplementary,
            mapq: by_quality.filter(|&(_, count)| count > 0).collect(),
            insert_size,
        }
    }
}

impl Tally {
    /// The median insert size of properly paired pairs, in bases; `None` if there are none.
    pub fn median_insert_size(&self) -> Option<u32> {
        quantile(&self.insert_size, 0.5)
    }

    /// Adds the counts of other records.
    pub fn add_all(&mut self, others: &Self) {
        let Self {
            primary,
            mapped,
            paired,
            properly_paired,
            secondary,
            supplementary,
            mapq,
            insert_size,
        } = others;
        self.primary += primary;
        self.mapped += mapped;
        self.paired += paired;
        self.properly_paired += properly_paired;
        self.secondary += secondary;
        self.supplementary += supplementary;
        for (&quality, count) in mapq {
            *self.mapq.entry(quality).or_default() += count;
        }
        for (&size, count) in insert_size {
            *self.insert_size.entry(size).or_default() += count;
        }
    }
}

/// A quantile of counted values: the least value that at least this fraction of the values do not exceed; `None` if there
/// are none.
pub fn quantile(counts: &BTreeMap<u32, u64>, fraction: f64) -> Option<u32> {
    let wanted = (fraction * counts.values().sum::<u64>() as f64).ceil().max(1.0) as u64;
    let mut before = 0;
    counts.iter().find_map(|(&value, &count)| {
        before += count;
        (before >= wanted).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::record::fields::{ExtraTags, Mate};

    #[test]
    fn quantiles_are_values_that_occur() {
        let counts = BTreeMap::from([(3, 2), (4, 2), (9, 4)]);
        let of = |fraction| quantile(&counts, fraction);
        assert_eq!([0.0, 0.25, 0.26, 0.5, 0.51, 1.0].map(of), [3, 3, 4, 4, 9, 9].map(Some));
        assert_eq!(quantile(&BTreeMap::from([(3, 2), (4, 2)]), 0.5), Some(3));
        assert_eq!(quantile(&BTreeMap::new(), 0.5), None);
    }
    #[test]
    fn records_are_counted_by_what_they_are() {
        let record = |flag, mapq, span| Record {
            name: b"r",
            flag,
            position: None,
            mapq,
            cigar: &[],
            mate: (flag & PAIRED != 0).then_some(Mate { position: None, span, alignment: None }),
            sequence: &[],
            quality: None,
            tags: None,
            group: None,
            extra: ExtraTags::default(),
        };
        let mut all = RecordCounts::default();
        for _ in 0..2 {
            let mut piece = RecordCounts::default();
            for (flag, mapq, span) in [
                (PAIRED | PROPER | FIRST, 60, -300),
                (PAIRED | PROPER | LAST, 60, 300),
                (PAIRED | FIRST, 3, 9000),
                (PAIRED | LAST | UNMAPPED, 0, -9000),
                (SECONDARY, 0, 0),
                (SUPPLEMENTARY | PAIRED | PROPER | FIRST, 60, 7),
                (UNMAPPED, 0, 0),
                (0, 60, 0),
            ] {
                piece.count(&record(flag, mapq, span));
            }
            all.add(&piece);
        }
        let tally = all.tally();
        let expected = Tally {
            primary: 12,
            mapped: 8,
            paired: 8,
            properly_paired: 4,
            secondary: 2,
            supplementary: 2,
            mapq: [(3, 2), (60, 6)].into(),
            insert_size: [(300, 2)].into(),
        };
        assert_eq!(tally, expected);
        let mut sum = Tally::default();
        sum.add_all(&tally);
        sum.add_all(&tally);
        let number = |tally: &Tally| serde_json::to_value(tally).expect("is JSON");
        assert_eq!(number(&sum)["mapq"], serde_json::json!({"3": 4, "60": 12}));
        assert_eq!((sum.primary, sum.insert_size[&300]), (24, 4));
    }
}
