//! Mapped reads: which regions of each read are reported, and as what.

use crate::region::ranking::{self, RankOptions, holder_of, leader_of};
use crate::region::regions::{Region, Regions};

/// The reads of a batch with all decisions made: what the SAM records are written from.
#[derive(Debug, Clone, Default)]
pub struct MappedReads {
    /// Regions of all reads, ranked within each read.
    pub regions: Regions,
    /// The primary alignment of each read; `None` for an unmapped read.
    pub primaries: Vec<Option<PrimaryAlignment>>,
    /// For each read the fraction that lies only in seeds too frequent to be located completely, from 0 to 1.
    pub repeat_fractions: Vec<f32>,
    /// How the regions were ranked.
    pub ranking: RankOptions,
    /// Minimum score of a supplementary alignment.
    pub min_score: i32,
    /// Which regions are reported besides the best one of a read.
    pub report: ReportOptions,
}

/// Which regions of a read are reported besides the best one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReportOptions {
    /// Whether the leftmost part of a split read is primary, not the best one. bwa's `-5`.
    pub is_leftmost_primary: bool,
    /// Whether a supplementary region may have a higher mapping quality than the primary one. bwa's `-q` and `-5`.
    pub keeps_supplementary_mapq: bool,
    /// Secondary regions score at least this fraction of the region that they are secondary to. bwa's `XA_drop_ratio`;
    /// of `-a` it is `-D`.
    pub min_secondary_ratio: f32,
    /// Minimum score of a secondary region. bwa's `-T`, for `-a`.
    pub min_secondary_score: i32,
    /// Whether regions that are secondary to a supplementary region are reported, too, as by bwa's `-a`.
    pub has_secondary_of_parts: bool,
}

impl Default for ReportOptions {
    fn default() -> Self {
        Self {
            is_leftmost_primary: false,
            keeps_supplementary_mapq: false,
            min_secondary_ratio: 0.8,
            min_secondary_score: 0,
            has_secondary_of_parts: false,
        }
    }
}

/// The primary alignment of a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrimaryAlignment {
    /// Number of its region among those of the read.
    pub region: usize,
    /// Its mapping quality, from 0 to 60.
    pub mapq: u8,
    /// Whether the read and its mate are a proper pair.
    pub is_proper: bool,
    /// Whether there are supplementary regions, too.
    pub is_split: bool,
}

impl PrimaryAlignment {
    /// The primary alignment of a read with these regions, of which the one with this number is primary. Supplementary ones
    /// score at least `min_score`.
    pub(crate) fn new(regions: &[Region], region: usize, mapq: u8, min_score: i32) -> Self {
        let is_split = supplementary(regions, region, min_score).next().is_some();
        Self { region, mapq, is_proper: false, is_split }
    }
}

/// The supplementary regions of a read, with their numbers, if region `primary` is primary: other parts of the read than the
/// primary region's.
fn supplementary(
    regions: &[Region],
    primary: usize,
    min_score: i32,
) -> impl Iterator<Item = (usize, &Region)> {
    let leader = leader_of(regions, primary);
    regions.iter().enumerate().filter(move |&(number, region)| {
        region.secondary_to.is_none() && number != leader && region.score >= min_score
    })
}

/// A region that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReportedRegion {
    /// Its number among the regions of its read.
    pub region: usize,
    /// Its mapping quality, from 0 to 60.
    pub mapq: u8,
}

impl MappedReads {
    /// Whether a read and its mate are a proper pair.
    pub fn is_proper(&self, read: usize) -> bool {
        self.primaries[read].is_some_and(|primary| primary.is_proper)
    }

    /// The primary region of a read; `None` for an unmapped read.
    pub fn primary(&self, read: usize) -> Option<ReportedRegion> {
        let of = |PrimaryAlignment { region, mapq, .. }| ReportedRegion { region, mapq };
        self.primaries[read].map(of)
    }

    /// The supplementary regions of a read, which align other parts of it than the primary one, or the same on ALT contigs, if
    /// they fit better there. No mapping quality is higher than the primary region's, unless on ALT contigs or where
    /// [`ReportOptions`] say so.
    pub fn supplementary(&self, read: usize) -> impl Iterator<Item = ReportedRegion> {
        let split = self.primaries[read].filter(|primary| primary.is_split);
        let others = split.map(|PrimaryAlignment { region, mapq, .. }| {
            let regions = self.regions.of(read);
            supplementary(regions, region, self.min_score).map(move |(region, it)| {
                let own = ranking::mapq(it, self.repeat_fractions[read], &self.ranking);
                let keeps_own = self.report.keeps_supplementary_mapq || it.is_alt;
                let mapq = if keeps_own { own } else { own.min(mapq) };
                ReportedRegion { region, mapq }
            })
        });
        others.into_iter().flatten()
    }

    /// The regions that region `holder` of a read, which is reported, has as alternatives in its tag `XA`. bwa's
    /// `mem_gen_alt`.
    pub fn alternatives(&self, read: usize, holder: usize) -> Vec<ReportedRegion> {
        let Some(PrimaryAlignment { region: primary, .. }) = self.primaries[read] else {
            return Vec::new();
        };
        let regions = self.regions.of(read);
        // As bwa computes: 80 are less than four fifths of 100, since the ratio in 32 bits is a little more than that.
        let min_score =
            f64::from(regions[holder].score) * f64::from(self.report.min_secondary_ratio);
        let is_alternative = |&number: &usize| {
            holder_of(regions, primary, number) == Some(holder)
                && f64::from(regions[number].score) >= min_score
        };
        let all = (0..regions.len()).filter(is_alternative);
        all.map(|region| ReportedRegion { region, mapq: 0 }).collect()
    }

    /// The secondary regions of a read that get records of their own: those that compete with the primary one and score
    /// nearly as much, see [`ReportOptions`]. As in bwa, none of them is on an ALT contig.
    pub fn secondary(&self, read: usize) -> Vec<ReportedRegion> {
        let Some(PrimaryAlignment { region: primary, .. }) = self.primaries[read] else {
            return Vec::new();
        };
        let regions = self.regions.of(read);
        let is_secondary = |&(number, region): &(usize, &Region)| {
            let leader = leader_of(regions, number);
            let of_primary = leader == leader_of(regions, primary);
            let of_part = leader != number && regions[leader].score >= self.min_score;
            let rival = if of_primary { primary } else { leader };
            number != primary
                && !region.is_alt
                && (of_primary || self.report.has_secondary_of_parts && of_part)
                && region.score >= self.report.min_secondary_score
                && region.score as f32
                    >= regions[rival].score as f32 * self.report.min_secondary_ratio
        };
        let all = regions.iter().enumerate().filter(is_secondary);
        all.map(|(region, _)| ReportedRegion { region, mapq: 0 }).collect()
    }
}
