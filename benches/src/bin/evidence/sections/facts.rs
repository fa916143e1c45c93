//! Findings from the output of contestants: sizes, records, and accuracy.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use needletail::parse_fastx_file;
use serde_json::Value;

use crate::outcome::{Findings, MapqRange};
use crate::run::contest::Facts;

/// The mapping qualities from which on the error rate is reported.
const SURE: [u64; 2] = [10, 30];

/// Width of a range of mapping qualities.
const RANGE: u64 = 10;

/// Sums up the bytes of an index's files.
pub fn bytes<F: AsRef<Path>>(files: impl IntoIterator<Item = F>) -> Facts {
    let files: Vec<PathBuf> = files.into_iter().map(|file| file.as_ref().to_owned()).collect();
    Box::new(move |folder| Ok(bytes_of("index bytes", folder, &files)))
}

/// The bytes of files in a folder together, as a finding.
fn bytes_of<F: AsRef<Path>>(
    name: &str,
    folder: &Path,
    files: impl IntoIterator<Item = F>,
) -> Findings {
    let size = |file: F| fs::metadata(folder.join(file)).map_or(0, |found| found.len());
    fact(name, files.into_iter().map(size).sum::<u64>() as f64)
}

/// Counts the lines of tables, or of SAM without its header.
pub fn records<F: Into<String>>(files: impl IntoIterator<Item = F>) -> Facts {
    let files: Vec<String> = files.into_iter().map(Into::into).collect();
    Box::new(move |folder| {
        let mut count = 0;
        for file in &files {
            let text = fs::read(folder.join(file)).with_context(|| file.clone())?;
            let lines = text.split(|&byte| byte == b'\n');
            count += lines.filter(|line| !line.is_empty() && !line.starts_with(b"@")).count();
        }
        Ok(fact("records", count as f64))
    })
}

/// Counts the primary records of a BAM file that are flagged as duplicates.
pub fn duplicates(samtools: PathBuf, file: String) -> Facts {
    Box::new(move |folder| {
        let arguments = ["-f", "0x400", "-F", "0x900", file.as_str()];
        Ok(fact("duplicates", counted(&samtools, folder, &arguments)?))
    })
}

/// Counts the records of a CRAM file of a reference, and its bytes.
pub fn cram(samtools: PathBuf, reference: &'static str, file: String) -> Facts {
    Box::new(move |folder| {
        let mut known = bytes_of("file bytes", folder, [&file]);
        let count = counted(&samtools, folder, &["-T", reference, file.as_str()])?;
        known.facts.insert("records".to_owned(), count);
        Ok(known)
    })
}

/// The number of records that `samtools view` selects by its arguments.
fn counted(samtools: &Path, folder: &Path, arguments: &[&str]) -> Result<f64> {
    let mut command = Command::new(samtools);
    let output = command.args(["view", "-c"]).args(arguments).current_dir(folder).output();
    let output = output.with_context(|| samtools.display().to_string())?;
    if !output.status.success() {
        bail!("samtools view: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let count: u64 = text.trim().parse().with_context(|| format!("{arguments:?}: no count"))?;
    Ok(count as f64)
}

/// The mean of the scores in a column of a table, counted from 0; lines that start with `#` are headings.
pub fn mean_score(file: String, column: usize) -> Facts {
    Box::new(move |folder| {
        let path = folder.join(&file);
        let (mut sum, mut count) = (0.0, 0.0);
        for line in BufReader::new(File::open(&path).with_context(|| file.clone())?).lines() {
            let line = line?;
            if line.starts_with('#') {
                continue;
            }
            let score = line.split('\t').nth(column).and_then(|score| score.parse::<f64>().ok());
            sum += score.with_context(|| format!("{file}: no score: {line}"))?;
            count += 1.0;
        }
        Ok(fact("mean score", sum / count))
    })
}

fn fact(name: &str, value: f64) -> Findings {
    Findings { facts: BTreeMap::from([(name.to_owned(), value)]), by_mapq: Vec::new() }
}

/// Counts of the reads in a SAM file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ReadCounts {
    pub reads: u64,
    pub mapped: u64,
    /// Reads with a mate; `proper` is the number of these in proper pairs.
    pub paired: u64,
    pub proper: u64,
}

impl ReadCounts {
    /// Counts the primary lines of SAM.
    pub fn of(path: &Path) -> Result<Self> {
        let mut placed = Self::default();
        for line in
            BufReader::new(File::open(path).with_context(|| path.display().to_string())?).lines()
        {
            let line = line?;
            if line.starts_with('@') {
                continue;
            }
            let flag = line.split('\t').nth(1).and_then(|flag| flag.parse::<u16>().ok());
            let flag =
                flag.with_context(|| format!("{}: not a line of SAM: {line}", path.display()))?;
            // Neither secondary nor supplementary.
            if flag & 0x900 == 0 {
                let has = |bits: u16| u64::from(flag & bits == bits);
                placed.reads += 1;
                placed.mapped += 1 - has(0x4);
                placed.paired += has(0x1);
                placed.proper += has(0x3);
            }
        }
        Ok(placed)
    }
}

/// Counts the reads of FASTQ files, compressed or not.
pub fn reads_of(folder: &Path, files: &[String]) -> Result<u64> {
    let mut reads = 0;
    for file in files {
        let mut records = parse_fastx_file(folder.join(file)).with_context(|| file.clone())?;
        while let Some(record) = records.next() {
            record.with_context(|| file.clone())?;
            reads += 1;
        }
    }
    Ok(reads)
}

/// Of the reads with MAPQ 30 or more in both files, the share with different loci.
pub fn elsewhere(gpualign: &Path, folder: &Path, first: &str, second: &str) -> Result<f64> {
    let json = evaluated(gpualign, folder, &[first, "--compare", second])?;
    json["elsewhere_share"].as_f64().context("no share")
}

/// Runs `gpualign evaluate` and parses its JSON.
fn evaluated(gpualign: &Path, folder: &Path, arguments: &[&str]) -> Result<Value> {
    let mut command = Command::new(gpualign);
    command.arg("evaluate").args(arguments).args(["--format", "json"]).current_dir(folder);
    let output = command.output().with_context(|| gpualign.display().to_string())?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Names of reads that tell their origins, as `gpualign evaluate --truth` calls them: of pairs, and of single reads of `gpualign
/// simulate`.
pub const PAIRS: &str = "wgsim";
pub const SINGLE: &str = "ours";

/// Compares a SAM file with the true loci by `gpualign evaluate`.
pub fn accuracy(gpualign: &Path, folder: &Path, file: &str, truth: &str) -> Result<Findings> {
    let json = evaluated(gpualign, folder, &[file, "--truth", truth])?;
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let reads = number(&json["reads"]);
    let rows = json["by_mapq"].as_array().map_or(&[][..], Vec::as_slice);
    let mut facts = BTreeMap::from([
        ("correct".to_owned(), number(&json["correct"]) / reads),
        ("mapped".to_owned(), 1.0 - number(&json["unmapped"]) / reads),
    ]);
    for least in SURE {
        let sure = rows.iter().rfind(|row| row["mapq"].as_u64() >= Some(least));
        let sure = |key: &str| sure.map_or(0.0, |row| number(&row[key]));
        facts.insert(format!("mapped, MAPQ >= {least}"), sure("mapped") / reads);
        facts.insert(format!("wrong, MAPQ >= {least}"), sure("wrong"));
        facts.insert(format!("error rate, MAPQ >= {least}"), sure("error_rate"));
    }
    Ok(Findings { facts, by_mapq: ranges(rows) })
}

/// Gathers rows of single qualities into ranges, from the lowest on.
fn ranges(rows: &[Value]) -> Vec<MapqRange> {
    let mut ranges = BTreeMap::new();
    for row in rows {
        let of = |key: &str| row[key].as_u64().unwrap_or_default();
        let from = of("mapq") / RANGE * RANGE;
        let range = ranges.entry(from).or_insert(MapqRange { from, mapped: 0, wrong: 0 });
        range.mapped += of("here");
        range.wrong += of("wrong_here");
    }
    ranges.into_values().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_are_counted_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let write =
            |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("writes");
        // A proper pair with a supplementary and a secondary line, a read whose mate is not mapped, that mate, and one
        // without a mate.
        let flags = [0x63, 0x93, 0x863, 0x193, 0x49, 0x85, 0x0, 0x4];
        let lines = flags.map(|flag| format!("read\t{flag}\tc\n")).concat();
        write("a.sam", &format!("@SQ\tSN:c\n{lines}"));
        let placed = ReadCounts::of(&folder.path().join("a.sam")).expect("is SAM");
        assert_eq!(placed, ReadCounts { reads: 6, mapped: 4, paired: 4, proper: 2 });
        write("b.sam", "read\tc\n");
        ReadCounts::of(&folder.path().join("b.sam")).expect_err("has no flag");

        write("1.fq", "@a\nAC\n+\nFF\n@b\n\n+\n\n");
        let files = ["1.fq", "1.fq"].map(str::to_owned);
        assert_eq!(reads_of(folder.path(), &files).expect("is FASTQ"), 4);
        reads_of(folder.path(), &["a.sam".to_owned()]).expect_err("no FASTQ");
    }

    #[test]
    fn scores_are_averaged() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("a.tsv"), "#query\tscore\na\t-3\nb\t4\n").expect("writes");
        let known = mean_score("a.tsv".to_owned(), 1)(folder.path()).expect("is a table");
        assert_eq!(known.facts["mean score"].to_string(), "0.5");
        mean_score("a.tsv".to_owned(), 0)(folder.path()).map(drop).expect_err("no scores");
    }

    #[test]
    fn qualities_are_gathered() {
        let row = |mapq: u64, here: u64, wrong: u64| json!({ "mapq": mapq, "here": here, "wrong_here": wrong });
        let rows = [row(60, 90, 1), row(19, 4, 2), row(10, 1, 0), row(0, 3, 3)];
        let range = |from, mapped, wrong| MapqRange { from, mapped, wrong };
        assert_eq!(ranges(&rows), [range(0, 3, 3), range(10, 5, 2), range(60, 90, 1)]);
        assert_eq!(ranges(&[]), []);
    }
}
