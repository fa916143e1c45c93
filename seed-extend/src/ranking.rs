//! Which of a read's regions is best, what competes with it, and how sure that is.
//!
//! Regions that share much of the read are alternatives: all but the best are in its *shadow*. Those in
//! nobody's shadow are parts of the read that align apart from each other: the primary alignment and
//! supplementary ones.

use crate::regions::Region;

/// What the comparison of regions needs to know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RankOptions {
    /// The share of the shorter of two regions' places in the read from which on they are alternatives.
    pub overlap: f32,
    /// Two scores no more than this apart are nearly the same: the cost of one difference.
    pub near: i32,
    /// The score that a second-best alignment may have unseen: that of the shortest seed.
    pub unseen: i32,
    /// What a base matched scores.
    pub matched: i32,
    /// What a mismatch costs.
    pub mismatch: i32,
}

impl Default for RankOptions {
    fn default() -> Self {
        Self { overlap: 0.5, near: 7, unseen: 19, matched: 1, mismatch: 4 }
    }
}

/// The greatest mapping quality.
pub const MAX_MAPQ: u8 = 60;

/// Sorts the regions of a read of `length` bases by score and tells each its rivals. Among equal ones,
/// `salt` decides, which is to differ from read to read but not from run to run.
pub fn rank(regions: &mut [Region], length: u32, salt: u64, options: &RankOptions) {
    if let [only] = regions {
        (only.shadow, only.sub, only.rivals) = (None, 0, 0);
        return;
    }
    regions.sort_by_cached_key(|region| {
        (-region.score, mix(salt, region), region.query, region.begin, region.query_begin)
    });
    let mut leaders: Vec<usize> = Vec::new();
    for number in 0..regions.len() {
        let (begin, end) = regions[number].in_read(length);
        regions[number].shadow = None;
        (regions[number].sub, regions[number].rivals) = (0, 0);
        let leader = leaders.iter().copied().find(|&leader| {
            let (other_begin, other_end) = regions[leader].in_read(length);
            let shared = end.min(other_end).saturating_sub(begin.max(other_begin));
            let shorter = (end - begin).min(other_end - other_begin);
            shared > 0 && shared as f32 >= shorter as f32 * options.overlap
        });
        let Some(leader) = leader else {
            leaders.push(number);
            continue;
        };
        regions[number].shadow = Some(leader as u32);
        let score = regions[number].score;
        let leader = &mut regions[leader];
        leader.sub = leader.sub.max(score);
        leader.rivals += u32::from(leader.score - score <= options.near);
    }
}

/// A number that looks drawn, for a read and a region of it.
fn mix(salt: u64, region: &Region) -> u64 {
    let mut hash = salt ^ (u64::from(region.begin) << 1 | u64::from(region.query & 1));
    hash = (hash ^ hash >> 33).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash = (hash ^ hash >> 33).wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ hash >> 33
}

/// The number of the region in whose shadow one of ranked regions is, or its own.
pub fn leader(regions: &[Region], number: usize) -> usize {
    regions[number].shadow.map_or(number, |leader| leader as usize)
}

/// The best score of those that share much of the read with one of its ranked regions; 0 if there is none.
pub fn next_best(regions: &[Region], number: usize) -> i32 {
    let region = &regions[number];
    region.shadow.map_or(region.sub, |leader| regions[leader as usize].score)
}

/// The mapping quality of a region by itself. `repeats` is the share of the read that only has seeds too
/// frequent to be looked at all.
///
/// This is the formula of BWA-MEM (Li 2013, section 2.4, and its program): the difference to the second
/// best score, in bases, times six, less for short and unlike alignments and for many rivals.
pub fn mapq(region: &Region, repeats: f32, options: &RankOptions) -> u8 {
    /// Alignments of fewer bases are trusted as if they had no differences.
    const LONG: f32 = 50.0;
    /// The logarithm of that, without its fraction, as in bwa, whose qualities are calibrated by it.
    const LOG_LONG: f32 = 3.0;
    let sub = region.sub.max(options.unseen * options.matched);
    if sub >= region.score || !region.is_sought {
        return 0;
    }
    let length = region.length() as f32;
    let lost = length * options.matched as f32 - region.score as f32;
    let identity = 1.0 - lost / (options.matched + options.mismatch) as f32 / length;
    let trust = if length < LONG { 1.0 } else { LOG_LONG / length.ln() };
    let trust = trust * identity * identity;
    let apart = (region.score - sub) as f32 / options.matched as f32;
    let mut quality = (6.02 * apart * trust * trust).round();
    if region.rivals > 0 {
        quality -= (4.343 * (region.rivals as f32 + 1.0).ln()).round();
    }
    let quality = quality.clamp(0.0, MAX_MAPQ.into());
    (quality * (1.0 - repeats)).round() as u8
}

/// The quality that a difference of scores stands for.
pub fn raw_mapq(difference: i32, options: &RankOptions) -> i32 {
    (6.02 * difference as f32 / options.matched as f32).round() as i32
}
