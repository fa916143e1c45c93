//! The papers' numbers beside ours.
//!
//! 000 is S. Cole's dissertation, 001 Da Li's. Ours are computed from the results of GPU runs that the
//! repository keeps; the papers' are of cards of their time. Ceilings are what was measured of one NVIDIA
//! H200 (`ceilings.json`).

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::outcome::Paper;

/// Results as data.
#[derive(Debug)]
pub struct Results {
    /// The files of a folder, by their names without `.json`: `YYYY-MM-DD-topic`.
    files: BTreeMap<String, Value>,
    /// What was measured now, by topic: goes before the files.
    measured: BTreeMap<String, Value>,
}

impl Results {
    /// Reads all files of a folder.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut files = BTreeMap::new();
        for file in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
            let path = file?.path();
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if path.extension().is_some_and(|extension| extension == "json") {
                let named = || path.display().to_string();
                let text = fs::read_to_string(&path).with_context(named)?;
                files.insert(name, serde_json::from_str(&text).with_context(named)?);
            }
        }
        Ok(Self { files, measured: BTreeMap::new() })
    }

    /// The same, with what was measured now.
    pub fn with_measured(self, measured: BTreeMap<String, Value>) -> Self {
        Self { measured, ..self }
    }

    pub fn files(&self) -> &BTreeMap<String, Value> {
        &self.files
    }

    /// What the ceiling of a kernel for global alignments is called; null of one that has none.
    pub fn ceiling_of(&self, kernel: &str) -> Value {
        let kernels = self.newest("nw").ok().and_then(|source| source.json["kernels"].as_array());
        let found = kernels.into_iter().flatten().find(|found| found["kernel"] == kernel);
        found.map_or(Value::Null, |found| found["ceiling"].clone())
    }

    /// What was measured now of a topic, or else the last file of it, by the date in its name.
    pub fn newest(&self, topic: &str) -> Result<Source<'_>> {
        if let Some(json) = self.measured.get(topic) {
            return Ok(Source { json, file: "this run".to_owned() });
        }
        let mut found = self.files.iter().rev();
        let found = found.find(|(name, _)| name.get(11..) == Some(topic));
        let (name, json) = found.with_context(|| format!("no results of {topic}"))?;
        Ok(Source { json, file: format!("{name}.json") })
    }
}

/// The drawings of the newest run of the runtime's experiments, in the order of their names.
pub fn figures(results: &Results, folder: &Path) -> Result<Vec<String>> {
    let source = results.newest("runtime")?;
    let folder = folder.join(source.file.trim_end_matches(".json"));
    let files = fs::read_dir(&folder).with_context(|| folder.display().to_string())?;
    let mut paths = files.map(|file| Ok(file?.path())).collect::<Result<Vec<_>>>()?;
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "svg"));
    paths.sort();
    let read =
        |path: PathBuf| fs::read_to_string(&path).with_context(|| path.display().to_string());
    paths.into_iter().map(read).collect()
}

/// A file of results.
pub struct Source<'r> {
    pub json: &'r Value,
    file: String,
}

/// All rows.
pub fn rows(results: &Results) -> Result<Vec<Paper>> {
    let source = |topic| results.newest(topic);
    let ceilings = source("ceilings")?;
    let mut rows = streaming(&source("runtime")?)?;
    rows.extend(aligner(&source("trie-ablation")?, &ceilings)?);
    rows.extend(alignments(&source("nw")?, &ceilings)?);
    rows.extend(filter(&source("blastn")?)?);
    Ok(rows)
}

/// The runtime: 000, chapters 3 and 4.
fn streaming(source: &Source<'_>) -> Result<Vec<Paper>> {
    // The application, or policy, of a case of the first run (10^6 items) or the second (16 x 10^6).
    let seconds = |run: usize, app: &str, policy: &str, rate: f64, level: f64| {
        let points = source.points(run)?;
        let is = |point: &&Value| {
            point["app"] == app
                && point["policy"] == policy
                && point["filter_rate"] == rate
                && point["level"]["microseconds"] == level
                && point["width"] == 128
        };
        points.iter().copied().find(is).with_context(|| format!("{}: no {app}", source.file))
    };
    let time = |point: &Value| point["seconds"].as_f64().unwrap_or(f64::NAN);
    let full = |point: &Value| {
        let sum = |key: &str| -> f64 {
            let modules = point["metrics"]["modules"].as_array().into_iter().flatten();
            modules.filter_map(|module| module[key].as_f64()).sum()
        };
        sum("full_firings") / sum("firings")
    };
    let ratio = |rate| -> Result<f64> {
        let merged = seconds(0, "Merged", "lazy", rate, 40.0)?;
        Ok(time(merged) / time(seconds(0, "DiffType", "lazy", rate, 40.0)?))
    };
    let mut rows = vec![
        source.row(
            "000, figure 3.12",
            "fused over split, rate 0.5, 40 us",
            "above 1.5",
            format!("{:.2}", ratio(0.5)?),
        ),
        source.row(
            "000, figure 3.12",
            "fused over split, rate 0, 40 us",
            "below 1",
            format!("{:.2}", ratio(0.0)?),
        ),
    ];
    for (app, paper) in [("DiffType", 0.94), ("SelfLoop", 0.94), ("SameType", 0.93)] {
        let found = full(seconds(1, app, "lazy", 0.5, 40.0)?);
        let what = format!("full firings of {app}, lazy, 16 x 10^6 items");
        let paper = format!("{:.0}%", 100.0 * paper);
        rows.push(source.row("000, figure 4.11", &what, &paper, format!("{:.0}%", 100.0 * found)));
    }
    Ok(rows)
}

/// The aligner over the suffix trie: 000, chapter 2.
fn aligner(source: &Source<'_>, ceilings: &Source<'_>) -> Result<Vec<Paper>> {
    let mut parts = source.json.as_object().into_iter().flatten();
    let points = parts.find_map(|(_, value)| value["points"].as_array());
    let points = points.with_context(|| format!("{}: no points", source.file))?;
    let find = |name: &str| {
        let of_name = points.iter().find(|point| point["variant"]["name"] == name);
        of_name.with_context(|| format!("{}: no variant '{name}'", source.file))
    };
    let rate =
        |name| -> Result<f64> { Ok(find(name)?["reads_per_second"].as_f64().unwrap_or(0.0)) };
    let (lists, decoupled, slices) = (
        rate("separate lists")?,
        rate("+ decoupled, threshold 128")?,
        rate("+ slices, redistribution")?,
    );
    let looks = find("+ slices, redistribution")?["rank_reads_per_second"].as_f64();
    let shared = source.row(
        "000, section 2.5",
        "sharing and decoupling over separate lists, 100,000 reads",
        "2 to 3",
        format!("{:.2}", decoupled / lists),
    );
    let sliced = source.row(
        "000, section 2.5",
        "slices that give idle blocks work",
        "1.10",
        format!("{:.2}", slices / decoupled),
    );
    let served = ceilings.number("reads of 64 bytes from L2")?;
    Ok(vec![shared, Paper { share_of_ceiling: looks.map(|looks| looks / served), ..sliced }])
}

/// Global alignments: 001, chapters 2 and 3.
fn alignments(source: &Source<'_>, ceilings: &Source<'_>) -> Result<Vec<Paper>> {
    let figure = |figure: &str, name: &str, length: u64, more_than: u64| {
        let is = |case: &&Value| {
            case["figure"] == figure
                && case["name"] == name
                && case["length"] == length
                && case["pairs"].as_u64() >= Some(more_than)
        };
        let found = source.list("figures")?.iter().find(is);
        let found = found.with_context(|| format!("{}: no {name}", source.file))?;
        Ok::<_, anyhow::Error>(found["seconds"].as_f64().unwrap_or(f64::NAN))
    };
    let faster = |a: f64, b: f64| format!("{:.1}", a / b);
    let less = |part: f64, whole: f64| format!("{:.0}% less time", 100.0 * (1.0 - part / whole));
    let host = figure("8", "rodinia, set up on the host", 1536, 64)?;
    let device = figure("8", "rodinia, set up on the device", 1536, 64)?;
    let locked = figure("8", "rodinia, and page-locked memory", 1536, 64)?;
    let rodinia = figure("9, 10", "rodinia", 1536, 64)?;
    let tiled = figure("9, 10", "tiled-dscan", 1536, 64)?;
    let dscan = figure("9, 10", "dscan", 1536, 64)?;
    let full = figure("11", "rodinia, from 64 pairs", 512, 1000)?;
    let rscan = figure("11", "rscan", 512, 1000)?;
    let pageable = figure("12", "dscan, pageable memory", 1536, 1000)?;
    let copied = figure("12", "dscan, page-locked memory", 1536, 1000)?;
    let both = figure("12", "dscan, double buffering", 1536, 1000)?;
    let mut rows = Vec::new();
    for (number, what, paper, ours) in [
        (
            8,
            "matrices set up on the device, 64 pairs of 1,536",
            "5 to 25% less time",
            less(device, host),
        ),
        (8, "and page-locked memory", "30 to 50% less time", less(locked, host)),
        (9, "tiled-dscan over rodinia, 64 pairs of 1,536", "up to 2", faster(rodinia, tiled)),
        (10, "dscan over rodinia, 64 pairs of 1,536", "above tiled-dscan", faster(rodinia, dscan)),
        (11, "rscan over rodinia, 512 bases, memory full", "up to 5", faster(full, rscan)),
        (12, "page-locked over pageable memory", "1.6", faster(pageable, copied)),
        (12, "double buffering over page-locked memory", "1.2", faster(copied, both)),
    ] {
        rows.push(source.row(&format!("001, figure {number}"), what, paper, ours));
    }
    for found in source.list("kernels")? {
        let (Some(kernel), Some(ceiling)) = (found["kernel"].as_str(), found["ceiling"].as_str())
        else {
            continue;
        };
        let cells = found["kernel_tcells_per_second"].as_f64().unwrap_or(f64::NAN);
        let ours = format!("{cells:.2} T cells/s");
        let row = source.row("001, chapter 3", &format!("kernel: {kernel}"), "", ours);
        let share = cells * 1e12 / ceilings.number(ceiling)?;
        rows.push(Paper { share_of_ceiling: Some(share), ..row });
    }
    Ok(rows)
}

/// The filter pipeline of blastn: 000, chapter 5.
fn filter(source: &Source<'_>) -> Result<Vec<Paper>> {
    let points = source.json["pipeline"]["width 256"].as_array();
    let points = points.with_context(|| format!("{}: no pipeline", source.file))?;
    let seconds = |build: &str, query: u64| {
        let is = |point: &&Value| point["build"] == build && point["query"] == query;
        points.iter().find(is).and_then(|point| point["kernel_seconds"].as_f64())
    };
    let mut rows = Vec::new();
    for query in [2000, 10_000] {
        let times = seconds("merged", query).zip(seconds("split", query));
        let (merged, split) = times.with_context(|| format!("{}: no {query}", source.file))?;
        let what = format!("blastn's pipeline, split over merged, query of {query} bases");
        let ours = format!("{:.1}", merged / split);
        rows.push(source.row("000, chapter 5", &what, "1.27 to 1.78", ours));
    }
    Ok(rows)
}

impl Source<'_> {
    fn list(&self, key: &str) -> Result<&[Value]> {
        let list = self.json[key].as_array().map(Vec::as_slice);
        list.with_context(|| format!("{}: no {key}", self.file))
    }

    fn number(&self, key: &str) -> Result<f64> {
        self.json[key].as_f64().with_context(|| format!("{}: no {key}", self.file))
    }

    /// The cases of all experiments of a run.
    fn points(&self, run: usize) -> Result<Vec<&Value>> {
        let run = self.list("runs")?.get(run).with_context(|| format!("{}: runs", self.file))?;
        let experiments = run["experiments"].as_array().into_iter().flatten();
        Ok(experiments.filter_map(|found| found["points"].as_array()).flatten().collect())
    }

    fn row(&self, source: &str, what: &str, theirs: &str, ours: String) -> Paper {
        Paper {
            source: source.to_owned(),
            what: what.to_owned(),
            theirs: theirs.to_owned(),
            ours,
            share_of_ceiling: None,
            file: self.file.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_results_have_every_row() {
        let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "results"].iter().collect();
        let rows = rows(&Results::read(&folder).expect("are there")).expect("have them");
        assert!(rows.iter().all(|row| !row.ours.contains("NaN") && !row.ours.contains("inf")));
        let share = |what: &str| {
            rows.iter().find(|row| row.what == what).and_then(|row| row.share_of_ceiling)
        };
        // As benches/RESULTS.md has them.
        let linear = share("kernel: linear, scores, warp").expect("has a ceiling");
        assert!((linear - 0.61).abs() < 0.005, "{linear}");
        let edit = share("kernel: edit distance, scores, edit").expect("has a ceiling");
        assert!((edit - 0.57).abs() < 0.005, "{edit}");
    }
}
