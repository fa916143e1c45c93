//! Sets of real reads, which `real.json` lists in the folder of their files.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

/// Reads of one sample.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReadSet {
    pub name: String,
    /// The description for reports.
    pub what: String,
    /// The genome's name in reports on simulated reads, if it is not the set's.
    pub genome: Option<String>,
    /// The file of the genome; `files` are the reads: one file, or two for pairs.
    pub reference: String,
    pub files: Vec<String>,
    pub truth: Option<Truth>,
}

/// The known variants of a sample between two positions of the genome, 1-based and inclusive.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Truth {
    /// The VCF file in the folder.
    pub file: String,
    /// The contig of the positions; without it they are of every contig.
    pub contig: Option<String>,
    pub from: u64,
    pub to: u64,
}

/// Reads the list of sets in the folder `from`, and copies their files to `to`, where programs write files beside them.
pub fn sets(from: &Path, to: &Path) -> Result<Vec<ReadSet>> {
    let list = from.join("real.json");
    let named = || list.display().to_string();
    let text = fs::read_to_string(&list).with_context(named)?;
    let sets: Vec<ReadSet> = serde_json::from_str(&text).with_context(named)?;
    for set in &sets {
        let truth = set.truth.iter().map(|truth| &truth.file);
        for file in set.files.iter().chain([&set.reference]).chain(truth) {
            let path = from.join(file);
            fs::copy(&path, to.join(file)).with_context(|| path.display().to_string())?;
        }
    }
    Ok(sets)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn the_bundled_sets_are_whole() {
        let from: PathBuf = [env!("CARGO_MANIFEST_DIR"), "../data"].iter().collect();
        let to = tempfile::tempdir().expect("a folder");
        let sets = sets(&from, to.path()).expect("are there");
        let names: Vec<&str> = sets.iter().map(|set| set.name.as_str()).collect();
        assert_eq!(names, ["phiX", "chrM", "NA12878"]);
        assert!(sets.iter().flat_map(|set| &set.files).all(|file| to.path().join(file).exists()));
        assert_eq!(sets.iter().filter(|set| set.truth.is_some()).count(), 1);
    }

    #[test]
    fn a_set_without_its_files_is_an_error() {
        let from = tempfile::tempdir().expect("a folder");
        let set = r#"[{"name": "a", "what": "b", "reference": "c.fa", "files": ["d.fq"]}]"#;
        fs::write(from.path().join("real.json"), set).expect("writes");
        let error = sets(from.path(), from.path()).expect_err("no files");
        assert!(format!("{error:#}").contains("d.fq"), "{error:#}");
    }
}
