//! `gpualign evaluate`: what it counts, and what it refuses.

use crate::support::Folder;

const HEADER: &str = "@HD\tVN:1.6\n@SQ\tSN:a\tLN:10000\n@SQ\tSN:b\tLN:10000\n";

/// A line of SAM with 50 bases.
fn line(name: &str, flag: u16, contig: &str, position: u32, mapq: u8, cigar: &str) -> String {
    let sequence = "ACGTA".repeat(10);
    format!("{name}\t{flag}\t{contig}\t{position}\t{mapq}\t{cigar}\t*\t0\t0\t{sequence}\t*\n")
}

fn sam(lines: &[String]) -> String {
    [HEADER.to_owned(), lines.concat()].concat()
}

fn evaluate(folder: &Folder, arguments: &[&str]) -> String {
    let output = folder.run(&[&["evaluate"], arguments].concat());
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.is_empty(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).expect("is text")
}

#[test]
fn places_are_counted_by_quality() {
    let folder = Folder::new();
    let name = "a_101_600_0:0:0_0:0:0_0";
    folder.write(
        "wgsim.sam",
        sam(&[
            // Right: the left mate at 101, the right one to 600, clips and small gaps allowed for.
            line(name, 0x40, "a", 101, 60, "50M"),
            line(name, 0x90, "a", 551, 60, "50M"),
            line(name, 0x40, "a", 111, 60, "10S40M"),
            line(name, 0x90, "a", 546, 40, "20M5D20M10S"),
            // Wrong: six bases off, another contig, the other strand.
            line(name, 0x40, "a", 107, 40, "50M"),
            line(name, 0x40, "b", 101, 0, "50M"),
            line(name, 0x50, "a", 101, 0, "50M"),
            // Not counted, and not mapped.
            line(name, 0x140, "a", 900, 60, "50M"),
            line(name, 0x840, "a", 900, 60, "50M"),
            line(name, 0x44, "*", 0, 0, "*"),
        ]),
    );
    let expected = "#reads\t8\tunmapped\t1\tcorrect\t4\n\
        mapq\there\twrong_here\tmapped\twrong\terror_rate\n\
        60\t3\t0\t3\t0\t0.000e0\n\
        40\t2\t1\t5\t1\t2.000e-1\n\
        0\t2\t2\t7\t3\t4.286e-1\n";
    assert_eq!(evaluate(&folder, &["wgsim.sam"]), expected);
    let tolerant = evaluate(&folder, &["wgsim.sam", "--tolerance", "6", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&tolerant).expect("is JSON");
    assert_eq!((&json["reads"], &json["correct"]), (&8.into(), &5.into()));
    assert_eq!(json["by_mapq"][1]["wrong"], 0);
}

#[test]
fn a_header_may_have_no_contigs() {
    let folder = Folder::new();
    folder.write("none.sam", ["@HD\tVN:1.6\n", &line("r", 4, "*", 0, 0, "*")].concat());
    let counts = evaluate(&folder, &["none.sam"]);
    assert!(counts.starts_with("#reads\t1\tunmapped\t1\tcorrect\t0\n"), "{counts}");
}

#[test]
fn our_own_reads_are_placed_right() {
    let folder = Folder::new();
    let made = folder.run(&["simulate", "reads", "ref.fa", "-n", "300", "-l", "90", "-o", "r.fq"]);
    assert!(made.status.success());
    folder.map(&["r.fq", "ref.fa", "-k", "5", "-o", "out.bam"]);
    let json = evaluate(&folder, &["out.bam", "--truth", "ours", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("is JSON");
    assert_eq!(json["reads"], 300);
    assert!(json["correct"].as_u64().expect("a number") >= 290, "{json}");
}

#[test]
fn two_files_are_compared_read_by_read() {
    let folder = Folder::new();
    let unmapped = |name, flag: u16| line(name, flag | 4, "*", 0, 0, "*");
    folder.write(
        "a.sam",
        sam(&[
            line("same", 0x40, "a", 101, 60, "50M"),
            line("same", 0x80, "a", 501, 10, "50M"),
            line("moved", 0, "a", 101, 30, "50M"),
            line("moved2", 0, "a", 101, 60, "50M"),
            line("lost", 0, "a", 101, 60, "50M"),
            unmapped("new", 0),
            unmapped("none", 0),
        ]),
    );
    folder.write(
        "b.sam",
        sam(&[
            unmapped("none", 0),
            line("new", 0, "a", 101, 29, "50M"),
            unmapped("lost", 0),
            line("moved2", 16, "a", 101, 29, "50M"),
            line("moved", 0, "b", 101, 30, "50M"),
            line("same", 0x80, "a", 501, 60, "50M"),
            line("same", 0x40, "a", 104, 60, "50M"),
            line("same", 0x140, "b", 104, 0, "50M"),
        ]),
    );
    let expected = "#reads\t7\telsewhere_share\t2.500e-1\n\
        place\treads\tfirst_30\tsecond_30\tboth_30\n\
        same\t2\t1\t2\t1\n\
        elsewhere\t2\t2\t1\t1\n\
        only_first\t1\t1\t0\t0\n\
        only_second\t1\t0\t0\t0\n\
        neither\t1\t0\t0\t0\n";
    assert_eq!(evaluate(&folder, &["--compare", "a.sam", "b.sam"]), expected);
    let json = evaluate(&folder, &["--compare", "a.sam", "a.sam", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("is JSON");
    assert_eq!((&json["same"]["all"], &json["elsewhere_share"]), (&5.into(), &0.0.into()));
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let folder = Folder::new();
    let one = line("r1", 0, "a", 101, 60, "50M");
    folder.write("one.sam", sam(std::slice::from_ref(&one))).write("none.sam", sam(&[]));
    folder.write("two.sam", sam(&[one.clone(), one.clone()]));
    folder.write("other.sam", [&HEADER.replace("SN:b", "SN:c"), &one[..]].concat());
    folder.write("cut.sam", sam(&[one, "r2\t0\ta\n".to_owned()]));
    folder.refused(&["evaluate", "no.sam"], &["no.sam: No such file"]);
    folder.refused(&["evaluate", "ref.fa"], &["ref.fa: neither SAM, BAM nor CRAM"]);
    folder.refused(&["evaluate", "one.sam"], &["one.sam: record 1: the name 'r1' has no origin"]);
    folder.refused(&["evaluate", "cut.sam", "--truth", "ours"], &["cut.sam: record "]);
    let compare = |a, b, parts: &[&str]| folder.refused(&["evaluate", "--compare", a, b], parts);
    compare(
        "one.sam",
        "none.sam",
        &["1 read of the first file, such as 'r1', is not in the second"],
    );
    compare("none.sam", "one.sam", &["one.sam: record 1: the read is not in the other file"]);
    compare("one.sam", "two.sam", &["two.sam: record 2: the read is not in the other file"]);
    compare("two.sam", "one.sam", &["two.sam: record 2: the read occurs twice"]);
    compare("one.sam", "other.sam", &["different contigs"]);
}
