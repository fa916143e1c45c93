//! The command line of `gpualign simulate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::pairs::Pairs;
use super::variants::Rates;

/// Commands of `gpualign simulate`.
#[derive(Debug, Subcommand)]
pub enum Simulate {
    /// Makes up a genome with repeats, as FASTA
    Genome(GenomeArguments),
    /// Makes up reads of a reference, as FASTQ; their names tell where they are from
    Reads(ReadsArguments),
}

/// The options of `gpualign simulate genome`.
#[derive(Debug, Args)]
pub struct GenomeArguments {
    /// Bases, with k, M or G for a thousand, a million or a thousand million of them
    #[arg(value_parser = bases)]
    pub bases: u64,
    /// Contigs that they are divided among
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub contigs: u32,
    /// Share of the bases that lie in repeats, 0 to 1
    #[arg(long, default_value_t = 0.45, value_parser = share)]
    pub repeats: f64,
    #[command(flatten)]
    pub common: Common,
}

/// The options of `gpualign simulate reads`.
#[derive(Debug, Args)]
pub struct ReadsArguments {
    /// Reference: FASTA, plain or gz, bz2, zst
    #[arg(value_name = "REF", value_hint = ValueHint::FilePath)]
    pub reference: PathBuf,
    /// How many reads, or pairs
    #[arg(short = 'n', long, default_value_t = 100_000)]
    pub count: u64,
    /// Bases of a read
    #[arg(short, long, default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=65_000))]
    pub length: u32,
    /// Chance of a base to be another one, 0 to 1
    #[arg(long, default_value_t = 0.01, value_parser = share, conflicts_with = "pairs")]
    pub substitutions: f64,
    /// Chance of a base to be missing, and of one to be inserted, 0 to 1
    #[arg(long, default_value_t = 0.0005, value_parser = share, conflicts_with = "pairs")]
    pub indels: f64,
    #[command(flatten)]
    pub pairs: PairsArguments,
    #[command(flatten)]
    pub common: Common,
}

/// Pairs, with the names and defaults of wgsim.
#[derive(Debug, Args)]
pub struct PairsArguments {
    /// Make pairs, named as wgsim names them: interleaved, or first mates with --output and second
    /// mates with --output2
    #[arg(long, help_heading = "Pairs")]
    pub pairs: bool,
    /// Write second mates to FILE
    #[arg(long, value_name = "FILE", requires = "pairs", requires = "output",
        help_heading = "Pairs", value_hint = ValueHint::FilePath)]
    pub output2: Option<PathBuf>,
    /// Mean distance of a pair's outer ends
    #[arg(short = 'd', long, default_value_t = 500.0, value_parser = bases_or_none,
        requires = "pairs", help_heading = "Pairs")]
    pub distance: f64,
    /// Standard deviation of the distance
    #[arg(short = 's', long, default_value_t = 50.0, value_parser = bases_or_none,
        requires = "pairs", help_heading = "Pairs")]
    pub deviation: f64,
    /// Chance of a base to be read as another one
    #[arg(short = 'e', long, default_value_t = 0.02, value_parser = share,
        requires = "pairs", help_heading = "Pairs")]
    pub error_rate: f64,
    /// Chance of a base to be changed in the genome that is read
    #[arg(short = 'r', long, default_value_t = 0.001, value_parser = share,
        requires = "pairs", help_heading = "Pairs")]
    pub mutation_rate: f64,
    /// Share of indels in these changes
    #[arg(short = 'R', long, default_value_t = 0.15, value_parser = share,
        requires = "pairs", help_heading = "Pairs")]
    pub indel_fraction: f64,
    /// Chance of an indel to have one base more
    #[arg(short = 'X', long, default_value_t = 0.3, value_parser = share,
        requires = "pairs", help_heading = "Pairs")]
    pub indel_extension: f64,
}

/// Options of both.
#[derive(Debug, Args)]
pub struct Common {
    /// Decides everything that is random
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Write to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

impl ReadsArguments {
    /// What the pairs are to be like.
    pub fn pairs(&self) -> Pairs {
        let &PairsArguments { distance, deviation, error_rate, .. } = &self.pairs;
        Pairs {
            count: self.count,
            length: self.length,
            insert: distance,
            deviation,
            error: error_rate,
            rates: Rates {
                mutation: self.pairs.mutation_rate,
                indel_fraction: self.pairs.indel_fraction,
                indel_extension: self.pairs.indel_extension,
            },
            seed: self.common.seed,
        }
    }
}

/// Up to a million bases.
fn bases_or_none(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(bases) if (0.0..=1e6).contains(&bases) => Ok(bases),
        _ => Err("not a number from 0 to a million".to_owned()),
    }
}

fn bases(value: &str) -> Result<u64, String> {
    let (number, unit) = match value.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&value[..at], 1e3),
        Some((at, 'M')) => (&value[..at], 1e6),
        Some((at, 'G')) => (&value[..at], 1e9),
        _ => (value, 1.0),
    };
    match number.parse::<f64>() {
        Ok(number) if number.is_finite() && number * unit >= 1.0 => Ok((number * unit) as u64),
        _ => Err("not a number of bases".to_owned()),
    }
}

fn share(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(share) if (0.0..=1.0).contains(&share) => Ok(share),
        _ => Err("not a number from 0 to 1".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_have_units() {
        assert_eq!(
            ["1", "5k", "2.5M", "3.1G"].map(bases).map(Result::unwrap_or_default),
            [1, 5000, 2_500_000, 3_100_000_000]
        );
        assert!(["", "0", "-1", "x", "nan", "k"].iter().all(|value| bases(value).is_err()));
    }

    #[test]
    fn shares_are_from_0_to_1() {
        assert_eq!(share("0.25"), Ok(0.25));
        assert!(["", "-0.1", "1.1", "nan"].iter().all(|value| share(value).is_err()));
    }
}
