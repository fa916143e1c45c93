//! Counters of searches of the trie.

/// Work that a search of the trie did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrieEffort {
    /// Trie nodes whose children were looked up.
    pub nodes: u64,
    /// Matrix rows computed: one for each query at each child.
    pub rows: u64,
}

/// Counters of a search of the trie on a device.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TrieMetrics {
    /// Nodes looked up and rows computed.
    pub effort: TrieEffort,
    /// Lanes of the ensembles that nodes were looked up in, busy or idle.
    pub traversal_slots: u64,
    /// Lanes of the ensembles that rows were computed in, busy or idle.
    pub row_slots: u64,
    /// Cycles of all blocks in pull and traversal, in rows (explode, compute, collect), in push, and in scheduling; 0 unless
    /// measured.
    pub cycles: [u64; 4],
    /// Main loops of each block.
    pub loops: Vec<u32>,
    /// Launches of the search kernel.
    pub slices: u32,
    /// Number of times that a block was given half of another block's worklist.
    pub donations: u64,
    /// Seconds that kernels took.
    pub seconds: f64,
}

impl TrieMetrics {
    /// Adds the counters of another search.
    pub(crate) fn add(&mut self, other: &Self) {
        self.effort.nodes += other.effort.nodes;
        self.effort.rows += other.effort.rows;
        self.traversal_slots += other.traversal_slots;
        self.row_slots += other.row_slots;
        for (cycles, more) in self.cycles.iter_mut().zip(other.cycles) {
            *cycles += more;
        }
        self.loops.extend(&other.loops);
        self.slices += other.slices;
        self.donations += other.donations;
        self.seconds += other.seconds;
    }
}
