//! How to map.

use crate::chains::ChainOptions;
use crate::extend::Scoring;
use crate::pairs::PairOptions;
use crate::ranking::RankOptions;
use crate::rescue::RescueOptions;
use crate::seeds::SeedOptions;

/// How to map. The default is for reads of 100 to 300 bases, with the numbers of `bwa mem`.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Seeds.
    pub seeds: SeedOptions,
    /// Occurrences of a seed that are looked at, at most.
    pub occurrences: u32,
    /// Chains.
    pub chains: ChainOptions,
    /// Scores of alignments.
    pub scoring: Scoring,
    /// How far an alignment may leave the diagonals of its chain, at most.
    pub reach: u32,
    /// Ranking.
    pub ranking: RankOptions,
    /// Mate rescue.
    pub rescue: RescueOptions,
    /// Pairing.
    pub pairs: PairOptions,
    /// The least score of what is reported of a read by itself.
    pub least: i32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seeds: SeedOptions::default(),
            occurrences: 500,
            chains: ChainOptions::default(),
            scoring: Scoring::default(),
            reach: 50,
            ranking: RankOptions::default(),
            rescue: RescueOptions::default(),
            pairs: PairOptions::default(),
            least: 30,
        }
    }
}
