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

impl Options {
    /// For reads of 25 to 70 bases: seeds of 15 bases, for which any two differences in 50 leave room, and alignments
    /// that score 22, which chance seldom makes in a genome of a few billion bases.
    pub fn short() -> Self {
        let min_length = 15;
        let seeds = SeedOptions { min_length, split_length: 22, ..SeedOptions::default() };
        let ranking = RankOptions { unseen: min_length as i32, ..RankOptions::default() };
        Self { seeds, ranking, least: 22, ..Self::default() }
    }
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
