//! What the searches found for a batch, by query.

use rayon::prelude::*;

use crate::filter::{self, band::Window};
use crate::hits::{self, Hit, Segment};
use crate::query::Queries;

/// What was found for a batch: of each query, either in the trie or by the filter.
pub(crate) struct Found {
    pub(crate) located: Located,
    pub(crate) windows: Windows,
}

impl Found {
    /// Positions in the indexed text where a query was found, with its distance there.
    pub(crate) fn positions(&self, query: usize) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.located.positions(query).chain(filter::resolve(self.windows.of(query)))
    }
}

/// Windows, sorted by query.
#[derive(Default)]
pub(crate) struct Windows {
    windows: Vec<Window>,
    /// First window of each query, and the end of the last; empty if there are none at all.
    of_query: Vec<usize>,
}

impl Windows {
    pub(crate) fn new(queries: &Queries, mut windows: Vec<Window>) -> Self {
        windows.par_sort_unstable_by_key(|window| window.query);
        let mut end = 0;
        let mut of_query = vec![0];
        of_query.extend((0..queries.len()).map(|query| {
            end += windows[end..].partition_point(|window| window.query as usize == query);
            end
        }));
        Self { windows, of_query }
    }

    pub(crate) fn of(&self, query: usize) -> &[Window] {
        match self.of_query.get(query..query + 2) {
            Some(&[from, to]) => &self.windows[from..to],
            _ => &[],
        }
    }
}

/// The located segments of a batch.
pub(crate) struct Located {
    segments: Vec<Segment>,
    /// First segment of each query, and the end of the last.
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
        let mut segments = Vec::new();
        let mut of_query = Vec::with_capacity(queries.len() + 1);
        let mut next = 0;
        for query in 0..queries.len() {
            of_query.push(segments.len());
            let count = hits[next..].partition_point(|hit| hit.query as usize == query);
            hits::resolve(&hits[next..next + count], &mut segments);
            next += count;
        }
        of_query.push(segments.len());
        let mut end = 0;
        let mut of_segment = vec![0];
        of_segment.extend(segments.iter().map(|segment| {
            end += segment.size as usize;
            end
        }));
        let positions = locate(&segments);
        Self { segments, of_query, of_segment, positions }
    }

    pub(crate) fn rows(&self) -> u64 {
        self.positions.len() as u64
    }

    /// Positions in the indexed text where a query was found, with its distance there.
    pub(crate) fn positions(&self, query: usize) -> impl Iterator<Item = (u32, u8)> + '_ {
        (self.of_query[query]..self.of_query[query + 1]).flat_map(|segment| {
            let distance = self.segments[segment].distance;
            self.positions[self.of_segment[segment]..self.of_segment[segment + 1]]
                .iter()
                .map(move |&position| (position, distance))
        })
    }
}
