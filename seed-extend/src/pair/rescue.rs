//! Mate rescue: a read that has no region where its mate's region predicts one is searched for there.
//!
//! `bwa` aligns the whole expected window by Smith-Waterman (`mem_matesw`; Li, arXiv:1303.3997, section 2.3). Here the
//! words that the read and the text have in common are counted along each diagonal of the window
//! ([`shared_words`](crate::pair::shared_words)), and the read is aligned only near the diagonals with the most words.
//! Several diagonals are tried, so that the copies of a tandem repeat compete.

use std::cmp::Reverse;
use std::ops::Range;

use crate::extend::AlignmentTask;
use crate::pair::insert_size::{InsertSizes, Library, Orientation};
use crate::pair::shared_words::{QueryWords, SharedWords};
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

/// Where a mate is expected.
#[derive(Debug, Clone)]
struct ExpectedMate {
    /// Number of the mate, which is a read.
    read: u32,
    /// The mate in the orientation that is expected, and the segment.
    of: QueryOnSegment,
    /// Positions of the text at which the query may begin.
    begins: Range<i64>,
}

/// Searches for the mates of a batch of pairs; each thread has its own.
#[derive(Debug)]
pub struct MateSearcher<'t> {
    builder: RegionBuilder<'t>,
    queries: &'t Queries,
    library: &'t Library,
    options: RescueOptions,
    buffers: SearchBuffers,
    /// Number of the query whose words are in the buffers.
    words_of: Option<u32>,
}

/// The memory of a [`MateSearcher`], which later ones use again: its tables are large.
#[derive(Debug, Default)]
pub struct SearchBuffers {
    /// The words of the query that was searched for last, since a read may be expected at many places.
    words: QueryWords,
    /// Words that a query and a window have in common.
    shared: SharedWords,
}

impl<'t> MateSearcher<'t> {
    /// A searcher for the mates of these reads.
    pub fn new(
        builder: RegionBuilder<'t>,
        queries: &'t Queries,
        library: &'t Library,
        options: RescueOptions,
    ) -> Self {
        Self {
            builder,
            queries,
            library,
            options,
            buffers: SearchBuffers::default(),
            words_of: None,
        }
    }

    /// The searcher with the memory of an earlier one.
    #[must_use]
    pub fn with_buffers(self, buffers: SearchBuffers) -> Self {
        Self { buffers, words_of: None, ..self }
    }

    /// The memory, for another searcher.
    pub fn into_buffers(self) -> SearchBuffers {
        self.buffers
    }

    /// Appends the rescue tasks of a pair, in the order of its reads. `first` is the number of its first read, and
    /// `ends` are the ranked regions of both reads.
    pub fn find_mates(&mut self, first: u32, ends: [&[Region]; 2], rescues: &mut Vec<RescueTask>) {
        let library = self.library;
        for (mate, end) in [(0, 1), (1, 0)] {
            // A region on an ALT contig, which comes behind the others, may score most.
            let best_score = ends[end].iter().map(|region| region.score).max();
            let Some(best_score) = best_score else { continue };
            let min_score = best_score - self.options.max_score_drop;
            let predicting = ends[end].iter().filter(|region| region.score >= min_score);
            for region in predicting.take(self.options.max_regions) {
                for orientation in Orientation::ALL {
                    let Some(sizes) = library.insert_sizes(orientation) else { continue };
                    let seen = if end == 0 { orientation } else { orientation.from_second() };
                    let is_mate = |other: &Region| {
                        other.segment == region.segment && {
                            let (found, distance) = Orientation::of(region, other);
                            found == seen && sizes.contains(distance)
                        }
                    };
                    if !ends[mate].iter().any(is_mate) {
                        let read = first + mate as u32;
                        let expected = expect(self.queries, region, seen, sizes, read);
                        self.search(&expected, rescues);
                    }
                }
            }
        }
    }

    /// Appends tasks for the diagonals of an expected window with the most words in common.
    fn search(&mut self, expected: &ExpectedMate, rescues: &mut Vec<RescueTask>) {
        let &ExpectedMate { read, of, ref begins } = expected;
        let packed = self.queries.packed(of.query);
        let indexed = &self.builder.segments.get(of.segment).indexed;
        let length = packed.length as i64;
        // A part of the read may lie outside of the segment.
        let first = begins.start.max(i64::from(indexed.start) - length);
        let end = begins.end.min(i64::from(indexed.end));
        let SearchBuffers { words, shared } = &mut self.buffers;
        if self.words_of.replace(of.query) != Some(of.query) {
            words.set_query(packed);
        }
        let min_words = self.options.min_shared_words.max(1);
        words.count(self.builder.text, first..end, min_words, shared);
        let SharedWords { counts, candidates } = shared;
        let margin = i64::from(self.options.band_margin);
        for _ in 0..self.options.max_diagonals {
            // Of the diagonals with the most words, the first.
            let rank = |&number: &u32| (Reverse(counts[number as usize]), number);
            let Some(number) = candidates.iter().copied().min_by_key(rank) else { return };
            candidates.retain(|&other| other.abs_diff(number) > self.options.band_margin);
            let diagonal = first + i64::from(number);
            let band = diagonal - margin..=diagonal + margin;
            let window = *band.start()..*band.end() + length;
            let task = self.builder.window_task(self.queries, of, window, band);
            rescues.push(RescueTask { read, of, task });
        }
    }
}

/// Where the mate `read` of a region is expected, if the pair has this orientation, seen from the region, and these
/// insert sizes.
fn expect(
    queries: &Queries,
    region: &Region,
    orientation: Orientation,
    sizes: &InsertSizes,
    read: u32,
) -> ExpectedMate {
    let is_same = matches!(orientation, Orientation::ForwardForward | Orientation::ReverseReverse);
    let is_ahead = matches!(orientation, Orientation::ForwardForward | Orientation::ForwardReverse);
    let reverse = is_reverse(region.query) ^ !is_same;
    let query = 2 * read + u32::from(reverse);
    let length = i64::from(queries.bases(read));
    // The positions of the mate's 5' end, and from there those of the query's begin on the text.
    let rightwards = is_ahead ^ is_reverse(region.query);
    let from = region.five_prime();
    let five_primes = if rightwards {
        from + sizes.low..=from + sizes.high
    } else {
        from - sizes.high..=from - sizes.low
    };
    let (low, high) = five_primes.into_inner();
    let begins = if reverse { low - length + 1..high - length + 2 } else { low..high + 1 };
    // Insert sizes are between aligned bases, and up to half of the mate may be clipped.
    let begins = begins.start - length / 2..begins.end + length / 2;
    ExpectedMate { read, of: QueryOnSegment { query, segment: region.segment }, begins }
}
