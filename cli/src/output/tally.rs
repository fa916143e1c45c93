//! What is counted of records on their way to the file.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::output::record::{
    FIRST, LAST, PAIRED, PROPER, Record, SECONDARY, SUPPLEMENTARY, UNMAPPED,
};

/// Counts of all records of a run.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// Primary lines: one a read.
    pub primary: u64,
    /// Of these, with a place; of pairs; of pairs whose mates lie as they should.
    pub mapped: u64,
    pub paired: u64,
    pub properly_paired: u64,
    pub secondary: u64,
    pub supplementary: u64,
    /// How many mapped reads have a mapping quality.
    pub mapq: BTreeMap<u8, u64>,
    /// How many pairs that lie as they should span so many bases.
    pub insert_size: BTreeMap<u32, u64>,
}

/// What is to be counted of the records of a piece.
#[derive(Debug, Default)]
pub struct Marks {
    primary: Vec<Mark>,
    secondary: u64,
    supplementary: u64,
}

/// Of a primary line.
#[derive(Debug, Clone, Copy)]
struct Mark {
    flag: u16,
    mapq: u8,
    span: i32,
}

impl Marks {
    /// Notes a record.
    pub fn note(&mut self, record: &Record<'_>) {
        let &Record { flag, mapq, mate, .. } = record;
        if flag & SECONDARY != 0 {
            self.secondary += 1;
        } else if flag & SUPPLEMENTARY != 0 {
            self.supplementary += 1;
        } else {
            let span = mate.map_or(0, |mate| mate.span);
            self.primary.push(Mark { flag, mapq, span });
        }
    }
}

impl Tally {
    /// Counts the records of a piece.
    pub fn add(&mut self, marks: &Marks) {
        self.secondary += marks.secondary;
        self.supplementary += marks.supplementary;
        self.primary += marks.primary.len() as u64;
        // Neighbours are alike, so that few of them have to be looked up.
        for alike in marks
            .primary
            .chunk_by(|a, b| (a.flag & UNMAPPED, a.mapq) == (b.flag & UNMAPPED, b.mapq))
        {
            if alike[0].flag & UNMAPPED == 0 {
                self.mapped += alike.len() as u64;
                *self.mapq.entry(alike[0].mapq).or_default() += alike.len() as u64;
            }
        }
        for &Mark { flag, span, .. } in &marks.primary {
            self.paired += u64::from(flag & PAIRED != 0);
            self.properly_paired += u64::from(flag & PROPER != 0);
            // Once a pair.
            if flag & PROPER != 0 && flag & (FIRST | LAST) == FIRST {
                *self.insert_size.entry(span.unsigned_abs()).or_default() += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::record::Mate;

    #[test]
    fn records_are_counted_by_what_they_are() {
        let record = |flag, mapq, span| Record {
            name: b"r",
            flag,
            place: None,
            mapq,
            cigar: &[],
            mate: (flag & PAIRED != 0).then_some(Mate { place: None, span, alignment: None }),
            sequence: &[],
            quality: None,
            tags: None,
            group: None,
        };
        let mut tally = Tally::default();
        for _ in 0..2 {
            let mut marks = Marks::default();
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
                marks.note(&record(flag, mapq, span));
            }
            tally.add(&marks);
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
    }
}
