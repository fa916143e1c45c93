//! Best mapping compared with `bwa mem`, and its files checked by Picard.

use std::collections::HashMap;
use std::path::Path;

use crate::sam::{self, Record};
use crate::tools::{data, gpualign, plain_reference, run, status};

const BEST: [&str; 2] = ["--mode", "best"];

fn path(file: &str) -> String {
    data(file).to_string_lossy().into_owned()
}

/// Primary records by name and end.
fn primary(text: &[u8]) -> HashMap<(String, u16), Record> {
    let records = sam::records(text).into_iter().filter(Record::is_primary);
    records.map(|record| ((record.name.clone(), record.flag & 0xc0), record)).collect()
}

/// Compares with bwa: how many reads are aligned, and how many confident ones lie elsewhere.
fn compare(reference: &str, reads: &[&str], folder: &Path) {
    plain_reference(reference, folder);
    run("bwa", &["index", "ref.fa"], folder);
    let reads: Vec<String> = reads.iter().map(|file| path(file)).collect();
    let reads: Vec<&str> = reads.iter().map(String::as_str).collect();
    let theirs = primary(&run("bwa", &[&["mem", "ref.fa"], &reads[..]].concat(), folder));
    let ours = primary(&gpualign(&[&BEST, &reads[..], &["ref.fa"]].concat(), folder));
    assert_eq!(ours.len(), theirs.len());
    let aligned = |records: &HashMap<_, Record>, flag| {
        records.values().filter(|record| record.is_aligned() && record.flag & flag == flag).count()
    };
    assert!(aligned(&ours, 0) >= aligned(&theirs, 0), "{reads:?}");
    assert!(aligned(&ours, 2) >= aligned(&theirs, 2), "{reads:?}");
    let (mut compared, mut elsewhere) = (0, 0);
    for (read, theirs) in theirs.iter().filter(|(_, record)| record.mapq >= 30) {
        let ours = &ours[read];
        let is_far = ours.position.abs_diff(theirs.position) > 20
            || ours.is_reverse() != theirs.is_reverse();
        compared += 1;
        elsewhere += usize::from(ours.mapq >= 30 && is_far);
    }
    assert!(compared > 80 && elsewhere * 1000 <= compared, "{elsewhere} of {compared} elsewhere");
}

#[test]
fn bwa_mem_and_we_place_real_reads_alike() {
    let folder = tempfile::tempdir().expect("a folder");
    compare("phix.fa", &["phix_1.fq", "phix_2.fq"], folder.path());
    let folder = tempfile::tempdir().expect("a folder");
    compare("chrM.fa.gz", &["chrM_1.fq.gz"], folder.path());
}

#[test]
fn picard_finds_no_error_in_pairs() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("phix.fa", folder);
    run("samtools", &["faidx", "ref.fa"], folder);
    run("samtools", &["dict", "-o", "ref.dict", "ref.fa"], folder);
    let reads = [path("phix_1.fq"), path("phix_2.fq")];
    let (group, reads) = ("@RG\\tID:x\\tSM:y\\tPL:ILLUMINA", reads.each_ref().map(String::as_str));
    // Every locus of mates, each by itself, among them some that lie nowhere.
    let all = ["--mode", "all", "-k", "5"];
    for (mode, file) in [
        (&BEST[..], "out.sam"),
        (&BEST, "out.bam"),
        (&BEST, "out.cram"),
        (&all, "all.sam"),
        (&[&all[..], &["--sort"]].concat(), "all.bam"),
    ] {
        let options = ["-R", group, "-o", file];
        gpualign(&[mode, &reads[..], &["ref.fa"], &options].concat(), folder);
        let input = format!("INPUT={file}");
        // Reads of length zero have no qualities.
        let arguments = [
            "ValidateSamFile",
            &input,
            "REFERENCE_SEQUENCE=ref.fa",
            "MODE=SUMMARY",
            "IGNORE=QUALITY_NOT_STORED",
        ];
        let verdict = status("PicardCommandLine", &arguments, folder);
        let said = String::from_utf8_lossy(&verdict.stdout).into_owned();
        assert!(said.contains("No errors found"), "{file}: {said}");
    }
}
