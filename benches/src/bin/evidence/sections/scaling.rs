//! How gpualign scales: with threads, reads, and the reference.

use anyhow::Result;

use super::Plan;
use super::facts::bytes;
use crate::contest::{Contestant, Section};
use crate::data::{Data, PARTS, READ};

/// Both modes of mapping, with what they are told: all places, or where each read is from.
const MODES: [(&str, &str); 2] = [("everyday", ""), ("complete", "--mode complete -k 5")];

impl Plan<'_> {
    pub fn of_threads(&self) -> Result<Section> {
        let part = PARTS[1];
        let mut section = self.of_mapping("Scaling: threads")?;
        section.workload =
            format!("{} single reads of {READ} bases; the best place", self.data.size.reads / part);
        section.note =
            Some("gpualign takes one GPU at a time, so there is no scaling with GPUs".to_owned());
        let steps = (0..).map(|step| 1 << step).take_while(|&threads| threads < self.threads);
        for threads in steps.chain([self.threads]) {
            let one = |mode| self.mapping(mode, threads, part, "genome.fa");
            for mode in MODES {
                section.contestants.push(one(mode)?.at(format!("{threads}")));
            }
        }
        Ok(section)
    }

    pub fn of_reads(&self) -> Result<Section> {
        let mut section = self.of_mapping("Scaling: reads")?;
        section.workload = format!("single reads of {READ} bases; the best place");
        for part in PARTS {
            for mode in MODES {
                let one = self.mapping(mode, self.threads, part, "genome.fa")?;
                section.contestants.push(one.at(format!("{}", self.data.size.reads / part)));
            }
        }
        Ok(section)
    }

    pub fn of_references(&self) -> Result<Section> {
        let mut section = self.of_mapping("Scaling: bases of the reference")?;
        section.workload = format!(
            "{} single reads of {READ} bases of each reference; the best place",
            self.data.size.reads / PARTS[1]
        );
        for (reference, bases) in self.data.references() {
            section.before.push(self.indexing(&reference)?.making(format!("{reference}.gpx")));
            for mode in MODES {
                let one = self.mapping(mode, self.threads, PARTS[1], &reference)?;
                section.contestants.push(one.at(format!("{bases}")));
            }
        }
        Ok(section)
    }

    pub fn of_indexes(&self) -> Result<Section> {
        let mut section = Section::new("Scaling: bases of an index", "bases/s");
        section.workload = format!("{} references", PARTS.len());
        for (reference, bases) in self.data.references() {
            let index = format!("{reference}.gpx");
            let one = Contestant { amount: bases as f64, ..self.indexing(&reference)? };
            section.contestants.push(one.at(format!("{bases}")).knowing(bytes([index])));
        }
        Ok(section)
    }

    fn indexing(&self, reference: &str) -> Result<Contestant> {
        self.ours("index", &format!("index -q {reference} -t {}", self.threads), 1.0)
    }

    fn of_mapping(&self, title: &str) -> Result<Section> {
        let mut section = Section::new(title, "reads/s");
        section.before.push(self.own_index()?);
        Ok(section)
    }

    /// Maps one of so many parts of the reads from a reference.
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
