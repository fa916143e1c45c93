//! The programs `woodstocc`, `nw-batch` and `blastn-pipeline`: the commands of gpualign under names of their own.

use std::process::{Command, Output};

use crate::support::{Folder, data, reads};

const WOODSTOCC: &str = env!("CARGO_BIN_EXE_woodstocc");
const NW_BATCH: &str = env!("CARGO_BIN_EXE_nw-batch");
const BLASTN_PIPELINE: &str = env!("CARGO_BIN_EXE_blastn-pipeline");

fn run(program: &str, arguments: &[&str], folder: &Folder) -> Output {
    Command::new(program).args(arguments).current_dir(folder.path(".")).output().expect("runs")
}

/// The standard output of a program, which must succeed without a message, without the line that has its command line.
fn printed(output: &Output) -> Vec<&[u8]> {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{said}");
    output.stdout.split(|&b| b == b'\n').filter(|line| !line.starts_with(b"@PG")).collect()
}

#[test]
fn each_program_prints_what_its_command_prints() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(20)).write("query.fa", data("phix.fa"));
    let cases: [(&str, &[&str], &[&str]); 3] = [
        (
            WOODSTOCC,
            &["--mode", "all"],
            &["--device", "cpu", "-k", "2", "reads.fq", "-t", "2", "ref.fa"],
        ),
        (NW_BATCH, &["nw"], &["all-vs-all", "reads.fq", "--device", "cpu"]),
        (
            BLASTN_PIPELINE,
            &["blastn"],
            &["-query", "query.fa", "-subject", "ref.fa", "-outfmt", "6", "-device", "cpu"],
        ),
    ];
    for (program, command, arguments) in cases {
        let expected = folder.run(&[command, arguments].concat());
        let found = run(program, arguments, &folder);
        let expected = printed(&expected);
        assert!(expected.len() > 1);
        assert_eq!(printed(&found), expected, "{program}");
    }
}

#[test]
fn help_version_and_errors_have_the_program_s_name() {
    let folder = Folder::new();
    for (program, name, missing) in [
        (WOODSTOCC, "woodstocc", &["--device", "cpu", "no.fq", "ref.fa"][..]),
        (NW_BATCH, "nw-batch", &["all-vs-all", "no.fq", "--device", "cpu"]),
        (BLASTN_PIPELINE, "blastn-pipeline", &["-query", "no.fq", "-subject", "ref.fa"]),
    ] {
        let said = |output: Output| {
            let texts = [output.stdout, output.stderr].concat();
            (output.status.code(), String::from_utf8(texts).expect("is text"))
        };
        let version = format!("{name} {}", env!("CARGO_PKG_VERSION"));
        assert_eq!(said(run(program, &["-V"], &folder)), (Some(0), format!("{version}\n")));
        let (code, long) = said(run(program, &["--version"], &folder));
        assert!(code == Some(0) && long.starts_with(&version), "{long}");
        let (code, help) = said(run(program, &["--help"], &folder));
        assert_eq!(code, Some(0));
        assert!(help.contains(&format!("Usage: {name} ")), "{help}");
        assert!(!help.contains("--mode <MODE>") && !help.contains("Best mapping"), "{help}");
        let (code, error) = said(run(program, missing, &folder));
        assert_eq!(code, Some(1), "{error}");
        assert!(error.starts_with(&format!("{name}: error: no.fq: ")), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}

#[test]
fn woodstocc_has_one_mode() {
    let folder = Folder::new();
    folder.write("reads.fq", reads(1));
    for (options, part) in [
        (&["--mode", "best"][..], "woodstocc has no --mode best"),
        (&["--preset", "short"], "--preset is an option of --mode best"),
    ] {
        let output = run(WOODSTOCC, &[options, &["reads.fq", "ref.fa"]].concat(), &folder);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part) && said.contains("Usage: woodstocc "), "{said}");
    }
}

#[test]
fn an_error_shows_the_usage_of_its_command() {
    let folder = Folder::new();
    let nw = ["pairs", "a.fa", "b.fa", "-O", "npy"];
    let output = folder.run(&[&["nw"], &nw[..]].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("Usage: gpualign nw pairs "), "{said}");
    let output = run(NW_BATCH, &nw, &folder);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("Usage: nw-batch pairs "), "{said}");
}
