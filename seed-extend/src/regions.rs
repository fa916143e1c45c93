//! Regions: where a read aligns, each with its alignment.

use aligner_core::cigar::{Op, Run};
use fm_index::Segments;

use crate::chains::Chain;
use crate::extend::{Alignments, Scoring, Task};
use crate::packed::{Text, only_difference};
use crate::queries::{Queries, is_reverse};

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
    /// First of its runs.
    pub first_run: u32,
    /// How many they are.
    pub runs: u32,
    /// Bases in seeds.
    pub seeded: u32,
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

/// Regions of a batch of reads and their columns.
#[derive(Debug, Clone)]
pub struct Regions {
    /// The regions, read after read.
    pub all: Vec<Region>,
    /// First region of each read, and the end of the last's.
    pub offsets: Vec<u32>,
    /// Columns of the regions.
    pub runs: Vec<Run>,
}

impl Default for Regions {
    fn default() -> Self {
        Self { all: Vec::new(), offsets: vec![0], runs: Vec::new() }
    }
}

impl Regions {
    /// Appends those of the next read, whose columns are already there.
    pub fn push(&mut self, of_read: &[Region]) {
        self.all.extend_from_slice(of_read);
        self.offsets.push(self.all.len() as u32);
    }

    /// A region of others with its columns brought here.
    pub fn adopt(&mut self, region: &Region, runs: &[Run]) -> Region {
        let first_run = self.runs.len() as u32;
        self.runs.extend_from_slice(runs);
        Region { first_run, ..*region }
    }

    /// Those of some reads after those of others, in order.
    pub fn concat(parts: Vec<Self>) -> Self {
        let (regions, runs) = parts.iter().fold((0, 0), |(regions, runs), part| {
            (regions + part.all.len(), runs + part.runs.len())
        });
        let mut all = Self::default();
        all.all.reserve_exact(regions);
        all.runs.reserve_exact(runs);
        for part in parts {
            let (before, moved) = (all.all.len() as u32, all.runs.len() as u32);
            let regions = part.all.iter();
            all.all.extend(regions.map(|it| Region { first_run: it.first_run + moved, ..*it }));
            all.offsets.extend(part.offsets[1..].iter().map(|end| before + end));
            all.runs.extend(part.runs);
        }
        all
    }

    /// Those of a read.
    pub fn of(&self, read: usize) -> &[Region] {
        &self.all[self.offsets[read] as usize..self.offsets[read + 1] as usize]
    }

    /// The columns of a region.
    pub fn runs(&self, region: &Region) -> &[Run] {
        &self.runs[region.first_run as usize..][..region.runs as usize]
    }
}

/// Where regions begin: the text around chains.
#[derive(Debug, Clone, Copy)]
pub struct Extension<'t> {
    /// The indexed text.
    pub text: Text<'t>,
    /// Its segments.
    pub segments: &'t Segments,
    /// How alignments score.
    pub scoring: Scoring,
    /// How far an alignment may leave the diagonals of its chain, at most.
    pub reach: u32,
}

impl Extension<'_> {
    /// The region of a chain on one diagonal, along which the query differs from the text in no more than
    /// one base: no alignment with a gap scores more.
    pub fn plain(&self, queries: &Queries, chain: &Chain, runs: &mut Vec<Run>) -> Option<Region> {
        let query = queries.packed(chain.query);
        let segment = &self.segments.get(chain.segment).indexed;
        let begin = u32::try_from(chain.low).ok().filter(|begin| *begin >= segment.start)?;
        let length = query.length as u32;
        if chain.low != chain.high || segment.end - begin < length || query.has_unknown() {
            return None;
        }
        let differ = only_difference(query, self.text, begin as usize)?;
        let first_run = runs.len() as u32;
        match differ {
            None => runs.push(Run::new(Op::Equal, length)),
            Some(place) => {
                let around =
                    [(Op::Equal, place), (Op::Different, 1), (Op::Equal, length - place - 1)];
                let some = around.into_iter().filter(|&(_, count)| count > 0);
                runs.extend(some.map(|(op, count)| Run::new(op, count)));
            }
        }
        let own = &runs[first_run as usize..];
        let score = best_part(own, total(own, self.scoring), self.scoring);
        Some(Region {
            query: chain.query,
            segment: chain.segment,
            score,
            query_begin: 0,
            query_end: length,
            begin,
            end: begin + length,
            first_run,
            runs: runs.len() as u32 - first_run,
            seeded: chain.weight,
            sub: 0,
            rivals: 0,
            shadow: None,
        })
    }

    /// The task of finding the best alignment near a chain.
    pub fn task(&self, queries: &Queries, chain: &Chain) -> Task {
        let reach = i64::from(chain.gap.min(self.reach));
        let length = queries.codes(chain.query).len() as i64;
        let wanted = chain.low - reach..chain.high + reach + length;
        self.window(
            queries,
            chain.query,
            chain.segment,
            wanted,
            chain.low - reach..chain.high + reach,
        )
    }

    /// The task of aligning a query within a window of a segment, on diagonals from the first to the last
    /// of `band`, which is in coordinates of the indexed text like the window. What is outside of the
    /// segment is left out.
    pub fn window(
        &self,
        queries: &Queries,
        query: u32,
        segment: u32,
        window: std::ops::Range<i64>,
        band: std::ops::Range<i64>,
    ) -> Task {
        let segment = &self.segments.get(segment).indexed;
        let start = window.start.clamp(segment.start.into(), segment.end.into());
        let end = window.end.clamp(start, segment.end.into());
        Task {
            query_start: queries.start(query),
            query_len: queries.codes(query).len() as u32,
            window_start: start as u32,
            window_len: (end - start) as u32,
            low: (band.start - start) as i32,
            high: (band.end - start) as i32,
        }
    }

    /// The region that a task's alignment is, if it has one. `runs` are those that the region's own are
    /// appended to.
    pub fn region(
        &self,
        (query, segment, seeded): (u32, u32, u32),
        task: &Task,
        (alignments, number): (&Alignments, usize),
        runs: &mut Vec<Run>,
    ) -> Option<Region> {
        let place = &alignments.places[number];
        if place.score <= 0 {
            return None;
        }
        let first_run = runs.len() as u32;
        runs.extend_from_slice(alignments.runs_of(number));
        let clipped = u8::from(place.query_begin > 0) + u8::from(place.query_end < task.query_len);
        let all = place.score + i32::from(clipped) * self.scoring.clip();
        Some(Region {
            query,
            segment,
            score: best_part(&runs[first_run as usize..], all, self.scoring),
            query_begin: place.query_begin,
            query_end: place.query_end,
            begin: task.window_start + place.window_begin,
            end: task.window_start + place.window_end,
            first_run,
            runs: runs.len() as u32 - first_run,
            seeded,
            sub: 0,
            rivals: 0,
            shadow: None,
        })
    }
}

/// What columns score if no base is unknown.
fn total(runs: &[Run], scoring: Scoring) -> i32 {
    runs.iter().map(|&run| worth(run, scoring)).sum()
}

/// What a run scores if no base is unknown.
fn worth(run: Run, scoring: Scoring) -> i32 {
    let count = run.count() as i32;
    match run.op() {
        Op::Equal => count * scoring.matched(),
        Op::Different => -count * scoring.mismatch(),
        Op::Insertion | Op::Deletion => -scoring.gap(run.count()),
    }
}

/// The best score of any stretch of columns that score `all` together. Pairs with unknown bases cost
/// less than runs tell: the difference is added, as far as there are equal bases.
fn best_part(runs: &[Run], all: i32, scoring: Scoring) -> i32 {
    let (mut here, mut best, mut most) = (0, 0, 0);
    for &run in runs {
        let worth = worth(run, scoring);
        here = (here + worth).max(0);
        best = best.max(here);
        most += worth.max(0);
    }
    (best + all - total(runs, scoring)).min(most)
}

/// Removes the worse of any two regions of one read that are nearly the same: on one strand, and with
/// much of the shorter in common in query and text.
pub fn deduplicate(regions: &mut Vec<Region>) {
    /// The share in common of those that are nearly the same.
    const SHARED: f32 = 0.95;
    regions.sort_by_key(|region| (region.query, region.segment, region.begin, region.end));
    let longest = regions.iter().map(|region| region.end - region.begin).max().unwrap_or_default();
    let mut kept: Vec<Region> = Vec::with_capacity(regions.len());
    for &region in &*regions {
        let mut is_wanted = true;
        for other in kept.iter_mut().rev() {
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
                if other.score >= region.score {
                    is_wanted = false;
                    break;
                }
                other.score = 0;
            }
        }
        kept.retain(|region| region.score > 0);
        if is_wanted {
            kept.push(region);
        }
    }
    *regions = kept;
}
