//! Outputs replace no input, no other output, and no device.

use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::process::Command;

use crate::support::{Folder, error_line, reads};

const CPU: [&str; 2] = ["--device", "cpu"];

/// A folder with inputs for every command.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("reads.fq", reads(20)).write("many.fa", ">a\nACGTACGTAC\n>b\nACGTTACGTAC\n");
    assert!(folder.run(&["makedb", "-q", "ref.fa", "-o", "t.gpdb"]).status.success());
    assert!(folder.run(&["index", "-q", "ref.fa"]).status.success());
    symlink("reads.fq", folder.path("soft")).expect("links");
    fs::hard_link(folder.path("reads.fq"), folder.path("hard")).expect("links");
    fs::create_dir(folder.path("sub")).expect("a folder");
    folder
}

#[test]
fn no_input_is_overwritten() {
    let folder = folder();
    let map = ["reads.fq", "ref.fa", "-O", "sam", "--device", "cpu", "-o"];
    let cases: [(&[&str], &str); 19] = [
        (&["index", "ref.fa", "-o"], "ref.fa"),
        (&["makedb", "ref.fa", "-o"], "sub/../ref.fa"),
        (&["blastn", "-query", "ref.fa", "-db", "t", "-out"], "t.gpdb"),
        (&["blastn", "-query", "ref.fa", "-db", "t.gpdb", "-out"], "./t.gpdb"),
        (&["blastn", "-query", "ref.fa", "-db", "t", "-out"], "ref.fa"),
        (&["blastn", "-query", "many.fa", "-subject", "ref.fa", "-out"], "ref.fa"),
        (&["nw", "all-vs-all", "many.fa", "-o"], "many.fa"),
        (&["nw", "pairs", "many.fa", "ref.fa", "-o"], "ref.fa"),
        (&["nw", "all-vs-all", "ref.fa", "--matrix", "many.fa", "-o"], "many.fa"),
        (&["nw", "all-vs-all", "many.fa", "-o", "x", "--timeline"], "many.fa"),
        (&["nw", "all-vs-all", "many.fa", "--resume", "-o"], "many.fa"),
        (&["simulate", "reads", "ref.fa", "-o"], "ref.fa"),
        (&["simulate", "reads", "ref.fa", "--pairs", "-o", "x", "--output2"], "ref.fa"),
        (&map, "reads.fq"),
        (&map, "sub/../reads.fq"),
        (&map, "soft"),
        (&map, "hard"),
        (&map, "ref.fa"),
        (&map, "ref.fa.gpx"),
    ];
    let inputs = ["reads.fq", "ref.fa", "many.fa", "t.gpdb", "ref.fa.gpx"];
    let content = inputs.map(|input| folder.read(input));
    for (arguments, output) in cases {
        let all = [arguments, &[output]].concat();
        folder.refused(&all, &[output, "is also an input", "give it another name"]);
        assert!(inputs.map(|input| folder.read(input)) == content, "{all:?}");
    }
    // A partial file of --resume that is an input.
    folder.write("x.partial", folder.read("many.fa"));
    let resume = ["nw", "all-vs-all", "x.partial", "--resume", "-o", "x"];
    folder.refused(&resume, &["x.partial", "is also an input"]);
    // Standard input counts, too.
    let mut command =
        folder.command(&["-", "ref.fa", "--device", "cpu", "-O", "sam", "-o", "hard"]);
    let input = File::open(folder.path("reads.fq")).expect("opens");
    let output = command.stdin(input).output().expect("runs");
    let said = error_line(&output, &["-"]);
    assert!(said.contains("is also an input, called standard input there"), "{said}");
}

#[test]
fn no_output_is_another() {
    let folder = folder();
    let map = ["reads.fq", "ref.fa", "--device", "cpu", "-O", "sam", "-o"];
    let nw = ["nw", "all-vs-all", "many.fa", "--device", "cpu", "--timeline", "x"];
    let cases: [&[&str]; 7] = [
        &[&map[..], &["x", "--timeline", "sub/../x"]].concat(),
        &[&map[..], &["x.html", "--report", "x.html"]].concat(),
        &[&map[..], &["x_mapq_mqc.json", "--report", "x.html"]].concat(),
        &[&map[..], &["x", "--report", "y.html", "--timeline", "y_mqc.json"]].concat(),
        &["simulate", "reads", "ref.fa", "--pairs", "-o", "x", "--output2", "./x"],
        &[&nw[..], &["-o", "x"]].concat(),
        &[&nw[..6], &["x.partial", "-o", "x", "--resume"]].concat(),
    ];
    for arguments in cases {
        folder.refused(arguments, &["is also another output"]);
    }
    let sorted = [&CPU[..], &["reads.fq", "ref.fa", "--sort", "-o", "x.bam"]].concat();
    folder.refused(
        &[&sorted[..], &["--timeline", "x.bam.bai"]].concat(),
        &["x.bam.bai", "is also another output"],
    );
    let mut command = folder.command(&[&map[..], &["-", "--timeline", "x"]].concat());
    let output = command.stdout(File::create(folder.path("x")).expect("creates")).output();
    let said = error_line(&output.expect("runs"), &["-o -"]);
    assert!(said.contains("is also another output, called standard output there"), "{said}");
}

#[test]
fn a_file_and_its_index_come_together_or_not_at_all() {
    let folder = folder();
    let sorted = [&CPU[..], &["reads.fq", "ref.fa", "--sort", "-o", "x.bam"]].concat();
    fs::create_dir(folder.path("x.bam.bai")).expect("a folder");
    folder.refused(&sorted, &["x.bam.bai: is a directory"]);
    fs::remove_dir(folder.path("x.bam.bai")).expect("removes");
    let before = folder.files();
    assert!(folder.run(&sorted).status.success());
    assert_eq!(folder.files().len(), before.len() + 2);
}

/// Runs of every command that writes a file, but for its name.
const WRITERS: [&[&str]; 9] = [
    &["reads.fq", "ref.fa", "--device", "cpu", "-O", "sam", "-o"],
    &["reads.fq", "ref.fa", "--device", "cpu", "-O", "bam", "--sort", "-o"],
    &["reads.fq", "ref.fa", "--device", "cpu", "-o", "x.sam", "--timeline"],
    &["nw", "all-vs-all", "many.fa", "--device", "cpu", "-o"],
    &["nw", "all-vs-all", "many.fa", "--device", "cpu", "-O", "npy", "-o"],
    &["index", "-q", "ref.fa", "-o"],
    &["makedb", "-q", "ref.fa", "-o"],
    &["blastn", "-device", "cpu", "-query", "ref.fa", "-db", "t", "-out"],
    &["simulate", "reads", "ref.fa", "-n", "9", "-o"],
];

#[test]
fn devices_and_pipes_are_written_to_and_stay() {
    let folder = folder();
    let kind = |path: &str| fs::symlink_metadata(path).expect("is there").file_type();
    for writer in WRITERS {
        for device in ["/dev/null", "/dev/full"] {
            let output = folder.run(&[writer, &[device]].concat());
            assert!(kind(device).is_char_device(), "{writer:?}");
            if device == "/dev/full" {
                let said = error_line(&output, writer);
                assert!(said.contains("/dev/full: No space left on device"), "{said}");
            } else {
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success() && said.is_empty(), "{writer:?}: {said}");
            }
        }
        let pipe = folder.path("pipe");
        let pipe_name = pipe.to_str().expect("is text");
        assert!(Command::new("mkfifo").arg(&pipe).status().expect("runs").success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).expect("reads")
        });
        assert!(folder.run(&[writer, &[pipe_name]].concat()).status.success(), "{writer:?}");
        assert!(!reader.join().expect("ends").is_empty(), "{writer:?}");
        assert!(kind(pipe_name).is_fifo(), "{writer:?}");
        fs::remove_file(pipe).expect("removes");
    }
    let resume = ["nw", "all-vs-all", "many.fa", "--resume", "-o", "/dev/null"];
    folder.refused(&resume, &["/dev/null: --resume needs a regular file"]);
}

#[test]
fn links_are_followed_and_modes_stay() {
    let folder = folder();
    let resume = ["nw", "all-vs-all", "many.fa", "--device", "cpu", "--resume", "-o"];
    for writer in WRITERS.into_iter().chain([&resume[..]]) {
        // At first there is no file behind the link, then an old one.
        symlink("sub/real", folder.path("link")).expect("links");
        for round in 0..2 {
            if round == 1 {
                fs::write(folder.path("sub/real"), "old").expect("writes");
                let mode = fs::Permissions::from_mode(0o640);
                fs::set_permissions(folder.path("sub/real"), mode).expect("sets");
            }
            let output = folder.run(&[writer, &["link"]].concat());
            assert!(output.status.success(), "{writer:?}");
            assert!(folder.path("link").is_symlink(), "{writer:?}");
            let found = fs::metadata(folder.path("sub/real")).expect("is there");
            assert!(found.len() > 3, "{writer:?}");
            assert!(round == 0 || found.permissions().mode() & 0o777 == 0o640, "{writer:?}");
        }
        fs::remove_dir_all(folder.path("sub")).expect("removes");
        fs::create_dir(folder.path("sub")).expect("a folder");
        fs::remove_file(folder.path("link")).expect("removes");
    }
}

#[test]
fn standard_output_must_be_written() {
    let folder = folder();
    let printing: [&[&str]; 11] = [
        &["--help"],
        &["--version"],
        &["help", "index"],
        &["devices"],
        &["man"],
        &["completions", "bash"],
        &["reads.fq", "ref.fa", "--device", "cpu"],
        &["nw", "all-vs-all", "many.fa", "--device", "cpu"],
        &["blastn", "-device", "cpu", "-query", "ref.fa", "-db", "t"],
        &["simulate", "genome", "1k"],
        &["index", "-q", "ref.fa", "-o", "-"],
    ];
    let program = env!("CARGO_BIN_EXE_gpualign");
    for arguments in printing {
        for (redirection, reason) in
            [(">&-", "standard output: it is closed"), (">/dev/full", "standard output: No space")]
        {
            let script = format!("exec {program} \"$@\" {redirection}");
            let mut command = Command::new("sh");
            command.args(["-c", &script, "sh"]).args(arguments).current_dir(folder.path(""));
            let said = error_line(&command.output().expect("runs"), arguments);
            assert!(said.contains(reason), "{arguments:?}: {said}");
        }
    }
    // Nobody writes to standard output here.
    let script = format!("exec {program} reads.fq ref.fa --device cpu -o x.sam >&-");
    let mut command = Command::new("sh");
    let output = command.args(["-c", &script]).current_dir(folder.path("")).output();
    assert!(output.expect("runs").status.success());
    assert!(!folder.read("x.sam").is_empty());
}
