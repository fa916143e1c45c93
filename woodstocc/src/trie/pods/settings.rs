//! Settings of the pods kernel. The variants of Cole 2017, chapter 2, are settings of one kernel.

/// Greatest length of the words that cut the trie, in bases.
pub(super) const MAX_WORD: u32 = 6;

/// Settings of a search. None of them changes the hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PodSettings {
    /// Threads of a block: a multiple of 32, up to 256.
    pub width: u32,
    /// Number of blocks; 0 for as many as the device runs at a time.
    pub blocks: u32,
    /// Greatest number of queries that walk the trie together, up to 65,535. The more they are, the more of them share
    /// a node.
    pub group: u32,
    /// Bases of the words whose subtries are units of work, up to 6; `None` for as many bases as give every block
    /// several units.
    pub word: Option<u32>,
    /// Greatest number of pods that a step takes, up to `width`.
    pub pods_at_once: u32,
    /// Greatest number of live queries of a step that takes several pods. If equal to `width`, the queries of a step
    /// fill one ensemble (Cole 2017, 2.4.2). If greater, traversal is *decoupled* from the rows, which take several
    /// ensembles (2.4.3).
    pub live_at_once: u32,
    /// Main loops of a slice (Cole 2017, 2.4.4); `None` if one launch does all, unless its hits do not fit.
    pub slice: Option<u32>,
    /// Whether blocks without work get half of the pods of others, between slices.
    pub shares_work: bool,
    /// Whether queries are dropped by the lower bounds of their suffixes ([`crate::trie::bound`]).
    pub is_pruned: bool,
    /// Number of groups of queries that a worklist has room for in addition to the room that it needs; 1 or more. With
    /// more, more large pods are taken as a whole.
    pub slack: u32,
    /// Number of hits that a block has room for before its slice ends.
    pub hits_room: u32,
    /// Whether to measure the cycles of each stage.
    pub metrics: bool,
}

impl Default for PodSettings {
    fn default() -> Self {
        Self {
            width: 128,
            blocks: 0,
            group: 1 << 14,
            word: None,
            pods_at_once: 128,
            live_at_once: 512,
            slice: Some(8192),
            shares_work: true,
            is_pruned: true,
            slack: 8,
            hits_room: 1 << 13,
            metrics: false,
        }
    }
}

impl PodSettings {
    /// The variant with a worklist and remapping of live queries to threads only (Cole 2017, 2.4.2): one launch, steps
    /// of one ensemble, and groups of as many queries as a block has threads.
    #[must_use]
    pub fn remapping() -> Self {
        let width = Self::default().width;
        Self {
            group: width,
            word: Some(0),
            live_at_once: width,
            slice: None,
            shares_work: false,
            ..Self::default()
        }
    }

    /// Describes a setting that is out of its range; `None` if all are valid.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let within = |value: u32, least: u32, most: u32| (least..=most).contains(&value);
        if !within(self.width, 32, 256) || !self.width.is_multiple_of(32) {
            Some("width must be a multiple of 32, from 32 to 256")
        } else if !within(self.group, 1, u32::from(u16::MAX)) {
            Some("group must be from 1 to 65,535 queries")
        } else if self.word.is_some_and(|word| word > MAX_WORD) {
            Some("word must be at most 6 bases")
        } else if !within(self.pods_at_once, 1, self.width) {
            Some("pods_at_once must be from 1 to width")
        } else if !within(self.live_at_once, 1, 1 << 12) {
            Some("live_at_once must be from 1 to 4,096")
        } else if self.slack == 0 || self.slice == Some(0) {
            Some("slack and slice must be at least 1")
        } else {
            None
        }
    }
}
