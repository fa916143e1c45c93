//! `--device` on machines whose driver is slow, finds no device, or is missing; and what the driver is told.

use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::support::{Folder, error_line, reads};

/// A driver that takes some seconds to find no device. Its exit handler must not run meanwhile, like those of the real one.
const DRIVER: &str = "
#include <stdlib.h>
#include <unistd.h>
static int is_busy;
int cuInit(unsigned flags) {
    is_busy = 1;
    sleep(SECONDS);
    is_busy = 0;
    return 100;
}
__attribute__((destructor)) static void leave(void) {
    if (is_busy) abort();
}
";

/// A driver that finds no device, and notes how many hardware queues it should have.
const NOTING_DRIVER: &str = "
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void note(void) {
    const char *queues = getenv(\"CUDA_DEVICE_MAX_CONNECTIONS\");
    FILE *file = fopen(\"queues\", \"w\");
    fputs(queues ? queues : \"as many as it likes\", file);
    fclose(file);
}
int cuInit(unsigned flags) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, note);
    return 100;
}
";

/// A folder with reads and a driver that takes so many seconds.
fn folder(seconds: u32) -> Folder {
    folder_with(DRIVER, &[&format!("-DSECONDS={seconds}")])
}

/// A folder with reads and a driver, which is compiled with these options by the C compiler that links Rust programs, too.
fn folder_with(driver: &str, options: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("reads.fq", reads(500)).write("driver.c", driver);
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o", "libcuda.so.1", "driver.c"]);
    cc.args(options).current_dir(folder.path("."));
    assert!(cc.status().expect("there is a C compiler").success());
    folder
}

/// gpualign with the driver of the folder.
fn command(folder: &Folder, arguments: &[&str]) -> Command {
    let mut command = folder.command(arguments);
    command.env("LD_LIBRARY_PATH", folder.path("."));
    command
}

/// Runs gpualign with the driver of the folder.
fn run(folder: &Folder, arguments: &[&str]) -> Output {
    command(folder, arguments).output().expect("runs")
}

#[test]
fn a_run_that_ends_before_the_driver_is_open_does_not_wait_for_it() {
    let folder = folder(60);
    for mode in ["best", "all"] {
        let common = ["--mode", mode, "reads.fq", "ref.fa", "-o", "out.sam"];
        let map = |device| {
            let output = run(&folder, &[&common[..], &["--device", device]].concat());
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{mode}, {device}");
            assert_eq!(output.status.code(), Some(0), "{mode}, {device}");
            let text = folder.read("out.sam");
            let lines = text.split(|&byte| byte == b'\n');
            lines.filter(|line| !line.starts_with(b"@PG")).flatten().copied().collect::<Vec<u8>>()
        };
        let start = Instant::now();
        assert!(map("auto") == map("cpu"), "{mode}");
        assert!(start.elapsed() < Duration::from_secs(30), "{mode}");
    }
    let start = Instant::now();
    let output = run(&folder, &["--device", "auto", "missing.fq", "ref.fa"]);
    assert!(error_line(&output, &["missing.fq"]).contains("missing.fq"));
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn a_driver_without_a_device_is_told_while_reads_are_mapped() {
    let folder = folder(1);
    // The reads of a pipe come when the driver has found nothing.
    let program = env!("CARGO_BIN_EXE_gpualign");
    let script = "(cat reads.fq; sleep 2; cat reads.fq) | $0 --device auto - ref.fa -o out.sam";
    let mut command = Command::new("sh");
    command.args(["-c", script, program]).current_dir(folder.path("."));
    let output = command.env("LD_LIBRARY_PATH", folder.path(".")).output().expect("runs");
    let notice = "gpualign: no CUDA device: the driver reports none: mapping on the CPU\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), notice);
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_named_device_must_be_there() {
    let folder = folder(0);
    for device in ["cuda", "cuda:1", "cuda:0,2", "cuda:all"] {
        let arguments = ["--device", device, "reads.fq", "ref.fa", "-o", "out.sam"];
        let output = run(&folder, &arguments);
        assert!(error_line(&output, &arguments).contains("no CUDA device"), "{device}");
        assert!(!folder.files().contains("out.sam"), "{device}");
        let files = ["-query", "reads.fq", "-subject", "ref.fa", "-out", "out.tsv"];
        let arguments = [&["blastn"][..], &files, &["-device", device]].concat();
        let output = run(&folder, &arguments);
        assert!(error_line(&output, &arguments).contains("no CUDA device"), "{device}");
        assert!(!folder.files().contains("out.tsv"), "{device}");
    }
}

#[test]
fn commands_with_large_kernels_use_few_hardware_queues() {
    let folder = folder_with(NOTING_DRIVER, &["-pthread"]);
    let map = ["reads.fq", "ref.fa", "-o", "out.sam", "--device", "cuda"];
    let nw = ["nw", "all-vs-all", "reads.fq", "-o", "out.tsv", "--device", "cuda"];
    let files = ["blastn", "-query", "reads.fq", "-subject", "ref.fa"];
    let blastn = [&files[..], &["-device", "cuda"]].concat();
    let commands = [(&map[..], "as many as it likes"), (&nw, "2"), (&blastn, "2")];
    for (arguments, queues) in commands {
        for (given, noted) in [(None, queues), (Some("5"), "5")] {
            let mut command = command(&folder, arguments);
            command.env_remove("CUDA_DEVICE_MAX_CONNECTIONS");
            command.envs(given.map(|given| ("CUDA_DEVICE_MAX_CONNECTIONS", given)));
            let output = command.output().expect("runs");
            assert!(error_line(&output, arguments).contains("no CUDA device"), "{arguments:?}");
            assert_eq!(folder.read("queues"), noted.as_bytes(), "{arguments:?}, {given:?}");
        }
    }
}
