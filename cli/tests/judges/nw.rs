//! Scores of `gpualign nw` are those of parasail, and samtools reads its records.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use crate::tools::{plain, run};

/// FASTA of random and related sequences; the last has one letter only.
fn fasta(random: &mut fastrand::Rng, letters: &[u8], count: usize, longest: usize) -> String {
    let letter = |random: &mut fastrand::Rng| letters[random.usize(..letters.len())];
    let mut text = String::new();
    let mut last: Vec<u8> = Vec::new();
    for number in 0..count {
        let length = 1 + random.usize(..longest);
        if number % 3 == 0 || last.is_empty() {
            last = (0..length).map(|_| letter(random)).collect();
        } else {
            last.retain(|_| random.usize(..20) > 0);
            for residue in &mut last {
                if random.usize(..10) == 0 {
                    *residue = letter(random);
                }
            }
        }
        let sequence = String::from_utf8_lossy(&last);
        let _ = writeln!(text, ">s{number}\n{}{sequence}", char::from(letters[0]));
    }
    let _ = writeln!(text, ">same\n{}", "A".repeat(longest));
    text
}

/// Scores by parasail of each query with each target, query after query.
fn parasail(folder: &Path, scoring: &[&str]) -> Vec<i64> {
    let output = Command::new("parasail_aligner")
        .args(["-a", "nw_scan_32", "-x", "-t", "1", "-f", "targets.fa", "-g", "parasail.csv"])
        .args(scoring)
        .current_dir(folder)
        .stdin(File::open(folder.join("queries.fa")).expect("the queries"))
        .output()
        .expect("parasail_aligner (`make test` installs it)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let table = fs::read_to_string(folder.join("parasail.csv")).expect("its table");
    let mut rows: Vec<Vec<i64>> = table
        .lines()
        .map(|line| line.split(',').map(|field| field.parse().expect("a number")).collect())
        .collect();
    rows.sort();
    rows.iter().map(|row| row[4]).collect()
}

/// Scores by `gpualign nw` of each query with each target, query after query.
fn ours(folder: &Path, options: &[&str]) -> Vec<i64> {
    let files = ["nw", "one-vs-all", "queries.fa", "targets.fa", "--device", "cpu", "-q"];
    let output = run(env!("CARGO_BIN_EXE_gpualign"), &[&files, options].concat(), folder);
    scores(&output)
}

/// Scores in the output of `gpualign nw`.
fn scores(table: &[u8]) -> Vec<i64> {
    let text = std::str::from_utf8(table).expect("text");
    let score = |line: &str| line.split('\t').nth(2)?.parse().ok();
    text.lines().skip(1).map(|line| score(line).expect("a score")).collect()
}

#[test]
fn scores_are_those_of_parasail() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for (letters, longest) in [(&b"ACGT"[..], 40), (b"ACGT", 900), (b"ARNDCQEGHILKMFPSTWYV", 300)] {
        let mut random = fastrand::Rng::with_seed(longest as u64);
        fs::write(folder.join("queries.fa"), fasta(&mut random, letters, 12, longest))
            .expect("writes");
        fs::write(folder.join("targets.fa"), fasta(&mut random, letters, 12, longest))
            .expect("writes");
        for (open, extend) in [("10", "1"), ("11", "2"), ("7", "7")] {
            let (theirs, own): (&[&str], &[&str]) = if letters.len() == 4 {
                (&["-d", "-M", "5", "-X", "4"], &["--match", "5", "--mismatch", "-4"])
            } else {
                (&["-m", "blosum62"], &["--matrix", "BLOSUM62"])
            };
            let expected = parasail(folder, &[theirs, &["-o", open, "-e", extend]].concat());
            assert_eq!(expected.len(), 13 * 13);
            let own = [own, &["--gap-open", open, "--gap-extend", extend]].concat();
            let case = format!("{} letters of {longest}, {open} {extend}", letters.len());
            assert_eq!(ours(folder, &own), expected, "{case}");
            assert_eq!(ours(folder, &[&own[..], &["--score-only"]].concat()), expected, "{case}");
        }
    }
}

#[test]
fn built_in_matrices_are_those_of_parasail() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // Sequences of one residue, so that each score is a value of the matrix.
    let records: String =
        "ARNDCQEGHILKMFPSTWYVBZX".chars().map(|c| format!(">{c}\n{c}\n")).collect();
    for file in ["queries.fa", "targets.fa"] {
        fs::write(folder.join(file), &records).expect("writes");
    }
    for name in ["BLOSUM30", "BLOSUM45", "BLOSUM62", "PAM40", "PAM120", "PAM200", "PAM250"] {
        let expected = parasail(folder, &["-m", &name.to_lowercase(), "-o", "100", "-e", "100"]);
        assert_eq!(expected.len(), 23 * 23);
        let options = ["--matrix", name, "--gap-open", "100", "--gap-extend", "100"];
        assert_eq!(ours(folder, &options), expected, "{name}");
    }
}

#[test]
fn real_genes_score_as_parasail_says() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    for file in ["queries.fa", "targets.fa"] {
        fs::write(folder.join(file), plain("16s.fa.gz")).expect("writes");
    }
    let genes = 20;
    for (open, extend) in [("10", "1"), ("10", "10")] {
        let all = parasail(folder, &["-m", "nuc44", "-o", open, "-e", extend]);
        assert_eq!(all.len(), genes * genes);
        let expected: Vec<i64> = (0..genes)
            .flat_map(|query| (query + 1..genes).map(move |target| query * genes + target))
            .map(|place| all[place])
            .collect();
        for more in [&[][..], &["--score-only"]] {
            let options = ["--matrix", "NUC.4.4", "--gap-open", open, "--gap-extend", extend];
            let job = ["nw", "all-vs-all", "queries.fa", "--device", "cpu", "-q"];
            let output =
                run(env!("CARGO_BIN_EXE_gpualign"), &[&job[..], &options, more].concat(), folder);
            assert_eq!(scores(&output), expected, "{open} {extend} {more:?}");
        }
    }
}

#[test]
fn records_of_pairs_are_those_of_samtools() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut random = fastrand::Rng::with_seed(9);
    fs::write(folder.join("queries.fa"), fasta(&mut random, b"ACGT", 6, 120)).expect("writes");
    fs::write(folder.join("targets.fa"), fasta(&mut random, b"ACGT", 6, 120)).expect("writes");
    for ends in [&[][..], &["--free-ends", "all"]] {
        let job = ["nw", "one-vs-all", "queries.fa", "targets.fa", "--device", "cpu", "-q"];
        let own = [&job[..], ends, &["-o", "out.sam"]].concat();
        run(env!("CARGO_BIN_EXE_gpualign"), &own, folder);
        let own = fs::read_to_string(folder.join("out.sam")).expect("text");
        // It counts the differences itself, and appends what they are.
        let theirs = run("samtools", &["calmd", "--no-PG", "out.sam", "targets.fa"], folder);
        let theirs = String::from_utf8(theirs).expect("text");
        assert_eq!(own.lines().count(), 2 + 7 + 7 * 7);
        assert_eq!(theirs.lines().count(), own.lines().count());
        for (own, theirs) in own.lines().zip(theirs.lines()) {
            let fields = |line: &str| {
                let known = line.split('\t').filter(|field| !field.starts_with("MD:Z:"));
                let mut fields: Vec<String> = known.map(str::to_owned).collect();
                fields.sort();
                fields
            };
            assert_eq!(fields(own), fields(theirs));
        }
    }
}
