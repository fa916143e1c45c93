//! The order of gathered records.

use aligner_core::sort::Field;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use crate::output::bam::records::CoordinateKey;

/// A record's key, the number of its part in the 32 bits behind it, and in the last 32 its number in the part. By comparison,
/// records are in the order of their keys, and those with equal keys as they came; one number is compared more quickly than
/// three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(transparent)]
pub struct Place(u128);

impl Place {
    /// The fields by which a device sorts places that are as [`places_of`] makes them, with a sort that keeps the order of equal
    /// items: the key. A place is an item of four words of 32 bits, the lowest first: the record's number, its part, and the two
    /// halves of the key.
    pub const SORT_FIELDS: [Field; 2] = [Field { word: 2, bits: 32 }, Field { word: 3, bits: 32 }];

    fn new(key: CoordinateKey, part: usize, number: usize) -> Self {
        Self(u128::from(key) << 64 | (part as u128) << 32 | number as u128)
    }

    /// Returns the key of the record.
    pub fn key(self) -> CoordinateKey {
        (self.0 >> 64) as CoordinateKey
    }

    /// The number of its part.
    pub fn part(self) -> usize {
        (self.0 >> 32) as u32 as usize
    }

    /// Its number in the part.
    pub fn number(self) -> usize {
        self.0 as u32 as usize
    }
}

/// Bytes of records in a chunk: enough to be compressed well, few enough that the chunks at both ends of a range of keys cost
/// little.
pub const CHUNK_BYTES: usize = 1 << 18;

/// The places of all records of a run, in order, in chunks of the same number of records, which have about [`CHUNK_BYTES`].
#[derive(Debug)]
pub struct ChunkedOrder {
    places: Vec<Place>,
    /// For each chunk, the number of its first place, and then that of all places.
    chunks: Vec<usize>,
}

impl ChunkedOrder {
    /// The order of records with these places, which are sorted, and which have so many bytes together.
    pub fn of_sorted(places: Vec<Place>, bytes: usize) -> Self {
        let mean = bytes.div_ceil(places.len().max(1));
        let each = (CHUNK_BYTES / mean.max(1)).max(1);
        let chunks = (0..places.len()).step_by(each).chain([places.len()]).collect();
        Self { places, chunks }
    }

    /// The number of records.
    pub fn records(&self) -> usize {
        self.places.len()
    }

    /// The number of chunks.
    pub fn chunks(&self) -> usize {
        self.chunks.len() - 1
    }

    /// The places of the records of a chunk.
    pub fn chunk(&self, number: usize) -> &[Place] {
        &self.places[self.chunks[number]..self.chunks[number + 1]]
    }

    /// The key of the first record of a chunk.
    pub fn first_key(&self, chunk: usize) -> CoordinateKey {
        self.places[self.chunks[chunk]].key()
    }

    /// The number of chunks up to the first one whose first key is not `wanted`.
    pub fn chunks_while(&self, wanted: impl Fn(CoordinateKey) -> bool) -> usize {
        let first = &self.chunks[..self.chunks()];
        first.partition_point(|&begin| wanted(self.places[begin].key()))
    }
}

/// The places of all records of some parts, each of which has a key, as they came.
pub fn places_of<T: Sync>(parts: &[&[T]], key: impl Fn(&T) -> CoordinateKey + Sync) -> Vec<Place> {
    let count = parts.iter().map(|records| records.len()).sum();
    // New memory is zero already, so that all threads touch it first.
    let mut places: Vec<Place> = bytemuck::zeroed_vec(count);
    let mut rest = places.as_mut_slice();
    let rooms = parts.iter().map(|records| rest.split_off_mut(..records.len()).unwrap_or_default());
    let rooms: Vec<&mut [Place]> = rooms.collect();
    let fill = |(part, (records, room)): (usize, (&&[T], &mut [Place]))| {
        for (number, (record, place)) in records.iter().zip(room).enumerate() {
            *place = Place::new(key(record), part, number);
        }
    };
    parts.par_iter().zip(rooms).enumerate().for_each(fill);
    places
}

/// Sorts places on all threads.
pub fn sort(places: &mut [Place]) {
    places.par_sort_unstable();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_in_the_order_of_keys_and_then_of_records() {
        for seed in 0..60 {
            let mut random = fastrand::Rng::with_seed(seed);
            let keys = [1, 3, 1000, u64::MAX][random.usize(..4)];
            let parts: Vec<Vec<CoordinateKey>> = (0..random.usize(..40))
                .map(|_| (0..random.usize(..800)).map(|_| random.u64(..keys)).collect())
                .collect();
            let mut expected: Vec<(CoordinateKey, usize, usize)> = Vec::new();
            for (part, keys) in parts.iter().enumerate() {
                expected.extend(keys.iter().enumerate().map(|(number, &key)| (key, part, number)));
            }
            expected.sort_unstable();
            let parts: Vec<&[CoordinateKey]> = parts.iter().map(Vec::as_slice).collect();
            let mut places = places_of(&parts, |&key| key);
            sort(&mut places);
            let found: Vec<(CoordinateKey, usize, usize)> =
                places.iter().map(|it| (it.key(), it.part(), it.number())).collect();
            assert!(found == expected, "seed {seed}");
        }
    }
}
