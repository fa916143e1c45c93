//! Counters of a mapper.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aligner_core::stream::Metrics;

use crate::trie::Effort;

/// What a mapper has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Loci found (every match, if all starts are reported).
    pub loci: u64,
    /// Trie nodes expanded. Reads that are searched for together share them: more of them on the GPU
    /// than on the CPU.
    pub nodes: u64,
    /// Matrix rows computed.
    pub rows: u64,
    /// Suffix-array rows located.
    pub located: u64,
}

/// What the filter of a mapper has done so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FilterStats {
    /// Queries: reads in both orientations.
    pub queries: u64,
    /// Windows with matches, some of which overlap.
    pub windows: u64,
    /// Seconds in the filter, copies included.
    pub seconds: f64,
    /// Seconds that a device's kernels took of these.
    pub device_seconds: f64,
    /// Firings, and occupancies and cycles if they were measured.
    pub metrics: Metrics,
}

/// What search schemes of a mapper have done so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SchemeStats {
    /// What the filter counts, too.
    pub run: FilterStats,
    /// Nodes: words that were extended by all bases.
    pub nodes: u64,
    /// 64-byte lines of the index read for that, one or two a node.
    pub lines: u64,
}

impl FilterStats {
    fn add(&mut self, other: &Self) {
        self.queries += other.queries;
        self.windows += other.windows;
        self.seconds += other.seconds;
        self.device_seconds += other.device_seconds;
        self.metrics.add(&other.metrics);
    }
}

/// Counters that threads share.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) loci: AtomicU64,
    nodes: AtomicU64,
    rows: AtomicU64,
    located: AtomicU64,
    filter: Mutex<FilterStats>,
    scheme: Mutex<SchemeStats>,
}

impl Counters {
    pub(crate) fn filtered(&self, done: &FilterStats) {
        self.filter.lock().unwrap_or_else(PoisonError::into_inner).add(done);
    }

    pub(crate) fn filter_snapshot(&self) -> FilterStats {
        self.filter.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn scheme(&self, done: &SchemeStats) {
        let mut sum = self.scheme.lock().unwrap_or_else(PoisonError::into_inner);
        sum.run.add(&done.run);
        sum.nodes += done.nodes;
        sum.lines += done.lines;
    }

    pub(crate) fn scheme_snapshot(&self) -> SchemeStats {
        self.scheme.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn searched(&self, effort: Effort) {
        self.nodes.fetch_add(effort.nodes, Ordering::Relaxed);
        self.rows.fetch_add(effort.rows, Ordering::Relaxed);
    }

    pub(crate) fn located(&self, rows: u64) {
        self.located.fetch_add(rows, Ordering::Relaxed);
    }

    pub(crate) fn snapshot(&self) -> Stats {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Stats {
            loci: get(&self.loci),
            nodes: get(&self.nodes),
            rows: get(&self.rows),
            located: get(&self.located),
        }
    }
}
