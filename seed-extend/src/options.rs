//! Options of best mapping.
//!
//! Each field names the option or variable of `bwa mem` (0.7.17) that it corresponds to. Options that `bwa` does not
//! have say so.

use crate::chain::chains::ChainOptions;
use crate::extend::Scoring;
use crate::pair::pairing::PairOptions;
use crate::pair::rescue::RescueOptions;
use crate::region::ranking::RankOptions;
use crate::seed::seeds::SeedOptions;

/// All options of best mapping. The default suits reads of 100 to 300 bases and has the numbers of `bwa mem`.
///
/// Each stage has its own options, so a few numbers stand in two of them and must agree: the score of a match and the
/// penalty of a mismatch in `scoring` and `ranking`, and the bases of the shortest seed in `seeds` and `ranking`.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Options of seeds: which exact matches are seeds.
    pub seeds: SeedOptions,
    /// Occurrences of a seed that are located; of a more frequent seed this many are taken, evenly spread over its
    /// suffix array interval. bwa's `-c` (`max_occ`).
    pub max_occurrences: u32,
    /// Options of chains: which seeds are chained, and which chains are kept.
    pub chains: ChainOptions,
    /// Scores and penalties of alignments. bwa's `-A`, `-B`, `-O`, `-E` and `-L`.
    pub scoring: Scoring,
    /// Diagonals by which an alignment may leave those of its chain on either side, at most; less if the chain leaves
    /// fewer bases of the read uncovered. bwa's band is `-w`.
    pub band_margin: u32,
    /// How the regions of a read are compared.
    pub ranking: RankOptions,
    /// When and how missing mates are searched for.
    pub rescue: RescueOptions,
    /// How the regions of two reads are paired.
    pub pairs: PairOptions,
    /// Minimum score of an alignment that is reported for a read by itself. bwa's `-T`.
    pub min_score: i32,
}

impl Options {
    /// Options for reads of 25 to 70 bases: seeds of 15 bases, so that a read of 50 bases with any two differences
    /// still has one, and alignments that score at least 22, which is rare by chance in a genome of a few billion
    /// bases. [`PairOptions::min_score`] stays 30: an alignment that scores less is reported, but is too short to raise
    /// the mapping quality of its mate.
    pub fn short() -> Self {
        let min_length = 15;
        let seeds = SeedOptions { min_length, split_length: 22, ..SeedOptions::default() };
        let ranking = RankOptions { min_seed_length: min_length as i32, ..RankOptions::default() };
        Self { seeds, ranking, min_score: 22, ..Self::default() }
    }
}

impl Default for Options {
    fn default() -> Self {
        Self {
            seeds: SeedOptions::default(),
            max_occurrences: 500,
            chains: ChainOptions::default(),
            scoring: Scoring::default(),
            band_margin: 50,
            ranking: RankOptions::default(),
            rescue: RescueOptions::default(),
            pairs: PairOptions::default(),
            min_score: 30,
        }
    }
}
