//! The data: made by `gpualign simulate` once, and kept.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// How much there is of everything, and how often it is run.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    pub name: &'static str,
    pub runs: usize,
    /// Seconds of runs after which a program is not run again.
    pub patience: u64,
    /// Bases of the genome.
    pub genome: u64,
    /// Single reads, and as many pairs.
    pub reads: u64,
    /// Sequences that are aligned all against all, and bases of each.
    pub sequences: u64,
    pub sequence_bases: u64,
    /// Queries for the database.
    pub queries: u64,
}

impl Size {
    pub const FULL: Self = Self {
        name: "full",
        runs: 5,
        patience: 30,
        genome: 60_000_000,
        reads: 1_000_000,
        sequences: 400,
        sequence_bases: 1500,
        queries: 20,
    };
    pub const QUICK: Self = Self {
        name: "quick",
        runs: 3,
        patience: 6,
        genome: 2_000_000,
        reads: 10_000,
        sequences: 40,
        sequence_bases: 1000,
        queries: 20,
    };
    pub const TINY: Self = Self {
        name: "tiny",
        runs: 2,
        patience: 60,
        genome: 60_000,
        reads: 300,
        sequences: 8,
        sequence_bases: 300,
        queries: 4,
    };
}

/// Single reads, and the bases of the reference, are also taken by one of so many parts: to see how programs scale.
pub const PARTS: [u64; 3] = [16, 4, 1];

/// Bases of single reads, and of queries.
pub const READ: u64 = 100;
pub const QUERY: u64 = 500;

/// Files in a folder of their own: `genome.fa`, `reads.fq`, `1.fq`, `2.fq`, `all.fa`, `one.fa` and
/// `queries.fa`; `short.fq` for the suffix trie; parts of the reads, `reads-N.fq`; and smaller genomes, `genome-N.fa`, with reads of theirs,
/// `genome-N.fq`.
#[derive(Debug)]
pub struct Data {
    pub folder: PathBuf,
    pub size: Size,
    /// Bases of the genome, which may be the user's.
    pub bases: u64,
}

impl Data {
    /// Makes what is not there.
    pub fn make(folder: &Path, size: &Size, gpualign: &Path) -> Result<Self> {
        let folder = &folder.join(size.name);
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let folder = folder.canonicalize()?;
        // Made under another name, so that what is there is whole.
        let make = |name: &str, simulate: &str| -> Result<()> {
            if folder.join(name).exists() {
                return Ok(());
            }
            let mut command = Command::new(gpualign);
            command.arg("simulate").args(simulate.split_whitespace()).current_dir(&folder);
            let done = command.status().with_context(|| gpualign.display().to_string())?;
            if !done.success() {
                bail!("gpualign simulate {simulate}: {done}");
            }
            Ok(())
        };
        let Size { genome, reads, sequences, sequence_bases, queries, .. } = *size;
        make("genome.fa", &format!("genome {genome} --contigs 2 --seed 1 -o genome.fa"))?;
        make("reads.fq", &format!("reads genome.fa -n {reads} -l {READ} --seed 2 -o reads.fq"))?;
        let pairs = format!("reads genome.fa --pairs -n {reads} -l 150 -d 400 --seed 3");
        make("2.fq", &format!("{pairs} -o 1.fq --output2 2.fq"))?;
        let bases = sequences * sequence_bases;
        let contigs = format!("--contigs {sequences} --repeats 0 --seed 4");
        make("all.fa", &format!("genome {bases} {contigs} -o all.fa"))?;
        make("one.fa", &format!("genome {sequence_bases} --repeats 0 --seed 5 -o one.fa"))?;
        let rates = "--substitutions 0.05 --indels 0.005 --seed 6";
        make(
            "queries.fq",
            &format!("reads genome.fa -n {queries} -l {QUERY} {rates} -o queries.fq"),
        )?;
        fasta(&folder.join("queries.fq"), &folder.join("queries.fa"))?;
        let short = format!("reads genome.fa -n {} -l 47 --seed 7 -o short.fq", reads / 10);
        make("short.fq", &short)?;
        let bases = letters(&folder.join("genome.fa"))?;
        let few = reads / PARTS[1];
        for part in PARTS.into_iter().filter(|&part| part > 1) {
            first(&folder, "reads.fq", 4 * (reads / part), &format!("reads-{part}.fq"))?;
            let [reference, of_it] = ["fa", "fq"].map(|kind| format!("genome-{part}.{kind}"));
            let simulated = format!("genome {} --contigs 2 --seed 1 -o {reference}", bases / part);
            make(&reference, &simulated)?;
            make(&of_it, &format!("reads {reference} -n {few} -l {READ} --seed 2 -o {of_it}"))?;
        }
        Ok(Self { folder, size: *size, bases })
    }

    /// References and their bases, from the smallest on.
    pub fn references(&self) -> Vec<(String, u64)> {
        let of = |part| match part {
            1 => ("genome.fa".to_owned(), self.bases),
            _ => (format!("genome-{part}.fa"), self.bases / part),
        };
        PARTS.map(of).into()
    }

    /// The file with one of so many parts of the reads of a reference.
    pub fn reads(reference: &str, part: u64) -> String {
        match (reference, part) {
            ("genome.fa", 1) => "reads.fq".to_owned(),
            ("genome.fa", _) => format!("reads-{part}.fq"),
            _ => reference.replace(".fa", ".fq"),
        }
    }
}

/// The first lines of a file as another one.
fn first(folder: &Path, from: &str, lines: u64, to: &str) -> Result<()> {
    let mut out = BufWriter::new(File::create(folder.join(to))?);
    for line in BufReader::new(File::open(folder.join(from))?).lines().take(lines as usize) {
        writeln!(out, "{}", line?)?;
    }
    Ok(out.flush()?)
}

/// Copies FASTQ of four lines a record to FASTA.
fn fasta(fastq: &Path, fasta: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(fasta)?);
    for (number, line) in (0..).zip(BufReader::new(File::open(fastq)?).lines()) {
        match (number % 4, line?) {
            (0, line) => writeln!(out, ">{}", &line[1..])?,
            (1, line) => writeln!(out, "{line}")?,
            _ => {}
        }
    }
    Ok(out.flush()?)
}

/// Bases of a FASTA file.
fn letters(path: &Path) -> Result<u64> {
    let mut bases = 0;
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        bases += if line.starts_with('>') { 0 } else { line.len() as u64 };
    }
    Ok(bases)
}
