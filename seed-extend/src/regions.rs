//! Regions: where a read aligns, each with its alignment.

use aligner_core::cigar::CigarRun;

use crate::lists::Lists;
use crate::queries::{TOGETHER, is_reverse};

/// An alignment of a read to the text, and how it compares with others of the read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Number of the query.
    pub query: u32,
    /// Number of the segment.
    pub segment: u32,
    /// The best score of any stretch of its columns, without any cost for ends that are not reached: what
    /// is aligned to reach an end of the read does not count against it.
    pub score: i32,
    /// Its places of the query, from 0.
    pub query_begin: u32,
    /// Behind the last.
    pub query_end: u32,
    /// Its positions of the indexed text, from 0.
    pub begin: u32,
    /// Behind the last.
    pub end: u32,
    /// First of its runs, among those of its part of the reads.
    pub first_run: u32,
    /// How many they are.
    pub runs: u32,
    /// Whether it was looked for: it goes through a seed of its chain, or is where a mate should be. What was
    /// met beside a chain says nothing of other places like it, which have no chains either.
    pub is_sought: bool,
    /// The best score of another that shares much of the read with this one; 0 if there is none.
    pub sub: i32,
    /// How many such others score nearly as much as the best of them.
    pub rivals: u32,
    /// Number of the better one that shares much of the read with this one.
    pub shadow: Option<u32>,
}

impl Region {
    /// Its places of the read, which has `length` bases, in the read's own direction.
    pub fn in_read(&self, length: u32) -> (u32, u32) {
        if is_reverse(self.query) {
            (length - self.query_end, length - self.query_begin)
        } else {
            (self.query_begin, self.query_end)
        }
    }

    /// The position that the read's first base would have, or of the first that is aligned.
    pub fn five_prime(&self) -> i64 {
        if is_reverse(self.query) { i64::from(self.end) - 1 } else { self.begin.into() }
    }

    /// The more of its lengths in query and text.
    pub fn length(&self) -> u32 {
        (self.query_end - self.query_begin).max(self.end - self.begin)
    }
}

/// Regions of a batch of reads and their columns, in parts, so that many threads can make them.
#[derive(Debug, Clone, Default)]
pub struct Regions {
    /// Of [`TOGETHER`] reads each, but for the last.
    pub(crate) parts: Vec<Part>,
}

/// Regions of some reads that follow each other, and their columns.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    pub(crate) of_reads: Lists<Region>,
    pub(crate) runs: Vec<CigarRun>,
}

impl Regions {
    /// Those of a read.
    pub fn of(&self, read: usize) -> &[Region] {
        self.parts[read / TOGETHER].of_reads.get(read % TOGETHER)
    }

    /// The columns of a region.
    pub fn runs(&self, region: &Region) -> &[CigarRun] {
        let part = &self.parts[region.query as usize / 2 / TOGETHER];
        &part.runs[region.first_run as usize..][..region.runs as usize]
    }
}

/// Removes the worse of any two regions of one read that are nearly the same: on one strand, and with
/// much of the shorter in common in query and text.
pub fn deduplicate(regions: &mut Vec<Region>) {
    /// The share in common of those that are nearly the same.
    const SHARED: f32 = 0.95;
    if regions.len() < 2 {
        return;
    }
    regions.sort_by_key(|region| (region.query, region.segment, region.begin, region.end));
    let longest = regions.iter().map(|region| region.end - region.begin).max().unwrap_or_default();
    // Those that are kept so far are the first.
    let mut kept = 0;
    for number in 0..regions.len() {
        let mut region = regions[number];
        let (mut is_wanted, mut is_better) = (true, false);
        for other in regions[..kept].iter_mut().rev() {
            let is_elsewhere = other.query != region.query || other.segment != region.segment;
            if is_elsewhere || other.begin + longest < region.begin {
                break;
            }
            let shared = |begin: u32, end: u32, other_begin: u32, other_end: u32| {
                let shared = end.min(other_end).saturating_sub(begin.max(other_begin));
                shared as f32 > SHARED * (end - begin).min(other_end - other_begin) as f32
            };
            let in_text = shared(region.begin, region.end, other.begin, other.end);
            let in_query =
                shared(region.query_begin, region.query_end, other.query_begin, other.query_end);
            let is_exact = (region.begin, region.query_begin) == (other.begin, other.query_begin)
                || (region.end, region.query_end) == (other.end, other.query_end);
            if in_text && in_query || is_exact {
                let is_sought = region.is_sought || other.is_sought;
                (region.is_sought, other.is_sought) = (is_sought, is_sought);
                if other.score >= region.score {
                    is_wanted = false;
                    break;
                }
                other.score = 0;
                is_better = true;
            }
        }
        if is_better {
            let before = std::mem::take(&mut kept);
            for place in 0..before {
                if regions[place].score > 0 {
                    regions[kept] = regions[place];
                    kept += 1;
                }
            }
        }
        if is_wanted {
            regions[kept] = region;
            kept += 1;
        }
    }
    regions.truncate(kept);
}
