//! Options of best mapping.
//!
//! Each field names the option or variable of `bwa mem` (0.7.17) that it corresponds to. Options that `bwa` does not
//! have say so.

use crate::chain::chains::ChainOptions;
use crate::extend::{Scoring, ScoringError, ScoringParameters};
use crate::pair::pairing::PairOptions;
use crate::pair::rescue::RescueOptions;
use crate::region::mapped_reads::ReportOptions;
use crate::region::ranking::RankOptions;
use crate::seed::seeds::SeedOptions;

/// All options of best mapping. The default suits reads of 100 to 300 bases and has the numbers of `bwa mem`.
///
/// Each stage has its own options, so a few numbers stand in two of them and must agree: the score of a match and the
/// penalty of a mismatch in `scoring` and `ranking`, and the bases of the shortest seed in `seeds` and `ranking`.
/// [`Parameters`] has each number once.
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
    /// Chains of less weight, in seeded bases, are discarded. bwa's `-W` (`min_chain_weight`).
    pub min_chain_weight: u32,
    /// How the regions of a read are compared.
    pub ranking: RankOptions,
    /// When and how missing mates are searched for.
    pub rescue: RescueOptions,
    /// How the regions of two reads are paired.
    pub pairs: PairOptions,
    /// Minimum score of an alignment that is reported for a read by itself. bwa's `-T`.
    pub min_score: i32,
    /// Which regions are reported besides the best one of a read.
    pub report: ReportOptions,
}

/// The numbers that a user may choose, each once; [`Options::new`] puts them where they belong. The default is that of
/// `bwa mem`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Parameters {
    /// Scores and penalties of alignments. bwa's `-A`, `-B`, `-O`, `-E` and `-L`.
    pub scoring: ScoringParameters,
    /// Bases of the shortest seed. bwa's `-k`.
    pub min_seed_length: u32,
    /// Seeds of this many times the shortest seed are split. bwa's `-r`.
    pub split_factor: f32,
    /// Seeds of the third kind occur less often than this. bwa's `-y`.
    pub rare_occurrences: u32,
    /// Occurrences of a seed that are located. bwa's `-c`.
    pub max_occurrences: u32,
    /// Distance of the diagonals of neighbours in a chain, at most; an alignment leaves those of its chain by half as
    /// many. bwa's `-w`.
    pub band_width: u32,
    /// A chain of less than this fraction of a competitor's weight may be dropped. bwa's `-D`.
    pub drop_ratio: f32,
    /// A chain is dropped only if it weighs less than a competitor by at least this many bases. bwa's
    /// `2 * min_seed_len`.
    pub drop_weight: u32,
    /// Chains of less weight, in seeded bases, are discarded. bwa's `-W`.
    pub min_chain_weight: u32,
    /// Regions of a read around which its mate is searched for; 0 for no mate rescue. bwa's `-m` and `-S`.
    pub max_rescues: usize,
    /// Whether reads are mates, but not paired. bwa's `-P`.
    pub skips_pairing: bool,
    /// Penalty for two reads that are not a proper pair. bwa's `-U`.
    pub unpaired_penalty: i32,
    /// Minimum score of an alignment that is reported. bwa's `-T`.
    pub min_score: i32,
    /// Minimum score of one region of a pair that raises mapping qualities. bwa's `-T`.
    pub min_paired_score: i32,
    /// Which regions are reported besides the best one of a read. bwa's `-5` and `-q`.
    pub report: ReportOptions,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            scoring: ScoringParameters::default(),
            min_seed_length: 19,
            split_factor: 1.5,
            rare_occurrences: 20,
            max_occurrences: 500,
            band_width: 100,
            drop_ratio: 0.5,
            drop_weight: 38,
            min_chain_weight: 0,
            max_rescues: 50,
            skips_pairing: false,
            unpaired_penalty: 17,
            min_score: 30,
            min_paired_score: 30,
            report: ReportOptions::default(),
        }
    }
}

impl Parameters {
    /// The numbers of [`Options::short`].
    pub fn short() -> Self {
        Self { min_seed_length: 15, min_score: 22, ..Self::default() }
    }

    /// These numbers with another shortest seed, and the weight of dropped chains that bwa derives from it.
    #[must_use]
    pub fn with_min_seed_length(self, min_seed_length: u32) -> Self {
        Self { min_seed_length, drop_weight: 2 * min_seed_length, ..self }
    }
}

impl Options {
    /// Options with these numbers.
    ///
    /// # Errors
    /// If a score or a penalty is out of range.
    pub fn new(parameters: Parameters) -> Result<Self, ScoringError> {
        let scoring = Scoring::new(parameters.scoring)?;
        let ScoringParameters { match_score, mismatch_penalty, .. } = parameters.scoring;
        let min_length = parameters.min_seed_length;
        // As bwa rounds.
        let split_length = (min_length as f32 * parameters.split_factor + 0.499) as u32;
        let seeds = SeedOptions {
            min_length,
            split_length,
            rare_occurrences: parameters.rare_occurrences,
            ..SeedOptions::default()
        };
        let chains = ChainOptions {
            band_width: parameters.band_width,
            drop_ratio: parameters.drop_ratio,
            drop_weight: parameters.drop_weight,
            ..ChainOptions::default()
        };
        let ranking = RankOptions {
            score_margin: scoring.max_short_gap().max(match_score + mismatch_penalty),
            min_seed_length: min_length as i32,
            match_score,
            mismatch_penalty,
            ..RankOptions::default()
        };
        let rescue = RescueOptions {
            max_score_drop: parameters.unpaired_penalty,
            max_regions: parameters.max_rescues,
            ..RescueOptions::default()
        };
        let pairs = PairOptions {
            unpaired_penalty: parameters.unpaired_penalty,
            min_score: parameters.min_paired_score,
            is_skipped: parameters.skips_pairing,
            ..PairOptions::default()
        };
        Ok(Self {
            seeds,
            max_occurrences: parameters.max_occurrences,
            chains,
            scoring,
            band_margin: parameters.band_width / 2,
            min_chain_weight: parameters.min_chain_weight,
            ranking,
            rescue,
            pairs,
            min_score: parameters.min_score,
            report: parameters.report,
        })
    }

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
            min_chain_weight: 0,
            ranking: RankOptions::default(),
            rescue: RescueOptions::default(),
            pairs: PairOptions::default(),
            min_score: 30,
            report: ReportOptions::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extend::{ClipPenalties, GapPenalty};

    #[test]
    fn the_default_numbers_are_the_default_options() {
        let made = Options::new(Parameters::default()).expect("are in range");
        assert_eq!(format!("{made:?}"), format!("{:?}", Options::default()));
        let short = Options::new(Parameters::short()).expect("are in range");
        assert_eq!(format!("{short:?}"), format!("{:?}", Options::short()));
    }

    #[test]
    fn a_number_is_the_same_in_every_stage() {
        let scoring = ScoringParameters {
            match_score: 2,
            mismatch_penalty: 9,
            deletion: GapPenalty { open: 3, extend: 2 },
            insertion: GapPenalty { open: 10, extend: 4 },
            clip: ClipPenalties { five_prime: 7, three_prime: 8 },
        };
        let parameters =
            Parameters { scoring, unpaired_penalty: 11, min_score: 41, ..Parameters::default() };
        let parameters = parameters.with_min_seed_length(23);
        let made = Options::new(parameters).expect("are in range");
        assert_eq!((made.seeds.min_length, made.seeds.split_length), (23, 34));
        assert_eq!((made.ranking.min_seed_length, made.chains.drop_weight), (23, 46));
        assert_eq!((made.ranking.match_score, made.ranking.mismatch_penalty), (2, 9));
        assert_eq!(made.ranking.score_margin, 14);
        assert_eq!((made.pairs.unpaired_penalty, made.rescue.max_score_drop), (11, 11));
        assert_eq!(made.min_score, 41);
        let beyond = ScoringParameters { match_score: 501, ..scoring };
        assert!(Options::new(Parameters { scoring: beyond, ..parameters }).is_err());
    }
}
