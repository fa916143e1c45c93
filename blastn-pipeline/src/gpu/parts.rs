//! Parts of a database, each of which fits into the memory of a device.
//!
//! A subject is in one part if it fits. A subject that is longer than a part is in several, divided by the chunks in which it
//! is searched anyway, so that parts have no seams of their own.

use std::ops::Range;

use crate::database::Database;
use crate::database::chunks::chunks;
use crate::gpu::pipeline::tables::DatabaseChunk;
use crate::sequence::packed;

/// A part of a database: chunks that are in a device's memory together.
#[derive(Debug, Clone, Default)]
pub struct DatabasePart {
    /// Index of its first base among all of the database, a multiple of 4.
    pub first: u64,
    /// One behind the index of its last base.
    pub end: u64,
    /// Its chunks; their bases are counted from `first` on.
    pub chunks: Vec<DatabaseChunk>,
}

impl DatabasePart {
    /// Its bases, four a byte, and some spare bytes behind them.
    pub fn packed<'d>(&self, database: &'d Database) -> &'d [u8] {
        let byte = |base: u64| base.div_ceil(packed::BASES as u64) as usize;
        database.packed_with_spare(byte(self.first)..byte(self.end))
    }

    /// Whether it has all bases of a range of the database.
    pub(crate) fn holds(&self, places: &Range<u64>) -> bool {
        self.first <= places.start && places.end <= self.end
    }
}

/// Where a chunk of the database is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChunkOrigin {
    /// Index of the subject.
    pub(crate) subject: usize,
    /// Bases of the subject that the chunk has.
    pub(crate) range: Range<usize>,
    /// Whether the chunk is the whole subject.
    pub(crate) is_all: bool,
}

/// A database, divided into parts.
#[derive(Debug)]
pub struct DatabaseParts {
    /// The parts, in the order of the database.
    parts: Vec<DatabasePart>,
    /// The origin of each chunk, through all parts.
    origins: Vec<ChunkOrigin>,
}

impl DatabaseParts {
    /// Divides a database into parts of at most `most` bases, or of one chunk.
    pub fn new(database: &Database, most: u64) -> Self {
        let (mut parts, mut origins) = (Vec::new(), Vec::new());
        let mut part = DatabasePart::default();
        for number in 0..database.len() {
            let first = database.first_base(number);
            let length = database.subject(number).length;
            let chunks = chunks(length);
            let end = first + length as u64;
            let is_split = length as u64 > most;
            let is_all = chunks.len() == 1;
            for chunk in chunks {
                let (begin, chunk_end) = (first + chunk.start as u64, first + chunk.end as u64);
                let needed = if is_split { chunk_end } else { end };
                if needed - part.first > most && !part.chunks.is_empty() {
                    parts.push(std::mem::take(&mut part));
                }
                if part.chunks.is_empty() {
                    part.first = begin;
                }
                let (first, length) = (begin - part.first, chunk.len() as u32);
                part.chunks.push(DatabaseChunk { first, length, padding: 0 });
                part.end = chunk_end;
                origins.push(ChunkOrigin { subject: number, range: chunk, is_all });
            }
        }
        parts.push(part);
        Self { parts, origins }
    }

    /// The first part of the database.
    pub fn into_first(mut self) -> DatabasePart {
        self.parts.swap_remove(0)
    }

    /// The parts, in the order of the database.
    pub fn all(&self) -> &[DatabasePart] {
        &self.parts
    }

    /// The origin of each chunk, through all parts.
    pub(crate) fn origins(&self) -> &[ChunkOrigin] {
        &self.origins
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Builder;
    use crate::sequence::fasta::FastaRecord;

    fn database(lengths: &[usize]) -> Database {
        let mut builder = Builder::default();
        for &length in lengths {
            builder.add(&FastaRecord { letters: vec![2; length], ..FastaRecord::default() });
        }
        builder.finish("subjects", 0)
    }

    /// How many subjects end in each part or before, and its chunks.
    fn shape(lengths: &[usize], most: u64) -> Vec<(usize, usize)> {
        let database = database(lengths);
        let parts = DatabaseParts::new(&database, most);
        for part in parts.all() {
            let last = &part.chunks[part.chunks.len() - 1];
            assert_eq!(part.first + last.first + u64::from(last.length), part.end);
            assert!(part.end - part.first <= most || part.chunks.len() == 1);
            assert!(part.packed(&database).len() as u64 * 4 >= part.end - part.first);
        }
        let mut end = 0;
        let of_part = |part: &DatabasePart| {
            for (chunk, origin) in part.chunks.iter().zip(&parts.origins[end..]) {
                let first = database.first_base(origin.subject) + origin.range.start as u64;
                assert_eq!(part.first + chunk.first, first);
                assert_eq!(chunk.length as usize, origin.range.len());
                let is_all = origin.range == (0..lengths[origin.subject]);
                assert_eq!(origin.is_all, is_all);
            }
            end += part.chunks.len();
            let ended = parts.origins.get(end).map_or(lengths.len(), |next| next.subject);
            (ended, part.chunks.len())
        };
        let shape = parts.all().iter().map(of_part).collect();
        assert_eq!(end, parts.origins.len());
        shape
    }

    #[test]
    fn subjects_are_whole_if_they_fit() {
        assert_eq!(shape(&[10, 20, 30, 40], 1_000), [(4, 4)]);
        assert_eq!(shape(&[10, 20, 30, 40], 64), [(3, 3), (4, 1)]);
        assert_eq!(shape(&[10, 20, 30, 40], 1), [(1, 1), (2, 1), (3, 1), (4, 1)]);
        assert_eq!(shape(&[0, 5], 100), [(2, 2)]);
        assert_eq!(shape(&[0], 100), [(1, 1)]);
    }

    #[test]
    fn long_subjects_are_split_where_they_are_searched_in_chunks() {
        let long = [100, 11_000_000, 100];
        assert_eq!(shape(&long, 20_000_000), [(3, 5)]);
        assert_eq!(shape(&long, 10_500_000), [(1, 3), (3, 2)]);
        assert_eq!(shape(&long, 6_000_000), [(1, 2), (1, 1), (3, 2)]);
        assert_eq!(shape(&long, 1_000), [(1, 1), (1, 1), (1, 1), (2, 1), (3, 1)]);
    }

    #[test]
    fn places_are_held_by_the_part_that_has_all_of_them() {
        let parts = DatabaseParts::new(&database(&[10, 20, 30]), 32);
        let holds: Vec<bool> = parts.all().iter().map(|part| part.holds(&(12..32))).collect();
        assert_eq!(holds, [true, false]);
    }
}
