//! Reading for a shard: which units of the input are its own, and which reads it needs besides.

use std::sync::{Arc, OnceLock};

use xxhash_rust::xxh3::Xxh3Default;

use super::reads::Reads;
use crate::shard::{Share, Unit};

/// The reads that a shard maps.
#[derive(Debug, Clone, Copy)]
pub struct SharedReads {
    /// The units of the shard; items are templates.
    pub share: Share,
    /// The number of the first pairs of each lane that all shards map, to learn of the lane what they must agree on.
    pub sample: u64,
}

/// Follows the templates of all lanes, and tells which batches the shard maps.
pub struct UnitTracker {
    shared: SharedReads,
    /// The number of the lane, from 0.
    lane: usize,
    /// The number of reads of a template.
    together: usize,
    /// The number in its lane of the first template of the batch that is being gathered.
    first: u64,
    /// All reads so far.
    hash: Box<Xxh3Default>,
    /// Takes the hash of all reads at the end.
    fingerprint: Arc<OnceLock<u64>>,
}

/// The use of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BatchUse {
    /// Its records are written.
    #[default]
    Written,
    /// It is of another shard, and mapped to learn about the lane.
    Sample,
    /// It is of another shard.
    None,
}

impl UnitTracker {
    /// The beginning of the first lane. The hash of all reads goes to `fingerprint`.
    pub fn new(shared: SharedReads, fingerprint: Arc<OnceLock<u64>>) -> Self {
        let hash = Box::new(Xxh3Default::new());
        Self { shared, lane: 0, together: 1, first: 0, hash, fingerprint }
    }

    /// Begins a lane whose templates have so many reads.
    pub fn begin_lane(&mut self, lane: usize, together: usize) {
        (self.lane, self.together, self.first) = (lane, together, 0);
        self.hash.update(&[together as u8]);
    }

    /// Whether a batch with so many reads, of whole templates, must end: at the end of a unit, or of the sample.
    pub fn is_end(&self, reads: usize) -> bool {
        let templates = self.first + (reads / self.together) as u64;
        templates > self.first
            && (templates.is_multiple_of(self.shared.share.unit_size) || templates == self.sample())
    }

    /// Ends the batch of these reads, which begins where the one before ended; returns its unit and its use.
    pub fn end_batch(&mut self, reads: &Reads) -> (Unit, BatchUse) {
        reads.hash_into(&mut self.hash);
        let unit = self.shared.share.unit_of(self.lane, self.first);
        let is_sample = self.first < self.sample();
        self.first += (reads.len() / self.together) as u64;
        let of_batch = match self.shared.share.has(unit) {
            true => BatchUse::Written,
            false if is_sample => BatchUse::Sample,
            false => BatchUse::None,
        };
        (unit, of_batch)
    }

    /// Ends the last lane.
    pub fn finish(&self) {
        // It is set once, by the one thread that reads.
        let _ = self.fingerprint.set(self.hash.digest());
    }

    /// The number of the first templates of the lane that all shards map.
    fn sample(&self) -> u64 {
        if self.together == 2 { self.shared.sample } else { 0 }
    }
}
