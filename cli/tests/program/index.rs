//! The index beside the reference.

use std::fs::File;
use std::io::Write;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::support::{Folder, data, error_line, reads};

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
    std::fs::rename(folder.path("ref.fa.gpx"), folder.path("other.fa.gpx")).expect("renames");
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
        let names = std::fs::read_dir(&files).expect("lists").flatten();
        let names = names.filter_map(|file| std::fs::read_link(file.path()).ok());
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
