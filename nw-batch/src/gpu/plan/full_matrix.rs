//! Memory of the kernels with full matrices (`cuda/full.cu`), and tiles of their launches.

use crate::batch::{PairBatch, SequencePair};
use crate::gpu::structs::PairSpan;

/// Rows and columns of a tile.
pub const TILE: u32 = 32;

/// Threads of a block of `nw_rscan`, each of which has a pair.
pub const SECTION: u32 = 32;

/// Greatest number of rows that `nw_dscan` fills at a time. Their diagonals leave shared memory for as many blocks as
/// the threads of a multiprocessor allow.
const MAX_STRIP: u32 = 1535;

/// 32-bit values of a sector of device memory.
const SECTOR: u64 = 8;

/// Way of filling full matrices, named as in Li 2016, chapter 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FullMatrixKernel {
    /// Rodinia-NW, the baseline: tiles, diagonal after diagonal, one pair after the other.
    Rodinia,
    /// TiledDScan-mNW: tiles of all pairs together, diagonal after diagonal.
    TiledDscan,
    /// DScan-mNW: diagonals in shared memory, a block for each pair.
    Dscan,
    /// RScan-mNW: rows, a thread for each pair.
    Rscan,
}

/// Pairs whose matrices are in memory together.
#[derive(Debug, Clone)]
pub struct MatrixGroup {
    /// Indices of the pairs in the batch.
    pub pairs: Vec<usize>,
    /// Positions of the pairs' sequences.
    pub spans: Vec<PairSpan>,
    /// Index of the first value of each pair's matrix.
    pub starts: Vec<u64>,
    /// Number of values of all matrices, and of those before the first.
    pub values: u64,
}

/// One launch of `nw_tiles`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileLaunch {
    /// First pair, by its index in the group.
    pub first: u32,
    /// Number of pairs, from the first on.
    pub count: u32,
    /// Blocks for each pair: the most tiles that it may have on the diagonal.
    pub tiles: u32,
    /// Diagonal of tiles, from 0.
    pub diagonal: u32,
}

/// Divides a batch into groups whose matrices have up to `budget` values. Also returns the indices of the pairs in no
/// group: those with an empty sequence or with too large a matrix.
pub fn matrix_groups(batch: PairBatch<'_>, budget: u64) -> (Vec<MatrixGroup>, Vec<usize>) {
    let (mut groups, mut left) = (Vec::new(), Vec::new());
    let mut group = MatrixGroup::empty();
    for (index, &pair) in batch.pairs.iter().enumerate() {
        let span = PairSpan::new(batch.queries, batch.targets, pair);
        let values = values(span.rows, span.columns);
        if span.rows == 0 || span.columns == 0 || values + SECTOR > budget {
            left.push(index);
            continue;
        }
        if group.values + values > budget {
            groups.push(std::mem::replace(&mut group, MatrixGroup::empty()));
        }
        group.pairs.push(index);
        group.spans.push(span);
        group.starts.push(group.values);
        group.values += values;
    }
    if !group.pairs.is_empty() {
        groups.push(group);
    }
    (groups, left)
}

/// Values from a row to the next of a matrix with `columns` columns of cells: whole sectors.
pub fn pitch(columns: u32) -> u64 {
    (u64::from(columns) / SECTOR + 1) * SECTOR
}

/// Number of values of a matrix of `rows` rows and `columns` columns of cells.
fn values(rows: u32, columns: u32) -> u64 {
    (u64::from(rows) + 1) * pitch(columns)
}

/// Number of values of the matrices of a batch, if all are in memory together.
pub fn batch_values(batch: PairBatch<'_>) -> u64 {
    let of_pair = |&pair: &SequencePair| {
        let (query, target) = batch.sequences(pair);
        values(query.len() as u32, target.len() as u32)
    };
    batch.pairs.iter().map(of_pair).sum::<u64>() + SECTOR
}

impl MatrixGroup {
    /// A group without pairs. Its first matrix will begin where column 1 of every row begins a sector.
    fn empty() -> Self {
        let (pairs, spans, starts) = (Vec::new(), Vec::new(), Vec::new());
        Self { pairs, spans, starts, values: SECTOR - 1 }
    }

    /// Rows of a strip of `nw_dscan`, for the longest query.
    pub fn strip(&self) -> u32 {
        self.spans.iter().map(|span| span.rows).max().unwrap_or(0).min(MAX_STRIP)
    }

    /// Launches of `nw_tiles`: for all pairs together, or for each by itself.
    pub fn tile_launches(&self, together: bool) -> Vec<TileLaunch> {
        let count = self.spans.len() as u32;
        let size = if together { count.max(1) } else { 1 };
        let mut launches = Vec::new();
        for first in (0..count).step_by(size as usize) {
            let spans = &self.spans[first as usize..(first + size) as usize];
            let tiles = |length: fn(&PairSpan) -> u32| {
                spans.iter().map(|span| length(span).div_ceil(TILE)).max().unwrap_or(0)
            };
            let (rows, columns) = (tiles(|span| span.rows), tiles(|span| span.columns));
            launches.extend((0..rows + columns - 1).map(|diagonal| TileLaunch {
                first,
                count: size,
                tiles: rows.min(diagonal + 1),
                diagonal,
            }));
        }
        launches
    }
}
