//! Settings of the search by pods. The variants of Cole 2017, chapter 2, are settings of one application.

use aligner_core::stream::{Settings, WalkSettings};

/// Greatest length of the words that cut the trie, in bases.
pub(super) const MAX_WORD: u32 = 6;

/// Settings of a search. None of them changes the hits.
#[derive(Debug, Clone)]
pub struct PodSettings {
    /// Greatest number of queries that walk the trie together. The more they are, the more of them share a node.
    pub group: u32,
    /// Bases of the words whose subtries are units of work, up to 6; `None` for as many bases as give every block
    /// several units.
    pub word: Option<u32>,
    /// Whether queries are dropped by the lower bounds of their suffixes ([`crate::trie::bound`]).
    pub is_pruned: bool,
    /// Settings of the application. The width is up to 256; a search replaces `queue_bytes`.
    pub run: Settings,
}

impl Default for PodSettings {
    fn default() -> Self {
        let run = Settings { slice: 512, output_slots: 1 << 13, ..Settings::default() };
        Self { group: 1 << 14, word: None, is_pruned: true, run }
    }
}

impl PodSettings {
    /// The variant with a worklist and remapping of live queries to threads only (Cole 2017, 2.4.2): one launch, steps
    /// of one ensemble, and groups of as many queries as a block has threads.
    #[must_use]
    pub fn remapping() -> Self {
        let Self { run, is_pruned, .. } = Self::default();
        let walk = WalkSettings { items_at_once: run.width, shares: false, ..run.walk };
        let (group, run) = (run.width, Settings { walk, slice: 0, ..run });
        Self { group, word: Some(0), is_pruned, run }
    }
}
