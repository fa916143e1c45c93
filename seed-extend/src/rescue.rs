//! Mate rescue: an end that has no region where its mate's says it should be is looked for there.
//!
//! Along every diagonal of the expected window, the words that the read and the text have in common are
//! counted. The diagonals with most of them are extended, several, so that a tandem repeat's
//! copies compete.

use std::cmp::Reverse;
use std::ops::Range;

use crate::extend::Task;
use crate::extension::Extension;
use crate::insert::{Library, Orientation};
use crate::queries::{Queries, is_reverse};
use crate::regions::Region;
use crate::words::{Common, Words};

/// When and how to look for mates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RescueOptions {
    /// Regions that score less than the best one of their read by more than this are no clue.
    pub slack: i32,
    /// Regions of a read that are clues, at most.
    pub most: usize,
    /// Diagonals of a window that are extended, at most.
    pub diagonals: usize,
    /// How far alignments may leave such a diagonal.
    pub reach: u32,
    /// Words in common that a diagonal must have.
    pub words: u32,
}

impl Default for RescueOptions {
    fn default() -> Self {
        Self { slack: 17, most: 50, diagonals: 3, reach: 16, words: 2 }
    }
}

/// An alignment to be made: of a query, near a diagonal of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rescue {
    /// Number of the read.
    pub read: u32,
    /// Number of the query: the read in the orientation that is expected.
    pub query: u32,
    /// Number of the segment.
    pub segment: u32,
    /// Where.
    pub task: Task,
}

/// Where a mate is expected.
#[derive(Debug, Clone)]
struct Expected {
    read: u32,
    query: u32,
    segment: u32,
    /// Positions at which the query may begin.
    begins: Range<i64>,
}

/// Finds what is to be aligned.
#[derive(Debug)]
pub struct Rescuer<'t> {
    extension: Extension<'t>,
    queries: &'t Queries,
    library: &'t Library,
    options: RescueOptions,
    /// The words of a query, and which one it is: a read may have many clues.
    words: Words,
    of: Option<u32>,
    /// What it has in common with a window.
    common: Common,
}

impl<'t> Rescuer<'t> {
    /// For these reads.
    pub fn new(
        extension: Extension<'t>,
        queries: &'t Queries,
        library: &'t Library,
        options: RescueOptions,
    ) -> Self {
        let (words, of, common) = (Words::default(), None, Common::default());
        Self { extension, queries, library, options, words, of, common }
    }

    /// Appends what is to be aligned for a pair of reads, by read, given both reads' ranked regions. `first` is the
    /// number of the first read; the second follows.
    pub fn rescues(&mut self, first: u32, ends: [&[Region]; 2], rescues: &mut Vec<Rescue>) {
        let library = self.library;
        for (mate, end) in [(0, 1), (1, 0)] {
            let Some(best) = ends[end].first() else { continue };
            let least = best.score - self.options.slack;
            let clues = ends[end].iter().take_while(|region| region.score >= least);
            for clue in clues.take(self.options.most) {
                for orientation in Orientation::ALL {
                    let Some(distances) = library.distances(orientation) else { continue };
                    let seen = if end == 0 { orientation } else { orientation.from_second() };
                    let is_there = |region: &Region| {
                        region.segment == clue.segment && {
                            let (found, distance) = Orientation::of(clue, region);
                            found == seen && distances.contains(distance)
                        }
                    };
                    if !ends[mate].iter().any(is_there) {
                        let read = first + mate as u32;
                        let bounds = (distances.low, distances.high);
                        let expected = expect(self.queries, clue, seen, bounds, read);
                        self.search(&expected, rescues);
                    }
                }
            }
        }
    }

    /// Appends tasks for the diagonals that have most in common.
    fn search(&mut self, expected: &Expected, rescues: &mut Vec<Rescue>) {
        let &Expected { read, query, segment, ref begins } = expected;
        let packed = self.queries.packed(query);
        let indexed = &self.extension.segments.get(segment).indexed;
        let length = packed.length as i64;
        // Part of the read may lie outside of the segment.
        let first = begins.start.max(i64::from(indexed.start) - length);
        let end = begins.end.min(i64::from(indexed.end));
        if self.of.replace(query) != Some(query) {
            self.words.take(packed);
        }
        let words = self.options.words.max(1);
        self.words.count(self.extension.text, first..end, words, &mut self.common);
        let Common { counts, often } = &mut self.common;
        let reach = i64::from(self.options.reach);
        for _ in 0..self.options.diagonals {
            // The first of those with most.
            let rank = |&place: &u32| (Reverse(counts[place as usize]), place);
            let Some(place) = often.iter().copied().min_by_key(rank) else { return };
            often.retain(|&other| other.abs_diff(place) > self.options.reach);
            let diagonal = first + i64::from(place);
            let band = diagonal - reach..diagonal + reach;
            let window = band.start..band.end + length;
            let task = self.extension.window(self.queries, query, segment, window, band);
            rescues.push(Rescue { read, query, segment, task });
        }
    }
}

/// Where the mate of a region is expected.
fn expect(
    queries: &Queries,
    clue: &Region,
    orientation: Orientation,
    (low, high): (i64, i64),
    read: u32,
) -> Expected {
    let is_same = matches!(orientation, Orientation::ForwardForward | Orientation::ReverseReverse);
    let is_ahead = matches!(orientation, Orientation::ForwardForward | Orientation::ForwardReverse);
    let reverse = is_reverse(clue.query) ^ !is_same;
    let query = 2 * read + u32::from(reverse);
    let length = i64::from(queries.bases(read));
    // Positions of the mate's first base, and from there of its begin on the text.
    let rightwards = is_ahead ^ is_reverse(clue.query);
    let from = clue.five_prime();
    let (least, most) =
        if rightwards { (from + low, from + high) } else { (from - high, from - low) };
    let begins = if reverse { least - length + 1..most - length + 2 } else { least..most + 1 };
    // Distances are between aligned bases, and up to half of the mate may be clipped.
    let begins = begins.start - length / 2..begins.end + length / 2;
    Expected { read, query, segment: clue.segment, begins }
}
