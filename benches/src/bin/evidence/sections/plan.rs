//! The settings that all command lines are made of, and the parts that sections put together.

use std::path::Path;

use anyhow::Result;

use super::facts;
use super::peers::{self, Indexer, Mapper, Peer};
use crate::inputs::data::Data;
use crate::run::contest::{Contestant, Facts, Section};
use crate::run::tool::{Tool, Tools};

/// The data, programs and options that command lines are made of.
#[derive(Debug)]
pub struct Plan<'a> {
    pub data: &'a Data,
    /// The folder of real reads.
    pub real: &'a Path,
    pub tools: &'a Tools,
    pub threads: usize,
    pub device: &'a str,
}

/// Reads whose origin is known, of which mappers write SAM.
#[derive(Debug)]
pub struct KnownReads<'a> {
    /// The name in reports.
    pub name: &'a str,
    pub reference: &'a str,
    /// How many reads there are.
    pub amount: f64,
    /// The first part of the names of output files.
    pub prefix: String,
    /// The form of the reads' names ([`facts::PAIRS`] or [`facts::SINGLE`]).
    pub truth: &'static str,
}

impl Plan<'_> {
    /// The devices that gpualign is measured on, with their names in reports: the requested one, and the CPU beside a GPU.
    pub(super) fn devices(&self) -> Vec<(String, &str)> {
        if self.device == "cpu" {
            return vec![("gpualign".to_owned(), "cpu")];
        }
        [self.device, "cpu"].map(|device| (format!("gpualign, {device}"), device)).into()
    }

    /// Options of every run of gpualign: the device and the number of threads.
    pub(super) fn options(&self, device: &str) -> String {
        format!("-q --device {device} -t {}", self.threads)
    }

    pub(super) fn own_index(&self) -> Result<Contestant> {
        let line = format!("index -q genome.fa -t {}", self.threads);
        Ok(self.ours("index", &line, 1.0)?.with_product("genome.fa.gpx"))
    }

    /// A run of gpualign with the arguments of a line.
    pub(super) fn ours(&self, name: &str, line: &str, amount: f64) -> Result<Contestant> {
        Ok(Contestant::new(name, self.tools.own()?, line, amount))
    }

    /// A run of another program with the arguments of a line, if it is installed.
    pub(super) fn peer(
        &self,
        Peer(name, files, asked): &Peer,
        line: &str,
        amount: f64,
    ) -> Option<Contestant> {
        let tool = self.tools.find(files, asked)?;
        Some(Contestant::new(name, tool, line, amount))
    }

    /// The preparation of another program's index of a FASTA file, if the program is installed.
    pub(super) fn peer_index(&self, wanted: &Peer, reference: &str) -> Option<Contestant> {
        let mut indexers = peers::indexers(reference, self.threads).into_iter();
        let Indexer { peer, line, files } = indexers.find(|indexer| indexer.peer.0 == wanted.0)?;
        Some(self.peer(&peer, &line, 1.0)?.with_product(files.last()?))
    }

    /// A run of another mapper after the preparation of its index; names the mapper as missing if it or its indexer is not
    /// installed.
    pub(super) fn mapper(
        &self,
        section: &mut Section,
        mapper: &Mapper,
        reference: &str,
        amount: f64,
    ) -> Option<Contestant> {
        let Mapper { peer, indexer, line } = mapper;
        let index = indexer.map(|indexer| self.peer_index(&indexer, reference));
        match (self.peer(peer, line, amount), index) {
            (Some(one), Some(Some(index))) => {
                section.prepare_with(index);
                Some(one)
            }
            (Some(one), None) => Some(one),
            _ => {
                section.miss(peer.0);
                None
            }
        }
    }

    /// Adds a mapper of reads whose origin is known, or names it as missing. A row is named after the reads.
    pub(super) fn add_known(
        &self,
        section: &mut Section,
        reads: &KnownReads<'_>,
        mapper: &Mapper,
    ) -> Result<()> {
        let KnownReads { name, reference, amount, prefix, truth } = reads;
        let Some(one) = self.mapper(section, mapper, reference, *amount) else { return Ok(()) };
        let file = format!("{prefix}-{}.sam", mapper.peer.0);
        let one = one.with_name(name).with_label(mapper.peer.0.to_owned()).with_stdout(&file);
        section.contestants.push(self.with_truth(one, file, truth)?);
        Ok(())
    }

    /// A mapper of pairs whose output file is compared with the true loci.
    pub(super) fn with_accuracy(&self, mapper: Contestant, file: String) -> Result<Contestant> {
        self.with_truth(mapper, file, facts::PAIRS)
    }

    /// A mapper whose output file is compared with the true loci, which names of this form tell.
    pub(super) fn with_truth(
        &self,
        mapper: Contestant,
        file: String,
        truth: &'static str,
    ) -> Result<Contestant> {
        let gpualign = self.tools.own()?.path;
        let known = move |folder: &Path| facts::accuracy(&gpualign, folder, &file, truth);
        Ok(mapper.with_facts(Box::new(known)))
    }
}

impl Section {
    /// A section without contestants.
    pub(super) fn new(title: impl Into<String>, unit: &'static str) -> Self {
        Self {
            title: title.into(),
            workload: String::new(),
            unit,
            before: Vec::new(),
            contestants: Vec::new(),
            missing: Vec::new(),
            note: None,
            drawn: None,
            runs: None,
        }
    }

    /// Adds a preparation unless the section has it already.
    pub(super) fn prepare_with(&mut self, one: Contestant) {
        if self.before.iter().all(|other| other.arguments != one.arguments) {
            self.before.push(one);
        }
    }

    /// Adds a contestant after `known` has completed it, or names it as missing.
    pub(super) fn add(
        &mut self,
        contestant: Option<Contestant>,
        name: &str,
        known: impl FnOnce(Contestant) -> Contestant,
    ) {
        match contestant {
            Some(contestant) => self.contestants.push(known(contestant)),
            None => self.miss(name),
        }
    }

    /// Names a program as missing, once.
    pub(super) fn miss(&mut self, name: &str) {
        if self.missing.iter().all(|other| other != name) {
            self.missing.push(name.to_owned());
        }
    }
}

impl Contestant {
    pub(super) fn new(name: &str, tool: Tool, line: &str, amount: f64) -> Self {
        let arguments = vec![words(line)];
        Self {
            name: name.to_owned(),
            at: None,
            tool,
            arguments,
            makes: None,
            stdin: None,
            stdout: None,
            pipe: None,
            amount,
            facts: None,
        }
    }

    /// Adds processes of the same program that run at the same time.
    pub(super) fn with_processes(mut self, lines: impl Iterator<Item = String>) -> Self {
        self.arguments.extend(lines.map(|line| words(&line)));
        self
    }

    pub(super) fn with_name(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub(super) fn with_label(self, at: String) -> Self {
        Self { at: Some(at), ..self }
    }

    pub(super) fn with_product(self, file: impl Into<String>) -> Self {
        Self { makes: Some(file.into()), ..self }
    }

    pub(super) fn with_stdin(self, file: &'static str) -> Self {
        Self { stdin: Some(file), ..self }
    }

    pub(super) fn with_stdout(self, file: impl Into<String>) -> Self {
        Self { stdout: Some(file.into()), ..self }
    }

    /// Adds the commands of a shell that the output of the program is piped into.
    pub(super) fn with_pipe(self, commands: String) -> Self {
        Self { pipe: Some(commands), ..self }
    }

    pub(super) fn with_facts(self, facts: Facts) -> Self {
        Self { facts: Some(facts), ..self }
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
