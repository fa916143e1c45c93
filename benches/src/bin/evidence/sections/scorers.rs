//! Other people's programs that score alignments of simulated reads: `wgsim_eval.pl` of samtools, and Rabema of `SeqAn`.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::peers::{Peer, RABEMA, RABEMA_BUILD, RABEMA_PREPARE, SAMTOOLS, WGSIM_EVAL};
use crate::run::tool::{Tool, Tools};

/// The mapping quality from which on a mapper is sure of a locus.
const SURE: u64 = 10;

/// The greatest share of differences in a read that Rabema scores, in percent.
const DIFFERENCES: u64 = 20;

/// A scorer of reads whose origin is in their names.
#[derive(Debug, Clone)]
pub struct WgsimEval {
    program: Tool,
    samtools: Tool,
}

/// A scorer of reads whose true alignments are known.
#[derive(Debug, Clone)]
pub struct Rabema {
    build: Tool,
    prepare: Tool,
    evaluate: Tool,
    samtools: Tool,
}

impl WgsimEval {
    /// The scorer, if it is installed with samtools.
    pub fn find(tools: &Tools) -> Option<Self> {
        Some(Self { program: found(tools, &WGSIM_EVAL)?, samtools: found(tools, &SAMTOOLS)? })
    }

    /// Counts the primary alignments of a SAM file at true loci, as a share of so many reads, and the wrong ones that the
    /// mapper is sure of.
    pub fn score(&self, folder: &Path, sam: &str, reads: f64) -> Result<BTreeMap<String, f64>> {
        let primary = primary_of(&self.samtools, folder, sam)?;
        let text = run(folder, &self.program, &["alneval", &primary])?;
        let (mut right, mut sure_but_wrong) = (0, 0);
        for row in text.lines() {
            let (from, wrong, mapped) = range(row).with_context(|| format!("alneval: {row}"))?;
            right += mapped - wrong;
            sure_but_wrong += if from >= SURE { wrong } else { 0 };
        }
        Ok(BTreeMap::from([
            (format!("correct, {}", WGSIM_EVAL.0), right as f64 / reads),
            (format!("wrong, MAPQ >= {SURE}, {}", WGSIM_EVAL.0), sure_but_wrong as f64),
        ]))
    }
}

/// The least quality, the wrong and all alignments of a row of `wgsim_eval.pl`: `3x  1 / 200  ...` is of qualities 30 to 39.
fn range(row: &str) -> Option<(u64, u64, u64)> {
    let mut words = row.split_whitespace();
    let tens: u64 = words.next()?.strip_suffix('x')?.parse().ok()?;
    let wrong = words.next()?.parse().ok()?;
    let mapped = words.nth(1)?.parse().ok()?;
    Some((10 * tens, wrong, mapped))
}

impl Rabema {
    /// The scorer, if it is installed with samtools.
    pub fn find(tools: &Tools) -> Option<Self> {
        Some(Self {
            build: found(tools, &RABEMA_BUILD)?,
            prepare: found(tools, &RABEMA_PREPARE)?,
            evaluate: found(tools, &RABEMA)?,
            samtools: found(tools, &SAMTOOLS)?,
        })
    }

    /// Counts the reads of a SAM file whose primary alignment ends where they are from, as a share of all. The true alignments
    /// are sorted and indexed by Rabema once.
    pub fn score(
        &self,
        folder: &Path,
        sam: &str,
        reference: &str,
        truth: &str,
    ) -> Result<BTreeMap<String, f64>> {
        let intervals = format!("{truth}.gsi");
        let (sorted, differences) = (format!("{truth}.bam"), DIFFERENCES.to_string());
        if !folder.join(&intervals).exists() {
            run(folder, &self.samtools, &["sort", "-o", &sorted, truth])?;
            let options = ["--oracle-mode", "-e", &differences, "-o", &intervals];
            run(folder, &self.build, &[&options[..], &["-r", reference, "-b", &sorted]].concat())?;
        }
        // Rabema walks through reads and intervals in the order of names.
        let primary = primary_of(&self.samtools, folder, sam)?;
        let (by_name, prepared) = (format!("{sam}.by-name.sam"), format!("{sam}.rabema.sam"));
        run(folder, &self.samtools, &["sort", "-n", "-o", &by_name, &primary])?;
        run(folder, &self.prepare, &["-i", &by_name, "-o", &prepared])?;
        let report = "rabema.rabema_report_tsv";
        let options = ["--oracle-mode", "--DONT-PANIC", "-c", "any-best", "--out-tsv", report];
        let files = ["-e", &differences, "-r", reference, "-g", &intervals, "-b", &prepared];
        run(folder, &self.evaluate, &[&options[..], &files].concat())?;
        let report = fs::read_to_string(folder.join(report)).context("no report of Rabema")?;
        let right = entry(&report, "normalized_intervals_found")?;
        let share = right / entry(&report, "number_of_reads")?;
        Ok(BTreeMap::from([("correct, Rabema".to_owned(), share)]))
    }
}

/// The number of an entry in a report of Rabema.
fn entry(report: &str, name: &str) -> Result<f64> {
    let of_name = |line: &str| line.strip_prefix("##")?.strip_prefix(name)?.trim().parse().ok();
    report.lines().find_map(of_name).with_context(|| format!("Rabema reports no {name}"))
}

fn found(tools: &Tools, peer: &Peer) -> Option<Tool> {
    tools.find(peer.1, peer.2)
}

/// Writes the primary alignments of a file, and returns the name of their file.
fn primary_of(samtools: &Tool, folder: &Path, sam: &str) -> Result<String> {
    let primary = format!("{sam}.primary.sam");
    run(folder, samtools, &["view", "-h", "-F", "0x900", "-o", &primary, sam])?;
    Ok(primary)
}

/// Runs a program and returns what it prints.
fn run<A: AsRef<OsStr> + Copy>(folder: &Path, tool: &Tool, arguments: &[A]) -> Result<String> {
    let output = Command::new(&tool.path).args(arguments).current_dir(folder).output();
    let output = output.with_context(|| tool.path.display().to_string())?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}", tool.path.display(), said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_scorers_are_read() {
        assert_eq!(
            range("06x            3 / 1200                  1200  2.500e-03"),
            Some((60, 3, 1200))
        );
        assert_eq!(range("0x  1 / 2  1203  1e-3"), Some((0, 1, 2)));
        assert_eq!(range("nothing"), None);
        let report = "##\n##number_of_reads\t4000\n##normalized_intervals_found\t3998\n\
                      ##normalized_intervals_found_percent\t99.95\n";
        let count = |name: &str| entry(report, name).expect("is there") as u64;
        let names = ["number_of_reads", "normalized_intervals_found"];
        assert_eq!(names.map(count), [4000, 3998]);
        entry(report, "additional_hits").expect_err("is not there");
    }
}
