//! `gpualign evaluate` counts what `wgsim_eval.pl` of samtools and Rabema count, and what the alignments that Mason
//! simulates give; simulated pairs are what `wgsim_eval.pl` and bwa take them for.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::tools::{gpualign, number, plain, plain_reference, run, sequence};

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

/// Debian keeps this program of `SeqAn` outside of PATH.
const MASON: &str = "/usr/lib/seqan/bin/mason_simulator";

/// Reads that Mason simulates of a genome of which 20,000 bases are there twice, in `reads.fq`, and its alignments of them in
/// `truth.sam`; names are those that `gpualign simulate reads` would give. Returns the number of reads.
fn mason_reads(folder: &Path) -> usize {
    let lambda = String::from_utf8(sequence(&plain("lambda.fa.gz"))).expect("text");
    let genome = format!(">lambda\n{lambda}\n>copy\n{}\n", &lambda[..20_000]);
    std::fs::write(folder.join("ref.fa"), genome).expect("writes");
    let options = "-ir ref.fa -n 2000 --illumina-read-length 60 --illumina-prob-mismatch 0.03 \
        --illumina-prob-mismatch-begin 0.02 --illumina-prob-mismatch-end 0.05 \
        --illumina-prob-insert 0.005 --illumina-prob-deletion 0.005 --seed 7 -o mason.fq -oa mason.sam";
    run(MASON, &options.split_whitespace().collect::<Vec<_>>(), folder);
    let text = |file: &str| std::fs::read_to_string(folder.join(file)).expect("is text");
    let mut truth = String::new();
    let mut names = HashMap::new();
    for line in text("mason.sam").lines() {
        if line.starts_with('@') {
            writeln!(truth, "{line}").expect("is memory");
            continue;
        }
        let fields: Vec<&str> = line.splitn(5, '\t').collect();
        let [name, flag, contig, position, rest] = fields[..] else { panic!("{line}") };
        let strand = if flag == "16" { '-' } else { '+' };
        // Rabema expects reads sorted by name.
        let new = format!("r{:06}:{contig}:{position}:{strand}:0", names.len());
        writeln!(truth, "{new}\t{flag}\t{contig}\t{position}\t{rest}").expect("is memory");
        names.insert(name.to_owned(), new);
    }
    std::fs::write(folder.join("truth.sam"), truth).expect("writes");
    let reads = text("mason.fq");
    let lines: Vec<&str> = reads.lines().collect();
    let mut records: Vec<String> = lines
        .chunks_exact(4)
        .map(|record| format!("@{}\n{}\n+\n{}\n", names[&record[0][1..]], record[1], record[3]))
        .collect();
    records.sort();
    std::fs::write(folder.join("reads.fq"), records.concat()).expect("writes");
    records.len()
}

#[test]
fn mason_and_rabema_count_the_same() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let reads = mason_reads(folder);
    let evaluate = |arguments: &[&str]| -> serde_json::Value {
        let arguments = [&["evaluate", "ours.sam", "--format", "json"], arguments].concat();
        let output = run(env!("CARGO_BIN_EXE_gpualign"), &arguments, folder);
        serde_json::from_slice(&output).expect("is JSON")
    };
    // Whole reads, as Rabema wants the end of an alignment at the end of the read.
    gpualign(&["-k", "6", "reads.fq", "ref.fa", "-o", "ours.sam"], folder);
    let by_name = evaluate(&["--truth", "ours"]);
    let correct = by_name["correct"].as_u64().expect("a count");
    let unmapped = by_name["unmapped"].as_u64().expect("a count");
    assert_eq!(by_name["reads"], reads);
    // Four sevenths of the reads are of copied bases, where either copy is chosen.
    let wrong = reads as u64 - unmapped - correct;
    assert!(wrong > 400 && unmapped < 50, "{by_name}");

    let by_alignment = evaluate(&["--compare", "truth.sam", "--mapq", "0"]);
    let count = |what: &str| by_alignment[what]["all"].as_u64().expect("a count");
    assert_eq!((count("same"), count("elsewhere")), (correct, wrong), "{by_alignment}");
    assert_eq!(count("only_first"), unmapped);

    run("samtools", &["sort", "-o", "truth.bam", "truth.sam"], folder);
    let oracle = ["--oracle-mode", "-e", "30", "-r", "ref.fa"];
    let gold = ["-b", "truth.bam", "-o", "gold.gsi"];
    run("rabema_build_gold_standard", &[&oracle[..], &gold].concat(), folder);
    run("rabema_prepare_sam", &["-i", "ours.sam", "-o", "judged.sam"], folder);
    let judged = ["-c", "any-best", "-g", "gold.gsi", "-b", "judged.sam"];
    let report = run("rabema_evaluate", &[&oracle[..], &judged].concat(), folder);
    let report = String::from_utf8(report).expect("text");
    let found = number(&report, "Intervals found:") as u64;
    // It leaves out alignments with more differences than the simulated one, and tolerates no bases.
    assert!(
        (correct - correct / 100..=correct).contains(&found),
        "{found} of {correct}:\n{report}"
    );
}
