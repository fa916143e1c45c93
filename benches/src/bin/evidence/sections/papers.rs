//! The papers' experiments, which `gpualign-bench` measures on a GPU.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::plan::Plan;
use crate::committed::results::Results;
use crate::run::contest::Contestant;

// The files that the experiments write, in the folder of the data.
const RUNTIME: [&str; 2] = ["runtime-1/runtime.json", "runtime-16/runtime.json"];
const WOODSTOCC: &str = "woodstocc/woodstocc.json";
const KERNELS: &str = "nw-kernels.json";
const FIGURES: &str = "nw-figures.json";
const PIPELINE: &str = "blastn-pipeline.json";

impl Plan<'_> {
    /// The command lines of all experiments, to be run one after the other.
    pub fn experiments(&self) -> Result<Vec<Contestant>> {
        let on = format!("-q --device {}", self.device);
        let bench = self.tools.bench()?;
        let one = |line: &str| {
            Contestant::new("gpualign-bench", bench.clone(), &format!("{line} {on}"), 1.0)
        };
        let runtime = |out: &str, items: u64| {
            one(&format!(
                "runtime --quick --items {items} --experiment filtering firings --out {out}"
            ))
        };
        Ok(vec![
            self.own_index()?,
            self.ours("makedb", "makedb genome.fa", 1.0)?.with_product("genome.fa.gpdb"),
            runtime("runtime-1", 1_000_000),
            runtime("runtime-16", 16_000_000),
            one("woodstocc --quick -k 3 --out woodstocc short.fq genome.fa"),
            one("nw --runs 3 --json").with_stdout(KERNELS),
            one("nw --figures --json").with_stdout(FIGURES),
            one("blastn genome.fa.gpdb --runs 5 --json").with_stdout(PIPELINE),
        ])
    }
}

/// The results of the experiments, by topic, in the form of the committed results, from which the ceilings of kernels are taken.
pub fn measured(folder: &Path, committed: &Results) -> Result<BTreeMap<String, Value>> {
    let read = |name: &str| -> Result<Value> {
        let text = fs::read_to_string(folder.join(name)).with_context(|| name.to_owned())?;
        serde_json::from_str(&text).with_context(|| name.to_owned())
    };
    let kernels = read(KERNELS)?;
    let kernels = kernels.as_array().into_iter().flatten();
    let kernels = kernels.map(|kernel| {
        let name = &kernel["name"];
        json!({
            "kernel": name,
            "kernel_tcells_per_second": kernel["kernel_tcells"],
            "ceiling": committed.ceiling_of(name.as_str().unwrap_or_default()),
        })
    });
    let kernels: Vec<Value> = kernels.collect();
    Ok(BTreeMap::from([
        ("runtime".to_owned(), json!({ "runs": [read(RUNTIME[0])?, read(RUNTIME[1])?] })),
        ("trie-ablation".to_owned(), json!({ "this run": read(WOODSTOCC)? })),
        ("nw".to_owned(), json!({ "kernels": kernels, "figures": read(FIGURES)? })),
        ("blastn".to_owned(), json!({ "pipeline": { "width 256": read(PIPELINE)? } })),
    ]))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use crate::committed::papers;

    /// The committed results, taken apart into the files that `gpualign-bench` writes, give the same rows.
    #[test]
    fn what_benchmarks_leave_is_read_as_the_committed_results_are() {
        let results: PathBuf = [env!("CARGO_MANIFEST_DIR"), "results"].iter().collect();
        let committed = Results::read(&results).expect("are there");
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, value: &Value| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("makes it");
            fs::write(path, value.to_string()).expect("writes");
        };
        let of = |topic: &str| committed.newest(topic).expect("is there").json;
        for (run, name) in RUNTIME.into_iter().enumerate() {
            write(name, &of("runtime")["runs"][run]);
        }
        // What a whole run leaves has another name for it than what was measured by itself.
        let trie = of("trie-ablation");
        let by_itself = &trie["100,000 reads, one run each, commit 0c86cf8"];
        write(WOODSTOCC, trie.get("this run").unwrap_or(by_itself));
        let kernel = |row: &Value| json!({ "name": row["kernel"], "kernel_tcells": row["kernel_tcells_per_second"] });
        let kernels: Vec<Value> =
            of("nw")["kernels"].as_array().expect("rows").iter().map(kernel).collect();
        write(KERNELS, &kernels.into());
        write(FIGURES, &of("nw")["figures"]);
        write(PIPELINE, &of("blastn")["pipeline"]["width 256"]);

        // The newest results of the pipeline are of another form and of another card, and those of kernels have no figures.
        let named = |topic: &str| (topic.to_owned(), of(topic).clone());
        let whole = BTreeMap::from(["blastn", "nw"].map(named));
        let whole = Results::read(&results).expect("are there").with_measured(whole);
        let expected = papers::rows(&whole).expect("has rows");
        let measured = measured(folder.path(), &committed).expect("reads");
        let found = papers::rows(&committed.with_measured(measured)).expect("has rows");
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!((&found.what, &found.ours), (&expected.what, &expected.ours));
            assert_eq!((found.share(), &found.ceiling), (expected.share(), &expected.ceiling));
            assert_eq!(found.file, "this run");
        }
    }
}
