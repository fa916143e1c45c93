//! The settings that all command lines are made of, and the parts that sections put together.

use std::path::Path;

use anyhow::Result;

use super::facts;
use super::peers::{self, Indexer, Peer};
use crate::inputs::data::Data;
use crate::run::contest::{Contestant, Facts, Section};
use crate::run::tool::{Tool, Tools};

/// All that command lines are made of.
#[derive(Debug)]
pub struct Plan<'a> {
    pub data: &'a Data,
    /// The folder of real reads.
    pub real: &'a Path,
    pub tools: &'a Tools,
    pub threads: usize,
    pub device: &'a str,
}

impl Plan<'_> {
    /// Where gpualign runs, each with its name in reports: also on the processor if it is to run on a GPU.
    pub(super) fn devices(&self) -> Vec<(String, &str)> {
        if self.device == "cpu" {
            return vec![("gpualign".to_owned(), "cpu")];
        }
        [self.device, "cpu"].map(|device| (format!("gpualign, {device}"), device)).into()
    }

    /// What gpualign is always told: where to run, and with how many threads.
    pub(super) fn options(&self, device: &str) -> String {
        format!("-q --device {device} -t {}", self.threads)
    }

    pub(super) fn own_index(&self) -> Result<Contestant> {
        let line = format!("index -q genome.fa -t {}", self.threads);
        Ok(self.ours("index", &line, 1.0)?.making("genome.fa.gpx"))
    }

    /// Our program with these arguments.
    pub(super) fn ours(&self, name: &str, line: &str, amount: f64) -> Result<Contestant> {
        Ok(Contestant::new(name, self.tools.own()?, line, amount))
    }

    /// Another program with these arguments, if it is there.
    pub(super) fn peer(
        &self,
        Peer(name, files, asked): &Peer,
        line: &str,
        amount: f64,
    ) -> Option<Contestant> {
        let tool = self.tools.find(files, asked)?;
        Some(Contestant::new(name, tool, line, amount))
    }

    /// The index of another program, if it is there; to be made before.
    pub(super) fn peer_index(&self, wanted: &Peer) -> Option<Contestant> {
        let mut indexers = peers::indexers("", self.threads).into_iter();
        let Indexer { peer, line, files } = indexers.find(|indexer| indexer.peer.0 == wanted.0)?;
        Some(self.peer(&peer, &line, 1.0)?.making(files.last()?))
    }

    /// A mapper whose file is held against the truth.
    pub(super) fn placing(&self, mapper: Contestant, file: &'static str) -> Result<Contestant> {
        let gpualign = self.tools.own()?.path;
        Ok(mapper.knowing(Box::new(move |folder| facts::accuracy(&gpualign, folder, file))))
    }
}

impl Section {
    /// An empty one.
    pub(super) fn new(title: impl Into<String>, unit: &'static str) -> Self {
        Self {
            title: title.into(),
            workload: String::new(),
            unit,
            before: Vec::new(),
            contestants: Vec::new(),
            missing: Vec::new(),
            note: None,
        }
    }

    /// Has this run before, if it is not going to be yet.
    pub(super) fn before_all(&mut self, one: Contestant) {
        if self.before.iter().all(|other| other.arguments != one.arguments) {
            self.before.push(one);
        }
    }

    /// Takes a contestant with what is to be known of it, or names it as missing.
    pub(super) fn enter(
        &mut self,
        contestant: Option<Contestant>,
        name: &str,
        known: impl FnOnce(Contestant) -> Contestant,
    ) {
        match contestant {
            Some(contestant) => self.contestants.push(known(contestant)),
            None => self.missing.push(name.to_owned()),
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
            amount,
            facts: None,
        }
    }

    /// With other processes of the same program, at the same time.
    pub(super) fn beside(mut self, lines: impl Iterator<Item = String>) -> Self {
        self.arguments.extend(lines.map(|line| words(&line)));
        self
    }

    pub(super) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }

    pub(super) fn at(self, at: String) -> Self {
        Self { at: Some(at), ..self }
    }

    pub(super) fn making(self, file: impl Into<String>) -> Self {
        Self { makes: Some(file.into()), ..self }
    }

    pub(super) fn reading(self, file: &'static str) -> Self {
        Self { stdin: Some(file), ..self }
    }

    pub(super) fn printing(self, file: impl Into<String>) -> Self {
        Self { stdout: Some(file.into()), ..self }
    }

    pub(super) fn knowing(self, facts: Facts) -> Self {
        Self { facts: Some(facts), ..self }
    }
}

fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(str::to_owned).collect()
}
