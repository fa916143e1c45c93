//! Output that cannot be written, or is not wanted any more.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Folder, error_line, names, reads};

const FORMATS: [&str; 3] = ["sam", "bam", "cram"];

#[test]
fn places_where_no_file_can_be() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3));
    fs::create_dir(folder.path("folder.sam")).expect("a folder");
    for (output, parts) in [
        ("missing/out.sam", ["missing/out.sam: ", "No such file"]),
        ("folder.sam", ["folder.sam: ", "is a directory"]),
        ("ref.fa/out.sam", ["ref.fa/out.sam: ", "Not a directory"]),
        // Where even root cannot write.
        ("/proc/out.sam", ["/proc/out.sam: ", "cannot write"]),
    ] {
        folder.refused(&["--device", "cpu", "reads.fq", "ref.fa", "-o", output], &parts);
        folder.refused(&["index", "ref.fa", "-o", output], &parts);
    }
}

#[test]
fn an_unwritable_place_is_told_before_the_reference_is_read() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3)).write("bad.fa", "no FASTA");
    let arguments = ["--device", "cpu", "reads.fq", "bad.fa", "-o", "missing/out.sam"];
    folder.refused(&arguments, &["missing/out.sam: "]);
}

#[test]
fn a_failure_leaves_the_old_file() {
    let folder = Folder::new();
    folder.write("reads.fq", [reads(3), b"@cut".to_vec()].concat());
    folder.write("out.bam", "old").write("ref.fa.gpx", "old");
    folder.refused(&["--device", "cpu", "reads.fq", "ref.fa", "-o", "out.bam"], &["ref.fa.gpx"]);
    fs::remove_file(folder.path("ref.fa.gpx")).expect("removes");
    folder.refused(&["--device", "cpu", "reads.fq", "ref.fa", "-o", "out.bam"], &["reads.fq"]);
    assert_eq!(folder.read("out.bam"), b"old");
}

#[test]
fn a_full_device() {
    let folder = Folder::new();
    folder.write("few.fq", reads(1)).write("many.fq", reads(5_000));
    for format in FORMATS {
        for threads in ["1", "3"] {
            for file in ["few.fq", "many.fq"] {
                let common = ["--device", "cpu", "-t", threads, "-O", format, file, "ref.fa"];
                let arguments = [&common[..], &["-o", "/dev/full"]].concat();
                folder.refused(&arguments, &["/dev/full: ", "No space left on device"]);

                let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("opens");
                let output = folder.command(&common).stdout(full).output().expect("runs");
                let said = error_line(&output, &common);
                assert!(said.contains("standard output: No space left on device"), "{said}");
            }
        }
    }
}

#[test]
fn an_output_that_fails_takes_the_others_with_it() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(50)).write("out.bam", "old");
    symlink("/dev/full", folder.path("full.html")).expect("links");
    let mapping = ["--device", "cpu", "--sort", "--mark-duplicates", "reads.fq", "ref.fa"];
    let files = ["-o", "out.bam", "--metrics", "m", "--report", "r.html", "--timeline", "t"];
    for (number, full) in [(3, "/dev/full"), (5, "full.html"), (7, "/dev/full")] {
        let mut files = files;
        files[number] = full;
        folder.refused(&[&mapping[..], &files[..]].concat(), &[full, "No space left on device"]);
        assert_eq!(folder.read("out.bam"), b"old");
    }
    let aligning = ["nw", "all-vs-all", "reads.fq", "--device", "cpu", "-q", "-o", "out.tsv"];
    let arguments = [&aligning[..], &["--timeline", "/dev/full"]].concat();
    folder.refused(&arguments, &["/dev/full", "No space left on device"]);
}

/// A file system of a few kilobytes, if the tests may mount one.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(folder: &Folder) -> Option<Self> {
        let path = folder.path("disk");
        fs::create_dir(&path).expect("a folder");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"]).arg(&path);
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then_some(Self(path))
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg(&self.0).status();
        assert!(unmounted.is_ok_and(|status| status.success()), "{} stays", self.0.display());
    }
}

#[test]
fn a_full_disk_keeps_nothing() {
    let folder = Folder::new();
    folder
        .write("reads.fq", reads(5_000))
        .write("long.fa", [b">a\n".to_vec(), random(60_000)].concat());
    let Some(disk) = SmallDisk::mount(&folder) else { return };
    for format in FORMATS {
        let output = format!("disk/out.{format}");
        let arguments = ["--device", "cpu", "reads.fq", "ref.fa", "-o", &output];
        folder.refused(&arguments, &[&output, "No space left on device"]);
        assert!(names(&disk.0).is_empty(), "{format}");
    }
    folder.refused(&["index", "long.fa", "-o", "disk/long.gpx"], &["disk/long.gpx: No space left"]);
    assert!(names(&disk.0).is_empty());
}

#[test]
fn a_file_that_must_not_grow_keeps_nothing() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(5_000));
    let program = env!("CARGO_BIN_EXE_gpualign");
    for threads in ["1", "4"] {
        for size in ["100", "5000"] {
            // In units of 512 bytes.
            let script = format!(
                "ulimit -f 100; exec {program} --device cpu -t {threads} \
                 --batch-size {size} reads.fq ref.fa -o out.sam"
            );
            let before = folder.files();
            let mut command = Command::new("sh");
            let output = command.args(["-c", &script]).current_dir(folder.path("")).output();
            let said = error_line(&output.expect("runs"), &[&script]);
            assert!(said.contains("out.sam: File too large"), "{said}");
            assert_eq!(folder.files(), before);
        }
    }
}

/// A sequence of random letters.
fn random(length: usize) -> Vec<u8> {
    let mut state = 7_u64;
    (0..length)
        .map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            b"ACGT"[(state >> 62) as usize]
        })
        .collect()
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(20_000));
    for format in FORMATS {
        let mut command = folder.command(&["--device", "cpu", "-O", format, "reads.fq", "ref.fa"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("runs");
        let mut stdout = child.stdout.take().expect("is piped");
        stdout.read_exact(&mut [0; 10]).expect("reads the beginning");
        drop(stdout);
        let output = child.wait_with_output().expect("ends");
        assert_eq!(output.status.code(), Some(0), "{format}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{format}");
    }
}

/// Whether a program has opened a file in this folder that has no name, or a temporary one.
fn has_begun(child: &Child, folder: &Folder) -> bool {
    let Ok(descriptors) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return false };
    let path = folder.path("").canonicalize().expect("is there");
    let files = descriptors.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    files.filter(|file| file.starts_with(&path)).any(|file| {
        let name = file.to_string_lossy();
        name.contains("/.gpualign-") || name.ends_with(" (deleted)")
    })
}

/// Whether files in this folder can be without a name.
fn has_unnamed_files(folder: &Folder) -> bool {
    let mut options = fs::OpenOptions::new();
    options.write(true).custom_flags(nix::libc::O_TMPFILE).open(folder.path("")).is_ok()
}

/// A run that waits for more reads and has begun its output.
struct Waiting {
    child: Child,
    stdin: ChildStdin,
}

impl Waiting {
    fn start(mut command: Command, folder: &Folder) -> Self {
        let mut child = command.stdin(Stdio::piped()).spawn().expect("runs");
        let mut stdin = child.stdin.take().expect("is piped");
        stdin.write_all(&reads(100)).expect("writes");
        let patience = Instant::now();
        while !has_begun(&child, folder) {
            assert!(patience.elapsed() < Duration::from_mins(1), "nothing happens");
            std::thread::sleep(Duration::from_millis(20));
        }
        // For CRAM, until its copy of the reference is made as well.
        std::thread::sleep(Duration::from_millis(300));
        Self { child, stdin }
    }

    fn send(&self, signal: &str) {
        let kill = format!("kill -{signal} {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("runs").success());
    }

    fn code(mut self) -> Option<i32> {
        self.child.wait().expect("ends").code()
    }
}

#[test]
fn an_interrupted_run_leaves_nothing() {
    // With an ignored signal, as under nohup, the others do the same.
    for (format, signal, ignored) in [
        ("sam", "INT", None),
        ("bam", "TERM", None),
        ("cram", "HUP", None),
        ("bam", "TERM", Some("HUP")),
    ] {
        let folder = Folder::new();
        fs::create_dir(folder.path("tmp")).expect("a folder");
        let before = folder.files();
        let file = format!("out.{format}");
        // Signals as usual, even if the tests run under nohup.
        let mut command = Command::new("env");
        command.arg("--default-signal");
        command.args(ignored.map(|ignored| format!("--ignore-signal={ignored}")));
        command.args([env!("CARGO_BIN_EXE_gpualign"), "--device", "cpu"]);
        command.args(["-", "ref.fa", "-o", &file]).current_dir(folder.path(""));
        command.env("TMPDIR", folder.path("tmp"));
        let waiting = Waiting::start(command, &folder);
        waiting.send(signal);
        assert_eq!(waiting.code(), Some(130), "{format}");
        assert_eq!(folder.files(), before, "{format}");
        assert!(names(&folder.path("tmp")).is_empty(), "{format}");
    }
}

#[test]
fn a_killed_run_leaves_nothing() {
    let folder = Folder::new();
    if !has_unnamed_files(&folder) {
        return;
    }
    folder.write("old.bam", "old");
    fs::create_dir(folder.path("tmp")).expect("a folder");
    let before = folder.files();
    for file in ["out.sam", "out.bam", "out.cram", "old.bam"] {
        let mut command = folder.command(&["--device", "cpu", "-", "ref.fa", "-o", file]);
        command.env("TMPDIR", folder.path("tmp"));
        let waiting = Waiting::start(command, &folder);
        waiting.send("KILL");
        assert_eq!(waiting.code(), None, "{file}");
        assert_eq!(folder.files(), before, "{file}");
        assert!(names(&folder.path("tmp")).is_empty(), "{file}");
    }
    assert_eq!(folder.read("old.bam"), b"old");
}

#[test]
fn a_signal_that_is_to_be_ignored_is() {
    let folder = Folder::new();
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_gpualign");
    let script = format!("trap '' HUP; exec {program} --device cpu - ref.fa -o out.sam");
    command.args(["-c", &script]).current_dir(folder.path(""));
    let Waiting { mut child, stdin } = {
        let waiting = Waiting::start(command, &folder);
        waiting.send("HUP");
        waiting
    };
    drop(stdin);
    assert_eq!(child.wait().expect("ends").code(), Some(0));
    assert!(folder.path("out.sam").exists());
}

#[test]
fn cram_needs_no_folder_of_temporary_files() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(20));
    let arguments = ["--device", "cpu", "reads.fq", "ref.fa", "-o", "out.cram"];
    let output = folder.command(&arguments).env("TMPDIR", "/none").output().expect("runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(folder.read("out.cram").starts_with(b"CRAM"));
}
