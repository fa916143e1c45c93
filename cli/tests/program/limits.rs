//! Threads and memory that the system refuses: one line and code 1, at whichever point of a run.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, Output};

use crate::support::{Folder, error_line, gzip, names, reads};

/// Runs with several threads, each with the names of its outputs.
const RUNS: [(&[&str], &[&str]); 6] = [
    (&["--device", "cpu", "-t", "3", "reads.fq.gz", "ref.fa", "-o", "x.sam"], &["x.sam"]),
    (
        &["--device", "cpu", "-t", "3", "--sort", "reads.fq", "ref.fa", "-o", "x.bam"],
        &["x.bam", "x.bam.bai"],
    ),
    (
        &["--device", "cpu", "-t", "2", "--mode", "all", "reads.fq", "ref.fa", "-o", "x.sam"],
        &["x.sam"],
    ),
    (
        &[
            "blastn",
            "-device",
            "cpu",
            "-num_threads",
            "2",
            "-query",
            "ref.fa",
            "-db",
            "t",
            "-out",
            "x",
        ],
        &["x"],
    ),
    (
        &["nw", "all-vs-all", "reads.fq", "--device", "cpu", "-t", "2", "--score-only", "-o", "x"],
        &["x"],
    ),
    (&["index", "-q", "-t", "2", "ref.fa", "-o", "x.gpx"], &["x.gpx"]),
];

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("reads.fq", reads(50)).write("reads.fq.gz", gzip(&reads(50)));
    assert!(folder.run(&["makedb", "-q", "ref.fa", "-o", "t.gpdb"]).status.success());
    folder
}

/// Checks that a run under limits has failed in one line without a trace, or was complete; removes its outputs. Returns
/// whether it was complete.
fn ended(folder: &Folder, before: &BTreeSet<String>, output: &Output, run: usize) -> bool {
    let (arguments, files) = RUNS[run];
    if output.status.success() {
        let mut expected = before.clone();
        expected.extend(files.iter().map(|&file| file.to_owned()));
        assert_eq!(folder.files(), expected, "{arguments:?}");
        for file in files {
            fs::remove_file(folder.path(file)).expect("removes");
        }
        return true;
    }
    error_line(output, arguments);
    assert_eq!(&folder.files(), before, "{arguments:?}");
    false
}

/// Runs under a limit of virtual memory in KB. A run that hangs is ended with code 124.
#[test]
fn too_little_memory() {
    let folder = folder();
    let before = folder.files();
    let program = env!("CARGO_BIN_EXE_gpualign");
    let limited = |kilobytes: u32, arguments: &[&str]| {
        let script =
            format!("ulimit -c 0; ulimit -v {kilobytes}; exec timeout 60 {program} \"$@\"");
        let mut command = Command::new("sh");
        command.args(["-c", &script, "sh"]).args(arguments).current_dir(folder.path(""));
        command.output().expect("runs")
    };
    let begins = |kilobytes: &u32| limited(*kilobytes, &["--version"]).status.success();
    let least = (10_000..1_000_000).step_by(5_000).find(begins).expect("begins");
    let mut refused = 0;
    for (run, (arguments, _)) in RUNS.iter().enumerate() {
        for more in [0, 10_000, 30_000, 70_000] {
            let output = limited(least + more, arguments);
            refused += usize::from(!ended(&folder, &before, &output, run));
        }
        let output = folder.run(arguments);
        assert!(ended(&folder, &before, &output, run), "without a limit");
    }
    assert!(refused > 0, "the limits are too high");
}

/// Runs under a limit of threads, as a user who has none else. Only root can become one.
#[test]
fn too_few_threads() {
    let folder = folder();
    let user = 60_000 + std::process::id() % 4000;
    let as_user = |threads: u32, arguments: &[&str], program: &PathBuf| {
        let mut command = Command::new("setpriv");
        command.args([format!("--reuid={user}"), format!("--regid={user}")]);
        command.args(["--clear-groups", "timeout", "60", "prlimit"]);
        command.arg(format!("--nproc={threads}")).arg(program).args(arguments);
        command.current_dir(folder.path("")).output()
    };
    // Where that user can execute it.
    let program = folder.path("gpualign");
    fs::copy(env!("CARGO_BIN_EXE_gpualign"), &program).expect("copies");
    for path in [folder.path(""), program.clone()] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o777)).expect("sets");
    }
    if !as_user(100, &["--version"], &program).is_ok_and(|output| output.status.success()) {
        return;
    }
    let before = folder.files();
    let mut refused = 0;
    for (run, (arguments, _)) in RUNS.iter().enumerate() {
        // One process is that of `timeout`.
        for threads in [2, 3, 5, 7, 9, 11, 12, 13, 14, 15, 17] {
            let output = as_user(threads, arguments, &program).expect("runs");
            refused += usize::from(!ended(&folder, &before, &output, run));
        }
        assert!(ended(&folder, &before, &as_user(60, arguments, &program).expect("runs"), run));
    }
    assert!(refused > RUNS.len(), "{refused}");
}

/// Runs under a limit of open files.
#[test]
fn too_few_open_files() {
    let folder = folder();
    fs::create_dir(folder.path("scratch")).expect("a folder");
    let program = env!("CARGO_BIN_EXE_gpualign");
    let mapping = ["--device", "cpu", "-t", "2", "reads.fq", "ref.fa", "-o"];
    let mut refused = 0;
    for output in [&["x.cram"][..], &["x.cram", "--sort"], &["x.bam", "--sort"]] {
        let arguments = [&mapping[..], output].concat();
        let before = folder.files();
        let mut is_complete = false;
        // The loader of programs needs one besides the standard streams.
        for files in 4..30 {
            let script = format!("ulimit -c 0; ulimit -n {files}; exec {program} \"$@\"");
            let mut command = Command::new("timeout");
            command.args(["60", "sh", "-c", &script, "sh"]).args(&arguments);
            command.current_dir(folder.path(""));
            let found = command.env("TMPDIR", folder.path("scratch")).output().expect("runs");
            is_complete = found.status.success();
            if is_complete {
                for name in folder.files().difference(&before) {
                    assert!(name.starts_with("x."), "{files} {output:?}: {name}");
                    fs::remove_file(folder.path(name)).expect("removes");
                }
            } else {
                error_line(&found, &arguments);
                refused += 1;
            }
            assert_eq!(folder.files(), before, "{files} {output:?}");
            assert!(names(&folder.path("scratch")).is_empty(), "{files} {output:?}");
        }
        assert!(is_complete, "the limits are too low");
    }
    assert!(refused > 9, "{refused}");
}

#[test]
fn more_threads_than_a_program_can_have() {
    let folder = folder();
    for arguments in [&["index", "-t", "65535", "ref.fa"][..], &["blastn", "-num_threads", "1025"]]
    {
        let output = folder.run(arguments);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("is not in 1..=1024"), "{said}");
    }
}
