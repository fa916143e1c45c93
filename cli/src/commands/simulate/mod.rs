//! `gpualign simulate`: simulated genomes and reads, which are the same for the same seed on any machine.

pub mod args;
mod genome;
mod letters;
mod pairs;
mod reads;
mod variants;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use fm_index::{MAX_BASES, Reference};

use self::args::{GenomeArguments, ReadsArguments, Simulate};
use self::genome::GenomeSimulation;
use self::reads::{ReadSimulation, SimulationError};
use crate::staging::Target;

/// Writes a simulated genome or simulated reads.
pub fn run(command: &Simulate) -> Result<()> {
    match command {
        Simulate::Genome(arguments) => genome(arguments),
        Simulate::Reads(arguments) => reads(arguments),
    }
}

fn genome(arguments: &GenomeArguments) -> Result<()> {
    let &GenomeArguments { bases, contigs, repeats, .. } = arguments;
    ensure!(bases >= u64::from(contigs), "{contigs} contigs need {contigs} bases or more");
    ensure!(bases <= u64::from(MAX_BASES), "a reference has at most {MAX_BASES} bases");
    let genome = GenomeSimulation { bases, contigs, repeats, seed: arguments.common.seed };
    write(arguments.common.output.as_deref(), |out| Ok(genome.write(out)?))
}

fn reads(arguments: &ReadsArguments) -> Result<()> {
    let &ReadsArguments { count, length, substitutions, indels, .. } = arguments;
    let seed = arguments.common.seed;
    let named = |made: Result<(), SimulationError>| match made {
        Err(SimulationError::Io(error)) => Err(error.into()),
        done => done.with_context(|| arguments.reference.display().to_string()),
    };
    let output = arguments.common.output.as_deref();
    if !arguments.pairs.pairs {
        let reads = ReadSimulation { count, length, substitutions, indels, seed };
        let reference = Reference::from_fasta(&arguments.reference)?;
        return write(output, |out| named(reads.write(&reference, out)));
    }
    let pairs = arguments.pairs();
    let reference = Reference::from_fasta(&arguments.reference)?;
    write(output, |first| match arguments.pairs.output2.as_deref() {
        None => named(pairs.write(&reference, |_, record| first.write_all(record))),
        Some(path) => write(Some(path), |second| {
            named(pairs.write(&reference, |file, record| {
                if file == 0 { first.write_all(record) } else { second.write_all(record) }
            }))
        }),
    })
}

/// Makes `make` write the file, which gets its name when it is complete.
fn write(path: Option<&Path>, make: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let target = Target::new(path)?;
    let mut out = BufWriter::new(File::from(target.open().with_context(|| target.name())?));
    make(&mut out)?;
    out.flush().with_context(|| target.name())?;
    target.commit()
}
