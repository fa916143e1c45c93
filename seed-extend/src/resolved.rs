//! What was decided for the reads of a batch.

use crate::ranking::{self, RankOptions, leader};
use crate::regions::{Region, Regions};

/// What was decided for the reads of a batch.
#[derive(Debug, Clone, Default)]
pub struct Resolved {
    /// Where they align; ranked within each read.
    pub regions: Regions,
    /// Of each read, if it aligns.
    pub verdicts: Vec<Option<Verdict>>,
    /// Of each read the share that has only seeds which are too frequent.
    pub repeats: Vec<f32>,
    /// How regions were ranked.
    pub ranking: RankOptions,
    /// The least score of a part of a read.
    pub least: i32,
}

/// What was decided for one read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Which of its regions is primary.
    pub primary: usize,
    /// The mapping quality of it.
    pub mapq: u8,
    /// Whether it and its mate are a proper pair.
    pub proper: bool,
}

/// A region that is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed {
    /// Its number among those of its read.
    pub region: usize,
    /// Its mapping quality.
    pub mapq: u8,
}

impl Resolved {
    /// Whether a read and its mate are a proper pair.
    pub fn is_proper(&self, read: usize) -> bool {
        self.verdicts[read].is_some_and(|verdict| verdict.proper)
    }

    /// The parts of a read that align: the primary region, then others that are in nobody's shadow.
    /// None is trusted more than the primary one.
    pub fn parts(&self, read: usize) -> Vec<Placed> {
        let Some(Verdict { primary, mapq, .. }) = self.verdicts[read] else { return Vec::new() };
        let regions = self.regions.of(read);
        let leader = leader(regions, primary);
        let is_other = |&(number, region): &(usize, &Region)| {
            region.shadow.is_none() && number != leader && region.score >= self.least
        };
        let others = regions.iter().enumerate().filter(is_other).map(|(region, it)| {
            let own = ranking::mapq(it, self.repeats[read], &self.ranking);
            Placed { region, mapq: own.min(mapq) }
        });
        std::iter::once(Placed { region: primary, mapq }).chain(others).collect()
    }

    /// The regions of a read that compete with the primary one and score at least four fifths as much.
    pub fn alternatives(&self, read: usize) -> Vec<Placed> {
        let Some(Verdict { primary, .. }) = self.verdicts[read] else { return Vec::new() };
        let regions = self.regions.of(read);
        let is_alternative = |&(number, region): &(usize, &Region)| {
            number != primary
                && leader(regions, number) == leader(regions, primary)
                && 5 * region.score >= 4 * regions[primary].score
        };
        let all = regions.iter().enumerate().filter(is_alternative);
        all.map(|(region, _)| Placed { region, mapq: 0 }).collect()
    }
}
