//! Parameters of the mapper, and their limits.

/// Greatest edit distance. The band of `2k + 1` diagonals of [`crate::verify::band`] must fit into 32 bits.
pub const MAX_K: u8 = 15;

/// Greatest edit distance of a search of the suffix trie, whose work grows exponentially with it.
pub const MAX_TRIE_K: u8 = 7;

/// Greatest length of a read, in bases.
pub const MAX_READ: usize = 65_000;

/// Greatest number of bases of all reads of a batch. Positions in both orientations of them have 32 bits.
pub const MAX_BATCH_BASES: u64 = 1 << 30;

/// Selects the matches of a read to report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Report {
    /// Only the primary locus.
    #[default]
    Best,
    /// Every locus of the read.
    All,
    /// Every match start, the definition of Cole 2017, 2.2.1.
    AllStarts,
}

/// The way to search for matches. All strategies find the same matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strategy {
    /// The strategy of least cost for each class of read lengths ([`crate::cost`]), but a scan if the read is so short
    /// that nearly all of the reference matches.
    #[default]
    Auto,
    /// The suffix trie ([`crate::trie`]), or a scan if the read has no more than `k` bases.
    Trie,
    /// Exact occurrences of pieces, verified ([`crate::filter`]), or a scan if the read has no more than `k` bases.
    Filter,
    /// Search schemes on the bidirectional index ([`crate::scheme`]), or a scan if the read has no more than `k` bases.
    Scheme,
    /// A linear scan of the reference ([`crate::scan`]).
    Scan,
}

/// Parameters of a [`Mapper`](crate::Mapper).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Params {
    /// Greatest edit distance of a match, 0 to [`MAX_K`].
    pub k: u8,
    /// The matches to report.
    pub report: Report,
    /// The way to search for matches.
    pub strategy: Strategy,
    /// Seed that, together with the read's name, selects the primary locus among equally good ones.
    pub seed: u64,
    /// Whether to measure occupancies and cycles of filter and search schemes, which slows them down a little.
    pub metrics: bool,
}

impl Params {
    /// Whether reads of this length are scanned for, because nearly all of the reference matches them.
    pub(crate) fn is_scanned(&self, length: usize) -> bool {
        let k = usize::from(self.k);
        match self.strategy {
            Strategy::Scan => true,
            Strategy::Auto => length <= 3 * k,
            Strategy::Trie | Strategy::Filter | Strategy::Scheme => length <= k,
        }
    }
}

impl Default for Params {
    fn default() -> Self {
        Self { k: 3, report: Report::Best, strategy: Strategy::Auto, seed: 0, metrics: false }
    }
}
