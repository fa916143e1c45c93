//! What is asked of the mapper.

/// The largest distance: the filter's band of `2k + 1` diagonals must fit into 32 bits.
pub const MAX_K: u8 = 15;

/// The largest distance that the suffix trie takes: its work grows exponentially with it.
pub const MAX_TRIE_K: u8 = 7;

/// The longest read, in bases.
pub const MAX_READ: usize = 65_000;

/// The most bases of one batch: both orientations of all reads are addressed by 32 bits.
pub const MAX_BATCH_BASES: u64 = 1 << 30;

/// Which matches of a read are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Report {
    /// The primary locus alone.
    #[default]
    Best,
    /// Every locus.
    All,
    /// Every start within distance `k`, the definition of the papers (dissertation, 2.2.1).
    AllStarts,
}

/// How matches are searched for. Every strategy finds the same ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// For each class of lengths what costs least ([`crate::cost`]), but a scan if the read is so short
    /// that nearly all of the reference matches.
    #[default]
    Auto,
    /// The suffix trie (a scan if the read has no more than `k` bases).
    Trie,
    /// Exact occurrences of pieces, verified (a scan if the read has no more than `k` bases).
    Filter,
    /// Search schemes on the bidirectional index (a scan if the read has no more than `k` bases).
    Scheme,
    /// A linear scan of the reference.
    Scan,
}

/// The mapper's parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// Greatest edit distance of a match, 0 to [`MAX_K`].
    pub k: u8,
    /// Which matches are reported.
    pub report: Report,
    /// How they are searched for.
    pub strategy: Strategy,
    /// Chooses the primary locus among equals, together with the read's name.
    pub seed: u64,
    /// Measure firings, occupancies and cycles of the filter, which slows it down a little.
    pub metrics: bool,
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 3, report: Report::Best, strategy: Strategy::Auto, seed: 0, metrics: false }
    }
}
