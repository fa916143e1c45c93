//! `gpualign evaluate` counts what `wgsim_eval.pl` of samtools counts, and simulated pairs are what it
//! and bwa take them for.

use std::fmt::Write as _;
use std::path::Path;

use crate::tools::{plain_reference, run};

/// Pairs of lambda, mapped by bwa mem, primary lines alone, in `out.sam`.
fn mapped_pairs(folder: &Path) {
    plain_reference("lambda.fa.gz", folder);
    let gpualign = env!("CARGO_BIN_EXE_gpualign");
    // Short and wrong enough for mistakes and clipping.
    let pairs = "simulate reads ref.fa --pairs -n 3000 -l 60 -d 200 -s 30 -e 0.05 -r 0.02 -X 0.6 \
        --seed 5 -o 1.fq --output2 2.fq";
    run(gpualign, &pairs.split_whitespace().collect::<Vec<_>>(), folder);
    run("bwa", &["index", "ref.fa"], folder);
    let sam = run("bwa", &["mem", "-v", "1", "ref.fa", "1.fq", "2.fq"], folder);
    std::fs::write(folder.join("all.sam"), sam).expect("writes");
    run("samtools", &["view", "-h", "-F", "0x900", "-o", "out.sam", "all.sam"], folder);
}

#[test]
fn wgsim_eval_counts_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    mapped_pairs(folder);
    let theirs = run("wgsim_eval.pl", &["alneval", "-a", "out.sam"], folder);
    let theirs = String::from_utf8(theirs).expect("is text");
    // All lines of bwa's, as we leave out what is not primary.
    let ours = run(env!("CARGO_BIN_EXE_gpualign"), &["evaluate", "all.sam"], folder);
    let ours = String::from_utf8(ours).expect("is text");
    let mut rows = String::new();
    let (mut right, mut wrong) = (0, 0);
    for line in ours.lines().skip(2) {
        let fields: Vec<&str> = line.split('\t').collect();
        (right, wrong) = (fields[3].parse().expect("a count"), fields[4].parse().expect("a count"));
        // They leave quality 0 out.
        if fields[0] != "0" {
            writeln!(rows, "{}\t{}\t{}", fields[0], fields[3], fields[4]).expect("is memory");
        }
    }
    assert_eq!(rows, theirs);
    assert!(wrong > 0 && wrong < right / 20, "{wrong} of {right}");
}
