//! Which pairs to align, in the order of the output, a tile at a time.

use nw_batch::{SequencePair, SequenceSet};
use serde::{Deserialize, Serialize};

/// The kinds of jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobKind {
    /// Each query with the target of its number.
    Pairs,
    /// Each query with each target.
    OneVsAll,
    /// Each sequence with each behind it; with itself, too, if `diagonal`.
    AllVsAll { diagonal: bool },
}

/// The next pair. Starts at the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PairCursor {
    query: u32,
    target: u32,
}

/// The pairs of a job.
#[derive(Debug)]
pub struct JobPairs<'a> {
    pub kind: JobKind,
    pub queries: &'a SequenceSet,
    pub targets: &'a SequenceSet,
}

/// How much a tile may be.
#[derive(Debug, Clone, Copy)]
pub struct TileLimits {
    pub pairs: usize,
    pub cells: u64,
}

impl JobPairs<'_> {
    /// How many pairs there are.
    pub fn pairs(&self) -> u64 {
        let (queries, targets) = (self.queries.len() as u64, self.targets.len() as u64);
        match self.kind {
            JobKind::Pairs => queries,
            JobKind::OneVsAll => queries * targets,
            JobKind::AllVsAll { diagonal: false } => queries * queries.saturating_sub(1) / 2,
            JobKind::AllVsAll { diagonal: true } => queries * (queries + 1) / 2,
        }
    }

    /// The first pair.
    pub fn begin(&self) -> PairCursor {
        let target = u32::from(self.kind == JobKind::AllVsAll { diagonal: false });
        PairCursor { query: 0, target }
    }

    /// The next pairs, one at least, and the cells of their matrices; none when all are done.
    pub fn tile(&self, cursor: &mut PairCursor, limits: TileLimits) -> (Vec<SequencePair>, u64) {
        let mut tile = Vec::with_capacity(limits.pairs.min(self.pairs() as usize));
        let mut cells = 0;
        while tile.len() < limits.pairs && cells < limits.cells {
            let Some(pair) = self.next(cursor) else { break };
            let (m, n) = (self.queries.length(pair.query), self.targets.length(pair.target));
            cells += u64::from(m) * u64::from(n);
            tile.push(pair);
        }
        (tile, cells)
    }

    fn next(&self, cursor: &mut PairCursor) -> Option<SequencePair> {
        loop {
            let PairCursor { query, target } = *cursor;
            if query as usize >= self.queries.len() {
                return None;
            }
            if (target as usize) < self.targets.len() {
                *cursor = match self.kind {
                    JobKind::Pairs => PairCursor { query: query + 1, target: target + 1 },
                    _ => PairCursor { query, target: target + 1 },
                };
                return Some(SequencePair { query, target });
            }
            let query = query + 1;
            let target = match self.kind {
                JobKind::Pairs => return None,
                JobKind::OneVsAll => 0,
                JobKind::AllVsAll { diagonal } => query + u32::from(!diagonal),
            };
            *cursor = PairCursor { query, target };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(kind: JobKind, queries: usize, targets: usize, pairs: usize) -> Vec<(u32, u32)> {
        let set = |count| (0..count).map(|_| vec![0_u8; 2]).collect::<SequenceSet>();
        let (queries, targets) = (set(queries), set(targets));
        let job = JobPairs { kind, queries: &queries, targets: &targets };
        let mut cursor = job.begin();
        let mut found = Vec::new();
        loop {
            let (tile, cells) = job.tile(&mut cursor, TileLimits { pairs, cells: 9 });
            assert_eq!(cells, 4 * tile.len() as u64);
            assert!(tile.len() <= pairs.min(3));
            if tile.is_empty() {
                break;
            }
            found.extend(tile.iter().map(|pair| (pair.query, pair.target)));
        }
        assert_eq!(job.pairs(), found.len() as u64);
        found
    }

    #[test]
    fn tiles_have_all_pairs_in_order() {
        for pairs in [1, 2, 100] {
            assert_eq!(all(JobKind::Pairs, 3, 3, pairs), [(0, 0), (1, 1), (2, 2)]);
            assert_eq!(all(JobKind::OneVsAll, 2, 2, pairs), [(0, 0), (0, 1), (1, 0), (1, 1)]);
            let triangle = JobKind::AllVsAll { diagonal: false };
            assert_eq!(all(triangle, 3, 3, pairs), [(0, 1), (0, 2), (1, 2)]);
            let with = JobKind::AllVsAll { diagonal: true };
            assert_eq!(all(with, 2, 2, pairs), [(0, 0), (0, 1), (1, 1)]);
            assert_eq!(all(triangle, 1, 1, pairs), []);
        }
    }
}
