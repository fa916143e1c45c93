//! How the pods kernel works: the variants of the dissertation are settings of one kernel.

/// Settings of a search. None of them changes what is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Threads of a block: 32, 64, 128 or 256.
    pub width: u32,
    /// Blocks; 0 for as many as the device runs at a time.
    pub blocks: u32,
    /// Most reads that walk the trie together, up to 65,535: the more, the fewer nodes each pays for.
    pub group: u32,
    /// Bases of the words whose subtries are units of work; `None`: so many that every block gets
    /// several units.
    pub word: Option<u32>,
    /// Most pods that a step takes, up to `width`: traversal waits for as many pods as it can get.
    pub pods_at_once: u32,
    /// Most live reads of a step that takes several pods. With `width`, a step ends when the rows of
    /// its pods would not fill the block once (sections 2.4.2); with more, traversal is *decoupled*
    /// from the rows, of which several ensembles follow (2.4.3).
    pub live_at_once: u32,
    /// Main loops of a slice (2.4.4); `None`: one launch does all, as long as its hits fit.
    pub slice: Option<u32>,
    /// Between slices, blocks without work get half of the pods of others.
    pub shares: bool,
    /// Drop live reads for what their rest needs ([`crate::bound`]).
    pub pruned: bool,
    /// Groups that a worklist has room for beside what it needs; 1 or more. With more, more large
    /// pods are looked up whole.
    pub slack: u32,
    /// Hits that a block has room for before the host has to take them.
    pub hits_room: u32,
    /// Measure the cycles of each stage.
    pub metrics: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            width: 128,
            blocks: 0,
            group: 1 << 14,
            word: None,
            pods_at_once: 128,
            live_at_once: 512,
            slice: Some(8192),
            shares: true,
            pruned: true,
            slack: 8,
            hits_room: 1 << 13,
            metrics: false,
        }
    }
}

impl Settings {
    /// The worklist and the remapping of live reads to threads alone (2.4.2): one launch, steps of
    /// one ensemble, reads in groups that fill a block once.
    #[must_use]
    pub fn remapping() -> Self {
        let width = Self::default().width;
        Self {
            group: width,
            word: Some(0),
            live_at_once: width,
            slice: None,
            shares: false,
            ..Self::default()
        }
    }

    /// What is out of range, if anything is.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let within = |value: u32, least: u32, most: u32| (least..=most).contains(&value);
        if !within(self.width, 32, 256) || !self.width.is_multiple_of(32) {
            Some("a block has 32 to 256 threads, a multiple of 32")
        } else if !within(self.group, 1, u32::from(u16::MAX)) {
            Some("a group has 1 to 65,535 reads")
        } else if self.word.is_some_and(|word| word > super::MAX_WORD) {
            Some("a word has too many bases")
        } else if !within(self.pods_at_once, 1, self.width) {
            Some("a step takes 1 pod a thread at most")
        } else if !within(self.live_at_once, 1, 1 << 12) {
            Some("a step takes 1 to 4,096 live reads")
        } else if self.slack == 0 || self.slice == Some(0) {
            Some("a worklist has room for a group, and a slice a loop")
        } else {
            None
        }
    }
}
