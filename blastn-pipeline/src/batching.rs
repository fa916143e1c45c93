//! How many queries are searched together.
//!
//! More queries at a time make the best of a scan of the database, but their hits must fit into the
//! caches. The size follows what the batches before found, as in NCBI's blastn; it decides the width
//! of looked-up words, and with it which part of a match is met first.

use crate::options::Task;

/// Hits that a batch should have, at least.
const MIN_HITS: i64 = 1_000_000;
/// Bases of the database for each of them.
const BASES_A_HIT: u64 = 3_000;
/// Hits that are expected of a base of the first batch.
const FIRST_RATE: i64 = 200;
/// Bases of a batch, at least.
const MIN_SIZE: i64 = 100;
/// What the latest rate counts for.
const WEIGHT: f64 = 0.3;

/// Bases of the next batch.
#[derive(Debug, Clone)]
pub struct BatchSize {
    hits: i64,
    greatest: i64,
    size: i64,
    /// Hits a base, averaged over batches.
    rate: Option<f64>,
}

impl BatchSize {
    /// The first batch, for a database of so many bases.
    pub fn new(task: Task, letters: u64) -> Self {
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

    /// Bases: queries are added until there are as many.
    pub fn bases(&self) -> usize {
        self.size as usize
    }

    /// Notes the ungapped alignments of a batch.
    pub fn update(&mut self, extensions: u64) {
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
    fn batches_grow_as_long_as_little_is_found() {
        let mut size = BatchSize::new(Task::Blastn, 2_476_164);
        assert_eq!(size.bases(), 5_000);
        size.update(9_999);
        assert_eq!(size.bases(), 500_000);
        size.update(999);
        // 1,000 hits of 500,000 bases at weight 0.3, 2 a base before.
        assert_eq!(size.bases(), (1e6 / (0.3 * 0.002 + 0.7 * 2.0)) as usize);
        let mut large = BatchSize::new(Task::Megablast, 64_000_000_000);
        assert_eq!(large.bases(), 106_666);
        large.update(10_000);
        assert_eq!(large.bases(), 4_999_000);
        large.update(0);
        assert_eq!(large.bases(), 100);
    }
}
