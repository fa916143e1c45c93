//! How many queries NCBI's program searches together.
//!
//! More queries at a time make the best of a scan of the database, but there their hits must fit into the caches.
//! So the size follows what was found before.

use crate::options::Task;
use crate::sequence::fasta::Record;

/// Hits that a portion should have, at least.
const MIN_HITS: i64 = 1_000_000;
/// Bases of the database for each of them.
const BASES_A_HIT: u64 = 3_000;
/// Hits that are expected of a base of the first portion.
const FIRST_RATE: i64 = 200;
/// Bases of a portion, at least.
const MIN_SIZE: i64 = 100;
/// What the latest rate counts for.
const WEIGHT: f64 = 0.3;

/// Bases of the next portion.
#[derive(Debug, Clone)]
pub(crate) struct PortionSize {
    hits: i64,
    greatest: i64,
    size: i64,
    /// Hits a base, averaged over portions.
    rate: Option<f64>,
}

impl PortionSize {
    /// The first portion, for a database of so many bases.
    pub(crate) fn new(task: Task, letters: u64) -> Self {
        let hits = i64::try_from(letters / BASES_A_HIT).unwrap_or(i64::MAX).max(MIN_HITS);
        let mut first = Self {
            hits,
            greatest: task.chunk() as i64 - 1000,
            size: hits / FIRST_RATE,
            rate: None,
        };
        first.limit();
        first
    }

    /// How many of the next queries are `portions` of this size: they are added until there are as many bases.
    pub(crate) fn queries(&self, queries: &[Record], portions: u64) -> usize {
        let bases = self.bases().saturating_mul(portions).min(self.greatest as u64);
        let mut sum = 0;
        let enough = queries.iter().position(|query| {
            sum += query.letters.len() as u64;
            sum >= bases
        });
        enough.map_or(queries.len(), |last| last + 1)
    }

    /// Bases, about; at least 1.
    pub(crate) fn bases(&self) -> u64 {
        self.size as u64
    }

    /// Hits that a portion should have.
    pub(crate) fn hits(&self) -> u64 {
        self.hits as u64
    }

    /// Notes the ungapped alignments of a portion.
    pub(crate) fn update(&mut self, extensions: u64) {
        let rate = (extensions + 1) as f64 / self.size as f64;
        let rate = self.rate.map_or(rate, |before| WEIGHT * rate + (1.0 - WEIGHT) * before);
        self.rate = Some(rate);
        let size = self.hits as f64 / rate;
        // A size beyond 32 bits counts as the smallest: NCBI's conversion overflows.
        self.size = if size > f64::from(i32::MAX) { 0 } else { size as i64 };
        self.limit();
    }

    fn limit(&mut self) {
        let within = self.size.clamp(MIN_SIZE, self.greatest);
        if within != self.size {
            self.size = within;
            self.rate = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_grow_as_long_as_little_is_found() {
        let mut size = PortionSize::new(Task::Blastn, 2_476_164);
        assert_eq!(size.size, 5_000);
        size.update(9_999);
        assert_eq!(size.size, 500_000);
        size.update(999);
        // 1,000 hits of 500,000 bases at weight 0.3, 2 a base before.
        assert_eq!(size.size, (1e6 / (0.3 * 0.002 + 0.7 * 2.0)) as i64);
        let mut large = PortionSize::new(Task::Megablast, 64_000_000_000);
        assert_eq!(large.size, 106_666);
        large.update(10_000);
        assert_eq!(large.size, 4_999_000);
        large.update(0);
        assert_eq!(large.size, 100);
    }

    #[test]
    fn queries_are_added_until_there_are_enough_bases() {
        let of = |length| Record { letters: vec![0; length], ..Record::default() };
        let queries = [4_999, 0, 1, 2_000, 8_000, 1].map(of);
        let size = PortionSize::new(Task::Blastn, 0);
        let counts =
            |from: usize| [1, 2, 3].map(|portions| size.queries(&queries[from..], portions));
        assert_eq!(counts(0), [3, 5, 5]);
        assert_eq!(counts(4), [1, 2, 2]);
        assert_eq!(counts(6), [0, 0, 0]);
    }
}
