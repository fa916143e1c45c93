//! Reads of BAM and CRAM as `samtools fastq` takes them out.

use crate::sam::sorted_lines;
use crate::tools::{gpualign, plain, plain_reference, run};

#[test]
fn reads_are_those_of_samtools_fastq() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    plain_reference("phix.fa", folder);
    let samtools = |arguments: &[&str]| run("samtools", arguments, folder);
    let best = |arguments: &[&str]| gpualign(&[&["--mode", "best"], arguments].concat(), folder);
    // samtools leaves reads without bases out.
    let reads = ["phix_1.fq", "phix_2.fq"].map(plain).map(|text| {
        let text = String::from_utf8(text).expect("is text");
        let records: Vec<&str> = text.lines().collect();
        let whole = records.chunks_exact(4).filter(|record| !record[1].is_empty());
        whole.map(|record| record.join("\n") + "\n").collect::<String>()
    });
    std::fs::write(folder.join("1.fq"), &reads[0]).expect("writes");
    std::fs::write(folder.join("2.fq"), &reads[1]).expect("writes");
    samtools(&["import", "-1", "1.fq", "-2", "2.fq", "-o", "unaligned.bam"]);
    let expected = sorted_lines(&best(&["1.fq", "2.fq", "ref.fa"]));
    assert_eq!(sorted_lines(&best(&["unaligned.bam", "ref.fa"])), expected);

    // Aligned reads, of which half are of the reverse strand.
    best(&["1.fq", "2.fq", "ref.fa", "--sort", "-o", "sorted.bam"]);
    samtools(&["collate", "-o", "collated.bam", "sorted.bam"]);
    samtools(&["view", "-C", "-T", "ref.fa", "-o", "collated.cram", "collated.bam"]);
    samtools(&["fastq", "-n", "-1", "c1.fq", "-2", "c2.fq", "collated.bam"]);
    let expected = sorted_lines(&best(&["c1.fq", "c2.fq", "ref.fa"]));
    assert!(expected.len() > 50);
    for file in ["collated.bam", "collated.cram"] {
        assert_eq!(sorted_lines(&best(&[file, "ref.fa"])), expected, "{file}");
    }
}
