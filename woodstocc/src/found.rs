//! What the searches found for a batch, by query.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use aligner_core::stream::Items;
use rayon::prelude::*;

use crate::filter::band::Window;
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
        let starts = Starts::new(&self.queries, &self.windows);
        Found { queries: self.queries, located: self.located, starts }
    }
}

/// What was found for a batch, by query.
pub struct Found {
    pub(crate) queries: Arc<Queries>,
    located: Located,
    starts: Starts,
}

/// A position in the indexed text where a query was found, with its distance there; by position, then
/// by distance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Start(u64);

impl Start {
    fn new((position, distance): (u32, u8)) -> Self {
        Self(u64::from(position) << 8 | u64::from(distance))
    }

    pub(crate) fn position(self) -> u32 {
        (self.0 >> 8) as u32
    }

    pub(crate) fn distance(self) -> u8 {
        self.0 as u8
    }
}

impl Found {
    /// Where a query was found, with the least distance there, by position, instead of what `starts`
    /// held.
    pub(crate) fn starts(&self, query: usize, starts: &mut Vec<Start>) {
        starts.clear();
        starts.extend(self.located.positions(query).map(Start::new));
        starts.extend(self.starts.of(query));
        starts.sort_unstable();
        starts.dedup_by_key(|start| start.position());
    }
}

/// The starts in windows, by query.
#[derive(Default)]
struct Starts {
    /// Query after query.
    all: Vec<AtomicU64>,
    /// The end of each query's part of them; empty if there are none at all.
    ends: Vec<AtomicUsize>,
}

impl Starts {
    /// Counts them by query, then deals them out: the order within a query is not defined.
    fn new(queries: &Queries, windows: &Items<Window>) -> Self {
        if windows.is_empty() {
            return Self::default();
        }
        let mut ends: Vec<AtomicUsize> = zeros(queries.len());
        for part in windows.parts() {
            part.par_iter().for_each(|window| {
                let starts = window.starts.count_ones() as usize;
                ends[window.query as usize].fetch_add(starts, Ordering::Relaxed);
            });
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end.get_mut(), total);
        }
        let all: Vec<AtomicU64> = zeros(total);
        for part in windows.parts() {
            part.par_iter().for_each(|window| {
                let starts = window.starts.count_ones() as usize;
                let first = ends[window.query as usize].fetch_add(starts, Ordering::Relaxed);
                for (start, slot) in window.matches().zip(&all[first..]) {
                    slot.store(Start::new(start).0, Ordering::Relaxed);
                }
            });
        }
        Self { all, ends }
    }

    fn of(&self, query: usize) -> impl Iterator<Item = Start> {
        let end = |query: usize| self.ends.get(query).map_or(0, |end| end.load(Ordering::Relaxed));
        let begin = query.checked_sub(1).map_or(0, end);
        self.all[begin..end(query)].iter().map(|start| Start(start.load(Ordering::Relaxed)))
    }
}

/// New memory takes longer to touch than to use: all threads do it.
fn zeros<T: Default + Send>(len: usize) -> Vec<T> {
    (0..len).into_par_iter().map(|_| T::default()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Query;

    #[test]
    fn the_least_distance_of_a_start_counts() {
        let queries = Queries::new(&[Query { name: b"r", sequence: b"ACGT" }]);
        let window = |query, first, starts, distances| Window {
            query,
            first,
            starts,
            distances: [distances, 0],
            ..Window::default()
        };
        let windows =
            vec![window(1, 11, 0b11, 0x14), window(0, 7, 0b1, 0x2), window(1, 10, 0b101, 0x203)];
        let found = |windows: Vec<Window>| {
            let queries = Arc::new(queries.clone());
            let located = Located::new(&queries, &[], |_| Vec::new());
            let found = Searched { queries, located, windows: Items::from(windows) }.by_query();
            [0, 1].map(|query| {
                let mut starts = vec![Start::new((1, 1))];
                found.starts(query, &mut starts);
                starts.iter().map(|start| (start.position(), start.distance())).collect::<Vec<_>>()
            })
        };
        assert_eq!(found(windows), [vec![(7, 2)], vec![(10, 3), (11, 4), (12, 1)]]);
        assert_eq!(found(Vec::new()), [vec![], vec![]]);
    }
}
