//! What is known of a contestant when it is done.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::contest::Facts;
use crate::outcome::{Known, OfMapq};

/// MAPQ from which on the error rate is told.
const SURE: u64 = 30;

/// Mapping qualities of one range.
const RANGE: u64 = 10;

/// Bytes of the files of an index.
pub fn bytes<F: AsRef<Path>>(files: impl IntoIterator<Item = F>) -> Facts {
    let files: Vec<PathBuf> = files.into_iter().map(|file| file.as_ref().to_owned()).collect();
    Box::new(move |folder| {
        let size = |file: &PathBuf| fs::metadata(folder.join(file)).map_or(0, |found| found.len());
        let bytes: u64 = files.iter().map(size).sum();
        Ok(fact("index bytes", bytes as f64))
    })
}

/// Lines of tables, or of SAM without its header.
pub fn records<F: Into<String>>(files: impl IntoIterator<Item = F>) -> Facts {
    let files: Vec<String> = files.into_iter().map(Into::into).collect();
    Box::new(move |folder| {
        let mut count = 0;
        for file in &files {
            let text = fs::read(folder.join(file)).with_context(|| file.clone())?;
            let lines = text.split(|&byte| byte == b'\n');
            count += lines.filter(|line| !line.is_empty() && !line.starts_with(b"@")).count();
        }
        Ok(fact("records", count as f64))
    })
}

fn fact(name: &str, value: f64) -> Known {
    Known { facts: BTreeMap::from([(name.to_owned(), value)]), by_mapq: Vec::new() }
}

/// What `gpualign evaluate` makes of a file.
pub fn accuracy(gpualign: &Path, folder: &Path, file: &str) -> Result<Known> {
    let mut command = Command::new(gpualign);
    command.args(["evaluate", file, "--format", "json"]).current_dir(folder);
    let output = command.output().with_context(|| gpualign.display().to_string())?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let json: Value = serde_json::from_slice(&output.stdout)?;
    let number = |value: &Value| value.as_f64().unwrap_or_default();
    let reads = number(&json["reads"]);
    let rows = json["by_mapq"].as_array().map_or(&[][..], Vec::as_slice);
    let sure = rows.iter().rfind(|row| row["mapq"].as_u64() >= Some(SURE));
    let sure = |key: &str| sure.map_or(0.0, |row| number(&row[key]));
    let facts = BTreeMap::from([
        ("correct".to_owned(), number(&json["correct"]) / reads),
        ("mapped, MAPQ >= 30".to_owned(), sure("mapped") / reads),
        ("error rate, MAPQ >= 30".to_owned(), sure("error_rate")),
    ]);
    Ok(Known { facts, by_mapq: ranges(rows) })
}

/// Rows by single qualities as ranges, from the lowest on.
fn ranges(rows: &[Value]) -> Vec<OfMapq> {
    let mut ranges = BTreeMap::new();
    for row in rows {
        let of = |key: &str| row[key].as_u64().unwrap_or_default();
        let from = of("mapq") / RANGE * RANGE;
        let range = ranges.entry(from).or_insert(OfMapq { from, mapped: 0, wrong: 0 });
        range.mapped += of("here");
        range.wrong += of("wrong_here");
    }
    ranges.into_values().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn qualities_are_gathered() {
        let row = |mapq: u64, here: u64, wrong: u64| json!({ "mapq": mapq, "here": here, "wrong_here": wrong });
        let rows = [row(60, 90, 1), row(19, 4, 2), row(10, 1, 0), row(0, 3, 3)];
        let range = |from, mapped, wrong| OfMapq { from, mapped, wrong };
        assert_eq!(ranges(&rows), [range(0, 3, 3), range(10, 5, 2), range(60, 90, 1)]);
        assert_eq!(ranges(&[]), []);
    }
}
