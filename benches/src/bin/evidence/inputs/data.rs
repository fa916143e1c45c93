//! The simulated data, which `gpualign simulate` makes once and later runs use again.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use flate2::Compression;
use flate2::write::GzEncoder;

/// The amounts of data, and the limits of runs.
#[derive(Debug, Clone, Copy)]
pub struct DataSize {
    pub name: &'static str,
    pub runs: usize,
    /// Seconds of all runs together after which a program is not run again.
    pub patience: u64,
    /// Bases of the genome.
    pub genome: u64,
    /// Number of single reads.
    pub reads: u64,
    pub pairs: u64,
    /// Reads of each other length.
    pub lengths_reads: u64,
    /// Pairs for formats of input and output.
    pub formats_pairs: u64,
    /// Pairs of each length and error rate for accuracy.
    pub accuracy_pairs: u64,
    /// Bases of the genome that a sample with known variants is read from.
    pub sample_bases: u64,
    /// Sequences that are aligned all against all; a GPU also gets `many_sequences`.
    pub sequences: u64,
    pub sequence_bases: u64,
    pub many_sequences: u64,
    /// Pairs of similar sequences of `sequence_bases`.
    pub similar_pairs: u64,
    pub queries: Queries,
}

/// Numbers of queries by task; smaller sets are the first queries of larger ones.
#[derive(Debug, Clone, Copy)]
pub struct Queries {
    pub megablast: u64,
    pub blastn: u64,
    /// Queries of task blastn for programs that take seconds for each.
    pub few: u64,
}

impl DataSize {
    pub const FULL: Self = Self {
        name: "full",
        runs: 3,
        patience: 100,
        genome: 60_000_000,
        reads: 1_000_000,
        pairs: 500_000,
        lengths_reads: 400_000,
        formats_pairs: 100_000,
        accuracy_pairs: 100_000,
        sample_bases: 2_000_000,
        sequences: 300,
        sequence_bases: 1500,
        many_sequences: 4000,
        similar_pairs: 30_000,
        queries: Queries { megablast: 500, blastn: 100, few: 16 },
    };
    pub const QUICK: Self = Self {
        name: "quick",
        runs: 3,
        patience: 6,
        genome: 2_000_000,
        reads: 10_000,
        pairs: 10_000,
        lengths_reads: 10_000,
        formats_pairs: 10_000,
        accuracy_pairs: 50_000,
        sample_bases: 300_000,
        sequences: 40,
        sequence_bases: 1000,
        many_sequences: 400,
        similar_pairs: 2_000,
        queries: Queries { megablast: 20, blastn: 20, few: 20 },
    };
    pub const TINY: Self = Self {
        name: "tiny",
        runs: 2,
        patience: 60,
        genome: 60_000,
        reads: 300,
        pairs: 300,
        lengths_reads: 200,
        formats_pairs: 100,
        accuracy_pairs: 300,
        sample_bases: 10_000,
        sequences: 8,
        sequence_bases: 300,
        many_sequences: 16,
        similar_pairs: 64,
        queries: Queries { megablast: 4, blastn: 4, few: 2 },
    };
}

/// Sections on scaling use one sixteenth, one fourth and all of the single reads, or of the bases of the reference.
pub const PARTS: [u64; 3] = [16, 4, 1];

/// Bases of a single read, of each read of a pair, and of a query.
pub const READ: u64 = 100;
pub const PAIR_READ: u64 = 150;
pub const QUERY: u64 = 500;

/// Reads of another length than those of `1.fq` and `2.fq`.
#[derive(Debug)]
pub struct LengthSet {
    /// The name in reports.
    pub name: &'static str,
    /// Bases of a read.
    pub bases: u64,
    pub is_paired: bool,
}

impl LengthSet {
    /// The sets of the section on lengths.
    pub const ALL: [Self; 3] = [
        Self { name: "2 x 100", bases: 100, is_paired: true },
        Self { name: "1 x 100", bases: 100, is_paired: false },
        Self { name: "1 x 36", bases: 36, is_paired: false },
    ];

    /// The name in files.
    pub fn file_name(&self) -> String {
        format!("lengths-{}", self.name.replace(' ', ""))
    }

    /// Whether the reads are so short that mappers need other settings.
    pub fn is_short(&self) -> bool {
        self.bases < 50
    }
}

/// The file of the genome.
pub const GENOME: &str = "genome.fa";

/// Files in a folder of their own: `genome.fa`, `reads.fq`, `1.fq`, `2.fq`, `all.fa`, `many.fa` and `one.fa`; the first
/// N queries, `queries-N.fa`; `short.fq` for the suffix trie; parts of the reads, `reads-N.fq`, `1-N.fq` and `2-N.fq`; and smaller genomes,
/// `genome-N.fa`, with reads of theirs, `genome-N.fq`.
#[derive(Debug)]
pub struct Data {
    pub folder: PathBuf,
    pub size: DataSize,
    /// Bases of the genome, which the user may have provided.
    pub bases: u64,
}

impl Data {
    /// Makes the files that are missing in the subfolder of a size.
    pub fn make(folder: &Path, size: &DataSize, gpualign: &Path) -> Result<Self> {
        let folder = &folder.join(size.name);
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let folder = folder.canonicalize()?;
        let make = |name: &str, line: &str| simulate(gpualign, &folder, name, line);
        let DataSize { genome, reads, pairs, sequences, sequence_bases, queries, .. } = *size;
        make("genome.fa", &format!("genome {genome} --contigs 2 --seed 1 -o genome.fa"))?;
        make("reads.fq", &format!("reads genome.fa -n {reads} -l {READ} --seed 2 -o reads.fq"))?;
        let paired = format!("reads genome.fa --pairs -n {pairs} -l {PAIR_READ} -d 400 --seed 3");
        make("2.fq", &format!("{paired} -o 1.fq --output2 2.fq"))?;
        let part = PARTS[1];
        for mate in [1, 2] {
            let few = format!("{mate}-{part}.fq");
            first(&folder, &format!("{mate}.fq"), 4 * (pairs / part), &few)?;
        }
        for (name, count) in [("all.fa", sequences), ("many.fa", size.many_sequences)] {
            let bases = count * sequence_bases;
            let contigs = format!("--contigs {count} --repeats 0 --seed 4");
            make(name, &format!("genome {bases} {contigs} -o {name}"))?;
        }
        make("one.fa", &format!("genome {sequence_bases} --repeats 0 --seed 5 -o one.fa"))?;
        let rates = "--substitutions 0.05 --indels 0.005 --seed 6";
        make(
            "queries.fq",
            &format!("reads genome.fa -n {} -l {QUERY} {rates} -o queries.fq", queries.megablast),
        )?;
        for count in [queries.megablast, queries.blastn, queries.few] {
            fasta(&folder, "queries.fq", count, &Self::queries(count))?;
        }
        let short = format!("reads genome.fa -n {} -l 47 --seed 7 -o short.fq", reads / 10);
        make("short.fq", &short)?;
        let bases = letters(&folder.join("genome.fa"))?;
        let few = reads / part;
        for part in PARTS.into_iter().filter(|&part| part > 1) {
            first(&folder, "reads.fq", 4 * (reads / part), &format!("reads-{part}.fq"))?;
            let [reference, of_it] = ["fa", "fq"].map(|kind| format!("genome-{part}.{kind}"));
            let simulated = format!("genome {} --contigs 2 --seed 1 -o {reference}", bases / part);
            make(&reference, &simulated)?;
            make(&of_it, &format!("reads {reference} -n {few} -l {READ} --seed 2 -o {of_it}"))?;
        }
        Ok(Self { folder, size: *size, bases })
    }

    /// Files of references and their bases, from the smallest on.
    pub fn references(&self) -> Vec<(String, u64)> {
        let of = |part| match part {
            1 => ("genome.fa".to_owned(), self.bases),
            _ => (format!("genome-{part}.fa"), self.bases / part),
        };
        PARTS.map(of).into()
    }

    /// The file with the first `count` queries.
    pub fn queries(count: u64) -> String {
        format!("queries-{count}.fa")
    }

    /// Cuts a file (FASTQ of four lines a record, or FASTA of two) into `parts` files, one for each process; with one part it is the file itself.
    pub fn cut(&self, file: &str, records: u64, parts: u64) -> Result<Vec<String>> {
        if parts == 1 {
            return Ok(vec![file.to_owned()]);
        }
        let mut lines = BufReader::new(File::open(self.folder.join(file))?).lines();
        let is_fasta = Path::new(file).extension() == Some("fa".as_ref());
        let lines_each = if is_fasta { 2 } else { 4 };
        let mut names = Vec::new();
        for part in 0..parts {
            let name = format!("part-{part}-of-{parts}-{file}");
            let count = records * (part + 1) / parts - records * part / parts;
            write(lines.by_ref().take((lines_each * count) as usize), &self.folder.join(&name))?;
            names.push(name);
        }
        Ok(names)
    }

    /// The files of a set of reads of another length, one or two, which are made if they are missing.
    pub fn length_set(&self, set: &LengthSet, gpualign: &Path) -> Result<Vec<String>> {
        let (bases, reads, name) = (set.bases, self.size.lengths_reads, set.file_name());
        let make = |last: &str, of: String| {
            let line = format!("reads genome.fa -l {bases} --seed 8 {of}");
            simulate(gpualign, &self.folder, last, &line)
        };
        if set.is_paired {
            let [first, second] = [1, 2].map(|mate| format!("{name}-{mate}.fq"));
            let to = format!("-o {first} --output2 {second}");
            make(&second, format!("--pairs -n {} -d 400 {to}", reads / 2))?;
            Ok(vec![first, second])
        } else {
            let file = format!("{name}.fq");
            make(&file, format!("-n {reads} -o {file}"))?;
            Ok(vec![file])
        }
    }

    /// The files of the first `count` pairs, plain and compressed with gz.
    pub fn formats(&self, count: u64) -> Result<([String; 2], [String; 2])> {
        let plain = [1, 2].map(|mate| format!("formats-{mate}.fq"));
        let compressed = plain.each_ref().map(|file| format!("{file}.gz"));
        for ((mate, plain), compressed) in (1..).zip(&plain).zip(&compressed) {
            first(&self.folder, &format!("{mate}.fq"), 4 * count, plain)?;
            let out = BufWriter::new(File::create(self.folder.join(compressed))?);
            let mut out = GzEncoder::new(out, Compression::default());
            io::copy(&mut File::open(self.folder.join(plain))?, &mut out)?;
            out.finish()?.flush()?;
        }
        Ok((plain, compressed))
    }

    /// The file with one of `part` equal parts of the reads of a reference.
    pub fn reads(reference: &str, part: u64) -> String {
        match (reference, part) {
            ("genome.fa", 1) => "reads.fq".to_owned(),
            ("genome.fa", _) => format!("reads-{part}.fq"),
            _ => reference.replace(".fa", ".fq"),
        }
    }
}

/// Runs `gpualign simulate` with the arguments of a line in a folder unless the file that it makes last is there.
fn simulate(gpualign: &Path, folder: &Path, file: &str, line: &str) -> Result<()> {
    if folder.join(file).exists() {
        return Ok(());
    }
    let mut command = Command::new(gpualign);
    command.arg("simulate").args(line.split_whitespace()).current_dir(folder);
    let done = command.status().with_context(|| gpualign.display().to_string())?;
    if !done.success() {
        bail!("gpualign simulate {line}: {done}");
    }
    Ok(())
}

/// Copies the first lines of a file.
fn first(folder: &Path, from: &str, lines: u64, to: &str) -> Result<()> {
    let lines_of = BufReader::new(File::open(folder.join(from))?).lines();
    write(lines_of.take(lines as usize), &folder.join(to))
}

fn write(lines: impl Iterator<Item = io::Result<String>>, path: &Path) -> Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    for line in lines {
        writeln!(out, "{}", line?)?;
    }
    Ok(out.flush()?)
}

/// Copies the first records of a FASTQ file with four lines a record as FASTA.
fn fasta(folder: &Path, from: &str, records: u64, to: &str) -> Result<()> {
    let lines = BufReader::new(File::open(folder.join(from))?).lines().take(4 * records as usize);
    let lines = (0..).zip(lines).filter_map(|(number, line)| match number % 4 {
        0 => Some(line.map(|line| line.replacen('@', ">", 1))),
        1 => Some(line),
        _ => None,
    });
    write(lines, &folder.join(to))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_reads_are_all_of_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let records: Vec<String> = (0..5).map(|n| format!("@{n}\nACGT\n+\nFFFF\n")).collect();
        fs::write(folder.path().join("reads.fq"), records.concat()).expect("writes");
        let data = Data { folder: folder.path().to_owned(), size: DataSize::TINY, bases: 0 };
        let read = |name: &String| fs::read_to_string(folder.path().join(name)).expect("reads");
        let parts = data.cut("reads.fq", 5, 3).expect("cuts");
        let parts: Vec<String> = parts.iter().map(read).collect();
        assert_eq!(parts, [records[..1].concat(), records[1..3].concat(), records[3..].concat()]);
        assert_eq!(data.cut("reads.fq", 5, 1).expect("cuts"), ["reads.fq"]);

        fasta(folder.path(), "reads.fq", 2, "two.fa").expect("copies");
        assert_eq!(read(&"two.fa".to_owned()), ">0\nACGT\n>1\nACGT\n");
        let parts = data.cut("two.fa", 2, 2).expect("cuts");
        assert_eq!(parts.iter().map(read).collect::<Vec<_>>(), [">0\nACGT\n", ">1\nACGT\n"]);
    }
}
