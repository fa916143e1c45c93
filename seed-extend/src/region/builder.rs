//! From chains to regions: which chains are regions as they are, the alignment tasks of the others, and the regions
//! that alignments are.

use std::ops::{Range, RangeInclusive};

use aligner_core::cigar::{CigarOp, CigarRun, push_run};
use fm_index::Segments;

use crate::chain::chains::Chain;
use crate::chain::outscored::{OutscoringRules, stretch};
use crate::chain::whole_match::WholeMatch;
use crate::extend::columns::{Prediction, best_stretch};
use crate::extend::{AlignmentSpan, AlignmentTask, Scoring};
use crate::read::packed::{PackedText, different_places};
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
    /// When another chain outscores one.
    pub outscoring: OutscoringRules,
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
    /// The region of a chain that needs no alignment: it is on one diagonal, and along that the whole query differs
    /// from the text in at most one base, so that no alignment with a gap scores more
    /// ([`Scoring::prefers_a_mismatch`]). `None` for other chains. The
    /// region's CIGAR runs are appended to `runs`.
    pub fn region_without_gaps(
        &self,
        (chain, length): (&Chain, u32),
        whole_match: WholeMatch,
        runs: &mut Vec<CigarRun>,
    ) -> Option<Region> {
        let differ = match whole_match {
            WholeMatch::Equal => None,
            WholeMatch::OneDifference(place) if self.scoring.prefers_a_mismatch() => Some(place),
            WholeMatch::OneDifference(_) | WholeMatch::Other | WholeMatch::Outscored => {
                return None;
            }
        };
        self.ungapped_region(chain, 0..length, differ.into_iter(), runs)
    }

    /// The region of a chain that another one outscores: what its diagonal scores without gaps. `None` if it is not in the segment.
    /// The region's CIGAR runs are appended to `runs`.
    pub fn region_of_stretch(
        &self,
        queries: &Queries,
        chain: &Chain,
        runs: &mut Vec<CigarRun>,
    ) -> Option<Region> {
        let query = queries.packed(chain.query);
        let places = stretch(chain, query, self.text, &self.outscoring)?;
        let differ = different_places(query, self.text, chain.low as usize, places.clone());
        self.ungapped_region(chain, places, differ, runs)
    }

    /// The region of these places of the query of a chain, on the chain's diagonal, of which some differ from the text. `None` if
    /// there are no places, or not all of them lie in the segment. The region's CIGAR runs are appended to `runs`.
    fn ungapped_region(
        &self,
        chain: &Chain,
        places: Range<u32>,
        differ: impl Iterator<Item = u32>,
        runs: &mut Vec<CigarRun>,
    ) -> Option<Region> {
        let segment = &self.segments.get(chain.segment).indexed;
        let begin = u32::try_from(chain.low + i64::from(places.start)).ok()?;
        let begin = Some(begin).filter(|begin| segment.contains(begin))?;
        let length = places.end - places.start;
        if length == 0 || segment.end - begin < length {
            return None;
        }
        let first_run = runs.len();
        let mut push = |op, length| {
            if runs.len() == first_run {
                // The last run is of another region.
                runs.extend((length > 0).then(|| CigarRun::new(op, length)));
            } else {
                push_run(runs, op, length);
            }
        };
        let mut equal = places.start;
        for place in differ {
            push(CigarOp::Equal, place - equal);
            push(CigarOp::Different, 1);
            equal = place + 1;
        }
        push(CigarOp::Equal, places.end - equal);
        Some(Region {
            query: chain.query,
            segment: chain.segment,
            score: best_stretch(&runs[first_run..], None, self.scoring),
            query_begin: places.start,
            query_end: places.end,
            begin,
            end: begin + length,
            first_run: first_run as u64,
            run_count: (runs.len() - first_run) as u32,
            is_supported: true,
            is_alt: self.is_alt(chain.segment),
            ..Region::default()
        })
    }

    /// Whether a segment is a part of an ALT contig.
    fn is_alt(&self, segment: u32) -> bool {
        self.alt_contigs.contains(self.segments.get(segment).contig)
    }

    /// The task of aligning the whole query of a chain near its diagonals, where the chain predicts the alignment.
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
