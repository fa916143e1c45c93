//! The files themselves: formats, tags, and what samtools and Picard make of them.

use std::path::Path;

use bio::alphabets::dna::revcomp;

use crate::sam::{self, Record};
use crate::tools::{data, gpualign, plain_reference, run, sequence, status};

/// Real reads with their reference, and options that together reach every kind of record.
const CASES: [(&str, &str, &[&str]); 4] = [
    ("phix_1.fq", "phix.fa", &["--mode", "all", "-k", "5"]),
    ("lambda_35bp.fa.gz", "lambda.fa.gz", &["--mode", "all"]),
    ("chrM_1.fq.gz", "chrM.fa.gz", &["-R", "@RG\\tID:lane\\tSM:HG03706\\tPL:ILLUMINA"]),
    ("phix_2.fq", "phix.fa", &["--mode", "all", "--all-starts", "-k", "2"]),
];

const FILES: [&str; 3] = ["out.sam", "out.bam", "out.cram"];

fn map(case: usize, output: &str, folder: &Path) {
    let (reads, _, options) = CASES[case];
    let reads = data(reads).to_string_lossy().into_owned();
    let arguments = [options, &["-o", output, &reads, "ref.fa"]].concat();
    gpualign(&arguments, folder);
}

#[test]
fn the_three_formats_hold_the_same_records_and_samtools_accepts_them() {
    for (case, (reads, reference, _)) in CASES.iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        plain_reference(reference, folder);
        let view = |file: &str| {
            run("samtools", &["quickcheck", "-v", file], folder);
            sam::records(&run("samtools", &["view", "-T", "ref.fa", file], folder))
        };
        map(case, "out.sam", folder);
        map(case, "out.bam", folder);
        map(case, "out.cram", folder);
        let sam = view("out.sam");
        assert!(sam.iter().filter(|record| record.is_aligned()).count() > 20, "{reads}");
        assert_eq!(sam, view("out.bam"), "{reads}");
        assert_eq!(sam, view("out.cram"), "{reads}");
    }
}

#[test]
fn sorting_gives_what_samtools_sort_gives() {
    for (case, (reads, reference, options)) in CASES.iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        plain_reference(reference, folder);
        map(case, "unsorted.bam", folder);
        run("samtools", &["sort", "-o", "theirs.bam", "unsorted.bam"], folder);
        let path = data(reads).to_string_lossy().into_owned();
        for file in ["ours.bam", "ours.cram"] {
            let sort = ["--sort", "--sort-memory", "1M", "-o", file, &path, "ref.fa"];
            gpualign(&[options, &sort[..]].concat(), folder);
            run("samtools", &["quickcheck", "-v", file], folder);
        }
        let view = |file: &str| run("samtools", &["view", "-T", "ref.fa", file], folder);
        let places = |records: &[Record]| -> Vec<(String, usize)> {
            records.iter().map(|record| (record.contig.clone(), record.position)).collect()
        };
        let theirs = sam::records(&view("theirs.bam"));
        let ours = sam::records(&view("ours.bam"));
        // samtools orders records at one place by strand first.
        assert_eq!(places(&ours), places(&theirs), "{reads}");
        let lines = |text: Vec<u8>| {
            let mut lines: Vec<Vec<u8>> = text.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
            lines.sort_unstable();
            lines
        };
        assert!(lines(view("ours.bam")) == lines(view("theirs.bam")), "{reads}");
        assert_eq!(sam::records(&view("ours.cram")), ours, "{reads}");

        // Our index tells what theirs does.
        let stats = |file: &str| run("samtools", &["idxstats", file], folder);
        let ours = stats("ours.bam");
        run("samtools", &["index", "theirs.bam"], folder);
        assert_eq!(ours, stats("theirs.bam"), "{reads}");
        let count = |file: &str| {
            let contig = String::from_utf8_lossy(&ours);
            let contig = contig.split('\t').next().unwrap_or_default().to_owned();
            let region = format!("{contig}:100-900");
            run("samtools", &["view", "-c", "-T", "ref.fa", file, &region], folder)
        };
        assert_eq!(count("ours.bam"), count("theirs.bam"), "{reads}");
        assert_eq!(count("ours.cram"), count("theirs.bam"), "{reads}");
    }
}

#[test]
fn picard_finds_no_error() {
    for (case, (_, reference, options)) in CASES.iter().enumerate() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        plain_reference(reference, folder);
        run("samtools", &["faidx", "ref.fa"], folder);
        run("samtools", &["dict", "-o", "ref.dict", "ref.fa"], folder);
        // Given the reference, without which it cannot read CRAM, Picard counts the differences of
        // every record, and stumbles over those that leave the sequence to the primary one.
        let has_secondaries = options.contains(&"--all-starts");
        let files = if has_secondaries { &FILES[..2] } else { &FILES };
        for file in files {
            map(case, file, folder);
            let input = format!("INPUT={file}");
            // Read groups are optional; reads of FASTA files and of length zero have no qualities.
            let mut arguments = vec![
                "ValidateSamFile",
                &input,
                "IGNORE=MISSING_READ_GROUP",
                "IGNORE=RECORD_MISSING_READ_GROUP",
                "IGNORE=QUALITY_NOT_STORED",
                "MODE=SUMMARY",
                "QUIET=true",
                "VERBOSITY=ERROR",
            ];
            if !has_secondaries {
                arguments.push("REFERENCE_SEQUENCE=ref.fa");
            }
            let verdict = status("PicardCommandLine", &arguments, folder);
            let said = String::from_utf8_lossy(&verdict.stdout);
            assert!(
                said.contains("No errors found"),
                "case {case}, {file}: {said}{}",
                String::from_utf8_lossy(&verdict.stderr)
            );
        }
    }
}

#[test]
fn cigar_nm_and_md_agree_with_the_reference() {
    for (reads, reference, options) in CASES {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path();
        plain_reference(reference, folder);
        let path = data(reads).to_string_lossy().into_owned();
        let eqx = ["--eqx", "-o", "out.sam", &path, "ref.fa"];
        gpualign(&[options, &eqx[..]].concat(), folder);
        let contig = sequence(&std::fs::read(folder.join("ref.fa")).expect("reads"));
        let records = sam::records(&std::fs::read(folder.join("out.sam")).expect("reads"));
        let mut primary: Option<&Record> = None;
        let mut checked = 0;
        for record in records.iter().filter(|record| record.is_aligned()) {
            if record.is_primary() {
                primary = Some(record);
            }
            let primary = primary.expect("the primary line comes first");
            assert_eq!(record.name, primary.name);
            let mut read = primary.sequence.clone().into_bytes();
            if record.is_reverse() != primary.is_reverse() {
                read = revcomp(&read);
            }
            sam::check_alignment(record, &read, &contig);
            checked += 1;
        }
        assert!(checked > 20, "{reads}: {checked} records");
    }
}

#[test]
fn samtools_calmd_computes_the_same_tags() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("chrM.fa.gz", folder);
    map(2, "out.bam", folder);
    let ours = sam::records(&run("samtools", &["view", "out.bam"], folder));
    let theirs = run("samtools", &["calmd", "-Q", "out.bam", "ref.fa"], folder);
    let theirs = sam::records(&theirs);
    assert_eq!(ours.len(), theirs.len());
    for (ours, theirs) in ours.iter().zip(&theirs) {
        // samtools counts N against N as a match in NM; we do not, and no such record is here.
        assert_eq!(ours, theirs);
    }
}
