//! Input that cannot be used: code 1, one line that names file, record and line, no output.

use std::fs::File;

use crate::support::{Folder, bgzf, bzip2, error_line, gzip, reads, zstd};

/// A good record before the bad one, so that it is record 2 from line 5 on.
const GOOD: &str = "@good\nACGT\n+\nIIII\n";

fn refused(file: &str, content: &[u8], parts: &[&str]) {
    refused_by_threads("2", file, content, parts);
}

fn refused_by_threads(threads: &str, file: &str, content: &[u8], parts: &[&str]) {
    let folder = Folder::new();
    folder.write(file, content);
    let all = [&[file], parts].concat();
    for output in ["out.sam", "out.bam", "out.cram"] {
        folder.refused(&["--device", "cpu", "-t", threads, file, "ref.fa", "-o", output], &all);
    }
}

fn second_record(record: &[u8], parts: &[&str]) {
    let content = [GOOD.as_bytes(), record].concat();
    refused("reads.fq", &content, parts);
    refused("reads.fq.gz", &gzip(&content), parts);
}

#[test]
fn files_that_are_no_files() {
    let folder = Folder::new();
    folder.write("good.fq", GOOD);
    folder.refused(&["no.fq", "ref.fa", "-o", "out.sam"], &["no.fq", "No such file"]);
    folder.refused(&["good.fq", "no.fq", "ref.fa", "-o", "out.sam"], &["no.fq", "No such file"]);
    folder.refused(&[".", "ref.fa", "-o", "out.sam"], &[".: ", "is a directory"]);
}

#[test]
fn binary_rubbish() {
    refused("reads.fq", b"\x7fELF\0\x01\x02rubbish\n\n\n", &["neither FASTQ nor FASTA"]);
    refused("reads.fq.gz", &gzip(&[0; 1000]), &["neither FASTQ nor FASTA"]);
    refused("reads.txt", b"ACGT\n", &["neither FASTQ nor FASTA"]);
    // Rubbish that looks like something.
    refused("reads.fq.gz", b"\x1f\x8brubbish", &[]);
    refused("reads.fq.bz2", b"BZh9rubbish", &[]);
    refused("reads.fq.zst", b"\x28\xb5\x2f\xfdrubbish", &[]);
    refused("reads.fq", b"@\0\0\0\0\0\x80\xff\xfe", &["record 1"]);
    refused("reads.fa", b">\0\0\n\0\0\0", &["record 1 (line 1)"]);
}

#[test]
fn truncated_fastq() {
    second_record(b"@cut", &["record 2 (line 5)", "ends within the record"]);
    second_record(b"@cut\nAC", &["record 2 (line 6)", "ends within the record"]);
    second_record(b"@cut\nACGT\n+", &["record 2 (line 7)", "ends within the record"]);
    second_record(b"@cut\nACGT\n+\nII", &["record 2 (line 5)", "differ in length"]);
}

#[test]
fn truncated_compression() {
    // Large enough that the cut is after thousands of records.
    let text = reads(3_000);
    for (file, whole) in [
        ("reads.gz", gzip(&text)),
        ("reads.bgz", bgzf(&Folder::new(), &text)),
        ("reads.bz2", bzip2(&text)),
        ("reads.zst", zstd(&text)),
    ] {
        for length in [whole.len() / 2, whole.len() - 4] {
            // With so many threads, several decompress BGZF.
            for threads in ["2", "16"] {
                refused_by_threads(threads, file, &whole[..length], &["record ", "reading failed"]);
            }
        }
    }
    for mut damaged in [gzip(&text), bgzf(&Folder::new(), &text)] {
        let middle = damaged.len() / 2;
        damaged[middle] ^= 0xff;
        for threads in ["2", "16"] {
            refused_by_threads(threads, "reads.gz", &damaged, &["record "]);
        }
    }
    // Bytes behind the last member are told after all records.
    let longer = [gzip(&text), b"more".to_vec()].concat();
    refused("reads.gz", &longer, &["record 3001: ", "bytes that are not gzip"]);
}

#[test]
fn malformed_records() {
    let long_name = format!("@{}\nACGT\n+\nIIII\n", "n".repeat(255));
    let cases: [(&[u8], &str, &str); 16] = [
        (b"\n@r\nACGT\n+\nIIII\n", "line 5", "does not begin with '@'"),
        (b"\n\n\n\n\n@r\nACGT\n+\nIIII\n", "line 5", "does not begin with '@'"),
        (b"@r\nACGT\n+\nIII\n", "line 5", "differ in length"),
        (b"@r\nACGT\n+\nIIIII\n", "line 5", "differ in length"),
        (b"@r\nAC\nGT\n+\nII\nII\n", "line 7", "does not begin with '+'"),
        (b"r\nACGT\n+\nIIII\n", "line 5", "does not begin with '@'"),
        (b"@r\nAC-T\n+\nIIII\n", "line 6", "'-' at base 3 is not a nucleotide"),
        (b"@r\n*\n+\nI\n", "line 6", "'*' at base 1 is not a nucleotide"),
        (b"@r\nACG0\n+\nIIII\n", "line 6", "'0' at base 4 is not a nucleotide"),
        (b"@r\nA GT\n+\nIIII\n", "line 6", "byte 0x20 at base 2 is not a nucleotide"),
        (b"@r\nACGT\n+\nII I\n", "line 8", "byte 0x20 at base 3 is not a quality"),
        (b"@r\nACGT\n+\nII\x7fI\n", "line 8", "byte 0x7f at base 3 is not a quality"),
        (b"@\nACGT\n+\nIIII\n", "line 5", "no name"),
        (b"@ r\nACGT\n+\nIIII\n", "line 5", "no name"),
        (b"@r\xc3\xa4\nACGT\n+\nIIII\n", "line 5", "not allowed in a read name"),
        (long_name.as_bytes(), "line 5", "255 characters, more than 254"),
    ];
    for (record, line, reason) in cases {
        second_record(record, &[&format!("record 2 ({line}): "), reason]);
    }
}

#[test]
fn a_bad_letter_is_found_in_any_line_of_fasta() {
    let text = b">a\nACGT\n>b x\nACGT\nAC\nG!T\n>c\nA\n";
    refused("reads.fa", text, &["record 2 (line 6): '!' at base 8 "]);
    let windows = b">a\r\nACGT\r\n>b x\r\nACGT\r\nAC\r\nG!T\r\n>c\r\nA\r\n";
    refused("reads.fa", windows, &["record 2 (line 6): '!' at base 8 "]);
    refused("reads.fa", b">a\rACGT\r>b\rACGT\r", &["record 1 (line 1)", "carriage return"]);
}

#[test]
fn the_second_of_two_files_is_named() {
    let folder = Folder::new();
    folder.write("a.fq", GOOD).write("b.fq", "@r\nACGT\n+\nIII\n");
    let parts = ["b.fq: record 1 (line 1): ", "differ in length"];
    folder.refused(&["a.fq", "b.fq", "ref.fa", "-o", "out.sam", "--device", "cpu"], &parts);
}

#[test]
fn standard_input_is_named() {
    let folder = Folder::new();
    folder.write("bad.fq", "ACGT\n");
    let mut command = folder.command(&["-", "ref.fa", "--device", "cpu"]);
    let bad = File::open(folder.path("bad.fq")).expect("opens");
    let output = command.stdin(bad).output().expect("runs");
    assert!(error_line(&output, &["-"]).contains("standard input: neither FASTQ nor FASTA"));
}

#[test]
fn references_that_are_none() {
    let cases: [(&[u8], &[&str]); 9] = [
        (b"", &["the file is empty"]),
        (b">a\nACGT\n>b\nACGT\n>a x\nAC\n", &["record 3", "'a'"]),
        (b"@a\nACGT\n+\nIIII\n", &["FASTQ"]),
        (b">a\nNNNN\n>b\nRY\n", &["no A, C, G or T"]),
        (b">a\nAC-T\n", &["record 1 (line 2)", "'-' at base 3"]),
        (b">a\n>b\nACGT\n", &["record 1", "no bases"]),
        (b">\nACGT\n", &["record 1", "no name"]),
        (b"\x7fELF\x01\x02", &["not a FASTA file"]),
        (&gzip(&[b">a\n".as_slice(), &[b'A'; 1000]].concat())[..30], &["bad.fa: "]),
    ];
    let folder = Folder::new();
    folder.write("good.fq", GOOD);
    for (content, parts) in cases {
        folder.write("bad.fa", content);
        let all = [&["bad.fa"], parts].concat();
        folder.refused(&["--device", "cpu", "good.fq", "bad.fa", "-o", "out.sam"], &all);
        folder.refused(&["index", "bad.fa"], &all);
    }
    folder.refused(&["--device", "cpu", "good.fq", "no.fa", "-o", "out.sam"], &["no.fa: No such"]);
    folder.refused(&["index", "no.fa"], &["no.fa: No such file"]);
    folder.refused(&["--device", "cpu", "good.fq", ".", "-o", "out.sam"], &[".: ", "directory"]);
}

#[test]
fn a_contig_name_that_sam_reads_otherwise() {
    let folder = Folder::new();
    folder.write("good.fq", GOOD);
    for name in ["*", "=x", "a,b", "a(b)", "a\\b", "<a>"] {
        folder.write("bad.fa", format!(">good\nACGT\n>{name} x\nACGTACGTACGT\n"));
        let parts =
            [format!("bad.fa: record 2 (line 3): the contig name '{}'", name.escape_debug())];
        let parts = [parts[0].as_str(), "SAM does not allow"];
        folder.refused(&["--device", "cpu", "good.fq", "bad.fa", "-o", "out.sam"], &parts);
        folder.refused(&["index", "bad.fa"], &parts);
    }
    folder.write("fine.fa", ">HLA-A*01:01=|@x\nACGTACGTACGT\n");
    folder.map(&["good.fq", "fine.fa"]);
}

#[test]
fn a_device_that_is_not_there() {
    let folder = Folder::new();
    folder.write("good.fq", GOOD);
    folder
        .refused(&["--device", "cuda:999", "good.fq", "ref.fa", "-o", "out.sam"], &["CUDA device"]);
}
