//! A comparison of two mappers: whether they align the same reads to the same loci.

use std::collections::HashMap;
use std::fmt::Write as _;

use anyhow::{Result, bail};
use serde::Serialize;

use super::aligned_span::AlignedSpan;
use super::alignments::{AlignedRead, AlignmentFile};

/// Counts of reads, and of those that each mapper is sure of.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PlacementCounts {
    /// All reads with this outcome.
    pub all: u64,
    /// Reads with a MAPQ of at least [`Comparison::mapq`] in the first file.
    pub first_sure: u64,
    /// Reads with a MAPQ of at least [`Comparison::mapq`] in the second file.
    pub second_sure: u64,
    /// Reads with a MAPQ of at least [`Comparison::mapq`] in both files.
    pub both_sure: u64,
}

/// Counts of the reads of two files by their loci.
#[derive(Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The MAPQ from which on a mapper is sure of a locus.
    pub mapq: u8,
    /// Reads in both files.
    pub reads: u64,
    /// Reads that are mapped to the same locus.
    pub same: PlacementCounts,
    /// Reads that are mapped to different loci.
    pub elsewhere: PlacementCounts,
    /// Reads that are mapped in the first file only.
    pub only_first: PlacementCounts,
    /// Reads that are mapped in the second file only.
    pub only_second: PlacementCounts,
    /// Reads that are mapped in neither file.
    pub neither: u64,
    /// Of the reads that the first mapper is sure of, the share that the second mapper is sure to have elsewhere.
    pub elsewhere_share: f64,
}

/// The placement of a read in one file.
struct Placement {
    /// Where it is aligned, if it is.
    span: Option<AlignedSpan>,
    mapq: u8,
}

impl Placement {
    fn of(read: &AlignedRead<'_>) -> Self {
        Self { span: read.span, mapq: read.mapq }
    }
}

impl Comparison {
    /// Compares files with the same reads, in any order; those of the first file are held in memory. Loci are the same up to
    /// `tolerance` bases.
    ///
    /// # Errors
    /// If the files cannot be read, or have different reads or contigs.
    pub fn of(
        first: &mut AlignmentFile,
        second: &mut AlignmentFile,
        mapq: u8,
        tolerance: u32,
    ) -> Result<Self> {
        if first.contigs() != second.contigs() {
            bail!("the files have different contigs: map both to the same reference");
        }
        let mut reads: HashMap<(Box<str>, u8), Placement> = HashMap::new();
        while let Some(read) = first.next()? {
            if reads.insert((read.name.into(), read.mate), Placement::of(&read)).is_some() {
                bail!("{}the read occurs twice", first.location());
            }
        }
        let mut found = Self::new(mapq, reads.len() as u64);
        while let Some(read) = second.next()? {
            let Some(placement) = reads.remove(&(read.name.into(), read.mate)) else {
                bail!(
                    "{}the read is not in the other file, or occurs twice here",
                    second.location()
                );
            };
            let agree = |a: &AlignedSpan, b: &AlignedSpan| a.agrees_with(b, i64::from(tolerance));
            found.count(&placement, &Placement::of(&read), agree);
        }
        if let Some((name, _)) = reads.keys().min() {
            let count = reads.len();
            let (of, are) = if count == 1 { ("read", "is") } else { ("reads", "are") };
            bail!("{count} {of} of the first file, such as '{name}', {are} not in the second");
        }
        let sure: u64 =
            [found.same, found.elsewhere, found.only_first].map(|c| c.first_sure).iter().sum();
        found.elsewhere_share =
            if sure == 0 { 0.0 } else { found.elsewhere.both_sure as f64 / sure as f64 };
        Ok(found)
    }

    /// A comparison in which nothing is counted yet.
    fn new(mapq: u8, reads: u64) -> Self {
        let none = PlacementCounts::default();
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

    /// Counts a read with this placement in both files.
    fn count(
        &mut self,
        first: &Placement,
        second: &Placement,
        agree: impl Fn(&AlignedSpan, &AlignedSpan) -> bool,
    ) {
        let counts = match (&first.span, &second.span) {
            (None, None) => {
                self.neither += 1;
                return;
            }
            (Some(_), None) => &mut self.only_first,
            (None, Some(_)) => &mut self.only_second,
            (Some(a), Some(b)) if agree(a, b) => &mut self.same,
            (Some(_), Some(_)) => &mut self.elsewhere,
        };
        let [a, b] = [first, second].map(|read| read.span.is_some() && read.mapq >= self.mapq);
        counts.all += 1;
        counts.first_sure += u64::from(a);
        counts.second_sure += u64::from(b);
        counts.both_sure += u64::from(a && b);
    }

    /// The counts as a table, after a line with the share.
    pub fn tsv(&self) -> String {
        let Self { mapq, reads, neither, elsewhere_share, .. } = self;
        let mut text = format!("#reads\t{reads}\telsewhere_share\t{elsewhere_share:.3e}\n");
        let _ = writeln!(text, "place\treads\tfirst_{mapq}\tsecond_{mapq}\tboth_{mapq}");
        for (name, counts) in [
            ("same", self.same),
            ("elsewhere", self.elsewhere),
            ("only_first", self.only_first),
            ("only_second", self.only_second),
            ("neither", PlacementCounts { all: *neither, ..PlacementCounts::default() }),
        ] {
            let PlacementCounts { all, first_sure, second_sure, both_sure } = counts;
            let _ = writeln!(text, "{name}\t{all}\t{first_sure}\t{second_sure}\t{both_sure}");
        }
        text
    }
}
