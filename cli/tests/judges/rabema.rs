//! Rabema checks that all mapping is complete: it must find every locus that a full-sensitivity search of razers3 finds.
//!
//! Rabema's gold standard is the set of all intervals of end positions of alignments within an error rate (Holtgrewe et
//! al., "A novel and well-defined benchmarking method for second generation read mapping", 2011).

use crate::tools::{gpualign, number, plain, run, sequence};

/// For reads of 35 bases with up to 3 differences: percent identity (razers3), error rate in percent (Rabema), and `k`.
const ERRORS: (&str, &str, &str) = ("91", "9", "3");

#[test]
fn rabema_misses_no_interval_on_lambda() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    // Rabema cannot read a FASTA file with an empty line.
    let reference = [b">lambda\n".as_slice(), &sequence(&plain("lambda.fa.gz")), b"\n"].concat();
    std::fs::write(folder.join("ref.fa"), reference).expect("writes the reference");
    // Rabema expects records sorted by read name.
    let reads = String::from_utf8(plain("lambda_35bp.fa.gz")).expect("text");
    let sequences = reads.lines().filter(|line| !line.starts_with('>'));
    let named: String =
        sequences.enumerate().map(|(i, read)| format!(">r{i:06}\n{read}\n")).collect();
    std::fs::write(folder.join("reads.fa"), named).expect("writes the reads");
    let (identity, rate, k) = ERRORS;

    let full = ["-rr", "100", "-i", identity, "-m", "1000000", "-ds", "-o", "razers.sam"];
    run("razers3", &[&full[..], &["ref.fa", "reads.fa"]].concat(), folder);
    run("rabema_prepare_sam", &["-i", "razers.sam", "-o", "full.sam"], folder);
    run("samtools", &["sort", "-o", "full.bam", "full.sam"], folder);
    let gold = ["-e", rate, "-r", "ref.fa", "-b", "full.bam", "-o", "gold.gsi"];
    run("rabema_build_gold_standard", &gold, folder);

    for strategy in ["trie", "filter"] {
        let options = ["-k", k, "--mode", "all", "--strategy", strategy, "-o", "ours.sam"];
        gpualign(&[&options[..], &["reads.fa", "ref.fa"]].concat(), folder);
        run("rabema_prepare_sam", &["-i", "ours.sam", "-o", "judged.sam"], folder);
        let judged =
            ["-e", rate, "-c", "all", "-r", "ref.fa", "-g", "gold.gsi", "-b", "judged.sam"];
        let report = String::from_utf8(run("rabema_evaluate", &judged, folder)).expect("text");
        assert!(number(&report, "Intervals to find:") > 500.0, "{report}");
        for (label, expected) in [
            ("Intervals found [%]", 100.0),
            ("Invalid alignments:", 0.0),
            ("Additional Hits:", 0.0),
            ("Normalized intervals found [%]:", 100.0),
        ] {
            let found = number(&report, label);
            assert!((found - expected).abs() < 1e-9, "{strategy}: {label} {found}\n{report}");
        }
    }
}
