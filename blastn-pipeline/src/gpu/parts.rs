//! Parts of a database, each of which fits into the memory of a device.
//!
//! A subject is in one part if it fits. A subject that is longer than a part is in several, divided by the chunks in which it
//! is searched anyway, so that parts have no seams of their own.
//!
//! Several devices share a database before it is divided into parts: each has the chunks whose middles lie in its share of the bases,
//! so that shares are equal up to half a chunk at each end, also where subjects are longer than a share. A subject of several
//! chunks may be in two shares, then.

use std::mem;
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

/// A database, or a device's share of one, divided into parts.
#[derive(Debug)]
pub struct DatabaseParts {
    /// The parts, at least one, in the order of the database.
    parts: Vec<DatabasePart>,
    /// The origin of each chunk, through all parts.
    origins: Vec<ChunkOrigin>,
}

impl DatabaseParts {
    /// Divides a database into parts of at most `most` bases, or of one chunk.
    pub fn new(database: &Database, most: u64) -> Self {
        Self::shares(database, &[most]).swap_remove(0)
    }

    /// Divides a database into about equal shares, in the order of the database, one for each of some devices; and each share into
    /// parts of at most as many bases as `most` has for its device, or of one chunk. Shares without a chunk have an empty part.
    pub fn shares(database: &Database, most: &[u64]) -> Vec<Self> {
        let (devices, bases) = (most.len() as u64, Self::bases_of(database));
        let mut shares: Vec<ShareDivider> =
            most.iter().map(|&most| ShareDivider::new(most)).collect();
        for subject in 0..database.len() {
            let first = database.first_base(subject);
            let length = database.subject(subject).length;
            let all = first..first + length as u64;
            let chunks = chunks(length);
            let is_all = chunks.len() == 1;
            for range in chunks {
                let middle = first + range.start.midpoint(range.end) as u64;
                // An empty sequence may lie behind all bases.
                let share = (middle * devices / bases.max(1)).min(devices - 1);
                let origin = ChunkOrigin { subject, range, is_all };
                shares[share as usize].add(&all, origin);
            }
        }
        shares.into_iter().map(ShareDivider::finish).collect()
    }

    /// The bases of a database, and those that stand between its subjects.
    pub(crate) fn bases_of(database: &Database) -> u64 {
        let last = database.len().checked_sub(1);
        last.map_or(0, |last| database.first_base(last) + database.subject(last).length as u64)
    }

    /// The bases of all parts.
    pub(crate) fn bases(&self) -> u64 {
        self.parts.iter().map(|part| part.end - part.first).sum()
    }

    /// Whether there is no chunk.
    pub(crate) fn is_empty(&self) -> bool {
        self.origins.is_empty()
    }

    /// The first part of the database.
    pub fn into_first(mut self) -> DatabasePart {
        self.parts.swap_remove(0)
    }

    /// The parts, at least one, in the order of the database.
    pub fn all(&self) -> &[DatabasePart] {
        &self.parts
    }

    /// The origin of each chunk, through all parts.
    pub(crate) fn origins(&self) -> &[ChunkOrigin] {
        &self.origins
    }
}

/// Divides a share of a database into parts, chunk by chunk.
struct ShareDivider {
    /// The most bases of a part of more than one chunk.
    most: u64,
    /// The parts before the last one.
    parts: Vec<DatabasePart>,
    /// The last part so far.
    part: DatabasePart,
    origins: Vec<ChunkOrigin>,
}

impl ShareDivider {
    fn new(most: u64) -> Self {
        Self { most, parts: Vec::new(), part: DatabasePart::default(), origins: Vec::new() }
    }

    /// Adds the next chunk, of a subject that has the bases `subject` of the database.
    fn add(&mut self, subject: &Range<u64>, origin: ChunkOrigin) {
        let part = &mut self.part;
        let begin = subject.start + origin.range.start as u64;
        let end = subject.start + origin.range.end as u64;
        let is_split = subject.end - subject.start > self.most;
        let needed = if is_split { end } else { subject.end };
        if !part.chunks.is_empty() && needed - part.first > self.most {
            self.parts.push(mem::take(part));
        }
        if part.chunks.is_empty() {
            part.first = begin;
        }
        let (first, length) = (begin - part.first, origin.range.len() as u32);
        part.chunks.push(DatabaseChunk { first, length, padding: 0 });
        part.end = end;
        self.origins.push(origin);
    }

    fn finish(mut self) -> DatabaseParts {
        self.parts.push(self.part);
        DatabaseParts { parts: self.parts, origins: self.origins }
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

    /// The subjects whose chunks each share has, one after the other.
    fn shares(lengths: &[usize], count: usize) -> Vec<Vec<usize>> {
        let shares = DatabaseParts::shares(&database(lengths), &vec![u64::MAX; count]);
        assert!(shares.iter().all(|share| share.all().len() == 1));
        let subjects = |share: &DatabaseParts| share.origins.iter().map(|it| it.subject).collect();
        shares.iter().map(subjects).collect()
    }

    #[test]
    fn shares_are_about_equal() {
        assert_eq!(shares(&[100, 100, 100, 100], 2), [[0, 1], [2, 3]]);
        assert_eq!(shares(&[100, 300, 100, 100], 2), [vec![0, 1], vec![2, 3]]);
        assert_eq!(shares(&[100; 7], 3), [vec![0, 1], vec![2, 3, 4], vec![5, 6]]);
        // Three chunks.
        assert_eq!(shares(&[100, 11_000_000, 100], 2), [vec![0, 1], vec![1, 1, 2]]);
        assert_eq!(shares(&[100, 13_000_000, 100], 3), [vec![0, 1], vec![1], vec![1, 2]]);
        // A chunk is as long as a share, or longer.
        assert_eq!(shares(&[100, 11_000_000, 100], 3), [vec![0, 1], vec![], vec![1, 1, 2]]);
        assert_eq!(shares(&[4, 40], 3), [vec![0], vec![1], vec![]]);
        assert_eq!(shares(&[0], 2), [vec![0], vec![]]);
        assert_eq!(shares(&[40, 0], 2), [vec![], vec![0, 1]]);
    }

    #[test]
    fn shares_have_all_chunks_in_order() {
        for seed in 0..50 {
            let mut random = fastrand::Rng::with_seed(seed);
            let lengths: Vec<usize> =
                (0..random.usize(1..60)).map(|_| random.usize(..9_000)).collect();
            let database = database(&lengths);
            let count = random.usize(1..6);
            let most: Vec<u64> = (0..count).map(|_| random.u64(1..200_000)).collect();
            let shares = DatabaseParts::shares(&database, &most);
            assert_eq!(shares.len(), count, "seed {seed}");
            let origins: Vec<ChunkOrigin> =
                shares.iter().flat_map(|share| share.origins.clone()).collect();
            let whole = DatabaseParts::new(&database, u64::MAX);
            assert_eq!(origins, whole.origins, "seed {seed}");
            for (share, &most) in shares.iter().zip(&most) {
                let mut chunks = 0;
                for part in share.all() {
                    for (chunk, origin) in part.chunks.iter().zip(&share.origins[chunks..]) {
                        let first = database.first_base(origin.subject);
                        assert_eq!(part.first + chunk.first, first, "seed {seed}");
                    }
                    chunks += part.chunks.len();
                    let is_small = part.end - part.first <= most || part.chunks.len() == 1;
                    assert!(is_small, "seed {seed}");
                }
                assert_eq!(chunks, share.origins.len(), "seed {seed}");
            }
            // The greatest share has at most half of the longest subject more than its part at each end.
            let size = |share: &DatabaseParts| -> usize {
                share.origins.iter().map(|origin| origin.range.len()).sum()
            };
            let (all, longest) = (lengths.iter().sum::<usize>(), lengths.iter().max());
            let greatest = shares.iter().map(size).max();
            let padding = 4 * lengths.len();
            let bound = all / count + longest.copied().unwrap_or(0) + padding;
            assert!(greatest <= Some(bound), "seed {seed}: {greatest:?}, {bound}");
        }
    }

    #[test]
    fn places_are_held_by_the_part_that_has_all_of_them() {
        let parts = DatabaseParts::new(&database(&[10, 20, 30]), 32);
        let holds: Vec<bool> = parts.all().iter().map(|part| part.holds(&(12..32))).collect();
        assert_eq!(holds, [true, false]);
    }
}
