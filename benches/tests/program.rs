//! The program `gpualign-bench`, run as a user runs it, on the CPU.

#![allow(clippy::expect_used, reason = "a test's helpers may panic as the test itself may")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A temporary folder that the program runs in.
struct Folder {
    folder: TempDir,
}

impl Folder {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, file: &str) -> PathBuf {
        self.folder.path().join(file)
    }

    fn write(&self, file: &str, content: impl AsRef<[u8]>) -> &Self {
        fs::write(self.path(file), content).expect("writes");
        self
    }

    fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.path(file)).expect(file)
    }

    /// The names of the files in the folder.
    fn files(&self) -> BTreeSet<String> {
        names(self.folder.path())
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gpualign-bench"));
        command.args(arguments).current_dir(self.folder.path()).output().expect("runs")
    }
}

/// The names of the files in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("lists");
    entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into()).collect()
}

/// A file of the repository's `data` folder.
fn data(file: &str) -> Vec<u8> {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "data", file].iter().collect();
    fs::read(&path).expect(file)
}

/// FASTQ records of `count` pieces of phiX174, each of 100 bases.
fn reads(count: usize) -> Vec<u8> {
    let fasta = data("phix.fa");
    let lines = fasta.split(|&byte| byte == b'\n').filter(|line| !line.starts_with(b">"));
    let genome: Vec<u8> = lines.flatten().map(u8::to_ascii_uppercase).collect();
    let mut random = fastrand::Rng::with_seed(1);
    let mut text = Vec::new();
    for number in 0..count {
        let start = random.usize(..genome.len() - 100);
        text.extend_from_slice(format!("@r{number}\n").as_bytes());
        text.extend_from_slice(&genome[start..start + 100]);
        text.extend_from_slice(b"\n+\n");
        text.extend([b'F'; 100]);
        text.push(b'\n');
    }
    text
}

#[test]
fn the_runtime_s_benchmark_writes_data_and_figures() {
    let folder = Folder::new();
    let output = folder.run(&[
        "runtime", "--device", "cpu", "--quick", "--items", "2000", "--out", "a/b", "-t", "2", "-q",
    ]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let table = String::from_utf8(output.stdout).expect("is text");
    assert!(
        table.lines().next().expect("a heading").contains(": 2000 items, median of "),
        "{table}"
    );

    let report: serde_json::Value =
        serde_json::from_slice(&folder.read("a/b/runtime.json")).expect("is JSON");
    assert_eq!(report["items"], 2000);
    assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
    let experiments = report["experiments"].as_array().expect("a list");
    for measured in experiments {
        let name = measured["experiment"].as_str().expect("a name");
        assert!(table.contains(name), "{name} is not in the table");
        let has = |list: &str| measured[list].as_array().is_some_and(|it| !it.is_empty());
        assert!(["points", "trees", "choices"].into_iter().any(has), "{name}");
    }
    let measured: BTreeSet<_> = experiments.iter().map(|one| one["experiment"].as_str()).collect();
    assert!(measured.len() == experiments.len() && measured.contains(&Some("filtering")));

    let mut figures = names(&folder.path("a/b"));
    assert!(figures.remove("runtime.json"));
    assert!(figures.len() >= experiments.len(), "{figures:?}");
    for figure in figures {
        let svg = folder.read(&format!("a/b/{figure}"));
        assert!(figure.strip_suffix(".svg").is_some() && svg.starts_with(b"<svg "), "{figure}");
    }
}

#[test]
fn one_experiment_may_be_asked_for() {
    let folder = Folder::new();
    let output = folder.run(&[
        "runtime",
        "--device",
        "cpu",
        "--quick",
        "--items",
        "100",
        "--experiment",
        "loops",
        "-q",
    ]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let figures = BTreeSet::from(["loops.svg", "runtime.json"].map(str::to_owned));
    assert_eq!(names(&folder.path("bench-runtime")), figures);
}

#[test]
fn wrong_command_lines_have_code_2() {
    let folder = Folder::new();
    let before = folder.files();
    for (arguments, part) in [
        (["--experiment", "fig"], "unknown experiment 'fig': expected one of filtering, "),
        (["--items", "0"], "'0'"),
        (["--device", "gpu"], "'gpu'"),
        (["-t", "0"], "'0'"),
    ] {
        let output = folder.run(&[&["runtime"], &arguments[..]].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
        assert!(said.starts_with("error: ") && said.contains(part), "{arguments:?}: {said}");
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    assert_eq!(folder.files(), before);
}

#[test]
fn the_aligner_s_benchmark_writes_data() {
    let folder = Folder::new();
    folder.write("ref.fa", data("phix.fa")).write("reads.fq", reads(20));
    let output = folder.run(&[
        "woodstocc",
        "reads.fq",
        "ref.fa",
        "-k",
        "2",
        "--device",
        "cpu",
        "--quick",
        "-t",
        "2",
        "-q",
        "--out",
        "a/b",
    ]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let report: serde_json::Value =
        serde_json::from_slice(&folder.read("a/b/woodstocc.json")).expect("is JSON");
    assert_eq!((&report["reads"], &report["k"]), (&20.into(), &2.into()));
    let points = report["points"].as_array().expect("a list");
    let nodes = |point: usize| points[point]["nodes_per_read"].as_f64().expect("a number");
    assert!(points.len() == 2 && nodes(1) < nodes(0), "reads of a batch share nodes: {report}");
    assert!(report["hits"].as_u64().expect("a number") >= 20, "{report}");
    let table = String::from_utf8(output.stdout).expect("is text");
    assert_eq!(table.lines().count(), 2 + points.len(), "{table}");
}

#[test]
fn the_benchmark_of_extensions_runs_on_the_cpu() {
    let folder = Folder::new();
    let output = folder.run(&[
        "extend", "--device", "cpu", "--tasks", "3000", "--runs", "1", "--json", "-t", "2", "-q",
    ]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("is JSON");
    let timings = report.as_array().expect("a list");
    let names: Vec<_> = timings.iter().map(|timing| timing["name"].as_str()).collect();
    assert_eq!(names, [Some("scores"), Some("alignments")]);
    for timing in timings {
        assert_eq!(timing["cells"].as_u64(), Some(3000 * 150 * 32));
        assert!(timing["mtasks"].as_f64().expect("a number") > 0.0, "{timing}");
    }
}
