//! Counters of a mapper.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use aligner_core::stream::Metrics;

use crate::trie::metrics::TrieEffort;

/// Work of a mapper so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Loci found; matches, if all starts are reported.
    pub loci: u64,
    /// Trie nodes expanded. Reads that are searched for together share nodes, and the GPU searches for more of them
    /// together than the CPU.
    pub nodes: u64,
    /// Number of matrix rows computed.
    pub rows: u64,
    /// Number of suffix-array rows located.
    pub located: u64,
}

/// Work of the filter of a mapper so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FilterStats {
    /// Queries searched for: two for each read.
    pub queries: u64,
    /// Windows with matches, some of which overlap.
    pub windows: u64,
    /// Seconds of the search, including copies.
    pub seconds: f64,
    /// Seconds of these that kernels took.
    pub device_seconds: f64,
    /// Firings of the streaming runtime, with occupancies and cycles if they were measured.
    pub metrics: Metrics,
}

/// Work of the search schemes of a mapper so far.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SchemeStats {
    /// Counters that the filter has, too.
    pub run: FilterStats,
    /// Branches of searches that were extended by all bases.
    pub nodes: u64,
    /// 64-byte lines of the index read for that, one or two for each branch.
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

/// The work of a mapper so far, counted by all threads.
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
    pub(crate) fn add_filter(&self, done: &FilterStats) {
        self.filter.lock().unwrap_or_else(PoisonError::into_inner).add(done);
    }

    pub(crate) fn filter_snapshot(&self) -> FilterStats {
        self.filter.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn add_scheme(&self, done: &SchemeStats) {
        let mut sum = self.scheme.lock().unwrap_or_else(PoisonError::into_inner);
        sum.run.add(&done.run);
        sum.nodes += done.nodes;
        sum.lines += done.lines;
    }

    pub(crate) fn scheme_snapshot(&self) -> SchemeStats {
        self.scheme.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn add_trie(&self, effort: TrieEffort) {
        self.nodes.fetch_add(effort.nodes, Ordering::Relaxed);
        self.rows.fetch_add(effort.rows, Ordering::Relaxed);
    }

    pub(crate) fn add_located(&self, rows: u64) {
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
