//! `gpualign simulate`: genomes and reads to measure with.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand, ValueHint};
use fm_index::{MAX_BASES, Reference};

use crate::output::Target;
use crate::simulate::genome::Genome;
use crate::simulate::reads::{Reads, ReadsError};

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
    /// How many reads
    #[arg(short = 'n', long, default_value_t = 100_000)]
    pub count: u64,
    /// Bases of a read
    #[arg(short, long, default_value_t = 150, value_parser = clap::value_parser!(u32).range(1..=65_000))]
    pub length: u32,
    /// Chance of a base to be another one, 0 to 1
    #[arg(long, default_value_t = 0.01, value_parser = share)]
    pub substitutions: f64,
    /// Chance of a base to be missing, and of one to be inserted, 0 to 1
    #[arg(long, default_value_t = 0.0005, value_parser = share)]
    pub indels: f64,
    #[command(flatten)]
    pub common: Common,
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

/// Makes what is asked for.
pub fn run(command: &Simulate) -> Result<()> {
    match command {
        Simulate::Genome(arguments) => genome(arguments),
        Simulate::Reads(arguments) => reads(arguments),
    }
}

fn genome(arguments: &GenomeArguments) -> Result<()> {
    let &GenomeArguments { bases, contigs, repeats, .. } = arguments;
    ensure!(bases >= u64::from(contigs), "{contigs} contigs need as many bases");
    ensure!(bases <= u64::from(MAX_BASES), "a reference has at most {MAX_BASES} bases");
    let genome = Genome { bases, contigs, repeats, seed: arguments.common.seed };
    write(arguments.common.output.as_deref(), |out| Ok(genome.write(out)?))
}

fn reads(arguments: &ReadsArguments) -> Result<()> {
    let &ReadsArguments { count, length, substitutions, indels, .. } = arguments;
    let reads = Reads { count, length, substitutions, indels, seed: arguments.common.seed };
    let reference = Reference::from_fasta(&arguments.reference)?;
    write(arguments.common.output.as_deref(), |out| match reads.write(&reference, out) {
        Err(ReadsError::Io(error)) => Err(error.into()),
        done => done.with_context(|| arguments.reference.display().to_string()),
    })
}

/// Has `make` write the file, which appears when it is complete.
fn write(path: Option<&Path>, make: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let target = Target::new(path)?;
    let mut out = BufWriter::new(File::from(target.open().with_context(|| target.name())?));
    make(&mut out)?;
    out.flush().with_context(|| target.name())?;
    target.commit()
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
