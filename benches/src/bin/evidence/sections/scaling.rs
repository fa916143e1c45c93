//! Sections on scaling: gpualign with more threads, reads, bases of the reference, and GPUs.

use anyhow::Result;

use super::facts::{bytes, records};
use super::plan::Plan;
use crate::inputs::data::{Data, PARTS, READ};
use crate::run::contest::{Contestant, Section};

/// Both modes of mapping with their options; all mapping writes primary records only, to compare like with like.
const MODES: [(&str, &str); 2] = [("best", ""), ("all", "--mode all --primary-only -k 5")];

impl Plan<'_> {
    pub fn scale_threads(&self) -> Result<Section> {
        let part = PARTS[1];
        let mut section = self.scaling_section("Scaling: threads")?;
        section.workload =
            format!("{} single reads of {READ} bases; the best place", self.data.size.reads / part);
        for threads in steps(self.threads as u64) {
            let one = |mode| self.mapping(mode, threads as usize, part, "genome.fa");
            for mode in MODES {
                section.contestants.push(one(mode)?.with_label(format!("{threads}")));
            }
        }
        Ok(section)
    }

    /// A process uses one GPU, so each GPU gets a process with its share of the reads and of the threads, all at once.
    pub fn scale_gpus(&self) -> Result<Section> {
        let mut section = self.scaling_section("Scaling: GPUs")?;
        let (reads, pairs) = (self.data.size.reads, self.data.size.pairs);
        section.workload = format!(
            "best: {pairs} pairs of 150 bases; all: {reads} single reads of {READ} bases; a process a GPU, all \
             at once, each with its share of the reads and of the {} threads",
            self.threads
        );
        let gpus = match self.device {
            "auto" | "cuda" => self.tools.gpus()?,
            device => {
                section.note = Some(format!("Not measured: --device {device} is not all GPUs"));
                return Ok(section);
            }
        };
        if gpus < 2 {
            section.note = Some(format!("Not measured: {gpus} GPU here"));
            return Ok(section);
        }
        for count in steps(gpus) {
            let [first, second] = ["1.fq", "2.fq"].map(|file| self.data.cut(file, pairs, count));
            let both = first?.into_iter().zip(second?).map(|(a, b)| format!("{a} {b}"));
            let both: Vec<String> = both.collect();
            let single = self.data.cut("reads.fq", reads, count)?;
            for (mode, files, amount) in [(MODES[0], both, 2 * pairs), (MODES[1], single, reads)] {
                let one = self.on_gpus(mode, &files, amount as f64)?;
                section.contestants.push(one.with_label(format!("{count}")));
            }
        }
        Ok(section)
    }

    /// Maps each file on a GPU of its own.
    fn on_gpus(
        &self,
        (name, mode): (&str, &str),
        files: &[String],
        reads: f64,
    ) -> Result<Contestant> {
        let threads = (self.threads / files.len()).max(1);
        let out = |gpu: usize| format!("gpu-{gpu}.sam");
        let mut lines = files.iter().enumerate().map(|(gpu, files)| {
            let options = format!("-q {mode} --device cuda:{gpu} -t {threads}");
            format!("{options} {files} genome.fa -o {}", out(gpu))
        });
        let one = self.ours(name, &lines.next().unwrap_or_default(), reads)?;
        Ok(one.with_processes(lines).with_facts(records((0..files.len()).map(out))))
    }

    pub fn scale_reads(&self) -> Result<Section> {
        let mut section = self.scaling_section("Scaling: reads")?;
        section.workload = format!("single reads of {READ} bases; the best place");
        for part in PARTS {
            for mode in MODES {
                let one = self.mapping(mode, self.threads, part, "genome.fa")?;
                section
                    .contestants
                    .push(one.with_label(format!("{}", self.data.size.reads / part)));
            }
        }
        Ok(section)
    }

    pub fn scale_references(&self) -> Result<Section> {
        let mut section = self.scaling_section("Scaling: bases of the reference")?;
        section.workload = format!(
            "{} single reads of {READ} bases of each reference; the best place",
            self.data.size.reads / PARTS[1]
        );
        for (reference, bases) in self.data.references() {
            section
                .before
                .push(self.indexing(&reference)?.with_product(format!("{reference}.gpx")));
            for mode in MODES {
                let one = self.mapping(mode, self.threads, PARTS[1], &reference)?;
                section.contestants.push(one.with_label(format!("{bases}")));
            }
        }
        Ok(section)
    }

    pub fn scale_indexes(&self) -> Result<Section> {
        let mut section = Section::new("Scaling: bases of an index", "bases/s");
        section.workload = format!("{} references", PARTS.len());
        for (reference, bases) in self.data.references() {
            let index = format!("{reference}.gpx");
            let one = Contestant { amount: bases as f64, ..self.indexing(&reference)? };
            section.contestants.push(one.with_label(format!("{bases}")).with_facts(bytes([index])));
        }
        Ok(section)
    }

    fn indexing(&self, reference: &str) -> Result<Contestant> {
        self.ours("index", &format!("index -q {reference} -t {}", self.threads), 1.0)
    }

    fn scaling_section(&self, title: &str) -> Result<Section> {
        let mut section = Section::new(title, "reads/s");
        section.before.push(self.own_index()?);
        Ok(section)
    }

    /// Maps one of `part` equal parts of the reads of a reference.
    fn mapping(
        &self,
        (name, mode): (&str, &str),
        threads: usize,
        part: u64,
        reference: &str,
    ) -> Result<Contestant> {
        let reads = Data::reads(reference, part);
        let device = self.device;
        let line =
            format!("-q {mode} --device {device} -t {threads} {reads} {reference} -o scaled.sam");
        self.ours(name, &line, (self.data.size.reads / part) as f64)
    }
}

/// Powers of two up to a count, and the count itself.
fn steps(most: u64) -> impl Iterator<Item = u64> {
    (0..).map(|step| 1 << step).take_while(move |&count| count < most).chain([most])
}
