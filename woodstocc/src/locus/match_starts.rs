//! Match starts that the searches found for a batch, by query.
//!
//! The trie yields segments of suffix-array rows, whose text positions are located; filter and search schemes yield
//! windows of starts. [`SearchResults`] holds both as they come from a device, and [`MatchStarts`] gives the starts of
//! each query.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use aligner_core::stream::Items;
use rayon::prelude::*;

use crate::read::Queries;
use crate::trie::hit::{self, RowSegment, TrieHit};
use crate::verify::Window;

/// Results of the searches for a batch, in the order in which the devices found them.
pub struct SearchResults {
    pub(crate) queries: Arc<Queries>,
    /// The starts of both queries of a read that was searched for by itself, since it has very many; else empty.
    pub(crate) alone: Vec<DenseStarts>,
    /// Results of the trie.
    pub(crate) located: LocatedSegments,
    /// Results of filter and search schemes, in no particular order.
    pub(crate) windows: Items<Window>,
}

impl SearchResults {
    /// Sorts the results by query, on the current rayon pool.
    pub fn by_query(self) -> MatchStarts {
        let in_windows = WindowStarts::new(&self.queries, &self.windows);
        let Self { queries, alone, located, .. } = self;
        MatchStarts { queries, alone, located, in_windows }
    }
}

/// Match starts of a batch, by query.
pub struct MatchStarts {
    pub(crate) queries: Arc<Queries>,
    /// The starts of both queries of a read that was searched for by itself; else empty.
    alone: Vec<DenseStarts>,
    located: LocatedSegments,
    in_windows: WindowStarts,
}

/// A position in the indexed text where a match of a query starts, with its distance. Ordered by position, then by
/// distance. Near ambiguous bases and contig ends it is a candidate ([`crate::locus::matches::MatchVerifier`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct MatchStart(u64);

impl MatchStart {
    fn new((position, distance): (u32, u8)) -> Self {
        Self(u64::from(position) << 8 | u64::from(distance))
    }

    fn position(self) -> u32 {
        (self.0 >> 8) as u32
    }

    fn distance(self) -> u8 {
        self.0 as u8
    }
}

/// Memory for the match starts of one query, used again for the next.
#[derive(Debug, Default)]
pub(crate) struct StartBuffer {
    sorted: Vec<MatchStart>,
    dense: DenseStarts,
}

/// The least distance of a query at each position of the indexed text: a byte for each, however many starts there are.
#[derive(Debug, Default)]
pub(crate) struct DenseStarts {
    /// The distance at each position, or [`NO_MATCH`].
    distances: Vec<u8>,
}

/// The distance at a position where no match starts.
const NO_MATCH: u8 = u8::MAX;

impl DenseStarts {
    /// No starts in a text of this length.
    pub(crate) fn none(length: u32) -> Self {
        Self { distances: vec![NO_MATCH; length as usize] }
    }

    /// Removes all starts, for a text of this length.
    fn clear(&mut self, length: u32) {
        self.distances.clear();
        self.distances.resize(length as usize, NO_MATCH);
    }

    /// Adds a start.
    pub(crate) fn add(&mut self, (position, distance): (u32, u8)) {
        let least = &mut self.distances[position as usize];
        *least = distance.min(*least);
    }

    /// All starts with their least distances, the last position first.
    fn descending(&self) -> impl Iterator<Item = (u32, u8)> {
        let all = (0..self.distances.len() as u32).zip(&self.distances).rev();
        all.filter(|&(_, &distance)| distance != NO_MATCH).map(|(at, &distance)| (at, distance))
    }
}

impl MatchStarts {
    /// Passes the match starts of a query in a text of `length` bases to `pass`, each once with its least distance, the
    /// last position first.
    pub(crate) fn descending(
        &self,
        query: usize,
        length: u32,
        StartBuffer { sorted, dense }: &mut StartBuffer,
        mut pass: impl FnMut(u32, u8),
    ) {
        if let Some(starts) = self.alone.get(query) {
            return starts.descending().for_each(|(position, distance)| pass(position, distance));
        }
        let starts = self.located.positions(query).map(MatchStart::new);
        let starts = starts.chain(self.in_windows.of_query(query));
        // Of very many starts, most are found many times, and the whole text is smaller than a list of them.
        if self.count(query) * size_of::<MatchStart>() > length as usize {
            dense.clear(length);
            starts.for_each(|start| dense.add((start.position(), start.distance())));
            return dense.descending().for_each(|(position, distance)| pass(position, distance));
        }
        sorted.clear();
        sorted.extend(starts);
        sorted.sort_unstable();
        sorted.dedup_by_key(|start| start.position());
        sorted.iter().rev().for_each(|start| pass(start.position(), start.distance()));
    }

    /// The number of match starts of a query; those that were found several times count as often.
    pub(crate) fn count(&self, query: usize) -> usize {
        match self.alone.get(query) {
            Some(starts) => starts.distances.len(),
            None => self.located.count(query) + self.in_windows.count(query),
        }
    }
}

/// The match starts in windows, by query.
#[derive(Default)]
struct WindowStarts {
    /// Starts, query after query, as [`MatchStart`]s.
    all: Vec<AtomicU64>,
    /// End of each query's part of `all`; empty if there are no windows.
    ends: Vec<AtomicUsize>,
}

impl WindowStarts {
    /// Sorts starts by query: counts them, then writes each to its query's part. The order within a query is not
    /// defined.
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
                    slot.store(MatchStart::new(start).0, Ordering::Relaxed);
                }
            });
        }
        Self { all, ends }
    }

    /// The range of a query's starts.
    fn range(&self, query: usize) -> Range<usize> {
        let end = |query: usize| self.ends.get(query).map_or(0, |end| end.load(Ordering::Relaxed));
        query.checked_sub(1).map_or(0, end)..end(query)
    }

    fn count(&self, query: usize) -> usize {
        self.range(query).len()
    }

    fn of_query(&self, query: usize) -> impl Iterator<Item = MatchStart> {
        let starts = self.all[self.range(query)].iter();
        starts.map(|start| MatchStart(start.load(Ordering::Relaxed)))
    }
}

/// A vector of default values. Touching new memory is slow, so all threads of the pool do it.
fn zeros<T: Default + Send>(len: usize) -> Vec<T> {
    (0..len).into_par_iter().map(|_| T::default()).collect()
}

/// Segments of suffix-array rows of a batch, with the text positions of their rows.
#[derive(Default)]
pub(crate) struct LocatedSegments {
    /// Segments, query after query.
    segments: Vec<RowSegment>,
    /// First segment of each query, and the end of the last query; empty if there are no segments.
    of_query: Vec<usize>,
    /// First element in `positions` of each segment, and the end of the last segment.
    of_segment: Vec<usize>,
    /// Positions in the indexed text.
    positions: Vec<u32>,
}

impl LocatedSegments {
    /// Resolves hits, sorted by [`hit::order`], into segments, and locates their rows by `locate`; `None` if there are
    /// more than `most` rows.
    pub(crate) fn new(
        queries: &Queries,
        hits: &[TrieHit],
        most: u64,
        locate: impl FnOnce(&[RowSegment]) -> Vec<u32>,
    ) -> Option<Self> {
        let (mut segments, mut of_query) = (Vec::new(), Vec::new());
        let mut next = 0;
        if !hits.is_empty() {
            of_query.reserve(queries.len() + 1);
            for query in 0..queries.len() {
                of_query.push(segments.len());
                let count = hits[next..].partition_point(|hit| hit.query as usize == query);
                hit::resolve(&hits[next..next + count], &mut segments);
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
        if end as u64 > most {
            return None;
        }
        let positions = if segments.is_empty() { Vec::new() } else { locate(&segments) };
        Some(Self { segments, of_query, of_segment, positions })
    }

    pub(crate) fn rows(&self) -> u64 {
        self.positions.len() as u64
    }

    /// The number of rows of a query.
    fn count(&self, query: usize) -> usize {
        match self.of_query.get(query..query + 2) {
            Some(&[from, to]) => self.of_segment[to] - self.of_segment[from],
            _ => 0,
        }
    }

    /// Positions in the indexed text where a match of a query starts, with its distance.
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
    use crate::read::Read;

    #[test]
    fn the_least_distance_of_a_start_counts() {
        let queries = Queries::new(&[Read { name: b"r", sequence: b"ACGT" }]);
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
            let located = LocatedSegments::new(&queries, &[], 0, |_| Vec::new()).expect("is none");
            let (alone, windows) = (Vec::new(), Items::from(windows));
            let found = SearchResults { queries, alone, located, windows }.by_query();
            // In a short text, the list is longer than the text, and the starts are kept by position.
            let starts = [0, 1].map(|query| {
                [20, 2000].map(|length| {
                    let mut buffer = StartBuffer::default();
                    buffer.dense.clear(3);
                    let mut starts = Vec::new();
                    found.descending(query, length, &mut buffer, |position, distance| {
                        starts.push((position, distance));
                    });
                    starts
                })
            });
            starts.map(|[dense, sorted]| {
                assert_eq!(dense, sorted);
                sorted
            })
        };
        assert_eq!(found(windows), [vec![(7, 2)], vec![(12, 1), (11, 4), (10, 3)]]);
        assert_eq!(found(Vec::new()), [vec![], vec![]]);
    }
}
