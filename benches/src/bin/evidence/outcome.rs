//! The results of a run as data, which becomes `evidence.json`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::run::machine::Machine;

/// The results of a whole run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Evidence {
    pub date: String,
    /// The size of the data: full, quick or tiny.
    pub size: String,
    /// The device that gpualign was asked to use: auto, cpu, cuda or cuda:N.
    pub device: String,
    pub threads: usize,
    pub version: String,
    /// The commit of the repository, if it is known.
    pub commit: Option<String>,
    pub machine: Machine,
    pub sections: Vec<SectionResult>,
    pub papers: Vec<PaperRow>,
    /// Small steps; empty if they were not measured.
    pub steps: Vec<SmallStep>,
}

/// The results of a section.
#[derive(Debug, Serialize, Deserialize)]
pub struct SectionResult {
    pub name: String,
    pub title: String,
    /// The input of the programs, in words.
    pub workload: String,
    /// The unit of rates, for example `reads/s`.
    pub unit: String,
    pub rows: Vec<ContestantResult>,
    /// Programs that are not installed.
    pub missing: Vec<String>,
    /// An explanation for the reader, for example of missing rows.
    pub note: Option<String>,
    /// The finding that the chart shows instead of rates, by its name.
    #[serde(default)]
    pub drawn: Option<String>,
}

/// The results of a contestant.
#[derive(Debug, Serialize, Deserialize)]
pub struct ContestantResult {
    pub name: String,
    /// In sections on scaling, the size of the run; the rows of one name are a line in the chart. In sections whose rows
    /// are named after sets of data, the program.
    pub at: Option<String>,
    pub version: String,
    /// The commit that the program was built from, if it is known; gpualign's is that of the run.
    #[serde(default)]
    pub commit: Option<String>,
    pub command: String,
    /// Seconds of the whole process, for each run.
    pub seconds: Vec<f64>,
    pub median: f64,
    /// The median of the seconds of processors.
    pub cpu_seconds: f64,
    /// Units a second at the median time.
    pub rate: f64,
    /// The greatest memory of a run in bytes, with the processes that it started, as far as sampling sees it.
    pub peak_bytes: u64,
    #[serde(flatten)]
    pub known: Findings,
}

/// Findings from the output of a contestant's first run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Findings {
    pub facts: BTreeMap<String, f64>,
    /// Wrong alignments by mapping quality, from the lowest on; empty if the truth is not known.
    pub by_mapq: Vec<MapqRange>,
}

/// Reads with the mapping qualities of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapqRange {
    /// The least quality of the range, which ends before the next range.
    pub from: u64,
    pub mapped: u64,
    /// Reads that are mapped to another locus than their origin.
    pub wrong: u64,
}

impl MapqRange {
    /// The quality that the share of errors stands for: a lower bound if no read is wrong, `None` if none is mapped.
    pub fn measured(&self) -> Option<f64> {
        let share = self.wrong.max(1) as f64 / self.mapped as f64;
        (self.mapped > 0).then(|| -10.0 * share.log10())
    }
}

impl PaperRow {
    /// The share of the ceiling as a percentage, or `not measured`.
    pub fn share(&self) -> String {
        match self.share_of_ceiling.map(|share| 100.0 * share) {
            Some(share) if share < 9.95 => format!("{share:.1}%"),
            Some(share) => format!("{share:.0}%"),
            None => "not measured".to_owned(),
        }
    }
}

impl ContestantResult {
    /// Whether the row is about a size, in a section on scaling.
    pub fn is_of_size(&self) -> bool {
        self.at.as_ref().is_some_and(|at| at.parse::<u64>().is_ok())
    }

    /// The program's name alone: rows are named after it, after sets of data, or, in sections on scaling, after what gpualign
    /// does.
    pub fn program(&self) -> &str {
        let name = match &self.at {
            Some(_) if self.is_of_size() => "gpualign",
            Some(at) => at,
            None => &self.name,
        };
        name.split(',').next().unwrap_or_default()
    }

    /// The version, with the commit behind it if it is known.
    pub fn full_version(&self) -> String {
        match &self.commit {
            Some(commit) => format!("{} ({commit})", self.version),
            None => self.version.clone(),
        }
    }

    /// The name, with the size or the program behind it.
    pub fn full_name(&self) -> String {
        self.at.as_ref().map_or_else(|| self.name.clone(), |at| format!("{}, {at}", self.name))
    }
}

/// The time of a small step, for example a rank query, measured by criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SmallStep {
    pub name: String,
    /// The thing that is counted: elements or bytes.
    pub unit: String,
    /// Median nanoseconds for one element or byte.
    pub nanoseconds: f64,
}

/// A number of a paper beside gpualign's.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PaperRow {
    pub source: String,
    pub what: String,
    pub theirs: String,
    pub ours: String,
    /// gpualign's share of the ceiling, 0 to 1; `None` if the ceiling was not measured.
    pub share_of_ceiling: Option<f64>,
    /// The ceiling, in words.
    pub ceiling: String,
    /// The file of results that gpualign's number was computed from.
    pub file: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_qualities() {
        let measured = |mapped, wrong| MapqRange { from: 0, mapped, wrong }.measured();
        assert_eq!(measured(0, 0), None);
        assert!((measured(1000, 1).expect("is known") - 30.0).abs() < 1e-9);
        // At least.
        assert!((measured(1000, 0).expect("is known") - 30.0).abs() < 1e-9);
        assert!(measured(5, 5).expect("is known").abs() < 1e-9);
    }
}
