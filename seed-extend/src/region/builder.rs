//! From chains to regions: which chains are regions as they are, the alignment tasks of the others, and the regions
//! that alignments are.

use std::ops::{Range, RangeInclusive};

use aligner_core::cigar::{CigarOp, CigarRun};
use fm_index::Segments;

use crate::chain::chains::Chain;
use crate::chain::whole_match::WholeMatch;
use crate::extend::columns::{Prediction, best_stretch};
use crate::extend::{AlignmentSpan, AlignmentTask, Scoring};
use crate::read::queries::{Queries, is_reverse};
use crate::region::alt_contigs::AltContigs;
use crate::region::regions::Region;

/// Makes alignment tasks of chains, and regions of alignments.
#[derive(Debug, Clone, Copy)]
pub struct RegionBuilder<'t> {
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
    /// The region of a chain that needs no alignment: along its only diagonal the whole query differs from the text in at most one
    /// base, so that no alignment with a gap scores more ([`Scoring::prefers_a_mismatch`]), or another chain outscores it, and
    /// the region is what it keeps without gaps. `None` for other chains, and if the region is not in the segment. Its CIGAR runs
    /// are appended to `runs`, but for an outscored chain, whose bases are [not compared](Region::is_compared).
    #[inline]
    pub fn region_without_alignment(
        &self,
        (chain, length): (&Chain, u32),
        whole_match: WholeMatch,
        runs: &mut Vec<CigarRun>,
    ) -> Option<Region> {
        let differ = match whole_match {
            WholeMatch::Equal => None,
            WholeMatch::OneDifference(place) if self.scoring.prefers_a_mismatch() => Some(place),
            WholeMatch::OneDifference(_) | WholeMatch::Other => return None,
            WholeMatch::Outscored(score) => {
                let region = self.region_on_diagonal(chain, chain.begin..chain.end)?;
                return Some(Region { score, ..region });
            }
        };
        let region = self.region_on_diagonal(chain, 0..length)?;
        let first_run = runs.len();
        let equal = |length| (length > 0).then(|| CigarRun::new(CigarOp::Equal, length));
        let before = differ.unwrap_or(length);
        runs.extend(equal(before));
        if differ.is_some() {
            runs.push(CigarRun::new(CigarOp::Different, 1));
            runs.extend(equal(length - before - 1));
        }
        let own = &runs[first_run..];
        let score = best_stretch(own, None, self.scoring);
        Some(Region { score, first_run: first_run as u64, run_count: own.len() as u32, ..region })
    }

    /// The region of these places of the query of a chain, on the chain's diagonal, without its score and its runs. `None` if there
    /// are no places, or not all of them lie in the segment.
    #[inline]
    fn region_on_diagonal(&self, chain: &Chain, places: Range<u32>) -> Option<Region> {
        let segment = &self.segments.get(chain.segment).indexed;
        let begin = u32::try_from(chain.low + i64::from(places.start)).ok()?;
        let begin = Some(begin).filter(|begin| segment.contains(begin))?;
        let length = places.end - places.start;
        if length == 0 || segment.end - begin < length {
            return None;
        }
        Some(Region {
            query: chain.query,
            segment: chain.segment,
            query_begin: places.start,
            query_end: places.end,
            begin,
            end: begin + length,
            is_supported: true,
            is_alt: self.is_alt(chain.segment),
            ..Region::default()
        })
    }

    /// Whether a segment is a part of an ALT contig.
    pub(crate) fn is_alt(&self, segment: u32) -> bool {
        self.alt_contigs.contains(self.segments.get(segment).contig)
    }

    /// The task of aligning the whole query of a chain near its diagonals, where the chain predicts the alignment.
    #[inline]
    pub fn task(&self, queries: &Queries, chain: &Chain) -> AlignmentTask {
        let margin = i64::from(chain.gap.min(self.band_margin));
        let length = queries.length(chain.query) as i64;
        let band = chain.low - margin..=chain.high + margin;
        let window = *band.start()..*band.end() + length;
        let task = self.window_task(queries, QueryOnSegment::of_chain(chain), window, band);
        let in_window = |diagonal: i64| (diagonal - i64::from(task.window_start)) as i32;
        let prediction = Prediction {
            low: in_window(chain.low),
            high: in_window(chain.high),
            begin: chain.begin,
            end: chain.end,
        };
        AlignmentTask { prediction, ..task }
    }

    /// The task of aligning a query within a window of its segment, on the diagonals of a band. Window and band are in
    /// positions of the indexed text; the part of the window outside of the segment is left out. Nothing is predicted.
    #[inline]
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
            query_len: queries.length(query) as u32,
            window_start: start as u32,
            window_len: (end - start) as u32,
            low: (band.start() - start) as i32,
            high: (band.end() - start) as i32,
            is_reverse: is_reverse(query).into(),
            prediction: Prediction::default(),
        }
    }

    /// The region of an alignment of `task`, or `None` if no alignment scores more than 0. Its
    /// [`first_run`](Region::first_run) is that of the alignment.
    #[inline]
    pub fn region(
        &self,
        QueryOnSegment { query, segment }: QueryOnSegment,
        task: &AlignmentTask,
        span: &AlignmentSpan,
    ) -> Option<Region> {
        (span.score > 0).then(|| Region {
            query,
            segment,
            score: span.best_stretch,
            query_begin: span.query_begin,
            query_end: span.query_end,
            begin: task.window_start + span.window_begin,
            end: task.window_start + span.window_end,
            first_run: span.first_run,
            run_count: span.run_count,
            is_supported: span.is_predicted != 0,
            is_alt: self.is_alt(segment),
            ..Region::default()
        })
    }
}
