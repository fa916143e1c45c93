//! Numbers of options at the limits of their ranges and of integers: they are refused as errors of usage, or used.

use crate::support::Folder;

/// A folder with a reference, and queries that are parts of it.
fn folder() -> Folder {
    let folder = Folder::new();
    let reference = String::from_utf8(folder.read("ref.fa")).expect("text");
    let letters: String = reference.lines().skip(1).collect();
    folder.write("q.fa", format!(">q\n{}\n", &letters[300..700]));
    folder
}

/// Numbers that no option of 32 bits takes.
const BEYOND: [&str; 4] = ["-2147483649", "4294967296", "99999999999999999999", "1e400"];

fn is_refused(folder: &Folder, arguments: &[&str]) {
    let output = folder.run(arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
    assert!(said.starts_with("error: "), "{arguments:?}: {said}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
}

#[test]
fn numbers_of_blastn_have_ranges() {
    let folder = folder();
    let search = ["blastn", "-query", "q.fa", "-subject", "ref.fa", "-outfmt", "6"];
    for (option, values) in [
        ("-evalue", &["0", "-1", "-1e300", "inf", "nan"][..]),
        ("-word_size", &["3", "-1", "65536"]),
        ("-reward", &["0", "-1", "1000", "-2147483648", "2147483647"]),
        ("-penalty", &["0", "1", "-1000", "-2147483648", "2147483647"]),
        ("-gapopen", &["-1", "1000", "-2147483648", "2147483647"]),
        ("-gapextend", &["-1", "1000", "-2147483648", "2147483647"]),
        ("-max_target_seqs", &["0", "-1"]),
        ("-max_hsps", &["0", "-1"]),
        ("-culling_limit", &["-1"]),
        ("-num_threads", &["0", "-1", "65536"]),
        ("-perc_identity", &["-1", "100.5", "nan"]),
        ("-qcov_hsp_perc", &["-1", "101", "inf"]),
        ("-xdrop_ungap", &["0", "-1", "10001", "2147483648", "nan"]),
        ("-xdrop_gap", &["0", "-1", "10001", "2147483648", "inf"]),
        ("-xdrop_gap_final", &["0", "-1", "10001", "2147483648", "1e308"]),
        ("-dust", &["1 64 1", "20 65 1", "20 64 33", "20 64", "4294967296 64 1"]),
    ] {
        // E-values are not integers.
        let beyond = if option == "-evalue" { &BEYOND[3..] } else { &BEYOND[..] };
        for value in values.iter().chain(beyond) {
            is_refused(&folder, &[&search[..], &[option, value]].concat());
        }
    }
}

#[test]
fn extreme_numbers_of_blastn_find_the_same_alignment() {
    let folder = folder();
    let search = ["blastn", "-query", "q.fa", "-subject", "ref.fa", "-task", "blastn"];
    let ends = ["-outfmt", "6 qstart qend sstart send", "-max_hsps", "1"];
    for options in [
        &["-evalue", "1e308"][..],
        &["-evalue", "1e-200"],
        &["-word_size", "4"],
        &["-word_size", "400"],
        &["-max_target_seqs", "4294967295", "-culling_limit", "4294967295"],
        &["-xdrop_ungap", "10000", "-xdrop_gap", "10000", "-xdrop_gap_final", "10000"],
        &["-xdrop_ungap", "1e-300", "-xdrop_gap", "1e-300", "-xdrop_gap_final", "1e-300"],
        &["-reward", "499", "-penalty", "-499", "-gapopen", "998", "-gapextend", "499"],
        &["-reward", "1", "-penalty", "-5", "-gapopen", "999", "-gapextend", "999"],
    ] {
        let output = folder.run(&[&search[..], &ends, options].concat());
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{options:?}: {said}");
        assert_eq!(String::from_utf8_lossy(&output.stdout), "1\t400\t301\t700\n", "{options:?}");
    }
    let output = folder.run(&[&search[..], &ends, &["-word_size", "401"]].concat());
    assert!(output.status.success() && output.stdout.is_empty(), "no word is as long");
}

/// The longest query whose scores have room, and one that is longer by a base.
#[test]
fn scores_of_long_queries_do_not_overflow() {
    let folder = folder();
    // Half of 2^30, by twice the reward, since it is odd.
    let longest = (1 << 29) / (2 * 499);
    let mut random = fastrand::Rng::with_seed(1);
    let bases: Vec<u8> = (0..=longest).map(|_| b"ACGT"[random.usize(..4)]).collect();
    folder.write("long.fa", [b">long\n", &bases[..longest]].concat());
    folder.write("longer.fa", [b">short\nACGT\n>longer\n", &bases[..]].concat());
    let scores = ["-reward", "499", "-penalty", "-499", "-gapopen", "998", "-gapextend", "499"];
    let search = [&["-task", "blastn", "-dust", "no", "-outfmt", "6 qend score"], &scores[..]];
    let search = search.concat();
    let files = ["blastn", "-query", "long.fa", "-subject", "long.fa", "-max_hsps", "1"];
    let output = folder.run(&[&files[..], &search].concat());
    let expected = format!("{longest}\t{}\n", longest * 499);
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    let files = ["blastn", "-query", "longer.fa", "-subject", "ref.fa"];
    let limit = format!("at most {longest}");
    let parts = ["longer.fa", "record 2", "longer", "-reward 499", &limit];
    folder.refused(&[&files[..], &search].concat(), &parts);
}

#[test]
fn numbers_of_nw_have_ranges() {
    let folder = folder();
    let align = ["nw", "pairs", "q.fa", "q.fa"];
    for (option, values) in [
        ("--match", &["501", "-501", "-4", "-2147483648", "2147483647"][..]),
        ("--mismatch", &["501", "-501", "5", "-2147483648", "2147483647"]),
        ("--gap-open", &["-1", "501", "0", "-2147483648", "2147483647"]),
        ("--gap-extend", &["-1", "501", "11", "-2147483648", "2147483647"]),
        ("--min-identity", &["-1", "1.5", "nan"]),
        ("--threads", &["0", "-1", "65536"]),
    ] {
        for value in values.iter().chain(&BEYOND) {
            is_refused(&folder, &[&align[..], &[option, value]].concat());
        }
    }
    for score in ["-2147483648", "2147483647", "501", "-501", "99999999999999999999"] {
        folder.write("m", format!("A C G T\nA 1 0 0 0\nC 0 {score} 0 0\nG 0 0 1 0\nT 0 0 0 1\n"));
        let parts = ["m: line 3", score, "is not between -500 and 500"];
        folder.refused(&[&align[..], &["--matrix", "m"]].concat(), &parts);
    }
    folder.write("m", "A C G T\nA 500 -500 0 0\nC -500 500 0 0\nG 0 0 500 0\nT 0 0 0 500\n");
    let costs = ["--gap-open", "500", "--gap-extend", "500", "--score-only"];
    let output = folder.run(&[&align[..], &["--matrix", "m"], &costs].concat());
    let row = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(row.ends_with("q\tq\t200000\t*\t*\t*\n"), "{row}");
}
