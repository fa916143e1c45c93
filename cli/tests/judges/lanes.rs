//! Lanes with read groups: what Picard makes of them.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;

use bio::alphabets::dna::revcomp;

use crate::tools::{gpualign, plain_reference, run, sequence};

/// Read groups: two of one library, and one without.
const GROUPS: [&str; 3] = [
    "@RG\\tID:a\\tSM:s\\tLB:x\\tPL:ILLUMINA",
    "@RG\\tID:b\\tSM:s\\tPL:ILLUMINA",
    "@RG\\tID:c\\tSM:s\\tLB:x\\tPL:ILLUMINA",
];

/// FASTQ of both mates of 2,000 pairs from few places, so that most are duplicates, whose names tell positions on the flow
/// cell that are often near to each other.
fn pairs(lane: usize, genome: &[u8]) -> [String; 2] {
    let mut random = fastrand::Rng::with_seed(lane as u64);
    let mut texts = [String::new(), String::new()];
    for number in 0..2000 {
        let (start, insert) = (random.usize(0..300), 300 + random.usize(0..3));
        let fragment = &genome[start..start + insert];
        let mut reads = [fragment[..100].to_vec(), revcomp(&fragment[insert - 100..])];
        if number % 10 == 9 {
            reads[number % 2] =
                (0..100).map(|_| *random.choice(b"ACGT").unwrap_or(&b'A')).collect();
        }
        let (x, y) = (random.usize(0..600), random.usize(0..600));
        // Names differ in what is before the position.
        let name = format!("M{number}:1:F:{lane}:11:{x}:{y}");
        for (text, read) in texts.iter_mut().zip(&reads) {
            let letters = String::from_utf8_lossy(read);
            let quality: String = (0..100).map(|_| random.char('#'..'J')).collect();
            writeln!(text, "@{name}\n{letters}\n+\n{quality}").expect("is text");
        }
    }
    texts
}

#[test]
fn picard_accepts_lanes_and_counts_the_same_duplicates() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("phix.fa", folder);
    let genome = sequence(&fs::read(folder.join("ref.fa")).expect("reads"));
    let mut list = String::new();
    for (lane, group) in GROUPS.iter().enumerate() {
        for (mate, text) in pairs(lane, &genome).iter().enumerate() {
            fs::write(folder.join(format!("{lane}_{mate}.fq")), text).expect("writes");
        }
        writeln!(list, "{lane}_0.fq\t{lane}_1.fq\t{group}").expect("is text");
    }
    fs::write(folder.join("lanes.tsv"), list).expect("writes");
    let lanes = ["--mode", "best", "--lanes", "lanes.tsv", "ref.fa", "-o"];
    let marked = ["--sort", "--mark-duplicates", "--metrics", "ours.txt"];
    gpualign(&[&lanes[..], &["ours.bam"], &marked].concat(), folder);
    gpualign(&[&lanes[..], &["reads.bam"]].concat(), folder);
    let arguments = [
        "MarkDuplicates",
        "INPUT=reads.bam",
        "OUTPUT=theirs.bam",
        "METRICS_FILE=theirs.txt",
        "ASSUME_SORT_ORDER=queryname",
        "QUIET=true",
        "VERBOSITY=ERROR",
    ];
    run("PicardCommandLine", &arguments, folder);
    let rows = |file: &str| -> BTreeSet<String> {
        let text = fs::read_to_string(folder.join(file)).expect("reads");
        let rows = text.lines().skip_while(|line| !line.starts_with("LIBRARY"));
        rows.take_while(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    assert_eq!(rows("ours.txt").len(), 3);
    assert_eq!(rows("ours.txt"), rows("theirs.txt"));
    let flagged = |file: &str| -> BTreeSet<String> {
        let text = run("samtools", &["view", "-f", "0x400", file], folder);
        let text = String::from_utf8_lossy(&text).into_owned();
        let outline = |line: &str| line.split('\t').take(6).collect::<Vec<_>>().join("\t");
        text.lines().map(outline).collect()
    };
    assert!(flagged("ours.bam").len() > 1000);
    assert_eq!(flagged("ours.bam"), flagged("theirs.bam"));
    let validate =
        ["ValidateSamFile", "INPUT=ours.bam", "MODE=SUMMARY", "QUIET=true", "VERBOSITY=ERROR"];
    let said = run("PicardCommandLine", &validate, folder);
    assert!(String::from_utf8_lossy(&said).contains("No errors found"));
}
