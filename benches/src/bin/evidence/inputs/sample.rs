//! A sample with known variants, of which wgsim, dwgsim and mason simulate pairs from a part of the genome.
//!
//! dwgsim draws variants and pairs; mason's pairs have the same variants, and wgsim draws its own, which it writes in no
//! format of variants. Pairs get names in wgsim's form, so that scorers of that form can score all of them.
//!
//! ```text
//!   genome.fa --part--> sample.fa --dwgsim--> pairs, variants --mason--> pairs, true alignments
//!                                 --wgsim---> pairs
//! ```

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use flate2::read::MultiGzDecoder;

use crate::inputs::data::{GENOME, PAIR_READ};
use crate::inputs::real::Truth;
use crate::run::tool::Tool;

/// How often a base of the sample is read, on average.
pub const COVERAGE: u64 = 30;

/// The part of the genome, with positions from its own start.
const PART: &str = "sample.fa";
/// The variants with genotypes, for mason, and with positions in the genome, for comparisons.
const OF_PART: &str = "sample.variants.vcf";
const OF_GENOME: &str = "sample.known.vcf";

/// The simulators that are installed.
#[derive(Debug)]
pub struct Simulators {
    pub wgsim: Option<Tool>,
    pub dwgsim: Option<Tool>,
    pub mason: Option<Tool>,
}

/// Pairs of one simulator, with their origin in their names.
#[derive(Debug)]
pub struct SimulatedPairs {
    pub simulator: &'static str,
    pub files: [String; 2],
    /// The true alignments, as SAM.
    pub alignments: Option<String>,
    /// The variants of the sample.
    pub variants: Option<Truth>,
}

/// A part of a contig of the genome.
#[derive(Debug, PartialEq, Eq)]
pub struct Part {
    pub contig: String,
    /// The bases before the part.
    pub offset: u64,
    pub bases: u64,
}

/// A contig of the genome.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Contig {
    name: String,
    bases: u64,
}

/// A part of the genome with its sequence, and all contigs.
struct Cut {
    part: Part,
    sequence: String,
    contigs: Vec<Contig>,
}

impl Part {
    /// The number of pairs that read the part as often as [`COVERAGE`].
    pub fn pairs(&self) -> u64 {
        self.bases * COVERAGE / (2 * PAIR_READ)
    }
}

/// Simulates pairs of at most so many bases of the genome's first contig, a sixth of the contig behind its start. What is
/// there already is not made again.
pub fn make(tools: &Simulators, folder: &Path, bases: u64) -> Result<(Part, Vec<SimulatedPairs>)> {
    let Cut { part, sequence, contigs } = cut(&folder.join(GENOME), bases)?;
    fs::write(folder.join(PART), format!(">{}\n{sequence}\n", part.contig))?;
    // mason would trust the index of an earlier part.
    let _ = fs::remove_file(folder.join(format!("{PART}.fai")));
    let pairs = part.pairs();
    let mut all = Vec::new();
    if let Some(wgsim) = &tools.wgsim {
        let files = names("wgsim");
        if !is_there(folder, &files) {
            let [first, second] = ["simulated.1.fq", "simulated.2.fq"];
            let line = format!(
                "-S 11 -r 0.001 -e 0.01 -d 400 -s 50 -1 {PAIR_READ} -2 {PAIR_READ} -N {pairs}"
            );
            run(folder, wgsim, &format!("{line} {PART} {first} {second}"))?;
            let shifted = |name: &str| wgsim_origin(name).map(|origin| origin.name(&part));
            rename(folder, [first, second], &files, shifted)?;
        }
        all.push(SimulatedPairs { simulator: "wgsim", files, alignments: None, variants: None });
    }
    let Some(dwgsim) = &tools.dwgsim else { return Ok((part, all)) };
    let known = || {
        let (from, to) = (part.offset + 1, part.offset + part.bases);
        Some(Truth { file: OF_GENOME.to_owned(), contig: Some(part.contig.clone()), from, to })
    };
    let files = names("dwgsim");
    if !is_there(folder, &files) {
        let line = format!(
            "-z 11 -r 0.001 -y 0 -o 1 -e 0.01 -E 0.01 -d 400 -s 50 -1 {PAIR_READ} -2 {PAIR_READ} -N {pairs}"
        );
        run(folder, dwgsim, &format!("{line} {PART} simulated"))?;
        let text = fs::read_to_string(folder.join("simulated.mutations.vcf"))?;
        fs::write(folder.join(OF_PART), with_genotypes(&text)?)?;
        fs::write(folder.join(OF_GENOME), moved(&text, part.offset, &contigs)?)?;
        let made = ["simulated.bwa.read1.fastq.gz", "simulated.bwa.read2.fastq.gz"];
        rename(folder, made, &files, |name| dwgsim_origin(name).map(|origin| origin.name(&part)))?;
    }
    all.push(SimulatedPairs { simulator: "dwgsim", files, alignments: None, variants: known() });
    if let Some(mason) = &tools.mason {
        let (files, alignments) = (names("mason"), "sample.mason.sam".to_owned());
        if !is_there(folder, &files) {
            let line = format!(
                "-q --seed 11 --illumina-read-length {PAIR_READ} --fragment-mean-size 400 --fragment-size-std-dev 50 -n {pairs}"
            );
            let made = ["simulated.1.fq", "simulated.2.fq"];
            let [first, second] = made;
            run(
                folder,
                mason,
                &format!(
                    "{line} -ir {PART} -iv {OF_PART} -o {first} -or {second} -oa simulated.sam"
                ),
            )?;
            let text = BufReader::new(File::open(folder.join("simulated.sam"))?);
            let origins = mason_origins(text)?;
            let renamed = |name: &str| origins.get(name).map(|origin| origin.name(&part));
            rename(folder, made, &files, renamed)?;
            let text = BufReader::new(File::open(folder.join("simulated.sam"))?);
            let out = BufWriter::new(File::create(folder.join(&alignments))?);
            move_alignments(text, out, &part, &contigs, renamed)?;
            // Rabema's intervals of an earlier sample.
            let _ = fs::remove_file(folder.join(format!("{alignments}.gsi")));
        }
        let alignments = Some(alignments);
        all.push(SimulatedPairs { simulator: "mason", files, alignments, variants: known() });
    }
    Ok((part, all))
}

fn names(simulator: &str) -> [String; 2] {
    [1, 2].map(|mate| format!("sample.{simulator}.{mate}.fq"))
}

/// Whether pairs were made of this genome. The second file is written last.
fn is_there(folder: &Path, [_, second]: &[String; 2]) -> bool {
    let changed = |file: &str| fs::metadata(folder.join(file)).and_then(|file| file.modified());
    changed(second).is_ok_and(|made| changed(GENOME).is_ok_and(|genome| made >= genome))
}

/// Cuts at most so many bases out of the first contig of a genome.
fn cut(genome: &Path, bases: u64) -> Result<Cut> {
    let mut contigs: Vec<Contig> = Vec::new();
    let mut first = String::new();
    let file = File::open(genome).with_context(|| genome.display().to_string())?;
    for line in BufReader::new(file).lines() {
        let line = line?;
        let line = line.trim_end();
        if let Some(name) = line.strip_prefix('>') {
            let name = name.split_whitespace().next().unwrap_or_default();
            contigs.push(Contig { name: name.to_owned(), bases: 0 });
            continue;
        }
        if contigs.len() == 1 {
            first += line;
        }
        if let Some(contig) = contigs.last_mut() {
            contig.bases += line.len() as u64;
        }
    }
    let Some(Contig { name, bases: length }) = contigs.first().cloned() else {
        bail!("{}: no sequence", genome.display());
    };
    let bases = bases.min(length);
    let offset = (length / 6).min(length - bases);
    let sequence = first[offset as usize..(offset + bases) as usize].to_owned();
    Ok(Cut { part: Part { contig: name, offset, bases }, sequence, contigs })
}

/// The ends of a fragment in the part, from 1 on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Origin {
    left: u64,
    right: u64,
    /// The number of the fragment.
    number: u64,
}

impl Origin {
    /// The name of its reads in wgsim's form, with positions in the genome.
    fn name(&self, Part { contig, offset, .. }: &Part) -> String {
        let Self { left, right, number } = self;
        format!("{contig}_{}_{}_0:0:0_0:0:0_{number:x}", left + offset, right + offset)
    }
}

/// The origin in a name of wgsim: `contig_left_right_edits_edits_number`.
fn wgsim_origin(name: &str) -> Option<Origin> {
    let mut fields = name.rsplit('_');
    let number = u64::from_str_radix(fields.next()?, 16).ok()?;
    let right = fields.nth(2)?.parse().ok()?;
    let left = fields.next()?.parse().ok()?;
    Some(Origin { left, right, number })
}

/// The origin in a name of dwgsim: `contig_start_start_strand_strand_random_random_edits_edits_number`, where a strand is 1
/// for the reverse one. A fragment ends where its mate on the reverse strand ends, but for indels in that mate.
fn dwgsim_origin(name: &str) -> Option<Origin> {
    let fields: Vec<&str> = name.rsplit('_').take(9).collect();
    let [number, _, _, _, _, second_strand, first_strand, second, first] = fields[..] else {
        return None;
    };
    let number = u64::from_str_radix(number, 16).ok()?;
    let [first, second]: [u64; 2] = [first.parse().ok()?, second.parse().ok()?];
    let (left, reverse) = match (first_strand, second_strand) {
        ("0", "1") => (first, second),
        ("1", "0") => (second, first),
        _ => return None,
    };
    Some(Origin { left, right: reverse + PAIR_READ - 1, number })
}

/// The origins of mason's pairs by their names, from the true alignments.
fn mason_origins(sam: impl BufRead) -> Result<HashMap<String, Origin>> {
    let mut origins: HashMap<String, Origin> = HashMap::new();
    for line in sam.lines() {
        let line = line?;
        if line.starts_with('@') {
            continue;
        }
        let wrong = || format!("not an alignment: {line}");
        let fields: Vec<&str> = line.split('\t').collect();
        let [name, flag, _, start, _, cigar, ..] = fields[..] else { bail!(wrong()) };
        let [flag, start]: [u64; 2] =
            [flag.parse().with_context(wrong)?, start.parse().with_context(wrong)?];
        let number = name.rsplit('.').next().and_then(|number| number.parse().ok());
        let number = number.with_context(wrong)?;
        let origin = Origin { left: 0, right: 0, number };
        let origin = origins.entry(name.to_owned()).or_insert(origin);
        match flag & 0x10 {
            0 => origin.left = start,
            _ => origin.right = start + reference_bases(cigar).with_context(wrong)? - 1,
        }
    }
    Ok(origins)
}

/// The bases of the reference that a CIGAR covers.
fn reference_bases(cigar: &str) -> Option<u64> {
    let mut bases = 0;
    for run in cigar.split_inclusive(|c: char| c.is_ascii_alphabetic() || c == '=') {
        let (length, kind) = run.split_at(run.len() - 1);
        let length: u64 = length.parse().ok()?;
        bases += if "MDN=X".contains(kind) { length } else { 0 };
    }
    Some(bases)
}

/// Copies FASTQ files, compressed or not, with other names.
fn rename(
    folder: &Path,
    from: [&str; 2],
    to: &[String; 2],
    new: impl Fn(&str) -> Option<String>,
) -> Result<()> {
    for (number, (from, to)) in from.into_iter().zip(to).enumerate() {
        let path = folder.join(from);
        let file = File::open(&path).with_context(|| path.display().to_string())?;
        let file: Box<dyn Read> = match path.extension() {
            Some(kind) if kind == "gz" => Box::new(MultiGzDecoder::new(file)),
            _ => Box::new(file),
        };
        let partial = folder.join(format!("{to}.partial"));
        let mut out = BufWriter::new(File::create(&partial)?);
        let mate = number + 1;
        for (line_number, line) in BufReader::new(file).lines().enumerate() {
            let line = line?;
            if line_number % 4 == 0 {
                let name = line.trim_start_matches('@').trim_end_matches(&format!("/{mate}"));
                let name = new(name).with_context(|| format!("{from}: no origin: {name}"))?;
                writeln!(out, "@{name}/{mate}")?;
            } else {
                writeln!(out, "{line}")?;
            }
        }
        out.flush()?;
        fs::rename(partial, folder.join(to))?;
        fs::remove_file(path)?;
    }
    Ok(())
}

/// The lines of a header that tell the contigs.
fn header(contigs: &[Contig], line: impl Fn(&str, u64) -> String) -> String {
    contigs.iter().map(|Contig { name, bases }| line(name, *bases)).collect()
}

/// dwgsim's variants with genotypes.
fn with_genotypes(vcf: &str) -> Result<String> {
    let mut text = String::new();
    for line in vcf.lines() {
        // Writing to a string cannot fail.
        let _ = if line.starts_with("#CHROM") {
            writeln!(
                text,
                "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n{line}\tFORMAT\tsample"
            )
        } else if line.starts_with('#') {
            writeln!(text, "{line}")
        } else {
            let genotype = ["pl=1;", "pl=2;", "pl=3;"].iter().position(|of| line.contains(of));
            let genotype = genotype.with_context(|| format!("no phase: {line}"))?;
            writeln!(text, "{line}\tGT\t{}", ["1|0", "0|1", "1|1"][genotype])
        };
    }
    Ok(text)
}

/// Variants of the part with positions in the genome.
fn moved(vcf: &str, offset: u64, contigs: &[Contig]) -> Result<String> {
    let mut text = String::new();
    for line in vcf.lines() {
        let _ = if line.starts_with("##contig") {
            let all =
                header(contigs, |name, length| format!("##contig=<ID={name},length={length}>\n"));
            write!(text, "{all}")
        } else if line.starts_with('#') {
            writeln!(text, "{line}")
        } else {
            let wrong = || format!("no variant: {line}");
            let (contig, rest) = line.split_once('\t').with_context(wrong)?;
            let (position, rest) = rest.split_once('\t').with_context(wrong)?;
            let position: u64 = position.parse().with_context(wrong)?;
            writeln!(text, "{contig}\t{}\t{rest}", position + offset)
        };
    }
    Ok(text)
}

/// Copies true alignments with other names and positions in the genome.
fn move_alignments(
    sam: impl BufRead,
    mut out: impl Write,
    part: &Part,
    contigs: &[Contig],
    new: impl Fn(&str) -> Option<String>,
) -> Result<()> {
    let lines = header(contigs, |name, length| format!("@SQ\tSN:{name}\tLN:{length}\n"));
    write!(out, "@HD\tVN:1.4\n{lines}")?;
    for line in sam.lines() {
        let line = line?;
        if line.starts_with('@') {
            continue;
        }
        let wrong = || format!("not an alignment: {line}");
        let mut fields: Vec<String> = line.split('\t').map(str::to_owned).collect();
        if fields.len() < 11 {
            bail!(wrong());
        }
        fields[0] = new(&fields[0]).with_context(wrong)?;
        for field in [3, 7] {
            let position: u64 = fields[field].parse().with_context(wrong)?;
            fields[field] = (position + part.offset).to_string();
        }
        writeln!(out, "{}", fields.join("\t"))?;
    }
    Ok(out.flush()?)
}

fn run(folder: &Path, tool: &Tool, line: &str) -> Result<()> {
    let mut command = Command::new(&tool.path);
    let output = command.args(line.split_whitespace()).current_dir(folder).output();
    let output = output.with_context(|| tool.path.display().to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{} {line}: {}", tool.path.display(), said.trim());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part() -> Part {
        Part { contig: "a_1".to_owned(), offset: 1000, bases: 50 }
    }

    #[test]
    fn origins_are_read_from_names_and_alignments() {
        let of = |left, right, number| Some(Origin { left, right, number });
        assert_eq!(wgsim_origin("a_1_15_514_1:0:0_2:1:0_3e"), of(15, 514, 62));
        assert_eq!(dwgsim_origin("a_1_70_20_1_0_0_0_0:0:0_3:0:0_a"), of(20, 219, 10));
        assert_eq!(dwgsim_origin("a_1_20_70_0_1_0_0_0:0:0_3:0:0_a"), of(20, 219, 10));
        for bad in ["", "a_20_70_0_0_0_0_0:0:0_3:0:0_a", "rand_0_0_0_0_1_1_0:0:0_0:0:0_1"] {
            assert_eq!(dwgsim_origin(bad), None, "{bad}");
        }
        assert_eq!(
            of(15, 514, 62).map(|origin| origin.name(&part())).as_deref(),
            Some("a_1_1015_1514_0:0:0_0:0:0_3e")
        );
    }

    #[test]
    fn alignments_move_with_the_part() {
        let sam = "@SQ\tSN:a_1\tLN:50\nsimulated.7\t99\ta_1\t5\t255\t3M1D7M\t=\t20\t25\tA\tF\n\
                   simulated.7\t147\ta_1\t20\t255\t2S3M1D1I4M\t=\t5\t-25\tA\tF\n";
        let origins = mason_origins(sam.as_bytes()).expect("is SAM");
        assert_eq!(origins["simulated.7"], Origin { left: 5, right: 27, number: 7 });
        let mut moved = Vec::new();
        let new = |name: &str| origins.get(name).map(|origin| origin.name(&part()));
        let contigs = [Contig { name: "a_1".to_owned(), bases: 2000 }];
        move_alignments(sam.as_bytes(), &mut moved, &part(), &contigs, new).expect("is SAM");
        let text = String::from_utf8(moved).expect("is text");
        assert!(
            text.contains(
                "@SQ\tSN:a_1\tLN:2000\na_1_1005_1027_0:0:0_0:0:0_7\t99\ta_1\t1005\t255\t"
            ),
            "{text}"
        );
        assert!(text.contains("\t1020\t255\t2S3M1D1I4M\t=\t1005\t"), "{text}");
        mason_origins("simulated.7\t99\n".as_bytes()).expect_err("too few fields");
    }

    #[test]
    fn variants_have_genotypes_and_move_with_the_part() {
        let vcf = "##contig=<ID=a,length=9>\n#CHROM\tPOS\n\
                   a\t3\t.\tA\tC\t100\tPASS\tAF=0.5;pl=2;mt=SUBSTITUTE\n";
        let of_part = with_genotypes(vcf).expect("has phases");
        assert!(of_part.ends_with("#CHROM\tPOS\tFORMAT\tsample\na\t3\t.\tA\tC\t100\tPASS\tAF=0.5;pl=2;mt=SUBSTITUTE\tGT\t0|1\n"), "{of_part}");
        let of_genome =
            moved(vcf, 10, &[Contig { name: "a".to_owned(), bases: 99 }]).expect("has positions");
        assert!(
            of_genome.starts_with("##contig=<ID=a,length=99>\n#CHROM\tPOS\na\t13\t.\tA\tC\t"),
            "{of_genome}"
        );
        with_genotypes("a\t3\t.\tA\tC\n").expect_err("no phase");
    }

    #[test]
    fn the_part_is_of_the_first_contig() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("genome.fa");
        fs::write(&path, ">a b\nACGTAC\nGTACGT\n>b\nTTT\n").expect("writes");
        let Cut { part, sequence, contigs } = cut(&path, 4).expect("is FASTA");
        assert_eq!(part, Part { contig: "a".to_owned(), offset: 2, bases: 4 });
        assert_eq!(sequence, "GTAC");
        let lengths: Vec<u64> = contigs.iter().map(|contig| contig.bases).collect();
        assert_eq!(lengths, [12, 3]);
        assert_eq!(cut(&path, 100).expect("is FASTA").sequence, "ACGTACGTACGT");
    }
}
