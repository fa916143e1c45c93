//! Where two mappers place the same reads.

use std::collections::HashMap;
use std::fmt::Write as _;

use anyhow::{Result, bail};
use serde::Serialize;

use super::alignments::Alignments;
use super::place::Place;

/// How many reads each mapper is sure of.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Counts {
    pub all: u64,
    /// With a MAPQ of at least [`Comparison::mapq`] in the first file, the second, and both.
    pub first_sure: u64,
    pub second_sure: u64,
    pub both_sure: u64,
}

/// What becomes of the reads of two files.
#[derive(Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// What counts as sure.
    pub mapq: u8,
    /// Reads in both files.
    pub reads: u64,
    /// Mapped to the same place.
    pub same: Counts,
    /// Mapped to different places.
    pub elsewhere: Counts,
    /// Mapped in one file alone.
    pub only_first: Counts,
    pub only_second: Counts,
    pub neither: u64,
    /// Of the reads that the first mapper is sure of, the share that the second is sure to have elsewhere.
    pub elsewhere_share: f64,
}

impl Comparison {
    /// Compares files with the same reads, in any order; those of the first are held in memory. Places are
    /// the same up to `tolerance` bases.
    pub fn of(
        first: &mut Alignments,
        second: &mut Alignments,
        mapq: u8,
        tolerance: u32,
    ) -> Result<Self> {
        if first.contigs() != second.contigs() {
            bail!("the files have different contigs");
        }
        let mut reads: HashMap<(Box<str>, u8), (Option<Place>, u8)> = HashMap::new();
        while let Some(read) = first.next()? {
            if reads.insert((read.name.into(), read.mate), (read.place, read.mapq)).is_some() {
                bail!("{}: the read is there twice", first.place());
            }
        }
        let mut found = Self::new(mapq, reads.len() as u64);
        while let Some(read) = second.next()? {
            let Some((place, mapq)) = reads.remove(&(read.name.into(), read.mate)) else {
                bail!("{}: the read is not in the other file, or twice here", second.place());
            };
            let agree = |a: &Place, b: &Place| a.agrees_with(b, i64::from(tolerance));
            found.count((place, mapq), (read.place, read.mapq), agree);
        }
        if let Some((name, _)) = reads.keys().min() {
            bail!("{} reads of the first file, as '{name}', are not in the second", reads.len());
        }
        let sure: u64 =
            [found.same, found.elsewhere, found.only_first].map(|c| c.first_sure).iter().sum();
        found.elsewhere_share =
            if sure == 0 { 0.0 } else { found.elsewhere.both_sure as f64 / sure as f64 };
        Ok(found)
    }

    fn new(mapq: u8, reads: u64) -> Self {
        let none = Counts::default();
        Self {
            mapq,
            reads,
            same: none,
            elsewhere: none,
            only_first: none,
            only_second: none,
            neither: 0,
            elsewhere_share: 0.0,
        }
    }

    fn count(
        &mut self,
        first: (Option<Place>, u8),
        second: (Option<Place>, u8),
        agree: impl Fn(&Place, &Place) -> bool,
    ) {
        let counts = match (&first.0, &second.0) {
            (None, None) => {
                self.neither += 1;
                return;
            }
            (Some(_), None) => &mut self.only_first,
            (None, Some(_)) => &mut self.only_second,
            (Some(a), Some(b)) if agree(a, b) => &mut self.same,
            (Some(_), Some(_)) => &mut self.elsewhere,
        };
        let [a, b] = [first, second].map(|(place, mapq)| place.is_some() && mapq >= self.mapq);
        counts.all += 1;
        counts.first_sure += u64::from(a);
        counts.second_sure += u64::from(b);
        counts.both_sure += u64::from(a && b);
    }

    /// A table, after a line with the share.
    pub fn tsv(&self) -> String {
        let Self { mapq, reads, neither, elsewhere_share, .. } = self;
        let mut text = format!("#reads\t{reads}\telsewhere_share\t{elsewhere_share:.3e}\n");
        let _ = writeln!(text, "place\treads\tfirst_{mapq}\tsecond_{mapq}\tboth_{mapq}");
        for (name, counts) in [
            ("same", self.same),
            ("elsewhere", self.elsewhere),
            ("only_first", self.only_first),
            ("only_second", self.only_second),
            ("neither", Counts { all: *neither, ..Counts::default() }),
        ] {
            let Counts { all, first_sure, second_sure, both_sure } = counts;
            let _ = writeln!(text, "{name}\t{all}\t{first_sure}\t{second_sure}\t{both_sure}");
        }
        text
    }
}
