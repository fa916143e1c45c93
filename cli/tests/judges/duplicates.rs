//! Duplicates as Picard's `MarkDuplicates` marks and counts them.

use std::fmt::Write;
use std::path::Path;

use crate::tools::{gpualign, plain, plain_reference, run};

/// The seed of everything that is planted.
const SEED: u64 = 3;

/// A read of a FASTQ text: its letters and qualities.
#[derive(Clone)]
struct FastqRead {
    letters: Vec<u8>,
    qualities: Vec<u8>,
}

fn reads(file: &str) -> Vec<FastqRead> {
    let text = plain(file);
    let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
    let read = |lines: &[&[u8]]| FastqRead { letters: lines[1].into(), qualities: lines[3].into() };
    lines.chunks_exact(4).map(read).collect()
}

fn letters(random: &mut fastrand::Rng, count: usize) -> Vec<u8> {
    (0..count).map(|_| *random.choice(b"ACGT").expect("one")).collect()
}

/// A copy of a read with other qualities here and there, and sometimes with foreign bases at an end, which are clipped.
fn copy(read: &FastqRead, random: &mut fastrand::Rng) -> FastqRead {
    let FastqRead { mut letters, mut qualities } = read.clone();
    for quality in &mut qualities {
        if random.u8(0..10) == 0 {
            *quality = *random.choice(b"#5FI").expect("one");
        }
    }
    let foreign = *random.choice(&[0, 0, 5, 20]).expect("one");
    let end = letters.len() - foreign;
    letters[end..].copy_from_slice(&self::letters(random, foreign));
    if random.u8(0..5) == 0 {
        letters[..8].copy_from_slice(&self::letters(random, 8));
    }
    FastqRead { letters, qualities }
}

/// Writes pairs of a file of the `data` folder with copies: near ones and far ones on the flow cell, with mates that align
/// nowhere, and with the mates exchanged. If `umis` are wanted, names end with one of a few UMIs.
fn plant(folder: &Path, umis: bool) {
    let mut random = fastrand::Rng::with_seed(SEED);
    let [first, second] = ["chr20_10mb_1.fq.gz", "chr20_10mb_2.fq.gz"].map(reads);
    let mut pairs = Vec::new();
    for (one, two) in first.iter().zip(&second).take(1500) {
        let (tile, x, y) =
            (random.u32(1101..1105), random.u32(200..20_000), random.u32(200..20_000));
        let name = |tile: u32, x: u32, y: u32| format!("M1:4:FC:1:{tile}:{x}:{y}");
        pairs.push((name(tile, x, y), one.clone(), two.clone()));
        for _ in 0..*random.choice(&[0, 0, 0, 1, 1, 2, 5]).expect("one") {
            let name = if random.bool() {
                name(tile, x + random.u32(0..240) - 120, y + random.u32(0..240) - 120)
            } else {
                name(random.u32(1101..1105), random.u32(200..20_000), random.u32(200..20_000))
            };
            let (mut one, mut two) = (copy(one, &mut random), copy(two, &mut random));
            if random.u8(0..7) == 0 {
                two.letters = letters(&mut random, two.letters.len());
            }
            if random.u8(0..10) == 0 {
                std::mem::swap(&mut one, &mut two);
            }
            pairs.push((name, one, two));
        }
    }
    if umis {
        for (name, ..) in &mut pairs {
            *name += random.choice([":AC+GT", ":AC+GA"]).expect("one");
        }
    }
    random.shuffle(&mut pairs);
    let (mut one, mut two) = (String::new(), String::new());
    for (name, first, second) in &pairs {
        for (text, read) in [(&mut one, first), (&mut two, second)] {
            let [letters, qualities] =
                [&read.letters, &read.qualities].map(|it| String::from_utf8_lossy(it));
            writeln!(text, "@{name}\n{letters}\n+\n{qualities}").expect("is text");
        }
    }
    std::fs::write(folder.join("1.fq"), one).expect("writes");
    std::fs::write(folder.join("2.fq"), two).expect("writes");
}

/// Name, flag, contig and position of each record of a file, sorted.
fn records(file: &str, folder: &Path) -> Vec<String> {
    let text = String::from_utf8(run("samtools", &["view", file], folder)).expect("is text");
    let fields = |line: &str| line.split('\t').take(4).collect::<Vec<_>>().join("\t");
    let mut lines: Vec<String> = text.lines().map(fields).collect();
    lines.sort();
    lines
}

/// The flag of a line of [`records`].
fn flag(line: &str) -> u16 {
    line.split('\t').nth(1).and_then(|flag| flag.parse().ok()).expect("a record has a flag")
}

/// Whether a line of [`records`] has the flag of duplicates.
fn is_duplicate(line: &str) -> bool {
    flag(line) & 0x400 != 0
}

/// The text of a file of metrics, behind the lines about the program and its run.
fn metrics(file: &str, folder: &Path) -> String {
    let text = std::fs::read_to_string(folder.join(file)).expect("reads");
    let begin = text.find("## METRICS CLASS").expect("has metrics");
    text[begin..].to_owned()
}

/// Maps these reads: sorted with duplicates marked (`ours.bam`, `ours.txt`), and in their order (`unsorted.bam`).
fn map_marked_and_unsorted(reads: &[&str], folder: &Path) {
    let sorted = ["--sort", "--mark-duplicates", "--metrics", "ours.txt", "-o", "ours.bam"];
    gpualign(&[reads, &sorted].concat(), folder);
    gpualign(&[reads, &["-o", "unsorted.bam"]].concat(), folder);
}

/// The records of these reads with duplicates marked by gpualign (`ours.bam`, `ours.txt`), and by Picard with these arguments
/// (`theirs.bam`, `theirs.txt`).
fn marked_by_both(reads: &[&str], more: &[&str], folder: &Path) -> [Vec<String>; 2] {
    map_marked_and_unsorted(reads, folder);
    let picard = [
        "MarkDuplicates",
        "INPUT=unsorted.bam",
        "OUTPUT=theirs.bam",
        "METRICS_FILE=theirs.txt",
        "ASSUME_SORT_ORDER=queryname",
    ];
    run("PicardCommandLine", &[&picard[..], more].concat(), folder);
    ["ours.bam", "theirs.bam"].map(|file| records(file, folder))
}

#[test]
fn picard_marks_and_counts_the_same_duplicates() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("chr20_10mb.fa", folder);
    plant(folder, false);
    let group = ["-R", "@RG\\tID:a\\tSM:s\\tLB:one", "--mode", "best"];
    for reads in [&["1.fq", "2.fq"][..], &["1.fq"]] {
        let ours = [reads, &["ref.fa"], &group].concat();
        let [found, expected] = marked_by_both(&ours, &[], folder);
        let rest: Vec<String> =
            expected.iter().filter(|line| !is_duplicate(line)).cloned().collect();
        assert!(rest.len() + 500 < expected.len(), "seed {SEED}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!(found, expected, "seed {SEED}");
        }
        assert_eq!(found.len(), expected.len());
        assert_eq!(metrics("ours.txt", folder), metrics("theirs.txt", folder), "seed {SEED}");

        let removed = ["--sort", "--remove-duplicates", "--sort-memory", "1M", "-o", "rest.bam"];
        gpualign(&[&ours[..], &removed].concat(), folder);
        assert_eq!(records("rest.bam", folder), rest);
    }
}

/// samtools leaves unaligned mates of duplicates as they are; Picard and we mark them.
#[test]
fn samtools_marks_the_same_aligned_duplicates() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("chr20_10mb.fa", folder);
    plant(folder, false);
    map_marked_and_unsorted(&["1.fq", "2.fq", "ref.fa", "--mode", "best"], folder);
    run("samtools", &["fixmate", "-m", "unsorted.bam", "with_scores.bam"], folder);
    run("samtools", &["sort", "-o", "sorted.bam", "with_scores.bam"], folder);
    run("samtools", &["markdup", "sorted.bam", "theirs.bam"], folder);
    let aligned = |file: &str| -> Vec<String> {
        records(file, folder).into_iter().filter(|line| flag(line) & 4 == 0).collect()
    };
    let (found, expected) = (aligned("ours.bam"), aligned("theirs.bam"));
    assert!(expected.iter().filter(|line| is_duplicate(line)).count() > 500, "seed {SEED}");
    assert_eq!(found, expected, "seed {SEED}");
}

#[test]
fn picard_tells_molecules_apart_by_the_same_umis() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("chr20_10mb.fa", folder);
    plant(folder, true);
    let reads = ["1.fq", "2.fq", "ref.fa", "--mode", "best", "--umi-from-name"];
    let group = ["-R", "@RG\\tID:a\\tSM:s\\tLB:one"];
    let ours = [&reads[..], &group].concat();
    let picard = [
        "BARCODE_TAG=RX",
        // Picard takes positions of names with five or seven fields, not of those with a UMI.
        "READ_NAME_REGEX=.*:([0-9]+):([0-9]+):([0-9]+):[^:]*",
    ];
    let [found, expected] = marked_by_both(&ours, &picard, folder);
    assert!(expected.iter().filter(|line| is_duplicate(line)).count() > 500, "seed {SEED}");
    assert_eq!(found, expected, "seed {SEED}");
    assert_eq!(metrics("ours.txt", folder), metrics("theirs.txt", folder), "seed {SEED}");
}
