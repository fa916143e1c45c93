//! Portions: the queries that NCBI's blastn searches together.
//!
//! More queries at a time make better use of a scan of the database, but their hits must fit into the caches. So NCBI's
//! program adapts the size of a portion to the number of hits of the portions before (class `CBatchSizeMixer`).

use crate::options::BlastTask;
use crate::sequence::fasta::FastaRecord;

/// Least number of ungapped alignments that a portion is made to have.
const MIN_HITS: i64 = 1_000_000;
/// Database bases per ungapped alignment that a portion is made to have, if that is more than [`MIN_HITS`].
const BASES_PER_HIT: u64 = 3_000;
/// Ungapped alignments per query base that the size of the first portion assumes.
const FIRST_RATE: i64 = 200;
/// Least size of a portion, in bases.
const MIN_SIZE: i64 = 100;
/// Weight of the latest portion in the average number of ungapped alignments per base.
const WEIGHT: f64 = 0.3;

/// The size of the next portion.
#[derive(Debug, Clone)]
pub(crate) struct PortionSize {
    /// Number of ungapped alignments that a portion is made to have.
    target_hits: i64,
    /// Greatest size of a portion, in bases.
    max_size: i64,
    /// Size of the next portion, in bases.
    size: i64,
    /// Ungapped alignments per query base, averaged over portions; `None` after the size met one of its limits.
    rate: Option<f64>,
}

impl PortionSize {
    /// The size of the first portion, for a database of `letters` bases.
    pub(crate) fn new(task: BlastTask, letters: u64) -> Self {
        let target_hits = i64::try_from(letters / BASES_PER_HIT).unwrap_or(i64::MAX).max(MIN_HITS);
        let mut first = Self {
            target_hits,
            max_size: task.max_batch_bases() as i64 - 1000,
            size: target_hits / FIRST_RATE,
            rate: None,
        };
        first.limit();
        first
    }

    /// The number of the next queries that make about `portions` portions of this size: queries are added until they
    /// have as many bases.
    pub(crate) fn queries(&self, queries: &[FastaRecord], portions: u64) -> usize {
        let bases = self.bases().saturating_mul(portions).min(self.max_size as u64);
        let mut sum = 0;
        let enough = queries.iter().position(|query| {
            sum += query.letters.len() as u64;
            sum >= bases
        });
        enough.map_or(queries.len(), |last| last + 1)
    }

    /// The approximate size in bases, at least 1.
    pub(crate) fn bases(&self) -> u64 {
        self.size as u64
    }

    /// The number of ungapped alignments that a portion is made to have.
    pub(crate) fn hits(&self) -> u64 {
        self.target_hits as u64
    }

    /// Adapts the size to the number of ungapped alignments that a portion of the present size had.
    pub(crate) fn update(&mut self, ungapped_count: u64) {
        let rate = (ungapped_count + 1) as f64 / self.size as f64;
        let rate = self.rate.map_or(rate, |before| WEIGHT * rate + (1.0 - WEIGHT) * before);
        self.rate = Some(rate);
        let size = self.target_hits as f64 / rate;
        // NCBI converts the size to 32 bits: beyond that it overflows, and counts as the smallest.
        self.size = if size > f64::from(i32::MAX) { 0 } else { size as i64 };
        self.limit();
    }

    /// Keeps the size within its limits, and forgets the average where it was outside them.
    fn limit(&mut self) {
        let within = self.size.clamp(MIN_SIZE, self.max_size);
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
        let mut size = PortionSize::new(BlastTask::Blastn, 2_476_164);
        assert_eq!(size.size, 5_000);
        size.update(9_999);
        assert_eq!(size.size, 500_000);
        size.update(999);
        // 1,000 hits of 500,000 bases at weight 0.3, 2 a base before.
        assert_eq!(size.size, (1e6 / (0.3 * 0.002 + 0.7 * 2.0)) as i64);
        let mut large = PortionSize::new(BlastTask::Megablast, 64_000_000_000);
        assert_eq!(large.size, 106_666);
        large.update(10_000);
        assert_eq!(large.size, 4_999_000);
        large.update(0);
        assert_eq!(large.size, 100);
    }

    #[test]
    fn queries_are_added_until_there_are_enough_bases() {
        let of = |length| FastaRecord { letters: vec![0; length], ..FastaRecord::default() };
        let queries = [4_999, 0, 1, 2_000, 8_000, 1].map(of);
        let size = PortionSize::new(BlastTask::Blastn, 0);
        let counts =
            |from: usize| [1, 2, 3].map(|portions| size.queries(&queries[from..], portions));
        assert_eq!(counts(0), [3, 5, 5]);
        assert_eq!(counts(4), [1, 2, 2]);
        assert_eq!(counts(6), [0, 0, 0]);
    }
}
