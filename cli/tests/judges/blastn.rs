//! NCBI's blastn judges `gpualign blastn`: rows and reports must be the same.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::tools::{plain, run, sequence};

/// Columns that show position, columns, score and coverage of each alignment.
const COLUMNS: &str = "6 std score btop sstrand qcovs qcovhsp";

/// A FASTA file of genomes, and of changed copies of their pieces with ambiguous letters.
pub fn subjects(random: &mut fastrand::Rng) -> String {
    let mut text = String::new();
    for (name, file) in [("phix", "phix.fa"), ("lambda", "lambda.fa.gz"), ("chrM", "chrM.fa.gz")] {
        let genome = sequence(&plain(file));
        let _ = writeln!(text, ">{name} a genome\n{}", String::from_utf8_lossy(&genome));
        for copy in 0..4 {
            let mut piece = changed(&genome[copy * 500..(copy + 3) * 700], 8 + copy, random);
            for _ in 0..4 {
                let start = random.usize(..piece.len() - 30);
                let length = 1 + random.usize(..8);
                piece[start..start + length].fill(b"NNRYSWKMB"[random.usize(..9)]);
            }
            let _ = writeln!(text, ">{name}_{copy}\n{}", String::from_utf8_lossy(&piece));
        }
    }
    text
}

/// A FASTA file of queries: changed pieces of the genomes, joined to others, on both strands.
pub fn queries(random: &mut fastrand::Rng) -> String {
    let genomes = ["phix.fa", "lambda.fa.gz", "chrM.fa.gz"].map(|file| sequence(&plain(file)));
    let mut text = ">short\nACGT\n>repeat of the same\n".to_owned() + &"CAG".repeat(90) + "\n";
    for number in 0..60 {
        let mut query = Vec::new();
        for _ in 0..=random.usize(..3) {
            let genome = &genomes[random.usize(..3)];
            let length = 40 + random.usize(..900);
            let start = random.usize(..genome.len() - length);
            let mut piece = changed(&genome[start..start + length], random.usize(3..40), random);
            if random.bool() {
                piece.reverse();
                for letter in &mut piece {
                    *letter = match *letter {
                        b'A' => b'T',
                        b'C' => b'G',
                        b'G' => b'C',
                        b'T' => b'A',
                        other => other,
                    };
                }
            }
            query.extend(piece);
        }
        let _ = writeln!(text, ">q{number} made up\n{}", String::from_utf8_lossy(&query));
    }
    text
}

/// A copy with a substitution, an insertion or a deletion in about one of `every` bases.
pub fn changed(sequence: &[u8], every: usize, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut copy = Vec::new();
    for &letter in sequence {
        let base = b"ACGT"[random.usize(..4)];
        match random.usize(..10 * every) {
            0..8 => copy.push(base),
            8 => copy.extend([base, letter]),
            9 => {}
            _ => copy.push(letter),
        }
    }
    copy
}

fn gpualign(arguments: &[&str], folder: &Path) -> String {
    let output = run(env!("CARGO_BIN_EXE_gpualign"), arguments, folder);
    String::from_utf8(output).expect("text")
}

fn ncbi(arguments: &[&str], folder: &Path) -> String {
    String::from_utf8(run("blastn", arguments, folder)).expect("text")
}

#[test]
fn rows_are_those_of_ncbi() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut random = fastrand::Rng::with_seed(12);
    fs::write(folder.join("subjects.fa"), subjects(&mut random)).expect("writes");
    fs::write(folder.join("queries.fa"), queries(&mut random)).expect("writes");
    run("makeblastdb", &["-in", "subjects.fa", "-dbtype", "nucl", "-out", "theirs"], folder);
    gpualign(&["makedb", "subjects.fa", "-o", "ours.gpdb", "-q"], folder);
    for task in ["blastn", "megablast"] {
        for options in [
            &["-evalue", "10"][..],
            &["-evalue", "1e-5"],
            &["-dust", "no", "-strand", "minus", "-max_hsps", "2"],
            &["-word_size", "16", "-max_target_seqs", "3", "-perc_identity", "85"],
            &["-culling_limit", "1", "-evalue", "1"],
            &["-culling_limit", "5"],
            &["-soft_masking", "false", "-lcase_masking", "-qcov_hsp_perc", "30"],
            &["-xdrop_ungap", "12", "-xdrop_gap", "18", "-xdrop_gap_final", "40"],
        ] {
            let common = [&["-query", "queries.fa", "-task", task, "-outfmt", COLUMNS], options];
            let with = |database| [&["-db", database], &common.concat()[..]].concat();
            let expected = ncbi(&with("theirs"), folder);
            assert!(expected.lines().count() > 20, "{task} {options:?}");
            let found = gpualign(&[&["blastn"], &with("ours")[..]].concat(), folder);
            for (row, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
                assert_eq!(found, expected, "{task} {options:?}: row {row}");
            }
            assert_eq!(found.lines().count(), expected.lines().count(), "{task} {options:?}");
        }
    }
}

/// The lines of a report that do not name the program, the database or the date.
fn comparable(report: &str) -> Vec<&str> {
    let named = ["Database:", "Posted date", "BLASTN", "<BlastOutput_"];
    report.lines().filter(|line| !named.iter().any(|name| line.contains(name))).collect()
}

#[test]
fn reports_are_those_of_ncbi() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let mut random = fastrand::Rng::with_seed(13);
    fs::write(folder.join("subjects.fa"), subjects(&mut random)).expect("writes");
    let text = queries(&mut random);
    let few: String = text.split_inclusive('\n').take(24).collect();
    fs::write(folder.join("queries.fa"), few).expect("writes");
    run("makeblastdb", &["-in", "subjects.fa", "-dbtype", "nucl", "-out", "theirs"], folder);
    gpualign(&["makedb", "subjects.fa", "-o", "theirs.gpdb", "-q"], folder);
    for format in ["0", "5", "7"] {
        let common = ["-query", "queries.fa", "-db", "theirs", "-outfmt", format];
        let expected = ncbi(&common, folder);
        let found = gpualign(&[&["blastn"], &common[..]].concat(), folder);
        let (found, expected) = (comparable(&found), comparable(&expected));
        assert!(expected.len() > 30, "format {format}");
        for (line, (found, expected)) in found.iter().zip(&expected).enumerate() {
            assert_eq!(found, expected, "format {format}: line {line}");
        }
        assert_eq!(found.len(), expected.len(), "format {format}");
    }
}
