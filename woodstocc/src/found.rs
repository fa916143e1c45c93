//! What the searches found for a batch, by query.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use aligner_core::stream::Items;
use rayon::prelude::*;

use crate::filter::{self, band::Window};
use crate::hits::{self, Hit, Segment};
use crate::query::Queries;

/// What was found for a batch, as the devices left it: of each query, either in the trie or by the
/// filter.
pub struct Searched {
    pub(crate) queries: Arc<Queries>,
    pub(crate) located: Located,
    /// In no particular order.
    pub(crate) windows: Items<Window>,
}

impl Searched {
    /// Brings it into the queries' order, on the current rayon pool.
    pub fn by_query(self) -> Found {
        let windows = Windows::new(&self.queries, self.windows);
        Found { queries: self.queries, located: self.located, windows }
    }
}

/// What was found for a batch, by query.
pub struct Found {
    pub(crate) queries: Arc<Queries>,
    located: Located,
    windows: Windows,
}

impl Found {
    /// Positions in the indexed text where a query was found, with its distance there, by position,
    /// instead of what `positions` held.
    pub(crate) fn positions(&self, query: usize, positions: &mut Vec<(u32, u8)>) {
        positions.clear();
        positions.extend(self.located.positions(query));
        filter::resolve(self.windows.of(query), positions);
    }
}

/// Windows by query.
#[derive(Default)]
struct Windows {
    all: Items<Window>,
    /// Places of windows, query after query.
    order: Vec<AtomicU64>,
    /// The end of each query's part of `order`; empty if there are none at all.
    ends: Vec<AtomicUsize>,
}

/// A window's place: the number of its part above so many bits, its number within that below.
const PART_SHIFT: u32 = 40;

impl Windows {
    /// Counts them by query, then deals out their places: the order within a query is not defined.
    fn new(queries: &Queries, windows: Items<Window>) -> Self {
        if windows.is_empty() {
            return Self::default();
        }
        let mut ends: Vec<AtomicUsize> = (0..queries.len()).map(|_| AtomicUsize::new(0)).collect();
        let order: Vec<AtomicU64> = (0..windows.len()).map(|_| AtomicU64::new(0)).collect();
        for part in windows.parts() {
            part.par_iter().for_each(|window| {
                ends[window.query as usize].fetch_add(1, Ordering::Relaxed);
            });
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end.get_mut(), total);
        }
        for (part, number) in windows.parts().zip(0_u64..) {
            part.par_iter().enumerate().for_each(|(place, window)| {
                let slot = ends[window.query as usize].fetch_add(1, Ordering::Relaxed);
                order[slot].store(number << PART_SHIFT | place as u64, Ordering::Relaxed);
            });
        }
        Self { all: windows, order, ends }
    }

    fn of(&self, query: usize) -> impl Iterator<Item = &Window> {
        let end = |query: usize| self.ends.get(query).map_or(0, |end| end.load(Ordering::Relaxed));
        let begin = query.checked_sub(1).map_or(0, end);
        self.order[begin..end(query)].iter().map(|place| {
            let place = place.load(Ordering::Relaxed);
            let part = self.all.part((place >> PART_SHIFT) as usize);
            &part[(place & ((1 << PART_SHIFT) - 1)) as usize]
        })
    }
}

/// The located segments of a batch.
pub(crate) struct Located {
    segments: Vec<Segment>,
    /// First segment of each query, and the end of the last; empty if there are none at all.
    of_query: Vec<usize>,
    /// First position of each segment, and the end of the last.
    of_segment: Vec<usize>,
    positions: Vec<u32>,
}

impl Located {
    /// Resolves sorted hits and locates their rows.
    pub(crate) fn new(
        queries: &Queries,
        hits: &[Hit],
        locate: impl FnOnce(&[Segment]) -> Vec<u32>,
    ) -> Self {
        let (mut segments, mut of_query) = (Vec::new(), Vec::new());
        let mut next = 0;
        if !hits.is_empty() {
            of_query.reserve(queries.len() + 1);
            for query in 0..queries.len() {
                of_query.push(segments.len());
                let count = hits[next..].partition_point(|hit| hit.query as usize == query);
                hits::resolve(&hits[next..next + count], &mut segments);
                next += count;
            }
            of_query.push(segments.len());
        }
        let mut end = 0;
        let mut of_segment = vec![0];
        of_segment.extend(segments.iter().map(|segment| {
            end += segment.size as usize;
            end
        }));
        let positions = if segments.is_empty() { Vec::new() } else { locate(&segments) };
        Self { segments, of_query, of_segment, positions }
    }

    pub(crate) fn rows(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Positions in the indexed text where a query was found, with its distance there.
    fn positions(&self, query: usize) -> impl Iterator<Item = (u32, u8)> + '_ {
        let segments = match self.of_query.get(query..query + 2) {
            Some(&[from, to]) => from..to,
            _ => 0..0,
        };
        segments.flat_map(|segment| {
            let distance = self.segments[segment].distance;
            self.positions[self.of_segment[segment]..self.of_segment[segment + 1]]
                .iter()
                .map(move |&position| (position, distance))
        })
    }
}
