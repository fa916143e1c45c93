//! `gpualign simulate`: simulated genomes and reads, which are the same for the same seed on any machine.

pub mod args;
mod genome;
mod letters;
mod pairs;
mod reads;
mod variants;

use std::fs::File;
use std::io::{self, BufWriter, Write};

use anyhow::{Context, Result, ensure};
use fm_index::{MAX_BASES, Reference};

use self::args::{GenomeArguments, ReadsArguments, Simulate};
use self::genome::GenomeSimulation;
use self::reads::{ReadSimulation, SimulationError};
use crate::options::{cores, start_threads};
use crate::staging::{Outputs, Target, commit};

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
    let mut out = OutputFile::open(Outputs::default().target(arguments.common.output.as_deref())?)?;
    genome.write(&mut out)?;
    commit([out.complete()?])
}

fn reads(arguments: &ReadsArguments) -> Result<()> {
    let mut outputs = Outputs::new([arguments.reference.as_path()]);
    let target = outputs.target(arguments.common.output.as_deref())?;
    let second = arguments.pairs.output2.as_deref();
    let second = second.map(|path| outputs.target(Some(path))).transpose()?;
    start_threads(cores())?;
    let reference = Reference::from_fasta(&arguments.reference)?;
    let mut first = OutputFile::open(target)?;
    let named = |made: Result<(), SimulationError>| match made {
        Err(SimulationError::Io(error)) => Err(error.into()),
        done => done.with_context(|| arguments.reference.display().to_string()),
    };
    if !arguments.pairs.pairs {
        let &ReadsArguments { count, length, substitutions, indels, .. } = arguments;
        let seed = arguments.common.seed;
        let reads = ReadSimulation { count, length, substitutions, indels, seed };
        named(reads.write(&reference, &mut first))?;
        return commit([first.complete()?]);
    }
    let mut second = second.map(OutputFile::open).transpose()?;
    let pairs = arguments.pairs();
    named(pairs.write(&reference, |file, record| match &mut second {
        Some(second) if file == 1 => second.write_all(record),
        _ => first.write_all(record),
    }))?;
    let second = second.map(OutputFile::complete).transpose()?;
    commit([first.complete()?].into_iter().chain(second))
}

/// A file that is being written, whose errors name it.
struct OutputFile {
    target: Target,
    file: BufWriter<File>,
}

impl OutputFile {
    fn open(target: Target) -> Result<Self> {
        let file = target.open().with_context(|| target.name())?;
        Ok(Self { target, file: BufWriter::new(file.into()) })
    }

    /// Writes what is buffered; the file can be committed then.
    fn complete(mut self) -> Result<Target> {
        self.flush()?;
        Ok(self.target)
    }

    fn named<T>(&self, written: io::Result<T>) -> io::Result<T> {
        let name = |error: io::Error| {
            io::Error::new(error.kind(), format!("{}: {error}", self.target.name()))
        };
        written.map_err(name)
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        self.named(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.file.flush();
        self.named(flushed)
    }
}
