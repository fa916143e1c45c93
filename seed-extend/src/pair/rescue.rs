//! Mate rescue: a read that has no region where its mate's region predicts one is searched for there.
//!
//! `bwa` aligns the whole expected window by Smith-Waterman (`mem_matesw`; Li, arXiv:1303.3997, section 2.3). Here the
//! words that the read and the text have in common are counted along each diagonal of the window
//! ([`shared_words`](crate::pair::shared_words)), and the read is aligned only near the diagonals with the most words.
//! Several diagonals are tried, so that the copies of a tandem repeat compete.
//!
//! ```text
//!   regions of pairs
//!     |  MateSearcher::expect_mates     the windows in which missing mates are expected
//!     v  choose_diagonals               of a GPU (pair::gpu) or the CPU (pair::cpu), for all windows of a batch
//!     v  MateSearcher::tasks            an alignment task for each chosen diagonal
//!   alignment tasks
//! ```

use smallvec::SmallVec;

use crate::extend::AlignmentTask;
use crate::pair::insert_size::{InsertSizes, Library, Orientation};
use crate::pair::mate_window::{DiagonalChoice, MateWindow};
use crate::read::queries::{Queries, is_reverse};
use crate::region::builder::{QueryOnSegment, RegionBuilder};
use crate::region::regions::Region;

/// When and how missing mates are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RescueOptions {
    /// A mate is searched for only around regions whose score is at most this much below the best of their read.
    /// `bwa` has its `-U` here.
    pub max_score_drop: i32,
    /// Regions of a read around which its mate is searched for, at most. bwa's `-m` (`max_matesw`).
    pub max_regions: usize,
    /// Diagonals of an expected window near which the read is aligned, at most. `bwa` aligns the whole window.
    pub max_diagonals: usize,
    /// Diagonals by which an alignment may leave such a diagonal on either side.
    pub band_margin: u32,
    /// Words that read and text must have in common on a diagonal.
    pub min_shared_words: u32,
}

impl RescueOptions {
    /// How the diagonals of a window are chosen.
    pub fn diagonal_choice(&self) -> DiagonalChoice {
        DiagonalChoice {
            max_diagonals: self.max_diagonals,
            margin: self.band_margin,
            min_words: self.min_shared_words.max(1),
        }
    }
}

impl Default for RescueOptions {
    fn default() -> Self {
        Self {
            max_score_drop: 17,
            max_regions: 50,
            max_diagonals: 3,
            band_margin: 16,
            min_shared_words: 2,
        }
    }
}

/// Regions of a read that are compared without asking for memory.
const FEW: usize = 16;

/// A task of mate rescue: aligning a read near a diagonal where its mate predicts it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RescueTask {
    /// Number of the read.
    pub read: u32,
    /// The read in the orientation that is expected, and the segment.
    pub of: QueryOnSegment,
    /// The alignment task near that diagonal.
    pub task: AlignmentTask,
}

/// A missing mate, and where it is expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExpectedMate {
    /// Number of the segment.
    pub segment: u32,
    /// The mate in the orientation that is expected, and the diagonals on which it may begin.
    pub window: MateWindow,
}

/// Finds out where the missing mates of a batch of pairs are expected, and makes the tasks of aligning them.
#[derive(Debug, Clone, Copy)]
pub struct MateSearcher<'t> {
    builder: RegionBuilder<'t>,
    queries: &'t Queries,
    library: &'t Library,
    options: RescueOptions,
}

impl<'t> MateSearcher<'t> {
    /// A searcher for the mates of these reads.
    pub fn new(
        builder: RegionBuilder<'t>,
        queries: &'t Queries,
        library: &'t Library,
        options: RescueOptions,
    ) -> Self {
        Self { builder, queries, library, options }
    }

    /// Appends the missing mates of a pair that are expected somewhere, in the order of its reads. `first` is the number
    /// of its first read, and `ends` are the ranked regions of both reads.
    pub fn expect_mates(&self, first: u32, ends: [&[Region]; 2], expected: &mut Vec<ExpectedMate>) {
        let library = self.library;
        for (mate, end) in [(0, 1), (1, 0)] {
            // A region on an ALT contig, which comes behind the others, may score most.
            let best_score = ends[end].iter().map(|region| region.score).max();
            let Some(best_score) = best_score else { continue };
            let min_score = best_score - self.options.max_score_drop;
            let predicting = ends[end].iter().filter(|region| region.score >= min_score);
            // Filled in its place: to collect it would copy all of it.
            let mut seen: SmallVec<[u64; FEW]> = SmallVec::new();
            seen.extend(ends[mate].iter().map(|it| strand_place(it.query, it.five_prime())));
            for region in predicting.take(self.options.max_regions) {
                for orientation in Orientation::ALL {
                    let Some(sizes) = library.insert_sizes(orientation) else { continue };
                    let orientation =
                        if end == 0 { orientation } else { orientation.from_second() };
                    let read = first + mate as u32;
                    let mate = PredictedMate::of(region, orientation, sizes, read);
                    if !self.is_among(&seen, &mate) {
                        expected.push(self.window_of(&mate));
                    }
                }
            }
        }
    }

    /// Whether a predicted mate is one of the regions of its read, whose strands and 5' ends these are.
    fn is_among(&self, seen: &[u64], mate: &PredictedMate) -> bool {
        // A position tells the segment.
        let indexed = &self.builder.segments.get(mate.segment).indexed;
        let low = mate.low.max(indexed.start.into());
        let count = (mate.high + 1).min(indexed.end.into()) - low;
        let first = strand_place(mate.query, low);
        count > 0 && seen.iter().any(|place| place.wrapping_sub(first) < count as u64)
    }

    /// Where a mate is searched for.
    fn window_of(&self, mate: &PredictedMate) -> ExpectedMate {
        let &PredictedMate { segment, query, low, high } = mate;
        let length = self.queries.length(query) as i64;
        let begins =
            if is_reverse(query) { low - length + 1..high - length + 2 } else { low..high + 1 };
        // Insert sizes are between aligned bases, and up to half of the mate may be clipped.
        let begins = begins.start - length / 2..begins.end + length / 2;
        let indexed = &self.builder.segments.get(segment).indexed;
        // A part of the read may lie outside of the segment.
        let first = begins.start.max(i64::from(indexed.start) - length);
        let end = begins.end.min(i64::from(indexed.end));
        let count = (end - first).clamp(0, u32::MAX.into()) as u32;
        ExpectedMate { segment, window: MateWindow { first, count, query } }
    }

    /// Appends the tasks of aligning a mate near the diagonals with these numbers of its window.
    pub fn tasks(
        &self,
        mate: &ExpectedMate,
        diagonals: impl Iterator<Item = u32>,
        rescues: &mut Vec<RescueTask>,
    ) {
        let &ExpectedMate { segment, window: MateWindow { first, query, .. } } = mate;
        let (read, of) = (query / 2, QueryOnSegment { query, segment });
        let length = i64::from(self.queries.bases(read));
        let margin = i64::from(self.options.band_margin);
        rescues.extend(diagonals.map(|number| {
            let diagonal = first + i64::from(number);
            let band = diagonal - margin..=diagonal + margin;
            let window = *band.start()..*band.end() + length;
            let task = self.builder.window_task(self.queries, of, window, band);
            RescueTask { read, of, task }
        }));
    }
}

/// A mate as a region of the other read predicts it.
#[derive(Debug, Clone, Copy)]
struct PredictedMate {
    /// Number of the segment.
    segment: u32,
    /// The mate in its orientation.
    query: u32,
    /// The first position of the text at which its 5' end may be, which may be less than 0.
    low: i64,
    /// The last such position.
    high: i64,
}

impl PredictedMate {
    /// The mate `read` of a region, if the pair has this orientation, seen from the region, and one of these insert sizes.
    fn of(region: &Region, orientation: Orientation, sizes: &InsertSizes, read: u32) -> Self {
        let is_same =
            matches!(orientation, Orientation::ForwardForward | Orientation::ReverseReverse);
        let is_ahead =
            matches!(orientation, Orientation::ForwardForward | Orientation::ForwardReverse);
        let query = 2 * read + u32::from(is_reverse(region.query) ^ !is_same);
        let rightwards = is_ahead ^ is_reverse(region.query);
        let from = region.five_prime();
        let (low, high) = if rightwards {
            (from + sizes.low, from + sizes.high)
        } else {
            (from - sizes.high, from - sizes.low)
        };
        Self { segment: region.segment, query, low, high }
    }
}

/// The strand of a query and a position of the text, at least 0, as one number.
fn strand_place(query: u32, position: i64) -> u64 {
    u64::from(is_reverse(query)) << 40 | position as u64
}
