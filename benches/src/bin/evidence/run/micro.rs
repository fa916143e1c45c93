//! Small steps as criterion measured them: `cargo bench` leaves a folder for each benchmark.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use crate::outcome::SmallStep;

/// The benchmarks in criterion's folder, by name.
pub fn measured(folder: &Path) -> Result<Vec<SmallStep>> {
    let mut steps = Vec::new();
    gather(folder, &mut steps)?;
    steps.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(steps)
}

/// Collects the steps in a folder and its subfolders. The newest run is in folders named `new`; earlier runs have other names.
fn gather(folder: &Path, steps: &mut Vec<SmallStep>) -> Result<()> {
    for found in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = found?.path();
        if path.ends_with("new") {
            steps.push(step(&path).with_context(|| path.display().to_string())?);
        } else if path.is_dir() {
            gather(&path, steps)?;
        }
    }
    Ok(())
}

fn step(folder: &Path) -> Result<SmallStep> {
    let read = |name: &str| -> Result<Value> {
        let text = fs::read_to_string(folder.join(name)).with_context(|| name.to_owned())?;
        serde_json::from_str(&text).with_context(|| name.to_owned())
    };
    let (benchmark, estimates) = (read("benchmark.json")?, read("estimates.json")?);
    let name = benchmark["full_id"].as_str().context("full_id")?.to_owned();
    let throughput = benchmark["throughput"].as_object().and_then(|throughput| {
        throughput
            .iter()
            .next()
            .and_then(|(unit, count)| Some((unit.to_lowercase(), count.as_f64()?)))
    });
    let (unit, count) = throughput.context("throughput")?;
    let median = estimates["median"]["point_estimate"].as_f64().context("median")?;
    Ok(SmallStep { name, unit, nanoseconds: median / count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_of_one_element() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, throughput) in [("rank", "{\"Elements\":10}"), ("parse", "{\"Bytes\":200}")] {
            for run in ["new", "base"] {
                let at = folder.path().join("group").join(name).join(run);
                fs::create_dir_all(&at).expect("makes it");
                let benchmark =
                    format!("{{\"full_id\":\"group/{name}\",\"throughput\":{throughput}}}");
                fs::write(at.join("benchmark.json"), benchmark).expect("writes");
                let estimates = "{\"median\":{\"point_estimate\":500.0}}";
                fs::write(at.join("estimates.json"), estimates).expect("writes");
            }
        }
        let step = |name: &str, unit: &str, nanoseconds| SmallStep {
            name: name.to_owned(),
            unit: unit.to_owned(),
            nanoseconds,
        };
        let expected = [step("group/parse", "bytes", 2.5), step("group/rank", "elements", 50.0)];
        assert_eq!(measured(folder.path()).expect("reads"), expected);

        fs::remove_file(folder.path().join("group/rank/new/estimates.json")).expect("removes");
        let error = format!("{:#}", measured(folder.path()).expect_err("is not whole"));
        assert!(error.contains("rank/new: estimates.json"), "{error}");
        measured(&folder.path().join("nowhere")).expect_err("is not there");
    }
}
