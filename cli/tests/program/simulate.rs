//! `gpualign simulate`: what it makes can be mapped, and is refused where it makes no sense.

use std::process::Stdio;

use crate::support::Folder;

#[test]
fn made_up_reads_map_to_where_they_are_from() {
    let folder = Folder::new();
    let done = |arguments: &[&str]| {
        let output = folder.run(arguments);
        assert!(output.status.success(), "{arguments:?}");
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{arguments:?}");
    };
    done(&["simulate", "genome", "60k", "--contigs", "3", "--seed", "8", "-o", "made.fa"]);
    done(&["simulate", "reads", "made.fa", "-n", "200", "-l", "80", "-o", "made.fq"]);
    let records = folder.records(&["-k", "6", "made.fq", "made.fa"]);
    assert_eq!(records.len(), 200);
    let right = records.iter().filter(|record| {
        let truth: Vec<&str> = record.name.split(':').collect();
        truth[1] == record.contig && truth[2] == record.position.to_string()
    });
    assert!(right.count() >= 190);
}

#[test]
fn pairs_go_to_one_file_or_two() {
    let folder = Folder::new();
    let pairs = ["simulate", "reads", "ref.fa", "--pairs", "-n", "50", "-l", "60", "-d", "200"];
    let made = folder.run(&pairs);
    assert!(made.status.success() && made.stderr.is_empty());
    let files = ["-s", "50", "-o", "1.fq", "--output2", "2.fq"];
    assert!(folder.run(&[&pairs[..], &files].concat()).status.success());
    let lines = |bytes: Vec<u8>| -> Vec<String> {
        String::from_utf8_lossy(&bytes).lines().map(str::to_owned).collect()
    };
    let (one, two, both) = (folder.read("1.fq"), folder.read("2.fq"), lines(made.stdout));
    let (one, two) = (lines(one), lines(two));
    let in_turn = one.chunks(4).zip(two.chunks(4)).flat_map(|(a, b)| [a, b].concat());
    assert_eq!(both, in_turn.collect::<Vec<_>>());
    assert!(one[0].ends_with("_0/1") && two[0].ends_with("_0/2"), "{} {}", one[0], two[0]);
    assert!(one[196].ends_with("_31/1"), "{}", one[196]);

    let refused = |arguments: &[&str]| {
        let output = folder.run(&[&["simulate", "reads", "ref.fa"], arguments].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    };
    refused(&["-e", "0.1"]);
    refused(&["--pairs", "--indels", "0.1"]);
    refused(&["--pairs", "--output2", "2.fq"]);
    refused(&["--pairs", "-d", "-1"]);
    let long = ["simulate", "reads", "ref.fa", "--pairs", "-d", "9000", "-o", "x.fq"];
    folder.refused(&[&long[..], &["--output2", "y.fq"]].concat(), &["ref.fa", "no place"]);
}

#[test]
fn the_same_seed_makes_the_same() {
    let folder = Folder::new();
    let made = |seed: &str| folder.run(&["simulate", "genome", "5k", "--seed", seed]).stdout;
    assert_eq!(made("1"), made("1"));
    assert_ne!(made("1"), made("2"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = Folder::new();
    folder.refused(&["simulate", "genome", "5G", "-o", "x.fa"], &["at most 4294901760 bases"]);
    folder.refused(&["simulate", "genome", "2", "--contigs", "3"], &["3 contigs"]);
    folder.refused(&["simulate", "reads", "none.fa"], &["none.fa"]);
    folder.refused(
        &["simulate", "reads", "ref.fa", "-l", "60000", "-o", "x.fq"],
        &["ref.fa", "no place"],
    );
    let output = folder.run(&["simulate", "genome", "1x"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    for arguments in
        [&["simulate", "genome", "3M"][..], &["simulate", "reads", "ref.fa", "-n", "20000"]]
    {
        let mut command = folder.command(arguments);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("ends");
        assert!(output.status.success() && output.stderr.is_empty(), "{arguments:?}");
    }
}
