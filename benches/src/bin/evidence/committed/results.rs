//! The results that the repository keeps, as JSON values.
//!
//! Files of a folder are named by date and topic, `YYYY-MM-DD-topic.json`. A whole run of `evidence` has
//! the papers' experiments, by topic, in `papers.json` of its folder `YYYY-MM-DD-HOST`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

/// The file of a run's folder with the papers' experiments.
pub const EXPERIMENTS: &str = "papers.json";

/// The file with the results of a whole run, which templates know by the name of its folder.
const EVIDENCE: &str = "evidence.json";

/// Results, by topic and date.
#[derive(Debug)]
pub struct Results {
    /// The files of a folder, by their names without `.json`: `YYYY-MM-DD-topic`.
    files: BTreeMap<String, Value>,
    /// The experiments of runs, by the names of their folders.
    runs: BTreeMap<String, Value>,
    /// Results of the present run, by topic; they take precedence.
    measured: BTreeMap<String, Value>,
}

/// Results of one topic.
pub struct Source<'r> {
    pub json: &'r Value,
    pub file: String,
}

impl Results {
    /// Reads all files of a folder, and the experiments of the runs in it.
    pub fn read(folder: &Path) -> Result<Self> {
        let (mut files, mut runs) = (BTreeMap::new(), BTreeMap::new());
        for file in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = file?.path();
            let name = |part: Option<&std::ffi::OsStr>| {
                part.unwrap_or_default().to_string_lossy().into_owned()
            };
            let (experiments, evidence) = (path.join(EXPERIMENTS), path.join(EVIDENCE));
            if evidence.exists() {
                files.insert(name(path.file_name()), json(&evidence)?);
            }
            if path.extension().is_some_and(|extension| extension == "json") {
                files.insert(name(path.file_stem()), json(&path)?);
            } else if experiments.exists() {
                runs.insert(name(path.file_name()), json(&experiments)?);
            }
        }
        Ok(Self { files, runs, measured: BTreeMap::new() })
    }

    /// Adds the results of the present run, by topic, which take precedence.
    pub fn with_measured(self, measured: BTreeMap<String, Value>) -> Self {
        Self { measured, ..self }
    }

    pub fn files(&self) -> &BTreeMap<String, Value> {
        &self.files
    }

    /// The ceiling of a kernel for global alignments: which of the measured `ceilings`, the rates of kernels that do
    /// nothing but one operation, bounds its speed. Null for a kernel without one.
    pub fn ceiling_of(&self, kernel: &str) -> Value {
        let kernels = self.newest("nw").ok().and_then(|source| source.json["kernels"].as_array());
        let found = kernels.into_iter().flatten().find(|found| found["kernel"] == kernel);
        found.map_or(Value::Null, |found| found["ceiling"].clone())
    }

    /// The newest results among several topics that have the same measurement.
    pub fn newest_of(&self, topics: &[&str]) -> Result<Source<'_>> {
        let found = topics.iter().filter_map(|topic| self.newest(topic).ok());
        // Names of files begin with the date, behind which "this run" sorts.
        let found = found.max_by(|one, other| one.file.cmp(&other.file));
        found.with_context(|| format!("no results of {}", topics.join(" or ")))
    }

    /// The results of a topic: those of the present run, or else the newest by the date in the name. If a file and a whole
    /// run have the same date, the results are the whole run's.
    pub fn newest(&self, topic: &str) -> Result<Source<'_>> {
        if let Some(json) = self.measured.get(topic) {
            return Ok(Source { json, file: "this run".to_owned() });
        }
        let of_files = self.files.iter().filter(|(name, _)| name.get(11..) == Some(topic));
        let of_files =
            of_files.map(|(name, json)| (name, Source { json, file: format!("{name}.json") }));
        let of_runs = self.runs.iter().filter_map(|(name, run)| {
            let file = format!("{name}/{EXPERIMENTS}");
            Some((name, Source { json: run.get(topic)?, file }))
        });
        let found = of_files.chain(of_runs).max_by_key(|(name, _)| name.get(..10));
        found.map(|(_, source)| source).with_context(|| format!("no results of {topic}"))
    }
}

/// The drawings of the newest run of the runtime's experiments that has its own file, in the order of their names.
pub fn figures(results: &Results, folder: &Path) -> Result<Vec<String>> {
    let mut names = results.files.keys().rev();
    let name = names.find(|name| name.get(11..) == Some("runtime"));
    let folder = folder.join(name.context("no results of runtime")?);
    let files = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut paths = files.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "svg"));
    paths.sort();
    let read =
        |path: PathBuf| fs::read_to_string(&path).with_context(|| path.display().to_string());
    paths.into_iter().map(read).collect()
}

fn json(path: &Path) -> Result<Value> {
    let named = || path.display().to_string();
    let text = fs::read_to_string(path).with_context(named)?;
    serde_json::from_str(&text).with_context(named)
}

impl Source<'_> {
    pub fn list(&self, key: &str) -> Result<&[Value]> {
        let list = self.json[key].as_array().map(Vec::as_slice);
        list.with_context(|| format!("{}: no {key}", self.file))
    }

    pub fn number(&self, key: &str) -> Result<f64> {
        self.json[key].as_f64().with_context(|| format!("{}: no {key}", self.file))
    }

    /// The cases of all experiments of a run.
    pub fn points(&self, run: usize) -> Result<Vec<&Value>> {
        let run = self.list("runs")?.get(run).with_context(|| format!("{}: runs", self.file))?;
        let experiments = run["experiments"].as_array().into_iter().flatten();
        Ok(experiments.filter_map(|found| found["points"].as_array()).flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_of_a_topic_is_found_among_files_and_runs() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("makes it");
            fs::write(path, text).expect("writes");
        };
        write("2026-01-02-nw.json", "1");
        write("2026-01-04-runtime.json", "2");
        write("2026-01-02-host/papers.json", "{\"nw\": 3, \"runtime\": 4}");
        write("2026-01-03-host/evidence.json", "{\"nw\": 5}");
        let results = Results::read(folder.path()).expect("reads");
        let newest =
            |topic| results.newest(topic).map(|source| (source.json.as_u64(), source.file)).ok();
        assert_eq!(newest("nw"), Some((Some(3), "2026-01-02-host/papers.json".to_owned())));
        assert_eq!(newest("runtime"), Some((Some(2), "2026-01-04-runtime.json".to_owned())));
        assert_eq!(newest("blastn"), None);
        let newest_of = |topics: &[&str]| results.newest_of(topics).map(|found| found.file).ok();
        assert_eq!(
            newest_of(&["blastn", "nw", "runtime"]),
            Some("2026-01-04-runtime.json".to_owned())
        );
        assert_eq!(newest_of(&["blastn"]), None);
        let names: Vec<&str> = results.files().keys().map(String::as_str).collect();
        assert_eq!(names, ["2026-01-02-nw", "2026-01-03-host", "2026-01-04-runtime"]);

        write("2026-01-05-host/papers.json", "no JSON");
        Results::read(folder.path()).expect_err("a file that is not whole");
    }
}
