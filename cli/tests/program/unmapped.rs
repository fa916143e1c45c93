//! `--no-unmapped`: which records are left out, in any format and order.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::sam::{self, Record};
use crate::support::{Folder, phix};

/// A record of FASTQ.
fn fastq(name: &str, bases: &[u8]) -> String {
    let bases = String::from_utf8_lossy(bases);
    format!("@{name}\n{bases}\n+\n{}\n", "I".repeat(bases.len()))
}

/// Bases that align nowhere: random, and of another genome than that of the reference.
fn foreign(seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..90).map(|_| b"ACGT"[random.usize(0..4)]).collect()
}

/// A folder with pairs whose names tell which of their ends are of the reference: `both`, `first`, `second` or `none`.
fn folder() -> Folder {
    let folder = Folder::new();
    let genome = phix();
    let (mut one, mut two) = (String::new(), String::new());
    for number in 0..120 {
        let start = number * 40;
        let ends = [
            &genome[start..start + 90],
            &bio::alphabets::dna::revcomp(&genome[start + 210..start + 300]),
        ];
        let kind = ["both", "first", "second", "none"][number % 4];
        let has = [matches!(kind, "both" | "first"), matches!(kind, "both" | "second")];
        let name = format!("{kind}{number}");
        for (end, text) in [&mut one, &mut two].into_iter().enumerate() {
            let strange = foreign((2 * number + end) as u64);
            *text += &fastq(&name, if has[end] { ends[end] } else { &strange });
        }
    }
    folder.write("1.fq", one).write("2.fq", two);
    folder
}

fn names(records: &[Record]) -> BTreeSet<&str> {
    records.iter().map(|record| record.name.as_str()).collect()
}

#[test]
fn a_pair_is_left_out_if_both_ends_are_unmapped() {
    let folder = folder();
    let pairs = ["--mode", "best", "1.fq", "2.fq", "ref.fa"];
    let all = folder.records(&pairs);
    let expected: Vec<Record> =
        all.iter().filter(|record| record.flag & 12 != 12).cloned().collect();
    assert_eq!(names(&expected).len(), 90);
    assert!(expected.iter().any(|record| !record.is_aligned()), "mates of mapped reads stay");
    let kept =
        |options: &[&str]| folder.records(&[&pairs[..], &["--no-unmapped"], options].concat());
    assert_eq!(kept(&[]), expected);
    assert_eq!(kept(&["-t", "3", "--batch-size", "7"]), expected);
    let sorted = folder.records(&[&pairs[..], &["--sort"]].concat());
    let sorted: Vec<Record> = sorted.into_iter().filter(|record| record.flag & 12 != 12).collect();
    assert_eq!(kept(&["--sort"]), sorted);
    let marked = folder.records(&[&pairs[..], &["--sort", "--mark-duplicates"]].concat());
    let marked: Vec<Record> = marked.into_iter().filter(|record| record.flag & 12 != 12).collect();
    assert_eq!(kept(&["--sort", "--mark-duplicates"]), marked);
    for file in ["out.bam", "out.cram"] {
        folder.map(&[&pairs[..], &["--no-unmapped", "--sort", "-o", file]].concat());
        let mut reader = rust_htslib::bam::Reader::from_path(folder.path(file)).expect("opens");
        let records = rust_htslib::bam::Read::records(&mut reader);
        let flags: Vec<u16> = records.map(|record| record.expect("is a record").flags()).collect();
        assert_eq!(flags, sorted.iter().map(|record| record.flag).collect::<Vec<_>>(), "{file}");
    }
}

#[test]
fn a_read_alone_is_left_out_if_it_is_unmapped() {
    let folder = folder();
    for mode in [
        &["--mode", "best"][..],
        &["--mode", "best", "--single", "2.fq"],
        &["--mode", "all"],
        &["--mode", "all", "--sort"],
    ] {
        let words = [mode, &["1.fq", "ref.fa"]].concat();
        let all = folder.records(&words);
        let expected: Vec<Record> =
            all.iter().filter(|record| record.is_aligned()).cloned().collect();
        assert!(expected.len() >= 60 && expected.len() < all.len(), "{mode:?}");
        assert_eq!(
            folder.records(&[&words[..], &["--no-unmapped"]].concat()),
            expected,
            "{mode:?}"
        );
    }
}

#[test]
fn statistics_and_metrics_count_every_read() {
    let folder = folder();
    let run = |options: &[&str]| {
        let words =
            ["--device", "cpu", "1.fq", "2.fq", "ref.fa", "--stats", "json", "-o", "out.sam"];
        let marking = ["--sort", "--mark-duplicates", "--metrics", "metrics.txt"];
        let output = folder.run(&[&words[..], &marking, options].concat());
        assert!(output.status.success());
        let mut stats: Value = serde_json::from_slice(&output.stderr).expect("is JSON");
        for changing in ["command", "seconds", "reads_per_second"] {
            stats.as_object_mut().expect("has fields").remove(changing);
        }
        let metrics = String::from_utf8(folder.read("metrics.txt")).expect("is text");
        let metrics: Vec<String> =
            metrics.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
        (stats, metrics, sam::records(&folder.read("out.sam")).len())
    };
    let (all, few) = (run(&[]), run(&["--no-unmapped"]));
    assert_eq!((&few.0, &few.1), (&all.0, &all.1));
    assert_eq!((all.0["primary"].as_u64(), all.2, few.2), (Some(240), 240, 180));
}
