//! Numbers of best mapping that a user may choose, and their defaults, which are those of bwa mem.

use std::str::FromStr;

use clap::Args;
use seed_extend::extend::{ClipPenalties, GapPenalty, ScoringParameters};
use seed_extend::pair::insert_size::InsertSizes;
use seed_extend::region::mapped_reads::ReportOptions;
use seed_extend::{Library, Options, Parameters};

use super::preset::{BEST_HEADING, Preset};

/// Bases of the shortest seed, at least: words of fewer bases are nearly everywhere in a genome.
const MIN_SEED: i64 = 10;

/// Bases of the shortest seed, at most.
const MAX_SEED: i64 = 1000;

/// Scores, penalties and other numbers of best mapping; `None` is the default.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = BEST_HEADING)]
pub struct Numbers {
    /// Score of a match, which scales the default of all other scores and penalties; -A of bwa mem [default: 1]
    #[arg(long, value_name = "N")]
    pub match_score: Option<i32>,
    /// Penalty of a mismatch; -B of bwa mem [default: 4]
    #[arg(long, value_name = "N")]
    pub mismatch_penalty: Option<i32>,
    /// Penalty of a gap besides that of its columns: of deletions and insertions, or one for both; -O of bwa mem [default: 6]
    #[arg(long, value_name = "N[,N]")]
    pub gap_open: Option<OneOrTwo>,
    /// Penalty of each column of a gap: of deletions and insertions, or one for both; -E of bwa mem [default: 1]
    #[arg(long, value_name = "N[,N]")]
    pub gap_extend: Option<OneOrTwo>,
    /// Penalty of clipping a read at its 5' and its 3' end, or one for both; -L of bwa mem [default: 5]
    #[arg(long, value_name = "N[,N]")]
    pub clip_penalty: Option<OneOrTwo>,
    /// Penalty for mates that are not a proper pair; -U of bwa mem [default: 17]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..=100_000))]
    pub unpaired_penalty: Option<i32>,
    /// Minimum score of an alignment that is reported; -T of bwa mem [default: 30]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(i32).range(0..=100_000_000))]
    pub min_score: Option<i32>,
    /// Bases of the shortest seed; -k of bwa mem [default: 19]
    #[arg(long, value_name = "N", value_parser = parse_seed_length)]
    pub min_seed_length: Option<u32>,
    /// Insert sizes of pairs: mean, standard deviation, longest and shortest; -I of bwa mem [default: estimated]
    #[arg(long, value_name = "MEAN[,SD[,MAX[,MIN]]]")]
    pub insert_size: Option<GivenInsertSizes>,
    /// Numbers that only the command mem has.
    #[arg(skip)]
    pub of_mem: NumbersOfMem,
}

/// Numbers of best mapping that only the command mem lets a user choose, with bwa's letters.
#[derive(Debug, Default)]
#[allow(clippy::struct_excessive_bools, reason = "each is an option of the command line")]
pub struct NumbersOfMem {
    /// `-r`.
    pub split_factor: Option<f32>,
    /// `-y`.
    pub rare_occurrences: Option<u32>,
    /// `-c`.
    pub max_occurrences: Option<u32>,
    /// `-w`.
    pub band_width: Option<u32>,
    /// `-D`.
    pub drop_ratio: Option<f32>,
    /// The least seeded bases of a chain: `-W`.
    pub min_chain_weight: Option<u32>,
    /// `-m`, or 0 for `-S`.
    pub max_rescues: Option<usize>,
    /// `-P`.
    pub skips_pairing: bool,
    /// Whether all alignments are reported: `-a`.
    pub reports_all: bool,
    /// `-5`.
    pub is_leftmost_primary: bool,
    /// `-q`.
    pub keeps_supplementary_mapq: bool,
}

/// The number of bases of the shortest seed.
pub fn parse_seed_length(text: &str) -> Result<u32, String> {
    let length = text.parse::<i64>().ok().filter(|it| (MIN_SEED..=MAX_SEED).contains(it));
    let length = length.and_then(|length| u32::try_from(length).ok());
    length.ok_or_else(|| format!("a seed has {MIN_SEED} to {MAX_SEED} bases"))
}

impl Numbers {
    /// The options of best mapping with these numbers.
    ///
    /// # Errors
    /// Names the number that is out of range.
    pub fn options(&self, preset: Preset) -> Result<Options, String> {
        let base = match preset {
            Preset::Standard => Parameters::default(),
            Preset::Short => Parameters::short(),
        };
        let more = &self.of_mem;
        let factor = self.match_score.unwrap_or(1);
        // The default of a score or penalty grows with that of a match, as in bwa.
        let scaled = |given: Option<i32>, default: i32| {
            given.unwrap_or_else(|| default.saturating_mul(factor))
        };
        let scores = base.scoring;
        let first = |given: Option<OneOrTwo>| given.map(|given| given.first);
        let second = |given: Option<OneOrTwo>| given.map(OneOrTwo::second_or_first);
        let scoring = ScoringParameters {
            match_score: factor,
            mismatch_penalty: scaled(self.mismatch_penalty, scores.mismatch_penalty),
            deletion: GapPenalty {
                open: scaled(first(self.gap_open), scores.deletion.open),
                extend: scaled(first(self.gap_extend), scores.deletion.extend),
            },
            insertion: GapPenalty {
                open: scaled(second(self.gap_open), scores.insertion.open),
                extend: scaled(second(self.gap_extend), scores.insertion.extend),
            },
            clip: ClipPenalties {
                five_prime: scaled(first(self.clip_penalty), scores.clip.five_prime),
                three_prime: scaled(second(self.clip_penalty), scores.clip.three_prime),
            },
        };
        let base = match self.min_seed_length {
            Some(length) => base.with_min_seed_length(length),
            None => base,
        };
        let min_score = scaled(self.min_score, base.min_score);
        let drop_ratio = more.drop_ratio.unwrap_or(base.drop_ratio);
        let report = ReportOptions {
            is_leftmost_primary: more.is_leftmost_primary,
            keeps_supplementary_mapq: more.keeps_supplementary_mapq || more.is_leftmost_primary,
            ..base.report
        };
        let report = if more.reports_all {
            ReportOptions {
                min_secondary_ratio: drop_ratio,
                min_secondary_score: min_score,
                has_secondary_of_parts: true,
                ..report
            }
        } else {
            report
        };
        Options::new(Parameters {
            scoring,
            split_factor: more.split_factor.unwrap_or(base.split_factor),
            rare_occurrences: more.rare_occurrences.unwrap_or(base.rare_occurrences),
            max_occurrences: more.max_occurrences.unwrap_or(base.max_occurrences),
            band_width: more.band_width.unwrap_or(base.band_width),
            drop_ratio,
            min_chain_weight: more.min_chain_weight.unwrap_or(base.min_chain_weight),
            max_rescues: more.max_rescues.unwrap_or(base.max_rescues),
            skips_pairing: more.skips_pairing,
            unpaired_penalty: scaled(self.unpaired_penalty, base.unpaired_penalty),
            min_score,
            min_paired_score: scaled(self.min_score, base.min_paired_score),
            report,
            ..base
        })
        .map_err(|error| error.to_string())
    }

    /// The library of the pairs, if it is given.
    pub fn library(&self) -> Option<Library> {
        self.insert_size.map(GivenInsertSizes::library)
    }

    /// The name of an option that was given.
    pub fn given(&self) -> Option<&'static str> {
        [
            (self.match_score.is_some(), "--match-score"),
            (self.mismatch_penalty.is_some(), "--mismatch-penalty"),
            (self.gap_open.is_some(), "--gap-open"),
            (self.gap_extend.is_some(), "--gap-extend"),
            (self.clip_penalty.is_some(), "--clip-penalty"),
            (self.unpaired_penalty.is_some(), "--unpaired-penalty"),
            (self.min_score.is_some(), "--min-score"),
            (self.min_seed_length.is_some(), "--min-seed-length"),
            (self.insert_size.is_some(), "--insert-size"),
        ]
        .into_iter()
        .find_map(|(is_given, name)| is_given.then_some(name))
    }
}

/// One number, or two with a comma between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneOrTwo {
    /// The first number.
    pub first: i32,
    /// The second one, if there is one.
    pub second: Option<i32>,
}

impl OneOrTwo {
    /// One number for both.
    pub fn one(number: i32) -> Self {
        Self { first: number, second: None }
    }

    /// The second number, or the only one.
    pub fn second_or_first(self) -> i32 {
        self.second.unwrap_or(self.first)
    }
}

impl FromStr for OneOrTwo {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| {
            text.parse().map_err(|_| format!("'{text}' is not an integer that can be used here"))
        };
        match text.split_once(',') {
            None => Ok(Self::one(number(text)?)),
            Some((first, second)) => {
                Ok(Self { first: number(first)?, second: Some(number(second)?) })
            }
        }
    }
}

/// Insert sizes as `-I` of bwa mem has them: mean, then standard deviation (a tenth of the mean), longest and shortest
/// (four standard deviations from the mean).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GivenInsertSizes(InsertSizes);

impl GivenInsertSizes {
    /// The library of pairs with these insert sizes.
    pub fn library(self) -> Library {
        Library::of_forward_reverse(self.0)
    }
}

impl FromStr for GivenInsertSizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        /// Longest insert size, which bounds how far mates are searched for.
        const MOST: f64 = 1e6;
        let number = |text: &str| {
            let number = text.trim().parse::<f64>().ok();
            number
                .filter(|number| (0.0..=MOST).contains(number))
                .ok_or_else(|| format!("'{text}' is not a number from 0 to {MOST}"))
        };
        let numbers: Vec<f64> = text.split(',').map(number).collect::<Result<_, _>>()?;
        let (&[mean], rest) = numbers.split_first_chunk().ok_or("no number is given")?;
        if rest.len() > 3 {
            return Err("more than four numbers are given".to_owned());
        }
        let deviation = rest.first().copied().unwrap_or(0.1 * mean);
        let high = rest.get(1).copied().unwrap_or(mean + 4.0 * deviation);
        let low = rest.get(2).copied().unwrap_or(mean - 4.0 * deviation);
        let [low, high] = [low, high].map(|bound| (bound + 0.499) as i64);
        let low = low.max(1);
        if low > high {
            return Err(format!(
                "the shortest insert size, {low}, is more than the longest, {high}"
            ));
        }
        Ok(Self(InsertSizes { low, high, mean, deviation }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn insert_sizes_are_completed_as_in_bwa() {
        let parse = |text: &str| text.parse().map(|GivenInsertSizes(sizes)| sizes);
        let sizes = |low, high, mean, deviation| Ok(InsertSizes { low, high, mean, deviation });
        assert_eq!(parse("300"), sizes(180, 420, 300.0, 30.0));
        assert_eq!(parse("300,100"), sizes(1, 700, 300.0, 100.0));
        assert_eq!(parse("300,20,500"), sizes(220, 500, 300.0, 20.0));
        assert_eq!(parse("300,20,500,100.6"), sizes(101, 500, 300.0, 20.0));
        for wrong in ["", "x", "300,", "1,2,3,4,5", "300,20,100,200", "nan", "-1", "1e9"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_score_of_a_match_scales_the_others_unless_given() {
        let numbers = |match_score, mismatch_penalty| Numbers {
            match_score,
            mismatch_penalty,
            ..Numbers::default()
        };
        let options = |numbers: Numbers| numbers.options(Preset::Standard).expect("are in range");
        let made = options(numbers(Some(2), Some(5)));
        let scoring = made.scoring;
        assert_eq!((scoring.match_score(), scoring.mismatch_penalty()), (2, 5));
        let gap = GapPenalty { open: 12, extend: 2 };
        let clip = ClipPenalties { five_prime: 10, three_prime: 10 };
        assert_eq!((scoring.deletion(), scoring.insertion(), scoring.clip()), (gap, gap, clip));
        assert_eq!((made.min_score, made.pairs.unpaired_penalty), (60, 34));
        let two = |text: &str| Some(text.parse::<OneOrTwo>().expect("two numbers"));
        let both =
            Numbers { gap_open: two("6,8"), clip_penalty: two("3,4"), ..numbers(Some(2), Some(5)) };
        let scoring = options(both).scoring;
        assert_eq!(scoring.deletion(), GapPenalty { open: 6, extend: 2 });
        assert_eq!(scoring.insertion(), GapPenalty { open: 8, extend: 2 });
        assert_eq!(scoring.clip(), ClipPenalties { five_prime: 3, three_prime: 4 });
        let made = options(numbers(None, None));
        assert_eq!(format!("{made:?}"), format!("{:?}", Options::default()));
        let made = numbers(None, None).options(Preset::Short).expect("are in range");
        assert_eq!(format!("{made:?}"), format!("{:?}", Options::short()));
        assert!(numbers(Some(0), None).options(Preset::Standard).is_err());
    }
}
