//! Pairs to align, tile by tile, in the order of the output.

use nw_batch::{IdentityFilter, SequencePair, SequenceSet};
use serde::{Deserialize, Serialize};

use crate::shard::{Share, Unit};

/// Selection of the pairs to align.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairSelection {
    /// Each query with the target of the same index.
    Pairs,
    /// Each query with each target.
    OneVsAll,
    /// Each sequence with each later one.
    AllVsAll {
        /// Whether also each sequence with itself.
        diagonal: bool,
    },
}

/// Position of the next pair in the order of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct PairCursor {
    query: u32,
    target: u32,
}

/// All pairs of a run.
#[derive(Debug)]
pub struct PairSource<'a> {
    pub selection: PairSelection,
    pub queries: &'a SequenceSet,
    pub targets: &'a SequenceSet,
}

/// Limits of a tile.
#[derive(Debug, Clone, Copy)]
pub struct TileLimits {
    /// Greatest number of pairs.
    pub pairs: usize,
    /// Number of matrix cells at which a tile is complete.
    pub cells: u64,
}

impl TileLimits {
    /// The smaller one of each limit.
    pub fn smaller(self, other: Self) -> Self {
        Self { pairs: self.pairs.min(other.pairs), cells: self.cells.min(other.cells) }
    }
}

impl PairSource<'_> {
    /// Number of all pairs.
    pub fn len(&self) -> u64 {
        let (queries, targets) = (self.queries.len() as u64, self.targets.len() as u64);
        match self.selection {
            PairSelection::Pairs => queries,
            PairSelection::OneVsAll => queries * targets,
            PairSelection::AllVsAll { diagonal: false } => queries * queries.saturating_sub(1) / 2,
            PairSelection::AllVsAll { diagonal: true } => queries * (queries + 1) / 2,
        }
    }

    /// Position of the first pair.
    pub fn begin(&self) -> PairCursor {
        let target = u32::from(self.selection == PairSelection::AllVsAll { diagonal: false });
        PairCursor { query: 0, target }
    }

    /// Whether no pair is left at a position.
    pub fn is_end(&self, mut position: PairCursor) -> bool {
        self.next(&mut position).is_none()
    }

    /// Whether a tile could leave a cursor at a position.
    pub fn is_position(&self, position: PairCursor) -> bool {
        let PairCursor { query, target } = position;
        let least = match self.selection {
            PairSelection::Pairs => {
                return query == target && target as usize <= self.queries.len();
            }
            PairSelection::OneVsAll => 0,
            PairSelection::AllVsAll { diagonal } => u64::from(query) + u64::from(!diagonal),
        };
        let end = least.max(self.targets.len() as u64);
        query as usize <= self.queries.len() && (least..=end).contains(&u64::from(target))
    }

    /// Next tile, at least one pair, with the number of cells of the pairs' matrices. It is empty when no pair is left.
    pub fn tile(&self, cursor: &mut PairCursor, limits: TileLimits) -> (Vec<SequencePair>, u64) {
        let mut tile = Vec::with_capacity(limits.pairs.min(self.len() as usize));
        let mut cells = 0;
        while tile.len() < limits.pairs && cells < limits.cells {
            let Some(pair) = self.next(cursor) else { break };
            cells += self.cells(pair);
            tile.push(pair);
        }
        (tile, cells)
    }

    /// Number of cells of the matrix of a pair.
    fn cells(&self, pair: SequencePair) -> u64 {
        let (m, n) = (self.queries.length(pair.query), self.targets.length(pair.target));
        u64::from(m) * u64::from(n)
    }

    /// Next pair, and the position after it.
    fn next(&self, cursor: &mut PairCursor) -> Option<SequencePair> {
        loop {
            let PairCursor { query, target } = *cursor;
            if query as usize >= self.queries.len() {
                return None;
            }
            if (target as usize) < self.targets.len() {
                *cursor = match self.selection {
                    PairSelection::Pairs => PairCursor { query: query + 1, target: target + 1 },
                    _ => PairCursor { query, target: target + 1 },
                };
                return Some(SequencePair { query, target });
            }
            let query = query + 1;
            let target = match self.selection {
                PairSelection::Pairs => return None,
                PairSelection::OneVsAll => 0,
                PairSelection::AllVsAll { diagonal } => query + u32::from(!diagonal),
            };
            *cursor = PairCursor { query, target };
        }
    }
}

/// Number of matrix cells at which a unit of a shard is complete: some milliseconds' work for a GPU.
const UNIT_CELLS: u64 = 1 << 36;

/// A tile of pairs.
#[derive(Debug)]
pub struct Tile {
    /// At least one pair.
    pub pairs: Vec<SequencePair>,
    /// Number of cells of the pairs' matrices.
    pub cells: u64,
    /// Number of pairs that were left out before the end, as they cannot reach the identity.
    pub dropped: u64,
    pub end: TileEnd,
}

/// Where a tile ends.
#[derive(Debug, Clone, Copy)]
pub struct TileEnd {
    /// Position of the pair after the tile.
    pub next: PairCursor,
    /// Unit that the tile is of; the first one if the run is no shard.
    pub unit: Unit,
}

impl TileEnd {
    /// The end before a position, in a run that is no shard.
    pub fn before(next: PairCursor) -> Self {
        Self { next, unit: Unit::default() }
    }
}

/// The tiles of a run, or of a shard, which has every N-th unit of pairs.
#[derive(Debug)]
pub struct Tiles<'a> {
    source: &'a PairSource<'a>,
    cursor: PairCursor,
    units: Option<OwnUnits>,
    filter: Option<&'a IdentityFilter<'a>>,
    /// Number of pairs that the filter has dropped since the last tile.
    dropped: u64,
}

/// The units of a shard.
#[derive(Debug)]
struct OwnUnits {
    share: Share,
    /// Number of the next unit.
    next: u64,
    /// Unit of the pairs that are left.
    current: Unit,
    /// Pairs of the current unit that are in no tile yet, the first of them last.
    left: Vec<SequencePair>,
}

impl<'a> Tiles<'a> {
    /// All tiles from a position on.
    pub fn from(source: &'a PairSource<'a>, cursor: PairCursor) -> Self {
        Self { source, cursor, units: None, filter: None, dropped: 0 }
    }

    /// The tiles of a shard.
    pub fn of_shard(source: &'a PairSource<'a>, share: Share) -> Self {
        let units = OwnUnits { share, next: 0, current: Unit::default(), left: Vec::new() };
        let cursor = source.begin();
        Self { source, cursor, units: Some(units), filter: None, dropped: 0 }
    }

    /// The same tiles without the pairs that a filter drops.
    #[must_use]
    pub fn filtered(self, filter: Option<&'a IdentityFilter<'a>>) -> Self {
        Self { filter, ..self }
    }

    /// Next tile; `None` when no pair is left.
    pub fn next(&mut self, limits: TileLimits) -> Option<Tile> {
        let (pairs, cells, unit) = if self.units.is_some() {
            self.of_unit(limits)
        } else {
            let (pairs, cells) = self.unfinished(limits);
            (pairs, cells, Unit::default())
        };
        let end = TileEnd { next: self.cursor, unit };
        if pairs.is_empty() {
            return None;
        }
        let dropped = std::mem::take(&mut self.dropped);
        Some(Tile { pairs, cells, dropped, end })
    }

    /// The next pairs that are kept, with their number of cells; none when no pair is left. With a filter, they are gathered
    /// until there are half as many as a tile may have.
    fn unfinished(&mut self, limits: TileLimits) -> (Vec<SequencePair>, u64) {
        let Self { source, cursor, filter: Some(filter), .. } = self else {
            return self.source.tile(&mut self.cursor, limits);
        };
        let (mut tile, mut cells) = (Vec::new(), 0);
        while tile.len() < limits.pairs.div_ceil(2) && cells < limits.cells.div_ceil(2) {
            let (pairs, _) = source.tile(cursor, limits);
            if pairs.is_empty() {
                break;
            }
            let kept = filter.keep(&pairs);
            self.dropped += (pairs.len() - kept.len()) as u64;
            cells += kept.iter().map(|&pair| source.cells(pair)).sum::<u64>();
            tile.extend(kept);
        }
        (tile, cells)
    }

    /// The next pairs of a unit of the shard, with their number of cells; none when no pair is left.
    fn of_unit(&mut self, limits: TileLimits) -> (Vec<SequencePair>, u64, Unit) {
        let Self { source, cursor, units: Some(units), filter, dropped } = self else {
            return (Vec::new(), 0, Unit::default());
        };
        let of_unit = TileLimits { pairs: units.share.unit_size as usize, cells: UNIT_CELLS };
        while units.left.is_empty() {
            let (mut pairs, _) = source.tile(cursor, of_unit);
            if pairs.is_empty() {
                break;
            }
            let unit = Unit { lane: 0, number: units.next };
            units.next += 1;
            if units.share.has(unit) {
                if let Some(filter) = filter {
                    let kept = filter.keep(&pairs);
                    *dropped += (pairs.len() - kept.len()) as u64;
                    pairs = kept;
                }
                pairs.reverse();
                (units.current, units.left) = (unit, pairs);
            }
        }
        let (mut tile, mut cells) = (Vec::new(), 0);
        while tile.len() < limits.pairs && cells < limits.cells {
            let Some(pair) = units.left.pop() else { break };
            cells += source.cells(pair);
            tile.push(pair);
        }
        (tile, cells, units.current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shard::Shard;

    fn all(
        selection: PairSelection,
        queries: usize,
        targets: usize,
        pairs: usize,
    ) -> Vec<(u32, u32)> {
        let set = |count| (0..count).map(|_| vec![0_u8; 2]).collect::<SequenceSet>();
        let (queries, targets) = (set(queries), set(targets));
        let source = PairSource { selection, queries: &queries, targets: &targets };
        let mut cursor = source.begin();
        let mut found = Vec::new();
        loop {
            let (tile, cells) = source.tile(&mut cursor, TileLimits { pairs, cells: 9 });
            assert!(source.is_position(cursor));
            assert_eq!(cells, 4 * tile.len() as u64);
            assert!(tile.len() <= pairs.min(3));
            if tile.is_empty() {
                break;
            }
            found.extend(tile.iter().map(|pair| (pair.query, pair.target)));
        }
        assert_eq!(source.len(), found.len() as u64);
        found
    }

    #[test]
    fn positions_are_those_of_pairs() {
        let set = [[0_u8; 2]; 3].iter().collect::<SequenceSet>();
        let positions = |selection| {
            let source = PairSource { selection, queries: &set, targets: &set };
            let all = (0..6).flat_map(|query| (0..6).map(move |target| (query, target)));
            let is =
                |&(query, target): &(u32, u32)| source.is_position(PairCursor { query, target });
            all.filter(is).collect::<Vec<_>>()
        };
        assert_eq!(positions(PairSelection::Pairs), [(0, 0), (1, 1), (2, 2), (3, 3)]);
        let triangle = positions(PairSelection::AllVsAll { diagonal: false });
        assert_eq!(triangle, [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3), (3, 4)]);
        assert_eq!(positions(PairSelection::OneVsAll).len(), 16);
    }

    #[test]
    fn tiles_have_all_pairs_in_order() {
        for pairs in [1, 2, 100] {
            assert_eq!(all(PairSelection::Pairs, 3, 3, pairs), [(0, 0), (1, 1), (2, 2)]);
            assert_eq!(all(PairSelection::OneVsAll, 2, 2, pairs), [(0, 0), (0, 1), (1, 0), (1, 1)]);
            let triangle = PairSelection::AllVsAll { diagonal: false };
            assert_eq!(all(triangle, 3, 3, pairs), [(0, 1), (0, 2), (1, 2)]);
            let with = PairSelection::AllVsAll { diagonal: true };
            assert_eq!(all(with, 2, 2, pairs), [(0, 0), (0, 1), (1, 1)]);
            assert_eq!(all(triangle, 1, 1, pairs), []);
        }
    }

    #[test]
    fn tiles_and_shards_lack_what_a_filter_drops() {
        let mut random = fastrand::Rng::with_seed(8);
        // Three families of similar sequences.
        let ancestors: [Vec<u8>; 3] =
            std::array::from_fn(|_| (0..80).map(|_| random.u8(..4)).collect());
        let mut member = |number: usize| {
            let mut member = ancestors[number % 3].clone();
            member[random.usize(..80)] = random.u8(..4);
            member
        };
        let set = (0..40).map(&mut member).collect::<SequenceSet>();
        let alphabet = nw_batch::Alphabet::nucleotides();
        let filter = IdentityFilter::new(&alphabet, &set, &set, 0.95);
        let selection = PairSelection::AllVsAll { diagonal: false };
        let source = PairSource { selection, queries: &set, targets: &set };
        let limits = TileLimits { pairs: 1 << 20, cells: u64::MAX };
        let kept = filter.keep(&source.tile(&mut source.begin(), limits).0);
        assert_eq!(kept.len(), 13 * 14 / 2 + 2 * (12 * 13 / 2));
        for pairs in [1, 7, 1_000] {
            let limits = TileLimits { pairs, cells: u64::MAX };
            let all = |mut tiles: Tiles<'_>| {
                let (mut found, mut dropped) = (Vec::new(), 0);
                while let Some(tile) = tiles.next(limits) {
                    assert_eq!(tile.cells, 6_400 * tile.pairs.len() as u64);
                    dropped += tile.dropped;
                    found.extend(tile.pairs);
                }
                (found, dropped + tiles.dropped)
            };
            let run = Tiles::from(&source, source.begin()).filtered(Some(&filter));
            assert_eq!(all(run), (kept.clone(), source.len() - kept.len() as u64), "{pairs}");
            let mut of_shards = Vec::new();
            for number in 1..=3 {
                let share = Share { shard: Shard { number, count: 3 }, unit_size: 5 };
                of_shards.extend(all(Tiles::of_shard(&source, share).filtered(Some(&filter))).0);
            }
            of_shards.sort_by_key(|pair| (pair.query, pair.target));
            assert_eq!(of_shards, kept, "{pairs}");
        }
    }

    #[test]
    fn each_unit_is_of_one_shard_whatever_the_tiles() {
        let set = (0..9).map(|_| vec![0_u8; 2]).collect::<SequenceSet>();
        let selection = PairSelection::AllVsAll { diagonal: false };
        let source = PairSource { selection, queries: &set, targets: &set };
        let (pairs, _) =
            source.tile(&mut source.begin(), TileLimits { pairs: 100, cells: 1 << 20 });
        for (count, unit_size, tile) in [(1, 5, 2), (2, 1, 7), (3, 4, 3), (7, 10, 10), (40, 1, 1)] {
            let mut found = Vec::new();
            for number in 1..=count {
                let share = Share { shard: Shard { number, count }, unit_size };
                let mut tiles = Tiles::of_shard(&source, share);
                while let Some(tile) = tiles.next(TileLimits { pairs: tile, cells: 1 << 20 }) {
                    assert!(share.has(tile.end.unit));
                    assert_eq!(tile.cells, 4 * tile.pairs.len() as u64);
                    found.extend(tile.pairs.into_iter().map(|pair| (tile.end.unit, pair)));
                }
            }
            found.sort_by_key(|(unit, _)| *unit);
            let unit_of = |place: usize| Unit { lane: 0, number: place as u64 / unit_size };
            let expected: Vec<_> =
                pairs.iter().enumerate().map(|(place, &pair)| (unit_of(place), pair)).collect();
            assert_eq!(found, expected, "{count} shards of units of {unit_size}");
        }
    }
}
