//! The command line of `gpualign simulate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::pairs::PairSimulation;
use super::variants::VariantRates;

/// Commands of `gpualign simulate`.
#[derive(Debug, Subcommand)]
pub enum Simulate {
    /// Simulates a genome with repeats, as FASTA
    Genome(GenomeArguments),
    /// Simulates reads of a reference, as FASTQ; their names have their origin
    Reads(ReadsArguments),
}

/// The options of `gpualign simulate genome`.
#[derive(Debug, Args)]
pub struct GenomeArguments {
    /// Number of bases, with k, M or G for thousands, millions or thousands of millions
    #[arg(value_parser = parse_bases)]
    pub bases: u64,
    /// Number of contigs
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub contigs: u32,
    /// Share of the bases that lie in repeats, 0 to 1
    #[arg(long, default_value_t = 0.45, value_parser = parse_share)]
    pub repeats: f64,
    #[command(flatten)]
    pub common: SimulationOptions,
}

/// The options of `gpualign simulate reads`.
#[derive(Debug, Args)]
pub struct ReadsArguments {
    /// Reference: FASTA, plain or gz, bz2, zst
    #[arg(value_name = "REF", value_hint = ValueHint::FilePath)]
    pub reference: PathBuf,
    /// Number of reads, or of pairs
    #[arg(short = 'n', long, default_value_t = 100_000)]
    pub count: u64,
    /// Length of a read in bases
    #[arg(short, long, default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=65_000))]
    pub length: u32,
    /// Probability of a base to be substituted, 0 to 1
    #[arg(long, default_value_t = 0.01, value_parser = parse_share, conflicts_with = "pairs")]
    pub substitutions: f64,
    /// Probability of a deletion at a base, and the same of an insertion, 0 to 1
    #[arg(long, default_value_t = 0.0005, value_parser = parse_share, conflicts_with = "pairs")]
    pub indels: f64,
    #[command(flatten)]
    pub pairs: PairsArguments,
    #[command(flatten)]
    pub common: SimulationOptions,
}

/// The options of pairs, with the names and defaults of wgsim.
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
    #[arg(short = 'd', long, default_value_t = 500.0, value_parser = parse_length,
        requires = "pairs", help_heading = "Pairs")]
    pub distance: f64,
    /// Standard deviation of the distance
    #[arg(short = 's', long, default_value_t = 50.0, value_parser = parse_length,
        requires = "pairs", help_heading = "Pairs")]
    pub deviation: f64,
    /// Probability of a base to be read as another one
    #[arg(short = 'e', long, default_value_t = 0.02, value_parser = parse_share,
        requires = "pairs", help_heading = "Pairs")]
    pub error_rate: f64,
    /// Probability of a base of the reference to be changed in the genome
    #[arg(short = 'r', long, default_value_t = 0.001, value_parser = parse_share,
        requires = "pairs", help_heading = "Pairs")]
    pub mutation_rate: f64,
    /// Share of indels among these changes
    #[arg(short = 'R', long, default_value_t = 0.15, value_parser = parse_share,
        requires = "pairs", help_heading = "Pairs")]
    pub indel_fraction: f64,
    /// Probability of an indel to have one base more
    #[arg(short = 'X', long, default_value_t = 0.3, value_parser = parse_share,
        requires = "pairs", help_heading = "Pairs")]
    pub indel_extension: f64,
}

/// The options of genomes and of reads.
#[derive(Debug, Args)]
pub struct SimulationOptions {
    /// Seed of all random choices
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Write to FILE [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
}

impl ReadsArguments {
    /// The parameters of the pairs.
    pub fn pairs(&self) -> PairSimulation {
        let &PairsArguments { distance, deviation, error_rate, .. } = &self.pairs;
        PairSimulation {
            count: self.count,
            length: self.length,
            insert: distance,
            deviation,
            error: error_rate,
            rates: VariantRates {
                mutation: self.pairs.mutation_rate,
                indel_fraction: self.pairs.indel_fraction,
                indel_extension: self.pairs.indel_extension,
            },
            seed: self.common.seed,
        }
    }
}

/// Parses a length from 0 to a million bases.
fn parse_length(value: &str) -> Result<f64, String> {
    match value.parse() {
        Ok(bases) if (0.0..=1e6).contains(&bases) => Ok(bases),
        _ => Err("not a number from 0 to a million".to_owned()),
    }
}

/// Parses a number of bases, with k, M or G for thousands, millions or thousands of millions of them.
fn parse_bases(value: &str) -> Result<u64, String> {
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

/// Parses a number from 0 to 1.
fn parse_share(value: &str) -> Result<f64, String> {
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
            ["1", "5k", "2.5M", "3.1G"].map(parse_bases).map(Result::unwrap_or_default),
            [1, 5000, 2_500_000, 3_100_000_000]
        );
        assert!(["", "0", "-1", "x", "nan", "k"].iter().all(|value| parse_bases(value).is_err()));
    }

    #[test]
    fn shares_are_from_0_to_1() {
        assert_eq!(parse_share("0.25"), Ok(0.25));
        assert!(["", "-0.1", "1.1", "nan"].iter().all(|value| parse_share(value).is_err()));
    }
}
