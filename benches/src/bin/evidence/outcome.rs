//! Results as data.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::machine::Machine;

/// All of a run.
#[derive(Debug, Serialize)]
pub struct Evidence {
    pub date: String,
    /// Of the data: full, quick or tiny.
    pub size: String,
    /// Where gpualign was asked to run.
    pub device: String,
    pub threads: usize,
    pub version: String,
    /// Of the repository, if it is one.
    pub commit: Option<String>,
    pub machine: Machine,
    pub sections: Vec<Outcome>,
    pub papers: Vec<Paper>,
}

/// What came of a section.
#[derive(Debug, Serialize)]
pub struct Outcome {
    pub name: String,
    pub title: String,
    /// What the programs were given.
    pub workload: String,
    /// What a rate counts, in a second.
    pub unit: String,
    pub rows: Vec<Row>,
    /// Programs that are not installed.
    pub missing: Vec<String>,
    /// Why there is less than one may expect.
    pub note: Option<String>,
}

/// What came of a contestant.
#[derive(Debug, Serialize)]
pub struct Row {
    pub name: String,
    pub version: String,
    pub command: String,
    /// Of the whole process, run after run.
    pub seconds: Vec<f64>,
    pub median: f64,
    /// Of the median.
    pub rate: f64,
    /// The most memory of a run, in bytes, as far as it could be seen.
    pub peak_bytes: u64,
    /// What else is known of the last run.
    pub facts: BTreeMap<String, f64>,
}

/// What a paper measured, and we.
#[derive(Debug, Clone, Serialize)]
pub struct Paper {
    pub source: String,
    pub what: String,
    pub theirs: String,
    pub ours: String,
    /// Of the measured limit of the device that binds, where there is one, from 0 to 1.
    pub share_of_ceiling: Option<f64>,
    /// The file that it was computed from.
    pub file: String,
}
