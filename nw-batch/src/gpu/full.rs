//! Memory and launches of the kernels with full matrices (`cuda/full.cu`).

mod launch;

use crate::batch::{Batch, Pair};
use crate::gpu::model::Place;

/// Rows and columns of a tile.
pub const TILE: u32 = 32;

/// Pairs of a block of `nw_rscan`, and its threads.
pub const SECTION: u32 = 32;

/// Rows that `nw_dscan` fills at a time, if there are so many: their diagonals leave shared memory for
/// as many blocks as a multiprocessor has threads for.
const STRIP: u32 = 1535;

/// Values of a sector of device memory.
const SECTOR: u64 = 8;

/// One of the kernels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Full {
    /// Tiles, diagonal after diagonal, one pair after the other: the baseline.
    Rodinia,
    /// Tiles of all pairs, diagonal after diagonal.
    TiledDscan,
    /// Diagonals in shared memory, a block a pair.
    Dscan,
    /// Rows, a thread a pair.
    Rscan,
}

/// Pairs for which there is memory at a time.
#[derive(Debug, Clone)]
pub struct Matrices {
    /// The pairs, by their places in the batch.
    pub pairs: Vec<usize>,
    /// Their places in memory.
    pub places: Vec<Place>,
    /// Where their matrices begin, in values.
    pub starts: Vec<u64>,
    /// Values of all matrices.
    pub values: u64,
}

/// One launch of `nw_tiles`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tiles {
    /// The first pair.
    pub first: u32,
    /// How many pairs.
    pub count: u32,
    /// Blocks for each of them.
    pub tiles: u32,
    /// The diagonal.
    pub diagonal: u32,
}

/// Divides the pairs into parts whose matrices have up to `budget` values; gives the pairs with an
/// empty sequence, or too large a matrix, besides.
pub fn divide(batch: Batch<'_>, budget: u64) -> (Vec<Matrices>, Vec<usize>) {
    let (mut parts, mut left) = (Vec::new(), Vec::new());
    let mut part = Matrices::empty();
    for (number, &pair) in batch.pairs.iter().enumerate() {
        let place = Place::new(batch.queries, batch.targets, pair.query, pair.target);
        let values = values(place.rows, place.columns);
        if place.rows == 0 || place.columns == 0 || values + SECTOR > budget {
            left.push(number);
            continue;
        }
        if part.values + values > budget {
            parts.push(std::mem::replace(&mut part, Matrices::empty()));
        }
        part.pairs.push(number);
        part.places.push(place);
        part.starts.push(part.values);
        part.values += values;
    }
    if !part.pairs.is_empty() {
        parts.push(part);
    }
    (parts, left)
}

/// Values from a row to the next of a matrix with so many columns of cells: whole sectors.
pub fn pitch(columns: u32) -> u64 {
    (u64::from(columns) / SECTOR + 1) * SECTOR
}

/// Values of a matrix of so many rows and columns of cells.
fn values(rows: u32, columns: u32) -> u64 {
    (u64::from(rows) + 1) * pitch(columns)
}

/// Values of the matrices of a batch.
pub fn all_values(batch: Batch<'_>) -> u64 {
    let of_pair = |&pair: &Pair| {
        let (query, target) = batch.sequences(pair);
        values(query.len() as u32, target.len() as u32)
    };
    batch.pairs.iter().map(of_pair).sum::<u64>() + SECTOR
}

impl Matrices {
    /// None. Where the first begins lets column 1 of every row begin a sector.
    fn empty() -> Self {
        let (pairs, places, starts) = (Vec::new(), Vec::new(), Vec::new());
        Self { pairs, places, starts, values: SECTOR - 1 }
    }

    /// Rows of a strip of `nw_dscan`.
    pub fn strip(&self) -> u32 {
        self.places.iter().map(|place| place.rows).max().unwrap_or(0).min(STRIP)
    }

    /// The launches of `nw_tiles`: of all pairs at a time, or of each by itself.
    pub fn tiles(&self, together: bool) -> Vec<Tiles> {
        let count = self.places.len() as u32;
        let size = if together { count.max(1) } else { 1 };
        let mut launches = Vec::new();
        for first in (0..count).step_by(size as usize) {
            let places = &self.places[first as usize..(first + size) as usize];
            let tiles = |length: fn(&Place) -> u32| {
                places.iter().map(|place| length(place).div_ceil(TILE)).max().unwrap_or(0)
            };
            let (rows, columns) = (tiles(|place| place.rows), tiles(|place| place.columns));
            launches.extend((0..rows + columns - 1).map(|diagonal| Tiles {
                first,
                count: size,
                tiles: rows.min(diagonal + 1),
                diagonal,
            }));
        }
        launches
    }
}
