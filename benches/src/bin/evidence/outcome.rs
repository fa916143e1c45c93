//! Results as data.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::run::machine::Machine;

/// All of a run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Evidence {
    pub date: String,
    /// Of the data: full, quick or tiny.
    pub size: String,
    /// Where gpualign was asked to run.
    pub device: String,
    pub threads: usize,
    pub version: String,
    /// Of the repository, if it is known.
    pub commit: Option<String>,
    pub machine: Machine,
    pub sections: Vec<Outcome>,
    pub papers: Vec<Paper>,
    /// None if they were not measured.
    pub steps: Vec<Step>,
}

/// What came of a section.
#[derive(Debug, Serialize, Deserialize)]
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
#[derive(Debug, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    /// In sections on scaling, the size that this row is about; rows of one name are a line then. In others with several
    /// sets of data, of which the name is one, the program.
    pub at: Option<String>,
    pub version: String,
    pub command: String,
    /// Of the whole process, run after run.
    pub seconds: Vec<f64>,
    pub median: f64,
    /// Of the median.
    pub rate: f64,
    /// The most memory of a run, in bytes, as far as it could be seen; with the processes that it started.
    pub peak_bytes: u64,
    #[serde(flatten)]
    pub known: Known,
}

/// What else is known of a contestant's last run.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Known {
    pub facts: BTreeMap<String, f64>,
    /// How often it was wrong, by mapping quality; from the lowest on, and none without the truth.
    pub by_mapq: Vec<OfMapq>,
}

/// Reads with the mapping qualities of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct OfMapq {
    /// The least of the range; it ends before that of the next one.
    pub from: u64,
    pub mapped: u64,
    /// To another place than they are from.
    pub wrong: u64,
}

impl OfMapq {
    /// The quality that its share of errors stands for; what it is at least if none is wrong, `None` of none mapped.
    pub fn measured(&self) -> Option<f64> {
        let share = self.wrong.max(1) as f64 / self.mapped as f64;
        (self.mapped > 0).then(|| -10.0 * share.log10())
    }
}

impl Paper {
    /// The share of the ceiling, in words.
    pub fn share(&self) -> String {
        match self.share_of_ceiling.map(|share| 100.0 * share) {
            Some(share) if share < 9.95 => format!("{share:.1}%"),
            Some(share) => format!("{share:.0}%"),
            None => "not measured".to_owned(),
        }
    }
}

impl Row {
    /// Whether it is about a size, in a section on scaling.
    pub fn is_of_size(&self) -> bool {
        self.at.as_ref().is_some_and(|at| at.parse::<u64>().is_ok())
    }

    /// With what it is about.
    pub fn full_name(&self) -> String {
        self.at.as_ref().map_or_else(|| self.name.clone(), |at| format!("{}, {at}", self.name))
    }
}

/// A small step that everything consists of, by criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub name: String,
    /// What is counted: elements or bytes.
    pub unit: String,
    /// For one of them; the median.
    pub nanoseconds: f64,
}

/// What a paper measured, and we.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Paper {
    pub source: String,
    pub what: String,
    pub theirs: String,
    pub ours: String,
    /// Of what bounds it, from 0 to 1; none where the limit was not measured.
    pub share_of_ceiling: Option<f64>,
    /// What that is.
    pub ceiling: String,
    /// The file that it was computed from.
    pub file: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_qualities() {
        let measured = |mapped, wrong| OfMapq { from: 0, mapped, wrong }.measured();
        assert_eq!(measured(0, 0), None);
        assert!((measured(1000, 1).expect("is known") - 30.0).abs() < 1e-9);
        // At least.
        assert!((measured(1000, 0).expect("is known") - 30.0).abs() < 1e-9);
        assert!(measured(5, 5).expect("is known").abs() < 1e-9);
    }
}
