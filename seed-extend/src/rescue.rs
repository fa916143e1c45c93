//! Mate rescue: an end that has no region where its mate's says it should be is aligned there.

use crate::extend::Task;
use crate::insert::{Library, Orientation};
use crate::queries::{Queries, is_reverse};
use crate::regions::{Extension, Region};

/// When to look for mates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RescueOptions {
    /// Regions that score less than the best one of their read by more than this are no clue.
    pub slack: i32,
    /// Regions of a read that are clues, at most.
    pub most: usize,
}

impl Default for RescueOptions {
    fn default() -> Self {
        Self { slack: 17, most: 50 }
    }
}

/// An alignment to be made: of a query, somewhere in a segment.
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

/// Appends what is to be aligned for a pair of reads, given both reads' ranked regions. `first` is the
/// number of the first read; the second follows.
pub fn rescues(
    extension: &Extension<'_>,
    queries: &Queries,
    library: &Library,
    first: u32,
    ends: [&[Region]; 2],
    options: &RescueOptions,
    rescues: &mut Vec<Rescue>,
) {
    for (end, mate) in [(0, 1), (1, 0)] {
        let Some(best) = ends[end].first() else { continue };
        let clues = ends[end].iter().filter(|region| region.score >= best.score - options.slack);
        for clue in clues.take(options.most) {
            for orientation in Orientation::ALL {
                let Some(distances) = library.distances(orientation) else { continue };
                let is_there = |region: &Region| {
                    region.segment == clue.segment && {
                        let (found, distance) = Orientation::of(clue, region);
                        found == orientation && distances.contains(distance)
                    }
                };
                if ends[mate].iter().any(is_there) {
                    continue;
                }
                let read = first + mate as u32;
                let (low, high) = (distances.low, distances.high);
                rescues.extend(rescue(extension, queries, clue, orientation, (low, high), read));
            }
        }
    }
}

/// What is to be aligned to find the mate of a region, if there is any text.
fn rescue(
    extension: &Extension<'_>,
    queries: &Queries,
    clue: &Region,
    orientation: Orientation,
    (low, high): (i64, i64),
    read: u32,
) -> Option<Rescue> {
    let is_same = matches!(orientation, Orientation::ForwardForward | Orientation::ReverseReverse);
    let is_ahead =
        matches!(orientation, Orientation::ForwardForward | Orientation::ForwardReverse);
    let reverse = is_reverse(clue.query) ^ !is_same;
    let query = 2 * read + u32::from(reverse);
    let length = i64::from(queries.bases(read));
    // Positions of the mate's first base, and from there of its begin on the text.
    let rightwards = is_ahead ^ is_reverse(clue.query);
    let from = clue.five_prime();
    let (least, most) = if rightwards { (from + low, from + high) } else { (from - high, from - low) };
    let begins = if reverse { least - length + 1..most - length + 1 } else { least..most };
    let window = begins.start..begins.end + length;
    let task = extension.window(queries, query, clue.segment, window, begins);
    (task.window_len > 0).then_some(Rescue { read, query, segment: clue.segment, task })
}
