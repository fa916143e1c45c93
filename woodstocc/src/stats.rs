//! Counters of a mapper.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::alignment::Mapping;
use crate::trie::Effort;

/// What a mapper has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Stats {
    /// Loci found (every match, if all starts are reported).
    pub loci: u64,
    /// Trie nodes expanded. On the GPU each read expands its own; on the CPU reads of a batch share
    /// them.
    pub nodes: u64,
    /// Matrix rows computed.
    pub rows: u64,
    /// Suffix-array rows located.
    pub located: u64,
}

/// Counters that threads share.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    loci: AtomicU64,
    nodes: AtomicU64,
    rows: AtomicU64,
    located: AtomicU64,
}

impl Counters {
    pub(crate) fn searched(&self, effort: Effort) {
        self.nodes.fetch_add(effort.nodes, Ordering::Relaxed);
        self.rows.fetch_add(effort.rows, Ordering::Relaxed);
    }

    pub(crate) fn finished(&self, located: u64, mappings: &[Mapping]) {
        self.loci.fetch_add(mappings.iter().map(|m| m.total).sum(), Ordering::Relaxed);
        self.located.fetch_add(located, Ordering::Relaxed);
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
