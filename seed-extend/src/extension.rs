//! From chains to regions: what is to be aligned, and what an alignment says.

use aligner_core::cigar::{CigarOp, CigarRun};
use fm_index::Segments;

use crate::chains::Chain;
use crate::extend::{Alignments, Scoring, Task};
use crate::packed::{Text, only_difference};
use crate::queries::Queries;
use crate::regions::Region;

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
    pub fn plain(
        &self,
        queries: &Queries,
        chain: &Chain,
        runs: &mut Vec<CigarRun>,
    ) -> Option<Region> {
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
            None => runs.push(CigarRun::new(CigarOp::Equal, length)),
            Some(place) => {
                let around = [
                    (CigarOp::Equal, place),
                    (CigarOp::Different, 1),
                    (CigarOp::Equal, length - place - 1),
                ];
                let some = around.into_iter().filter(|&(_, count)| count > 0);
                runs.extend(some.map(|(op, count)| CigarRun::new(op, count)));
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
            is_sought: true,
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
        (query, segment): (u32, u32),
        task: &Task,
        (alignments, number): (&Alignments, usize),
        runs: &mut Vec<CigarRun>,
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
            is_sought: true,
            sub: 0,
            rivals: 0,
            shadow: None,
        })
    }
}

/// What columns score if no base is unknown.
fn total(runs: &[CigarRun], scoring: Scoring) -> i32 {
    runs.iter().map(|&run| worth(run, scoring)).sum()
}

/// What a run scores if no base is unknown.
fn worth(run: CigarRun, scoring: Scoring) -> i32 {
    let count = run.length() as i32;
    match run.op() {
        CigarOp::Equal => count * scoring.matched(),
        CigarOp::Different => -count * scoring.mismatch(),
        CigarOp::Insertion | CigarOp::Deletion => -scoring.gap(run.length()),
    }
}

/// The best score of any stretch of columns that score `all` together. Pairs with unknown bases cost
/// less than runs tell: the difference is added, as far as there are equal bases.
fn best_part(runs: &[CigarRun], all: i32, scoring: Scoring) -> i32 {
    let (mut here, mut best, mut most) = (0, 0, 0);
    for &run in runs {
        let worth = worth(run, scoring);
        here = (here + worth).max(0);
        best = best.max(here);
        most += worth.max(0);
    }
    (best + all - total(runs, scoring)).min(most)
}
