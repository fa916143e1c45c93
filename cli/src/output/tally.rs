//! Counts of the records of a run, by flags, mapping quality and insert size.

use std::collections::BTreeMap;

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

/// The facts to count of the records of one piece, noted by the thread that makes them.
#[derive(Debug, Default)]
pub struct TallyNotes {
    primary: Vec<PrimaryNote>,
    secondary: u64,
    supplementary: u64,
}

/// The facts to count of one primary record.
#[derive(Debug, Clone, Copy)]
struct PrimaryNote {
    flag: u16,
    mapq: u8,
    span: i32,
}

impl TallyNotes {
    /// Notes the facts of a record.
    pub fn note(&mut self, record: &Record<'_>) {
        let &Record { flag, mapq, mate, .. } = record;
        if flag & SECONDARY != 0 {
            self.secondary += 1;
        } else if flag & SUPPLEMENTARY != 0 {
            self.supplementary += 1;
        } else {
            let span = mate.map_or(0, |mate| mate.span);
            self.primary.push(PrimaryNote { flag, mapq, span });
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

    /// Adds the records of a piece.
    pub fn add(&mut self, notes: &TallyNotes) {
        self.secondary += notes.secondary;
        self.supplementary += notes.supplementary;
        self.primary += notes.primary.len() as u64;
        // Neighbours often have the same quality, so that one look-up serves many of them.
        for alike in notes
            .primary
            .chunk_by(|a, b| (a.flag & UNMAPPED, a.mapq) == (b.flag & UNMAPPED, b.mapq))
        {
            if alike[0].flag & UNMAPPED == 0 {
                self.mapped += alike.len() as u64;
                *self.mapq.entry(alike[0].mapq).or_default() += alike.len() as u64;
            }
        }
        for &PrimaryNote { flag, span, .. } in &notes.primary {
            self.paired += u64::from(flag & PAIRED != 0);
            self.properly_paired += u64::from(flag & PROPER != 0);
            // Each pair once.
            if flag & PROPER != 0 && flag & (FIRST | LAST) == FIRST {
                *self.insert_size.entry(span.unsigned_abs()).or_default() += 1;
            }
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
        let mut tally = Tally::default();
        for _ in 0..2 {
            let mut notes = TallyNotes::default();
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
                notes.note(&record(flag, mapq, span));
            }
            tally.add(&notes);
        }
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
