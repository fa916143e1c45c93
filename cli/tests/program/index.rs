//! The index beside the reference.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Folder, data, error_line, names, reads};

fn told(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}");
    String::from_utf8(output.stderr).expect("is text")
}

const MAP: [&str; 4] = ["--device", "cpu", "reads.fq", "ref.fa"];

#[test]
fn a_saved_index_is_used_and_gives_the_same() {
    let folder = Folder::new();
    folder.write("reads.fq", data("phix_1.fq"));
    let expected = folder.map(&["reads.fq", "ref.fa"]);
    assert!(!folder.path("ref.fa.gpx").exists());

    let report = told(&folder, &["index", "ref.fa"]);
    for part in ["ref.fa.gpx: 1 contigs, 5386 bases", "bytes a base", "forward: ", "samples: "] {
        assert!(report.contains(part), "{part}: {report}");
    }
    assert_eq!(folder.map(&["reads.fq", "ref.fa"]), expected);
    let said = told(&folder, &[&["-v"], &MAP[..]].concat());
    assert!(said.contains("ref.fa.gpx opened"), "{said}");

    // Even if nothing else of the reference is left but its bytes.
    folder.write("other.fa", folder.read("ref.fa"));
    fs::rename(folder.path("ref.fa.gpx"), folder.path("other.fa.gpx")).expect("renames");
    let other = folder.records(&["reads.fq", "other.fa"]);
    assert_eq!(other, crate::sam::records(&expected));
}

#[test]
fn the_index_goes_where_it_is_told_and_does_not_depend_on_threads() {
    let folder = Folder::new();
    assert_eq!(told(&folder, &["index", "-q", "-t", "1", "ref.fa", "-o", "one.gpx"]), "");
    assert_eq!(told(&folder, &["index", "-q", "-t", "4", "ref.fa", "-o", "four.gpx"]), "");
    assert_eq!(folder.read("one.gpx"), folder.read("four.gpx"));
    told(&folder, &["index", "ref.fa", "--sample-rate", "64", "-o", "small.gpx"]);
    assert!(folder.read("small.gpx").len() < folder.read("one.gpx").len());
}

#[test]
fn save_index_keeps_what_was_built() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3));
    told(&folder, &["index", "ref.fa", "-o", "expected.gpx"]);
    told(&folder, &[&["--save-index"], &MAP[..]].concat());
    assert_eq!(folder.read("ref.fa.gpx"), folder.read("expected.gpx"));
}

#[test]
fn an_index_of_another_file_is_noticed_and_replaced_on_request() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3));
    told(&folder, &["index", "ref.fa"]);
    let old = folder.read("ref.fa.gpx");
    folder.write("ref.fa", [data("phix.fa"), b">more\nACGTTGCA\n".to_vec()].concat());

    let said = told(&folder, &MAP);
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(said.contains("ref.fa.gpx was built from another file than ref.fa"), "{said}");
    assert_eq!(folder.read("ref.fa.gpx"), old);

    told(&folder, &[&["--save-index"], &MAP[..]].concat());
    assert_ne!(folder.read("ref.fa.gpx"), old);
    assert_eq!(told(&folder, &MAP), "");
}

#[test]
fn an_index_elsewhere_is_used_if_it_is_of_the_reference() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3));
    let expected = folder.map(&["reads.fq", "ref.fa"]);
    told(&folder, &["index", "-q", "ref.fa", "-o", "one.gpx"]);
    let before = folder.files();
    let records = folder.records(&["reads.fq", "ref.fa", "--index", "one.gpx"]);
    assert_eq!(records, crate::sam::records(&expected));
    let words = ["--index", "one.gpx", "reads.fq", "ref.fa"];
    assert!(told(&folder, &[&["-v"], &words[..]].concat()).contains("one.gpx opened"));
    told(&folder, &["mem", "--index", "one.gpx", "ref.fa", "reads.fq"]);
    assert_eq!(folder.files(), before);

    // Also if there is one beside the reference.
    folder.write("other.fa", [data("phix.fa"), b">more\nACGTTGCA\n".to_vec()].concat());
    told(&folder, &["index", "-q", "other.fa"]);
    let parts = ["one.gpx: the index was built from another file than other.fa", "build it again"];
    folder.refused(&["--index", "one.gpx", "reads.fq", "other.fa", "-o", "x.sam"], &parts);
    folder.refused(&["mem", "--index", "one.gpx", "other.fa", "reads.fq"], &parts);
    folder.refused(&["--index", "none.gpx", "reads.fq", "ref.fa"], &["none.gpx: No such file"]);
    folder.refused(&[&words[..], &["-o", "one.gpx", "-O", "sam"]].concat(), &["also an input"]);
    let both = folder.run(&["--index", "one.gpx", "--save-index", "reads.fq", "ref.fa"]);
    assert_eq!(both.status.code(), Some(2));
}

/// A reference in the folder `shared`, which the user of [`as_user`] cannot write to, and a folder `home` that he can.
fn shared_reference() -> Folder {
    let folder = Folder::new();
    for name in ["shared", "home"] {
        fs::create_dir(folder.path(name)).expect("a folder");
    }
    folder.write("shared/ref.fa", data("phix.fa")).write("reads.fq", reads(3));
    // Where another user can execute it.
    fs::copy(env!("CARGO_BIN_EXE_gpualign"), folder.path("gpualign")).expect("copies");
    for (name, mode) in [("", 0o755), ("gpualign", 0o755), ("home", 0o777), ("shared", 0o555)] {
        fs::set_permissions(folder.path(name), fs::Permissions::from_mode(mode)).expect("sets");
    }
    folder
}

/// Maps as a user who is not root, with a home folder or a folder of caches.
fn as_user(folder: &Folder, environment: &[(&str, &str)]) -> Command {
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    let mut command = Command::new(if is_root { "setpriv" } else { "env" });
    if is_root {
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    }
    command.arg(folder.path("gpualign")).args(["--device", "cpu", "reads.fq", "shared/ref.fa"]);
    command.current_dir(folder.path("")).env_remove("HOME").env_remove("XDG_CACHE_HOME");
    for (name, value) in environment {
        command.env(name, folder.path(value));
    }
    command
}

/// The records of a run that succeeds, and what it said.
fn mapped(mut command: Command) -> (Vec<crate::sam::Record>, String) {
    let output = command.output().expect("runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    (crate::sam::records(&output.stdout), said)
}

#[test]
fn the_index_of_a_reference_in_a_read_only_folder_is_built_once() {
    let folder = shared_reference();
    let expected = folder.records(&["--mode", "best", "reads.fq", "ref.fa"]);
    for (environment, cache) in [
        (("HOME", "home"), "home/.cache/gpualign"),
        (("XDG_CACHE_HOME", "home/x"), "home/x/gpualign"),
    ] {
        let run = || mapped(as_user(&folder, &[environment]));
        let (records, said) = run();
        let path = folder.path(cache).join("ref.fa-").display().to_string();
        assert!(said.contains(&format!("for later runs: {path}")), "{said}");
        assert_eq!(records, expected);
        for _ in 0..2 {
            let (records, said) = run();
            assert!(said.contains(&format!("using the index in the cache: {path}")), "{said}");
            assert_eq!((records, said.lines().count()), (expected.clone(), 1));
        }
        let [name] = &names(&folder.path(cache)).into_iter().collect::<Vec<_>>()[..] else {
            panic!("one index is there")
        };
        // One that is damaged is built again.
        let file = format!("{cache}/{name}");
        let good = folder.read(&file);
        File::options()
            .write(true)
            .open(folder.path(&file))
            .expect("opens")
            .set_len(99)
            .expect("cuts");
        let (records, said) = run();
        assert!(said.contains("truncated") && said.contains("for later runs"), "{said}");
        assert_eq!((records, folder.read(&file)), (expected.clone(), good));
    }
    assert_eq!(names(&folder.path("shared")).len(), 1);
}

#[test]
fn a_cache_that_cannot_be_written_is_no_reason_to_stop() {
    let folder = shared_reference();
    let expected = folder.records(&["--mode", "best", "reads.fq", "ref.fa"]);
    for (environment, reason) in [
        (&[][..], "neither XDG_CACHE_HOME nor HOME"),
        (&[("HOME", "shared")], "Permission denied"),
        (&[("XDG_CACHE_HOME", "reads.fq")], "Not a directory"),
    ] {
        let (records, said) = mapped(as_user(&folder, environment));
        assert!(said.contains("the index is in memory only") && said.contains(reason), "{said}");
        assert_eq!((records, said.lines().count()), (expected.clone(), 1));
    }
}

#[test]
fn runs_at_the_same_time_share_the_cache() {
    let folder = shared_reference();
    let expected = folder.records(&["--mode", "best", "reads.fq", "ref.fa"]);
    let start = || {
        let mut command = as_user(&folder, &[("HOME", "home")]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs")
    };
    let runs: Vec<_> = (0..4).map(|_| start()).collect();
    for run in runs {
        let output = run.wait_with_output().expect("ends");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(crate::sam::records(&output.stdout), expected);
    }
    assert_eq!(names(&folder.path("home/.cache/gpualign")).len(), 1);
    let (_, said) = mapped(as_user(&folder, &[("HOME", "home")]));
    assert!(said.contains("using the index in the cache"), "{said}");
}

#[test]
fn a_damaged_index_is_refused() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(3));
    told(&folder, &["index", "ref.fa"]);
    let good = folder.read("ref.fa.gpx");
    let mut altered = good.clone();
    let middle = altered.len() / 2;
    altered[middle] ^= 1;
    let cases: [(&[u8], &str); 5] = [
        (&good[..good.len() - 1], "truncated"),
        (&good[..100], "truncated"),
        (b"", "ref.fa.gpx"),
        (b"something else entirely, but long enough to have a magic", "not a gpualign index"),
        (&altered, "damaged"),
    ];
    for (content, reason) in cases {
        folder.write("ref.fa.gpx", content);
        folder.refused(&[&MAP[..], &["-o", "out.sam"]].concat(), &["ref.fa.gpx: ", reason]);
    }
}

#[test]
fn an_index_that_is_cut_while_it_is_used_is_an_error() {
    let folder = Folder::new();
    assert!(folder.run(&["index", "ref.fa"]).status.success());
    let before = folder.files();
    let mut command = folder.command(&["--device", "cpu", "-", "ref.fa", "-o", "out.bam"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("runs");
    let mut stdin = child.stdin.take().expect("is piped");
    stdin.write_all(&reads(100)).expect("writes");
    // Until the output is open: it has no name before it is complete.
    let files = format!("/proc/{}/fd", child.id());
    let is_open = || {
        let names = fs::read_dir(&files).expect("lists").flatten();
        let names = names.filter_map(|file| fs::read_link(file.path()).ok());
        names.into_iter().any(|name| name.to_string_lossy().ends_with(" (deleted)"))
    };
    let patience = Instant::now();
    while !is_open() {
        assert!(patience.elapsed() < Duration::from_mins(1), "nothing happens");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    File::options()
        .write(true)
        .open(folder.path("ref.fa.gpx"))
        .and_then(|file| file.set_len(64))
        .expect("is cut");
    // The program may be gone before it has read them.
    let _ = stdin.write_all(&reads(20_000));
    drop(stdin);
    let output = child.wait_with_output().expect("ends");
    let said = error_line(&output, &["a cut index"]);
    assert!(said.contains("ref.fa.gpx: the file was cut short"), "{said}");
    assert_eq!(folder.files(), before);
}
