//! From chains to regions: which chains are regions as they are, the alignment tasks of the others, and the regions
//! that alignments are.

use std::ops::{Range, RangeInclusive};

use aligner_core::cigar::{CigarOp, CigarRun};
use fm_index::Segments;

use crate::chain::chains::Chain;
use crate::extend::{AlignmentSpan, AlignmentTask, Scoring};
use crate::read::packed::{PackedText, only_difference};
use crate::read::queries::{Queries, is_reverse};
use crate::region::alt_contigs::AltContigs;
use crate::region::regions::Region;

/// Makes alignment tasks of chains, and regions of alignments.
#[derive(Debug, Clone, Copy)]
pub struct RegionBuilder<'t> {
    /// The indexed text that queries are aligned to.
    pub text: PackedText<'t>,
    /// The segments of the text. No region crosses the border of one.
    pub segments: &'t Segments,
    /// The contigs whose regions are on ALT contigs.
    pub alt_contigs: &'t AltContigs,
    /// Scores and penalties of alignments.
    pub scoring: Scoring,
    /// Diagonals by which an alignment may leave those of its chain on either side, at most.
    pub band_margin: u32,
    /// Chains of less weight become neither regions nor tasks. bwa's `-W`.
    pub min_chain_weight: u32,
}

/// A query, and the segment of the text that it is aligned to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryOnSegment {
    /// Number of the query: twice the read's, plus 1 for its reverse complement.
    pub query: u32,
    /// Number of the segment.
    pub segment: u32,
}

impl QueryOnSegment {
    /// The query and the segment of a chain.
    pub fn of_chain(chain: &Chain) -> Self {
        Self { query: chain.query, segment: chain.segment }
    }
}

impl RegionBuilder<'_> {
    /// Starts to fetch the text that [`region_without_gaps`](Self::region_without_gaps) compares with the query of a chain.
    pub fn prefetch(&self, queries: &Queries, chain: &Chain) {
        self.text.prefetch(chain.low..chain.low + queries.codes(chain.query).len() as i64);
    }

    /// The region of a chain that needs no alignment: it is on one diagonal, and along that the whole query differs
    /// from the text in at most one base, so that no alignment with a gap scores more
    /// ([`Scoring::prefers_a_mismatch`]). `None` for other chains. The
    /// region's CIGAR runs are appended to `runs`.
    pub fn region_without_gaps(
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
        if differ.is_some() && !self.scoring.prefers_a_mismatch() {
            return None;
        }
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
        let score = best_stretch(own, None, self.scoring);
        let is_alt = self.is_alt(chain.segment);
        Some(Region {
            query: chain.query,
            segment: chain.segment,
            score,
            query_begin: 0,
            query_end: length,
            begin,
            end: begin + length,
            first_run,
            run_count: runs.len() as u32 - first_run,
            is_supported: true,
            is_alt,
            ..Region::default()
        })
    }

    /// Whether a segment is a part of an ALT contig.
    fn is_alt(&self, segment: u32) -> bool {
        self.alt_contigs.contains(self.segments.get(segment).contig)
    }

    /// The task of aligning the whole query of a chain near its diagonals.
    pub fn task(&self, queries: &Queries, chain: &Chain) -> AlignmentTask {
        let margin = i64::from(chain.gap.min(self.band_margin));
        let length = queries.codes(chain.query).len() as i64;
        let band = chain.low - margin..=chain.high + margin;
        let window = *band.start()..*band.end() + length;
        self.window_task(queries, QueryOnSegment::of_chain(chain), window, band)
    }

    /// The task of aligning a query within a window of its segment, on the diagonals of a band. Window and band are in
    /// positions of the indexed text; the part of the window outside of the segment is left out.
    pub fn window_task(
        &self,
        queries: &Queries,
        QueryOnSegment { query, segment }: QueryOnSegment,
        window: Range<i64>,
        band: RangeInclusive<i64>,
    ) -> AlignmentTask {
        let segment = &self.segments.get(segment).indexed;
        let start = window.start.clamp(segment.start.into(), segment.end.into());
        let end = window.end.clamp(start, segment.end.into());
        AlignmentTask {
            query_start: queries.start(query),
            query_len: queries.codes(query).len() as u32,
            window_start: start as u32,
            window_len: (end - start) as u32,
            low: (band.start() - start) as i32,
            high: (band.end() - start) as i32,
            is_reverse: is_reverse(query).into(),
        }
    }

    /// The region of an alignment of `task`, with these CIGAR runs, or `None` if no alignment scores more than 0. Its
    /// [`first_run`](Region::first_run) is that of the alignment.
    pub fn region(
        &self,
        QueryOnSegment { query, segment }: QueryOnSegment,
        task: &AlignmentTask,
        (span, runs): (&AlignmentSpan, &[CigarRun]),
    ) -> Option<Region> {
        if span.score <= 0 {
            return None;
        }
        let clips = self.scoring.query_clips(is_reverse(query));
        let clipped = |is_clipped: bool, penalty: i32| if is_clipped { penalty } else { 0 };
        let without_clips = span.score
            + clipped(span.query_begin > 0, clips.begin)
            + clipped(span.query_end < task.query_len, clips.end);
        let is_alt = self.is_alt(segment);
        Some(Region {
            query,
            segment,
            score: best_stretch(runs, Some(without_clips), self.scoring),
            query_begin: span.query_begin,
            query_end: span.query_end,
            begin: task.window_start + span.window_begin,
            end: task.window_start + span.window_end,
            first_run: span.first_run as u32,
            run_count: span.run_count,
            is_supported: true,
            is_alt,
            ..Region::default()
        })
    }
}

/// Score of one run of columns, as if no base were unknown.
fn run_score(run: CigarRun, scoring: Scoring) -> i32 {
    let count = run.length() as i32;
    match run.op() {
        CigarOp::Equal => count * scoring.match_score(),
        CigarOp::Different => -count * scoring.mismatch_penalty(),
        CigarOp::Insertion => -scoring.insertion().of(run.length()),
        CigarOp::Deletion => -scoring.deletion().of(run.length()),
    }
}

/// The best score of any stretch of columns. `all` is the score of all of them, if a base may be unknown: that costs less than
/// the mismatch that the runs show. The difference is added to the stretch, whose score is then limited to that of its matches.
fn best_stretch(runs: &[CigarRun], all: Option<i32>, scoring: Scoring) -> i32 {
    let (mut here, mut best, mut matches, mut total) = (0, 0, 0, 0);
    for &run in runs {
        let score = run_score(run, scoring);
        here = (here + score).max(0);
        best = best.max(here);
        matches += score.max(0);
        total += score;
    }
    let difference = all.map_or(0, |all| all - total);
    (best + difference).min(matches)
}
